"""What a parameter is: a combination of bodies and rotors, a term of friction, or a column that a user adds."""

from __future__ import annotations

from enum import StrEnum


class ParameterKind(StrEnum):
    """The kinds of parameters; those of friction are called as in `FrictionLaw.parameters`."""

    BASE = "base"
    VISCOUS = "viscous"
    COULOMB = "coulomb"
    OFFSET = "offset"
    VISCOUS_POSITIVE = "viscous_positive"
    VISCOUS_NEGATIVE = "viscous_negative"
    COULOMB_POSITIVE = "coulomb_positive"
    COULOMB_NEGATIVE = "coulomb_negative"
    STRIBECK = "stribeck"
    LOAD = "load"
    CURVED = "curved"
    FRICTION = "friction"
    """A term of friction that has no kind of its own here."""
    COLUMN = "column"

    @property
    def is_friction(self) -> bool:
        """Whether it belongs to the law of friction."""
        return self not in (ParameterKind.BASE, ParameterKind.COLUMN)

    @property
    def is_dissipative(self) -> bool:
        """Whether it takes energy from the motion, so that no physical robot has it below zero."""
        return self.is_friction and self not in (
            ParameterKind.OFFSET,
            ParameterKind.CURVED,
            ParameterKind.FRICTION,
        )

    @property
    def is_refinement(self) -> bool:
        """Whether it is a term beside viscous, Coulomb and offset, which a log may say nothing about."""
        return self in (
            ParameterKind.STRIBECK,
            ParameterKind.LOAD,
            ParameterKind.CURVED,
            ParameterKind.FRICTION,
        )
