"""Static loads through first-order influence coefficients: gravity, external forces and moments, springs.

Joint torques that balance loads:  torque = I* qdd + qd' P* qd + loads. With G the coefficients of a point or a link:

(1)  gravity g on all links:                    -sum over links of m G_c' g
     the same by augmented bodies:              -g . (s_k x (h_k - M_k o_k))  rotation,   -g . (M_k s_k)  translation
     with M_k, h_k the mass and first moment, about the base, of link k and everything that it carries
(2)  force f at a point, moment t on its link:  -(G_x' f + G_w' t)
(3)  spring between the points a and b:         (G_b - G_a)' k (1 - rest / |d|) d,     d = b - a
(4)  the joints' own springs:                   stiffness (q - rest)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.external_wrench import Axes, ExternalWrench
from torquec.dynamics.frame_pose import frame_pose, link_poses
from torquec.dynamics.influence_coefficients import influence_coefficients
from torquec.dynamics.jacobian import ZERO, axis_of
from torquec.dynamics.mechanism import Grouping, mechanism, place
from torquec.dynamics.spring_torque import spring_torque
from torquec.errors import ArgumentError
from torquec.expr.math import sqrt
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Scalar, Vector3, add, cross, dot, matvec, scale, subtract


@dataclass(frozen=True)
class PointSpring:
    """A straight spring from a point of one named frame to a point of another [m], in the axes of their frames.

    It pulls with stiffness [N/m] times its extension beyond `rest` [m]. With rest 0 its ends may meet.
    """

    start: str
    end: str
    stiffness: float
    rest: float = 0.0
    start_point: Vector3 = ZERO
    end_point: Vector3 = ZERO


def influence_loads(
    robot: Robot, q: Sequence[Scalar], *, wrenches: Sequence[ExternalWrench] = (), springs: Sequence[PointSpring] = ()
) -> list[Scalar]:
    """Torques (n,) that hold the robot still at q (n,) against all of (1)-(4).

    Raises `ArgumentError` for a frame that the robot does not have, and where a spring's ends meet and `rest` is not 0.
    """
    total = _sum(gravity_load(robot, q), spring_torque(robot, q))
    for wrench in wrenches:
        total = _sum(total, wrench_load(robot, q, wrench))
    for spring in springs:
        total = _sum(total, spring_load(robot, q, spring))
    return total


def gravity_load(robot: Robot, q: Sequence[Scalar]) -> list[Scalar]:
    """(1), (n,), by augmented bodies."""
    m = mechanism(robot, Grouping.NONE)
    placed = place(m, q)
    poses = link_poses(robot, placed, range(len(placed)))
    masses = [own.m for own in m.moments]
    moments = [
        add(matvec(poses[i].rotation, own.first), scale(poses[i].origin, own.m)) for i, own in enumerate(m.moments)
    ]
    load: list[Scalar] = [0.0] * m.n
    for k in reversed(range(len(placed))):
        axis, coordinate = axis_of(poses[k], placed[k].column), m.coordinates[k]
        if axis.turns:
            momentum = cross(axis.direction, subtract(moments[k], scale(axis.origin, masses[k])))
        else:
            momentum = scale(axis.direction, masses[k])
        load[coordinate.index] = load[coordinate.index] - coordinate.multiplier * dot(momentum, robot.gravity)
        parent = placed[k].parent
        if parent != BASE:
            masses[parent], moments[parent] = masses[parent] + masses[k], add(moments[parent], moments[k])
    return load


def wrench_load(robot: Robot, q: Sequence[Scalar], wrench: ExternalWrench) -> list[Scalar]:
    """(2), (n,)."""
    force, moment = wrench.force, wrench.moment
    if wrench.axes is Axes.FRAME:
        turn = frame_pose(robot, wrench.frame, q).rotation
        force, moment = matvec(turn, force), matvec(turn, moment)
    influence = influence_coefficients(robot, wrench.frame, q, point=wrench.point)
    pushed = _sum(influence.translation.joint_loads(force), influence.rotation.joint_loads(moment))
    return [-value for value in pushed]


def spring_load(robot: Robot, q: Sequence[Scalar], spring: PointSpring) -> list[Scalar]:
    """(3), (n,).

    Raises `ArgumentError` where the ends meet and `rest` is not 0: the spring pushes in no direction then.
    """
    start = influence_coefficients(robot, spring.start, q, point=spring.start_point)
    end = influence_coefficients(robot, spring.end, q, point=spring.end_point)
    reach = subtract(end.position, start.position)
    pull: Scalar = spring.stiffness
    if spring.rest != 0.0:
        length = sqrt(dot(reach, reach))
        if isinstance(length, float) and length == 0.0:
            raise ArgumentError(
                f"the ends of the spring from '{spring.start}' to '{spring.end}' meet, and it has no direction",
                remedy="keep its ends apart, or give it rest 0",
            )
        pull = spring.stiffness - (spring.stiffness * spring.rest) / length
    force = scale(reach, pull)
    at_start, at_end = start.translation.joint_loads(force), end.translation.joint_loads(force)
    return [b - a for a, b in zip(at_start, at_end, strict=True)]


def _sum(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    return [x + y for x, y in zip(a, b, strict=True)]
