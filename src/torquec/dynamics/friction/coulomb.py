"""Coulomb friction: coulomb+ forwards, -coulomb- backwards, nothing at rest; turning at once or over a speed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from torquec.dynamics.friction.term import Column, FrictionTerm, ShaftState, Summand, dry_summand, sided_name
from torquec.robot.robot import Friction
from torquec.spatial import Scalar


class Coulomb(FrictionTerm):
    """Dry friction."""

    parameters = ("coulomb_positive", "coulomb_negative")
    is_dry = True
    columns: ClassVar[Mapping[str, Column]] = {
        "coulomb": lambda _, state: state.direction.sided(1.0, 1.0),
        "coulomb_positive": lambda _, state: state.direction.sided(1.0, 0.0),
        "coulomb_negative": lambda _, state: state.direction.sided(0.0, 1.0),
    }

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        """By direction."""
        return state.direction.sided(friction.coulomb_positive, friction.coulomb_negative)

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        """None but where it turns over a range of speeds."""
        return state.direction.slope(friction.coulomb_positive, friction.coulomb_negative)

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        """A constant, or one times tanh."""
        value = friction.value(sided_name("coulomb", forwards=forwards))
        return [dry_summand(friction, value, "", forwards=forwards)]
