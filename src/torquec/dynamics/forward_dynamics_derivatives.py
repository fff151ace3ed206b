"""Analytic derivatives of forward dynamics.

(1)  dqdd/dtau = M^-1,   dqdd/dq = -M^-1 dtau/dq,   dqdd/dqd = -M^-1 dtau/dqd,
     the derivatives of inverse dynamics taken at the acceleration that forward dynamics gives
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.carried_links import placed_links
from torquec.dynamics.forward_dynamics import regular_mechanism
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.inverse_dynamics_derivatives import torque_derivatives
from torquec.dynamics.joint_space_solve import Factors, factorize, solve
from torquec.dynamics.mass_matrix import joint_inertias
from torquec.dynamics.motion import motions
from torquec.robot.robot import Robot
from torquec.spatial import Scalar


@dataclass(frozen=True)
class AccelerationDerivatives:
    """dqdd/dq, dqdd/dqd and dqdd/dtau = M^-1, (n, n) each, row = acceleration."""

    dqdd_dq: list[list[Scalar]]
    dqdd_dqd: list[list[Scalar]]
    dqdd_dtau: list[list[Scalar]]


def forward_dynamics_derivatives(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar], *, carried: bool = False
) -> AccelerationDerivatives:
    """The derivatives (1) of `forward_dynamics` at (q, qd, tau), each (n,)."""
    m = regular_mechanism(robot)
    placed = placed_links(m, q, carried=carried)
    still = [0.0] * m.n
    bias = joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, qd, still), still)
    factors = factorize(joint_inertias(m, placed))
    qdd = solve(factors, [drive - needed for drive, needed in zip(tau, bias, strict=True)])
    torque = torque_derivatives(m, placed, qd, qdd)
    return AccelerationDerivatives(
        _solved(factors, torque.dtau_dq, -1.0), _solved(factors, torque.dtau_dqd, -1.0), _inverse(factors, m.n)
    )


def _solved(factors: Factors, matrix: list[list[Scalar]], sign: float) -> list[list[Scalar]]:
    """sign * M^-1 matrix, column by column."""
    columns = [solve(factors, [sign * row[j] for row in matrix]) for j in range(len(matrix))]
    return [list(row) for row in zip(*columns, strict=True)]


def _inverse(factors: Factors, n: int) -> list[list[Scalar]]:
    """M^-1, its lower triangle mirrored."""
    columns = [solve(factors, [1.0 if i == j else 0.0 for i in range(n)]) for j in range(n)]
    return [[columns[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
