"""Simplified models of a robot for a specification, and the trade-off curve of error against operations.

:mod:`torquec.simplification.pipeline` finds, proves and checks the programs; `simplify` makes a model of them. Inverse
dynamics is the certified program, and every other quantity follows from it. Control requirements (Chang & Lee) give two
models: the first by torque, the second, `model.coefficients`, made of the fitted coefficients M, c and g. A threshold
(Clover) gives one, made of the abbreviated coefficients.

The trade-off curve solves the same specification at several levels of its allowed error; each level is a certified
model, and the exact model is the end of the curve. A model found for a small error also meets a larger allowed error,
so a level never costs more than one below it: the search is a heuristic, the curve its lower hull. The cheapest model
that meets the specification may thus come from another level: it is `TradeOff.best`.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace

from torquec.errors import ArgumentError, RefusedQuantityError, RobotError, SpecificationError
from torquec.expr import Function, OperationCount, count_operations, operation_cost
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work, as_work
from torquec.model.model import Model, as_model, compile
from torquec.model.model_kinds import certified_model
from torquec.model.quantities import trace_quantity
from torquec.model.routes import Route, route_function
from torquec.proof.torque.certificate import Counts
from torquec.robot.robot import Robot
from torquec.simplification.pipeline import meet_specification, simplify_and_check
from torquec.simplification.problem import Simplified
from torquec.simplification.specification import JointRequirement, Specification, load_specification
from torquec.simplification.specification_text import specification_text
from torquec.simplification.torque_coefficients import TorqueCoefficients, torque_coefficients

Equations = Callable[[], TorqueCoefficients]
"""A call that returns the exact equations, which another worker may be computing already."""

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Levels of the allowed error, as multiples of the specification's."""


def simplify(
    source: Robot | Model,
    specification: Specification | str | os.PathLike[str],
    *,
    seconds: float | None = None,
    budget: Budget | None = None,
    work: Work | None = None,
    executor: Executor | None = None,
    progress: Callable[[str], None] | None = None,
    on_proven: Callable[[Model], None] | None = None,
) -> Model:
    """The cheapest model found that meets the specification; proof and operation savings are in `model.record`.

    `seconds` limits the search: the cheapest model that is proven by then is the result, at worst the exact one; a
    proof that has begun may take a quarter longer. `budget` also limits memory and workers; give only one of the two.

    `source` is a robot, or an exact or identified model with bodies, whose parameters and covariance stay with
    the result; the proof is about its robot. Raises `RefusedQuantityError` for a model that already follows a program.
    `work` sets executor, progress reports and result cache (:mod:`torquec.foundation.work`); `executor` and
    `progress` are shorthands for a `work` with these. `on_proven` is called during the search with every model whose
    torque errors are proven, each cheaper than the one before.

    Raises `SpecificationError` with joint, tolerance and smallest achievable error where the specification cannot be
    met, and `RobotError` where the robot has mimic joints and the specification is about coefficients.
    """
    if seconds is not None and budget is not None:
        raise ArgumentError("seconds and a budget are given", remedy="give Budget.after(seconds, ..) alone")
    model, task = _with_bodies(source), as_work(work, executor=executor, progress=progress)
    robot = model.robot
    stated = specification if isinstance(specification, Specification) else load_specification(specification, robot)
    given = (budget or Budget.after(seconds)).within(task.budget)
    with task.within(given), task.ahead(exact_equations, robot) as before:
        early = None if on_proven is None else lambda found: on_proven(_finished(model, found, before))
        exact = trace_quantity(robot, "inverse_dynamics")
        return _finished(model, meet_specification(robot, exact, stated, on_proven=early, work=task), before)


def simplified_and_checked(
    source: Robot | Model,
    specification: Specification,
    budget: Budget,
    *,
    work: Work,
    check: bool = True,
    on_proven: Callable[[Simplified], None] | None = None,
    only_simpler: bool = False,
) -> tuple[Model, bool] | None:
    """The simplified model (:func:`torquec.simplification.pipeline.simplify_and_check`), and whether its proof was
    checked with independent code.

    With `only_simpler`, None where no proven model is cheaper than the exact program.
    """
    model = _with_bodies(source)
    robot = model.robot
    exact = trace_quantity(robot, "inverse_dynamics")
    compared = operation_cost(_cheapest_exact(robot)) if only_simpler else None
    with work.within(budget), work.ahead(exact_equations, robot) as before:
        found = simplify_and_check(
            robot, exact, specification, work=work, check=check, on_proven=on_proven, simpler_than=compared
        )
        if found is None:
            return None
        with work.step("writing down its equations"):
            return _finished(model, found, before), found.checked


def _with_bodies(source: Robot | Model) -> Model:
    model = as_model(source, any_joint=True)
    if model.kind.follows_program:
        raise RefusedQuantityError(
            f"a model of kind '{model.kind}' is simplified already",
            remedy="simplify its robot, model.robot, or the exact model, model.exact",
        )
    return model


def _finished(model: Model, found: Simplified, before: Equations | None = None) -> Model:
    return replace(simplified_model(model.robot, found, before), parameters=model.parameters)


def simplified_model(robot: Robot, found: Simplified, before: Equations | None = None) -> Model:
    """The certified model with its operation savings; `before` gives the exact equations."""
    counts = counts_of(robot, found.certificate.program, before)
    parts = {} if found.coefficients is None else found.coefficients.parts()
    return certified_model(robot, replace(found.certificate, counts=counts), parts=parts)


def counts_of(robot: Robot, program: Function, before: Equations | None = None) -> Counts:
    """Savings of a simplified program over the cheapest exact one: terms and operations of both."""
    exact = _cheapest_exact(robot)
    return Counts(*_terms(robot, program, before), count_operations(exact), count_operations(program))


def _cheapest_exact(robot: Robot) -> Function:
    return route_function(robot, "inverse_dynamics", Route.AUTOMATIC)


_COMPARED: dict[tuple[Robot, Function], tuple[TorqueCoefficients, TorqueCoefficients]] = {}
"""Cache of the last two results: callers first count the terms, then list them; seven joints take half a minute."""


def compared_coefficients(
    robot: Robot, program: Function, before: Equations | None = None
) -> tuple[TorqueCoefficients, TorqueCoefficients]:
    """The equations of the exact torques, from `before` where that is given, and of a program's.

    Raises `RobotError` where they cannot be written down.
    """
    found = _COMPARED.get((robot, program))
    if found is None:
        exact = exact_equations(robot) if before is None else before()
        found = exact, torque_coefficients(robot, program, like=exact)
        for oldest in list(_COMPARED)[:-1]:
            _COMPARED.pop(oldest, None)
        _COMPARED[robot, program] = found
    return found


def exact_equations(robot: Robot) -> TorqueCoefficients:
    """The equations of the exact torques; raises `RobotError` where they cannot be written down."""
    return torque_coefficients(robot, trace_quantity(robot, "inverse_dynamics"))


def _terms(robot: Robot, program: Function, before: Equations | None) -> tuple[int | None, int | None]:
    """Terms of M, B, D and g of the exact and of the simplified torques; None where they cannot be written down."""
    try:
        exact, after = compared_coefficients(robot, program, before)
    except RobotError:
        return None, None
    return sum(exact.terms.values()), sum(after.terms.values())


@dataclass(frozen=True)
class TradeOffPoint:
    """Point of the trade-off curve: factor on the specified error (0: exact), operations, proven torque errors.

    `bounds` [N m, N] by joint. `level` is the largest of them relative to the specification's allowed error (to the
    bounds at factor 1, where it states no torque errors); it is at most the factor.
    """

    factor: float
    operations: OperationCount
    bounds: Mapping[str, float]
    level: float

    @property
    def cost(self) -> int:
        """Multiplications and additions."""
        return self.operations.mul + self.operations.add


@dataclass(frozen=True)
class TradeOff:
    """Points by rising factor, the exact model first; `missed` are factors for which no model was proven, and why.

    `best` is the cheapest model of all levels that meets the specification, None where no simplified model does.
    """

    robot: str
    points: tuple[TradeOffPoint, ...]
    tolerances: Mapping[str, float]
    missed: Mapping[float, str]
    best: Model | None = field(default=None, compare=False, repr=False)

    @property
    def hull(self) -> tuple[TradeOffPoint, ...]:
        """Points that no point with a smaller error undercuts."""
        kept: list[TradeOffPoint] = []
        for point in self.points:
            if not kept or point.cost < kept[-1].cost:
                kept.append(point)
        return tuple(kept)


def trade_off(
    robot: Robot,
    specification: Specification | str | os.PathLike[str],
    *,
    factors: Sequence[float] = FACTORS,
    known: Mapping[float, Model] | None = None,
    work: Work | None = None,
    executor: Executor | None = None,
    progress: Callable[[str], None] | None = None,
) -> TradeOff:
    """Certified models of a robot at multiples of a specification's allowed errors.

    `known` are models that were simplified before, by factor. Each level is one task of the `work`; `executor` and
    `progress` are shorthands for a `work` with these.
    Raises `ArgumentError` for factors that are not positive; a level that cannot be proven is left out and named.
    """
    stated = specification if isinstance(specification, Specification) else load_specification(specification, robot)
    wanted = sorted({float(factor) for factor in factors} | {1.0})
    if not all(0.0 < factor < float("inf") for factor in wanted):
        raise ArgumentError(f"factors of the allowed error are {list(factors)}", remedy="give positive numbers")
    given = {float(factor): model for factor, model in (known or {}).items()}
    asked = [factor for factor in wanted if factor not in given]
    tasks = [(robot, stated, factor) for factor in asked]
    outcomes = as_work(work, executor=executor, progress=progress).map(
        "simplifying for other errors", _level, tasks, note=lambda task, outcome: _note(task[2], outcome)
    )
    models, missed = dict(given), {}
    for factor, outcome in zip(asked, outcomes, strict=True):
        if isinstance(outcome, str):
            missed[factor] = outcome
        else:
            models[factor] = simplified_model(robot, outcome)
    stated_errors = {j.name: j.torque_error for j in stated.joints if j.torque_error is not None}
    all_stated = len(stated_errors) == robot.n
    tolerances = stated_errors if all_stated else _bounds(models[1.0]) if 1.0 in models else {}
    exact = compile(robot).operation_count("inverse_dynamics")
    points = [TradeOffPoint(0.0, exact, dict.fromkeys(robot.coordinate_names, 0.0), 0.0)]
    for factor in sorted(models):
        bounds = _bounds(models[factor])
        level = max((bounds[n] / t for n, t in tolerances.items() if n in bounds and t > 0.0), default=factor)
        points.append(TradeOffPoint(factor, models[factor].operation_count("inverse_dynamics"), bounds, level))
    # A smaller error than the stated one meets the specification; a larger one does where its proven torque errors do.
    meeting = [point for point in points[1:] if point.factor <= 1.0 or (all_stated and point.level <= 1.0)]
    cheapest = min(meeting, key=lambda point: (point.operations.cost, point.level), default=None)
    best = None if cheapest is None else models[cheapest.factor]
    return TradeOff(robot.name, tuple(points), tolerances, missed, best)


def scaled(specification: Specification, factor: float) -> Specification:
    """The specification with every allowed error multiplied by a factor; speeds and ranges stay."""

    def joint(requirement: JointRequirement) -> JointRequirement:
        control = requirement.control
        if control is not None:
            control = dataclasses.replace(
                control,
                step_error=factor * control.step_error,
                ramp_error=factor * control.ramp_error,
                parabolic_error=factor * control.parabolic_error,
            )
        error = None if requirement.torque_error is None else factor * requirement.torque_error
        return dataclasses.replace(requirement, torque_error=error, control=control)

    threshold = specification.coefficients
    if threshold is not None:
        threshold = dataclasses.replace(threshold, threshold=factor * threshold.threshold)
    return dataclasses.replace(
        specification, joints=tuple(joint(requirement) for requirement in specification.joints), coefficients=threshold
    )


def restated(model: Model, stated: Specification) -> Model:
    """A model of another level with its certificate restated for the specified torque errors, which its bounds meet.

    A model for control requirements or for a threshold, whose bounds are of another kind, stays as it is.
    """
    allowed = {joint.name: joint.torque_error for joint in stated.joints}
    record = model.record
    if record is None or stated.coefficients is not None or None in allowed.values():
        return model
    joints = {name: dataclasses.replace(proof, tolerance=allowed[name]) for name, proof in record.joints.items()}
    text = specification_text(model.robot, stated)
    return dataclasses.replace(model, record=dataclasses.replace(record, joints=joints, specification=text))


def _bounds(model: Model) -> dict[str, float]:
    """Proven torque errors by joint, as far as the model's record has them."""
    proofs = getattr(model.record, "joints", None) or {}
    return {name: proof.bound for name, proof in proofs.items()}


def _note(factor: float, outcome: Simplified | str) -> str:
    reached = outcome if isinstance(outcome, str) else count_operations(outcome.certificate.program)
    return f"{factor:g} x the error: {reached}"


def _level(task: tuple[Robot, Specification, float]) -> Simplified | str:
    """One level: its result, or why there is none."""
    robot, specification, factor = task
    try:
        exact = trace_quantity(robot, "inverse_dynamics")
        return meet_specification(robot, exact, scaled(specification, factor))
    except (RobotError, SpecificationError) as error:
        return str(error.found)
