"""Mass matrix in base parameters: M from q and beta, by composite bodies with the moments phi = E beta.

(1)  phi = E beta as in :mod:`torquec.dynamics.base_inverse_dynamics`, whose torques have this M in front of qdd
(2)  rotors are among the parameters: M += t phi t' for the row t of each one's transmission
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torquec.dynamics.base_inverse_dynamics import expanded_parameters
from torquec.dynamics.mass_matrix import joint_inertias
from torquec.dynamics.mechanism import mechanism, place
from torquec.robot.robot import Robot
from torquec.spatial import PARAMETER_NAMES, Inertia, Scalar


def base_mass_matrix(
    robot: Robot, expansion: Sequence[Sequence[float]], q: Sequence[Scalar], beta: Sequence[Scalar]
) -> list[list[Scalar]]:
    """M (n, n), both triangles, for base parameters beta (b,); `expansion` (p, b) as for `base_regressor`."""
    width, count = len(PARAMETER_NAMES), len(robot.bodies)
    phi = expanded_parameters(robot, expansion, beta)
    inertias = [Inertia(*phi[width * i : width * (i + 1)]) for i in range(count)]
    m = mechanism(robot, inertias=inertias)
    rotors: list[list[Scalar]] = [[0.0] * m.n for _ in range(m.n)]
    for row, inertia in zip(robot.drives.transmission, phi[width * count :], strict=True):
        for i in range(m.n):
            for j in range(m.n):
                if row[i] != 0.0 and row[j] != 0.0:
                    rotors[i][j] = rotors[i][j] + (row[i] * row[j]) * inertia  # (2)
    return joint_inertias(replace(m, reflected_inertia=tuple(tuple(row) for row in rotors)), place(m, q))
