"""User-defined torque columns of a fit: gas-spring counterbalances and recorded columns.

(1)  gas spring (hydraulic counterbalance) on lever and base of lengths k and D, delta = q + angle:
     L = sqrt(D^2 + k^2 - 2 D k cos delta), column = sin(delta) D k/L * A c/(V - (L - D + k) A)
"""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from torquec.dynamics.spring_torque import counterbalance_torque
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.reading import FileKind, parse_toml_values, read_text, to_path
from torquec.identification.logs.prepare import Samples
from torquec.robot.robot import Counterbalance, Robot


class TorqueColumn(Protocol):
    """One column that a user adds: `name`, whether its parameter may be negative, its torques (N, n) per unit."""

    @property
    def name(self) -> str:
        """Name of its parameter."""
        ...

    def torque(self, robot: Robot, samples: Samples) -> Array:
        """(N, n), joints in the robot's order."""
        ...


@dataclass(frozen=True)
class GasSpring:
    """(1) on a joint: lengths [m], `area` A [m^2], `pressure_volume` c [J], `volume` V [m^3], `angle` [rad]."""

    joint: str
    base: float
    lever: float
    area: float
    pressure_volume: float
    volume: float
    angle: float = 0.0
    name: str = "counterbalance"

    def __post_init__(self) -> None:
        for name in ("base", "lever", "area", "pressure_volume", "volume"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise ArgumentError(f"a gas spring with {name} = {getattr(self, name)}", remedy="give more than zero")
        if not np.isfinite(self.angle):
            raise ArgumentError(f"a gas spring with angle = {self.angle}", remedy="give radians")

    def spring(self, value: float) -> Counterbalance:
        """The counterbalance of a robot with the parameter `value`."""
        gas = {"area": self.area, "pressure_volume": value * self.pressure_volume, "volume": self.volume}
        return Counterbalance(self.base, self.lever, self.angle, **gas)

    def torque(self, robot: Robot, samples: Samples) -> Array:
        """(1); raises `ArgumentError` where the motion leaves the gas no volume, or the spring no length."""
        j = robot.joint_index(self.joint)
        delta = samples.q[:, j] + self.angle
        length = np.sqrt(self.base**2 + self.lever**2 - 2.0 * self.base * self.lever * np.cos(delta))
        stroke = length - self.base + self.lever
        volume = self.volume - stroke * self.area
        wrong = np.flatnonzero((volume <= 0.0) | (length <= 0.0))
        if len(wrong):
            k = wrong[0]
            raise ArgumentError(
                f"the gas spring '{self.name}' has a volume of {volume[k]:.3g} m^3 and a length of {length[k]:.3g} m "
                f"with {self.joint} at {samples.q[k, j]:.4g}",
                where=samples.source,
                remedy="check base, lever, area, volume and angle: the volume must stay above zero along the motion",
            )
        total = np.zeros_like(samples.q)
        total[:, j] = counterbalance_torque(self.spring(1.0), samples.q[:, j])
        return total


@dataclass(frozen=True)
class RecordedColumn:
    """A column of the log itself, as a torque on one joint."""

    joint: str
    column: str

    @property
    def name(self) -> str:
        """The column's own name."""
        return self.column

    def torque(self, robot: Robot, samples: Samples) -> Array:
        """The recorded values; raises `ArgumentError` where the log has no such column, or blanks in it."""
        if self.column not in samples.others:
            raise ArgumentError(
                f"the log has no column '{self.column}'",
                where=samples.source,
                remedy=f"its other columns are {', '.join(samples.others) or 'none'}",
            )
        values = samples.others[self.column]
        if not np.isfinite(values).all():
            raise ArgumentError(
                f"the column '{self.column}' has blanks that no values enclose",
                where=samples.source,
                remedy="record it along the whole motion, or leave the column out",
            )
        total = np.zeros_like(samples.q)
        total[:, robot.joint_index(self.joint)] = values
        return total


def read_columns(path: str | os.PathLike[str]) -> tuple[TorqueColumn, ...]:
    """The columns of a TOML file: tables [[gas_spring]] and [[recorded]] with the fields of the classes above.

    Raises `ArgumentError` for other tables, and for fields that are missing, unknown or of the wrong kind.
    """
    source = to_path(path)
    document = parse_toml_values(read_text(source, FileKind.COLUMNS), where=str(source), error=ArgumentError)
    kinds: dict[str, Any] = {"gas_spring": GasSpring, "recorded": RecordedColumn}
    found: list[TorqueColumn] = []
    for table, entries in document.items():
        if table not in kinds or not isinstance(entries, list):
            raise ArgumentError(
                f"there are no columns [[{table}]]", where=str(source), remedy=f"there are {', '.join(kinds)}"
            )
        found += [
            _column(kinds[table], entry, where=f"{source} [[{table}]] {k + 1}") for k, entry in enumerate(entries)
        ]
    return tuple(found)


def _column(kind: Any, entry: Any, *, where: str) -> TorqueColumn:
    """A column from its table."""
    known = {field.name: field for field in dataclasses.fields(kind)}
    listed = ", ".join(known)
    if not isinstance(entry, dict):
        raise ArgumentError(f"this is not a table: {str(entry)[:60]}", where=where, remedy=f"its fields are {listed}")
    unknown = sorted(set(entry) - set(known))
    if unknown:
        raise ArgumentError(f"there is no field '{unknown[0]}'", where=where, remedy=f"its fields are {listed}")
    for name, field in known.items():
        if name not in entry:
            if field.default is dataclasses.MISSING:
                raise ArgumentError(f"the field '{name}' is missing", where=where, remedy=f"its fields are {listed}")
            continue
        value = entry[name]
        text = field.type == "str"
        right = isinstance(value, str) if text else isinstance(value, int | float) and not isinstance(value, bool)
        if not right:
            remedy = "give a name in quotes" if text else "give a number"
            raise ArgumentError(f"'{name}' has the value {str(value)[:60]!r}", where=where, remedy=remedy)
    try:
        made: TorqueColumn = kind(**entry)
    except ArgumentError as error:
        raise ArgumentError(error.found, where=where, remedy=error.remedy) from None
    return made
