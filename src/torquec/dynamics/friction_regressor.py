"""Friction regressor: the matrix F with friction torque = F(qd) f, f the friction parameters of all shafts.

A shaft is a joint, or a motor with friction of its own; its speed is s = t . qd, with t a unit row for a joint and the
motor's row of the transmission for a motor.

(1)  torque = t phi(s) per unit of a parameter, with phi by `FrictionColumns`:
       viscous            s              coulomb            sign(s)         offset   1        (sign(0) = 1)
       viscous_positive   max(s, 0)      viscous_negative   min(s, 0)
       coulomb_positive   [s >= 0]       coulomb_negative   -[s < 0]
(2)  by direction, an offset is coulomb_positive - coulomb_negative, so it needs no column of its own
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from torquec.errors import ArgumentError
from torquec.expr.math import select
from torquec.robot.robot import Friction, Robot
from torquec.spatial import Scalar


class FrictionColumns(StrEnum):
    """Which friction parameters every shaft has."""

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


@dataclass(frozen=True)
class Shaft:
    """Something that rubs: its name, its speed per joint speed (n,), its friction."""

    name: str
    row: tuple[float, ...]
    friction: Friction


def friction_shafts(robot: Robot) -> tuple[Shaft, ...]:
    """Every independent joint, and each mimic joint and motor that has friction."""
    shafts = []
    for body in robot.bodies:
        joint = body.joint
        if joint.mimic is not None and joint.friction == Friction():
            continue
        index = robot.joint_index(joint.name if joint.mimic is None else joint.mimic.joint)
        ratio = 1.0 if joint.mimic is None else joint.mimic.multiplier
        row = tuple(ratio if k == index else 0.0 for k in range(robot.n))
        shafts.append(Shaft(joint.name, row, joint.friction))
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        if motor.friction != Friction():
            shafts.append(Shaft(motor.name, row, motor.friction))
    return tuple(shafts)


def friction_parameter_names(robot: Robot, columns: FrictionColumns) -> list[str]:
    """Names of the columns, such as 'viscous_joint1'."""
    return [f"{parameter}_{shaft.name}" for shaft in friction_shafts(robot) for parameter in columns.parameters]


def friction_parameter_values(robot: Robot, columns: FrictionColumns) -> list[float]:
    """The robot's own friction, in the order of `friction_parameter_names`.

    With fewer columns than `FrictionColumns.needed` both directions are averaged and the offset is left out.
    """
    return [value for shaft in friction_shafts(robot) for value in _values(shaft.friction, columns)]


def friction_regressor(robot: Robot, qd: Sequence[Scalar], columns: FrictionColumns) -> list[list[Scalar]]:
    """F(qd), (n, shafts times parameters); qd is (n,)."""
    shafts = friction_shafts(robot)
    width = len(columns.parameters)
    total: list[list[Scalar]] = [[0.0] * (width * len(shafts)) for _ in range(robot.n)]
    for k, shaft in enumerate(shafts):
        speed: Scalar = 0.0
        for ratio, joint_speed in zip(shaft.row, qd, strict=True):
            if ratio != 0.0:
                speed = speed + ratio * joint_speed
        for c, phi in enumerate(_functions(speed, columns)):
            for index, ratio in enumerate(shaft.row):
                if ratio != 0.0:
                    total[index][width * k + c] = ratio * phi
    return total


def _functions(speed: Scalar, columns: FrictionColumns) -> tuple[Scalar, ...]:
    """phi of (1)."""
    if columns is FrictionColumns.DIRECTIONAL:
        return (
            select(speed, speed, 0.0),
            select(speed, 0.0, speed),
            select(speed, 1.0, 0.0),
            select(speed, 0.0, -1.0),
        )
    sign = select(speed, 1.0, -1.0)
    return (speed, sign, 1.0)[: len(columns.parameters)]


def _values(f: Friction, columns: FrictionColumns) -> tuple[float, ...]:
    if columns is FrictionColumns.DIRECTIONAL:
        return (f.viscous_positive, f.viscous_negative, f.coulomb_positive + f.offset, f.coulomb_negative - f.offset)
    viscous = 0.5 * (f.viscous_positive + f.viscous_negative)
    coulomb = 0.5 * (f.coulomb_positive + f.coulomb_negative)
    return (viscous, coulomb, f.offset)[: len(columns.parameters)]
