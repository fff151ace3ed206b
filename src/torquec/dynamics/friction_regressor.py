"""Friction regressor: the matrix F with friction torque = F(qd) f, f the friction parameters of all shafts.

A shaft (`shafts`) with row t turns at s = t . qd.

(1)  torque = t phi(s) per unit of a parameter, with phi the columns of the friction terms (`friction`):
       viscous            s              coulomb            sign(s)         offset   1        (sign(0) = 0)
       viscous_positive   max(s, 0)      viscous_negative   min(s, 0)
       coulomb_positive   [s > 0]        coulomb_negative   -[s < 0]
(2)  columns by direction need none for the offset: it is coulomb_positive - coulomb_negative wherever the shaft moves
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from torquec.dynamics.friction import ShaftState, column_function, direction_of
from torquec.dynamics.friction_torque import Shaft, friction_shafts
from torquec.errors import ArgumentError
from torquec.robot.friction import Friction, stored_words
from torquec.robot.robot import Robot
from torquec.spatial import Scalar


class FrictionColumns(StrEnum):
    """The set of friction parameters that every shaft has."""

    NONE = "none"
    SYMMETRIC = "symmetric"
    OFFSET = "offset"
    DIRECTIONAL = "directional"

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of one shaft's parameters, in order (1)."""
        return {
            FrictionColumns.NONE: (),
            FrictionColumns.SYMMETRIC: ("viscous", "coulomb"),
            FrictionColumns.OFFSET: ("viscous", "coulomb", "offset"),
            FrictionColumns.DIRECTIONAL: (
                "viscous_positive",
                "viscous_negative",
                "coulomb_positive",
                "coulomb_negative",
            ),
        }[self]

    @staticmethod
    def needed(robot: Robot) -> FrictionColumns:
        """The fewest columns that hold the robot's own friction, at least viscous and Coulomb."""
        frictions = [shaft.friction for shaft in friction_shafts(robot)]
        if any(f.viscous_positive != f.viscous_negative or f.coulomb_positive != f.coulomb_negative for f in frictions):
            return FrictionColumns.DIRECTIONAL
        return FrictionColumns.OFFSET if any(f.offset != 0.0 for f in frictions) else FrictionColumns.SYMMETRIC


def friction_columns(name: str) -> FrictionColumns:
    """The columns of that name; raises `ArgumentError` for an unknown one."""
    try:
        return FrictionColumns(name)
    except ValueError:
        raise ArgumentError(
            f"there are no friction columns '{name}'", remedy=f"they are {', '.join(FrictionColumns)}"
        ) from None


def friction_parameter_names(robot: Robot, columns: FrictionColumns | Sequence[str]) -> list[str]:
    """Names of the columns, such as 'viscous_joint1'."""
    return [f"{parameter}_{shaft.name}" for shaft in _shafts(robot, columns) for parameter in column_names(columns)]


def friction_parameter_values(robot: Robot, columns: FrictionColumns | Sequence[str]) -> list[float]:
    """The robot's own friction, in the order of `friction_parameter_names`.

    With fewer columns than `FrictionColumns.needed`, both directions are averaged and the offset is left out.
    """
    return [value for shaft in _shafts(robot, columns) for value in _values(shaft.friction, columns)]


def friction_regressor(
    robot: Robot,
    qd: Sequence[Scalar],
    columns: FrictionColumns | Sequence[str],
    *,
    load: Sequence[Scalar] | None = None,
) -> list[list[Scalar]]:
    """Friction regressor F(qd), (n, shafts times parameters); qd is (n,).

    `columns` may also name linear parameters of any terms (`torquec.dynamics.friction`); load-dependent terms need
    `load` (n,), the rigid-body torques. Raises `ArgumentError` for a name that no term has.
    """
    shafts = _shafts(robot, columns)
    names = column_names(columns)
    functions = [column_function(name) for name in names]
    width = len(names)
    total: list[list[Scalar]] = [[0.0] * (width * len(shafts)) for _ in range(robot.n)]
    for k, shaft in enumerate(shafts):
        speed = shaft.speed(qd)
        carried = 0.0 if load is None else shaft.load(load)
        state = ShaftState(speed, direction_of(shaft.friction, speed), carried)
        for c, function in enumerate(functions):
            phi = function(shaft.friction, state)
            for index, ratio in enumerate(shaft.row):
                if ratio != 0.0:
                    total[index][width * k + c] = ratio * phi
    return total


def _shafts(robot: Robot, columns: FrictionColumns | Sequence[str]) -> tuple[Shaft, ...]:
    """The shafts that have columns; none for empty `columns`, so that friction at dependent joints is no error."""
    return friction_shafts(robot) if column_names(columns) else ()


def column_names(columns: FrictionColumns | Sequence[str]) -> tuple[str, ...]:
    """The names of one shaft's columns."""
    return columns.parameters if isinstance(columns, FrictionColumns) else tuple(columns)


def _values(f: Friction, columns: FrictionColumns | Sequence[str]) -> tuple[float, ...]:
    if columns is FrictionColumns.DIRECTIONAL:
        return (f.viscous_positive, f.viscous_negative, f.coulomb_positive + f.offset, f.coulomb_negative - f.offset)
    words = [stored_words(name) for name in column_names(columns)]
    return tuple(sum(f.value(word) for word in both) / len(both) for both in words)
