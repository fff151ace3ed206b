"""Excitation analysis of logs: how accurately each parameter can be identified, before a fit.

With the low-passed regressor A of the used samples, rows of joint j divided by the standard deviation of its residuals,

(1)  deviation of parameter k:  sqrt(((A' A)^-1)_kk), times sqrt(rate/(2 cut-off)), because filtered samples repeat
     each other; relative to its least-squares value
(2)  independence:  1/(|a_k| sqrt(((A' A)^-1)_kk)), the sine of the angle between column k and all others: 1 is
     orthogonal, 0 linearly dependent; it does not depend on noise
(3)  contribution:  the largest |A_jk x_k| as a share of the largest |tau_j|, at the joint where it is largest;
     uncertainty: the same with the deviation in place of x_k. A parameter that is zero has no relative deviation; it is
     rated by its uncertainty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.identification.estimators.estimator import covariance_of
from torquec.identification.estimators.joint_factors import JointFactors, joint_factors
from torquec.identification.estimators.least_squares import WeightedLeastSquares
from torquec.identification.estimators.statistics import conditions, not_excited
from torquec.identification.logs.prepare import Samples, prepare
from torquec.identification.torque.friction_law import FrictionModel
from torquec.identification.torque.torque_model import TorqueModel, torque_model
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log

_GOOD = (0.1, 0.01)
_FAIR = (0.5, 0.05)
"""Deviation relative to the value, or uncertainty relative to the torque."""


class Rating(StrEnum):
    """How well a parameter is excited.

    Good: known to 10 % of its value or 1 % of the torque; fair: to 50 % or 5 %; poor: worse; or not at all.
    """

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    NOT = "not excited"


@dataclass(frozen=True)
class ParameterExcitation:
    """One parameter: value and deviation of a least-squares fit, (1)-(3)."""

    name: str
    value: float
    deviation: float
    independence: float
    contribution: float
    uncertainty: float
    rating: Rating

    @property
    def relative_deviation(self) -> float:
        """Deviation relative to the value (1)."""
        return self.deviation / abs(self.value) if self.value else math.inf


@dataclass(frozen=True)
class LogExcitation:
    """Every parameter, the condition numbers of the regressor (plain, unit columns), samples used, cut-off [Hz]."""

    parameters: tuple[ParameterExcitation, ...]
    condition: float
    unit_condition: float
    samples: int
    cutoff: float


def log_excitation(
    robot: Robot,
    logs: Sequence[Log] | Log,
    *,
    friction: FrictionModel = FrictionModel.OFFSET,
    rotors: bool | None = None,
    cutoff: float | None = None,
) -> LogExcitation:
    """How well logs excite the base parameters of a robot, friction, and `rotors` (1)-(3).

    Rotor inertias are among the parameters where the robot's file has motors, unless `rotors` says otherwise. Joints
    that the logs lack are locked. Raises `ArgumentError` for no log, for logs of different joints and for logs in
    which nothing moves or a joint has no torque at all, `MissingExtraError` without scipy.
    """
    given = [logs] if isinstance(logs, Log) else list(logs)
    if not given or any(log.joints != given[0].joints for log in given):
        raise ArgumentError("there is no log, or the logs have different joints", remedy="give logs of the same joints")
    for log in given:
        _check_signals(log)
    with one_thread():
        moving = lock_joints(robot, {name: 0.0 for name in robot.joint_names if name not in given[0].joints})
        chosen = max(prepare(log, cutoff=cutoff).cutoff for log in given)
        samples = [prepare(log, cutoff=chosen) for log in given]
        sought = bool(robot.drives.motors) if rotors is None else rotors
        return _rated(torque_model(moving, friction=friction, rotors=sought), samples, chosen)


def _rated(model: TorqueModel, samples: Sequence[Samples], cutoff: float) -> LogExcitation:
    rows = [(model.regressor(each)[each.used], each.tau[each.used]) for each in samples]
    factors: JointFactors = joint_factors(*rows[0]).merged(*(joint_factors(*more) for more in rows[1:]))
    correlation = max(each.correlation(int(each.used.sum())) for each in samples)
    fit = WeightedLeastSquares(correlation=correlation).fit_factors(factors)
    triangle = factors.weighted(fit.weights_)
    deviations = np.sqrt(np.diag(covariance_of(triangle, correlation)))
    norms = np.linalg.norm(triangle[:, :-1], axis=0)
    # Independence is computed from unit columns, with the weights of the joints, without the noise level.
    independence = np.sqrt(correlation) / np.maximum(norms * deviations, np.finfo(float).tiny)
    lost = set(not_excited(triangle, model.names))
    sizes = _largest_shares(rows)
    found = conditions(factors.weighted(np.ones(factors.n)))
    parameters = []
    for k, name in enumerate(model.names):
        gone = name in lost or norms[k] == 0.0
        value, deviation = float(fit.x_[k]), math.inf if gone else float(deviations[k])
        parameters.append(
            ParameterExcitation(
                name,
                value,
                deviation,
                0.0 if gone else min(1.0, float(independence[k])),
                float(sizes[k]) * abs(value),
                math.inf if gone else float(sizes[k]) * deviation,
                Rating.NOT if gone else _rating(value, deviation, float(sizes[k]) * deviation),
            )
        )
    return LogExcitation(tuple(parameters), found.plain, found.unit_columns, factors.count, cutoff)


def _check_signals(log: Log) -> None:
    """Raise `ArgumentError` unless something moves and every joint has a torque."""
    if not np.any(np.nanmax(log.q, axis=0, initial=-np.inf) > np.nanmin(log.q, axis=0, initial=np.inf)):
        raise ArgumentError("nothing moves in this log", where=log.source, remedy="record a motion")
    silent = [joint for joint, tau in zip(log.joints, log.tau.T, strict=True) if not np.any(np.abs(tau) > 0.0)]
    if silent:
        raise ArgumentError(
            f"the torque of {', '.join(silent)} is zero throughout",
            where=log.source,
            remedy="record torques, or currents with a map that has gains",
        )


def _rating(value: float, deviation: float, uncertainty: float) -> Rating:
    for rating, (relative, share) in ((Rating.GOOD, _GOOD), (Rating.FAIR, _FAIR)):
        if deviation <= relative * abs(value) or uncertainty <= share:
            return rating
    return Rating.POOR


def _largest_shares(rows: Sequence[tuple[Array, Array]]) -> Array:
    """The largest |A_jk| over the largest |tau_j|, at the joint where that is largest (k,)."""
    columns = np.max([np.abs(a).max(axis=0) for a, _ in rows], axis=0)
    torques = np.max([np.abs(tau).max(axis=0) for _, tau in rows], axis=0)
    share: Array = (columns / np.maximum(torques, np.finfo(float).tiny)[:, None]).max(axis=0)
    return share
