"""Curves of documents: few samples, never without their extremes."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.identification.result.prediction import Prediction
from torquec.report.sample_curves import envelope_curves, kept_samples, prediction_curves
from torquec.simulation.monte_carlo import ErrorEnvelope


@pytest.mark.parametrize("count", [1, 5, 479, 480, 481, 100_000])
def test_extremes_and_ends_are_kept(count):
    values = np.random.default_rng(count).normal(size=count)
    rows = kept_samples(values)
    assert rows == sorted(set(rows))
    assert len(rows) <= 482
    assert {0, count - 1, int(values.argmin()), int(values.argmax())} <= set(rows)


def test_values_that_are_not_finite_are_passed_over():
    values = np.full(1000, np.nan)
    values[700] = 1.0
    assert 700 in kept_samples(values, 10)


def test_predictions_hold_only_samples_that_count():
    t = np.arange(5.0)
    used = np.array([False, True, True, True, False])
    found = prediction_curves(
        Prediction("a/log.csv", ("j",), t, t[:, None] + 1.0, t[:, None], used, True), {"j": "N m"}
    )
    assert found["joints"]["j"] == {
        "unit": "N m", "t": [1.0, 2.0, 3.0], "measured": [2.0, 3.0, 4.0], "predicted": [1.0, 2.0, 3.0],
    }  # fmt: skip
    assert found["fitted"]


def test_envelopes():
    t, one = np.arange(3.0), np.ones((3, 1))
    found = envelope_curves(["j"], ErrorEnvelope(t, -one, one, 0.0 * one, 4))
    assert found["joints"]["j"] == {"t": [0, 1, 2], "error": [0, 0, 0], "low": [-1, -1, -1], "high": [1, 1, 1]}
