"""How a haptic arm renders an object: the choice, by itself, so that a command's help need not load the rest."""

from __future__ import annotations

from enum import StrEnum


class RenderingKind(StrEnum):
    """What the arm is told: a motion made from a measured force, or a force made from a measured motion."""

    ADMITTANCE = "admittance"
    IMPEDANCE = "impedance"
