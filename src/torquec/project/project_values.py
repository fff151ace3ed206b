"""Values of a project file: numbers in their range, positions of joints, and what another reader refuses."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from torquec.errors import TorquecError
from torquec.robot.robot import Robot
from torquec.robot.toml import Table

Value = TypeVar("Value")


def checked_at(table: Table, key: str | None, read: Callable[[], Value]) -> Value:
    """What `read` gives; what it raises is a mistake at this key."""
    try:
        return read()
    except TorquecError as error:
        inside = f"{error.where}: " if error.where else ""
        table.refuse(key, f"{inside}{error.found}", error.remedy or "correct it")


def positive_number(table: Table, key: str) -> float | None:
    """A positive number, or None where the key is missing."""
    value = table.number(key, math.inf)
    if key not in table:
        return None
    if not value > 0.0:
        table.refuse(key, f"'{key}' is {value:g}", "give a positive number")
    return value


def not_negative_number(table: Table, key: str, default: float | None = 0.0) -> float:
    """A number that is not negative; required where the default is None."""
    value = table.number(key, default)
    if not value >= 0.0:
        table.refuse(key, f"'{key}' is {value:g}", "give a number that is not negative")
    return value


def whole_number(table: Table, key: str, default: int, *, least: int) -> int:
    """A whole number."""
    value = table.number(key, float(default))
    if value != int(value) or value < least:
        table.refuse(key, f"'{key}' is {value:g}", f"give a whole number, {least} or more")
    return int(value)


def joint_positions(table: Table, key: str, robot: Robot) -> tuple[float, ...] | None:
    """One value for each joint, in radians or metres; `key_deg` has angles in degrees."""
    in_degrees = f"{key}_deg"
    given = [name for name in (key, in_degrees) if name in table]
    if len(given) == 2:
        table.refuse(in_degrees, f"'{key}' is given twice", f"keep one of {key} and {in_degrees}")
    if not given:
        table.number(key, 0.0), table.number(in_degrees, 0.0)  # keys that are known here
        return None
    rows = table.rows(given[0])
    if len(rows) != 1 or len(rows[0]) != robot.n:
        table.refuse(
            given[0],
            f"'{given[0]}' has {len(rows[0])} values, and robot '{robot.name}' has {robot.n} joints",
            f"give one for each of {', '.join(robot.joint_names)}",
        )
    turns = [not joint.type.is_prismatic and given[0] == in_degrees for joint in robot.joints]
    return tuple(math.radians(value) if turn else value for value, turn in zip(rows[0], turns, strict=True))
