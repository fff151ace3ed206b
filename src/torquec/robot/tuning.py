"""Thresholds of robot files, canonical frames and closed loops.

Ratios without a unit are relative to the quantity that the text names; equation numbers are those of the module that is
named above the fields.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class RobotTuning:
    """Thresholds by module, each with its unit and the reason for its value."""

    # common_normal
    skew_sine: float = 1e-3  # smallest sine of the angle between two axes for which their common normal is used
    normal_distance: float = 10.0  # largest distance of its feet from the joints, relative to the offset of the joints
    # configuration
    quaternion_tolerance: float = 1e-6  # deviation from unit length: up to this normalised, beyond it refused
    # degrees
    radian_limit: float = 4.0 * math.pi  # rad; the widest limits of published robots are three half turns
    largest_degrees: float = 3600.0  # degrees, ten turns; 1e4 and the like stand for no limit
    radian_speed: float = 40.0  # rad/s, see (3)
    degree_grid: float = 0.5  # degrees of a limit: 22.5 and the like
    # edit_urdf
    edit_tolerance: float = 1e-9  # tolerance of the comparison after reading back, relative to the largest number
    # gripper_joints
    finger_mass_share: float = 0.05  # largest share of fingers in the moving mass: published ones have 0.01 to 0.02
    # inertialess
    zero_moment: float = 1e-13  # rounding error of a zero in (1), relative to all the moments that the joint carries
    # load
    typo_similarity: float = 0.8  # similarity of names: accepts one wrong letter in puma560, rejects planar3r for panda
    reported_snap: float = 1e-9  # [rad]: files with ten or more digits cause smaller snaps, which hardly change torques
    # loops.assembly
    redundant_gap: float = 1e-5  # gap [m, rad] that numbers of a file with few digits leave in redundant equations
    assembly_tries: int = 64  # start configurations
    assembly_steps: int = 120  # Newton steps of each
    assembly_step: float = 0.3  # largest change of a coordinate [rad, m] in a step
    # loops.close_loops
    degree_increases: tuple[int, int] = (0, 4)  # of predictions; the second is tried if Newton's method fails anywhere
    covered_range: float = 0.8  # part of the range; a choice that covers it is taken without trying others
    highest_power: int = 40  # of a prediction; fits have at most 16
    # loops.closure
    closed_gap: float = 1e-12  # gap [m, rad] within rounding error: smaller ones differ between compilers
    # loops.condition
    converged_gap: float = 1e-9  # gap [m, rad] above any that converged Newton steps leave
    singular_condition: float = 1e7  # condition of J_d at which torques have lost half of their digits
    # loops.independent
    walks: int = 48  # number of walks (1)
    walk_steps: int = 24  # steps of each walk
    walk_stride: float = 0.12  # length of a step [rad, or the robot's size]
    zero_entry: float = 1e-5  # share of the largest entry of all rows; smaller ones are errors of files with few digits
    stable_pivot: float = 0.1  # smallest acceptable pivot (4), as a share of its row's largest entry at that position
    smallest_row: float = 1e-3  # floor of that entry, in robot sizes: smaller rows are rounding only
    tied_pivots: float = 0.3  # share of the best pivot: among pivots above it, the place in the tree decides (2)
    # loops.predictions
    sampled_positions: int = 320  # number of positions to which predictions are fitted
    sampling_steps: int = 30  # of the continuation from the known configuration to a sample
    newton_steps: int = 10  # largest number from a prediction: one that needs more steps is too poor
    sampled_gap: float = 1e-13  # gap [m, rad] of a closed loop: rounding
    converged_share: float = 0.98  # of positions where Newton's method must converge: near singular ones it is slow
    extra_steps: int = 3  # Newton steps beyond those that samples need, if the range has singular configurations
    linear_fit_error: float = 1e-10  # [rad, m], largest of an exact linear relation: samples are converged to rounding
    sampled_condition: float = 1e6  # condition of J_d, scaled, beyond which a position counts as singular
    # sdf
    same_frame: float = 1e-12  # rotations and origins [m] that are closer are the same frame: (3) needs no weld
    # state_coordinate
    inner_range: float = 0.8  # central part of a joint's range in which zero is the start position
    # urdf
    fewest_legs: int = 2  # of a robot that walks
    fewest_leg_joints: int = 2  # of a leg: hip and knee. Wheels, rotors and the jaws of a gripper have one.
    leg_depth: float = 0.5  # of a limb's length: published legs have 0.77 to 1.33, fingers 0.32, one thumb 0.56
    # validate
    negative_moment: float = 1e-9  # share of the largest moment: a principal moment below minus this is no rounded zero
    slight_moment: float = 0.01  # share of the largest moment: moments above minus this are rounding of a thin body
    negligible_moment: float = 1e-6  # [kg m^2], a ball of 10 g and 16 mm: its torques do not matter, even if negative
    positive_minor: float = 1e-9  # minors above this, of a tensor whose trace is two, are positive despite rounding
    triangle_tolerance: float = 1e-6  # files print six digits: flat plates, where (2) is an equality, must pass
    largest_number: float = 1e30  # no mass or moment of a robot comes near; far beyond it, the arithmetic overflows
    largest_ratio: float = 1e6  # of a gear or mimic joint: gears have some thousand; ratios enter torques squared
    # mjcf_strip
    replicated_elements: int = 100_000  # most that <replicate> may make; published models have some thousand
    # passive_friction
    root_bisections: int = 60  # halvings of an interval: more than the digits of a double
    # tree
    named_joints: int = 10  # joints of a circle that a message names
    # write_mjcf
    friction_time: float = 0.004  # [s] of MuJoCo's friction constraint (2): two steps, the least that it accepts
    # xacro
    expanded_elements: int = 100_000  # limit of an expanded robot (4); the largest published ones have some thousand
    expression_text: int = 50_000_000  # limit of the text from expressions (4): ten times the largest robot file
    macro_nesting: int = 100  # macros inside macros, properties inside properties, files inside files
    # xacro_expression
    expression_characters: int = 2000  # of an expression: published robots have none of more than two hundred
    # xml
    element_nesting: int = 1000  # elements; MJCF nests a body in its parent, URDF never goes beyond about ten
    undeclared_prefixes: int = 20  # most undeclared prefixes of one document that are tolerated


TUNING = RobotTuning()
