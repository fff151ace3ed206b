"""The common normal of two axes, if it is near enough to the joints to carry frames.

The axis z passes through the origin, the child's axis z' through the point `offset`; both are unit vectors.

(1)  direction            n = z x z'
(2)  foot on z            t = offset . (z' x n) / n . n
(3)  foot on z'           u = offset . (z x n) / n . n,  counted from `offset`

(2) and (3) use z' x n, and not z - (z . z') z', which cancels more between nearly parallel axes.
"""

from __future__ import annotations

from dataclasses import dataclass

from torquec.robot.tuning import TUNING
from torquec.spatial import Vector3, cross, dot, norm


@dataclass
class CommonNormal:
    """A common normal: direction (1), not normalised, and the positions of its feet along the two axes (2), (3)."""

    direction: Vector3
    foot: float
    foot_on_child: float


def near_normal(z: Vector3, offset: Vector3, z_child: Vector3) -> CommonNormal | None:
    """The common normal of the axis z and of a child's axis through `offset`, None where it lies far away.

    >>> near_normal((0.0, 0.0, 1.0), (2.0, 5.0, 3.0), (0.0, 1.0, 0.0))
    CommonNormal(direction=(-1.0, 0.0, 0.0), foot=3.0, foot_on_child=-5.0)
    """
    direction = cross(z, z_child)
    if norm(direction) < TUNING.skew_sine:
        return None
    square = dot(direction, direction)
    foot_on_z = dot(offset, cross(z_child, direction)) / square
    foot_on_child = dot(offset, cross(z, direction)) / square
    if max(abs(foot_on_z), abs(foot_on_child)) > TUNING.normal_distance * norm(offset):
        return None
    return CommonNormal(direction, foot_on_z, foot_on_child)


def foot(z: Vector3, other: Vector3, z_other: Vector3) -> float:
    """t of (2): where the common normal from the line t z to the line `other` + u z_other starts."""
    direction = cross(z, z_other)
    return float(dot(other, cross(z_other, direction)) / dot(direction, direction))
