"""Tolerances by axis: their intervals, the words of a command line, and what contradicts itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.kinematics.kinematics_task import PoseTolerance, tolerances_of


def test_numbers_are_plus_or_minus_and_pairs_are_intervals():
    found = PoseTolerance(x=0.002, z=(-0.01, 0.0), rx=(0.1, 0.1), rz=math.inf)
    expected = [[-0.002, 0.002], [0, 0], [-0.01, 0], [0.1, 0.1], [0, 0], [-math.pi, math.pi]]
    np.testing.assert_array_equal(found.bounds, expected)
    assert found.freedom == ("x", "z", "rz")
    assert PoseTolerance(rz=(3.0, 9.9)).bounds[5].tolist() == [-math.pi, math.pi]
    assert PoseTolerance(rz=(3.0, 3.4)).bounds[5].tolist() == [3.0, 3.4]


def test_words():
    assert tolerances_of("x=1e-3, rz=free") == {"x": 0.001, "rz": math.inf}
    found = tolerances_of("z=0:0.1,ry=-90:45", degrees=True)
    assert found["z"] == (0.0, 0.1)
    np.testing.assert_allclose(found["ry"], (-math.pi / 2, math.pi / 4))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x": -0.001}, "the tolerance of x, -0.001, is negative"),
        ({"rz": (0.2, 0.1)}, r"the tolerance of rz, \(0.2, 0.1\), is empty"),
        ({"y": math.nan}, "the tolerance of y is nan"),
        ({"y": (math.inf, math.inf)}, "inf leaves it free"),
        ({"z": (0.0, 0.1, 0.2)}, "give a number, or an interval"),
        ({"z": "0.1"}, "give a number, or an interval"),
    ],
)
def test_contradictions(given, message):
    with pytest.raises(ArgumentError, match=message):
        PoseTolerance(**given)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("w=1", "is not AXIS=VALUE"),
        ("x", "is not AXIS=VALUE"),
        ("x=1,x=2", "two tolerances of x"),
        ("x=a", "has 'a', not a number"),
        ("x=1:2:3", "give one number, FROM:TO, or free"),
    ],
)
def test_words_that_are_refused(words, message):
    with pytest.raises(ArgumentError, match=message):
        tolerances_of(words)
