"""What `identify` prints: every parameter with its interval, errors by log, and what else was asked for."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import simulated_arm

from torquec.identification.payload import Payload
from torquec.identification.result.comparison import combinations, compare_estimate
from torquec.papers.elimination import TrajectoryFits, eliminate, log_elimination
from torquec.report.identification_text import (
    Findings,
    comparison_table,
    elimination_text,
    identification_text,
    statistics_table,
)
from torquec.report.tables import number
from torquec.spatial import PARAMETER_NAMES


@pytest.fixture(scope="module")
def estimate():
    return simulated_arm.estimate()


def rows_of(text):
    return [line.split() for line in text.splitlines()]


def test_every_parameter_with_its_interval(estimate):
    rows = rows_of(identification_text(Findings(estimate)))
    for parameter, (low, high) in zip(estimate.parameters, estimate.confidence, strict=True):
        row = next(row for row in rows if row[:1] == [parameter.name])
        assert row[1:] == [
            number(parameter.value), number(parameter.std, 2), number(low, 4), number(high, 4),
            "yes" if parameter.significant else "no",
        ]  # fmt: skip


def test_errors_of_fitted_and_predicted_logs(estimate):
    text = identification_text(Findings(estimate))
    for kind, errors in (("fitted", estimate.training), ("predicted", estimate.validation)):
        assert errors
        for error in errors:
            assert any(kind in row and f"{error.relative_error:.2%}" in row for row in rows_of(text))
    assert text.endswith(str(estimate.verdict))
    assert "physically consistent" in text
    assert "not physically consistent" not in text


def test_details_are_residuals_and_pairs(estimate):
    plain, details = (identification_text(Findings(estimate), details=more) for more in (False, True))
    assert "measured - predicted" not in plain
    assert "measured - predicted [Nm]" in details
    pairs = estimate.strong_correlations()
    assert ("strongly correlated" in details) is bool(pairs)
    shown = [row for row in rows_of(details) if len(row) == 3 and row[-1][0] in "+-" and row[0] != "-"]
    assert len(shown) <= 12


def test_elimination_has_its_legend(estimate):
    found = log_elimination(estimate, [simulated_arm.log()])
    text = identification_text(Findings(estimate, elimination=found))
    assert "numbers: 1 joint1, 2 joint2" in text
    assert "Table 3. Comparison of the Results Obtained for the Frictions" in text
    compared = {row[2]: row[3:] for row in rows_of(text.split("Table 3.")[1]) if "*" in row[1:2]}
    after = dict(zip((found[1].letters[k] for k in found[0].kept), found[0].after.average, strict=True))
    assert compared["ds1"] == ["0.5000", f"{after['ds1']:.4f}"]  # the arm's file, and the mean of the five parts


def test_an_open_parameter_of_a_payload_has_no_number(estimate):
    values = np.arange(1.0, 11.0)
    payload = Payload("hand", values, np.eye(10), ("Ixx",), 0.01, 0.25)
    text = identification_text(Findings(estimate, payload=payload))
    rows = rows_of(text[text.index("payload on frame 'hand'") :])
    for k, name in enumerate(PARAMETER_NAMES):
        row = next(row for row in rows if row[:1] == [name])
        assert row[1:] == (["open", "-"] if name == "Ixx" else [number(values[k]), "1"])
    assert "error of the loaded runs 1.00%, 25.00% without the payload" in text


def test_published_combinations_beside_what_was_found(estimate):
    truth = next(p for p in estimate.parameters if p.name == "viscous_joint1")
    given = combinations(estimate.model, [(truth.name, truth.value, 1.0)])
    compared = compare_estimate(estimate, [simulated_arm.log()], given)
    text = identification_text(Findings(estimate, comparison=compared))
    assert "of 1 combinations, 1 within 1, 1 within 2, 1 within 3 standard deviations of each other" in text
    long = dataclasses.replace(compared, expressions=("x" * 60,))
    text = identification_text(Findings(estimate, comparison=long))
    assert "x" * 41 + "..." in text
    assert "x" * 42 not in text


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
