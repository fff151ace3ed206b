"""Curves in the space of the joints that pass through the solutions of a pose, next to singularities.

With e(q) and A of :mod:`torquec.kinematics.refinement`, six joints that move, and a direction b (6,) of poses:

(1)  e(q) = g b       a curve in (q, g): of the six equations all but the part along b are met
(2)  solutions of the pose are the points with g = 0
(3)  b = u, with A v = s u, s the least singular value: where the arm is nearly singular, g stays small along the curve

A calibrated arm next to a fold of the tidy one has two solutions, one, or none, and where the tidy arm can move on
its own (a straight wrist) a few isolated ones are left, up to twelve in all. Newton's method from a branch of the tidy
arm ends in one of them. They all lie on the curve (1), which is smooth where its solutions are not:

(4)  B = (A b),   step = B'(BB')^-1 (e - g b)                      back to the curve, by the shortest way
(5)  tangent: B t = 0,   t := t - B'(BB')^-1 B t from the one before, which keeps the direction

(Rheinboldt, Numerical Analysis of Parametrized Nonlinear Equations, 1986, chapters 4 and 5.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.jacobian import jacobian
from torquec.expr.math import sqrt
from torquec.kinematics.angle import over
from torquec.kinematics.arm_geometry import ArmGeometry, ArmJoint
from torquec.kinematics.refinement import FLOOR, SymmetricFactors, pose_error
from torquec.robot.robot import Robot
from torquec.spatial import Scalar, scale

_POWERS = 4
"""Inverse iterations for (3), each of which brings it nearer by (s_5/s_6)^2."""

_FIRST = (0.43, -0.71, 0.59, 0.83, -0.37, 0.67)
"""Where they start: at right angles to nothing that has round numbers."""


def curve_start(robot: Robot, frame: str, arm: ArmGeometry, moving: Sequence[ArmJoint]) -> Any:
    """The algorithm q (n,), rotation (3, 3), position (3,) -> border (6,), tangent (n + 1,), gap (), least ().

    `border` is u of (3), `tangent` is (v, 0), `gap` is u . e and `least` is s.
    """

    def algorithm(q: Any, rotation: Any, position: Any) -> dict[str, Any]:
        columns, error = _columns_and_error(_Arm(robot, frame, arm, moving), q, rotation, position)
        rows = [list(row) for row in zip(*columns, strict=True)]
        u = _least_vector(rows)
        v = _least_vector(columns)
        image = [_dot(row, v) for row in rows]
        tangent: list[Scalar] = [0.0] * (robot.n + 1)
        for joint, value in zip(moving, v, strict=True):
            tangent[joint.index] = value
        return {"border": u, "tangent": tangent, "gap": _dot(u, error), "least": sqrt(_dot(image, image))}

    return algorithm


def curve_step(robot: Robot, frame: str, arm: ArmGeometry, moving: Sequence[ArmJoint]) -> Any:
    """The algorithm point (n + 1,), tangent (n + 1,), border (6,), rotation, position -> moved, along, missed ().

    `point` is (q, g); `moved` is nearer to the curve (4), `along` the tangent at `point` (5), and `missed` what is left
    of (1) there, before the step.
    """

    def algorithm(point: Any, tangent: Any, border: Any, rotation: Any, position: Any) -> dict[str, Any]:
        n = robot.n
        columns, error = _columns_and_error(_Arm(robot, frame, arm, moving), point, rotation, position)
        wide = [*columns, list(border)]
        places = [*(joint.index for joint in moving), n]
        rest = [e - point[n] * b for e, b in zip(error, border, strict=True)]
        factors = SymmetricFactors([list(row) for row in zip(*wide, strict=True)], FLOOR)
        back = factors.solve(rest)
        forward = [tangent[place] for place in places]
        image = [sum((wide[k][row] * forward[k] for k in range(7)), start=0.0) for row in range(6)]
        off = factors.solve(image)
        moved, along = list(point), [0.0 * value for value in tangent]
        for k, place in enumerate(places):
            moved[place] = point[place] + _dot(wide[k], back)
            along[place] = forward[k] - _dot(wide[k], off)
        size = over(1.0, sqrt(_dot(along, along)))
        return {"moved": moved, "along": [size * value for value in along], "missed": sqrt(_dot(rest, rest))}

    return algorithm


@dataclass(frozen=True)
class _Arm:
    robot: Robot
    frame: str
    arm: ArmGeometry
    moving: Sequence[ArmJoint]


def _columns_and_error(of: _Arm, q: Any, rotation: Any, position: Any) -> tuple[list[list[Scalar]], list[Scalar]]:
    """A by columns and e."""
    per = 2.0 / of.arm.reach
    state = [q[k] for k in range(of.robot.n)]
    off, turn = pose_error(frame_pose(of.robot, of.frame, state), rotation, position)
    full = jacobian(of.robot, of.frame, state)
    weights = [per] * 3 + [1.0] * 3
    columns = [[full[row][joint.index] * weights[row] for row in range(6)] for joint in of.moving]
    return columns, [*scale(off, per), *turn]


def _least_vector(rows: list[list[Scalar]]) -> list[Scalar]:
    """The unit vector x for which the sum of rows times x is least (3)."""
    factors = SymmetricFactors(rows, FLOOR)
    x: list[Scalar] = list(_FIRST)
    for _ in range(_POWERS):
        x = factors.solve(x)
        size = over(1.0, sqrt(_dot(x, x)))
        x = [size * value for value in x]
    return x


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a[1:], b[1:], strict=True)), start=a[0] * b[0])
