"""A log as the robot's own model would give it: to try a procedure before the robot moves.

(1)  tau = total torque of the model along a motion, plus white noise whose deviation is a share of each joint's torque
"""

from __future__ import annotations

import numpy as np

from torquec.errors import ArgumentError
from torquec.identification.excitation import ExcitationOptions, excitation
from torquec.model.model import compile
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.trajectory import Trajectory

_TRIES = 60  # a tolerable motion, not the best


def simulated_log(robot: Robot, motion: Trajectory | None = None, *, noise: float = 0.01, seed: int = 0) -> Log:
    """The log (1) of a motion (one that excites the robot unless given); `noise` is relative.

    Raises `ArgumentError` for noise that is negative or not finite, `RobotError` for a robot without inertias.
    """
    if not 0.0 <= noise < np.inf:
        raise ArgumentError(f"noise of {noise}", remedy="give zero or more, as a share of the torques")
    if motion is None:
        options = ExcitationOptions(evaluations=_TRIES, seed=seed, period=0.01)
        motion = excitation(robot, options=options).trajectory
    rng = np.random.default_rng(seed)
    tau = np.asarray(compile(robot).total_torque(motion.q, motion.qd, motion.qdd))
    tau = tau + noise * np.sqrt((tau**2).mean(axis=0)) * rng.normal(size=tau.shape)
    return Log(robot.joint_names, motion.t, motion.q, tau, motion.qd, source="simulated")
