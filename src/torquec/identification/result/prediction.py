"""Measured and predicted torques of a log, and the error per joint from rows that may come in blocks.

(1)  mean m and sum S of squared deviations of two blocks together, N = N_1 + N_2 rows:
     m = m_1 + d N_2/N,  S = S_1 + S_2 + d^2 N_1 N_2/N,  d = m_2 - m_1
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Mask
from torquec.identification.logs.prepare import prepare
from torquec.identification.result.estimate import Estimate, LogError
from torquec.trajectory.log import Log


def log_error(source: str, joints: Sequence[str], rows: Iterable[tuple[Array, Array]], x: Array) -> LogError:
    """The error of x (k,) on the rows of a log, blocks of A (N, n, k) and tau (N, n).

    Raises `ArgumentError` for no rows, and for torques that are all zero.
    """
    n = len(joints)
    count, mean, spread = 0, np.zeros(n), np.zeros(n)
    squares, torque_squares, torque_sums = np.zeros(n), 0.0, np.zeros(n)
    largest, smallest = np.full(n, -np.inf), np.full(n, np.inf)
    for a, tau in rows:
        residual = tau - a @ x
        added, own = len(residual), residual.mean(axis=0)
        total, shift = count + added, own - mean
        spread += ((residual - own) ** 2).sum(axis=0) + shift**2 * (count * added / total)  # (1)
        mean += shift * (added / total)
        count = total
        squares += (residual**2).sum(axis=0)
        torque_squares += float((tau**2).sum())
        torque_sums += tau.sum(axis=0)
        largest, smallest = np.maximum(largest, residual.max(axis=0)), np.minimum(smallest, residual.min(axis=0))
    if not torque_squares > 0.0:
        found = "all torques are zero" if count else "no sample of the log can be used"
        raise ArgumentError(found, where=source, remedy="record a motion with its torques")

    def by_joint(values: Array) -> dict[str, float]:
        return {joint: float(value) for joint, value in zip(joints, values, strict=True)}

    return LogError(
        source,
        by_joint(np.sqrt(squares / count)),
        float(np.sqrt(squares.sum() / torque_squares)),
        by_joint(mean),
        by_joint(np.sqrt(spread / count)),
        by_joint(largest),
        by_joint(smallest),
        float(np.sqrt(max(1.0 - float((torque_sums**2).sum()) / (count * torque_squares), 0.0))),
    )


@dataclass(frozen=True, eq=False)
class Prediction:
    """Low-passed torques of a log, `measured` and `predicted` by the estimate (N, n), at t (N,).

    `used` (N,) marks the samples that count; `fitted` is whether the estimate was fitted to this log.
    """

    source: str
    joints: tuple[str, ...]
    t: Array
    measured: Array
    predicted: Array
    used: Mask
    fitted: bool

    @property
    def rmse(self) -> Array:
        """Root mean square of the difference by joint (n,) [N m or N]."""
        difference = (self.measured - self.predicted)[self.used]
        found: Array = np.sqrt((difference**2).mean(axis=0))
        return found

    @property
    def relative_error(self) -> float:
        """|measured - predicted|/|measured| over all joints and samples that count."""
        measured, predicted = self.measured[self.used], self.predicted[self.used]
        return float(np.linalg.norm(measured - predicted) / np.linalg.norm(measured))


def predict(estimate: Estimate, log: Log, *, fitted: bool = True) -> Prediction:
    """The torques of a log as the estimate predicts them, through the estimate's own filter."""
    samples = prepare(log, cutoff=estimate.cutoff)
    torque = estimate.model.regressor(samples) @ estimate.x
    joints = estimate.model.robot.joint_names
    return Prediction(log.source, joints, samples.t, samples.tau, torque, samples.used, fitted)
