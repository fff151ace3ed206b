"""What is added up over rows: the same whatever blocks they come in."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.identification.estimators.row_totals import row_totals


def rows(count, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, 2, 3)), rng.normal(size=(count, 2))


def test_blocks_of_any_size_give_what_all_rows_give_at_once():
    a, tau = rows(60)
    whole = row_totals([[(a, tau)]])
    parts = row_totals([[(a[:7], tau[:7]), (a[7:30], tau[7:30])], [(a[30:], tau[30:])]])
    assert np.array_equal(parts.peaks, np.abs(a).max(axis=0))
    assert np.array_equal(parts.torque_peaks, np.abs(tau).max(axis=0))
    assert parts.factors.count == whole.factors.count
    weights = np.array([1.0, 3.0])
    found, expected = (total.factors.weighted(weights) for total in (parts, whole))
    assert np.allclose(found.T @ found, expected.T @ expected, atol=1e-12)


def test_nothing_to_fit_is_refused():
    with pytest.raises(ArgumentError, match="no samples"):
        row_totals([[], []])
