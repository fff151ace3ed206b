"""Forward dynamics, accelerations from torques, and its analytic derivatives.

(1)  qdd = M(q)^-1 (tau - c(q, qd) - g(q)),   M by composite bodies, c + g by one pass of inverse dynamics with qdd = 0
(2)  dqdd/dtau = M^-1,   dqdd/dq = -M^-1 dtau/dq,   dqdd/dqd = -M^-1 dtau/dqd,
     the derivatives of inverse dynamics taken at the acceleration of (1)

On a floating base, gravity and the base's velocity v accelerate all bodies alike; this part needs no solve. With the
base's angular velocity w, gravity a in its axes, and its six rates first:

(3)  qdd = qdd' + (a - w x v, 0),   qdd' the acceleration without gravity at v = 0
(4)  dqdd = dqdd' + (a x dtheta - w x dv + v x dw, 0),   dqdd' without columns of the base's pose and of v

For arms of up to ten joints or so, (1) costs fewer operations than the articulated-body algorithm, and shares sines,
cosines and turned vectors between its two parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from torquec.dynamics.carried_links import placed_links
from torquec.dynamics.closed_loops import closed_state_of
from torquec.dynamics.inverse_dynamics import inverse_dynamics, joint_torques
from torquec.dynamics.inverse_dynamics_derivatives import inverse_dynamics_derivatives, torque_derivatives
from torquec.dynamics.joint_space_solve import BranchedInverse, Factors, factorize, solve
from torquec.dynamics.mass_matrix import joint_inertias, mass_matrix
from torquec.dynamics.mechanism import Mechanism, mechanism, place
from torquec.dynamics.motion import motions
from torquec.errors import RobotError
from torquec.robot.configuration import integrate, neutral
from torquec.robot.joints import JointType
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Scalar, Vector3, cross, scale, subtract

_ZERO_EIGENVALUE = 1e-13  # rounding error of a zero eigenvalue of M, its diagonal scaled to one


def forward_dynamics(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar], *, carried: bool = False
) -> list[Scalar]:
    """Accelerations (n,) under torques tau (n,), friction not included (1)."""
    if robot.dependent:
        return _loop_acceleration(robot, q, qd, tau)[1]
    m = regular_mechanism(robot)
    placed = placed_links(m, q, carried=carried)
    own, rates = _carried_along(m, qd)
    still = [0.0] * m.n
    bias = joint_torques(own, placed, motions(placed, m.coordinates, own.gravity, rates, still), still)
    free = [drive - needed for drive, needed in zip(tau, bias, strict=True)]
    found = solve(factorize(joint_inertias(m, placed)), free)
    if own is m:
        return found
    pull = subtract(placed[0].turn.back(m.gravity), cross(_three(qd, 3), _three(qd, 0)))
    return [*(a + b for a, b in zip(found[:3], pull, strict=True)), *found[3:]]


def _carried_along(m: Mechanism, qd: Sequence[Scalar]) -> tuple[Mechanism, Sequence[Scalar]]:
    """(3): the mechanism without gravity, and the rates without the base's velocity; unchanged on a fixed base."""
    if [link.kind.name for link in m.links if link.parent == BASE] != [JointType.FREE.value]:
        return m, qd
    return replace(m, gravity=(0.0, 0.0, 0.0)), [0.0, 0.0, 0.0, *qd[3:]]


def _three(values: Sequence[Scalar], first: int) -> Vector3:
    return (values[first], values[first + 1], values[first + 2])


def regular_mechanism(robot: Robot) -> Mechanism:
    """The robot's constants, after a check that M is nonsingular.

    Raises `RobotError` where M is singular in every configuration: a joint that moves no inertia, or joints that share
    a single one. Checked at one configuration without symmetry: an eigenvalue that is zero there is zero everywhere.
    """
    robot.check_forward_dynamics()
    m = mechanism(robot)
    if m.n == 0:
        return m
    sample = integrate(robot, neutral(robot), [0.6 + math.sqrt(2.0 + i) % 0.7 for i in range(m.n)])
    mass = np.array(joint_inertias(m, place(m, sample)), dtype=np.float64)
    unit = 1.0 / np.sqrt(np.abs(np.diag(mass)))
    values, vectors = np.linalg.eigh(mass * unit[:, None] * unit)
    least = int(np.argmin(np.abs(values)))
    if abs(values[least]) < _ZERO_EIGENVALUE:
        parts = zip(robot.coordinates, vectors[:, least], strict=True)
        shared = [coordinate.name for coordinate, part in parts if abs(part) > 1e-3]
        raise RobotError(
            f"the dynamics of robot '{robot.name}' is singular: "
            f"the joints {', '.join(shared)} move one inertia between them",
            where=robot.source,
            remedy="give the bodies between them an inertia, weld one with a fixed joint, or add a rotor inertia",
        )
    return m


@dataclass(frozen=True)
class AccelerationDerivatives:
    """dqdd/dq, dqdd/dqd and dqdd/dtau = M^-1, (n, n) each, row = acceleration."""

    dqdd_dq: list[list[Scalar]]
    dqdd_dqd: list[list[Scalar]]
    dqdd_dtau: list[list[Scalar]]


def forward_dynamics_derivatives(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar], *, carried: bool = False
) -> AccelerationDerivatives:
    """The derivatives (2) of `forward_dynamics` at (q, qd, tau), each (n,); q is (nq,)."""
    if robot.dependent:
        own, found = _loop_acceleration(robot, q, qd, tau)
        slopes = inverse_dynamics_derivatives(robot, q, qd, found)
        by_q, by_qd = (_solved(partial(solve, own), matrix) for matrix in (slopes.dtau_dq, slopes.dtau_dqd))
        return AccelerationDerivatives(by_q, by_qd, _inverse(own, robot.n))
    m = regular_mechanism(robot)
    placed = placed_links(m, q, carried=carried)
    bare, rates = _carried_along(m, qd)
    still = [0.0] * m.n
    bias = joint_torques(bare, placed, motions(placed, m.coordinates, bare.gravity, rates, still), still)
    factors = factorize(joint_inertias(m, placed))
    qdd = solve(factors, [drive - needed for drive, needed in zip(tau, bias, strict=True)])
    torque = torque_derivatives(bare, placed, rates, qdd)
    if any(link.kind.nv > 1 for link in placed):
        inverse = BranchedInverse.of(factors)
        dtau_dq, dtau_dqd = torque.dtau_dq, torque.dtau_dqd
        if bare is not m:
            dtau_dq, dtau_dqd = _without_columns(dtau_dq, 6), _without_columns(dtau_dqd, 3)
        by_q, by_qd = (_solved(inverse.solve, matrix) for matrix in (dtau_dq, dtau_dqd))
        if bare is not m:
            _add_skew(by_q, 3, placed[0].turn.back(m.gravity))
            _add_skew(by_qd, 0, scale(_three(qd, 3), -1.0))
            _add_skew(by_qd, 3, _three(qd, 0))
        return AccelerationDerivatives(by_q, by_qd, inverse.matrix())
    by_q, by_qd = (_solved(partial(solve, factors), matrix) for matrix in (torque.dtau_dq, torque.dtau_dqd))
    return AccelerationDerivatives(by_q, by_qd, _inverse(factors, m.n))


def _without_columns(matrix: list[list[Scalar]], count: int) -> list[list[Scalar]]:
    """The matrix with zeros in its first columns."""
    return [[*([0.0] * count), *row[count:]] for row in matrix]


def _add_skew(matrix: list[list[Scalar]], column: int, a: Vector3) -> None:
    """Add the skew matrix [a x] to the rows of the base's acceleration, from `column` on (4)."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        matrix[i][column + k] = matrix[i][column + k] + a[j]
        matrix[i][column + j] = matrix[i][column + j] - a[k]


def _loop_acceleration(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]
) -> tuple[Factors, list[Scalar]]:
    """Factors of M and the accelerations (1) of a robot with closed loops, its dependent joints computed once."""
    state: Any = closed_state_of(robot, q)
    bias = inverse_dynamics(robot, state, qd, [0.0] * robot.n)
    factors = factorize(mass_matrix(robot, state))
    return factors, solve(factors, [drive - needed for drive, needed in zip(tau, bias, strict=True)])


def _solved(solver: Callable[[list[Scalar]], list[Scalar]], matrix: list[list[Scalar]]) -> list[list[Scalar]]:
    """-M^-1 times a matrix, column by column."""
    columns = [solver([-1.0 * row[j] for row in matrix]) for j in range(len(matrix))]
    return [list(row) for row in zip(*columns, strict=True)]


def _inverse(factors: Factors, n: int) -> list[list[Scalar]]:
    """M^-1, its lower triangle mirrored."""
    columns = [solve(factors, [1.0 if i == j else 0.0 for i in range(n)]) for j in range(n)]
    return [[columns[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
