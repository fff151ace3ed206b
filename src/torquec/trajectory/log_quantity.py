"""Log quantities: one table of what columns can hold, with their names in headers and their units.

Headers, maps and bags are read by the rows of `LOG_QUANTITIES`. Positions, speeds and torques have a `symbol`: they
are fields of `Log` and keys of `LogMap`. For any other quantity, adding a row is enough: maps accept its key, and
headers its words. Its columns are in `Log.others` as KEY_JOINT, whatever their name in the file; `RecordedColumn` uses
them. A column that matches no row stays in `Log.others` by its own name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

TIME_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
ANGLES = {"rad": 1.0, "deg": math.pi / 180.0}
LENGTHS = {"m": 1.0, "mm": 1e-3}
TORQUE_UNITS = {"Nm": 1.0, "mNm": 1e-3, "kNm": 1e3}

TIME_WORDS = ("t", "time", "timestamp", "stamp", "seconds", "sec")
"""Names of a time column."""

UNIT_KEYS = {
    "angle_unit": ANGLES,
    "speed_unit": ANGLES,
    "length_unit": LENGTHS,
    "torque_unit": TORQUE_UNITS,
    "time_unit": TIME_UNITS,
}
"""The keys of a map that state a unit, and its choices in SI."""

UNIT_SPELLINGS = {
    "s": ("time", "s"),
    "sec": ("time", "s"),
    "ms": ("time", "ms"),
    "us": ("time", "us"),
    "ns": ("time", "ns"),
    "rad": ("angle", "rad"),
    "rad/s": ("angle", "rad"),
    "radps": ("angle", "rad"),
    "deg": ("angle", "deg"),
    "deg/s": ("angle", "deg"),
    "degps": ("angle", "deg"),
    "degrees": ("angle", "deg"),
    "m": ("length", "m"),
    "m/s": ("length", "m"),
    "mm": ("length", "mm"),
    "mm/s": ("length", "mm"),
    "n": ("torque", "Nm"),
    "nm": ("torque", "Nm"),
    "mnm": ("torque", "mNm"),
    "knm": ("torque", "kNm"),
}
"""A unit at the end of a column's name, in lower case: the quantity that it measures, and the unit."""


@dataclass(frozen=True)
class LogQuantity:
    """A quantity of each joint.

    `key` is its name in maps and messages, `words` are its names in headers. `symbol` is its field of `Log`, if it has
    one. `field` is its name in a bag's joint states.
    """

    key: str
    words: tuple[str, ...]
    symbol: str = ""
    field: str = ""
    is_needed: bool = False


LOG_QUANTITIES = (
    LogQuantity(
        "position",
        ("q", "pos", "position", "positions", "angle", "actual_q", "joint_position"),
        symbol="q",
        field="position",
        is_needed=True,
    ),
    LogQuantity(
        "velocity",
        ("dq", "qd", "qdot", "vel", "velocity", "velocities", "speed", "actual_qd", "joint_velocity"),
        symbol="qd",
        field="velocity",
    ),
    LogQuantity(
        "torque",
        ("tau", "tau_j", "torque", "torques", "trq", "effort", "efforts", "force", "joint_torque"),
        symbol="tau",
        field="effort",
        is_needed=True,
    ),
    LogQuantity("current", ("i", "current", "currents", "amps", "actual_current")),
    LogQuantity("temperature", ("temp", "temperature", "temperatures", "joint_temperature")),
)
"""Quantities that may be recorded of each joint. Currents become torques by the gains of a map."""

MAPPED = tuple(quantity.key for quantity in LOG_QUANTITIES if quantity.symbol)
"""The quantities that are fields of `Log`."""


def further_quantities() -> tuple[str, ...]:
    """The keys of the quantities that `Log.others` holds."""
    return tuple(quantity.key for quantity in LOG_QUANTITIES if not quantity.symbol)
