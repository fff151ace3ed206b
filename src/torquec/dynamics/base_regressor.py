"""Regressor in base parameters: the matrix Y_b with tau = Y_b(q, qd, qdd) beta, its columns independent.

(1)  Y_b = [Y F] E,   Y the regressor of the standard parameters, F that of friction, E (p, b) the expansion of the base

E comes as an array from whoever knows the base (`torquec.parameters`); columns that it does not use are never computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.friction_regressor import FrictionColumns, friction_regressor
from torquec.dynamics.regressor import regressor
from torquec.errors import ArgumentError
from torquec.robot.robot import Robot
from torquec.spatial import Scalar


def base_regressor(
    robot: Robot,
    expansion: Sequence[Sequence[float]],
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    *,
    friction: FrictionColumns = FrictionColumns.NONE,
) -> list[list[Scalar]]:
    """Y_b (n, b) of (1); q, qd, qdd are (n,), `expansion` has a row for each column of the two regressors.

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
