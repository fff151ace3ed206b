"""How long the check of a certificate will take on this machine, foreseen from a part of it.

(1)  degrees: as long as those of the robot's own program took, once more for the other program
(2)  grid: what one part of it took (:meth:`ResidualGrid.parts`), times the parts, shared by the processes
(3)  slacks: a time for each value on the grid; where angles were snapped, another grid is gone through
(4)  boxes: a time for each control value on all leaves of the trees, shared by the processes

(1) and (2) are measured, so that a slow or busy machine is known to be one. The grid of a certificate has at least the
degrees of the robot's own program in exact arithmetic: three where constants of a file are rounded, so that what should
cancel does not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from torquec.expr import Function
from torquec.foundation.one_thread import one_thread
from torquec.proof.checker.harmonic_table import table_points
from torquec.proof.checker.residual_grid import ResidualGrid, own_torque, rows_of, snap_grids
from torquec.proof.torque.certificate import Certificate
from torquec.robot.robot import Robot
from torquec.trajectory.motion_box import MotionBox

_OF_A_PROCESS = 0.75
"""What a process adds where there are more than one: they share memory, and what they found has to be sent."""

_SLACK_VALUE, _CONTROL_VALUE = 1.0e-7, 1.0e-8
"""Seconds for a value on the grid (3) and for a control value of a leaf (4), on a slow core."""

_ONE_RADIUS = 0.4
"""What a grid takes that is evaluated with one radius for all values of a step."""

_WARM = 500
"""Positions that are evaluated before time is taken."""

_ALWAYS = 0.5
"""Seconds for everything else."""


class CheckTime:
    """The time that checks take of programs that stand for a robot's inverse dynamics, over the positions of a box."""

    def __init__(self, robot: Robot, motions: MotionBox, *, processes: int = 1) -> None:
        self._robot, self._motions = robot, motions
        self._processes = 1.0 if processes < 2 else _OF_A_PROCESS * processes
        began = time.perf_counter()
        bare = ResidualGrid(robot, own_torque(robot), motions.lower, motions.upper)
        self._sliding, self._rows = bare.sliding, bare.rows
        self.degrees = bare.degrees
        self._for_degrees: float = time.perf_counter() - began
        count = self.points(self.degrees)
        first = bare.parts(count)[0]
        self._part: int = first.stop
        places = np.unravel_index(np.arange(first.stop), [len(node) for node in bare.nodes])
        positions = np.stack([node[place] for node, place in zip(bare.nodes, places, strict=True)], axis=-1)
        with one_thread():
            rows_of(bare.exact, bare.sliding, positions[:_WARM])  # the first numbers take longer: memory is new
            began = time.perf_counter()
            rows_of(bare.exact, bare.sliding, positions)
        self._for_part: float = 2.0 * (time.perf_counter() - began)  # of two programs
        self._for_snaps = self._of_snaps()

    def degrees_of(self, program: Function) -> tuple[int, ...]:
        """The degrees (n,) of the grid for a program, which are those of the robot's own or more."""
        return ResidualGrid(self._robot, program, self._motions.lower, self._motions.upper).degrees

    def points(self, degrees: Sequence[int]) -> int:
        """Points of the grid for a program of these degrees (n,)."""
        return table_points(self._sliding, [max(pair) for pair in zip(degrees, self.degrees, strict=True)])

    def of_grid(self, points: int) -> float:
        """Seconds of a check with so many points of the grid, but for the boxes of its proof."""
        return _ALWAYS + self._for_degrees + self._for_snaps + self._evaluated(points)

    def points_in(self, seconds: float) -> int:
        """How many points of the grid can be checked in so many seconds."""
        each = (self.of_grid(10 * self._part) - self.of_grid(9 * self._part)) / self._part
        return max(0, int((seconds - self.of_grid(0)) / each))

    def of(self, certificate: Certificate) -> float:
        """Seconds that the check of a certificate will take."""
        values = 0
        for proof in certificate.joints.values():
            leaves = sum(tree.count(-1) for tree in proof.trees)
            values += leaves * self._rows * table_points([self._sliding[v] for v in proof.variables], proof.degrees)
        return (
            self.of_grid(self.points(self.degrees_of(certificate.program))) + _CONTROL_VALUE * values / self._processes
        )

    def _of_snaps(self) -> float:
        began = time.perf_counter()
        grids = snap_grids(self._robot, self._motions.lower, self._motions.upper)
        if not grids:
            return 0.0
        rows = [(table_points(grid.sliding, grid.degrees), grid.rows / self._rows) for grid in grids]
        return time.perf_counter() - began + _ONE_RADIUS * sum(self._evaluated(points) * part for points, part in rows)

    def _evaluated(self, points: int) -> float:
        """Seconds of a grid (2), and of its slacks (3)."""
        parts = math.ceil(points / self._part)
        spread = self._for_part * parts / (self._processes if parts > 1 else 1.0)
        return spread + _SLACK_VALUE * points * self._rows * self._robot.n
