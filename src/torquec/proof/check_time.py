"""Predicted time of checking a certificate on this machine, extrapolated from a coarse grid.

(1)  robot and program are evaluated on a grid (:mod:`torquec_check.program_error`): the time per point is measured with
     the robot on a coarse grid, which accounts for a slow or busy machine
(2)  subdivision takes about as long again: where bounds are close to the errors, boxes become small
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from torquec.expr import Function, function_to_dict
from torquec.foundation.one_thread import one_thread
from torquec.proof.torque.certificate import Certificate
from torquec.robot.robot import Robot
from torquec.robot.robot_document import robot_to_dict
from torquec.trajectory.motion_box import MotionBox
from torquec_check.program import program_of
from torquec_check.recursion import robot_degrees, robot_torques
from torquec_check.robot import robot_of
from torquec_check.rows import grid_of, program_degrees

_ALWAYS, _OF_THE_ROBOT = 0.5, 4.0
"""Fixed seconds, and the time of a check as a multiple of the robot's recursion on the grid (1), (2)."""


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
        """The degrees (n,) of the grid for a program, which are those of the robot or more."""
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
