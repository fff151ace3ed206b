"""Floating and fixed base: the root of a robot put on a free joint, or its free joint welded to the world.

URDF cannot state whether the root link is fixed to the world. So `load` keeps the base as in the file, and `base`
changes it:

(1)  floating:  a free joint between a frame `world` and the root link; its six rates come first
(2)  fixed:     bodies on a free joint of the world become part of the base, at the joint's neutral position
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from torquec.errors import RobotError
from torquec.robot.joints import JointType
from torquec.robot.lock_joints import welded
from torquec.robot.robot import BASE, Body, Drives, Frame, Joint, Robot
from torquec.robot.state_coordinate import check_tree
from torquec.robot.xml_text import unused_name
from torquec.spatial import Inertia

WORLD = "world"
"""The frame that does not move; a URDF file whose base is fixed has a root link of this name."""


class Base(StrEnum):
    """How the root of a robot is held."""

    FIXED = "fixed"
    FLOATING = "floating"


def base_kind(robot: Robot) -> Base:
    """Whether a body of the robot is on a free joint of the world.

    >>> from torquec.robot import classics
    >>> base_kind(classics.puma560()).value
    'fixed'
    """
    is_free = any(body.parent == BASE and body.joint.type is JointType.FREE for body in robot.bodies)
    return Base.FLOATING if is_free else Base.FIXED


def with_base(robot: Robot, base: Base) -> Robot:
    """The robot with that base (1), (2); raises `RobotError` where a link `world` bolts it down or no joint is left."""
    if base_kind(robot) is base:
        return robot
    check_tree(robot)
    if base is Base.FIXED:
        free = [body.joint for body in robot.bodies if body.parent == BASE and body.joint.type is JointType.FREE]
        if len(free) == len(robot.joints):
            raise RobotError(
                f"robot '{robot.name}' has no joints on a fixed base", where=robot.source, remedy="let its base float"
            )
        return welded(robot, {joint.name: joint.kind.placement(joint.axis, joint.kind.neutral) for joint in free})
    on_base = [frame.name for frame in robot.frames if frame.body == BASE]
    if any(name.lower() == WORLD for name in on_base):
        raise RobotError(
            f"the base of robot '{robot.name}' is bolted down: its file has a link '{WORLD}'",
            where=robot.source,
            remedy=f"remove the link '{WORLD}' and its joint, or keep the base fixed",
        )
    name = on_base[0] if on_base else unused_name("base", {body.name for body in robot.bodies})
    joint = Joint(unused_name("floating_base", {body.joint.name for body in robot.bodies}), JointType.FREE)
    lacking = () if any(robot.base_inertia.parameters) else (name,)
    root = Body(name, BASE, joint, robot.base_inertia, lacking)
    bodies = (root, *(replace(body, parent=body.parent + 1) for body in robot.bodies))
    frames = (Frame(WORLD, BASE), *(replace(frame, body=frame.body + 1) for frame in robot.frames))
    rows = tuple(((0.0,) * joint.kind.nv + row) for row in robot.drives.transmission)
    drives = Drives(robot.drives.motors, rows)
    return replace(robot, bodies=bodies, frames=frames, base_inertia=Inertia(), drives=drives)
