"""Friction laws of identification: viscous, Coulomb, Stribeck, load-dependent columns, shape of reversals, kinds.

A shaft turns with s = t . qd: t is a unit row for a joint, and for a coupled motor its row of the transmission, scaled
to its largest entry. Friction columns are those of `torquec.dynamics.friction`:

(1)  viscous s, Coulomb z, offset 1; by direction max(s, 0), min(s, 0), max(z, 0), min(z, 0)
(2)  Stribeck: z exp(-(s/v)^2) in addition to (1), v the given speed;  curved: s |s|;  cubic: s^3;
     concave: sign(s) (1 - exp(-|s|/v)), viscous friction that levels off
(3)  load: |tau of the rigid bodies| z in addition to (1)

The direction z of Coulomb friction when a shaft reverses (`CoulombShape`):

(4)  step:      z = sign(s)
(5)  speed:     z = tanh(s/width)
(6)  distance:  dz/dx = (sign(s) - z)/width along the path |dx|, z = 0 at the first sample (Dahl): teeth, flexsplines
                and seals deform before they slide (presliding), and a joint at rest keeps its last friction torque

Between reversals (6) has the solution z = sign(s) + (z0 - sign(s)) exp(-|x - x0|/width).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.dynamics.friction import PLAIN_TERMS, TERMS, Rounded, ShaftState, column_function, refinements
from torquec.dynamics.friction_memory import bent_direction
from torquec.dynamics.friction_torque import Shaft
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.robot.configuration import joint_slices
from torquec.robot.friction import FRICTION_WORDS, Friction, FrictionSign, stored_words
from torquec.robot.robot import Robot


class Turnover(StrEnum):
    """Shape of Coulomb friction at a reversal: step, over speed, or over distance (4)-(6)."""

    STEP = "step"
    SPEED = "speed"
    DISTANCE = "distance"


@dataclass(frozen=True)
class CoulombShape:
    """Kind and width of a friction reversal: a speed [rad/s or m/s] or a distance [rad or m]; none for a step."""

    turnover: Turnover = Turnover.STEP
    width: float = 0.0

    def __post_init__(self) -> None:
        if self.turnover is not Turnover.STEP and not self.width > 0.0:
            raise ArgumentError(f"a turnover of width {self.width}", remedy="give a width above zero")

    def direction(self, position: Array | None, speed: Array, *, before: tuple[Array, Array] | None = None) -> Array:
        """z (N, ...) for positions and speeds (N, ...) of shafts in the order of time; only (6) needs positions.

        `before` are position and z (...) of an earlier sample from which (6) continues.

        >>> half = CoulombShape(Turnover.DISTANCE, 1.0 / np.log(2.0))
        >>> [round(float(z), 9) for z in half.direction(np.array([0.0, 1.0, 2.0, 1.0]), np.zeros(4))]
        [0.0, 0.5, 0.75, -0.125]
        """
        if self.turnover is Turnover.STEP:
            return np.asarray(np.sign(speed), dtype=np.float64)
        if self.turnover is Turnover.SPEED:
            return np.asarray(np.tanh(speed / self.width), dtype=np.float64)
        if position is None:
            raise ArgumentError("friction with memory needs positions", remedy="give q, in order of time")
        x = np.asarray(position, dtype=np.float64)
        ways = x.reshape(len(x), -1)
        first, start = (ways[0], np.zeros(ways.shape[1])) if before is None else map(np.atleast_1d, before)
        bent = [
            bent_direction(np.append(a, way), self.width, z)[1:] for way, a, z in zip(ways.T, first, start, strict=True)
        ]
        return np.stack(bent, axis=-1).reshape(x.shape)

    def __str__(self) -> str:
        unit = {Turnover.STEP: "", Turnover.SPEED: " rad/s", Turnover.DISTANCE: " rad"}[self.turnover]
        return f"over {self.width:g}{unit}" if unit else "at once"


STEP = CoulombShape()


class ParameterKind(StrEnum):
    """The kinds of parameters; those of friction are named as in `FrictionLaw.parameters`."""

    BASE = "base"
    VISCOUS = "viscous"
    COULOMB = "coulomb"
    OFFSET = "offset"
    VISCOUS_POSITIVE = "viscous_positive"
    VISCOUS_NEGATIVE = "viscous_negative"
    COULOMB_POSITIVE = "coulomb_positive"
    COULOMB_NEGATIVE = "coulomb_negative"
    STRIBECK = "stribeck"
    CONCAVE = "concave"
    LOAD = "load"
    CURVED = "curved"
    CUBIC = "cubic"
    FRICTION = "friction"
    """Another friction term, of either sign."""
    DISSIPATION = "dissipation"
    """Another friction term that is dissipative."""
    COLUMN = "column"

    @classmethod
    def of_friction(cls, parameter: str) -> ParameterKind:
        """The kind of a parameter of `FrictionLaw`."""
        if parameter in set(cls):
            return cls(parameter)
        words = (FRICTION_WORDS.get(word) for word in stored_words(parameter))
        opposes = all(word is not None and word.sign is FrictionSign.MAGNITUDE for word in words)
        return cls.DISSIPATION if opposes else cls.FRICTION

    @property
    def is_friction(self) -> bool:
        """Whether it belongs to the law of friction."""
        return self not in (ParameterKind.BASE, ParameterKind.COLUMN)

    @property
    def is_dissipative(self) -> bool:
        """Whether it is dissipative, so that no fit gives it a negative value.

        Powers of the speed belong here: with a negative one, friction would drive its joint at high speed.
        """
        return self.is_friction and self not in (ParameterKind.OFFSET, ParameterKind.FRICTION)

    @property
    def is_dry(self) -> bool:
        """Whether it is dry friction, which depends on the direction of motion and can hold a joint at rest."""
        return self in _DRY

    @property
    def is_refinement(self) -> bool:
        """Whether it is a term besides viscous, Coulomb and offset, which a log may not excite."""
        return self in (
            ParameterKind.STRIBECK,
            ParameterKind.CONCAVE,
            ParameterKind.LOAD,
            ParameterKind.CURVED,
            ParameterKind.CUBIC,
            ParameterKind.FRICTION,
            ParameterKind.DISSIPATION,
        )


_DRY = (
    *(ParameterKind.COULOMB, ParameterKind.COULOMB_POSITIVE, ParameterKind.COULOMB_NEGATIVE),
    *(ParameterKind.STRIBECK, ParameterKind.LOAD),
)


class FrictionModel(StrEnum):
    """Friction columns of every shaft (1)-(3): some of the plain ones, or all of them and one refinement."""

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
        """A term that was added to the table at run time."""
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
"""The refinement that replaces a term: viscous friction by direction."""


POWERS = "powers"
"""The refinement by all powers of the speed: a negative quadratic term needs the cubic one for friction to be
dissipative at every speed."""

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
    def has_memory(self) -> bool:
        """Whether Coulomb friction has memory (6), so that it predicts the torque at standstill."""
        return self.shape.turnover is Turnover.DISTANCE

    @property
    def richer(self) -> dict[str, FrictionLaw]:
        """The laws that model selection tries with one more refinement, by the name of the refinement."""
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
        """The nonlinear parameters of the law, named as in a robot's friction."""
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
    """Every joint of one coordinate, then every row of the transmission (by default the robot's) for several joints."""
    rows = np.array(robot.drives.transmission) if transmission is None else transmission
    driven = ((joint.name, own.start) for joint, _, own in joint_slices(robot) if joint.kind.nv == 1)
    shafts = [Shaft(name, tuple(float(k == j) for k in range(robot.n))) for name, j in driven]
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

    A law with reversals over a distance (6) needs the positions q (N, n), in the order of time.
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
    """The functions (1)-(3) of every shaft (N, f), which `spread` distributes to the joints.

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


def _parameters(shaft: Shaft, law: FrictionLaw) -> tuple[str, ...]:
    # The offsets of the joints already hold a constant torque of a coupled shaft.
    return law.parameters if shaft.is_joint else tuple(name for name in law.parameters if name != "offset")
