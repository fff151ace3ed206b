"""What the columns of a log mean: a small TOML file for logs that do not speak for themselves.

time = "t"                          # name of the column
position = "q_mot_{}"               # {} is 1 .. n, or a list of names in joint order
velocity = "dq_mot_{}"              # may be left out
torque = "i_mot_{}"
angle = "deg"                       # of positions, speeds and `offset`; "rad" unless given
time_unit = "ms"                    # s, ms, us or ns
gains = [0.1, 0.1]                  # Nm per unit of the torque column (per ampere, for currents)
signs = [1, -1]                     # of position, speed and torque, per column
gear_ratios = [100, 50]             # motor turns per joint turn, or
transmission = [[100, 0], [30, 50]] # motor = transmission * joint, for coupled drives
motor_side = ["position", "velocity", "torque"]   # which columns are the motors'; all of them unless given
offset = [0, -90]                   # added to the joint positions at the end
delay = 0.002                       # seconds by which torques are late
joints = ["a", "b"]                 # which joints the columns are; all of the robot's unless given
"""

from __future__ import annotations

import dataclasses
import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.errors import ArgumentError
from torquec.robot.file import to_path
from torquec.trajectory.trajectory import Array

_TIME_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_ANGLES = {"rad": 1.0, "deg": math.pi / 180.0}
_QUANTITIES = ("position", "velocity", "torque")


@dataclass(frozen=True)
class LogMap:
    """The keys of the file, as described above."""

    time: str = "t"
    position: str | tuple[str, ...] = "q{}"
    velocity: str | tuple[str, ...] | None = None
    torque: str | tuple[str, ...] = "tau{}"
    angle: str = "rad"
    time_unit: str = "s"
    gains: tuple[float, ...] | None = None
    signs: tuple[float, ...] | None = None
    gear_ratios: tuple[float, ...] | None = None
    transmission: tuple[tuple[float, ...], ...] | None = None
    motor_side: tuple[str, ...] = _QUANTITIES
    offset: tuple[float, ...] | None = None
    delay: float = 0.0
    joints: tuple[str, ...] | None = None

    def names(self, quantity: str, n: int) -> tuple[str, ...] | None:
        """The columns of a quantity for n joints; None where the log has none.

        >>> LogMap(torque="i_{}").names("torque", 2)
        ('i_1', 'i_2')
        """
        pattern = getattr(self, quantity)
        if pattern is None or isinstance(pattern, tuple):
            return pattern
        return tuple(pattern.replace("{}", str(k + 1)) for k in range(n))

    def matrix(self) -> Array | None:
        """The transmission (n, n), motor = matrix * joint; None without gears."""
        if self.transmission is not None:
            return np.array(self.transmission, dtype=np.float64)
        return None if self.gear_ratios is None else np.diag(np.array(self.gear_ratios, dtype=np.float64))

    def to_joint(self, quantity: str, values: Array) -> Array:
        """Columns of a quantity (N, n) as recorded, in joint coordinates and SI units."""
        result = values if self.signs is None else values * np.array(self.signs)
        if quantity == "torque":
            result = result if self.gains is None else result * np.array(self.gains)
        else:
            result = result * _ANGLES[self.angle]
        gears = self.matrix()
        if gears is not None and quantity in self.motor_side:
            result = result @ gears if quantity == "torque" else result @ np.linalg.inv(gears).T
        if quantity == "position" and self.offset is not None:
            result = result + np.array(self.offset) * _ANGLES[self.angle]
        return result

    def seconds(self, stamps: Array) -> Array:
        """Times in seconds."""
        return stamps * _TIME_UNITS[self.time_unit]

    def check(self, n: int, where: str = "") -> None:
        """Raise `ArgumentError` unless every list has n entries and every word is known."""
        for name, known in (("angle", _ANGLES), ("time_unit", _TIME_UNITS)):
            if getattr(self, name) not in known:
                raise ArgumentError(
                    f"{name} is '{getattr(self, name)}'", where=where, remedy=f"it can be {', '.join(known)}"
                )
        unknown = set(self.motor_side) - set(_QUANTITIES)
        if unknown:
            raise ArgumentError(
                f"motor_side names '{min(unknown)}'", where=where, remedy=f"it can name {', '.join(_QUANTITIES)}"
            )
        for name in ("position", "velocity", "torque", "gains", "signs", "gear_ratios", "transmission", "offset"):
            values = getattr(self, name)
            if isinstance(values, tuple) and len(values) != n:
                raise ArgumentError(f"{name} has {len(values)} entries", where=where, remedy=f"give {n}, one per joint")
        gears = self.matrix()
        if gears is not None and (gears.shape != (n, n) or np.linalg.matrix_rank(gears) < n):
            raise ArgumentError("the transmission has no inverse", where=where, remedy=f"give an {n} x {n} matrix")
        if not math.isfinite(self.delay):
            raise ArgumentError("the delay is not finite", where=where, remedy="give seconds")


def read_log_map(path: str | os.PathLike[str]) -> LogMap:
    """The map in a TOML file; raises `ArgumentError` for unknown keys and values of the wrong kind."""
    source = to_path(path)
    try:
        document = tomllib.loads(source.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ArgumentError(f"cannot be read: {error}", where=str(source), remedy="give a TOML file") from error
    return _from_document(document, str(source))


def _from_document(document: Mapping[str, Any], where: str) -> LogMap:
    fields = {f.name for f in dataclasses.fields(LogMap)}
    unknown = sorted(set(document) - fields)
    if unknown:
        raise ArgumentError(
            f"a log map has no key '{unknown[0]}'", where=where, remedy=f"its keys are {', '.join(sorted(fields))}"
        )
    texts, numbers = {"time", "angle", "time_unit"}, {"gains", "signs", "gear_ratios", "offset"}
    for key, value in document.items():
        if key in texts:
            right = isinstance(value, str)
        elif key in numbers:
            right = isinstance(value, list) and all(_is_number(v) for v in value)
        elif key == "delay":
            right = _is_number(value)
        elif key == "transmission":
            right = isinstance(value, list) and all(isinstance(r, list) and all(map(_is_number, r)) for r in value)
        else:
            right = isinstance(value, str) and key in _QUANTITIES
            right = right or (isinstance(value, list) and all(isinstance(v, str) for v in value))
        if not right:
            raise ArgumentError(
                f"'{key}' has the value {str(value)[:60]}", where=where, remedy="see the example of the documentation"
            )
    return LogMap(**{key: _frozen(value) for key, value in document.items()})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
