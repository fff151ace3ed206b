"""Offset: a constant torque, whatever the motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from torquec.dynamics.friction.term import Column, FrictionTerm, ShaftState, Summand
from torquec.robot.robot import Friction
from torquec.spatial import Scalar


class Offset(FrictionTerm):
    """A sensor's zero, or a cable's pull."""

    parameters = ("offset",)
    columns: ClassVar[Mapping[str, Column]] = {"offset": lambda _, __: 1.0}

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        """The constant."""
        return friction.offset

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        """None."""
        return 0.0

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        """A constant."""
        return [(friction.offset, "")]
