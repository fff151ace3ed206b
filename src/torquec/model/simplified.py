"""`simplify`: the model of a robot that is as cheap as a specification allows, with the proof that it meets it.

Torque errors: inverse dynamics is the cheaper of a recursion with fewer parameters and a closed form with fewer terms
(:mod:`torquec.simplification.certified_torque`); all other quantities stay exact.

Control requirements (Chang & Lee): the same for inverse dynamics, within the torque errors that the loops can bear. The
coefficients M, c and g are fitted within the tolerances (23a-d), each with a proven bound; the mass matrix, gravity,
velocity torque and Coriolis matrix are made of them wherever that costs less than the exact ones.

A threshold for coefficients (Clover): the equations without small terms. The error of each coefficient is proven, and
that of the torques where the specification limits speeds and accelerations.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from types import MappingProxyType

from torquec.closedform import closed_form
from torquec.errors import RobotError
from torquec.expr import Function, count_operations
from torquec.foundation.work import Work, as_work
from torquec.model.model import Model
from torquec.model.quantities import trace_quantity
from torquec.model.routes import Route, route_function
from torquec.proof.certificate import Certificate, Counts, certify
from torquec.proof.coefficient_certificate import (
    certify_coefficients,
    check_independent,
)
from torquec.proof.coefficient_tolerance import Family
from torquec.proof.motions import Motions
from torquec.robot.robot import Robot
from torquec.simplification.certified_torque import MOST_JOINTS, certified_torque
from torquec.simplification.coefficient_model import CoefficientModel, abbreviated_coefficients, fitted_coefficients
from torquec.simplification.fitting.fit_entries import fit_entries
from torquec.simplification.specification import CoefficientThreshold, Specification, load_specification
from torquec.simplification.tolerance import PROOF_MARGIN, coefficient_tolerances, entry_tasks, torque_budgets
from torquec.simplification.torque_coefficients import torque_coefficients
from torquec.trajectory.box import Box


def simplify(
    robot: Robot,
    specification: Specification | str | os.PathLike[str],
    *,
    work: Work | None = None,
    executor: Executor | None = None,
    progress: Callable[[str], None] | None = None,
) -> Model:
    """The cheapest model found that meets the specification; the proof and what was saved are in `model.record`.

    `work` says who computes, who is told, and what is kept (:mod:`torquec.foundation.work`); `executor` and `progress`
    stand for one with these. Raises `SpecificationError` with joint, tolerance and smallest
    achievable error where the specification cannot be met, and `RobotError` where the robot has mimic joints and the
    specification is about coefficients.
    """
    stated = specification if isinstance(specification, Specification) else load_specification(specification, robot)
    problem = _Problem(robot, stated, as_work(work, executor=executor, progress=progress))
    if stated.coefficients is not None:
        return problem.abbreviated(stated.coefficients)
    if any(joint.control is not None for joint in stated.joints):
        return problem.controlled()
    return problem.model(problem.torque([float(joint.torque_error or 0.0) for joint in stated.joints]), {})


def specified_motions(robot: Robot, specification: Specification) -> Motions:
    """The box of motions of a specification, for the independent joints; without speeds where it states none."""
    bodies = [k for k, body in enumerate(robot.bodies) if body.joint.mimic is None]
    return Motions(
        tuple(specification.box.lower[k] for k in bodies),
        tuple(specification.box.upper[k] for k in bodies),
        tuple(joint.velocity for joint in specification.joints),
        tuple(joint.acceleration for joint in specification.joints),
    )


class _Problem:
    """A robot, its specification and its exact inverse dynamics, while they are simplified."""

    def __init__(self, robot: Robot, specification: Specification, work: Work) -> None:
        self.robot, self.specification, self.work = robot, specification, work
        self.motions = specified_motions(robot, specification)
        self.exact = trace_quantity(robot, "inverse_dynamics")

    def torque(self, tolerance: list[float]) -> Certificate:
        """Inverse dynamics within torque errors."""
        return certified_torque(self.robot, self.exact, self.motions, tolerance, work=self.work)

    def controlled(self) -> Model:
        """Control requirements, of all joints or of some beside torque errors."""
        form = closed_form(self.robot)
        budgets = torque_budgets(form, self.specification)
        if len(self.robot.bodies) > MOST_JOINTS or len(self.robot.bodies) != self.robot.n:
            # Fits of thousands of terms would not be cheaper than the exact quantities, which keep every tolerance.
            return self.model(self.torque(list(budgets)), {})
        tolerances = [
            t for t in coefficient_tolerances(form, self.specification) if t.family is not Family.V
        ]  # friction is not simplified
        tasks = entry_tasks(form, tuple(tolerances), margin=PROOF_MARGIN)
        fits = fit_entries(tasks, self.specification.box, work=self.work)
        fitted = fitted_coefficients(form, tolerances, fits)
        inner = certify_coefficients(
            self.robot,
            self.exact,
            fitted.torque(),
            self._box(),
            tolerances=tolerances,
            work=self.work,
        )
        record = replace(self.torque(list(budgets)), coefficients=inner)
        return self.model(record, self._cheaper(fitted))

    def abbreviated(self, threshold: CoefficientThreshold) -> Model:
        """A threshold for coefficients."""
        check_independent(self.robot)
        shorter = abbreviated_coefficients(closed_form(self.robot), threshold)
        programs = shorter.programs()
        program = programs["inverse_dynamics"]
        inner = certify_coefficients(self.robot, self.exact, program, self._box(), work=self.work)
        if self.motions.velocity:
            record = certify(self.robot, self.exact, program, self.motions, work=self.work)
        else:
            record = Certificate(self.robot.name, self.robot.content_hash, program, self.motions, {})
        return self.model(replace(record, coefficients=inner), programs)

    def model(self, record: Certificate, functions: Mapping[str, Function]) -> Model:
        """The model that the record is about, with what it saves."""
        program = record.program
        counts = Counts(
            *self._terms(program),
            count_operations(route_function(self.robot, "inverse_dynamics", Route.AUTOMATIC)),
            count_operations(program),
        )
        served = MappingProxyType({**functions, "inverse_dynamics": program})
        return Model(self.robot, served, record=replace(record, counts=counts))

    def _cheaper(self, fitted: CoefficientModel) -> dict[str, Function]:
        """Programs made of fits, where they cost less than the exact ones."""
        found = {}
        for quantity, program in fitted.programs().items():
            exact = route_function(self.robot, quantity, Route.AUTOMATIC)
            if count_operations(program).cost < count_operations(exact).cost:
                found[quantity] = program
        return found

    def _terms(self, program: Function) -> tuple[int | None, int | None]:
        """Terms of M, B, D and g of the exact and of the simplified torques; None where they cannot be written down."""
        try:
            before = torque_coefficients(self.robot, self.exact)
            after = torque_coefficients(self.robot, program, like=before)
        except RobotError:
            return None, None
        return sum(before.terms.values()), sum(after.terms.values())

    def _box(self) -> Box:
        return Box(self.motions.lower, self.motions.upper)
