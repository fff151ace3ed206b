"""Stribeck friction: what dry friction has more at low speed, stribeck exp(-(v/stribeck_speed)^2), by direction.

Like Coulomb friction it is nothing at rest, and a shaft that sticks breaks away at both together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from torquec.dynamics.friction.term import Column, FrictionTerm, ShaftState, Summand, dry_summand, sided_name
from torquec.expr.math import exp
from torquec.robot.robot import Friction
from torquec.spatial import Scalar


def _decay(friction: Friction, state: ShaftState) -> Scalar:
    return exp(-(1.0 / friction.value("stribeck_speed") ** 2) * (state.speed * state.speed))


class Stribeck(FrictionTerm):
    """The lubricant's film builds up with the speed."""

    parameters = ("stribeck_positive", "stribeck_negative")
    is_dry = True
    scales: ClassVar[Mapping[str, tuple[float, ...]]] = {"stribeck_speed": (0.1, 0.02, 0.5)}  # of usual drives [rad/s]
    columns: ClassVar[Mapping[str, Column]] = {
        "stribeck": lambda friction, state: state.direction.sided(1.0, 1.0) * _decay(friction, state),
        "stribeck_positive": lambda friction, state: state.direction.sided(1.0, 0.0) * _decay(friction, state),
        "stribeck_negative": lambda friction, state: state.direction.sided(0.0, 1.0) * _decay(friction, state),
    }

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        """By direction."""
        return state.direction.sided(*self._levels(friction)) * _decay(friction, state)

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        """Negative where it falls: the slope that makes drives stick and slip."""
        levels, width = self._levels(friction), friction.value("stribeck_speed")
        falling = state.direction.sided(*levels) * ((-2.0 / width**2) * state.speed)
        return (falling + state.direction.slope(*levels)) * _decay(friction, state)

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        """level exp(-(v/speed)^2)."""
        value = friction.value(sided_name("stribeck", forwards=forwards))
        factor = f"exp(-({{v}}/{friction.value('stribeck_speed'):.6g})^2)"
        return [dry_summand(friction, value, factor, forwards=forwards)]

    def _levels(self, friction: Friction) -> tuple[float, float]:
        return friction.value("stribeck_positive"), friction.value("stribeck_negative")
