"""Limits and margins of time-optimal motions and of paths.

Ratios without a unit are relative to the quantity that the text names; equation numbers are those of the module that is
named above the fields.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PlanningTuning:
    """Thresholds by module, each with its unit and the reason for its value."""

    # cartesian_path
    first_places: int = 100  # places at which inverse kinematics is solved at first
    most_places: int = 1600  # largest number of these places
    path_knots: int = 200  # approximate number of rows kept of a dense path (4)
    # joint_path
    cusp_tangent: float = 1e-3  # |dq/ds| below which a path counts as turning back (4); it is about one elsewhere
    cusp_samples: int = 65  # per segment: |dq/ds|^2 is of degree four there
    # limited_path
    reserve_clearance: float = 1e-4  # share of a torque limit: a round increases the reserve by the excess and by this
    speed_clearance: float = 1e-5  # the same for squared speeds, which hardly change in a cell
    # path_dynamics
    fewest_points: int = 10  # grid points of a path: with fewer, secants of friction are too coarse
    # time_optimal
    tightening_rounds: int = 30  # of (4), each of which raises the reserves
    secant_rounds: int = 6  # in which friction secants follow the profile; then they are fixed, so that (4) ends
    slow_down: float = 1.002  # time scaling factor of one slow-down step, the last resort of (4)
    slow_downs: int = 200  # most slow-down steps
    largest_z: float = 1.0 - 1e-9  # of (2): with z = 1, a motion from rest without acceleration never starts
    small_z: float = 1e-8  # below which g is 1 + z/3


TUNING = PlanningTuning()
