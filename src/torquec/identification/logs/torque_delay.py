"""The delay between torques and positions, from the log itself.

Recorded torques are late by d where tau(t) = recorded tau(t + d). For every d the robot's inertial parameters and
friction are fitted to the torques moved by d, so no value of a parameter is assumed:

(1)  R(d) = min_x sum_j w_j |tau_j(t + d) - A_j x|^2 = |b|^2 - |U' b|^2,  b the weighted torques, U an orthonormal basis
     of the weighted columns; weights are one over the residual variance of each joint
(2)  L(d) = m n log R(d),  m the number of independent samples per joint, twice the cut-off times the duration
(3)  the delay minimises L, between samples too (torques are interpolated by splines); its variance is 2 / L''

Torques and positions have passed the same zero-phase filter. Where a joint reverses, samples do not tell when its
friction turned over, and no model does how: there its rows do not count, unless it reverses all the time.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError, MissingExtraError
from torquec.foundation.arrays import Array, Indices
from torquec.identification.extras import need
from torquec.identification.logs.prepare import Samples, low_pass, prepare
from torquec.identification.logs.reversals import away_from_reversals
from torquec.model.model import compile
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity
from torquec.trajectory.log_file import shifted

_LARGEST = 0.05  # [s] to each side, more than drives have
_STEPS = 20  # of the grid to each side, 2.5 ms each: the error is smooth between them
_ROWS = 2000  # thinned to these: a delay is one number
_LONGEST = 40_000  # samples that are filtered, from the middle of the log
_RANK = 1e-9  # of the largest singular value: directions below it are not in the log
_SLOWEST, _FASTEST = 2.0, 15.0
"""Cut-offs [Hz]: slow motions show a delay as well, and needs no noise."""
_ENOUGH = 0.3  # of the samples away from reversals, or friction hides the delay
_SURE = 4.0  # standard deviations: one in ten thousand logs without a delay
_MATTERS = 0.1  # of the squared error that it removes
_ALARMING = 0.25  # of the same: parameters are wrong without it


@dataclass(frozen=True)
class TorqueDelay:
    """Torques are late by `seconds`, give or take `std`; `removed` is the share of the squared residual that goes.

    `found` is False where the log does not tell: the best delay is the largest that was tried.
    """

    seconds: float
    std: float
    removed: float
    found: bool

    @property
    def is_significant(self) -> bool:
        """Whether the delay differs from none."""
        return self.found and abs(self.seconds) > _SURE * self.std and self.removed > _MATTERS


def torque_delay(robot: Robot, log: Log, *, cutoff: float | None = None, largest: float = _LARGEST) -> TorqueDelay:
    """The delay (1)-(3) between the torques and the positions of a log, at most `largest` [s] to either side.

    Raises `ArgumentError` for a log that is too short, `MissingExtraError` without scipy.
    """
    if not largest > 0.0:
        raise ArgumentError(f"delays up to {largest} s", remedy="give a positive time")
    optimize, interpolate = (need(f"scipy.{name}", "finding a delay") for name in ("optimize", "interpolate"))
    moving = lock_joints(robot, {name: 0.0 for name in robot.joint_names if name not in log.joints})
    samples = _prepared(_shortened(log), cutoff)
    inside = samples.used & (samples.t > samples.t[0] + largest) & (samples.t < samples.t[-1] - largest)
    rows = np.flatnonzero(inside)
    rows = rows[:: max(1, len(rows) // _ROWS)]
    counted = _away_from_reversals(samples, 1.0 / samples.cutoff + largest)[rows]
    columns = _columns(moving, samples, rows) * counted[:, :, None]
    spline = interpolate.CubicSpline(samples.t, samples.tau)

    def torques(delay: float) -> Array:
        moved: Array = spline(samples.t[rows] + delay) * counted
        return moved

    weights = 1.0 / np.maximum(samples.tau[rows].std(axis=0), 1e-9)
    grid = np.linspace(-largest, largest, 2 * _STEPS + 1)
    step = float(grid[1] - grid[0])
    for _ in range(2):
        basis = _basis(columns * weights[:, None])
        best = int(np.argmin([_left(basis, torques(d) * weights) for d in grid]))
        weights = _weights(basis, torques(float(grid[best])), weights)
    basis = _basis(columns * weights[:, None])

    def cost(delay: float) -> float:
        return float(np.log(_left(basis, torques(delay) * weights)))

    best = int(np.argmin([cost(delay) for delay in grid]))
    bounds = (float(grid[best]) - step, float(grid[best]) + step)
    delay = float(optimize.minimize_scalar(cost, bounds=bounds, method="bounded", options={"xatol": 1e-7}).x)
    independent = 2.0 * samples.cutoff * float(samples.used.sum()) / samples.rate * float(counted.sum()) / len(rows)
    width = 0.25 * step
    curvature = independent * (cost(delay + width) + cost(delay - width) - 2.0 * cost(delay)) / width**2
    std = float(np.sqrt(2.0 / curvature)) if curvature > 0.0 else np.inf
    removed = 1.0 - float(np.exp(cost(delay) - cost(0.0)))
    return TorqueDelay(delay, std, removed, found=0 < best < len(grid) - 1)


def without_delay(log: Log, delay: float) -> Log:
    """The log with its torques moved to where they belong: `delay` seconds earlier."""
    return dataclasses.replace(log, tau=shifted(log.t, log.tau, delay))


def check_delay(robot: Robot, log: Log) -> list[LogFinding]:
    """The delay, where there is one, as a note; as a warning where it explains much of what a model cannot."""
    try:
        delay = torque_delay(robot, log)
    except ArgumentError:
        return []  # too short to tell; other checks say so
    except MissingExtraError as error:
        text = f"was not sought: {error.found}"
        return [LogFinding(Pathology.DELAY, Severity.NOTE, text, "tau", remedy=error.remedy)]
    if not delay.is_significant:
        return []
    side = "late" if delay.seconds > 0.0 else "early"
    text = (
        f"torques are {abs(delay.seconds) * 1e3:.2f} ms (+- {delay.std * 1e3:.2f}) {side}: moved, they leave "
        f"{delay.removed:.0%} less of the squared residual"
    )
    severity = Severity.WARNING if delay.removed > _ALARMING else Severity.NOTE
    remedy = f"say so in a map: delay = {delay.seconds:.5f}"
    return [LogFinding(Pathology.DELAY, severity, text, "tau", remedy=remedy)]


def _shortened(log: Log) -> Log:
    """The middle of a long log."""
    if len(log) <= _LONGEST:
        return log
    start = (len(log) - _LONGEST) // 2
    part = slice(start, start + _LONGEST)
    qd = None if log.qd is None else log.qd[part]
    return Log(log.joints, log.t[part], log.q[part], log.tau[part], qd, source=log.source)


def _prepared(log: Log, cutoff: float | None) -> Samples:
    samples = prepare(log, cutoff=cutoff)
    if cutoff is not None or _SLOWEST <= samples.cutoff <= _FASTEST:
        return samples
    return prepare(log, cutoff=float(np.clip(samples.cutoff, _SLOWEST, min(_FASTEST, 0.2 * samples.rate))))


def _away_from_reversals(samples: Samples, margin: float) -> Array:
    """1 where joint j is further than `margin` [s] from its next reversal, or nearly all is nearer; else 0 (N, n)."""
    away = away_from_reversals(samples.qd, round(margin * samples.rate))
    enough = away[samples.used].mean(axis=0) > _ENOUGH
    result: Array = np.where(enough, away, True).astype(np.float64)
    return result


def _columns(robot: Robot, samples: Samples, rows: Indices) -> Array:
    """A (M, n, k): inertial parameters, and per joint a rotor, viscous and Coulomb friction, each by direction.

    Of these Coulomb friction alone is not smooth, and needs the filter.
    """
    q, qd, qdd = (np.ascontiguousarray(values[rows]) for values in (samples.q, samples.qd, samples.qdd))
    steps = low_pass(np.sign(samples.qd), samples.rate, samples.cutoff)[rows]
    own = np.stack([qdd, qd, np.abs(qd), steps, np.ones_like(qd)], axis=2)
    joints = np.einsum("mja,jk->mjka", own, np.eye(robot.n)).reshape(len(rows), robot.n, -1)
    return np.concatenate([np.asarray(compile(robot).regressor(q, qd, qdd)), joints], axis=2)


def _basis(columns: Array) -> Array:
    """U (M n, r) of (1)."""
    flat = columns.reshape(-1, columns.shape[2])
    norms = np.linalg.norm(flat, axis=0)
    r = np.linalg.qr(flat[:, norms > 0.0] / norms[norms > 0.0], mode="r")
    _, s, v = np.linalg.svd(r)
    kept = s > _RANK * s[0]
    basis: Array = (flat[:, norms > 0.0] / norms[norms > 0.0]) @ (v[kept].T / s[kept])
    return basis


def _left(basis: Array, b: Array) -> float:
    """R of (1)."""
    flat = b.ravel()
    return max(float(flat @ flat - np.sum((basis.T @ flat) ** 2)), float(np.finfo(float).tiny))


def _weights(basis: Array, tau: Array, weights: Array) -> Array:
    """Weights (n,) by the residuals at these."""
    b = (tau * weights).ravel()
    residual = (b - basis @ (basis.T @ b)).reshape(tau.shape) / weights
    updated: Array = 1.0 / np.maximum(residual.std(axis=0), 1e-6 * tau.std(axis=0) + 1e-12)
    return updated
