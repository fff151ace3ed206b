"""Small robots and laws that the tests of this room share."""

from __future__ import annotations

import numpy as np

from torquec.control.controller import Controller, make_controller
from torquec.robot.friction import Friction
from torquec.robot.robot import BASE, Body, Joint, JointType, Limits, Robot, Spring
from torquec.spatial import Inertia
from torquec.trajectory.trajectory import Trajectory


def rotor(
    *, inertia: float = 2.0, friction: Friction | None = None, effort: float = np.inf, spring: Spring | None = None
) -> Robot:
    """One wheel on a vertical axis: inertia x acceleration = torque - friction - spring."""
    joint = Joint(
        "wheel", JointType.CONTINUOUS, limits=Limits(effort=effort), friction=friction or Friction(), spring=spring
    )
    return Robot("rotor", (Body("disc", BASE, joint, Inertia(xx=inertia, yy=inertia, zz=inertia, m=1.0)),))


def constant(robot: Robot, *torques: float) -> Controller:
    """The same torques always."""
    return make_controller("constant", robot.joint_names, lambda **s: {"tau": [0.0 * s["q"][0] + t for t in torques]})


def free(robot: Robot) -> Controller:
    """No torques."""
    return constant(robot, *[0.0] * robot.n)


def clock(robot: Robot, duration: float, period: float) -> Trajectory:
    """A reference at rest in zero, to count time by."""
    t = period * np.arange(round(duration / period) + 1)
    zeros = np.zeros((len(t), robot.n))
    return Trajectory(robot.joint_names, t, zeros, zeros, zeros)
