"""Poses of bodies and named frames in the robot's base frame.

(1)  T_i = T_parent pre Rz Tz  along the canonical chain,   then the constant pose of the file's frame in the link
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.closed_loops import loop_values
from torquec.dynamics.mechanism import PlacedLink, coordinates, place_links
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Pose, Scalar, add, matmul, matvec, rotation_z


@loop_values
def frame_pose(robot: Robot, frame: str, q: Sequence[Scalar]) -> Pose:
    """Rotation (3, 3) and origin (3,) of a named frame, seen from the base frame."""
    named = robot.frame(frame)
    if named.body == BASE:
        return named.pose
    placed = place_links(robot.canonical.links, coordinates(robot), q)
    return link_poses(robot, placed, [named.body])[named.body] @ (robot.canonical.links[named.body].frame @ named.pose)


@loop_values
def body_poses(robot: Robot, q: Sequence[Scalar]) -> list[Pose]:
    """Pose of every body's frame in the file, seen from the base frame, in the order of `robot.bodies`."""
    placed = place_links(robot.canonical.links, coordinates(robot), q)
    links = link_poses(robot, placed, range(len(placed)))
    return [links[i] @ link.frame for i, link in enumerate(robot.canonical.links)]


def link_poses(robot: Robot, placed: Sequence[PlacedLink], wanted: Sequence[int]) -> dict[int, Pose]:
    """Canonical link frames seen from the file's base frame: the wanted ones and all that carry them."""
    needed: set[int] = set()
    for i in wanted:
        while i != BASE and i not in needed:
            needed.add(i)
            i = placed[i].parent
    poses = {BASE: robot.canonical.base.inverse()}
    for i in sorted(needed):
        link = placed[i]
        parent = poses[link.parent]
        about_z = matmul(matmul(parent.rotation, link.turn.pre), rotation_z(link.turn.c, link.turn.s))
        poses[i] = Pose(about_z, add(parent.origin, matvec(parent.rotation, link.origin)))
    return poses
