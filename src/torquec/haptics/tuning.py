"""Thresholds, margins and limits of haptic experiments, loops and passivity tests.

Ratios without a unit are relative to the quantity that the text names; equation numbers are those of the module that is
named above the fields.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class HapticTuning:
    """Tuning values of haptics by module, each with its unit and the reason for its size."""

    # admittance
    unlimited_speed: float = 3.0  # default speed limit of a joint [rad/s or m/s]
    braking_share: float = 0.25  # of a joint's effort limit, for braking its own inertia before a position limit
    unlimited_braking: float = 10.0  # deceleration [rad/s^2 or m/s^2] of a joint without an effort limit
    # contact
    unit_tolerance: float = 1e-9  # of the length of a normal: one rounded to three digits is rejected
    plane_slack: float = 1e-12  # [m], rounding allowance of a point on a plane
    touching_distance: float = 1e-9  # [m]: closer than this to a face, the proxy lies on it
    # contact_experiment
    parallel_sine: float = 1e-6  # sine of the angle below which two axes count as parallel
    rest_window: float = 0.06  # time after an impact [s] from which speeds are compared with the impact speed
    push_time: float = 0.2  # duration of the push [s]
    flight_time: float = 0.1  # flight time of the object from the push to the contact [s]
    time_after_impact: float = 0.5  # recorded time after the impact [s]
    # coupled_passivity
    lowest_frequency: float = 2.0 * math.pi * 0.005  # of a margin [rad/s]: with a spring, margins below go to 0 as w^2
    cell_points: int = 9  # points of a cell along frequency
    cell_ratio: float = 1.6  # upper over lower end of a cell: poles are then farther away than its width
    lowest_cell: float = 0.05  # end of the first cell over the slowest pole: one cell covers all lower frequencies
    mass_fit_error: float = 1e-8  # error of the polynomial through values at several masses
    refined_cells: int = 6  # cells in which the smallest margin is refined: there are rarely more minima
    largest_cutoff: float = 20.0  # in sampling rates: sensors with higher cut-offs have no filter, and are refused
    # cutoff_stability
    cutoff_bisections: int = 30  # from neighbouring cut-offs down to a billionth of their distance
    # destabilizing_hand
    hand_reaches: tuple[float, ...] = (1.0, 0.99, 0.97, 0.93, 0.85, 0.7, 0.5)  # r of (1): lossless hands first
    hand_widths: tuple[float, ...] = (0.3, 0.1, 0.03, 0.01, 0.003)  # e of (3): the wider, the faster the growth
    hand_aliases: int = 4  # aliases on either side: at half the sampling rate they contribute 96 %
    hand_sweeps: int = 30  # sweeps over the resonances, which are nearly decoupled: far fewer are enough
    hand_levers: tuple[float, ...] = (0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4)  # |phi* Y phi|/2 over w, small (4)
    lever_aliases: int = 6  # aliases on either side
    period_pieces: int = 32  # pieces of a period: one oscillation of the highest alias still has five of them
    least_growth: float = 1e-9  # per sample; less is indistinguishable from rounding error
    # felt_inertia
    counted_share: float = 0.5  # of root mean |F| |A|: samples with a smaller root do not count
    discarded_ends: float = 0.1  # discarded time at either end of a spline [s]: it has samples on one side only
    biased_deviation: float = 0.01  # of the quotient's mean from the unbiased value, relative
    fewest_windows: int = 6  # of (4): fewer windows do not determine a variance
    # followed_pose
    newton_steps: int = 2  # per cycle: quadratic, from some millimetres to less than a nanometre
    newton_damping: float = 1e-9  # of steps and rates without a closed form: affects singular directions only
    newton_residual: float = 1e-6  # relative to half the arm's size, and in radians; more is out of reach
    singular_pivot: float = 1e-3  # a pivot of the Jacobian [m or 1] below this is reported as singular
    near_singular_pivot: float = 0.05  # a pivot of the Jacobian [m or 1] below this is near a singularity in (2)
    # haptic_device
    device_timeout: float = 0.1  # timeout of a device in shared memory without a new wrench [s]
    # haptic_experiment
    random_configurations: int = 200  # number of random configurations (1)
    path_pace: float = 0.8  # fraction of a joint's speed limit that a path may need (2), a margin for the inexact hand
    limit_margin: float = 0.15  # to a joint limit [rad, or half the arm's size] (2): the arm brakes within it
    tracked_candidates: int = 60  # if the 60 best paths fail, the path is too long or too fast
    probed_configurations: int = 5  # a motion that none of these five allows counts as impossible for the arm
    tracked_by_iteration: int = 8  # candidates without a closed-form inverse: each pose takes a hundred times as long
    tracked_poses: int = 64  # poses of the path that are tracked
    unlimited_angle: float = 0.75 * math.pi  # range of a joint without limits [rad]: more only turns the arm around
    unlimited_slide: float = 0.5  # range of a prismatic joint without limits [m]
    # haptic_plan
    cube_edge: float = 0.125  # edge of the cube [m]
    wall_frequency: float = 25.0  # natural frequency of the wall [Hz]
    smallest_inertia: float = 0.05  # [kg m^2] of an object in the mass experiments: below it hand and handle dominate
    # haptic_port
    lever_share: float = 1e-9  # of the largest lever arm: joints with less do not move the port
    # haptic_region
    grid_per_decade: int = 8  # grid values of the search for an interval
    interval_bisections: int = 20  # a third of an octave, halved 20 times, is below a millionth
    # passive_hand
    eigenvalue_slack: float = 1e-12  # rounding of eigenvalues, as a part of the largest entry
    # rendered_object
    largest_quantity: float = 1e12  # of any kind in a haptic loop; larger ones count as faults
    # virtual_object
    substeps: int = 3  # of a cycle: at 10 rad/s, 500 Hz a free body's energy drifts below 1e-10 a minute
    inertia_ratio: float = 1e-12  # of a principal moment to the largest: below it, the inertia is numerically singular


TUNING = HapticTuning()
