"""The error of a log: the same from one block as from many."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.identification.result.residuals import log_error

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
