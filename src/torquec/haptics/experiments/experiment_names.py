"""The haptic experiments by name; :mod:`torquec.haptics.experiments.haptic_experiment` says what they are."""

from __future__ import annotations

from enum import StrEnum


class HapticExperiment(StrEnum):
    """The experiments of Clover IV, section V."""

    MASS_5 = "mass-5"
    MASS_150 = "mass-150"
    INERTIA_083 = "inertia-0.83"
    INERTIA_125 = "inertia-12.5"
    WALL = "wall"
