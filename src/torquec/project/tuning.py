"""Limits of project files, and shares from which their default numbers follow.

Ratios without a unit are relative to the quantity that the text names; equation numbers are those of the module that is
named above the fields.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProjectTuning:
    """Each with its unit and the reason for its size, by module."""

    # identify_files
    shown_rows: int = 100_000  # first rows of a streamed log that plots and self-tests use
    # project_numbers
    largest_error_share: float = 0.125  # largest e of (1), of the torque that accelerates the joint's own inertia
    sampled_states: int = 200  # number of random states for torques and inertias
    payload_configurations: int = 40  # number of random configurations for the weight of a payload
    motion_share: float = 0.4  # of speeds and accelerations for the example motion: the rest is for feedback
    load_mass_share: float = 0.05  # largest mass of the example's load over the moving mass
    load_torque_share: float = 0.1  # its largest share of the torque limits
    load_displacement: float = 1e-3  # its largest displacement (2) [rad, m]: small beside friction
    motion_torque_share: float = 0.6  # of the torque limits for the example motion, friction increased
    largest_slow_down: float = 4.0  # largest factor on the duration of the example motion
    least_load: float = 1e-3  # smallest payload [kg]
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
