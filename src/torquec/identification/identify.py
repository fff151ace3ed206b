"""`identify`: from a robot and logs to an `Estimate`.

(1)  logs are checked and prepared; joints that they lack are locked
(2)  candidates: with and without rotor inertias, friction with and without load, joints weighted or not, strengths of
     the prior; each is cross-validated, and the best one is taken
(3)  the chosen estimator is fitted to everything, and statistics follow

The error everywhere: |tau - predicted| / |tau| over all joints and samples, both low-passed, half a second cut at each
end.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np

from torquec.errors import ArgumentError
from torquec.identification.check_log import check_log
from torquec.identification.cross_validation import Folds, errors_of, time_folds
from torquec.identification.estimate import Estimate, LogError, Parameter
from torquec.identification.estimator import Estimator, Weighting
from torquec.identification.extras import one_thread
from torquec.identification.joint_factors import JointFactors
from torquec.identification.least_squares import (
    HuberLeastSquares,
    OrdinaryLeastSquares,
    TotalLeastSquares,
    WeightedLeastSquares,
)
from torquec.identification.prepare import Samples, prepare
from torquec.identification.prior import robot_prior
from torquec.identification.prior_estimators import (
    ConsistentLeastSquares,
    EntropicLeastSquares,
    PriorEstimator,
    RidgeToPrior,
)
from torquec.identification.pseudo_inertia import body_parameters
from torquec.identification.statistics import check_excitation, conditions, significant, verdict
from torquec.identification.torque_columns import FrictionModel, TorqueColumn
from torquec.identification.torque_model import TorqueModel, torque_model
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, Severity
from torquec.trajectory.trajectory import Array

STRENGTHS = (0.1, 1.0, 10.0, 100.0, 1000.0)


class Method(StrEnum):
    """The estimators that `identify` can use."""

    CONSISTENT = "consistent"
    ENTROPIC = "entropic"
    RIDGE = "ridge"
    WEIGHTED = "weighted"
    ORDINARY = "ordinary"
    HUBER = "huber"
    TOTAL = "total"

    @property
    def needs_prior(self) -> bool:
        """Whether it draws to the robot's own inertias."""
        return self in (Method.CONSISTENT, Method.ENTROPIC, Method.RIDGE)


_PLAIN: dict[Method, type[Estimator]] = {
    Method.WEIGHTED: WeightedLeastSquares,
    Method.ORDINARY: OrdinaryLeastSquares,
    Method.HUBER: HuberLeastSquares,
    Method.TOTAL: TotalLeastSquares,
}
_DRAWN: dict[Method, type[PriorEstimator]] = {
    Method.CONSISTENT: ConsistentLeastSquares,
    Method.ENTROPIC: EntropicLeastSquares,
    Method.RIDGE: RidgeToPrior,
}


@dataclass(frozen=True)
class IdentifyOptions:
    """How to identify. None leaves a choice to cross-validation (`friction`: OFFSET or LOAD; `rotors`; `strength`) or
    to the data (`cutoff`).
    """

    method: Method = Method.CONSISTENT
    friction: FrictionModel | None = None
    cutoff: float | None = None
    rotors: bool | None = None
    strength: float | None = None
    columns: tuple[TorqueColumn, ...] = ()
    transmission: tuple[tuple[float, ...], ...] | None = None


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A model with its rows, per log and as folds, and what cross-validation says."""

    model: TorqueModel
    rows: list[tuple[Array, Array]]
    folds: Folds
    error: float
    make: Callable[[], Estimator]
    strength: float | None


_DEFAULT = IdentifyOptions()


def identify(
    robot: Robot, logs: Sequence[Log] | Log, *, validate: Sequence[Log] = (), options: IdentifyOptions = _DEFAULT
) -> Estimate:
    """The parameters of a robot from logs; `validate` are logs that are only predicted.

    Raises `ArgumentError` for logs with errors, for logs of different joints and for motions that excite too little
    (with the list of what they identify); `MissingExtraError` without scipy, or without clarabel where it is needed.
    """
    with one_thread():
        return _identified(robot, [logs] if isinstance(logs, Log) else list(logs), list(validate), options)


def _identified(robot: Robot, training: list[Log], validate: list[Log], options: IdentifyOptions) -> Estimate:
    if not training:
        raise ArgumentError("there is no log to fit", remedy="give at least one")
    notes = _checked(robot, [*training, *validate])
    moving = lock_joints(robot, {name: 0.0 for name in robot.joint_names if name not in training[0].joints})
    samples = [prepare(log, cutoff=options.cutoff) for log in training]
    cutoff = max(s.cutoff for s in samples)
    if options.cutoff is None:
        samples = [prepare(log, cutoff=cutoff) for log in training]
    if options.method.needs_prior and not np.all(body_parameters(moving)[:, -1] > 0.0):
        raise ArgumentError(
            f"the method '{options.method}' draws to the robot's own inertias, but a body of '{robot.name}' has none",
            remedy=f"use the method {Method.WEIGHTED}, or give a robot file with inertias",
        )
    best = _best(moving, samples, options)
    whole = best.folds.whole
    if not options.method.needs_prior:
        check_excitation(whole, best.model.names, training[0].source)
    estimator = best.make()
    if options.method is Method.HUBER:
        estimator.fit(np.concatenate([a for a, _ in best.rows]), np.concatenate([tau for _, tau in best.rows]))
    else:
        estimator.fit_factors(whole)
    others = [prepare(log, cutoff=cutoff) for log in validate]
    checks = [_predicted(best.model, s, best.model.regressor(s)[s.used], s.tau[s.used], estimator.x_) for s in others]
    fitted = [_predicted(best.model, s, a, t, estimator.x_) for s, (a, t) in zip(samples, best.rows, strict=True)]
    return _estimate(best, estimator, whole, fitted, checks, options, cutoff, notes)


def _checked(robot: Robot, logs: Sequence[Log]) -> tuple[str, ...]:
    """(1): errors are raised, the rest is told."""
    notes = []
    for log in logs:
        if log.joints != logs[0].joints:
            raise ArgumentError(
                f"this log is about {', '.join(log.joints)}, the first one about {', '.join(logs[0].joints)}",
                where=log.source,
                remedy="identify from logs of the same joints",
            )
        found = check_log(robot, log)
        errors = [finding for finding in found if finding.severity is Severity.ERROR]
        if errors:
            raise ArgumentError("; ".join(map(str, errors)), where=log.source, remedy="mend the log, or give a map")
        notes += [f"{log.source}: {finding}" for finding in found]
    return tuple(notes)


def _best(robot: Robot, samples: Sequence[Samples], options: IdentifyOptions) -> _Candidate:
    """(2)."""
    transmission = None if options.transmission is None else np.array(options.transmission)
    candidates: list[_Candidate] = []
    prior = options.method.needs_prior
    models = (FrictionModel.OFFSET, FrictionModel.LOAD) if prior else (FrictionModel.OFFSET,)
    frictions = models if options.friction is None else (options.friction,)
    rotor_choices = (True, False) if options.rotors is None else (options.rotors,)
    for rotors, friction in itertools.product(rotor_choices, frictions):
        model = torque_model(
            robot, friction=friction, rotors=rotors, transmission=transmission, columns=options.columns
        )
        rows = [(model.regressor(s)[s.used], s.tau[s.used]) for s in samples]
        folds = time_folds(rows)
        correlation = max(samples[0].rate / (2.0 * samples[0].cutoff), 1.0)
        candidates.append(_chosen(model, rows, folds, options, correlation))
    return min(candidates, key=lambda candidate: candidate.error)


def _chosen(
    model: TorqueModel, rows: list[tuple[Array, Array]], folds: Folds, options: IdentifyOptions, correlation: float
) -> _Candidate:
    """The best strength and weighting for one model."""
    pairs = folds.pairs()
    if not options.method.needs_prior:
        plain = partial(_PLAIN[options.method], correlation=correlation)
        tried = partial(WeightedLeastSquares) if options.method is Method.HUBER else plain
        return _Candidate(model, rows, folds, errors_of(pairs, [tried])[0], plain, None)
    prior = robot_prior(model)
    strengths = STRENGTHS if options.strength is None else (options.strength,)
    settings = list(itertools.product(Weighting, strengths))
    makers = [
        partial(_DRAWN[options.method], prior, strength=strength, weighting=weighting, correlation=correlation)
        for weighting, strength in settings
    ]
    errors = errors_of(pairs, makers)
    best = int(np.argmin(errors))
    return _Candidate(model, rows, folds, errors[best], makers[best], settings[best][1])


def _predicted(model: TorqueModel, samples: Samples, a: Array, tau: Array, x: Array) -> LogError:
    residual = tau - a @ x
    joints = model.robot.joint_names

    def by_joint(values: Array) -> dict[str, float]:
        return {joint: float(value) for joint, value in zip(joints, values, strict=True)}

    return LogError(
        samples.source,
        by_joint(np.sqrt((residual**2).mean(axis=0))),
        float(np.linalg.norm(residual) / np.linalg.norm(tau)),
        by_joint(residual.mean(axis=0)),
        by_joint(residual.std(axis=0)),
        by_joint(residual.max(axis=0)),
        by_joint(residual.min(axis=0)),
    )


def _estimate(
    best: _Candidate,
    estimator: Estimator,
    whole: JointFactors,
    fitted: list[LogError],
    checks: list[LogError],
    options: IdentifyOptions,
    cutoff: float,
    notes: tuple[str, ...],
) -> Estimate:
    """(3)."""
    model, x = best.model, estimator.x_
    peaks = np.max([np.abs(a).max(axis=0) for a, _ in best.rows], axis=0)
    torque_peaks = np.max([np.abs(tau).max(axis=0) for _, tau in best.rows], axis=0)
    important = significant(peaks, torque_peaks, x)
    deviations = np.sqrt(np.maximum(np.diag(estimator.covariance_), 0.0))
    error = whole.relative_error(x)
    found = conditions(whole.weighted(np.ones(whole.n)))
    drawn = isinstance(estimator, PriorEstimator)
    return Estimate(
        model=model,
        x=x,
        covariance=estimator.covariance_,
        standard=estimator.y_ if isinstance(estimator, PriorEstimator) else None,
        parameters=tuple(
            Parameter(name, float(value), float(deviation), bool(matters))
            for name, value, deviation, matters in zip(model.names, x, deviations, important, strict=True)
        ),
        training=tuple(fitted),
        validation=tuple(checks),
        relative_error=error,
        validation_error=best.error,
        condition=found.plain,
        unit_condition=found.unit_columns,
        physically_consistent=estimator.physically_consistent_ if isinstance(estimator, PriorEstimator) else False,
        estimator=str(options.method),
        strength=best.strength if drawn else None,
        cutoff=cutoff,
        verdict=verdict(model.names, x, deviations, list(important), training=error, validation=best.error),
        notes=notes,
    )
