"""Numbers of a specification: in radians or degrees, positive, and refused with their line."""

from __future__ import annotations

import math

import pytest

from torquec.errors import RobotFileError
from torquec.robot.toml import parse_toml
from torquec.simplification.stated_number import (
    degrees_suspected,
    stated_part,
    stated_positive,
    stated_range,
    stated_rate,
)


def table(text):
    return parse_toml(text, "spec.toml")


def test_degrees_are_radians():
    assert stated_rate(table("velocity_deg = 90"), "velocity") == pytest.approx(math.pi / 2)
    assert stated_rate(table("velocity = 1.5"), "velocity") == 1.5
    assert stated_range(table("range_deg = [-180, 90]")) == pytest.approx((-math.pi, math.pi / 2))
    assert stated_range(table("range = [0.1, 0.2]")) == (0.1, 0.2)


def test_what_is_not_there_is_none():
    assert stated_positive(table(""), "velocity") is None
    assert stated_part(table(""), "part") is None
    assert stated_part(table("part = 0.5"), "part") == 0.5
    assert stated_rate(table(""), "velocity") is None
    assert stated_range(table("")) is None
    assert degrees_suspected(table("")) == ()


def test_radians_that_look_like_degrees_are_told():
    (said,) = degrees_suspected(table("range = [-170, 170]"))
    assert "spec.toml:1" in said
    assert "range_deg" in said


@pytest.mark.parametrize(
    ("text", "read", "message"),
    [
        ("part = 1", lambda t: stated_part(t, "part"), "'part' is 1\n.*between 0 and 1"),
        ("velocity = 0", lambda t: stated_rate(t, "velocity"), "'velocity' is 0"),
        ("velocity = 1\nvelocity_deg = 2", lambda t: stated_rate(t, "velocity"), "the velocity is given twice"),
        ("range = [1, 2]\nrange_deg = [1, 2]", stated_range, "the range is given twice"),
        ("range = [2, 1]", stated_range, "'range' is"),
        ("range = [1, 2, 3]", stated_range, "'range' is"),
    ],
)
def test_refusals(text, read, message):
    with pytest.raises(RobotFileError, match=message):
        read(table(text))
