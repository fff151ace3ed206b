"""Viscous friction: viscous+ v for v >= 0, viscous- v for v < 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from torquec.dynamics.friction.term import Column, FrictionTerm, ShaftState, Summand, sided_name
from torquec.expr.math import select
from torquec.robot.robot import Friction
from torquec.spatial import Scalar


class Viscous(FrictionTerm):
    """Friction in proportion to the speed."""

    parameters = ("viscous_positive", "viscous_negative")
    columns: ClassVar[Mapping[str, Column]] = {
        "viscous": lambda _, state: state.speed,
        "viscous_positive": lambda _, state: select(state.speed, state.speed, 0.0),
        "viscous_negative": lambda _, state: select(state.speed, 0.0, state.speed),
    }

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        """By direction."""
        return self.slope(friction, state) * state.speed

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        """The forward one at rest."""
        if friction.viscous_positive == friction.viscous_negative:
            return friction.viscous_positive
        return select(state.speed, friction.viscous_positive, friction.viscous_negative)

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        """viscous v."""
        return [(friction.value(sided_name("viscous", forwards=forwards)), "{v}")]
