"""Measured and predicted torques of a log."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import simulated_arm

from torquec.errors import ArgumentError
from torquec.identification.result.prediction import log_error, predict

RNG = np.random.default_rng(0)
A, X = RNG.normal(size=(1000, 2, 3)), np.array([1.0, 2.0, 3.0])
TAU = A @ X + RNG.normal(size=(1000, 2)) + [100.0, 0.0]


def test_known_values():
    found = log_error("run", ("a", "b"), [(A, TAU)], X)
    residual = TAU - A @ X
    assert found.relative_error == pytest.approx(np.linalg.norm(residual) / np.linalg.norm(TAU))
    assert list(found.rmse.values()) == pytest.approx(np.sqrt((residual**2).mean(axis=0)))
    assert list(found.average.values()) == pytest.approx(residual.mean(axis=0))
    assert list(found.std.values()) == pytest.approx(residual.std(axis=0))
    assert list(found.largest.values()) == pytest.approx(residual.max(axis=0))
    assert list(found.smallest.values()) == pytest.approx(residual.min(axis=0))


def test_blocks_merge():
    whole = dataclasses.asdict(log_error("run", ("a", "b"), [(A, TAU)], X))
    blocks = [(A[start : start + 170], TAU[start : start + 170]) for start in range(0, 1000, 170)]
    merged = dataclasses.asdict(log_error("run", ("a", "b"), blocks, X))
    for name in ("rmse", "average", "std", "largest", "smallest"):
        assert merged[name] == pytest.approx(whole[name], rel=1e-12)


def test_nothing_to_compare_with():
    with pytest.raises(ArgumentError, match="torques are zero"):
        log_error("run", ("a", "b"), [(A, 0.0 * TAU)], X)
    with pytest.raises(ArgumentError, match="no sample"):
        log_error("run", ("a", "b"), [], X)


def test_errors_are_those_of_the_estimate():
    estimate = simulated_arm.estimate()
    fitted, other = predict(estimate, simulated_arm.log()), predict(estimate, simulated_arm.log(5), fitted=False)
    assert fitted.relative_error == pytest.approx(estimate.training[0].relative_error, rel=1e-6)
    assert other.relative_error == pytest.approx(estimate.validation[0].relative_error, rel=1e-6)
    assert fitted.rmse == pytest.approx(list(estimate.training[0].rmse.values()), rel=1e-6)
    assert (fitted.fitted, other.fitted) == (True, False)
    assert fitted.measured.shape == fitted.predicted.shape == (len(fitted.t), 2)
    assert not np.all(fitted.used)
