"""Limits of project files, and sizes of statistics and self-tests of a run.

Ratios without a unit are relative to the quantity that the text names; equation numbers are those of the module that is
named above the fields.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProjectTuning:
    """Limits and sizes by module, each with its unit and the reason for its value."""

    # identify_files
    shown_rows: int = 100_000  # first rows of a streamed log that plots and self-tests use
    # promises
    linear_model_instants: int = 9  # along a motion: statistics only, each takes a tenth of a second
    # read_project
    largest_count: int = 1_000_000  # largest number of runs, cycles or steps
    longest_name: int = 100  # letters of an experiment's name: file systems take 255 bytes
    largest_gravity: float = 1000.0  # largest gravity [m/s^2]; more is another unit
    # self_test
    self_test_timeout: float = 120.0  # for compiling and running a self-test of a large robot on a slow machine
    # simulation_document
    unmoved_share: float = 0.1  # fraction of its reference motion below which a joint counts as not moving


TUNING = ProjectTuning()
