"""Static torques of a robot with a payload mass, bounded over its joint ranges by branch and bound.

(1)  a robot at rest with a mass m at a frame needs  tau = g0(q) + m g1(q) + springs(q),   linear in m
(2)  g0 and g1 are gradients of potentials that are linear in the sine and cosine of every joint: polynomials of degree
     one in each, determined by three positions of every revolute joint and two of every prismatic one
(3)  springs are enclosed over the box, [middle - spread, middle + spread]
(4)  |g0 + m g1 + middle| <= limit - spread  is proven over the box (:mod:`torquec.proof.enclosure.branch_and_bound`)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.closedform.polynomial import Variable
from torquec.closedform.tabulate import coefficient_table, grid
from torquec.dynamics import gravity_torque, spring_torque
from torquec.expr import Function, evaluate, trace
from torquec.foundation.arrays import Array
from torquec.proof.enclosure.bernstein import Range
from torquec.proof.enclosure.branch_and_bound import Proof, Refutation, prove
from torquec.proof.enclosure.enclose import enclose
from torquec.proof.torque.coefficient_bound import Magnitude
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import position_bases
from torquec.trajectory.motion_box import MotionBox

_MOST_POINTS = 3**9  # of the grid (2): nine revolute joints after the first
_ROUNDING = 1e-10  # error bound of a table, relative to the sum of its magnitudes: far above the rounding of its values

_PRESENT = 1e-13
"""Threshold of a coefficient, relative to the table's largest: smaller ones are rounding, which `_ROUNDING` covers."""

_MOST_BOXES = 60_000  # some seconds for six joints


_PIECES = 24  # pieces of the range of a joint with springs, over each of which (3) is enclosed


@dataclass(frozen=True, eq=False)
class StaticTorques:
    """(1), (2): tables (n, basis, ..) of g0 and g1 over `variables`; `springs` is the program of (3)."""

    box: MotionBox
    variables: tuple[Variable, ...]
    empty: Array
    per_kilogram: Array
    springs: Function

    def is_within(self, joint: int, mass: float, limit: float) -> bool | None:
        """(4) for one joint: True where it is proven, False where a configuration exceeds the limit, else None."""
        table = self.empty[joint] + mass * self.per_kilogram[joint]
        off = _ROUNDING * float(np.abs(self.empty[joint]).sum() + mass * np.abs(self.per_kilogram[joint]).sum())
        worst: bool | None = True
        for piece, middle, spread in self._pieces(joint):
            shifted = table.copy()
            shifted[(0,) * table.ndim] += middle
            found = _is_within(shifted, self.variables, piece, limit - spread, off)
            if found is not True:
                if found is False and spread == 0.0:
                    return False
                worst = None
        return worst

    def _pieces(self, joint: int) -> list[tuple[MotionBox, float, float]]:
        """Boxes with middle and spread (3) of the joint's springs, which depend on its own position alone."""
        lower, upper = np.array(self.box.lower), np.array(self.box.upper)
        edges = np.linspace(lower[joint], upper[joint], _PIECES + 1)
        ends = [np.tile(side, (_PIECES, 1)) for side in (lower, upper)]
        ends[0][:, joint], ends[1][:, joint] = edges[:-1], edges[1:]
        low, high = (
            np.broadcast_to(np.asarray(end), (_PIECES, len(lower)))[:, joint]
            for end in enclose(self.springs, {"q": ends[0]}, {"q": ends[1]})["tau"]
        )
        if float(low.min()) == float(high.max()):
            return [(self.box, float(low[0]), 0.0)]
        boxes = [MotionBox(tuple(a), tuple(b)) for a, b in zip(ends[0].tolist(), ends[1].tolist(), strict=True)]
        return list(zip(boxes, (0.5 * (low + high)).tolist(), (0.5 * (high - low)).tolist(), strict=True))


def static_torques(robot: Robot, loaded: Robot, box: MotionBox) -> StaticTorques | str:
    """The tables of a robot and of the same robot with a payload of one kilogram (1), or why there are none."""
    if any(body.joint.mimic is not None for body in robot.bodies):
        return "joints that follow others make gravity a polynomial of higher degree"
    for joint in robot.joints:
        if (joint.spring or joint.counterbalances) and not math.isfinite(joint.limits.upper - joint.limits.lower):
            return f"the spring of joint '{joint.name}', which has no limits, has no largest torque"
    bases = position_bases(robot)
    variables = tuple(Variable(((j, 1),), bases[j]) for j in range(robot.n))
    if math.prod(v.basis.size(1) for v in variables) > _MOST_POINTS:
        return f"gravity depends on {robot.n} joints, more than are proven"
    places = {"q": grid(variables, robot.n, 1)}
    tables = []
    for each in (robot, loaded):
        values = evaluate(_gravity(each), places)["tau"]
        tables.append(np.ascontiguousarray(np.moveaxis(coefficient_table(variables, values, 1), -1, 0)))
    springs = trace("springs", lambda q: {"tau": spring_torque(robot, q)}, {"q": (robot.n,)})
    return StaticTorques(box, variables, tables[0], tables[1] - tables[0], springs)


def _gravity(robot: Robot) -> Function:
    return trace("gravity", lambda q: {"tau": gravity_torque(robot, q)}, {"q": (robot.n,)})


def _is_within(table: Array, variables: Sequence[Variable], box: MotionBox, limit: float, off: float) -> bool | None:
    """Whether a polynomial, known to within `off`, has at most this magnitude in the box."""
    if limit <= off:
        return False
    table, used = _without_idle(table, variables)
    if not used:
        return bool(float(np.abs(table).sum()) + off <= limit)
    ranges = [Range(v, box.lower[v.joints[0][0]], box.upper[v.joints[0][0]]) for v in used]
    found = prove(table[None], ranges, Magnitude(), limit, allowance=np.array([off]), most_boxes=_MOST_BOXES)
    return True if isinstance(found, Proof) else False if isinstance(found, Refutation) else None


def _without_idle(table: Array, variables: Sequence[Variable]) -> tuple[Array, tuple[Variable, ...]]:
    """The table without variables that it does not depend on."""
    large = np.abs(table) > _PRESENT * float(np.abs(table).max(initial=0.0))
    moves = [bool(np.moveaxis(large, axis, 0)[1:].any()) for axis in range(table.ndim)]
    found = table[tuple(slice(None) if used else 0 for used in moves)]
    return np.ascontiguousarray(found), tuple(v for v, used in zip(variables, moves, strict=True) if used)
