"""Locked joints: the robot without them, each child body welded to its parent.

(1)  A body on a joint locked at position q becomes part of its parent. Its inertia, its frames and the joints that it
     carried are transformed by placement * (turn or slide by q).
(2)  A mimic joint of a locked joint is locked as well, at multiplier * q + offset.
(3)  Motors keep the columns of the joints that still move; a motor that turns with none of them is removed.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping

from torquec.errors import ArgumentError
from torquec.robot.robot import BASE, Drives, Joint, LockedJoint, Robot
from torquec.robot.tree import BodyTree
from torquec.spatial import IDENTITY, Pose


def lock_joints(robot: Robot, positions: Mapping[str, float]) -> Robot:
    """The robot with the named independent joints held at `positions` [rad or m].

    Raises `ArgumentError` for a name that is no independent joint, a position that is not finite, and when no joint
    would be left.

    >>> from torquec.robot import classics
    >>> lock_joints(classics.planar2r(), {classics.planar2r().joint_names[1]: 0.0}).n
    1
    """
    for name, value in positions.items():
        joint = robot.coordinates[robot.joint_index(name)].joint
        if joint.kind.nv > 1:
            raise ArgumentError(
                f"joint '{name}' ({joint.type}) has {joint.kind.nv} coordinates",
                remedy="lock joints that turn or slide; of a floating base: load(path, base='fixed')",
            )
        if not math.isfinite(value):
            raise ArgumentError(f"the position of joint '{name}' is {value}", remedy="give a finite number")
    if len(positions) == len(robot.joints):
        raise ArgumentError(f"all joints of robot '{robot.name}' are locked", remedy="leave at least one to move")
    if not positions:
        return robot
    if robot.loops is not None:
        return _locked_loops(robot, positions)
    held = {body.joint.name: held_at(body.joint, positions) for body in robot.bodies}
    poses = {
        body.joint.name: moved_by(body.joint, at) for body in robot.bodies if (at := held[body.joint.name]) is not None
    }
    locked = tuple(LockedJoint(name, float(value)) for name, value in positions.items())
    return dataclasses.replace(welded(robot, poses), locked=(*robot.locked, *locked))


def _locked_loops(robot: Robot, positions: Mapping[str, float]) -> Robot:
    """A robot with closed loops after locking joints of its tree and closing the loops again."""
    from torquec.robot.loops.close_loops import close_loops
    from torquec.robot.loops.closure import closed_at

    assert robot.loops is not None
    file = robot.loops.file
    left = dataclasses.replace(
        file,
        independent=tuple(name for name in file.independent if name not in positions),
        start=tuple(pair for pair in closed_at(robot) if pair[0] not in positions),
        driven=tuple(name for name in file.driven if name not in positions),
    )
    named = {name for each in file.couplings for name in each.names}
    if named.intersection(positions):
        raise ArgumentError(
            f"joint '{min(named.intersection(positions))}' is part of a coupling", remedy="lock other joints"
        )
    return close_loops(lock_joints(dataclasses.replace(robot, loops=None), positions), left)


def welded(robot: Robot, poses: Mapping[str, Pose]) -> Robot:
    """The robot without the named joints; the bodies on each are welded to its joint frame at a pose (1), (3)."""
    tree = BodyTree(robot.base_inertia)
    homes: list[tuple[int, Pose]] = []  # of every old body: the new body that holds it, and its frame seen from there
    for body in robot.bodies:
        carrier, seen = (BASE, IDENTITY) if body.parent == BASE else homes[body.parent]
        joint = dataclasses.replace(body.joint, placement=seen @ body.joint.placement)
        if joint.name not in poses:
            homes.append((tree.add(dataclasses.replace(body, parent=carrier, joint=joint)), IDENTITY))
            continue
        pose = joint.placement @ poses[joint.name]
        homes.append((carrier, pose))
        tree.weld(body.inertia, carrier, pose, lacking=body.lacking_inertia)  # (1)
    frames = tuple(
        frame if frame.body == BASE else dataclasses.replace(frame, body=home, pose=pose @ frame.pose)
        for frame in robot.frames
        for home, pose in ((BASE, IDENTITY) if frame.body == BASE else homes[frame.body],)
    )
    return dataclasses.replace(
        robot,
        bodies=tuple(tree.bodies),
        frames=frames,
        base_inertia=tree.base_inertia,
        drives=_remaining_drives(robot, poses),
    )


def held_at(joint: Joint, positions: Mapping[str, float]) -> float | None:
    """The position of a joint when joints are locked at `positions` (2); None for a joint that moves."""
    if joint.mimic is None:
        return positions.get(joint.name)
    leader = positions.get(joint.mimic.joint)
    return None if leader is None else joint.mimic.multiplier * leader + joint.mimic.offset


def moved_by(joint: Joint, q: float) -> Pose:
    """Pose of the child in the joint frame at q; a joint with several coordinates is at its neutral position."""
    return joint.kind.placement(joint.axis, (q,) if joint.kind.nv == 1 else joint.kind.neutral)


def _remaining_drives(robot: Robot, held: Collection[str]) -> Drives:
    """The motors that still turn a joint (3)."""
    moving = [k for k, coordinate in enumerate(robot.coordinates) if coordinate.joint.name not in held]
    kept = [
        (motor, tuple(row[k] for k in moving))
        for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True)
        if any(row[k] for k in moving)
    ]
    return Drives(tuple(motor for motor, _ in kept), tuple(row for _, row in kept))
