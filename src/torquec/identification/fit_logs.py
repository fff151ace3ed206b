"""From the rows of logs to an `Estimate`, whether the logs are in memory or stream.

(1)  logs that excite too little are refused with what they can identify, unless a part is enough
(2)  rotor inertias, the law of friction, weights and the strength of the prior are chosen by cross-validation
     (`model_choice`)
(3)  the chosen estimator is fitted to everything, and statistics follow

Rows of a log are blocks (A (N, n, k), tau (N, n)) that can be gone through several times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.identification.estimators.cross_validation import PARTS
from torquec.identification.estimators.estimator import Estimator, Status
from torquec.identification.estimators.joint_factors import JointFactors, joint_factors
from torquec.identification.estimators.least_squares import HuberLeastSquares
from torquec.identification.estimators.prior_estimators import PriorEstimator
from torquec.identification.estimators.pseudo_inertia import body_parameters
from torquec.identification.estimators.statistics import check_excitation, conditions, not_excited, significant, verdict
from torquec.identification.identify_options import IdentifyOptions, Method, freedom_of, maker_of
from torquec.identification.model_choice import Choice, FoldSource, Setting, choose_model
from torquec.identification.result.estimate import Estimate, LogError, Parameter
from torquec.identification.result.residuals import log_error
from torquec.identification.torque.torque_columns import FrictionTerm
from torquec.identification.torque.torque_model import TorqueModel
from torquec.robot.robot import Robot

_FURTHER = tuple(f"{term}_" for term in FrictionTerm)
_UNSOLVED = {
    Status.NOT_CONVERGED: "the estimator has not converged: what it found is not the best fit",
    Status.RANK_DEFICIENT: "the logs do not determine all parameters: of many equal fits, this is the shortest",
}

Rows = Iterable[tuple[Array, Array]]
"""Blocks of A (N, n, k) and tau (N, n); may be gone through again."""


@dataclass(frozen=True)
class LogRows:
    """What is fitted or predicted: the name of a log, and its rows for a model."""

    source: str
    rows: Callable[[TorqueModel], Rows]


def check_prior(robot: Robot, options: IdentifyOptions) -> None:
    """Raise `ArgumentError` where the method draws to inertias that the robot's file does not have."""
    masses = body_parameters(robot)[:, -1]
    lacking = [body.name for body, mass in zip(robot.bodies, masses, strict=True) if not mass > 0.0]
    if options.method.needs_prior and lacking:
        raise ArgumentError(
            f"the method '{options.method}' draws to the robot's own inertias, but '{robot.name}' has no mass for "
            + ", ".join(lacking),
            remedy=f"use --method {Method.WEIGHTED}, which needs none, or give a robot file with all masses",
        )


def fit_logs(
    robot: Robot,
    logs: Sequence[LogRows],
    others: Sequence[LogRows],
    folds: FoldSource,
    options: IdentifyOptions,
    *,
    correlation: float,
    cutoff: float,
    notes: tuple[str, ...],
) -> Estimate:
    """The estimate (1)-(3) from `logs`; `others` are only predicted. `folds` are those of the logs.

    `correlation` is that of all samples of `logs`. Raises as `identify` does.
    """
    check_prior(robot, options)
    freedom = freedom_of(robot, options)
    notes += _excited(folds.folds(freedom.models[0], PARTS).whole, freedom.models[0], options, logs[0].source)
    choice = choose_model(folds, freedom, maker_of(options.method))
    model = choice.model
    fitted = [log.rows(model) for log in logs]
    totals = [_totals(rows) for rows in fitted]
    whole = totals[0].factors.merged(*(total.factors for total in totals[1:]))
    estimator: Estimator
    if options.method is Method.HUBER:
        every = [block for rows in fitted for block in rows]
        estimator = HuberLeastSquares(correlation=correlation)
        estimator.fit(np.concatenate([a for a, _ in every]), np.concatenate([tau for _, tau in every]))
    else:
        setting = Setting(choice.strength, choice.weighting, correlation)
        estimator = maker_of(options.method)(model, setting).fit_factors(whole)
    joints, x = robot.joint_names, estimator.x_
    return _estimate(
        choice,
        estimator,
        whole,
        totals,
        [log_error(log.source, joints, rows, x) for log, rows in zip(logs, fitted, strict=True)],
        [log_error(log.source, joints, log.rows(model), x) for log in others],
        options,
        cutoff,
        notes,
    )


@dataclass(frozen=True, eq=False)
class _Totals:
    """Factors of a log's rows, the largest |A_jk| (n, k) and the largest |tau_j| (n,)."""

    factors: JointFactors
    peaks: Array
    torque_peaks: Array


def _totals(rows: Rows) -> _Totals:
    total: _Totals | None = None
    for a, tau in rows:
        own = _Totals(joint_factors(a, tau), np.abs(a).max(axis=0), np.abs(tau).max(axis=0))
        total = (
            own
            if total is None
            else _Totals(
                total.factors.merged(own.factors),
                np.maximum(total.peaks, own.peaks),
                np.maximum(total.torque_peaks, own.torque_peaks),
            )
        )
    if total is None:
        raise ArgumentError("there are no samples to fit", remedy="give at least one log that moves")
    return total


def _excited(whole: JointFactors, model: TorqueModel, options: IdentifyOptions, where: str) -> tuple[str, ...]:
    """(1), for the plainest of the models and decimated samples."""
    if not np.any(whole.torque_squares > 0.0):
        raise ArgumentError(
            "all torques are zero", where=where, remedy="record torques or currents, or name their columns in a map"
        )
    # Further terms of friction may have nothing to say: a joint without load has no friction from it.
    kept = [k for k, name in enumerate(model.names) if not name.startswith(_FURTHER)]
    names = [model.names[k] for k in kept]
    factors = JointFactors(whole.triangles[:, :, [*kept, whole.size]], whole.count)
    if not options.partial:
        check_excitation(factors, names, where)
        return ()
    lost = not_excited(factors.weighted(1.0 / np.sqrt(whole.torque_squares + np.finfo(float).tiny)), names)
    return (f"not identified by these logs: {', '.join(lost)}",) if lost else ()


def _estimate(
    choice: Choice,
    estimator: Estimator,
    whole: JointFactors,
    totals: Sequence[_Totals],
    fitted: list[LogError],
    checks: list[LogError],
    options: IdentifyOptions,
    cutoff: float,
    notes: tuple[str, ...],
) -> Estimate:
    """(3)."""
    model, x = choice.model, estimator.x_
    peaks = np.max([total.peaks for total in totals], axis=0)
    torque_peaks = np.max([total.torque_peaks for total in totals], axis=0)
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
            problem=_UNSOLVED.get(estimator.status_, ""),
        ),
        status=estimator.status_,
        notes=(*notes, *([_UNSOLVED[estimator.status_]] if estimator.status_ in _UNSOLVED else [])),
    )
