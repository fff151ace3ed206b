"""Limits and constants that docs/trusted-base.md and the docstrings state: another one is another claim."""

from __future__ import annotations

from torquec_check import boxes, package, parts, program_error, recursion, robot, rows


def test_numbers():
    assert (rows.UNIT, rows.SMALLEST, rows._RADIUS) == (2.0**-53, 1e-300, 1.0 + 2.0**-49)
    assert 1.0 + 0.99e-9 < rows.UP < 1.0 + 1.01e-9
    assert (rows.UNIT + 1.0) ** 1_000_000 < rows.UP
    assert boxes.SQUARED == 1e-150
    assert (parts.EXACT, parts.ROUNDING) == (1e-9, 100.0)
    assert float(recursion._POLAR.rad()) == float(recursion.flint.arb(0, 1e-50).rad())
    assert (robot.NEARLY_ROTATION, robot.MOST_BODIES) == (1e-9, 1000)


def test_limits():
    assert (rows.MOST_MULTIPLES, rows.MOST_BITS, rows.MOST_POINTS) == (32, 10_000, 400_000)
    assert rows.ANGLE > 10**6  # no joint has such a number
    assert (rows.MOST_DEGREE, rows.MOST_WORK) == (100, 2e9)
    assert (boxes.MOST_VALUES, boxes.DEEPEST, boxes.SMALL) == (3e10, 120, 1e-4)
    assert (package._MOST_FILES, package.MOST_BYTES) == (1000, 400_000_000)


def test_what_is_tried_and_in_which_portions():
    """These cost time, not truth."""
    assert boxes._LOOKS == 5
    assert (program_error._TANGENTS, program_error._MOST_SPEEDS) == (8, 8)
    assert (program_error._FAR, program_error._AT_ONCE) == (1.5, 100)
