"""Certify a simplified program: prove a bound of every joint's torque error, with a certificate as the result.

(1)  both programs are tabulated; the difference of the tables is the error (`torque_residual`)
(2)  the largest errors found are lower bounds; proofs start from them (:mod:`torquec.proof.torque.torque_bounds`)
(3)  each joint's error is bounded separately, long proofs in parts (`torque_bounds`). With a time limit, all joints are
     proven to be within their tolerances before any bound is tightened
(4)  the error of snapped angles against the file as written is added (:mod:`torquec.proof.torque.snap_bound`)
(5)  so is the rounding error in doubles or floats, as the checker bounds it (:mod:`torquec_check.rounding`)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from torquec.codegen.precision import Precision
from torquec.errors import RobotError
from torquec.expr import Function, function_to_dict
from torquec.foundation.work import Work, as_work
from torquec.proof.torque.certificate import Certificate, JointProof, RoundingProof
from torquec.proof.torque.snap_bound import snap_bound
from torquec.proof.torque.torque_bound import TorqueBound, torque_bound
from torquec.proof.torque.torque_bounds import BoundTask, error_program, torque_bounds, worst_motions
from torquec.proof.torque.torque_residual import TorqueResidual, torque_residual
from torquec.proof.torque.torque_tables import position_degrees, positions_read, tables_of_zero, torque_tables
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import position_bases
from torquec.trajectory.motion_box import MotionBox
from torquec_check.program import program_of
from torquec_check.robot import Box
from torquec_check.rounding import PRECISIONS, rounding_errors

_SUMMED = 1.0 + 1e-9
"""Covers the rounding of the sum of two parts of a bound: the checker subtracts one of them again."""


class UnprovenError(RobotError):
    """No proof was found that the error of the torque of `joint` stays within its limit."""

    def __init__(self, joint: str) -> None:
        super().__init__(
            f"the torque error of joint '{joint}' could not be proven to stay within its limit",
            remedy="allow a larger error, or keep more terms",
        )
        self.joint = joint

    def __reduce__(self) -> tuple[type[UnprovenError], tuple[str]]:
        return type(self), (self.joint,)


def certify(
    robot: Robot,
    exact: Function,
    simplified: Function,
    motions: MotionBox,
    *,
    limits: Sequence[float] | None = None,
    precision: Precision = Precision.DOUBLE,
    closer: bool = True,
    known: Certificate | None = None,
    work: Work | None = None,
) -> Certificate:
    """Prove a bound for every joint's torque error of `simplified` against `exact` over the motions.

    `limits` are the tolerances: a bound at the tolerance is accepted where a `closer` one takes too long or is not
    requested. With single `precision`, bounds include the rounding errors of code that computes in floats. A `known`
    certificate of the same program, motions and precision is the start: only tighter bounds are proven. Raises
    `UnprovenError` where a joint's error exceeds its limit or no proof was found.
    """
    work = as_work(work)
    bases = position_bases(robot)
    read = sorted(positions_read(exact) | positions_read(simplified))
    error = error_program(exact, simplified)
    # Degrees of both programs, not of their difference: a difference that is mere rounding has every degree.
    both = zip(position_degrees(exact, bases), position_degrees(simplified, bases), strict=True)
    highest = [max(pair) for pair in both]
    degree = [highest[joint] for joint in read]
    with work.ahead(worst_motions, error, motions) as worst:
        tables = [torque_tables(program, bases, read, degree=degree) for program in (exact, simplified)]
        residual = torque_residual(*tables)
        found = worst().found
    rounded = rounding_of(simplified, motions, precision)
    added = _added(robot, motions, rounded)
    allowances = [None] * robot.n if limits is None else [float(limit) for limit in limits]
    within = [None if allowed is None else allowed - more for allowed, more in zip(allowances, added, strict=True)]
    bounds: list[TorqueBound | None] = [None] * robot.n
    if known is not None:
        pairs = zip(known.joints.values(), added, strict=True)
        bounds = [TorqueBound(proof.bound - more, proof.found, ()) for proof, more in pairs]
    before = tuple(bounds)
    in_two_passes = work.budget.is_timed and limits is not None and closer and known is None
    for closely in (False, True) if in_two_passes else (closer,):
        asked = [
            BoundTask(_of_joint(residual, k), k, motions, float(found[k]), within[k], closely, bounds[k])
            for k in range(robot.n)
        ]
        name = "tightening the bounds" if any(bounds) else "proving the torque errors"
        for k, bound in torque_bounds(name, asked, robot.coordinate_names, work):
            if bound is None:
                raise UnprovenError(robot.coordinate_names[k])
            bounds[k] = bound
    proofs = {}
    for k, (joint, allowed, more) in enumerate(zip(robot.coordinate_names, allowances, added, strict=True)):
        bound, earlier = bounds[k], before[k]
        assert bound is not None
        if known is not None and earlier is not None and bound.bound >= earlier.bound:
            proofs[joint] = known.joints[joint]
        else:
            proofs[joint] = JointProof(bound.bound + more, bound.found, allowed)
    rounding = None
    if precision is not Precision.DOUBLE:
        rounding = RoundingProof(precision, dict(zip(proofs, rounded, strict=True)))
    return Certificate(
        robot.name, robot.content_hash, simplified, motions, proofs, rounding=rounding, robot_document=robot
    )


def smallest_bounds(
    robot: Robot, program: Function, motions: MotionBox, *, precision: Precision = Precision.DOUBLE
) -> tuple[float, ...]:
    """Smallest provable bounds (n,): those of a program against itself.

    The difference of the tables is then zero; apart from (4) and (5) the bounds are the same for every joint. Raises
    `RobotError` as `certify` does.
    """
    bases = position_bases(robot)
    degrees = position_degrees(program, bases)
    nothing = tables_of_zero(program, bases, degree=[degrees[joint] for joint in sorted(positions_read(program))])
    left = torque_bound(torque_residual(nothing, nothing), 0, motions, found=0.0)
    assert left is not None  # no limit was stated
    return tuple(left.bound + more for more in _added(robot, motions, rounding_of(program, motions, precision)))


def _added(robot: Robot, motions: MotionBox, rounded: Sequence[float]) -> tuple[float, ...]:
    """(4) and (5), (n,)."""
    return tuple(snap + _SUMMED * each for snap, each in zip(snap_bound(robot, motions), rounded, strict=True))


def rounding_of(program: Function, motions: MotionBox, precision: Precision) -> tuple[float, ...]:
    """Bounds (n,) of the torques' rounding error in a precision (5)."""
    box = Box(motions.lower, motions.upper, motions.velocity, motions.acceleration)
    return tuple(rounding_errors(program_of(function_to_dict(program)), box, PRECISIONS[precision.value]))


def _of_joint(residual: TorqueResidual, joint: int) -> TorqueResidual:
    """The residual with one joint's tables only: the data sent to the process that bounds its error."""
    nothing = np.zeros(0)
    return replace(
        residual,
        tables=tuple(table if k == joint else nothing for k, table in enumerate(residual.tables)),
        dropped=tuple(row if k == joint else nothing for k, row in enumerate(residual.dropped)),
    )
