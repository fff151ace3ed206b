"""Joint axes at a position q: what influence coefficients are made of.

(1)  first order, of a point x:   g(x) = s x (x - o)  rotation,   s  translation;     of the link:   w = s,   0
(2)  second order, joint j at or before joint k on the way to the point:   h_jk(x) = w_j x g_k(x),   w_j x w_k

s is the direction of the axis and o a point on it. Both stand in the axes of one reference: the robot's base, or the
link at the root of the tree that the joint belongs to. Trees with different roots have no dynamics in common, and in
the axes of the root nothing depends on the root's own position (Kang's "first joint coordinate frame").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.mechanism import Mechanism, PlacedLink
from torquec.robot.joints import UnitTwist
from torquec.robot.robot import BASE
from torquec.spatial import IDENTITY, Pose, Vector3, add, cross, matmul, rotation_z, scale, subtract, transpose

ZERO: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class JointAxis:
    """A joint's axis: its direction s, a unit vector, and a point o on it."""

    direction: Vector3
    origin: Vector3
    turns: bool

    @property
    def spin(self) -> Vector3:
        """w of (1): angular velocity of everything beyond the joint, per unit of its speed."""
        return self.direction if self.turns else ZERO

    def first(self, point: Vector3) -> Vector3:
        """g of (1): velocity of a point beyond the joint, per unit of its speed.

        >>> JointAxis((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), turns=True).first((4.0, 0.0, 5.0))
        (0.0, 3.0, 0.0)
        """
        return cross(self.direction, subtract(point, self.origin)) if self.turns else self.direction


def axis_of(pose: Pose, column: UnitTwist) -> JointAxis:
    """The axis of the joint that carries a link, from the link's canonical frame."""
    return JointAxis(column.direction(pose.rotation), pose.origin, column.turns)


def chains(placed: Sequence[PlacedLink]) -> list[tuple[int, ...]]:
    """For every link the links from its root to itself."""
    found: list[tuple[int, ...]] = []
    for i, link in enumerate(placed):
        found.append((i,) if link.parent == BASE else (*found[link.parent], i))
    return found


def root_poses(m: Mechanism, placed: Sequence[PlacedLink]) -> list[Pose]:
    """The canonical frame of every link, seen from that of the link at its root."""
    poses: list[Pose] = []
    for link, at in zip(m.links, placed, strict=True):
        if link.parent == BASE:
            poses.append(IDENTITY)
            continue
        parent = poses[link.parent]
        # Turning about x and then about z, and going along both, costs less than one general product.
        turned = matmul(parent.rotation, link.pre.rotation)
        origin = add(parent.apply(link.pre.origin), scale(transpose(turned)[2], at.height))
        poses.append(Pose(matmul(turned, rotation_z(at.turn.c, at.turn.s)), origin))
    return poses
