"""`simplify`: the model of a robot that is as cheap as a specification allows, with the proof that it meets it.

:mod:`torquec.simplification.pipeline` finds, proves and checks the programs; here they become a model. Inverse dynamics
is the certified program, and every other quantity follows from it. Control requirements (Chang & Lee) give two
models: the first by torque, the second, `model.coefficients`, made of the fitted coefficients M, c and g. A threshold
(Clover) gives one, made of the abbreviated coefficients.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace

from torquec.errors import ArgumentError, RefusedQuantityError, RobotError
from torquec.expr import Function, count_operations, operation_cost
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work, as_work
from torquec.model.certified_model import certified_model
from torquec.model.model import Model, as_model
from torquec.model.quantities import trace_quantity
from torquec.model.routes import Route, route_function
from torquec.proof.torque.certificate import Counts
from torquec.robot.robot import Robot
from torquec.simplification.pipeline import meet_specification, simplify_and_check
from torquec.simplification.problem import Simplified
from torquec.simplification.specification import Specification, load_specification
from torquec.simplification.torque_coefficients import TorqueCoefficients, torque_coefficients

Equations = Callable[[], TorqueCoefficients]
"""A call that gives the exact equations, which may have been begun elsewhere."""


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
    """The cheapest model found that meets the specification; the proof and what was saved are in `model.record`.

    `seconds` limits the search: the cheapest model that is proven by then is the result, at worst the exact one; a
    proof that has begun may take a quarter longer. `budget` limits memory and workers, too; give one of both.

    `source` is a robot, or a model of one with bodies, exact or identified, whose parameters and covariance stay with
    the result; the proof is about its robot. Raises `RefusedQuantityError` for a model that is a program already.
    `work` says who computes, how progress is reported and what is kept (:mod:`torquec.foundation.work`); `executor` and
    `progress` stand for one with these. `on_proven` gets models within torque errors that are proven while the search
    goes on, each cheaper than the one before, so that an impatient user has one early.

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
    """The model of what all passes give (:func:`torquec.simplification.pipeline.simplify_and_check`), and whether its
    proof was checked with independent code.

    With `only_simpler` None is the result where nothing was found and proven that is cheaper than the exact program.
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
    model = as_model(source)
    if model.kind.follows_program:
        raise RefusedQuantityError(
            f"a model of kind '{model.kind}' is simplified already",
            remedy="simplify its robot, model.robot, or the exact model, model.exact",
        )
    return model


def _finished(model: Model, found: Simplified, before: Equations | None = None) -> Model:
    return replace(simplified_model(model.robot, found, before), parameters=model.parameters)


def simplified_model(robot: Robot, found: Simplified, before: Equations | None = None) -> Model:
    """The model that a certificate is about, with what it saves; `before` gives the exact equations."""
    counts = counts_of(robot, found.certificate.program, before)
    parts = {} if found.coefficients is None else found.coefficients.parts()
    return certified_model(robot, replace(found.certificate, counts=counts), parts=parts)


def counts_of(robot: Robot, program: Function, before: Equations | None = None) -> Counts:
    """What a simplified program saves against the cheapest exact one: terms and operations of both."""
    exact = _cheapest_exact(robot)
    return Counts(*_terms(robot, program, before), count_operations(exact), count_operations(program))


def _cheapest_exact(robot: Robot) -> Function:
    return route_function(robot, "inverse_dynamics", Route.AUTOMATIC)


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
