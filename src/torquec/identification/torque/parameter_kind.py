"""What a parameter is: a combination of bodies and rotors, a term of friction, or a column that a user adds."""

from __future__ import annotations

from enum import StrEnum

from torquec.robot.friction import FRICTION_WORDS, FrictionSign, stored_words


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
    CUBIC = "cubic"
    FRICTION = "friction"
    """Of a term that has no kind of its own here, and may have either sign."""
    DISSIPATION = "dissipation"
    """The same for one that takes energy from the motion."""
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
        """Whether it takes energy from the motion, so that no fit gives it a negative value.

        Powers of the speed belong here: with a negative one, friction would drive its joint at high speed.
        """
        return self.is_friction and self not in (ParameterKind.OFFSET, ParameterKind.FRICTION)

    @property
    def is_refinement(self) -> bool:
        """Whether it is a term besides viscous, Coulomb and offset, which a log may say nothing about."""
        return self in (
            ParameterKind.STRIBECK,
            ParameterKind.LOAD,
            ParameterKind.CURVED,
            ParameterKind.CUBIC,
            ParameterKind.FRICTION,
            ParameterKind.DISSIPATION,
        )
