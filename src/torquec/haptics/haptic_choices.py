"""Choices of the haptic commands by name, in a file of their own: help does not load the rest."""

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
    """What the arm is told: a motion made from a measured force, or a force made from a measured motion."""

    ADMITTANCE = "admittance"
    IMPEDANCE = "impedance"
