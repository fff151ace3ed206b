"""Column maps of logs: a TOML file with names, units, signs, gears and delay, for logs without clear headers.

time = "t"                          # name of the column
position = "q_mot_{}"               # {} is 1 .. n, or a list of names in joint order
velocity = "dq_mot_{}"              # a map with `position` and without this key uses no recorded speeds
torque = "i_mot_{}"
temperature = "T_{}"                # or another quantity of `log_quantity`: in `Log.others` as temperature_JOINT
topic = "/joint_states"             # of a bag that holds several
angle_unit = "deg"                  # of positions, speeds and `offset`; "rad" unless given
speed_unit = "rad"                  # of the speeds, where it is not `angle_unit`
length_unit = "mm"                  # the same for prismatic joints; "m" unless given
torque_unit = "mNm"                 # Nm, mNm or kNm
time_unit = "ms"                    # s, ms, us or ns
unwrap = true                       # positions jump at a full turn: join them
gains = [0.1, 0.1]                  # Nm per unit of the torque column (per ampere, for currents)
signs = [1, -1]                     # of position, speed and torque, per column
gear_ratios = [100, 50]             # motor turns per joint turn, or
transmission = [[100, 0], [30, 50]] # motor = transmission * joint, for coupled drives
motor_side = ["position", "velocity", "torque"]   # which columns are the motors'; all of them unless given
offset = [0, -90]                   # added to the joint positions at the end
delay = 0.002                       # seconds by which torques are late
estimate_delay = true               # identification finds the delay that fits the robot best
joints = ["a", "b"]                 # which joints the columns are; all of the robot's unless given

Every key may be left out. Columns and units that the map does not name are guessed from the header (`log_columns`).
From recorded columns x to joints, in this order:

(1)  x is unwrapped at full turns, times its sign, times the unit of its column; torques times their gain
(2)  motor side, with T the transmission: q = T^-1 x, qd = T^-1 x, tau = T' x
(3)  q + offset
"""

from __future__ import annotations

import dataclasses
import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.reading import FileKind, parse_toml_values, read_text, to_path
from torquec.trajectory.log_quantity import (
    ANGLES,
    LENGTHS,
    MAPPED,
    TIME_UNITS,
    TORQUE_UNITS,
    UNIT_KEYS,
    further_quantities,
)

LONGEST_DELAY = 0.5
"""Largest plausible delay of a drive [s]: a larger number is taken for milliseconds."""
_TEXTS = {"time", "topic", *UNIT_KEYS}
_FORMER = {"angle": "angle_unit", "velocity_angle": "speed_unit", "length": "length_unit"}
"""Former names of keys, still accepted."""
_FLAGS = {"unwrap", "estimate_delay"}
_NUMBERS = {"gains", "signs", "gear_ratios", "offset"}
_PER_JOINT = (*MAPPED, "gains", "signs", "gear_ratios", "transmission", "offset")


@dataclass(frozen=True)
class LogMap:
    """The keys of the file, as described above; `further` are the columns of quantities that are no fields of `Log`."""

    time: str | None = None
    position: str | tuple[str, ...] | None = None
    velocity: str | tuple[str, ...] | None = None
    torque: str | tuple[str, ...] | None = None
    further: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    topic: str | None = None
    angle_unit: str | None = None
    speed_unit: str | None = None
    length_unit: str | None = None
    torque_unit: str | None = None
    time_unit: str | None = None
    unwrap: bool = False
    gains: tuple[float, ...] | None = None
    signs: tuple[float, ...] | None = None
    gear_ratios: tuple[float, ...] | None = None
    transmission: tuple[tuple[float, ...], ...] | None = None
    motor_side: tuple[str, ...] = MAPPED
    offset: tuple[float, ...] | None = None
    delay: float = 0.0
    estimate_delay: bool = False
    joints: tuple[str, ...] | None = None

    def names(self, quantity: str, n: int) -> tuple[str, ...] | None:
        """The columns of a quantity for n joints; None where the log has none.

        >>> LogMap(torque="i_{}").names("torque", 2)
        ('i_1', 'i_2')
        """
        pattern = getattr(self, quantity) if quantity in MAPPED else self.further.get(quantity)
        if pattern is None or isinstance(pattern, tuple):
            return pattern
        return tuple(pattern.replace("{}", str(k + 1)) for k in range(n))

    def matrix(self) -> Array | None:
        """The transmission (n, n), motor = matrix * joint; None without gears."""
        if self.transmission is not None:
            return np.array(self.transmission, dtype=np.float64)
        return None if self.gear_ratios is None else np.diag(np.array(self.gear_ratios, dtype=np.float64))

    def to_joint(self, quantity: str, values: Array, *, sliding: tuple[bool, ...] = ()) -> Array:
        """Unwrapped columns of a quantity (N, n) in joint coordinates and SI units (1)-(3).

        `sliding` says which joints translate (none, unless given).

        >>> LogMap(gear_ratios=(50.0,), torque_unit="mNm").to_joint("torque", np.array([[100.0]]))
        array([[5.]])
        """
        units = self._units(quantity, sliding or (False,) * values.shape[1])
        factors = units if self.signs is None else units * np.array(self.signs)
        if quantity == "torque" and self.gains is not None:
            factors = factors * np.array(self.gains)
        result: Array = values * factors
        gears = self.matrix()
        if gears is not None and quantity in self.motor_side:
            through: Array = gears if quantity == "torque" else np.linalg.inv(gears).T.astype(np.float64)
            result = _sparse_product(result, through)
        if quantity == "position" and self.offset is not None:
            slides = np.array(sliding or (False,) * len(self.offset))
            units = np.where(slides, LENGTHS[self.length_unit or "m"], ANGLES[self.angle_unit or "rad"])
            result = result + np.array(self.offset) * units
        return result

    def turn(self) -> float:
        """A full turn in the unit of the recorded positions."""
        return 2.0 * math.pi / ANGLES[self.angle_unit or "rad"]

    def seconds(self, stamps: Array) -> Array:
        """Times in seconds."""
        return stamps * TIME_UNITS[self.time_unit or "s"]

    def check(self, n: int, where: str = "") -> None:
        """Raise `ArgumentError` unless every list has n entries and every word is known."""
        for name, known in UNIT_KEYS.items():
            word = getattr(self, name)
            if word is not None and word not in known:
                raise ArgumentError(f"{name} is '{word}'", where=where, remedy=f"it can be {', '.join(known)}")
        unknown = set(self.motor_side) - set(MAPPED)
        if unknown:
            raise ArgumentError(
                f"motor_side names '{min(unknown)}'", where=where, remedy=f"it can name {', '.join(MAPPED)}"
            )
        for name, values in [*((name, getattr(self, name)) for name in _PER_JOINT), *self.further.items()]:
            if isinstance(values, tuple) and len(values) != n:
                raise ArgumentError(f"{name} has {len(values)} entries", where=where, remedy=f"give {n}, one per joint")
        if self.gear_ratios is not None and self.transmission is not None:
            raise ArgumentError("there are gear_ratios and a transmission", where=where, remedy="give one of them")
        if self.signs is not None and any(abs(sign) != 1.0 for sign in self.signs):
            raise ArgumentError(f"signs are {self.signs}", where=where, remedy="give 1 or -1, sizes as gains")
        if self.transmission is not None and any(len(row) != n for row in self.transmission):
            raise ArgumentError("a row of the transmission is too short or too long", where=where, remedy=f"give {n}")
        gears = self.matrix()
        if gears is not None and (gears.shape != (n, n) or np.linalg.matrix_rank(gears) < n):
            raise ArgumentError("the transmission has no inverse", where=where, remedy=f"give an {n} x {n} matrix")
        if not abs(self.delay) <= LONGEST_DELAY:
            raise ArgumentError(f"a delay of {self.delay:g} s", where=where, remedy="give seconds, 0.5 at most")

    def _units(self, quantity: str, sliding: tuple[bool, ...]) -> Array:
        """Unit factors (1): motors are always rotary, joints are revolute or prismatic."""
        if quantity == "torque":
            return np.full(len(sliding), TORQUE_UNITS[self.torque_unit or "Nm"])
        word = self.angle_unit or "rad"
        word = self.speed_unit or word if quantity == "velocity" else word
        motors = self.matrix() is not None and quantity in self.motor_side
        return np.where(np.array(sliding) & (not motors), LENGTHS[self.length_unit or "m"], ANGLES[word])


def read_log_map(path: str | os.PathLike[str]) -> LogMap:
    """The map in a TOML file; raises `ArgumentError` for unknown keys and values of the wrong kind."""
    source = to_path(path)
    document = parse_toml_values(read_text(source, FileKind.LOG_MAP), where=str(source), error=ArgumentError)
    return _from_document(document, str(source))


def _sparse_product(values: Array, matrix: Array) -> Array:
    """values @ matrix, skipping zeros of the matrix, so that NaN does not spread to joints that do not depend on it."""
    columns = []
    for column in matrix.T:
        present = np.flatnonzero(column)
        columns.append(values[:, present] @ column[present])
    return np.stack(columns, axis=1)


def _from_document(document: Mapping[str, Any], where: str) -> LogMap:
    for former, key in _FORMER.items():
        if former in document and key in document:
            raise ArgumentError(f"there are '{former}' and '{key}'", where=where, remedy=f"leave out '{former}'")
    document = {_FORMER.get(key, key): value for key, value in document.items()}
    patterns = {*MAPPED, *further_quantities()}
    fields = {f.name for f in dataclasses.fields(LogMap)} - {"further"} | patterns
    unknown = sorted(set(document) - fields)
    if unknown:
        raise ArgumentError(
            f"a log map has no key '{unknown[0]}'", where=where, remedy=f"its keys are {', '.join(sorted(fields))}"
        )
    for key, value in document.items():
        if key in _TEXTS:
            right, kind = isinstance(value, str), "a word in quotes"
        elif key in _FLAGS:
            right, kind = isinstance(value, bool), "true or false"
        elif key in _NUMBERS:
            right = isinstance(value, list) and all(_is_number(v) for v in value)
            kind = "a list of numbers, one per joint"
        elif key == "delay":
            right, kind = _is_number(value), "seconds"
        elif key == "transmission":
            right = isinstance(value, list) and all(isinstance(r, list) and all(map(_is_number, r)) for r in value)
            kind = "a list of rows of numbers"
        else:
            right = isinstance(value, str) and key in patterns
            right = right or (isinstance(value, list) and all(isinstance(v, str) for v in value))
            kind = "a list of names" + (' or a pattern such as "q_{}"' if key in patterns else "")
        if not right:
            raise ArgumentError(f"'{key}' has the value {str(value)[:60]}", where=where, remedy=f"give {kind}")
    values = {key: _frozen(value) for key, value in document.items()}
    further = {key: values.pop(key) for key in further_quantities() if key in values}
    return LogMap(**values, further=further)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
