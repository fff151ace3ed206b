"""Velocity torque: Coriolis and centrifugal torques, inverse dynamics without gravity and acceleration.

(1)  c(q, qd) = tau(q, qd, 0) - g(q) = Mdot qd - 1/2 d(qd' M qd)/dq
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.carried_links import placed_links
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.mechanism import Grouping, mechanism
from torquec.dynamics.motion import motions
from torquec.robot.robot import Robot
from torquec.spatial import Scalar


def velocity_torque(
    robot: Robot,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    *,
    grouping: Grouping = Grouping.BALANCED,
    carried: bool = False,
) -> list[Scalar]:
    """c(q, qd), (n,)."""
    m = mechanism(robot, grouping)
    placed = placed_links(m, q, carried=carried)
    still = [0.0] * m.n
    return joint_torques(m, placed, motions(placed, m.coordinates, (0.0, 0.0, 0.0), qd, still), still)
