"""`identify`: from a robot and logs to an `Estimate`.

(1)  logs are checked and prepared; joints that they lack are locked
(2)  logs that excite too little are refused with what they can identify, unless a part is enough
(3)  rotor inertias, the law of friction, weights and the strength of the prior are chosen by cross-validation
     (`model_choice`)
(4)  the chosen estimator is fitted to everything, and statistics follow

The error everywhere: |tau - predicted| / |tau| over all joints and samples, both low-passed, half a second cut at each
end.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.errors import ArgumentError
from torquec.identification.check_log import check_log
from torquec.identification.estimate import Estimate, LogError, Parameter
from torquec.identification.estimator import Estimator, Weighting
from torquec.identification.joint_factors import JointFactors, joint_factors
from torquec.identification.least_squares import (
    HuberLeastSquares,
    OrdinaryLeastSquares,
    TotalLeastSquares,
    WeightedLeastSquares,
)
from torquec.identification.model_choice import STRENGTHS, Choice, Freedom, Make, Setting, choose_model
from torquec.identification.prepare import Derivatives, Samples, prepare
from torquec.identification.prior import robot_prior
from torquec.identification.prior_estimators import (
    ConsistentLeastSquares,
    EntropicLeastSquares,
    PriorEstimator,
    RidgeToPrior,
)
from torquec.identification.pseudo_inertia import body_parameters
from torquec.identification.statistics import check_excitation, conditions, not_excited, significant, verdict
from torquec.identification.torque_columns import FrictionLaw, FrictionModel, FrictionTerm, TorqueColumn
from torquec.identification.torque_model import TorqueModel, torque_model
from torquec.reduction.one_thread import one_thread
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, Severity
from torquec.trajectory.trajectory import Array

_FURTHER = tuple(f"{term}_" for term in FrictionTerm)


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
    """How to identify. None leaves a choice to cross-validation (`friction`, `rotors`, `strength`) or to the data
    (`cutoff`); `partial` goes on where the logs excite only a part of the parameters. `slowest` and `derivatives` are
    those of `prepare`; what rests is left out of the fit alone, not of the logs that are predicted.
    """

    method: Method = Method.CONSISTENT
    friction: FrictionLaw | FrictionModel | None = None
    cutoff: float | None = None
    rotors: bool | None = None
    strength: float | None = None
    columns: tuple[TorqueColumn, ...] = ()
    transmission: tuple[tuple[float, ...], ...] | None = None
    partial: bool = False
    slowest: float = 0.0
    derivatives: Derivatives = Derivatives.DIFFERENCES


_DEFAULT = IdentifyOptions()


def identify(
    robot: Robot, logs: Sequence[Log] | Log, *, validate: Sequence[Log] = (), options: IdentifyOptions = _DEFAULT
) -> Estimate:
    """The parameters of a robot from logs; `validate` are logs that are only predicted.

    Raises `ArgumentError` for logs with errors, for logs of different joints and, unless `partial` is set, for motions
    that excite too little (with the list of what they identify); `MissingExtraError` without scipy, or without
    clarabel where it is needed.
    """
    with one_thread():
        return _identified(robot, [logs] if isinstance(logs, Log) else list(logs), list(validate), options)


def _identified(robot: Robot, training: list[Log], validate: list[Log], options: IdentifyOptions) -> Estimate:
    if not training:
        raise ArgumentError("there is no log to fit", remedy="give at least one")
    notes = _checked(robot, [*training, *validate])
    moving = lock_joints(robot, {name: 0.0 for name in robot.joint_names if name not in training[0].joints})
    ready = functools.partial(prepare, derivatives=options.derivatives)
    samples = [ready(log, cutoff=options.cutoff, slowest=options.slowest) for log in training]
    cutoff = max(s.cutoff for s in samples)
    if options.cutoff is None:
        samples = [ready(log, cutoff=cutoff, slowest=options.slowest) for log in training]
    if options.method.needs_prior and not np.all(body_parameters(moving)[:, -1] > 0.0):
        raise ArgumentError(
            f"the method '{options.method}' draws to the robot's own inertias, but a body of '{robot.name}' has none",
            remedy=f"use the method {Method.WEIGHTED}, or give a robot file with inertias",
        )
    freedom = _freedom(moving, options)
    notes += _excited(samples, freedom.models[0], options)
    choice = choose_model(samples, freedom, _maker(options.method))
    rows = [(choice.model.regressor(s)[s.used], s.tau[s.used]) for s in samples]
    parts = [joint_factors(a, tau) for a, tau in rows]
    whole = parts[0].merged(*parts[1:])
    correlation = max(s.correlation(int(s.used.sum())) for s in samples)
    estimator: Estimator
    if options.method is Method.HUBER:
        estimator = HuberLeastSquares(correlation=correlation)
        estimator.fit(np.concatenate([a for a, _ in rows]), np.concatenate([tau for _, tau in rows]))
    else:
        setting = Setting(choice.strength, choice.weighting, correlation)
        estimator = _maker(options.method)(choice.model, setting).fit_factors(whole)
    others = [ready(log, cutoff=cutoff) for log in validate]
    model = choice.model
    checks = [_predicted(model, s, model.regressor(s)[s.used], s.tau[s.used], estimator.x_) for s in others]
    fitted = [_predicted(model, s, a, t, estimator.x_) for s, (a, t) in zip(samples, rows, strict=True)]
    return _estimate(choice, rows, estimator, whole, fitted, checks, options, cutoff, notes)


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


def _freedom(robot: Robot, options: IdentifyOptions) -> Freedom:
    """(3): what the options leave open."""
    transmission = None if options.transmission is None else np.array(options.transmission)
    prior = options.method.needs_prior
    rotor_choices = (False, True) if options.rotors is None else (options.rotors,)
    models = tuple(
        torque_model(
            robot,
            friction=FrictionModel.OFFSET if options.friction is None else options.friction,
            rotors=rotors,
            transmission=transmission,
            columns=options.columns,
        )
        for rotors in rotor_choices
    )
    strengths = (0.0,) if not prior else STRENGTHS if options.strength is None else (options.strength,)
    return Freedom(models, options.friction is None, strengths, tuple(Weighting) if prior else (Weighting.JOINT,))


def _maker(method: Method) -> Make:
    """How a method's estimator is made; Huber's weights need rows, so weighted least squares stands in for it."""
    if method.needs_prior:
        drawn, prior = _DRAWN[method], functools.lru_cache(maxsize=8)(robot_prior)
        return lambda model, setting: drawn(prior(model), **dataclasses.asdict(setting))
    plain = WeightedLeastSquares if method is Method.HUBER else _PLAIN[method]
    return lambda _, setting: plain(correlation=setting.correlation)


def _excited(samples: Sequence[Samples], model: TorqueModel, options: IdentifyOptions) -> tuple[str, ...]:
    """(2), for the plainest of the models."""
    parts = [joint_factors(model.regressor(s)[s.thinned], s.tau[s.thinned]) for s in samples]
    whole = parts[0].merged(*parts[1:])
    # Further terms of friction may have nothing to say: a joint without load has no friction from it.
    kept = [k for k, name in enumerate(model.names) if not name.startswith(_FURTHER)]
    names = [model.names[k] for k in kept]
    factors = JointFactors(whole.triangles[:, :, [*kept, whole.size]], whole.count)
    if not options.partial:
        check_excitation(factors, names, samples[0].source)
        return ()
    lost = not_excited(factors.weighted(1.0 / np.sqrt(whole.torque_squares + np.finfo(float).tiny)), names)
    return (f"not identified by these logs: {', '.join(lost)}",) if lost else ()


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
    choice: Choice,
    rows: list[tuple[Array, Array]],
    estimator: Estimator,
    whole: JointFactors,
    fitted: list[LogError],
    checks: list[LogError],
    options: IdentifyOptions,
    cutoff: float,
    notes: tuple[str, ...],
) -> Estimate:
    """(4)."""
    model, x = choice.model, estimator.x_
    peaks = np.max([np.abs(a).max(axis=0) for a, _ in rows], axis=0)
    torque_peaks = np.max([np.abs(tau).max(axis=0) for _, tau in rows], axis=0)
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
        validation_error=choice.error,
        condition=found.plain,
        unit_condition=found.unit_columns,
        physically_consistent=estimator.physically_consistent_ if isinstance(estimator, PriorEstimator) else False,
        estimator=str(options.method),
        strength=choice.strength if drawn else None,
        cutoff=cutoff,
        verdict=verdict(
            model.names,
            x,
            deviations,
            list(important),
            training=error,
            validation=choice.error,
            predicted={check.file: check.relative_error for check in checks},
        ),
        notes=notes,
    )
