"""What the drives must supply: rigid bodies, reflected rotors, friction and springs together.

(1)  tau_total = tau(q, qd, qdd) + friction(qd) + springs(q)
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.friction import friction_torque
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.spring_torque import spring_torque
from torquec.robot.robot import Robot
from torquec.spatial import Scalar


def total_torque(robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
    """Drive torques (n,) with everything that the robot's file knows (1)."""
    parts = zip(inverse_dynamics(robot, q, qd, qdd), friction_torque(robot, qd), spring_torque(robot, q), strict=True)
    return [bodies + friction + spring for bodies, friction, spring in parts]
