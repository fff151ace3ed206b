"""The table [base] of a specification is complete and positive, and reads back from a certificate's text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.proof.walkers import walker

from torquec import classics
from torquec.errors import SpecificationError
from torquec.simplification.specification import parse_specification
from torquec.simplification.specification_text import specification_text

ROBOT = walker(0, (1, 1))
JOINTS = "[every_joint]\nvelocity = 3\nacceleration = 20\ntorque_error = 0.1\n"
BASE = {
    "linear_velocity": 1.0,
    "angular_velocity": 2.0,
    "linear_acceleration": 5.0,
    "angular_acceleration": 9.0,
    "force_error": 4.0,
    "moment_error": 0.5,
}


def _text(**changes):
    stated = {key: value for key, value in {**BASE, **changes}.items() if value is not None}
    return "\n".join([JOINTS, "[base]", *(f"{key} = {value}" for key, value in stated.items())])


def test_every_component_has_the_numbers_of_the_table():
    stated = parse_specification(_text(), ROBOT)
    assert stated.motions.velocity == (1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0)
    assert stated.motions.acceleration == (5.0, 5.0, 5.0, 9.0, 9.0, 9.0, 20.0, 20.0)
    assert [joint.torque_error for joint in stated.joints] == [4.0] * 3 + [0.5] * 3 + [0.1] * 2
    assert stated.box.lower[:6] == stated.box.upper[:6] == (0.0,) * 6


def test_it_reads_back_the_same():
    stated = parse_specification(_text(), ROBOT)
    back = parse_specification(specification_text(ROBOT, stated), ROBOT)
    assert replace(back, source=stated.source) == stated


@pytest.mark.parametrize("key", BASE)
def test_what_is_missing_is_named(key):
    with pytest.raises(SpecificationError, match=f"'{key}' is missing"):
        parse_specification(_text(**{key: None}), ROBOT)
    with pytest.raises(SpecificationError, match=key):
        parse_specification(_text(**{key: -1.0}), ROBOT)


def test_without_a_table_the_base_is_missing():
    with pytest.raises(SpecificationError, match="has a free base"):
        parse_specification(JOINTS, ROBOT)


def test_a_fixed_base_has_no_table_and_a_pose_no_range():
    with pytest.raises(SpecificationError, match="has no free base"):
        parse_specification(_text(), classics.planar2r())
    ranged = _text() + '\n[[joint]]\nname = "floating_base_vx"\nrange = [-1, 1]\n'
    with pytest.raises(SpecificationError, match="range"):
        parse_specification(ranged, ROBOT)
