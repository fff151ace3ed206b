"""`identify`: from a robot and logs to an `Estimate`.

(1)  logs are checked and prepared, in memory or in pieces (`open_logs`); on demand the direction of gravity is fitted
(2)  poorly exciting logs are refused, with a list of the identifiable parameters, unless `partial` is set
(3)  rotor inertias, the law of friction, weights and the strength of the prior are chosen by cross-validation
     (`model_choice`)
(4)  the chosen estimator is fitted to all logs; standard deviations are those of the block jackknife
(5)  load-dependent friction is refitted with the rigid-body torques of the previous fit until they converge, so that
     the result is one robot whose total torque is the prediction
(6)  held-out parts of the motion are predicted (`held_out`): the expected error on another motion, and bounds of the
     residual

The error everywhere: |tau - predicted| / |tau| over all joints and samples, both low-passed, half a second cut at each
end.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Meter, Work, WorkStep, as_work
from torquec.identification.estimators.cross_validation import LogFolds
from torquec.identification.estimators.estimator import Estimator, Needs, Status
from torquec.identification.estimators.held_out import FAR_PARTS, NEAR_PARTS, HeldOut, expectation, held_out
from torquec.identification.estimators.joint_factors import JointFactors
from torquec.identification.estimators.method import check_prior, estimator_maker
from torquec.identification.estimators.model_choice import Choice, choose_model
from torquec.identification.estimators.prior_estimators import PriorEstimator
from torquec.identification.estimators.row_totals import LogRows, RowTotals, instruments, model_totals
from torquec.identification.estimators.statistics import (
    check_excitation,
    conditions,
    interval_factor,
    jackknife_covariance,
    not_excited,
    significant,
    stretches,
    with_least_variances,
)
from torquec.identification.identify_options import IdentifyOptions, freedom_of
from torquec.identification.logs.fit_motion import fit_motion
from torquec.identification.logs.gravity_direction import gravity_direction
from torquec.identification.logs.log_source import LogSource, each_log, sample_correlation
from torquec.identification.open_logs import LogOrPath, OpenLogs, open_logs
from torquec.identification.result.estimate import Estimate, LogError
from torquec.identification.result.prediction import log_error
from torquec.identification.result.verdict import Expected, Parameter, PredictedLog, Promise, judge
from torquec.identification.torque.torque_model import TorqueModel, dependences, inseparable
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.log_map import LogMap

_DEFAULT = IdentifyOptions()
_FEW_AT_STANDSTILL = 0.05  # of a joint's samples: fewer are not worth a note
_GRAVITY_ROWS = 600  # samples that a direction is fitted to
_LOAD_FITS = 20  # most refits of load-dependent friction, which converges in a few
_SAME_LOAD = 1e-10
"""Convergence tolerance of (5), change of parameters relative to the largest: each change is some per cent of the
previous one, so the next would be below solver rounding. (5) also ends where changes stop decreasing."""

_UNSOLVED = {
    Status.NOT_CONVERGED: "the estimator has not converged: its result is not the best fit",
    Status.RANK_DEFICIENT: "the logs do not determine all parameters: this is the minimum-norm solution",
}


def identify(
    robot: Robot,
    logs: Sequence[LogOrPath] | LogOrPath,
    *,
    validate: Sequence[LogOrPath] = (),
    log_map: LogMap | None = None,
    options: IdentifyOptions = _DEFAULT,
    work: Work | None = None,
) -> Estimate:
    """Identify the parameters of a robot from logs or log files; `validate` are logs that are only predicted.

    `log_map` gives the meaning of the columns of files. Logs larger than memory, or all logs where the options say so,
    are processed in pieces, with the same result. Files that are read in pieces are processed in parallel by the
    executor of `work`, one task per file, with the same result.

    Raises `ArgumentError` for logs with errors, for logs of different joints, for options that logs in pieces do not
    support and, unless `partial` is set, for poorly exciting motions (with the list of identifiable parameters); as
    `read_log` does for files; `MissingExtraError` without scipy, or without clarabel where it is needed.
    """
    given = [logs] if isinstance(logs, Log | str | os.PathLike) else list(logs)
    with one_thread():
        work = as_work(work)
        opened = open_logs(robot, given, validate=list(validate), log_map=log_map, options=options, work=work)
        if options.fit_gravity:
            with work.step("fitting the direction of gravity"):
                opened = _under_fitted_gravity(opened)
        return _identified(opened, options, work)


def _under_fitted_gravity(logs: OpenLogs) -> OpenLogs:
    """The logs, and the robot under the gravity that explains them best (`gravity_direction`)."""
    motions = []
    for log in logs.fitted:
        step, seen = max(1, log.used * len(logs.fitted) // _GRAVITY_ROWS), 0
        for block in log.blocks():
            used = np.flatnonzero(block.used)
            motions.append(fit_motion(block, used[-seen % step :: step]))
            seen += len(used)
    independent = sum(2.0 * log.cutoff * log.used / log.rate for log in logs.fitted)
    found = gravity_direction(logs.robot, motions, independent=independent)
    robot = dataclasses.replace(logs.robot, gravity=found.gravity)
    note = f"{found}; a URDF cannot store it: load it with --gravity {','.join(f'{g:.6g}' for g in found.gravity)}"
    return dataclasses.replace(logs, robot=robot, notes=(*logs.notes, note))


def _identified(logs: OpenLogs, options: IdentifyOptions, work: Work) -> Estimate:
    """(2)-(4)."""
    check_prior(logs.robot, options.method)
    freedom, folds = freedom_of(logs.robot, options), LogFolds(logs.fitted, work=work)
    plainest = freedom.models[0]
    with work.step("checking what the logs excite") as step:
        whole = folds.folds([plainest], 1, meter=step.meter)[0].whole
        notes = (*logs.notes, *_check_excitation(whole, plainest, options, logs))
    choice = choose_model(folds, freedom, estimator_maker(options.method, from_factors=True), work=work)
    with work.step("fitting everything", whole=1.0 + _LOAD_FITS * choice.model.friction.reads_load) as step:
        fit = _fitted(choice, logs, options, work)
        step.show(1.0)
        if choice.model.friction.reads_load:
            fit = _with_own_load(fit, logs, options, step, work)
        step.show(step.whole)
    with work.step("leaving out a second at a time") as step:
        spread, factor = _scatter(fit, folds, options, step.meter)
    # The jackknife covers slow model errors; the estimator's covariance covers noise, the prior's own error and
    # differences between settings.
    estimator = fit.estimator
    own = prior_too = np.diag(estimator.covariance_)
    if isinstance(estimator, PriorEstimator):
        own = np.diag(estimator.sampling_covariance(fit.totals.factors))
    sampling = np.maximum(own, spread)
    covariance = with_least_variances(
        estimator.covariance_, np.maximum(own, factor * spread) + np.maximum(prior_too - own, 0.0)
    )
    with work.step("holding out parts of the motion"):
        held = _held_out(fit, folds, options, FAR_PARTS)
        near = _held_out(fit, folds, options, NEAR_PARTS) if len(folds.motions) == 1 else None
        promise = _promise(held, near, fit, covariance)
        notes += _warming_note(held)
    with work.step("predicting the logs"):
        found = _estimate(fit, covariance, logs, options, promise, notes, work=work)
    bounds = held.bounds(folds.standstill, _dry_friction(fit), runs=len(folds.logs))
    return dataclasses.replace(found, residual=bounds, sampling_std=np.sqrt(sampling))


@dataclass(frozen=True, eq=False)
class _Fit:
    """The chosen model, its fitted estimator, and the totals of the fitted rows."""

    choice: Choice
    estimator: Estimator
    totals: RowTotals


def _fitted(choice: Choice, logs: OpenLogs, options: IdentifyOptions, work: Work) -> _Fit:
    """The chosen estimator, fitted to all logs (4)."""
    totals = model_totals(logs.fitted, choice.model, work=work)
    correlation = max(sample_correlation(log, log.used) for log in logs.fitted)
    estimator = estimator_maker(options.method)(choice.model, choice.with_correlation(correlation))
    _fit(estimator, choice.model, logs.fitted, totals.factors)
    return _Fit(choice, estimator, totals)


def _with_own_load(fit: _Fit, logs: OpenLogs, options: IdentifyOptions, step: WorkStep, work: Work) -> _Fit:
    """(5): the fit whose load-dependent friction uses its own rigid-body torques."""
    last = np.inf
    for k in range(_LOAD_FITS):
        model, before = fit.choice.model, fit.estimator.x_
        model = model.with_load_of(before[: len(model.base)])
        fit = _fitted(dataclasses.replace(fit.choice, model=model), logs, options, work)
        change = float(np.max(np.abs(fit.estimator.x_ - before)) / np.max(np.abs(before)))
        if change <= _SAME_LOAD or change >= last:
            break
        last = change
        step.show(k + 2.0)
    return fit


def _check_excitation(
    whole: JointFactors, model: TorqueModel, options: IdentifyOptions, logs: OpenLogs
) -> tuple[str, ...]:
    """(2), for the simplest of the models and decimated samples."""
    where = logs.fitted[0].source
    if not np.any(whole.torque_squares > 0.0):
        raise ArgumentError(
            "all torques are zero", where=where, remedy="record torques or currents, or name their columns in a map"
        )
    # Refined friction terms may be unexcited: a joint without load has no load-dependent friction.
    kept = [k for k, kind in enumerate(model.kinds) if not kind.is_refinement]
    names = [model.names[k] for k in kept]
    factors = whole.of_columns(kept)
    null = dependences(model)
    structural = null[:, kept]
    together = inseparable(null, model.names)
    notes = (f"no motion separates {', '.join(together)}: only their combinations affect torques",) if together else ()
    if not options.partial:
        check_excitation(factors, names, where, structural=structural)
        return notes
    weights = 1.0 / np.sqrt(whole.torque_squares + np.finfo(float).tiny)
    lost = not_excited(factors.weighted(weights), names, structural)
    return (*notes, f"not identified by these logs: {', '.join(lost)}") if lost else notes


def _not_excited_beside(totals: RowTotals, model: TorqueModel) -> tuple[str, ...]:
    """Parameters that the logs do not identify, without those that no motion identifies."""
    return not_excited(totals.factors.weighted(np.ones(totals.factors.n)), model.names, dependences(model))


def _fit(estimator: Estimator, model: TorqueModel, logs: Sequence[LogSource], factors: JointFactors) -> None:
    """Fit an estimator with the data that it needs (4)."""
    if estimator.needs is Needs.FACTORS:
        estimator.fit_factors(factors)
        return
    rows = [block for log in logs for block in LogRows(log, model)]
    a, tau = (np.concatenate(column) for column in zip(*rows, strict=True))
    if estimator.needs is Needs.ROWS:
        estimator.fit(a, tau)
    else:
        estimator.fit(a, tau, np.concatenate([instruments(model, log) for log in logs]))


def _scatter(fit: _Fit, folds: LogFolds, options: IdentifyOptions, meter: Meter) -> tuple[Array, float]:
    """Variances (k,) of the block jackknife (4) over time and phases of repeated motions, and `interval_factor`."""
    choice, found = fit.choice, []
    make = estimator_maker(options.method, from_factors=True)
    settings = choice.with_correlation(folds.correlation)
    for phases in (False, True) if any(folds.periods) else (False,):
        periods = folds.periods if phases else (None,) * len(folds.logs)
        seconds = [period or log.used / log.rate for log, period in zip(folds.logs, periods, strict=True)]
        count = stretches([max(seconds[k] for k in motion) for motion in folds.motions])
        made = folds.folds([choice.model], count, phases=phases)[0]
        together = [own for motion in made.motions for own in zip(*(made.parts[k] for k in motion), strict=True)]
        parts = [own[0].whole.merged(*(part.whole for part in own[1:])) for own in together]
        covariance = jackknife_covariance(parts, lambda: make(choice.model, settings), meter=meter)
        found.append(np.diag(covariance))
    variances: Array = np.max(found, axis=0)
    return variances, interval_factor(len(parts))


def _held_out(fit: _Fit, folds: LogFolds, options: IdentifyOptions, parts: int) -> HeldOut:
    """Residuals of fits that have not seen them (6), a single motion cut into `parts`."""
    choice = fit.choice
    settings = choice.with_correlation(folds.correlation)
    make = estimator_maker(options.method, from_factors=True)
    return held_out(folds, choice.model, lambda: make(choice.model, settings), fit.estimator.x_, parts=parts)


def _predicted(
    log: LogSource, model: TorqueModel, error: LogError, covariance: Array, fitted: Sequence[LogError]
) -> PredictedLog:
    """The prediction error of a validation log."""
    factors = model_totals([log], model).factors
    spread = np.einsum("jik,kl,jil->", factors.triangles[:, :, :-1], covariance, factors.triangles[:, :, :-1])
    uncertainty = float(np.sqrt(max(spread, 0.0) / factors.torque_squares.sum()))
    usual = max(one.variation for one in fitted)
    return PredictedLog(log.source, error.relative_error, uncertainty, error.variation / max(usual, 1e-9))


def _dry_friction(fit: _Fit) -> Array:
    """The largest dry friction (n,) of every joint in the logs, for the standstill bound of the residual."""
    dry = np.array([kind.is_dry for kind in fit.choice.model.kinds])
    largest: Array = (fit.totals.peaks * np.abs(fit.estimator.x_))[:, dry].sum(axis=1)
    return largest


def _promise(far: HeldOut, near: HeldOut | None, fit: _Fit, covariance: Array) -> Promise:
    """The expected error on another motion (6)."""
    model, found = fit.choice.model, expectation(far, near)
    joints = {
        name: Expected(float(rms), float(relative))
        for name, rms, relative in zip(far.joints, found.rms, found.relative, strict=True)
    }
    top = np.abs(far.qd).max(axis=0)
    fastest = int(np.argmax(top))
    speed = f"{top[fastest]:.2g} {model.robot.coordinates[fastest].speed_unit}"
    return Promise(found.error, joints, speed, far.range_uncertainty(model, fit.estimator.x_, covariance))


def _model_error(log: LogSource, model: TorqueModel, x: Array) -> LogError:
    """The error of x (k,) on one log."""
    return log_error(log.source, model.robot.joint_names, LogRows(log, model), x)


def _joint_error(logs: Sequence[LogSource], errors: Sequence[LogError]) -> float:
    """|tau - predicted|/|tau| over all logs, from that of each."""
    squares = [log.used * sum(value**2 for value in one.rmse.values()) for log, one in zip(logs, errors, strict=True)]
    torques = [square / max(one.relative_error, 1e-300) ** 2 for square, one in zip(squares, errors, strict=True)]
    return float(np.sqrt(sum(squares) / sum(torques))) if sum(squares) > 0.0 else 0.0


def _warming_note(held: HeldOut) -> tuple[str, ...]:
    """Friction that falls within a log."""
    lost = f"friction falls by {-held.warming:.1%} within a log: the drives were warming up, and another motion will"
    return (f"{lost} have less friction; record with warm drives",) if held.warming else ()


def _standstill_note(totals: RowTotals, logs: OpenLogs) -> tuple[str, ...]:
    """Number of rows of each joint that were left out because the joint stood still."""
    rows, count = totals.factors.rows, totals.factors.count
    if rows is None:
        return ()
    shares = {name: 1.0 - own / count for name, own in zip(logs.robot.joint_names, rows.tolist(), strict=True)}
    told = [f"{share:.0%} of {name}" for name, share in shares.items() if share >= _FEW_AT_STANDSTILL]
    return (f"left out of the fit, joint at standstill: {', '.join(told)}",) if told else ()


def _estimate(
    fit: _Fit,
    covariance: Array,
    logs: OpenLogs,
    options: IdentifyOptions,
    promise: Promise,
    notes: tuple[str, ...],
    *,
    work: Work,
) -> Estimate:
    """(4)."""
    choice, estimator, totals = fit.choice, fit.estimator, fit.totals
    model, x = choice.model, estimator.x_
    important = significant(totals.peaks, totals.torque_peaks, x)
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    together = inseparable(dependences(model), model.names)
    parameters = tuple(
        Parameter(name, float(value), float(deviation), bool(matters), name not in together)
        for name, value, deviation, matters in zip(model.names, x, deviations, important, strict=True)
    )
    found = conditions(totals.factors.weighted(np.ones(totals.factors.n)))
    fitted, predicted = (
        tuple(each_log(work, "predicting each log", _model_error, group, model, x))
        for group in (logs.fitted, logs.predicted)
    )
    error = _joint_error(logs.fitted, fitted)
    drawn = estimator if isinstance(estimator, PriorEstimator) else None
    # A minimum-norm solution is no problem where all solutions give equal torques on every motion.
    notes += _standstill_note(totals, logs)
    excused = estimator.status_ is Status.RANK_DEFICIENT and together and not _not_excited_beside(totals, model)
    problem = "" if excused else _UNSOLVED.get(estimator.status_, "")
    return Estimate(
        model=model,
        x=x,
        covariance=covariance,
        standard=None if drawn is None else drawn.y_,
        parameters=parameters,
        training=fitted,
        validation=predicted,
        relative_error=error,
        validation_error=choice.error,
        condition=found.plain,
        unit_condition=found.unit_columns,
        physically_consistent=False if drawn is None else drawn.physically_consistent_,
        estimator=str(options.method),
        strength=None if drawn is None else choice.strength,
        cutoff=logs.cutoff,
        verdict=judge(
            parameters,
            training=error,
            promise=promise,
            predicted=[
                _predicted(log, model, error, covariance, fitted)
                for log, error in zip(logs.predicted, predicted, strict=True)
            ],
            problem=problem,
        ),
        promise=promise,
        status=estimator.status_,
        notes=(*notes, *([problem] if problem else [])),
    )
