"""Gripper joints and the hand of an arm, found by mass and by branching.

(1)  gripper: a body (the palm) with two or more moving children (the fingers) that together have at most a twentieth
     of the moving mass
(2)  its joints: every independent joint of these children and of what they carry
(3)  hand: the frame named after the outermost body that has frames, or else the last frame on it. If that body lies
     beyond a palm, the hand is the last frame on the palm: a body that carries several branches, each with fewer
     joints than lie between the base and the palm.
(4)  a gripper with one moving jaw is detected by name: where the outermost body is called jaw, finger, claw or mover,
     or its joint is called gripper, the hand is on the body that carries it

The arms of a two-armed robot and the legs of a walking one are far heavier than (1) allows.
"""

from __future__ import annotations

import re

from torquec.errors import ArgumentError
from torquec.robot.robot import BASE, Robot
from torquec.robot.tuning import TUNING

_JAW = re.compile(r"jaw|finger|claw|mover", re.IGNORECASE)
_GRIPPER = re.compile(r"jaw|finger|claw|gripper", re.IGNORECASE)
_WRIST = re.compile(r"wrist|roll|pitch|yaw|rotat", re.IGNORECASE)
"""Wrist joints, which may have "gripper" in their names, too."""


def gripper_joints(robot: Robot) -> tuple[str, ...]:
    """Names of the gripper joints (2); none for a robot without a gripper.

    >>> from torquec.robot import classics
    >>> gripper_joints(classics.puma560())
    ()
    """
    carried = [body.inertia.m for body in robot.bodies]
    children: dict[int, list[int]] = {}
    for index in range(len(robot.bodies) - 1, -1, -1):
        parent = robot.bodies[index].parent
        children.setdefault(parent, []).append(index)
        if parent != BASE:
            carried[parent] += carried[index]
    fingers: set[int] = set()
    for index, body in enumerate(robot.bodies):
        beside = children[body.parent]
        light = sum(carried[child] for child in beside) <= TUNING.finger_mass_share * robot.moving_mass
        if body.parent in fingers or (body.parent != BASE and len(beside) > 1 and light):
            fingers.add(index)
    return tuple(
        body.joint.name
        for index, body in enumerate(robot.bodies)
        if index in fingers and body.joint.mimic is None and body.joint.name in robot.joint_names
    )


def hand_frame(robot: Robot) -> str:
    """Tool frame (3): the frame named after the outermost body that has frames, or else the last frame on it.

    A tool is not mounted on fingers: beyond a palm (3), or on a single jaw (4), the last frame on the body that carries
    the fingers or the jaw is taken. Raises `ArgumentError` for a robot without frames.
    """
    if not robot.frames:
        raise ArgumentError(f"robot '{robot.name}' has no frames", remedy="name one in its file")
    outermost = max(frame.body for frame in robot.frames)
    palm = _palm(robot, outermost)
    if palm is None and _is_jaw(robot, outermost):
        palm = robot.bodies[outermost].parent
    if palm is not None and any(frame.body == palm for frame in robot.frames):
        return [frame.name for frame in robot.frames if frame.body == palm][-1]
    on_it = [frame.name for frame in robot.frames if frame.body == outermost]
    own = robot.bodies[outermost].name if outermost >= 0 else ""
    return own if own in on_it else on_it[-1]


def _is_jaw(robot: Robot, index: int) -> bool:
    """Whether a body is a single jaw (4): it carries nothing, is the only child of a moving body, and is named so."""
    if index < 0 or robot.bodies[index].parent == BASE:
        return False
    body = robot.bodies[index]
    carries = any(other.parent == index for other in robot.bodies)
    beside = sum(other.parent == body.parent for other in robot.bodies)
    named = _JAW.search(body.name) or (_GRIPPER.search(body.joint.name) and not _WRIST.search(body.joint.name))
    return not carries and beside == 1 and bool(named)


def _palm(robot: Robot, body: int) -> int | None:
    """The palm (3): the body nearest to the base, on the way to `body`, that carries fingers; None without one."""
    parents = [one.parent for one in robot.bodies]
    carried = [1] * len(parents)
    for i in reversed(range(len(parents))):
        if parents[i] >= 0:
            carried[parents[i]] += carried[i]
    way = []
    while body >= 0:
        way.append(body)
        body = parents[body]
    way.reverse()  # from the base outwards: way[k] has k + 1 joints before it, its own among them
    for k, at in enumerate(way):
        fingers = [carried[i] for i in range(len(parents)) if parents[i] == at]
        if len(fingers) > 1 and max(fingers) < k + 1:
            return at
    return None
