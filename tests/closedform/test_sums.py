"""Sums of signed pieces."""

from __future__ import annotations

from tests.closedform.test_polynomial import Q1, Q2

from torquec.closedform.layouts import Entry, Matrix, Part
from torquec.closedform.polynomial import Linear, constant, single
from torquec.closedform.sums import broken, entry_summands, joined, value_summands, weighted
from torquec.closedform.text import TEXT


def test_parts_with_speeds_stand_in_brackets():
    value = constant(-2.0) + single(Q1, 1, 0)
    entry = Entry(
        Matrix.C, (0, 0), (Part(value, speeds=(0,)), Part(single(Q2, 0, 1) * -1.0, speeds=(1, 1)), Part(value))
    )
    assert joined(entry_summands(entry, TEXT, 6)) == "(-2 + C1)*qd1 - S2*qd2^2 - 2 + C1"


def test_combinations_of_parameters():
    both = Linear({"Izz2": 1.0, "m3": 0.18})
    assert joined(value_summands(single(Q1, 1, 0).mapped(lambda _: both), TEXT, 6)) == "(Izz2 + 0.18*m3)*C1"
    assert joined(value_summands(constant(both), TEXT, 6)) == "Izz2 + 0.18*m3"
    assert joined(value_summands(constant(Linear({"m3": -1.0})), TEXT, 6)) == "-m3"


def test_weights():
    parts = [(1.0, "a"), (-2.5, "b"), (0.0, "c"), (-3.0, "")]
    assert joined(weighted(parts, TEXT, 6)) == "a - 2.5*b - 3"


def test_lines_break_between_summands():
    summands = [(False, "aaaa"), (True, "bbbb"), (False, "cccc")]
    assert broken(summands, first=100, other=100) == ["aaaa - bbbb + cccc"]
    assert broken(summands, first=7, other=7) == ["aaaa", "- bbbb", "+ cccc"]
    assert broken(summands, first=1, other=1) == ["aaaa", "- bbbb", "+ cccc"]
    assert broken([], first=10, other=10) == ["0"]
