"""Check that programs of M, c, C and g are the terms of a certified torque program (:mod:`torquec_check.parts`)."""

from __future__ import annotations

from collections.abc import Mapping

from torquec.errors import CheckError
from torquec.expr import Function, function_to_dict
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Work, as_work
from torquec.robot.robot import Robot
from torquec.trajectory.motion_box import MotionBox
from torquec_check.document import RefusedError
from torquec_check.parts import check_parts as compare
from torquec_check.parts import check_same
from torquec_check.program import Program, program_of
from torquec_check.robot import Box


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
