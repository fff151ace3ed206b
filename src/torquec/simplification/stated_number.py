"""Numbers of a specification file: positive numbers, fractions, rates and ranges in radians or degrees."""

from __future__ import annotations

import math

from torquec.robot.degrees import degrees_text, is_position_in_degrees, is_speed_in_degrees
from torquec.robot.toml import Table
from torquec.simplification.tuning import TUNING


def stated_positive(table: Table, key: str) -> float | None:
    """A positive number, or None where the key is missing."""
    value = table.number(key, math.nan)
    if math.isnan(value):
        return None
    if not value > 0.0:
        table.refuse(key, f"'{key}' is {value:g}", "give a positive number")
    return value


def stated_distance(table: Table, key: str) -> float | None:
    """A positive position error in radians or metres, or None where the key is missing."""
    value = stated_positive(table, key)
    if value is not None and value > TUNING.largest_position_error:
        table.refuse(key, f"'{key}' is {value:g}", f"give radians or metres, at most {TUNING.largest_position_error:g}")
    return value


def stated_part(table: Table, key: str) -> float | None:
    """A number between 0 and 1, both excluded, or None where the key is missing."""
    value = table.number(key, math.nan)
    if math.isnan(value):
        return None
    if not 0.0 < value < 1.0:
        table.refuse(key, f"'{key}' is {value:g}", "give a part between 0 and 1, both excluded: 3 % is 0.03")
    return value


def stated_rate(table: Table, key: str) -> float | None:
    """`key` per second in radians or metres, or `key_deg`."""
    in_degrees = f"{key}_deg"
    if in_degrees not in table:
        return stated_positive(table, key)
    if key in table:
        table.refuse(in_degrees, f"the {key} is given twice", f"keep one of {key} and {in_degrees}")
    return math.radians(stated_positive(table, in_degrees) or 0.0)


def degrees_suspected(table: Table) -> tuple[str, ...]:
    """Warnings about a range and a speed that are given in radians, and look like degrees."""
    found = []
    for key, values, is_wrong, unit in (
        ("range", table.rows("range")[0] if "range" in table else (), is_position_in_degrees, "rad"),
        ("velocity", (table.number("velocity", 0.0),), is_speed_in_degrees, "rad/s"),
    ):
        if wrong := [value for value in values if is_wrong(value)]:
            text = degrees_text(key, max(wrong, key=abs), f"write {key}_deg", unit=unit)
            found.append(f"{table.where(key)}: {text}")
    return tuple(found)


def stated_range(table: Table) -> tuple[float, float] | None:
    """`range` in radians or metres, or `range_deg`."""
    given = [key for key in ("range", "range_deg") if key in table]
    if len(given) == 2:
        table.refuse("range_deg", "the range is given twice", "keep one of range and range_deg")
    if not given:
        return None
    (key,) = given
    rows = table.rows(key)
    if len(rows) != 1 or len(rows[0]) != 2 or not rows[0][0] < rows[0][1]:
        table.refuse(key, f"'{key}' is {rows[0] if len(rows) == 1 else rows}", "give two numbers, the smaller first")
    low, high = rows[0]
    return (low, high) if key == "range" else (math.radians(low), math.radians(high))
