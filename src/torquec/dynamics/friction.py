"""Friction terms: Coulomb, viscous, Stribeck, load-dependent and further laws of one shaft, in the table `TERMS`.

(1)  torque at the shaft  f(v, load),   v the shaft's speed,   load = sum_j |t_j| |tau_j| of the rigid-body torques
(2)  slopes  df/dv  and  df/dload
(3)  columns: the torque per unit of each linear parameter; torque = sum of value times column
(4)  text: torque for one direction of motion, as numbers times factors. Dry friction follows that direction by:
(5)  step:     f+ for v > 0,  -f- for v < 0,  0 at v = 0
(6)  rounded:  max(z, 0) f+ + min(z, 0) f-  with z between -1 and 1, such as tanh(v/w)
(7)  one way:  f+ or -f- at every speed: the largest possible friction

Presliding friction, which reverses over a distance, is a step (5) here; `friction_memory` adds its memory.

A new term is a class here, a row in `TERMS`, and rows for its parameters in :mod:`torquec.robot.friction`: torques,
linear models, simulation, equations, generated code, drives files and identification then have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Protocol, TypeAlias

from torquec.errors import ArgumentError
from torquec.expr.math import absolute, exp, maximum, minimum, select, tanh
from torquec.robot.friction import Friction
from torquec.spatial import Scalar


class Direction(Protocol):
    """A direction of motion, sharp or rounded."""

    def sided(self, positive: Scalar, negative: Scalar) -> Scalar:
        """`positive` moving forwards, -`negative` moving backwards, and a value in between during a reversal."""

    def slope(self, positive: float, negative: float) -> Scalar:
        """The derivative of `sided` by the speed."""


@dataclass(frozen=True)
class Step:
    """A step at zero speed (5)."""

    speed: Scalar

    def sided(self, positive: Scalar, negative: Scalar) -> Scalar:
        """Zero at zero speed."""
        return select(self.speed, select(-self.speed, 0.0, positive), -negative)

    def slope(self, positive: float, negative: float) -> Scalar:
        """Zero on both sides of the step."""
        return 0.0


@dataclass(frozen=True)
class Rounded:
    """(6), with z and dz/dv."""

    z: Scalar
    rate: Scalar = 0.0

    def sided(self, positive: Scalar, negative: Scalar) -> Scalar:
        """Weighted by z."""
        if positive is negative or (isinstance(positive, float) and positive == negative):
            return positive * self.z
        return positive * maximum(self.z, 0.0) + negative * minimum(self.z, 0.0)

    def slope(self, positive: float, negative: float) -> Scalar:
        """By the sign of z."""
        return select(self.z, positive, negative) * self.rate


@dataclass(frozen=True)
class OneWay:
    """One direction at every speed (7)."""

    forwards: bool

    def sided(self, positive: Scalar, negative: Scalar) -> Scalar:
        """The value of one side."""
        return positive if self.forwards else -negative

    def slope(self, positive: float, negative: float) -> Scalar:
        """Zero."""
        return 0.0


@dataclass(frozen=True)
class AtRest:
    """One way (7) at exactly zero speed, else `moving`: an interval of speeds around zero encloses friction at rest."""

    moving: Direction
    speed: Scalar
    rest: OneWay

    def sided(self, positive: Scalar, negative: Scalar) -> Scalar:
        """The value of one side at rest."""
        moving = self.moving.sided(positive, negative)
        return select(self.speed, select(-self.speed, self.rest.sided(positive, negative), moving), moving)

    def slope(self, positive: float, negative: float) -> Scalar:
        """As `moving`."""
        return self.moving.slope(positive, negative)


def direction_of(friction: Friction, speed: Scalar) -> Direction:
    """Direction of motion as this friction law switches it: as a step, or over a range of speeds."""
    width = friction.value("turnover_speed")
    if not width:
        return Step(speed)
    z = tanh(speed / width)
    return Rounded(z, (1.0 - z * z) / width)


@dataclass(frozen=True)
class ShaftState:
    """Speed of a shaft, its direction of motion, and the load of (1)."""

    speed: Scalar
    direction: Direction
    load: Scalar = 0.0


Column: TypeAlias = Callable[[Friction, ShaftState], Scalar]
"""A column (3): reads only nonlinear parameters of the friction, such as the Stribeck speed."""

Summand: TypeAlias = tuple[float, str]
"""A term of (4): a number and its factor in terms of {v} and {load}; an empty factor is a constant."""


class FrictionTerm:
    """A term of the friction law; a shaft has it where one of its `parameters` is not zero."""

    parameters: ClassVar[tuple[str, ...]] = ()
    is_dry: ClassVar[bool] = False
    """Whether it follows the direction of motion, so that a shaft at rest can stick."""
    reads_load: ClassVar[bool] = False
    """Whether it depends on the load of (1), which needs the rigid-body torques."""
    is_tried: ClassVar[bool] = True
    """Whether a fit with automatic choice of the friction law tries it."""
    columns: ClassVar[Mapping[str, Column]] = MappingProxyType({})
    scales: ClassVar[Mapping[str, tuple[float, ...]]] = MappingProxyType({})
    """Nonlinear parameters with the values that a fit compares; the first is the usual one."""

    def is_in(self, friction: Friction) -> bool:
        """Whether a shaft with this friction has the term."""
        return any(friction.value(name) for name in self.parameters)

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        """Torque at the shaft (1)."""
        raise NotImplementedError

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        """Slope df/dv (2)."""
        raise NotImplementedError

    def load_slope(self, friction: Friction, state: ShaftState) -> Scalar:
        """Slope df/dload (2)."""
        return 0.0

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        """(4) for motion forwards or backwards."""
        raise NotImplementedError


class _Viscous(FrictionTerm):
    """viscous+ v for v >= 0, viscous- v for v < 0."""

    parameters = ("viscous_positive", "viscous_negative")
    columns: ClassVar[Mapping[str, Column]] = {
        "viscous": lambda _, state: state.speed,
        "viscous_positive": lambda _, state: select(state.speed, state.speed, 0.0),
        "viscous_negative": lambda _, state: select(state.speed, 0.0, state.speed),
    }

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        return self.slope(friction, state) * state.speed

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        if friction.viscous_positive == friction.viscous_negative:
            return friction.viscous_positive
        return select(state.speed, friction.viscous_positive, friction.viscous_negative)

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        return [(friction.value(_sided_name("viscous", forwards=forwards)), "{v}")]


class _Coulomb(FrictionTerm):
    """Dry friction: coulomb+ forwards, -coulomb- backwards, zero at rest."""

    parameters = ("coulomb_positive", "coulomb_negative")
    is_dry = True
    columns: ClassVar[Mapping[str, Column]] = {
        "coulomb": lambda _, state: state.direction.sided(1.0, 1.0),
        "coulomb_positive": lambda _, state: state.direction.sided(1.0, 0.0),
        "coulomb_negative": lambda _, state: state.direction.sided(0.0, 1.0),
    }

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        return state.direction.sided(friction.coulomb_positive, friction.coulomb_negative)

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        return state.direction.slope(friction.coulomb_positive, friction.coulomb_negative)

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        value = friction.value(_sided_name("coulomb", forwards=forwards))
        return [_dry_summand(friction, value, "", forwards=forwards)]


class _Offset(FrictionTerm):
    """A constant torque, such as a sensor offset or the pull of a cable."""

    parameters = ("offset",)
    columns: ClassVar[Mapping[str, Column]] = {"offset": lambda _, __: 1.0}

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        return friction.offset

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        return 0.0

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        return [(friction.offset, "")]


class _LoadDependent(FrictionTerm):
    """Dry friction in proportion to the rigid-body torques that the shaft carries."""

    parameters = ("load",)
    is_dry = True
    reads_load = True
    columns: ClassVar[Mapping[str, Column]] = {"load": lambda _, state: state.direction.sided(1.0, 1.0) * state.load}

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        return self.load_slope(friction, state) * state.load

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        coefficient = friction.value("load")
        return state.direction.slope(coefficient, coefficient) * state.load

    def load_slope(self, friction: Friction, state: ShaftState) -> Scalar:
        coefficient = friction.value("load")
        return state.direction.sided(coefficient, coefficient)

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        return [_dry_summand(friction, friction.value("load"), "{load}", forwards=forwards)]


class _Stribeck(FrictionTerm):
    """Low-speed friction excess over Coulomb, stribeck exp(-(v/stribeck_speed)^2) by direction, zero at rest.

    A shaft that sticks breaks away at Coulomb and Stribeck friction together.
    """

    parameters = ("stribeck_positive", "stribeck_negative")
    is_dry = True
    scales: ClassVar[Mapping[str, tuple[float, ...]]] = {"stribeck_speed": (0.1, 0.02, 0.5)}  # [rad/s], typical drives
    columns: ClassVar[Mapping[str, Column]] = {
        "stribeck": lambda friction, state: state.direction.sided(1.0, 1.0) * _decay(friction, state),
        "stribeck_positive": lambda friction, state: state.direction.sided(1.0, 0.0) * _decay(friction, state),
        "stribeck_negative": lambda friction, state: state.direction.sided(0.0, 1.0) * _decay(friction, state),
    }

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        return state.direction.sided(*self._levels(friction)) * _decay(friction, state)

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        # Negative where the excess falls: this slope causes stick-slip.
        levels, width = self._levels(friction), friction.value("stribeck_speed")
        falling = state.direction.sided(*levels) * ((-2.0 / width**2) * state.speed)
        return (falling + state.direction.slope(*levels)) * _decay(friction, state)

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        value = friction.value(_sided_name("stribeck", forwards=forwards))
        factor = f"exp(-({{v}}/{friction.value('stribeck_speed'):.6g})^2)"
        return [_dry_summand(friction, value, factor, forwards=forwards)]

    def _levels(self, friction: Friction) -> tuple[float, float]:
        return friction.value("stribeck_positive"), friction.value("stribeck_negative")


class _Concave(FrictionTerm):
    """concave sign(v) (1 - exp(-|v|/concave_speed)): viscous friction that levels off (shear thinning, warm grease)."""

    parameters = ("concave",)
    scales: ClassVar[Mapping[str, tuple[float, ...]]] = {"concave_speed": (0.3, 0.1, 1.0)}  # [rad/s], typical drives
    columns: ClassVar[Mapping[str, Column]] = {
        "concave": lambda friction, state: select(
            state.speed, 1.0 - _levelling(friction, state), _levelling(friction, state) - 1.0
        )
    }

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        return friction.value("concave") * self.columns["concave"](friction, state)

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        return (friction.value("concave") / friction.value("concave_speed")) * _levelling(friction, state)

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        value = friction.value("concave")
        return [(value if forwards else -value, f"(1 - exp(-|{{v}}|/{friction.value('concave_speed'):.6g}))")]


class _Curved(FrictionTerm):
    """curved v |v|: the bend of viscous friction at high speed (churned lubricant, air); may be negative."""

    parameters = ("curved",)
    columns: ClassVar[Mapping[str, Column]] = {"curved": lambda _, state: state.speed * absolute(state.speed)}

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        return friction.value("curved") * (state.speed * absolute(state.speed))

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        return (2.0 * friction.value("curved")) * absolute(state.speed)

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        curved = friction.value("curved")
        return [(curved if forwards else -curved, "{v}^2")]


class _Cubic(FrictionTerm):
    """cubic v^3, as in MuJoCo's damping; fits try it on request only: it grows fast beyond the speeds of a log."""

    parameters = ("cubic",)
    is_tried = False
    columns: ClassVar[Mapping[str, Column]] = {"cubic": lambda _, state: state.speed * (state.speed * state.speed)}

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        return friction.value("cubic") * (state.speed * (state.speed * state.speed))

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        return (3.0 * friction.value("cubic")) * (state.speed * state.speed)

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        return [(friction.value("cubic"), "{v}^3")]


TERMS: dict[str, FrictionTerm] = {
    "viscous": _Viscous(),
    "coulomb": _Coulomb(),
    "offset": _Offset(),
    "load": _LoadDependent(),
    "stribeck": _Stribeck(),
    "concave": _Concave(),
    "curved": _Curved(),
    "cubic": _Cubic(),
}
"""Every term by name; a law is the sum of those whose parameters a shaft has. Fits try `refinements` in this order."""

PLAIN_TERMS = ("viscous", "coulomb", "offset")
"""Terms of nearly every drive; the others refine them."""


def refinements() -> tuple[str, ...]:
    """The terms that a law can have besides the plain ones; each is also the name of its column.

    >>> "load" in refinements()
    True
    """
    return tuple(name for name in TERMS if name not in PLAIN_TERMS)


def reads_load(friction: Friction) -> bool:
    """Whether some term of a shaft with this friction depends on the torque that it carries."""
    return any(term.reads_load for term in terms_of(friction))


def terms_of(friction: Friction) -> list[FrictionTerm]:
    """The terms that a shaft with this friction has."""
    return [term for term in TERMS.values() if term.is_in(friction)]


def column_function(parameter: str) -> Column:
    """The column of a linear friction parameter; raises `ArgumentError` where no term has one of that name."""
    for term in TERMS.values():
        if parameter in term.columns:
            return term.columns[parameter]
    known = [name for term in TERMS.values() for name in term.columns]
    raise ArgumentError(f"there is no friction parameter '{parameter}'", remedy=f"they are {', '.join(known)}")


def _sided_name(name: str, *, forwards: bool) -> str:
    return f"{name}_positive" if forwards else f"{name}_negative"


def _dry_summand(friction: Friction, value: float, factor: str, *, forwards: bool) -> Summand:
    """Summand of dry friction for one direction (4), with tanh where the reversal extends over a speed range."""
    width = friction.value("turnover_speed")
    if not width:
        return value if forwards else -value, factor
    turning = f"tanh({{v}}/{width:.6g})"
    return value, f"{turning}*{factor}" if factor else turning


def _levelling(friction: Friction, state: ShaftState) -> Scalar:
    return exp(-(1.0 / friction.value("concave_speed")) * absolute(state.speed))


def _decay(friction: Friction, state: ShaftState) -> Scalar:
    return exp(-(1.0 / friction.value("stribeck_speed") ** 2) * (state.speed * state.speed))
