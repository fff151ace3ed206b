"""Measured and predicted torques of a log, side by side: what pictures and reports show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Mask
from torquec.identification.logs.prepare import prepare
from torquec.identification.result.estimate import Estimate
from torquec.trajectory.log import Log


@dataclass(frozen=True, eq=False)
class Prediction:
    """Torques of a log, low-passed, and what the estimate says: t (N,), `measured` and `predicted` (N, n).

    `used` (N,) tells which samples count; `fitted` whether the estimate has seen this log.
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
        """Root mean square of the difference by joint (n,) [Nm]."""
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
