"""Choices of the haptic commands by name, in a separate file that help loads without the rest."""

from __future__ import annotations

from enum import StrEnum


class HapticExperiment(StrEnum):
    """The experiments of Clover IV, section V."""

    MASS_5 = "mass-5"
    MASS_150 = "mass-150"
    INERTIA_083 = "inertia-0.83"
    INERTIA_125 = "inertia-12.5"
    COMBINED = "combined"
    WALL = "wall"
    TWO_CUBES = "two-cubes"


class RenderingKind(StrEnum):
    """Rendering by admittance (motion from measured force) or by impedance (force from measured motion)."""

    ADMITTANCE = "admittance"
    IMPEDANCE = "impedance"
