"""Delay estimation between recorded torques and positions; detection of joint reversals.

Recorded torques are late by d where tau(t) = recorded tau(t + d). For every d the robot's inertial parameters and
friction are fitted to the torques moved by d, so no value of a parameter is assumed:

(1)  R(d) = min_x sum_j w_j |tau_j(t + d) - A_j x|^2 = |b|^2 - |U' b|^2,  b the weighted torques, U an orthonormal basis
     of the weighted columns (`fit_motion`); weights are one over the residual variance of each joint
(2)  L(d) = m n log R(d),  m the number of independent samples per joint, twice the cut-off times the duration
(3)  the delay minimises L, between samples too (torques are interpolated by splines); its variance is 2 / L''

Torques and positions have passed the same zero-phase filter. Near a reversal of a joint, the time and shape of its
friction reversal are unknown: there its rows are not used, unless it reverses all the time.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError, MissingExtraError
from torquec.foundation.arrays import Array, Mask
from torquec.foundation.one_thread import one_thread
from torquec.identification.extras import need
from torquec.identification.logs.fit_motion import even_rows, fit_motion, prepared_for_fit
from torquec.identification.logs.prepare import Samples
from torquec.identification.logs.tuning import TUNING
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity
from torquec.trajectory.log_file import shifted


def away_from_reversals(qd: Array, count: int) -> Mask:
    """Which samples of speeds qd (N, n) are more than `count` samples from a change of sign, by joint (N, n).

    >>> away_from_reversals(np.array([[1.0], [1.0], [1.0], [-1.0], [-1.0], [-1.0]]), 1).ravel().tolist()
    [True, False, False, False, False, True]
    """
    result = np.ones(qd.shape, dtype=np.bool_)
    for j, speed in enumerate(qd.T):
        turns = np.flatnonzero(np.sign(speed[1:]) != np.sign(speed[:-1]))
        near = np.zeros(len(speed) + 1)
        np.add.at(near, np.maximum(turns - count, 0), 1.0)
        np.add.at(near, np.minimum(turns + count + 2, len(speed)), -1.0)
        result[:, j] = np.cumsum(near)[:-1] == 0.0
    return result


_REACHES = (0.05, 0.15, 0.45)
"""Search ranges to each side [s]: beyond delays of drives, beyond those of recorders, and what a map accepts."""


@dataclass(frozen=True)
class TorqueDelay:
    """Torques are late by `seconds`, deviation `std`; correction removes the share `removed` of the squared residual.

    `found` is False where the delay is not identifiable: the best one is the largest that was tried.
    """

    seconds: float
    std: float
    removed: float
    found: bool

    @property
    def is_significant(self) -> bool:
        """Whether the delay differs significantly from zero."""
        return (
            self.found and abs(self.seconds) > TUNING.sure_deviations * self.std and self.removed > TUNING.delay_matters
        )


def torque_delay(robot: Robot, log: Log, *, cutoff: float | None = None, largest: float | None = None) -> TorqueDelay:
    """The delay (1)-(3) between the torques and the positions of a log, at most `largest` [s] to either side.

    Without `largest`, up to 50 ms, more than the delay of drives; further where the best delay lies at that border.

    Raises `ArgumentError` for a log that is too short, `MissingExtraError` without scipy.
    """
    if largest is not None and not largest > 0.0:
        raise ArgumentError(f"delays up to {largest} s", remedy="give a positive time")
    moving = lock_joints(robot, {name: 0.0 for name in robot.joint_names if name not in log.joints})
    samples = prepared_for_fit(log, cutoff)
    with one_thread():
        reaches = _REACHES if largest is None else (largest,)
        for reach in reaches:
            found = _delay_within(moving, samples, reach)
            if found.found:
                break
    return found


def _delay_within(robot: Robot, samples: Samples, largest: float) -> TorqueDelay:
    """(1)-(3) up to `largest` [s] to either side."""
    optimize, interpolate = (need(f"scipy.{name}", "finding a delay") for name in ("optimize", "interpolate"))
    rows = even_rows(samples, edge=largest, most=TUNING.delay_rows)
    counted = _away_from_reversals(samples, 1.0 / samples.cutoff + largest)[rows]
    columns = fit_motion(samples, rows).columns(robot) * counted[:, :, None]
    spline = interpolate.CubicSpline(samples.t, samples.tau)

    def torques(delay: float) -> Array:
        moved: Array = spline(samples.t[rows] + delay) * counted
        return moved

    weights = 1.0 / np.maximum(samples.tau[rows].std(axis=0), 1e-9)
    grid = np.linspace(-largest, largest, 2 * TUNING.delay_steps + 1)
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
    """The log with its torques corrected for a delay: moved `delay` seconds earlier."""
    return dataclasses.replace(log, tau=shifted(log.t, log.tau, delay))


def remove_estimated_delay(robot: Robot, log: Log) -> tuple[Log, LogFinding]:
    """The log without its estimated delay, and a note about it; raises `ArgumentError` where none can be estimated."""
    found = torque_delay(robot, log)
    if not found.found:
        raise ArgumentError(
            "the delay between torques and positions cannot be found from this log",
            where=log.source,
            remedy="record a faster motion, or give it in the map (delay = seconds)",
        )
    text = f"torques are late by {found.seconds * 1e3:.2f} ms (+- {found.std * 1e3:.2f}); removed"
    return without_delay(log, found.seconds), LogFinding(Pathology.DELAY, Severity.NOTE, text, "tau")


def check_delay(robot: Robot, log: Log) -> list[LogFinding]:
    """A significant delay as a note; as a warning where it explains much of the residual."""
    try:
        delay = torque_delay(robot, log)
    except ArgumentError:
        return []  # too short; other checks report it
    except MissingExtraError as error:
        text = f"was not estimated: {error.found}"
        return [LogFinding(Pathology.DELAY, Severity.NOTE, text, "tau", remedy=error.remedy)]
    if not delay.is_significant:
        return []
    side = "late" if delay.seconds > 0.0 else "early"
    text = (
        f"torques are {abs(delay.seconds) * 1e3:.2f} ms (+- {delay.std * 1e3:.2f}) {side}: moved, they leave "
        f"{delay.removed:.0%} less of the squared residual"
    )
    severity = Severity.WARNING if delay.removed > TUNING.delay_alarming else Severity.NOTE
    remedy = f"say so in a map: delay = {delay.seconds:.5f}"
    return [LogFinding(Pathology.DELAY, severity, text, "tau", remedy=remedy)]


def _away_from_reversals(samples: Samples, margin: float) -> Array:
    """Row weights (N, n): 1 further than `margin` [s] from reversals, else 0; all 1 if a joint reverses constantly."""
    away = away_from_reversals(samples.qd, round(margin * samples.rate))
    enough = away[samples.used].mean(axis=0) > TUNING.steady_share
    result: Array = np.where(enough, away, True).astype(np.float64)
    return result


def _basis(columns: Array) -> Array:
    """U (M n, r) of (1)."""
    flat = columns.reshape(-1, columns.shape[2])
    norms = np.linalg.norm(flat, axis=0)
    r = np.linalg.qr(flat[:, norms > 0.0] / norms[norms > 0.0], mode="r")
    _, s, v = np.linalg.svd(r)
    kept = s > TUNING.excited_rank * s[0]
    basis: Array = (flat[:, norms > 0.0] / norms[norms > 0.0]) @ (v[kept].T / s[kept])
    return basis


def _left(basis: Array, b: Array) -> float:
    """R of (1)."""
    flat = b.ravel()
    return max(float(flat @ flat - np.sum((basis.T @ flat) ** 2)), float(np.finfo(float).tiny))


def _weights(basis: Array, tau: Array, weights: Array) -> Array:
    """Weights (n,) from the residuals with the current weights."""
    b = (tau * weights).ravel()
    residual = (b - basis @ (basis.T @ b)).reshape(tau.shape) / weights
    updated: Array = 1.0 / np.maximum(residual.std(axis=0), 1e-6 * tau.std(axis=0) + 1e-12)
    return updated
