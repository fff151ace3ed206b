"""Values of a project file: numbers in their range, positions of joints, and what another reader refuses."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from torquec.errors import TorquecError
from torquec.robot.degrees import degrees_text, is_position_in_degrees, warn_of_degrees
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
        table.refuse(key, f"'{key}' is {value:g}", "give a positive number", alone=True)
    return value


def not_negative_number(table: Table, key: str, default: float | None = 0.0) -> float:
    """A number that is not negative; required where the default is None."""
    value = table.number(key, default)
    if not value >= 0.0:
        table.refuse(key, f"'{key}' is {value:g}", "give a number that is not negative", alone=True)
    return value


def whole_number(table: Table, key: str, default: int, *, least: int, most: int | None = None) -> int:
    """A whole number."""
    value = table.number(key, float(default))
    if value != int(value) or value < least or (most is not None and value > most):
        range_ = f"{least} or more" if most is None else f"{least} to {most}"
        table.refuse(key, f"'{key}' is {value:g}", f"give a whole number, {range_}", alone=True)
    return int(value)


def tell_of_degrees(table: Table, key: str, text: str, *, strict: bool) -> None:
    """Warn (`UnitWarning`) of an angle at this key that looks like degrees, where there is something to tell.

    With `strict` it is a mistake of the file.
    """
    if text and strict:
        table.refuse(key, text, "correct it, or leave out strict")
    if text:
        warn_of_degrees(text, table.where(key))


def lock_position(table: Table, key: str, robot: Robot, *, strict: bool) -> float:
    """The position at which the joint of this name is held; told where it looks like degrees."""
    value = table.number(key)
    joint = robot.coordinates[checked_at(table, key, lambda: robot.joint_index(key))]
    if joint.turns and is_position_in_degrees(value):
        text = degrees_text(f"the position of joint '{key}'", value, "write radians")
        tell_of_degrees(table, key, text, strict=strict)
    return value


def joint_positions(table: Table, key: str, robot: Robot, *, strict: bool) -> tuple[float, ...] | None:
    """One value for each joint, in radians or metres; `key_deg` has angles in degrees.

    Values in radians that look like degrees are told.
    """
    in_degrees = f"{key}_deg"
    given = [name for name in (key, in_degrees) if name in table]
    if len(given) == 2:
        table.refuse(in_degrees, f"'{key}' is given twice", f"keep one of {key} and {in_degrees}")
    if not given:
        return None
    rows = table.rows(given[0])
    if len(rows) != 1:
        table.refuse(given[0], f"'{given[0]}' has {len(rows)} rows", "give one list with a number for each joint")
    if len(rows[0]) != robot.n:
        table.refuse(
            given[0],
            f"'{given[0]}' has {len(rows[0])} values, and robot '{robot.name}' has {robot.n} joints",
            f"give one for each of {', '.join(robot.joint_names)}",
        )
    turns = [each.turns for each in robot.coordinates]
    if given[0] == in_degrees:
        return tuple(math.radians(value) if turn else value for value, turn in zip(rows[0], turns, strict=True))
    wrong = [value for value, turn in zip(rows[0], turns, strict=True) if turn and is_position_in_degrees(value)]
    text = degrees_text(f"'{key}'", wrong[0], f"write {in_degrees}") if wrong else ""
    tell_of_degrees(table, key, text, strict=strict)
    return tuple(rows[0])
