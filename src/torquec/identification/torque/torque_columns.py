"""Columns besides those of rigid bodies: friction of joints and coupled shafts, counterbalances, columns of the user.

A shaft turns with s = t . qd: t is a unit row for a joint, and for a coupled motor its row of the transmission, scaled
to its largest entry.

(1)  the columns of `torquec.dynamics.friction`: viscous s, Coulomb z, offset 1; by direction max(s, 0), min(s, 0),
     max(z, 0), min(z, 0); z is sign(s) or one of the rounder shapes of `coulomb_shape`
(2)  Stribeck: z exp(-(s/v)^2) in addition to (1), v the given speed;  curved: s |s|, the bend of viscous friction,
     cubic: s^3, its next one
(3)  load: |tau of the rigid bodies| z in addition to (1)
(4)  gas spring (hydraulic counterbalance) on lever and base of lengths k and D, delta = q + angle:
     L = sqrt(D^2 + k^2 - 2 D k cos delta), column = sin(delta) D k/L * A c/(V - (L - D + k) A)
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import numpy as np

from torquec.dynamics.friction import PLAIN_TERMS, TERMS, Rounded, ShaftState, column_function, refinements
from torquec.dynamics.friction_torque import Shaft
from torquec.dynamics.spring_torque import counterbalance_torque
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.reading import FileKind, parse_toml_values, read_text, to_path
from torquec.identification.logs.prepare import Samples
from torquec.identification.torque.coulomb_shape import STEP, CoulombShape, Turnover
from torquec.identification.torque.parameter_kind import ParameterKind
from torquec.robot.friction import Friction
from torquec.robot.robot import Counterbalance, Robot


class FrictionModel(StrEnum):
    """Which friction columns every shaft has (1)-(3): fewer or more plain ones, or all of them and one refinement."""

    _ignore_ = "name_"
    NONE = "none"
    VISCOUS = "viscous"
    SYMMETRIC = "symmetric"
    OFFSET = "offset"
    DIRECTIONAL = "directional"
    for name_ in refinements():
        vars()[name_.upper()] = name_

    @classmethod
    def _missing_(cls, value: object) -> FrictionModel | None:
        """A term that was added to the table while the program runs."""
        if value not in refinements():
            return None
        made = str.__new__(cls, value)
        made._name_, made._value_ = str(value).upper(), str(value)
        return made

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of one joint's parameters, in column order."""
        return {
            FrictionModel.NONE: (),
            FrictionModel.VISCOUS: PLAIN_TERMS[:1],
            FrictionModel.SYMMETRIC: PLAIN_TERMS[:2],
            FrictionModel.OFFSET: PLAIN_TERMS,
            FrictionModel.DIRECTIONAL: (*_PAIR, "coulomb_positive", "coulomb_negative"),
        }.get(self, (*PLAIN_TERMS, str(self)))


DIRECTIONAL = "directional"
"""The refinement that is no term of its own: viscous friction by direction."""


POWERS = "powers"
"""The refinement by all powers of the speed that there are: friction that grows ever less needs the next power, too, to
take energy at every speed."""

_PAIR = ("viscous_positive", "viscous_negative")
_POWERS = ("curved", "cubic")


@dataclass(frozen=True)
class FrictionLaw:
    """Names of one joint's parameters in column order, the shape z of reversals, and scales such as the speed v of (2).

    A scale that is not given has the usual value of its term.
    """

    parameters: tuple[str, ...] = FrictionModel.OFFSET.parameters
    shape: CoulombShape = STEP
    scales: Mapping[str, float] = dataclasses.field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, friction: FrictionLaw | FrictionModel | str) -> FrictionLaw:
        """The law itself, or the one of a model, with a step at reversals."""
        return friction if isinstance(friction, FrictionLaw) else cls(FrictionModel(friction).parameters)

    @property
    def reads_load(self) -> bool:
        """Whether a term depends on the rigid-body torques (3)."""
        return any(term.reads_load for term in TERMS.values() if term.columns.keys() & set(self.parameters))

    @property
    def richer(self) -> dict[str, FrictionLaw]:
        """The laws with one more refinement, of those that a fit tries by itself, by its name."""
        names = (*(name for name in refinements() if TERMS[name].is_tried), POWERS, DIRECTIONAL)
        return {name: self.with_term(name) for name in names if not self.has(name)}

    def has(self, term: str) -> bool:
        """Whether a refinement is among its parameters."""
        needed = {DIRECTIONAL: _PAIR, POWERS: _POWERS}.get(term, (term,))
        return set(needed) <= set(self.parameters)

    def with_term(self, term: str) -> FrictionLaw:
        """This law with one more term; viscous friction by direction takes the place of one viscous column.

        >>> FrictionLaw().with_term("directional").parameters
        ('viscous_positive', 'viscous_negative', 'coulomb', 'offset')
        """
        if self.has(term):
            return self
        if term == DIRECTIONAL:
            rest = tuple(name for name in self.parameters if name != "viscous")
            return dataclasses.replace(self, parameters=(*_PAIR, *rest))
        more = _POWERS if term == POWERS else (term,)
        return dataclasses.replace(self, parameters=tuple(dict.fromkeys((*self.parameters, *more))))

    @property
    def words(self) -> dict[str, float]:
        """What of the law is no linear parameter, in the words of a robot's friction."""
        terms = [term for term in TERMS.values() if term.columns.keys() & set(self.parameters)]
        found = {word: self.scales.get(word, tried[0]) for term in terms for word, tried in term.scales.items()}
        if self.shape.turnover is not Turnover.STEP:
            found[f"turnover_{self.shape.turnover}"] = self.shape.width
        return found

    def __str__(self) -> str:
        known = next((str(model) for model in FrictionModel if model.parameters == self.parameters), None)
        name = known or " + ".join(self.parameters)
        return name if self.shape.turnover is Turnover.STEP else f"{name}, turning {self.shape}"


def shafts_of(robot: Robot, transmission: Array | None = None) -> tuple[Shaft, ...]:
    """Every joint, then every row of the transmission (the robot's own unless given) that couples joints."""
    rows = np.array(robot.drives.transmission) if transmission is None else transmission
    shafts = [Shaft(name, tuple(float(k == j) for k in range(robot.n))) for j, name in enumerate(robot.joint_names)]
    for k, row in enumerate(rows):
        if np.count_nonzero(row) > 1:
            scaled = row / row[np.argmax(np.abs(row))]
            shafts.append(Shaft(f"motor{k + 1}", tuple(float(value) for value in scaled)))
    return tuple(shafts)


def friction_names(shafts: Sequence[Shaft], friction: FrictionLaw | FrictionModel) -> list[str]:
    """Names of the columns of `friction_block`; a coupled shaft has no offset of its own."""
    law = FrictionLaw.of(friction)
    return [f"{parameter}_{shaft.name}" for shaft in shafts for parameter in _parameters(shaft, law)]


def friction_kinds(shafts: Sequence[Shaft], friction: FrictionLaw | FrictionModel) -> list[ParameterKind]:
    """The kinds of the columns of `friction_block`."""
    law = FrictionLaw.of(friction)
    return [ParameterKind.of_friction(parameter) for shaft in shafts for parameter in _parameters(shaft, law)]


def friction_block(
    shafts: Sequence[Shaft],
    friction: FrictionLaw | FrictionModel,
    qd: Array,
    *,
    q: Array | None = None,
    load: Array | None = None,
) -> Array:
    """The columns (N, n, f) at speeds qd (N, n); `load` (N, n) are the torques that (3) needs.

    A law that turns over a distance needs the positions q (N, n), in the order of time.
    """
    parts = friction_functions(shafts, friction, qd, q=q, load=load)
    return spread(shafts, friction, parts)


def friction_functions(
    shafts: Sequence[Shaft],
    friction: FrictionLaw | FrictionModel,
    qd: Array,
    *,
    q: Array | None = None,
    load: Array | None = None,
    direction: Array | None = None,
) -> Array:
    """The functions (1)-(3) of every shaft (N, f): what `spread` shares out to the joints.

    `direction` is z (N, shafts) where it is known.
    """
    law = FrictionLaw.of(friction)
    rows = np.array([shaft.row for shaft in shafts]).T
    speeds = qd @ rows
    z = law.shape.direction(None if q is None else q @ rows, speeds) if direction is None else direction
    loads = np.zeros_like(speeds) if load is None else np.abs(load) @ np.abs(rows)
    state, shaped = ShaftState(speeds, Rounded(z), loads), Friction.of(law.words)
    places = [(k, parameter) for k, shaft in enumerate(shafts) for parameter in _parameters(shaft, law)]
    values = np.empty((len(qd), len(places)))
    for parameter in law.parameters:
        columns = [place for place, (_, name) in enumerate(places) if name == parameter]
        own = [places[place][0] for place in columns]
        function = np.broadcast_to(column_function(parameter)(shaped, state), speeds.shape)
        values[:, columns] = function[:, own]
    return values


def spread(shafts: Sequence[Shaft], friction: FrictionLaw | FrictionModel, functions: Array) -> Array:
    """The columns (N, n, f) of functions (N, f): a shaft's torque acts on its joints by its row."""
    law = FrictionLaw.of(friction)
    rows = [shaft.row for shaft in shafts for _ in _parameters(shaft, law)]
    if not rows:
        return np.zeros((len(functions), len(shafts[0].row), 0))
    columns: Array = functions[:, None, :] * np.array(rows).T[None]
    return columns


class TorqueColumn(Protocol):
    """One column that a user adds: `name`, whether its parameter may be negative, its torques (N, n) per unit."""

    @property
    def name(self) -> str:
        """What its parameter is called."""
        ...

    def torque(self, robot: Robot, samples: Samples) -> Array:
        """(N, n), joints in the robot's order."""
        ...


@dataclass(frozen=True)
class GasSpring:
    """(4) on a joint: lengths [m], `area` A [m^2], `pressure_volume` c [J], `volume` V [m^3], `angle` [rad]."""

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
        """The spring of a robot that its parameter `value` makes of it."""
        gas = {"area": self.area, "pressure_volume": value * self.pressure_volume, "volume": self.volume}
        return Counterbalance(self.base, self.lever, self.angle, **gas)

    def torque(self, robot: Robot, samples: Samples) -> Array:
        """(4); raises `ArgumentError` where the motion leaves the gas no volume, or the spring no length."""
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
        raise ArgumentError(f"this is no table: {str(entry)[:60]}", where=where, remedy=f"its fields are {listed}")
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


def _parameters(shaft: Shaft, law: FrictionLaw) -> tuple[str, ...]:
    # The offsets of the joints already hold a constant torque of a coupled shaft.
    return law.parameters if shaft.is_joint else tuple(name for name in law.parameters if name != "offset")
