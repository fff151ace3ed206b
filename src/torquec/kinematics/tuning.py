"""Thresholds and limits of closed-form, eliminated and iterative inverse kinematics.

Ratios without a unit are relative to the quantity that the text names; equation numbers are those of the module that is
named above the fields.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KinematicsTuning:
    """Thresholds by module, each with its unit and the reason for its value."""

    # angle
    turn_margin: float = 1e-6  # [rad]: limits less than a whole turn apart by no more than this may hold two values
    # conic_angles
    root_halvings: int = 26  # bisections, to 1e-8 of the bracket: from there Newton's method is quick
    longest_angle_step: float = 1e-3  # [rad], limit of a Newton step for an angle
    touching_distance: float = 1e-6  # of a line that may still touch the circle: double roots are inaccurate
    # eliminant_roots
    same_root: float = 1e-7  # [rad]: closer roots of overlapping cells are one root
    # eliminated_kinematics
    plane_ratio: float = 1e-3  # second smallest singular value over the third: below, the null space is a plane (4)
    tried_null_vectors: int = 12  # of a plane: neighbours are 15 degrees apart
    # free_joint
    interval_bisections: int = 60  # halvings of a step: the rest is below the spacing of doubles
    golden_sections: int = 45  # each leaves 0.618 of a bracket: 4e-10 in all, where an extremum is flat to rounding
    # iterative_kinematics
    smallest_discriminant: float = 0.03  # of a start: 10 degrees from a fold, more than calibrations shift a fold
    # kinematics_package
    tested_poses: int = 12  # number of poses in the self-test of an iteration
    # line_elimination
    compared_poses: int = 6  # poses on which eliminants are compared
    smallest_singular_value: float = 1e-7  # of singular values of M: with less, roots are lost to rounding
    example_error: float = 1e-3  # [rad]: largest error of `joints` on an example with known joints
    # near_arm
    near_distance: float = 0.03  # of lines that meet, relative to the size of the arm; offsets of wrists are larger
    compared_positions: int = 200  # positions at which arms are compared
    # near_branches
    beside_distances: tuple[float, float] = (3.0, 12.0)  # distances of (2), as multiples of d
    farthest_beside: float = 0.3  # largest distance of (2): farther poses give no useful starts
    # pose_search
    scanned_values: int = 241  # of one unknown over its range (1): 1.5 degrees of a turn apart
    box_shrink: float = 0.4  # for several unknowns: factor on the box in each round of (2)
    box_shrinks: int = 10  # number of these rounds
    further_starts: tuple[int, ...] = (32, 96, 384)  # of (4), in groups until one succeeds
    # refinement
    half_turn_floor: float = 0.05  # 1 + cos of the angle below which w of (1) stops growing: only its axis counts there
    # tolerance_search
    tolerance_steps: int = 60  # a start that converges takes five to twenty; others are given up
    tolerance_half_turn_floor: float = 0.05  # 1 + cos of the angle below which w of (1) stops growing


TUNING = KinematicsTuning()
