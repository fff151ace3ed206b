"""Tables as Izaguirre et al. print them."""

from __future__ import annotations

import numpy as np

from torquec.papers.izaguirre.elimination import eliminate
from torquec.papers.izaguirre.trajectory_fits import TrajectoryFits
from torquec.report.parameter_tables import comparison_table, elimination_text, statistics_table


def test_columns_and_asterisks_as_printed():
    fits = TrajectoryFits(("a", "b"), np.array([[0.091631, -0.0013], [0.091631, -0.0013]]), np.ones((2, 2)))
    lines = statistics_table(fits, ["ia1", "x6"], [0]).splitlines()
    assert lines[0].split() == [
        "Parameter", "Representation", "Average", "Standard", "Deviation", "Maximum", "Minimum",
    ]  # fmt: skip
    assert lines[1].split() == ["1", "*", "ia1", "0.091631", "0.000000", "0.091631", "0.091631"]
    assert lines[2].split() == ["2", "x6", "-0.001300", "0.000000", "-0.001300", "-0.001300"]


def test_what_no_trajectory_tells_is_a_dash():
    fits = TrajectoryFits(("a",), np.array([[np.nan], [np.nan]]), np.zeros((2, 2)))
    assert statistics_table(fits, ["a"], []).splitlines()[1].split()[2:] == ["-"] * 4


def test_comparison_with_another_source():
    text = comparison_table(["fs1", "fs2"], [0.76, 1.62], [0.787033, 1.38928], source="J. Lloyd")
    assert text.splitlines()[2].split() == ["2", "*", "fs2", "1.6200", "1.3893"]


def test_both_tables_and_the_condition():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(50, 1, 2))
    found = eliminate(["big", "small"], [(a, a @ np.array([1.0, 1e-4]))] * 2)
    text = elimination_text(found, ["m1", "x1"], standard=10)
    assert text.startswith("10 parameters, 2 of them independent, 1 significant")
    assert "Table 1." in text
    assert "Table 2." in text
    assert "times better" in text


def test_a_condition_that_no_trajectory_has_is_told_in_words():
    """Five short stretches of a log leave parameters open: no number is infinitely many times better than another."""
    rng = np.random.default_rng(0)
    trajectories = []
    for k in range(3):
        a = rng.normal(size=(20, 1, 3))
        a[:, :, k] = 0.0
        trajectories.append((a, a @ np.array([1.0, 2.0, 3.0])))
    text = elimination_text(eliminate(["a", "b", "c"], trajectories), ["a", "b", "c"], standard=3)
    assert "no single trajectory" in text
    assert "inf" not in text
    assert "nan" not in text
