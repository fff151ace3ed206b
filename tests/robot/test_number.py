"""Strict numbers: what other readers let through."""

from __future__ import annotations

import pytest

from torquec.errors import RobotFileError
from torquec.robot.number import parse_number, parse_vector


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1.0), ("-.5", -0.5), ("+2.", 2.0), (" 1e-3\n", 0.001), ("1E+2", 100.0), ("0x", None), ("1e400", None)]
    + [(text, None) for text in ("", " ", "1,5", "1abc", "nan", "NaN", "inf", "-Infinity", "1_0", "0x10", "1 2", "٣")]
    + [(text, None) for text in ("--1", "1e", ".", "e5", "${pi/2}", "1.0.0", "1d3", "１")],
)
def test_numbers(text, value):
    if value is not None:
        assert parse_number(text, what="mass", where="f:1") == value
        return
    with pytest.raises(RobotFileError) as caught:
        parse_number(text, what="mass", where="f:1")
    assert str(caught.value).startswith("f:1: mass is ")
    assert caught.value.remedy


def test_the_remedy_fits_the_mistake():
    with pytest.raises(RobotFileError, match="decimal point"):
        parse_number("1,5", what="mass", where="f:1")
    with pytest.raises(RobotFileError, match="xacro"):
        parse_number("${mass}", what="mass", where="f:1")


@pytest.mark.parametrize("text", ["", "1 2", "1 2 3 4", "1 2 x", "1,2,3", "0 0 nan"])
def test_vectors_are_three_numbers(text):
    with pytest.raises(RobotFileError, match="f:1: axis is"):
        parse_vector(text, what="axis", where="f:1")
