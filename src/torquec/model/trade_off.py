"""Trade-off curve: what a smaller error costs in operations, and what a larger one saves.

The same specification is asked for at several levels of its allowed error; each level is a certified model, and the
exact model is the end of the curve. A model that was found for a small error also serves a larger one, so a level never
costs more than one below it: the search is a heuristic, the curve is its lower hull. For the same reason the cheapest
model that meets the specification may be one of another level: it is `TradeOff.best`.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from torquec.errors import ArgumentError, RobotError, SpecificationError
from torquec.expr import OperationCount, count_operations
from torquec.foundation.work import Work, as_work
from torquec.model.model import Model, compile
from torquec.model.quantities import trace_quantity
from torquec.model.simplified import simplified_model
from torquec.robot.robot import Robot
from torquec.simplification.pipeline import meet_specification
from torquec.simplification.problem import Simplified
from torquec.simplification.specification import JointRequirement, Specification, load_specification
from torquec.simplification.specification_text import specification_text

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Levels of the allowed error, as multiples of the specification's."""


@dataclass(frozen=True)
class TradeOffPoint:
    """A model: the allowed error as a multiple of the specification's (0: exact), operations, proven torque errors.

    `bounds` [N m, N] by joint. `level` is the largest of them as a part of what the specification allows (of the
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
    """Points by rising factor, the exact model first; `missed` are factors that no model was proven for, and why.

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
    `progress` stand for one with these.
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
    points = [TradeOffPoint(0.0, exact, dict.fromkeys(robot.joint_names, 0.0), 0.0)]
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
    """The model of another level, its certificate about the torque errors that were asked for, which its bounds keep.

    A level of control requirements or of a threshold, whose bounds are of another kind, stays as it is.
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
