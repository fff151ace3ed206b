"""Regressor, inverse dynamics and mass matrix in base parameters beta: tau = Y_b(q, qd, qdd) beta, Y_b of full rank.

(1)  Y_b = [Y F] E,   Y the regressor of the standard parameters, F that of friction, E (p, b) the expansion of beta
(2)  phi = E beta: standard parameters that give the same torques; dropped and grouped parameters are zero in it
(3)  tau of the recursive Newton-Euler algorithm with phi, plus rotors  t phi (t . qdd)  and friction  t phi f(t . qd).
     Most of phi is zero: the recursion needs fewer operations than with all ten parameters of every body.
(4)  M by composite bodies with phi, plus  t phi t'  for each rotor with transmission row t

E comes as an array from `torquec.parameters`; regressor columns that E does not use are never computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torquec.dynamics.closed_loops import closed_state_of, congruent
from torquec.dynamics.friction_regressor import FrictionColumns, friction_regressor
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.mass_matrix import joint_inertias
from torquec.dynamics.mechanism import mechanism, place
from torquec.dynamics.motion import motions
from torquec.dynamics.regressor import regressor
from torquec.errors import ArgumentError
from torquec.robot.robot import Robot
from torquec.spatial import PARAMETER_NAMES, Inertia, Scalar


def base_regressor(
    robot: Robot,
    expansion: Sequence[Sequence[float]],
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    *,
    friction: FrictionColumns = FrictionColumns.NONE,
) -> list[list[Scalar]]:
    """Base regressor Y_b (n, b) of (1); q, qd, qdd are (n,), `expansion` has a row for each column of Y and F.

    Raises `ArgumentError` when `expansion` has another number of rows.
    """
    rubbing = friction_regressor(robot, qd, friction)
    rows = [row + other for row, other in zip(regressor(robot, q, qd, qdd), rubbing, strict=True)]
    check_expansion(robot, expansion, len(rows[0]) if rows else len(expansion))
    columns = sparse_columns(expansion)
    return [[_combined(row, column) for column in columns] for row in rows]


def check_expansion(robot: Robot, expansion: Sequence[Sequence[float]], expected: int) -> None:
    """Raise `ArgumentError` unless the expansion has a row for every standard parameter."""
    if len(expansion) != expected:
        raise ArgumentError(
            f"the expansion has {len(expansion)} rows, robot '{robot.name}' has {expected} parameters",
            remedy="pass body_expansion of base_parameters for this robot, with the same friction",
        )


def sparse_columns(expansion: Sequence[Sequence[float]]) -> list[list[tuple[int, float]]]:
    """The columns of a matrix as (row, value) of the entries that are not zero.

    >>> sparse_columns([[0.0, 2.0], [1.0, 0.0]])
    [[(1, 1.0)], [(0, 2.0)]]
    """
    count = len(expansion[0]) if len(expansion) else 0
    return [[(k, float(row[j])) for k, row in enumerate(expansion) if row[j] != 0.0] for j in range(count)]


def _combined(row: Sequence[Scalar], column: Sequence[tuple[int, float]]) -> Scalar:
    total: Scalar = 0.0
    for k, value in column:
        total = total + (row[k] if value == 1.0 else value * row[k])
    return total


def base_inverse_dynamics(
    robot: Robot,
    expansion: Sequence[Sequence[float]],
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    beta: Sequence[Scalar],
    *,
    friction: FrictionColumns = FrictionColumns.NONE,
) -> list[Scalar]:
    """Torques (n,) for base parameters beta (b,); `expansion` (p, b) as for `base_regressor`.

    With the robot's own base parameters, this is its inverse dynamics; friction columns add friction.
    """
    if robot.dependent and friction is not FrictionColumns.NONE:
        rows = base_regressor(robot, expansion, q, qd, qdd, friction=friction)
        return [_combined(list(row), list(enumerate(beta))) for row in rows]
    if robot.dependent:
        state = closed_state_of(robot, q)
        v = state.rate(qd)
        return state.project(base_inverse_dynamics(robot.tree, expansion, state.q, v, state.acceleration(v, qdd), beta))
    width = len(PARAMETER_NAMES)
    rubbing = friction_regressor(robot, qd, friction)
    bodies, motors = width * len(robot.bodies), len(robot.drives.motors)
    phi = expanded_parameters(robot, expansion, beta, columns=len(rubbing[0]) if rubbing else 0)
    inertias = [Inertia(*phi[width * i : width * (i + 1)]) for i in range(len(robot.bodies))]
    # Rotors are among the parameters here.
    m = replace(mechanism(robot, inertias=inertias), reflected_inertia=())
    placed = place(m, q)
    tau = joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, qd, qdd), qdd)
    for k, row in enumerate(robot.drives.transmission):
        shaft: Scalar = 0.0
        for ratio, acceleration in zip(row, qdd, strict=True):
            if ratio != 0.0:
                shaft = shaft + ratio * acceleration
        for index, ratio in enumerate(row):
            if ratio != 0.0:
                tau[index] = tau[index] + ratio * (phi[bodies + k] * shaft)
    for index, columns in enumerate(rubbing):
        for value, function in zip(phi[bodies + motors :], columns, strict=True):
            tau[index] = tau[index] + value * function
    return tau


def expanded_parameters(
    robot: Robot, expansion: Sequence[Sequence[float]], beta: Sequence[Scalar], *, columns: int = 0
) -> list[Scalar]:
    """phi = E beta (2): ten per body, then rotor inertias, then as many friction parameters as there are `columns`."""
    check_expansion(robot, expansion, len(PARAMETER_NAMES) * len(robot.bodies) + len(robot.drives.motors) + columns)
    return [_row_combined(row, beta) for row in expansion]


def _row_combined(row: Sequence[float], beta: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for value, parameter in zip(row, beta, strict=True):
        if value != 0.0:
            total = total + (parameter if value == 1.0 else value * parameter)
    return total


def base_mass_matrix(
    robot: Robot, expansion: Sequence[Sequence[float]], q: Sequence[Scalar], beta: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Mass matrix M (n, n), both triangles, for base parameters beta (b,); `expansion` as for `base_regressor`."""
    if robot.dependent:
        state = closed_state_of(robot, q)
        return congruent(state, base_mass_matrix(robot.tree, expansion, state.q, beta))
    width, count = len(PARAMETER_NAMES), len(robot.bodies)
    phi = expanded_parameters(robot, expansion, beta)
    inertias = [Inertia(*phi[width * i : width * (i + 1)]) for i in range(count)]
    m = mechanism(robot, inertias=inertias)
    rotors: list[list[Scalar]] = [[0.0] * m.n for _ in range(m.n)]
    for row, inertia in zip(robot.drives.transmission, phi[width * count :], strict=True):
        for i in range(m.n):
            for j in range(m.n):
                if row[i] != 0.0 and row[j] != 0.0:
                    rotors[i][j] = rotors[i][j] + (row[i] * row[j]) * inertia  # (4)
    return joint_inertias(replace(m, reflected_inertia=tuple(tuple(row) for row in rotors)), place(m, q))
