"""Kinds of models: exact, identified, abbreviated, certified; the source of their numbers and their guarantee."""

from __future__ import annotations

from enum import StrEnum


class ModelKind(StrEnum):
    """The source of a model's numbers, and the guarantee on them."""

    EXACT = "exact"
    """The robot's own parameters."""
    BASE_PARAMETERS = "base parameters"
    """Values of the base parameters, which need not belong to physical bodies."""
    IDENTIFIED = "identified"
    """Parameters estimated from logs, with their covariance."""
    ABBREVIATED = "abbreviated"
    """Equations without small terms (Clover's rule), no error proven."""
    CERTIFIED_TORQUE = "certified torque"
    """A simplified inverse dynamics whose torque error is proven."""
    CERTIFIED_COEFFICIENTS = "certified coefficients"
    """Simplified coefficients M, c and g whose errors are proven."""

    @property
    def follows_program(self) -> bool:
        """True where every quantity follows from one program of inverse dynamics, not from the robot's bodies."""
        return self not in (ModelKind.EXACT, ModelKind.IDENTIFIED)

    @property
    def is_simplified(self) -> bool:
        """True where terms were left out or changed, so that torques are not those of the parameters."""
        return self in (ModelKind.ABBREVIATED, ModelKind.CERTIFIED_TORQUE, ModelKind.CERTIFIED_COEFFICIENTS)
