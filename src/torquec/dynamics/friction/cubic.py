"""Cubic friction: cubic v^3, the next bend of viscous friction after `curved`; MuJoCo's damping has all three.

Fits do not try it unasked: it grows fast beyond the speeds of a log.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from torquec.dynamics.friction.term import Column, FrictionTerm, ShaftState, Summand
from torquec.robot.robot import Friction
from torquec.spatial import Scalar


class Cubic(FrictionTerm):
    """Friction with the third power of the speed."""

    parameters = ("cubic",)
    is_tried = False
    columns: ClassVar[Mapping[str, Column]] = {"cubic": lambda _, state: state.speed * (state.speed * state.speed)}

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        """cubic v^3."""
        return friction.value("cubic") * (state.speed * (state.speed * state.speed))

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        """3 cubic v^2."""
        return (3.0 * friction.value("cubic")) * (state.speed * state.speed)

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        """cubic v^3."""
        return [(friction.value("cubic"), "{v}^3")]
