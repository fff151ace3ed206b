"""Gravity torque: what holds the robot still, inverse dynamics at rest.

(1)  g(q) = tau(q, 0, 0) = dU/dq,  U the potential energy
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.carried_links import placed_links
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.mechanism import Grouping, mechanism
from torquec.dynamics.motion import motions
from torquec.robot.robot import Robot
from torquec.spatial import Scalar


def gravity_torque(
    robot: Robot, q: Sequence[Scalar], *, grouping: Grouping = Grouping.REGROUPED, carried: bool = False
) -> list[Scalar]:
    """g(q), (n,)."""
    m = mechanism(robot, grouping)
    placed = placed_links(m, q, carried=carried)
    rest = [0.0] * m.n
    return joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, rest, rest), rest)
