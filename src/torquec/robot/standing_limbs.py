"""Legs of a URDF robot: limbs of the base that reach below it, as those of a quadruped or a humanoid do.

URDF has no word for a floating base. A file whose base is bolted down says so with a root link `world`; a file without
one describes either an arm on its base or a robot that walks. With every joint at zero, or at the limit nearest to it:

(1)  a limb is everything that one joint of the base carries, with two independent joints or more; its length is the
     largest distance of one of its frames from that joint
(2)  it stands where its lowest frame lies half a length below the lowest frame of the base
(3)  and half as deep as that of the deepest limb: the hands of a humanoid hang, its feet stand

Arms start above the base that they stand on; fingers of a hand are seldom below the palm.
"""

from __future__ import annotations

from torquec.robot.lock_joints import held_at, moved_by
from torquec.robot.robot import BASE, FileWarning, Robot
from torquec.spatial import IDENTITY, Pose, Vector3, norm, subtract

_FEWEST_LEGS = 2
_FEWEST_JOINTS = 2
"""Of a leg: hip and knee. Wheels, rotors and the jaws of a gripper have one."""

_DEPTH = 0.5
"""Of the length of a limb: legs of published robots have 0.77 to 1.33, fingers up to 0.32, but for one thumb (0.56)."""

_BOLTED = "world"
"""The root link by which a URDF file says that its base is fixed."""


def standing_limbs(robot: Robot) -> tuple[str, ...]:
    """The joints of the base whose limbs stand (2), (3); none where fewer than two do, or a link is called `world`.

    >>> from torquec.robot import classics
    >>> standing_limbs(classics.puma560())
    ()
    """
    on_base = [frame for frame in robot.frames if frame.body == BASE]
    limbs = [body.joint.name for body in robot.bodies if body.parent == BASE]
    if len(limbs) < _FEWEST_LEGS or not on_base or any(frame.name.lower() == _BOLTED for frame in on_base):
        return ()
    floor = min(frame.pose.origin[2] for frame in on_base)
    poses, limb_of = _poses(robot)
    joints = dict.fromkeys(limbs, 0)
    for body, limb in zip(robot.bodies, limb_of, strict=True):
        joints[limb] += body.joint.mimic is None
    tips: dict[str, list[Vector3]] = {limb: [] for limb in limbs}
    for frame in robot.frames:
        if frame.body != BASE:
            tips[limb_of[frame.body]].append((poses[frame.body] @ frame.pose).origin)
    origin = {body.joint.name: poses[k].origin for k, body in enumerate(robot.bodies) if body.parent == BASE}
    depth = {limb: floor - min((tip[2] for tip in tips[limb]), default=floor) for limb in limbs}
    length = {limb: max((norm(subtract(tip, origin[limb])) for tip in tips[limb]), default=0.0) for limb in limbs}
    deepest = max(depth.values())
    standing = tuple(
        limb
        for limb in limbs
        if joints[limb] >= _FEWEST_JOINTS and depth[limb] > _DEPTH * max(length[limb], deepest)  # (2), (3)
    )
    return standing if len(standing) >= _FEWEST_LEGS else ()


def check_base(robot: Robot, where: str) -> list[FileWarning]:
    """A warning where a robot seems to stand on legs, and its base is treated as fixed all the same."""
    legs = standing_limbs(robot)
    if not legs:
        return []
    base = next(frame.name for frame in robot.frames if frame.body == BASE)
    text = (
        f"'{robot.name}' seems to stand on legs ({', '.join(legs)}) and its base '{base}' is treated as fixed: its "
        f"dynamics is that of the robot bolted down, not of one that walks. A floating base is not supported. If the "
        f"base is bolted down, say so with a link 'world' and a fixed joint from it to '{base}'"
    )
    return [FileWarning(where, text, about_base=True)]


def _poses(robot: Robot) -> tuple[list[Pose], list[str]]:
    """The pose of every body in the base, and the joint of the base with which its limb begins."""
    zero = {joint.name: min(max(0.0, joint.limits.lower), joint.limits.upper) for joint in robot.joints}
    poses: list[Pose] = []
    limb_of: list[str] = []
    for body in robot.bodies:
        carrier = IDENTITY if body.parent == BASE else poses[body.parent]
        poses.append(carrier @ body.joint.placement @ moved_by(body.joint, held_at(body.joint, zero) or 0.0))
        limb_of.append(body.joint.name if body.parent == BASE else limb_of[body.parent])
    return poses, limb_of
