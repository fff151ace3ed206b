"""Everything that the checker allows for: one constant per row of docs/trusted-base.md.

Each is a bound of what rounding or an assumption can do, and counts against the claim. None of them loosens a bound.
"""

from __future__ import annotations

import math

UNIT = 2.0**-53
"""Largest relative error of one rounded sum or product of doubles."""

SINE_ERROR = 8.0 * UNIT
"""Assumed error of the mathematical library's sine and cosine, absolute: 8 units in the last place; 1 is usual."""

GRID_ANGLE_ERROR = 8.0 * UNIT * math.pi
"""How far a double is from the part of a turn that a grid's angle is meant to be."""

RADIUS_MARGIN = 1.0 + 8.0 * UNIT
"""Covers the rounding of a radius itself: some four rounded operations per step."""

UNDERFLOW = 1e-300
"""More than a product can lose by underflow."""

ROUNDED_UP = 1.0 + 1e-9
"""Covers the rounding of constants and sums that are computed once: Lebesgue constants, weighted slacks."""

CONTROL_VALUE = 32.0 * UNIT
"""Per basis function and variable: the rounding of products along the variables of a box."""

WAVE_ENTRY = 256.0
"""Units by which an entry exp(-i k x) of a Fourier transform over a grid's angles may be off: k is at most four, x at
most a turn, and neither x nor k x nor its sine is exact.
"""

UNNAMED = 1e-9
"""Coefficients that a certificate does not name are exact to this part of the robot's largest coefficient on the grid,
and so are programs of M, c, C and g besides the torque that they are parts of. It is stated, not added to a bound;
guarantees of tracking count it.
"""

DOUBLES = 1e-9
"""Computing in doubles may change a torque by this part of what the terms of the robot's own torques can add up to, and
of the smallest bound; M, c, C and g by this part of the largest coefficient. It is stated, not added to a bound.
"""

SMALLEST_RATE = 1e-100
"""Positive limits of speeds and accelerations are not below it: products of smaller ones would be lost."""

SINGLE_UNIT = 2.0**-24
"""Largest relative error of one rounded sum or product of floats, and of a number that is rounded to a float."""

SINGLE_SINE_ERROR = 8.8e-8
"""Error of the sine and cosine of generated code in single precision, absolute: 8.774e-8 is the largest of all floats,
measured one by one, with fused operations and without.
"""

SINGLE_LARGEST_ANGLE = 4096.0
"""Up to here [rad] the sine and cosine were measured; beyond, code calls its mathematical library."""

FLUSHED = 2.0**-126
"""The smallest normal float: what is lost where a processor takes smaller results for zero."""

LARGEST_FLOAT = 2.0**127
"""Values beyond it are refused: half the largest float."""


def basis_rounding(size: int, degree: int, largest_angle: float) -> float:
    """Relative rounding of one entry of a variable's control values: interpolation, basis functions and, for angles far
    from zero, how coarse doubles are there (`largest_angle` is zero for displacements).
    """
    return 2.0 * UNIT * (2 * size + 8 + 2.0 * degree * largest_angle)


def added_up(rows: int) -> float:
    """Relative rounding of the sums over the rows of a box: every row is a term of few sums, and rounded in each."""
    return UNIT * (4 * rows + 100)


TABLE_VALUE = 50.0 * UNIT
"""Of a table's functions when they are evaluated, beside what each of its variables adds: `table_rounding`."""


def table_rounding(size: int, degree: int, joints: int, largest_angle: float) -> float:
    """Relative rounding that a variable adds to a table's functions when these are evaluated.

    `size` products are added up; powers of a displacement (no `joints`) are products; an angle is the sum of those of
    `joints` joints on a grid, together at most `largest_angle`, of which multiples up to `degree` are taken.
    """
    products = UNIT * (2 * size + 2 * degree)
    if not joints:
        return products
    return products + SINE_ERROR + degree * joints * (GRID_ANGLE_ERROR + 2.0 * UNIT * largest_angle)
