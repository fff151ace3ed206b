"""The laws by name, as programs, commands and files name them."""

from __future__ import annotations

from enum import StrEnum


class LawKind(StrEnum):
    """The laws that can be designed, as commands and files name them."""

    POLE_PLACEMENT = "pole-placement"
    """CT1 of Clover."""
    COMPUTED_TORQUE = "computed-torque"
    """CT2."""
    DIAGONAL = "diagonal"
    """CT3."""
    PD = "pd"
    PID = "pid"
    LQR = "lqr"
    GRAVITY = "gravity"
    """Gravity held where the robot is: it floats."""
    OPEN_LOOP = "open-loop"
    OPEN_LOOP_GRAVITY = "open-loop-gravity"

    @property
    def has_poles(self) -> bool:
        """Whether its feedback is made from poles."""
        return self in (*_PLACING, LawKind.DIAGONAL, LawKind.PD, LawKind.PID)

    @property
    def places_poles(self) -> bool:
        """Whether the linear loop has exactly these poles where the model is right: it has root loci."""
        return self in _PLACING


_PLACING = (LawKind.POLE_PLACEMENT, LawKind.COMPUTED_TORQUE)
