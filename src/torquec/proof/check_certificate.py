"""Check a certificate with the independent checker, :mod:`torquec_check`, from the certificate's and robot's documents.

The checker shares nothing with the search: it has its own dynamics, arithmetic and subdivision (docs/trusted-base.md).
It also compares programs of M, c, C and g with the terms of a certified torque program (:mod:`torquec_check.parts`).

The time of a check on this machine is predicted:

(1)  robot and program are evaluated on a grid (:mod:`torquec_check.program_error`): the time per point is measured with
     the robot on a coarse grid, which accounts for a slow or busy machine
(2)  subdivision takes about as long again: where bounds are close to the errors, boxes become small
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence

from torquec.errors import CheckError
from torquec.expr import Function, count_operations, function_to_dict
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Work, as_work
from torquec.proof.torque.certificate import Certificate
from torquec.robot.robot import Robot
from torquec.robot.robot_document import robot_to_dict
from torquec.trajectory.motion_box import MotionBox
from torquec_check.certificate import certificate_of
from torquec_check.certificate import check_certificate as prove
from torquec_check.document import RefusedError
from torquec_check.parts import check_parts as compare
from torquec_check.parts import check_same
from torquec_check.program import Program, program_of
from torquec_check.recursion import robot_degrees, robot_torques
from torquec_check.robot import Box, robot_of
from torquec_check.rows import grid_of, program_degrees
from torquec_check.specification import check_specification

_ALWAYS, _OF_THE_ROBOT = 0.5, 4.0
"""Fixed seconds, and the time of a check as a multiple of the robot's recursion on the grid (1), (2)."""
_REMEDY = "make it again with torquec simplify"

_REPORTED_EVERY = 0.2
"""Seconds between reports of progress."""


def check_certificate(robot: Robot, certificate: Certificate, *, work: Work | None = None) -> Mapping[str, float]:
    """Raise `CheckError` unless every bound of the certificate is proven for this robot, and its specification is met.

    Returns the slack of every joint, the part of its bound that is rounding. No cached results are used: the proof is
    repeated at every call.
    """
    work = as_work(work)
    if certificate.robot_hash != robot.content_hash:
        raise CheckError("the certificate is for another robot, or the robot has changed since", remedy=_REMEDY)
    if certificate.counts is not None and certificate.counts.operations_after != count_operations(certificate.program):
        raise CheckError("the certificate counts other operations than its program has", remedy=_REMEDY)
    reported = 0.0
    with work.step("proving the torque errors again") as step, one_thread():

        def progress(_step: str, part: float) -> None:
            nonlocal reported
            work.budget.check()
            if time.monotonic() - reported > _REPORTED_EVERY:
                reported = time.monotonic()
                step.meter(part, 1.0, _step)

        try:
            claims = certificate_of(certificate.to_dict(), robot_to_dict(robot))
            check_specification(claims)
            slacks = prove(claims, progress)
        except RefusedError as error:
            raise CheckError(error.found, where=error.where, remedy=error.remedy) from None
        except ValueError as error:  # a number that JSON cannot express
            raise CheckError(f"the certificate cannot be written: {error}", remedy=_REMEDY) from None
    return slacks


def check_parts(
    robot: Robot, program: Function, parts: Mapping[str, Function], box: MotionBox, *, work: Work | None = None
) -> None:
    """Raise `CheckError`, naming the quantity, where one of `parts` is not that term of the program's torque."""
    with as_work(work).step("comparing M, c, C and g with the program"), one_thread():
        try:
            compare(_program(program), {name: _program(part) for name, part in parts.items()}, _turns(robot), _box(box))
        except RefusedError as error:
            raise CheckError(error.found, remedy=error.remedy) from None


def is_same_torque(robot: Robot, program: Function, reference: Function, box: MotionBox) -> bool:
    """Whether two programs compute the same torque over the positions of a box, up to rounding."""
    try:
        check_same(_program(program), _program(reference), _turns(robot), _box(box))
    except RefusedError:
        return False
    return True


def _program(function: Function) -> Program:
    return program_of(function_to_dict(function))


def _turns(robot: Robot) -> tuple[bool, ...]:
    return tuple(each.turns for each in robot.coordinates)


def _box(box: MotionBox) -> Box:
    return Box(box.lower, box.upper, box.velocity, box.acceleration)


class CheckTime:
    """Predicted check time of programs that replace a robot's inverse dynamics, over the positions of a box."""

    def __init__(self, robot: Robot, motions: MotionBox) -> None:
        self._robot = robot_of(robot_to_dict(robot))
        grid = grid_of(self._robot.turns, [1] * robot.n, motions.lower, motions.upper)
        with one_thread():
            robot_torques(self._robot, grid)  # warm-up: the first evaluation also allocates memory
            began = time.perf_counter()
            robot_torques(self._robot, grid)
        count = math.prod(grid.counts)
        self._each: float = _OF_THE_ROBOT * (time.perf_counter() - began) / count
        self.degrees = robot_degrees(self._robot)

    def degrees_of(self, program: Function) -> tuple[int, ...]:
        """Grid degrees (n,) for a program: at least those of the robot."""
        own = program_degrees(program_of(function_to_dict(program)), self._robot.turns)
        return tuple(map(max, own, self.degrees))

    def points(self, degrees: Sequence[int]) -> int:
        """Points of the grid for a program of these degrees (n,)."""
        highest = [max(pair) for pair in zip(degrees, self.degrees, strict=True)]
        return math.prod(2 * d + 1 for d in highest)

    def of_grid(self, points: int) -> float:
        """Seconds of a check with this number of grid points."""
        return _ALWAYS + self._each * points

    def points_in(self, seconds: float) -> int:
        """Number of grid points that can be checked in this many seconds."""
        return max(0, int((seconds - _ALWAYS) / self._each))

    def of(self, certificate: Certificate) -> float:
        """Seconds that the check of a certificate will take."""
        return self.of_grid(self.points(self.degrees_of(certificate.program)))
