"""`simplify`: the model of a robot that is as cheap as a specification allows, with the proof that it meets it.

:mod:`torquec.simplification.meet_specification` finds the programs and proves them; here they become a model. Inverse
dynamics is the certified program, and every other quantity follows from it. Control requirements (Chang & Lee) give two
models: the first by torque, the second, `model.coefficients`, made of the fitted coefficients M, c and g. A threshold
(Clover) gives one, made of the abbreviated coefficients.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace

from torquec.errors import RefusedQuantityError, RobotError
from torquec.expr import Function, count_operations
from torquec.foundation.time_limit import TimeLimit
from torquec.foundation.work import Work, as_work
from torquec.model.certified_model import certified_model
from torquec.model.model import Model, as_model
from torquec.model.quantities import trace_quantity
from torquec.model.routes import Route, route_function
from torquec.proof.torque.certificate import Counts
from torquec.robot.robot import Robot
from torquec.simplification.meet_specification import Simplified, meet_specification
from torquec.simplification.specification import Specification, load_specification
from torquec.simplification.torque_coefficients import TorqueCoefficients, torque_coefficients

Equations = Callable[[], TorqueCoefficients]
"""A call that gives the exact equations, which may have been begun elsewhere."""


def simplify(
    source: Robot | Model,
    specification: Specification | str | os.PathLike[str],
    *,
    seconds: float | None = None,
    work: Work | None = None,
    executor: Executor | None = None,
    progress: Callable[[str], None] | None = None,
    on_proven: Callable[[Model], None] | None = None,
) -> Model:
    """The cheapest model found that meets the specification; the proof and what was saved are in `model.record`.

    `seconds` limits the search: the cheapest model that is proven by then is the result, at worst the exact one; a
    proof that has begun may take a quarter longer.

    `source` is a robot, or a model of one with bodies, exact or identified, whose parameters and covariance stay with
    the result; the proof is about its robot. Raises `RefusedQuantityError` for a model that is a program already.
    `work` says who computes, how progress is reported and what is kept (:mod:`torquec.foundation.work`); `executor` and
    `progress` stand for one with these. `on_proven` is told of models within torque errors that are proven while the
    search goes on, each cheaper than the one before, so that an impatient user has one early.

    Raises `SpecificationError` with joint, tolerance and smallest achievable error where the specification cannot be
    met, and `RobotError` where the robot has mimic joints and the specification is about coefficients.
    """
    model = _with_bodies(source)
    task = as_work(work, executor=executor, progress=progress)
    with task.limited(TimeLimit.after(seconds)), task.ahead(exact_equations, model.robot) as before:
        tell = None if on_proven is None else lambda found: on_proven(_finished(model, found, before))
        return _finished(model, _found(model, specification, task, tell), before)


def simpler_programs(
    source: Robot | Model,
    specification: Specification | str | os.PathLike[str],
    *,
    seconds: float | None = None,
    checked_by: TimeLimit | None = None,
    work: Work | None = None,
) -> list[Simplified]:
    """All that was proven in time and is simpler than the exact program, the cheapest first: for whoever chooses one
    that can be checked in the time that is left (`checked_by`), or goes on with the exact model where there is none.

    `finished_model` makes a model of one of them.
    """
    model, task = _with_bodies(source), as_work(work)
    proven: list[Simplified] = []
    with task.limited(TimeLimit.after(seconds)):
        # Without a limit there is time for the last one, and the search need not be kept waiting for others.
        tell = None if seconds is None else proven.append
        proven.append(_found(model, specification, task, tell, checked_by))
    exact = count_operations(route_function(model.robot, "inverse_dynamics", Route.AUTOMATIC)).cost
    simpler = [found for found in proven if _cost(found) < exact or found.coefficients is not None]
    simpler.reverse()  # of those that cost the same, the last has the closest bounds
    return sorted(simpler, key=_cost)


def _cost(found: Simplified) -> int:
    return count_operations(found.certificate.program).cost


def finished_model(source: Robot | Model, found: Simplified) -> Model:
    """The model of what was found, with its equations counted: of seven joints that takes half a minute."""
    return _finished(_with_bodies(source), found)


def _with_bodies(source: Robot | Model) -> Model:
    model = as_model(source)
    if model.kind.follows_program:
        raise RefusedQuantityError(
            f"a model of kind '{model.kind}' is simplified already",
            remedy="simplify its robot, model.robot, or the exact model, model.exact",
        )
    return model


def _found(
    model: Model,
    specification: Specification | str | os.PathLike[str],
    work: Work,
    tell: Callable[[Simplified], None] | None,
    checked_by: TimeLimit | None = None,
) -> Simplified:
    robot = model.robot
    stated = specification if isinstance(specification, Specification) else load_specification(specification, robot)
    exact = trace_quantity(robot, "inverse_dynamics")
    return meet_specification(robot, exact, stated, work=work, on_proven=tell, checked_by=checked_by)


def _finished(model: Model, found: Simplified, before: Equations | None = None) -> Model:
    return replace(simplified_model(model.robot, found, before), parameters=model.parameters)


def simplified_model(robot: Robot, found: Simplified, before: Equations | None = None) -> Model:
    """The model that a certificate is about, with what it saves; `before` gives the exact equations."""
    counts = counts_of(robot, found.certificate.program, before)
    parts = {} if found.coefficients is None else found.coefficients.parts()
    return certified_model(robot, replace(found.certificate, counts=counts), parts=parts)


def counts_of(robot: Robot, program: Function, before: Equations | None = None) -> Counts:
    """What a simplified program saves against the cheapest exact one: terms and operations of both."""
    exact = route_function(robot, "inverse_dynamics", Route.AUTOMATIC)
    return Counts(*_terms(robot, program, before), count_operations(exact), count_operations(program))


_COMPARED: dict[tuple[Robot, Function], tuple[TorqueCoefficients, TorqueCoefficients]] = {}
"""The last two: who counts the terms also writes them down, and for seven joints each takes half a minute."""


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
