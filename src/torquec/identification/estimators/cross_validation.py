"""Cross-validation of settings: folds over motions or over time, for logs in memory or in pieces.

(1)  Logs of different motions: each motion is a fold, predicted by a fit to the others: a test on a new motion.
(2)  Logs that repeat one motion, or a single log: fold i of k is the i-th part in time of every log, so that two runs
     of one motion are never split into training and held-out data. A gap separates training and held-out samples,
     because residuals of neighbouring samples are correlated.
(3)  The error of a setting is |tau - predicted|/|tau| over all folds.
(4)  Two logs repeat one motion if at least half of the states (q, qd) of each are close to one of the other. The period
     of a log is the first shift in time at which its states repeat: the mean squared difference between the states
     and the shifted states first exceeds their variance, then falls below `_ALIKE` times it.
     In a periodic log, parts can also be phases of the period. Model errors that are functions of the state are the
     same in every repetition, so repetitions add no information about them

Folds are stored as R factors (triangles) of a QR: fitting many settings is cheap. They are made for several models
at a time:

(5)  every log is cut into parts of equally many decimated samples; the borders are known before the first block. Each
     part has a gap at both ends: half a second, but at most a fifth of the part. It is used for training unless the
     neighbour on that side is held out
(6)  columns that do not depend on the friction law are computed once for all models of a pass; for logs in memory
     they are cached for the next pass
(7)  each log is processed separately, by this process or by a worker (`each_log`), which gets file names and reads
     the files itself
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from torquec.foundation.arrays import Array, Indices
from torquec.foundation.work import Meter, Work, as_work, silent
from torquec.identification.estimators.estimator import Estimator
from torquec.identification.estimators.joint_factors import JointFactors, joint_factors
from torquec.identification.logs.log_source import (
    LogSource,
    are_files,
    counted_rows,
    decimated_blocks,
    decimated_count,
    each_log,
    sample_correlation,
    with_standstill,
)
from torquec.identification.logs.prepare import Samples
from torquec.identification.torque.torque_model import Past, TorqueModel

_GAP, _GAP_SHARE = 0.5, 0.2  # of (5): seconds after which residuals are uncorrelated, and largest share of a part


class LogFolds:
    """The folds of logs (5)-(7); `work` is the executor that processes them."""

    def __init__(self, logs: Sequence[LogSource], *, work: Work | None = None) -> None:
        self.logs = tuple(logs)
        self._work = as_work(work)
        self._kept: dict[tuple[int, int], tuple[Array, Array]] = {}

    @property
    def correlation(self) -> float:
        """Number of decimated samples per independent sample."""
        return max(sample_correlation(log, decimated_count(log)) for log in self.logs)

    @property
    def standstill(self) -> Array:
        """Speeds (n,) below which joints count as standing still, zeros where all rows count."""
        known = [log.standstill for log in self.logs if log.standstill is not None]
        return known[0] if known else np.zeros(next(self.logs[0].blocks()).q.shape[1])

    @cached_property
    def motions(self) -> tuple[tuple[int, ...], ...]:
        """Which logs (indices) show the same motion."""
        if len(self.logs) == 1:
            return ((0,),)
        return same_motions(each_log(self._work, "comparing the motions", _log_states, self.logs))

    @cached_property
    def periods(self) -> tuple[float | None, ...]:
        """Period [s] of each log (4), None for one that does not repeat itself."""
        return tuple(each_log(self._work, "looking for periods", _log_period, self.logs))

    @cached_property
    def with_standstill(self) -> LogFolds:
        """The same folds with every row, those of joints at standstill too."""
        made = LogFolds([with_standstill(log, None) for log in self.logs], work=self._work)
        made.motions, made._kept = self.motions, self._kept
        return made

    def folds(
        self, models: Sequence[TorqueModel], parts: int, *, phases: bool = False, meter: Meter = silent
    ) -> list[Folds]:
        """The R factors of every model, each log cut into `parts`, in one pass; `meter` gets the samples done.

        With `phases`, the parts of a log that repeats itself are those of its period, over all repetitions, without
        gaps between them.
        """
        periods = self.periods if phases else (None,) * len(self.logs)
        if self._work.executor is not None and are_files(self.logs):
            given = (tuple(models), parts, phases)
            spread = each_log(self._work, "going through the logs", _file_folds, self.logs, *given)
            return [Folds(tuple(log[k] for log in spread), self.motions) for k in range(len(models))]
        counts = [decimated_count(log) for log in self.logs]

        def number_done(number: int, done: int) -> None:
            meter(sum(counts[:number]) + done, sum(counts))

        logs = [
            self._log_folds(number, models, parts, partial(number_done, number), periods[number])
            for number in range(len(self.logs))
        ]
        return [Folds(tuple(log[k] for log in logs), self.motions) for k in range(len(models))]

    def _log_folds(
        self,
        number: int,
        models: Sequence[TorqueModel],
        parts: int,
        show: Callable[[int], None],
        period: float | None = None,
    ) -> list[tuple[FoldPart, ...]]:
        """[model][part] of one log; with a `period` [s], the parts are its phases."""
        log = self.logs[number]
        borders = part_borders(log, parts)
        turns = 0.0 if period is None else log.used / log.rate / decimated_count(log) / period
        found = [[_nothing(model) for _ in range(3 * parts)] for model in models]
        taken, pasts = 0, [Past() for _ in models]
        for block, kept in decimated_blocks(log):
            rows = counted_rows(log, block)
            places = np.arange(taken, taken + len(kept))
            own = np.searchsorted(borders, places, side="right") - 1
            if turns:
                own = 3 * (places * turns % 1.0 * parts).astype(int) + 1
            for k, columns in enumerate(self._columns(number, models, block, kept, pasts)):
                show(taken + k * len(kept) // len(models))
                tau = block.tau[kept]
                counted = None if rows is None or models[k].friction.has_memory else rows[kept]
                for part in np.unique(own):
                    inside = own == part
                    here = joint_factors(columns[inside], tau[inside], None if counted is None else counted[inside])
                    found[k][part] = here if found[k][part].count == 0 else found[k][part].merged(here)
            taken += len(kept)
            show(taken)
        return [tuple(FoldPart(*model[3 * part : 3 * part + 3]) for part in range(parts)) for model in found]

    def _columns(
        self, number: int, models: Sequence[TorqueModel], block: Samples, kept: Indices, pasts: Sequence[Past]
    ) -> Iterator[Array]:
        """A (M, n, k) of every model at the samples that are kept (6)."""
        fixed: dict[int, tuple[Array, Array]] = {}
        for model, past in zip(models, pasts, strict=True):
            # Models of one search differ in friction, and in whether there are rotors.
            motors = len(model.robot.drives.motors)
            whole = self.logs[number].whole is not None
            if whole and (number, motors) in self._kept:
                fixed[motors] = self._kept[number, motors]
            if motors not in fixed:
                fixed[motors] = (model.rigid_columns(block, kept), model.further_columns(block, kept))
                if whole:
                    self._kept[number, motors] = fixed[motors]
            rigid, further = fixed[motors]
            yield np.concatenate([rigid, model.friction_columns(block, past, kept), further], axis=2)


def _log_states(log: LogSource) -> LogStates:
    return states_of(log.blocks(), log.used)


def _file_folds(log: LogSource, models: Sequence[TorqueModel], parts: int, phases: bool) -> list[tuple[FoldPart, ...]]:
    """[model][part] of a log that is read in pieces (7), for which nothing is cached between passes."""
    return LogFolds([log])._log_folds(0, models, parts, lambda _: None, _log_period(log) if phases else None)


def _log_period(log: LogSource) -> float | None:
    """The period [s] of a log, from its first `_WINDOW` decimated samples."""
    states: list[Array] = []
    for block, kept in decimated_blocks(log):
        states.append(np.column_stack([block.q, block.qd])[kept])
        if sum(map(len, states)) >= _WINDOW:
            break
    found = period_of(np.concatenate(states)[:_WINDOW])
    return None if found is None else found * log.used / log.rate / decimated_count(log)


def part_borders(log: LogSource, parts: int) -> Indices:
    """First decimated samples of heads, middles and tails of the parts, and the end of the last tail (5)."""
    count = decimated_count(log)
    borders = np.linspace(0, count, parts + 1).astype(int)
    gap = int(min(_GAP * count * log.rate / log.used, _GAP_SHARE * count / parts))
    starts = [border for start, stop in pairwise(borders) for border in (start, start + gap, stop - gap)]
    return np.array([*starts, count])


def _nothing(model: TorqueModel) -> JointFactors:
    n, k = model.robot.n, model.size
    return joint_factors(np.zeros((0, n, k)), np.zeros((0, n)))


_NEAR = 0.05  # largest distance of repeated states (4), relative to the range of each position and speed over all logs
_STATES = 300  # of a log, to compare it with other logs (4)
_ALIKE = 0.09  # of (4): states three tenths of their standard deviation apart
_WINDOW = 2000  # samples that are searched for a period: 250 periods of the cut-off

Pair = tuple[JointFactors, tuple[JointFactors, ...]]
"""Training factors, and held-out factors to predict."""


@dataclass(frozen=True, eq=False)
class FoldPart:
    """R factors of a part of a log: its middle, and the gaps at its two ends (5)."""

    head: JointFactors
    middle: JointFactors
    tail: JointFactors

    @cached_property
    def whole(self) -> JointFactors:
        """R factors of the whole part, ends included."""
        return self.head.merged(self.middle, self.tail)

    def of_columns(self, kept: Sequence[int]) -> FoldPart:
        """The part for some of the parameters, by index."""
        return FoldPart(*(factors.of_columns(kept) for factors in (self.head, self.middle, self.tail)))

    def beside(self, *, before: bool, after: bool) -> JointFactors:
        """The training factors of this part if the neighbour `before` it, or `after` it, is held out."""
        if not (before or after):
            return self.whole
        return self.middle.merged(*([] if before else [self.head]), *([] if after else [self.tail]))


@dataclass(frozen=True, eq=False)
class Folds:
    """R factors of every part of every log, [log][part]; `motions` are the logs (indices) of each motion."""

    parts: tuple[tuple[FoldPart, ...], ...]
    motions: tuple[tuple[int, ...], ...] = ()

    @property
    def whole(self) -> JointFactors:
        """Everything."""
        every = [part.whole for log in self.parts for part in log]
        return every[0].merged(*every[1:])

    def of_columns(self, kept: Sequence[int]) -> Folds:
        """The folds of a model with some of the parameters, by index."""
        return Folds(tuple(tuple(part.of_columns(kept) for part in log) for log in self.parts), self.motions)

    def pairs(self) -> list[Pair]:
        """The folds: over motions (1) where there are several, else over time (2)."""
        places = [(log, part) for log, parts in enumerate(self.parts) for part in range(len(parts))]
        if len(self.motions) > 1:
            folds = [[place for place in places if place[0] in motion] for motion in self.motions]
        else:
            folds = [[place for place in places if place[1] == part] for part in range(len(self.parts[0]))]
        made = []
        for fold in folds:
            left = set(fold)
            kept = [
                self.parts[log][part].beside(before=(log, part - 1) in left, after=(log, part + 1) in left)
                for log, part in places
                if (log, part) not in left
            ]
            made.append((kept[0].merged(*kept[1:]), tuple(self.parts[log][part].whole for log, part in fold)))
        return made


@dataclass(frozen=True, eq=False)
class LogStates:
    """States (q, qd) of a log: the smallest and the largest (2 n,), and a sample of them (M, 2 n)."""

    smallest: Array
    largest: Array
    few: Array


def states_of(blocks: Iterable[Samples], count: int) -> LogStates:
    """The states of a log with `count` used samples, given in blocks."""
    step, seen = max(1, count // _STATES), 0
    low, high, few = [], [], []
    for block in blocks:
        states = np.column_stack([block.q, block.qd])[block.used]
        if len(states):
            low.append(states.min(axis=0))
            high.append(states.max(axis=0))
            few.append(states[-seen % step :: step])
        seen += len(states)
    return LogStates(np.min(low, axis=0), np.max(high, axis=0), np.concatenate(few))


def same_motions(logs: Sequence[LogStates]) -> tuple[tuple[int, ...], ...]:
    """Which logs (indices) show the same motion (4), by their states."""
    smallest, largest = np.min([log.smallest for log in logs], axis=0), np.max([log.largest for log in logs], axis=0)
    size = np.maximum(largest - smallest, np.finfo(float).tiny ** 0.5)
    few = [log.few / size for log in logs]
    groups: list[list[int]] = []
    for k, state in enumerate(few):
        same = next((group for group in groups if _repeats(state, few[group[0]])), None)
        if same is None:
            groups.append([k])
        else:
            same.append(k)
    return tuple(tuple(group) for group in groups)


def period_of(states: Array) -> int | None:
    """Number of samples after which states (M, 2 n) repeat (4); None unless at least a quarter of them is a repetition.

    >>> t = 0.1 * np.arange(150)
    >>> period_of(np.stack([np.sin(t), np.cos(t)], axis=1)), period_of(np.stack([t, np.cos(t)], axis=1))
    (63, None)
    """
    scaled = states / np.maximum(np.ptp(states, axis=0), np.finfo(float).tiny ** 0.5)
    ratios: list[float] = []
    for lag in range(1, 3 * len(states) // 4):
        before, after = scaled[:-lag], scaled[lag:]
        ratios.append(float(((after - before) ** 2).mean() / max(after.var(axis=0).mean(), np.finfo(float).tiny)))
    unlike = next((lag for lag, ratio in enumerate(ratios) if ratio > 1.0), len(ratios))
    alike = next((lag for lag in range(unlike, len(ratios)) if ratios[lag] < _ALIKE), None)
    if alike is None:
        return None
    while alike + 1 < len(ratios) and ratios[alike + 1] < ratios[alike]:
        alike += 1
    return alike + 1


def fold_squares(pairs: Sequence[Pair], make: Callable[[], Estimator]) -> Array:
    """Sums of squared residuals (P,) of every held-out part, predicted by a `make()` estimator fitted to the others."""
    found = []
    for kept, left_out in pairs:
        x = make().fit_factors(kept).x_
        found += [float(part.squares(x).sum()) for part in left_out]
    return np.array(found)


def relative_error(pairs: Sequence[Pair], squares: Array) -> float:
    """|tau - predicted|/|tau| over all folds."""
    total = sum(float(part.torque_squares.sum()) for _, left_out in pairs for part in left_out)
    return float(np.sqrt(squares.sum() / total))


def _repeats(a: Array, b: Array) -> bool:
    """(4)."""
    squares = ((a[:, None, :] - b[None, :, :]) ** 2).mean(axis=2)
    return all(float(np.median(np.sqrt(squares.min(axis=axis)))) < _NEAR for axis in (0, 1))
