from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest

from torquec.errors import MissingExtraError
from torquec.simplification.fitting.cheapest_subset import cheapest_subset
from torquec.simplification.fitting.chebyshev_program import point_fit


def instance(seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((60, 8))
    return A, A[:, :3] @ rng.uniform(0.5, 2.0, 3) + 0.2 * rng.standard_normal(60)


@pytest.mark.parametrize("seed", range(4))
def test_it_is_what_trying_all_subsets_finds(seed):
    A, b = instance(seed)
    level = 0.6
    fewest = next(
        k
        for k in range(9)
        if any(point_fit(A[:, list(c)], b).level <= level for c in itertools.combinations(range(8), k))
    )
    found = cheapest_subset(A, b, level, np.ones(8), below=9.0, nodes=10000)
    assert len(found) == fewest
    assert point_fit(A[:, found], b).level <= level * (1.0 + 1e-6)
    assert cheapest_subset(A, b, level, np.ones(8), below=float(fewest), nodes=10000) is None


def test_prices_decide():
    A = np.stack([np.ones(40), np.ones(40) + 1e-3 * np.linspace(-1.0, 1.0, 40)], axis=1)
    prices = np.array([5.0, 1.0])
    assert cheapest_subset(A, np.ones(40), 0.01, prices, below=10.0, nodes=10000) == [1]


def test_scipy_is_named_when_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(MissingExtraError, match="mixed-integer search needs the package 'scipy'"):
        cheapest_subset(np.ones((2, 1)), np.ones(2), 0.1, np.ones(1), below=2.0, nodes=10000)
