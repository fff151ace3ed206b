"""Held-out residuals, sample by sample, from cross-validation; conformal bounds and expected error of a new motion.

(1)  folds are motions, or parts of a single motion: a fit to the others, a gap apart, predicts each of them
(2)  every decimated sample has the residual of the fit without its fold; samples at standstill count, too
(3)  error of a joint: root mean square of (2), absolute and relative to the variation of its torque about its mean, the
     part that a model has to predict
(4)  expected error on another motion: (3) where motions were held out. With a single motion, holding out tenths gives
     too small an error (nearly the same states were fitted), holding out quarters too large a one (too little is left
     to fit). The geometric mean of both times `_NEW_MOTION` agrees with logs of four recorded robots

(10) drives that warm up lose friction. c, the relative change of friction over a log, is the coefficient of
     friction times age (-1/2 to 1/2) in the residuals of the final fit, each joint in units of its deviation. Where c
     is negative by `_SURE` jackknife deviations, the error of a later motion includes `_LATER` c times the friction

Bounds of the residual by split conformal prediction over blocks of motion (`ResidualBound`):

(5)  blocks: parts of the folds in time, half a second each or longer; more than `_MOST` are not needed
(6)  s(|v|): root mean square of the residual of the final fit in bins of equally many samples by speed, at least a
     tenth of that over all bins, so that a bin that fits well by chance gets no tight bound. A separate bin below the
     standstill speed: there the bound is that of the next bin plus static friction, taken as `_STATIC` times the dry
     friction of the fit (`rest` (n,)), or the observed residual if that is larger

(8)  fewer than 19 blocks: the largest score is extrapolated to the probability of 95 %, its tail taken as 1/score
     (Pareto): the bound is wide, and `blocks` shows why. A single recording does not show run-to-run variation
     (temperature, sensor offsets): bounds are at least `_ONE_RUN` times the largest score

(9)  controllers and observers evaluate friction with memory without its state, as a step at reversals. Bounds hold for
     both evaluations: they are those of the larger of the two residuals of every sample

Elsewhere in the range of the logs, the uncertainty of the parameters x with covariance C causes a relative error u:

(7)  u^2 = sum tr(A C A')/sum |A x|^2 over states drawn from the ranges of q, qd, qdd, each joint independently
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from torquec.foundation.arrays import Array, Indices
from torquec.identification.estimators.cross_validation import LogFolds, part_borders
from torquec.identification.estimators.estimator import Estimator
from torquec.identification.logs.log_source import decimated_blocks
from torquec.identification.torque.friction_law import STEP, ParameterKind
from torquec.identification.torque.torque_model import Past, TorqueModel
from torquec.model.residual_bound import ENOUGH_BLOCKS, ResidualBound

NEAR_PARTS, FAR_PARTS = 10, 4
"""Parts of a single motion (4); with fewer parts, the rest of a short log does not determine its parameters."""
LEVEL = 0.99  # of the samples of a block
_SECONDS, _MOST = 0.5, 100  # of (5): residuals of neighbouring samples are correlated
_BINS, _FEWEST = 6, 30  # of (6): most bins, and fewest samples of a bin
_LEAST_SCALE = 0.1  # of (6)
_STATIC = 2.0  # largest known ratio of breakaway (static) to dry friction of drives
_STATES = 300  # of (7)
_ONE_RUN = 2.0  # of (8): offsets of the LWR4 change this much between two runs of one motion
_NEW_MOTION = 1.1  # of (4)
_SURE, _LATER = 2.0, 2.0
"""Of (10): deviations, and time until another motion in lengths of the log: a warm-up slows down."""
MOST_SAMPLES = 50_000
"""Most samples of all logs together; longer logs are evenly subsampled, so that memory stays bounded."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Samples of all logs (M, n) each: state, torques, residuals held out (2) and of the final fit; `block` (M,).

    Of long logs every k-th sample is kept (`MOST_SAMPLES`). `interval` (2, n) contains all residuals of the final fit;
    `seconds` is the length of a block. `stateless` is the held-out residual with friction memory evaluated as a
    function of the speed alone (9), None for models without memory. `rubbing` (M, n) is the friction of the final fit
    without offsets, `age` (M,) the time within a log of length one (10).
    """

    joints: tuple[str, ...]
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    residual: Array
    fitted: Array
    block: Indices
    interval: Array
    seconds: float
    rubbing: Array
    age: Array
    stateless: Array | None = None

    @cached_property
    def warming(self) -> float:
        """c of (10), zero where friction does not clearly fall."""
        weights = 1.0 / (self.fitted.std(axis=0) + np.finfo(float).tiny ** 0.25)
        columns, rest = self.rubbing * self.age[:, None] * weights, self.fitted * weights
        sums = [
            np.bincount(np.unique(self.block, return_inverse=True)[1], (columns * values).sum(axis=1))
            for values in (rest, columns)
        ]
        totals = [own.sum() for own in sums]
        without = [total - own for total, own in zip(totals, sums, strict=True)]
        if len(sums[0]) < 3 or not min(without[1]) > 0.0:
            return 0.0
        change, each = float(totals[0] / totals[1]), without[0] / without[1]
        deviation = float(each.std()) * np.sqrt(len(each) - 1.0)
        return change if change < -_SURE * deviation else 0.0

    @cached_property
    def rms(self) -> Array:
        """(3), (n,) [N m, N]."""
        found: Array = np.sqrt((self.residual**2).mean(axis=0))
        return found

    @property
    def variation(self) -> Array:
        """Standard deviations (n,) of the torques: the part that a model has to predict."""
        found: Array = np.maximum(self.tau.std(axis=0), np.finfo(float).tiny)
        return found

    @property
    def relative(self) -> Array:
        """(3), (n,), relative to the variation of the torques."""
        found: Array = self.rms / self.variation
        return found

    @property
    def error(self) -> float:
        """|residual|/|tau| over all joints."""
        return float(np.linalg.norm(self.residual) / np.linalg.norm(self.tau))

    def bounds(self, standstill: Array, rest: Array, *, runs: int) -> tuple[ResidualBound, ...]:
        """The residual of every joint as a bound; `standstill` (n,) are speeds, `rest` (n,) torques of (6)."""
        least = _ONE_RUN if runs == 1 else 1.0
        given = zip(self.joints, standstill.tolist(), rest.tolist(), strict=True)
        return tuple(self._bound(j, *one, least) for j, one in enumerate(given))

    def _bound(self, j: int, name: str, standstill: float, rest: float, least: float) -> ResidualBound:
        speed, fitted, wrong = np.abs(self.qd[:, j]), self.fitted[:, j], np.abs(self.residual[:, j])
        if self.stateless is not None:
            wrong = np.maximum(wrong, np.abs(self.stateless[:, j]))
        moving = speed >= standstill
        if not moving.any():
            moving[:] = True
        edges, scales = speed_scales(speed[moving], fitted[moving])
        scores = wrong / scales[np.maximum(np.searchsorted(edges, speed, side="right") - 1, 0)]
        blocks = [scores[own] for block in np.unique(self.block) if (own := moving & (self.block == block)).any()]
        worst = max(float(np.quantile(block, LEVEL)) for block in blocks) * max(few_blocks_factor(len(blocks)), least)
        speeds, bounds = edges.tolist(), (worst * scales).tolist()
        if standstill > 0.0:
            seen = float(np.quantile(wrong[~moving], LEVEL)) if not moving.all() else 0.0
            speeds, bounds = [0.0, standstill, *speeds[1:]], [max(bounds[0] + _STATIC * rest, seen), *bounds]
        interval = (float(self.interval[0, j]), float(self.interval[1, j]))
        return ResidualBound(name, LEVEL, len(blocks), self.seconds, tuple(speeds), tuple(bounds), interval)

    def range_uncertainty(self, model: TorqueModel, x: Array, covariance: Array) -> float:
        """(7) for x (k,) with its covariance (k, k); columns of the user, which need a log, are left out."""
        rng = np.random.default_rng(0)
        state = [rng.uniform(v.min(axis=0), v.max(axis=0), (_STATES, v.shape[1])) for v in (self.q, self.qd, self.qdd)]
        rows = model.state_columns(*state)
        k = rows.shape[2]
        spread = np.einsum("tjk,kl,tjl->", rows, covariance[:k, :k], rows)
        return float(np.sqrt(max(spread, 0.0)) / np.linalg.norm(rows @ x[:k]))


def few_blocks_factor(blocks: int) -> float:
    """Factor from the largest score of n blocks to that expected of 19 blocks, for heavy-tailed scores (8).

    >>> few_blocks_factor(4), few_blocks_factor(19)
    (4.0, 1.0)
    """
    return max((ENOUGH_BLOCKS + 1) / (blocks + 1), 1.0)


def speed_scales(speed: Array, residual: Array) -> tuple[Array, Array]:
    """Lower edges (b,) of the speed bins, the first at zero, and s of each bin (b,) (6).

    >>> edges, scales = speed_scales(np.arange(60.0), np.where(np.arange(60) < 30, 1.0, 3.0))
    >>> edges.tolist(), scales.tolist()
    ([0.0, 30.0], [1.0, 3.0])
    """
    count = int(np.clip(len(speed) // _FEWEST, 1, _BINS))
    order = np.sort(speed)
    starts = [order[k * len(order) // count] for k in range(1, count)]
    edges = np.unique([0.0, *(start for start in starts if start > order[0])])
    places = np.searchsorted(edges, speed, side="right") - 1
    whole = float(np.sqrt((residual**2).mean())) + np.finfo(float).tiny
    squares = [(residual[places == k] ** 2).mean() for k in range(len(edges))]
    return edges, np.maximum(np.sqrt(squares), _LEAST_SCALE * whole)


@dataclass(frozen=True, eq=False)
class Expectation:
    """Expected error on another motion (4): |e|/|tau|, and by joint (n,) `rms` [N m, N] and relative to variation."""

    error: float
    rms: Array
    relative: Array


def expectation(far: HeldOut, near: HeldOut | None) -> Expectation:
    """(4) from motions held out, or from quarters and tenths of a single one, with (10)."""
    if near is None:
        return Expectation(far.error, far.rms, far.relative)
    lost = _LATER * far.warming * far.rubbing
    each = np.sqrt((lost**2).mean(axis=0))
    more = (np.linalg.norm(lost) / np.linalg.norm(far.tau), each, each / far.variation)
    whole, rms, relative = (
        np.hypot(_NEW_MOTION * np.sqrt(getattr(far, name) * getattr(near, name)), own)
        for name, own in zip(("error", "rms", "relative"), more, strict=True)
    )
    return Expectation(float(whole), rms, relative)


def held_out(
    folds: LogFolds, model: TorqueModel, make: Callable[[], Estimator], x: Array, *, parts: int = FAR_PARTS
) -> HeldOut:
    """Held-out residuals (1), (2) of the estimator made by `make`; x (k,) is the final fit, `parts` of one motion."""
    several = len(folds.motions) > 1
    parts = 1 if several else parts
    made = folds.folds([model], parts)[0]
    fits = [make().fit_factors(kept).x_ for kept, _ in made.pairs()]
    motion_of = {log: k for k, motion in enumerate(folds.motions) for log in motion}
    seconds = sum(log.used / log.rate for log in folds.logs)
    length = max(_SECONDS, seconds / _MOST)
    columns: list[list[Array]] = [[] for _ in range(9)]
    memoryless = model.with_friction(dataclasses.replace(model.friction, shape=STEP))
    friction = slice(len(model.base), model.size - len(model.columns))
    rubs = np.array([kind.is_friction and kind is not ParameterKind.OFFSET for kind in model.kinds])
    blocks: list[Indices] = []
    interval = np.stack([np.full(model.robot.n, np.inf), np.full(model.robot.n, -np.inf)])
    first = 0
    all_borders = [part_borders(log, parts) for log in folds.logs]
    every = -(-sum(int(borders[-1]) for borders in all_borders) // MOST_SAMPLES)
    for number, (log, borders) in enumerate(zip(folds.logs, all_borders, strict=True)):
        cuts = max(1, round(log.used / log.rate / parts / length))
        taken, past = 0, Past()
        for block, kept in decimated_blocks(log):
            a, tau = model.regressor(block, past, kept), block.tau[kept]
            places = np.arange(taken, taken + len(kept))
            part = (np.searchsorted(borders, places, side="right") - 1) // 3
            x_of = np.array(fits)[np.full(len(kept), motion_of[number]) if several else part]
            age = (places + 0.5) / borders[-1] - 0.5
            own = [tau - np.einsum("tjk,tk->tj", a, x_of), tau - a @ x, a[:, :, rubs] @ x[rubs], age]
            seen = own[1:2]
            if model.friction.has_memory:
                a[:, :, friction] = memoryless.friction_columns(block, None, kept)
                own.append(tau - np.einsum("tjk,tk->tj", a, x_of))
                seen = [*seen, tau - a @ x]
            for residual in seen if len(kept) else ():
                interval[0] = np.minimum(interval[0], residual.min(axis=0))
                interval[1] = np.maximum(interval[1], residual.max(axis=0))
            some = slice(-taken % every, None, every)
            state = (values[kept] for values in (block.q, block.qd, block.qdd))
            for column, values in zip(columns, (*state, tau, *own), strict=False):
                column.append(values[some].copy())  # a view would keep all samples
            start, stop = borders[3 * part], borders[3 * part + 3]
            blocks.append((first + part * cuts + (places - start) * cuts // (stop - start))[some])
            taken += len(kept)
        first += parts * cuts
    joints = model.robot.joint_names
    q, qd, qdd, torque, residual, fitted, rubbing, ages, *more = (np.concatenate(part) for part in columns if part)
    block_of, stateless = np.concatenate(blocks), more[0] if more else None
    return HeldOut(joints, q, qd, qdd, torque, residual, fitted, block_of, interval, length, rubbing, ages, stateless)
