"""Links as mass, centre of mass and central inertia tensor, in the axes of their root.

(1)  c = h / m,    II = J - m (c'c 1 - c c')              in the file's frame: a canonical origin may lie far away
(2)  in other axes:    c -> o + R c,    II -> R II R'
(3)  the trace survives turning, so II_zz = tr II - II_xx - II_yy is not turned but subtracted
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.mechanism import Mechanism
from torquec.errors import RobotError
from torquec.robot.robot import Robot
from torquec.spatial import Matrix3, Pose, Scalar, Vector3, dot, matmul


@dataclass(frozen=True)
class CentralBody:
    """Mass, centre of mass and inertia tensor about it."""

    mass: Scalar
    center: Vector3
    tensor: Matrix3


def central_bodies(robot: Robot, m: Mechanism, poses: Sequence[Pose]) -> list[CentralBody]:
    """(1)-(3) for every link; a link without mass has its centre at its origin.

    Raises `RobotError` for a link that has a first moment but no mass.
    """
    bodies = []
    for body, link, pose in zip(robot.bodies, m.links, poses, strict=True):
        own = body.inertia
        if own.m == 0.0 and any(value != 0.0 for value in own.first_moment):
            raise RobotError(
                f"body '{body.name}' of robot '{robot.name}' has a first moment but no mass, so it has no centre",
                where=robot.source,
                remedy="use mass_point_sum, which needs no centres of mass",
            )
        # Constants, so that only one turn is left to do at q.
        center = link.frame.apply(own.center_of_mass)
        tensor = turned_tensor(link.frame.rotation, own.central_tensor)
        bodies.append(CentralBody(own.m, pose.apply(center), turned_tensor(pose.rotation, tensor)))
    return bodies


def turned_tensor(r: Matrix3, tensor: Matrix3) -> Matrix3:
    """II of (2), by (3), for a symmetric tensor."""
    left = matmul(r, tensor)
    xx, xy, xz = dot(left[0], r[0]), dot(left[0], r[1]), dot(left[0], r[2])
    yy, yz = dot(left[1], r[1]), dot(left[1], r[2])
    zz = (tensor[0][0] + tensor[1][1] + tensor[2][2]) - xx - yy
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
