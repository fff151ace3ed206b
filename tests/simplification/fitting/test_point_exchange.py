from __future__ import annotations

import numpy as np
import pytest

from torquec.simplification.fitting.point_exchange import exchanged


def problem(n, m, seed, *, coarse=False):
    rng = np.random.default_rng(seed)
    A, b = rng.standard_normal((n, m)), rng.standard_normal(n)
    A, b = A / np.abs(A).max(axis=0), b / np.abs(b).max()
    return (np.round(A, 1), np.round(b, 1)) if coarse else (A, b)


def highs(A, b):
    from scipy.optimize import linprog

    n, m = A.shape
    ones = np.ones((n, 1))
    rows = np.block([[A, -ones], [-A, -ones]])
    return linprog(np.r_[np.zeros(m), 1.0], A_ub=rows, b_ub=np.r_[b, -b], bounds=(None, None)).fun


@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize(("n", "m"), [(20, 1), (50, 3), (200, 12), (400, 30)])
def test_the_level_is_that_of_a_linear_program(n, m, coarse):
    A, b = problem(n, m, n + m, coarse=coarse)
    found = exchanged(A, b)
    assert found.finished
    assert found.level == pytest.approx(highs(A, b), abs=1e-7)
    assert np.abs(b - A @ found.coefficients).max() == pytest.approx(found.level, abs=1e-8)


def test_weights_prove_the_level():
    A, b = problem(300, 8, 4)
    found = exchanged(A, b)
    assert np.abs(found.weights).sum() == pytest.approx(1.0)
    assert np.abs(A.T @ found.weights).max() < 1e-12
    assert found.weights @ b == pytest.approx(found.level, abs=1e-12)


def test_it_goes_on_where_related_fits_ended():
    A, b = problem(300, 8, 5)
    whole = exchanged(A, b)
    less = exchanged(A[:, 1:], b, start=whole.support)
    assert less.level == pytest.approx(exchanged(A[:, 1:], b).level, abs=1e-10)
    more = exchanged(A, b, start=exchanged(A[:, :-1], b).support)
    assert more.level == pytest.approx(whole.level, abs=1e-10)
    grown_A, grown_b = np.vstack([A, 0.5 * A[:20]]), np.r_[b, b[20:40]]
    grown = exchanged(grown_A, grown_b, start=whole.support)
    assert grown.level == pytest.approx(exchanged(grown_A, grown_b).level, abs=1e-10)


def test_it_gives_up_once_the_level_is_too_high():
    A, b = problem(300, 8, 6)
    found = exchanged(A, b, reject=0.1)
    assert not found.finished
    assert 0.1 < found.level <= exchanged(A, b).level
