"""Simplification of a robot with a free base: limb by limb, as the checker proves it (:mod:`torquec_check.free_base`).

(1)  each limb is a robot of its own on a copy of the base (:mod:`torquec.robot.limbs`), whose program is searched for
     and proven like that of an arm
(2)  regrouping moves inertia of a limb's first bodies to its copy of the base. Each limb but the first starts with the
     negative of this inertia, so its copy ends up without any. The first limb's copy starts with the base's inertia and
     the sum of what the others moved
(3)  the tolerance of a rate of the base is divided equally among the limbs; that of a joint is its limb's. The rounding
     of the whole program is subtracted from both
(4)  the whole program is that of the checker: the acceleration A that an accelerometer at the base measures, the
     programs of the limbs, and the sums of their wrenches
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from torquec.codegen.llvm.callable import compile_function
from torquec.codegen.precision import Precision
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.mechanism import mechanism
from torquec.errors import SpecificationError
from torquec.expr import Function, function_from_dict, function_to_dict, operation_cost, trace
from torquec.foundation.arrays import Array
from torquec.foundation.budget import Budget
from torquec.proof.torque.certificate import Certificate, JointProof, LimbProof, RoundingProof
from torquec.robot.limbs import RATES, CarriedLimb, carried_limbs, limb_joints
from torquec.robot.robot import Robot
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.problem import SimplificationProblem
from torquec.spatial import Inertia
from torquec.trajectory.motion_box import MotionBox, sampled_motions
from torquec_check.claim import rounded_up
from torquec_check.free_base import composed, limb_box, posed
from torquec_check.program import Program, program_of
from torquec_check.robot import Box
from torquec_check.rounding import PRECISIONS, rounding_errors

_SAMPLED = 100_000  # random motions at which the errors of the whole program are evaluated
_SUMMED = 1.0 + 1e-9
"""Factor on bounds: covers rounding of their sums, and of the differences that the checker takes of these."""
_BELOW = 1.0 - 4e-9  # of a tolerance for the limbs: their sums, rounded up, stay within it


def limb_problems(problem: SimplificationProblem) -> list[SimplificationProblem]:
    """A problem for each limb (1)-(3); raises `SpecificationError` where a tolerance is below rounding."""
    robot, shares = problem.robot, shared_base(problem.robot)
    limbs, joints, box = carried_limbs(robot, shares), limb_joints(robot), _box(problem.motions)
    exact = [exact_limb(limb) for limb in limbs]
    rounded = _rounding(problem, whole_program(robot, exact))
    found = []
    for limb, own, program in zip(limbs, joints, exact, strict=True):
        rates = (*range(RATES), *own)
        tolerance = []
        for rate in rates:
            left = problem.tolerance[rate] * _BELOW - 2.0 * rounded[rate]
            if not left > 0.0:
                name, allowed = robot.coordinate_names[rate], problem.tolerance[rate]
                raise SpecificationError(
                    f"'{name}' is allowed an error of {allowed:.3g}, and rounding may change it by {rounded[rate]:.3g}",
                    remedy=f"allow at least {rounded_up(4.0 * rounded[rate], 2)}",
                )
            tolerance.append(left / (len(limbs) if rate < RATES else 1))
        found.append(
            replace(problem, robot=limb, exact=program, motions=_motions(rates, box, robot), tolerance=tuple(tolerance))
        )
    return [replace(each, precision=Precision.DOUBLE, checked_by=Budget(), on_proven=None) for each in found]


def whole_certificate(problem: SimplificationProblem, limbs: Sequence[Certificate]) -> Certificate:
    """The certificate of the whole robot from those of its limbs (4)."""
    robot, motions = problem.robot, problem.motions
    program = whole_program(robot, [limb.program for limb in limbs])
    rounded = _rounding(problem, program)
    bounds = [_SUMMED * each for each in rounded]
    for own, limb in zip(limb_joints(robot), limbs, strict=True):
        for rate, proof in zip((*range(RATES), *own), limb.joints.values(), strict=True):
            bounds[rate] += _SUMMED * proof.bound
    found = _largest_errors(problem, program)
    names = robot.coordinate_names
    proofs = zip(names, bounds, found, problem.tolerance, strict=True)
    parts = zip(shared_base(robot), limbs, strict=True)
    precision = problem.precision
    is_double = precision is Precision.DOUBLE
    return Certificate(
        robot.name,
        robot.content_hash,
        program,
        motions,
        {name: JointProof(bound, min(float(each), bound), allowed) for name, bound, each, allowed in proofs},
        rounding=None if is_double else RoundingProof(precision, dict(zip(names, rounded, strict=True))),
        robot_document=robot,
        limbs=tuple(
            LimbProof(tuple(map(float, share.parameters)), limb.program, tuple(p.bound for p in limb.joints.values()))
            for share, limb in parts
        ),
    )


def shared_base(robot: Robot) -> tuple[Inertia, ...]:
    """The inertia of the base in the copy of every limb (2)."""
    alone = carried_limbs(robot, [Inertia()] * len(limb_joints(robot)))
    moved = [_inertia(mechanism(limb).moments[0].values) for limb in alone[1:]]
    first = robot.bodies[0].inertia
    for each in moved:
        first = first + each
    return (first, *(Inertia(*(-x for x in each.parameters)) for each in moved))


def _inertia(moments: Sequence[float]) -> Inertia:
    """Inertial parameters from second moments xx, xy, xz, yy, yz, zz, first moments and mass."""
    xx, xy, xz, yy, yz, zz, *rest = map(float, moments)
    return Inertia(yy + zz, -xy, -xz, xx + zz, -yz, xx + yy, *rest)


def exact_limb(limb: CarriedLimb) -> Function:
    """The cheaper one of two exact programs of a limb."""
    shapes = dict.fromkeys(("q", "qd", "qdd"), (limb.n,))
    balanced = trace("inverse_dynamics", lambda q, qd, qdd: {"tau": inverse_dynamics(limb, q, qd, qdd)}, shapes)
    return min(torque_program(mechanism(limb)), balanced, key=operation_cost)


def whole_program(robot: Robot, limbs: Sequence[Function]) -> Function:
    """(4)."""
    rates = [(*range(RATES), *own) for own in limb_joints(robot)]
    programs = [program_of(function_to_dict(limb)) for limb in limbs]
    return function_from_dict(_document(composed(list(zip(programs, rates, strict=True)), robot.gravity, robot.n)))


def _document(program: Program) -> dict[str, object]:
    """A program of the checker as JSON values."""
    steps: list[list[object]] = []
    for step in program.operations:
        given = {"const": (step.value,), "input": (step.port, step.element)}.get(step.op, step.args)
        steps.append([step.op, *given])
    ports = [{"name": port.name, "shape": list(port.shape)} for port in (*program.inputs, *program.outputs)]
    output = {**ports.pop(), "values": list(program.results[0])}
    return {"name": program.name, "inputs": ports, "outputs": [output], "operations": steps}


def _box(motions: MotionBox) -> Box:
    return Box(motions.lower, motions.upper, motions.velocity, motions.acceleration)


def _motions(rates: Sequence[int], box: Box, robot: Robot) -> MotionBox:
    one = limb_box(rates, box, robot.gravity)
    return MotionBox(one.lower, one.upper, one.velocity, one.acceleration)


def _rounding(problem: SimplificationProblem, program: Function) -> list[float]:
    box, precision = posed(_box(problem.motions)), PRECISIONS[problem.precision.value]
    return rounding_errors(program_of(function_to_dict(program)), box, precision)


def _largest_errors(problem: SimplificationProblem, program: Function) -> Array:
    """The largest errors (n,) at sampled motions, in any orientation."""
    q, qd, qdd = (np.ascontiguousarray(each) for each in np.moveaxis(sampled_motions(problem.motions, _SAMPLED), 1, 0))
    turned = np.random.default_rng(0).standard_normal((len(q), 4))
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    poses = np.concatenate([q[:, :3], turned, q[:, RATES:]], axis=1)
    exact, simplified = (compile_function(each)(poses, qd, qdd) for each in (problem.exact, program))
    return np.asarray(np.abs(exact - simplified).max(axis=0))
