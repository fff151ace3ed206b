"""Load-dependent friction: dry friction in proportion to the rigid-body torques that the shaft carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from torquec.dynamics.friction.term import Column, FrictionTerm, ShaftState, Summand, dry_summand
from torquec.robot.robot import Friction
from torquec.spatial import Scalar


class LoadDependent(FrictionTerm):
    """Teeth and bearings that are pressed together rub more."""

    parameters = ("load",)
    is_dry = True
    reads_load = True
    columns: ClassVar[Mapping[str, Column]] = {"load": lambda _, state: state.direction.sided(1.0, 1.0) * state.load}

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        """load times the torques that the shaft carries."""
        return self.load_slope(friction, state) * state.load

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        """At a given load."""
        coefficient = friction.value("load")
        return state.direction.slope(coefficient, coefficient) * state.load

    def load_slope(self, friction: Friction, state: ShaftState) -> Scalar:
        """The coefficient, by direction."""
        coefficient = friction.value("load")
        return state.direction.sided(coefficient, coefficient)

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        """load |rigid-body torque|."""
        return [dry_summand(friction, friction.value("load"), "{load}", forwards=forwards)]
