"""A serial robot as the theorems see it."""

from __future__ import annotations

import pytest
from tests.parameters.serial_arms import QUARTER, dh_arm

from torquec.parameters.chain import chain
from torquec.parameters.rational_geometry import rational_geometry
from torquec.robot import classics


def facts(robot):
    return chain(robot, rational_geometry(robot))


@pytest.mark.parametrize(
    ("name", "r", "s"), [("puma560", 0, 1), ("stanford", 0, 1), ("scara", 0, 4), ("planar2r", 0, 2)]
)
def test_first_two_directions(name, r, s):
    found = facts(classics.load_classic(name))
    assert (found.r, found.s) == (r, s)


def test_slides_only_have_no_rotation():
    found = facts(dh_arm("slides", [(True, 0.0, 0.0, 0.0, 0.0), (True, QUARTER, 0.0, 0.0, 0.0)]))
    assert (found.r, found.s) == (2, 2)


def test_joints_about_one_line():
    """R R with only an offset along the axis, then one across it; a slide along the axis does not matter."""
    rows = [
        (False, 0.0, 0.0, 0.0, 0.0),
        (False, 0.0, 0.0, 0.3, 0.5),
        (True, 0.0, 0.0, 0.0, 0.1),
        (False, 0.0, 0.0, 0.0, 0.2),
        (False, 0.0, 0.4, 0.0, 0.0),
    ]
    found = facts(dh_arm("line", rows))
    assert [found.turns_about_one_line(j) for j in (0, 1, 3, 4)] == [True, True, True, False]


def test_offsets_that_a_slide_brings_back():
    """0.3 out and 0.3 back with a slide between: the second rotation is about the line of the first."""
    out_and_back = [(False, 0.0, 0.0, 0.0, 0.0), (True, 0.0, 0.3, 0.0, 0.0), (False, 0.0, -0.3, 0.0, 0.0)]
    assert facts(dh_arm("there", out_and_back)).turns_about_one_line(2)
    out_and_aside = [(False, 0.0, 0.0, 0.0, 0.0), (True, 0.0, 0.3, QUARTER, 0.0), (False, 0.0, -0.3, 0.0, 0.0)]
    assert not facts(dh_arm("aside", out_and_aside)).turns_about_one_line(2)


def test_gravity_along_the_first_axis():
    assert facts(classics.puma560()).gravity_is_parallel_to_r()
    assert not facts(classics.puma560(gravity=(0.1, 0.0, -9.81))).gravity_is_parallel_to_r()
