"""Effect of angle snapping: torque and position differences between angles as written and right angles.

(1)  torque:    max |tau_snapped - tau_written| / max |tau_written|  over fixed random motions and all joints
(2)  position:  max distance between the origins of the bodies [m], over the same positions
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from torquec.dynamics.frame_pose import body_poses
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.errors import RobotError
from torquec.robot.configuration import integrate, neutral
from torquec.robot.robot import Robot

_MOTIONS = 64  # number of random motions for the maxima in (1) and (2)


@dataclass(frozen=True)
class SnapEffect:
    """Relative change of torques (1), None for a robot without dynamics, and change of positions [m] (2)."""

    torque: float | None
    position: float


def snap_effect(robot: Robot) -> SnapEffect:
    """Change of torques and positions by the robot's angle snaps; zero where there are none."""
    robot = robot.tree
    if not robot.canonical.snaps:
        return SnapEffect(0.0, 0.0)
    written = replace(robot, snap=False)
    ways, *rates = np.random.default_rng(0).uniform(-1.5, 1.5, (3, robot.n, _MOTIONS))
    q = integrate(robot, neutral(robot), list(ways))
    position = 0.0
    for a, b in zip(body_poses(robot, q), body_poses(written, q), strict=True):
        shift = sum((np.asarray(x - y) ** 2 for x, y in zip(a.origin, b.origin, strict=True)), np.zeros(1))
        position = max(position, float(np.sqrt(shift).max()))
    try:
        torques = [
            np.array([np.broadcast_to(t, (_MOTIONS,)) for t in inverse_dynamics(r, q, *(list(part) for part in rates))])
            for r in (robot, written)
        ]
    except RobotError:
        return SnapEffect(None, position)
    return SnapEffect(float(np.abs(torques[0] - torques[1]).max() / np.abs(torques[1]).max()), position)
