"""Forward dynamics: accelerations from torques.

(1)  qdd = M(q)^-1 (tau - c(q, qd) - g(q)),   M by composite bodies, c + g by one pass of inverse dynamics with qdd = 0

For the arms that this is made for (n up to ten or so), (1) costs fewer operations than the articulated-body
algorithm, and shares sines, cosines and turned vectors between its two parts.
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.joint_space_solve import factorize, solve
from torquec.dynamics.mass_matrix import joint_inertias
from torquec.dynamics.mechanism import mechanism, place
from torquec.dynamics.motion import motions
from torquec.robot.robot import Robot
from torquec.spatial import Scalar


def forward_dynamics(robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]) -> list[Scalar]:
    """Accelerations (n,) under torques tau (n,), friction not included (1)."""
    robot.check_forward_dynamics()
    m = mechanism(robot)
    placed = place(m, q)
    still = [0.0] * m.n
    bias = joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, qd, still), still)
    free = [drive - needed for drive, needed in zip(tau, bias, strict=True)]
    return solve(factorize(joint_inertias(m, placed)), free)
