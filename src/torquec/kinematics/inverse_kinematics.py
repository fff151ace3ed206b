"""Inverse kinematics: all branches of a pose, each with its name and its status.

    ik = inverse_kinematics(robot, "tool")
    ways = ik(rotation, position)              # ways.q (branches, n), ways.status, ways.error
    best = ik.nearest(rotation, position, near=q)
    ik.rates(q, velocity, acceleration)        # qd, qdd

Arms with a closed form are described in :mod:`torquec.kinematics.arm_family`, iterative methods for others in
:mod:`torquec.kinematics.iterative_kinematics`.
"""

from __future__ import annotations

from torquec.errors import ArgumentError, RobotError
from torquec.foundation.choice import chosen
from torquec.kinematics.accepts import closed_form_of, no_closed_form
from torquec.kinematics.arm_family import general_arm
from torquec.kinematics.arm_geometry import ClosedArm, arm_geometry
from torquec.kinematics.closed_kinematics import InverseKinematics
from torquec.kinematics.eliminated_kinematics import EliminatedKinematics
from torquec.kinematics.iterative_kinematics import IterativeKinematics, numeric_arm
from torquec.kinematics.kinematics_task import KinematicsTask
from torquec.kinematics.line_elimination import line_elimination
from torquec.kinematics.near_arm import near_arm
from torquec.robot.gripper_joints import hand_frame
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import check_single_coordinates


def inverse_kinematics(
    robot: Robot, frame: str | None = None, *, free: str | None = None, task: KinematicsTask | str = KinematicsTask.POSE
) -> InverseKinematics:
    """The inverse kinematics of a robot's frame (by default its hand); a model may be given in place of a robot.

    `free` names the joint whose value is given if the arm has one more than a pose needs; without it one is chosen.
    An arm without a closed form is solved by iteration, from the closed form of a nearby arm if there is one: see
    `method`. `task` is the part of a pose to be met: all of it; the position and the direction of the frame's z axis
    (`axis`); or the position alone, for which rotations may be None. Both partial tasks are solved numerically, for any
    number of joints. Raises `ArgumentError` for an unknown frame, joint or task, or a free joint with a partial task,
    and `RobotError` where no joint moves the frame, the joint named as free leaves no closed form, or a joint is free,
    ball or planar.

    >>> from torquec.robot import classics
    >>> inverse_kinematics(classics.puma560(), "link6").names[0]
    'shoulder left, elbow up, wrist no flip'
    """
    robot = getattr(robot, "robot", robot)
    if not isinstance(robot, Robot):
        raise ArgumentError(
            f"inverse kinematics is of a robot, not of {type(robot).__name__}", remedy="give a robot or a model"
        )
    check_single_coordinates(robot)
    frame = hand_frame(robot) if frame is None else frame
    arm = arm_geometry(robot, frame)
    wanted = chosen(KinematicsTask, task, "task")
    if wanted is not KinematicsTask.POSE:
        if free is not None:
            raise ArgumentError(
                f"a free joint with the task '{wanted}'", remedy="all joints move: leave out the free one"
            )
        return IterativeKinematics(robot, frame, arm, numeric_arm(), task=wanted)
    found = closed_form_of(arm, free)
    if isinstance(found, ClosedArm):
        return InverseKinematics(robot, frame, arm, found)
    tidy = near_arm(arm)
    near = closed_form_of(tidy, free)
    if isinstance(near, ClosedArm):
        return IterativeKinematics(robot, frame, arm, near, tidy)
    if free is None:
        general = general_arm(arm)
        if isinstance(general, ClosedArm):
            return InverseKinematics(robot, frame, arm, general)
        general = general_arm(tidy)
        if isinstance(general, ClosedArm):
            return IterativeKinematics(robot, frame, arm, general, tidy)
    if free is not None:
        raise RobotError(
            no_closed_form(robot, frame, arm, found),
            remedy="name another free joint, or none: the numeric solver moves all joints",
        )
    eliminated = line_elimination(arm)
    if eliminated is not None:
        return EliminatedKinematics(robot, frame, arm, numeric_arm(), elimination=eliminated)
    return IterativeKinematics(robot, frame, arm, numeric_arm())
