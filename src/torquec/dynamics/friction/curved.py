"""Curved friction: curved v |v|, the bend of viscous friction at high speed (churned lubricant, air)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from torquec.dynamics.friction.term import Column, FrictionTerm, ShaftState, Summand
from torquec.expr.math import absolute
from torquec.robot.robot import Friction
from torquec.spatial import Scalar


class Curved(FrictionTerm):
    """Friction with the square of the speed; negative where it grows less than the speed."""

    parameters = ("curved",)
    columns: ClassVar[Mapping[str, Column]] = {"curved": lambda _, state: state.speed * absolute(state.speed)}

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        """curved v |v|."""
        return friction.value("curved") * (state.speed * absolute(state.speed))

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        """2 curved |v|."""
        return (2.0 * friction.value("curved")) * absolute(state.speed)

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        """curved v^2, signed."""
        curved = friction.value("curved")
        return [(curved if forwards else -curved, "{v}^2")]
