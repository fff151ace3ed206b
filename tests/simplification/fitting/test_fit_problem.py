from __future__ import annotations

import numpy as np
from tests.simplification.stanford_table import stanford, target

from torquec.proof.torque.coefficient_tolerance import ErrorKind
from torquec.simplification.fitting.candidate_basis import candidate_basis
from torquec.simplification.fitting.fit_problem import FitProblem


def problem(name, **options):
    _, box = stanford()
    exact = target(name)
    return FitProblem(exact, candidate_basis(exact, choice="own"), box, **options)


def test_rows_are_the_candidates_at_the_pool_and_relative_ones_are_divided():
    absolute, relative = problem("J22"), problem("J22", kind=ErrorKind.RELATIVE)
    values = absolute.target(absolute.points)
    assert np.allclose(absolute.right, values)
    assert np.allclose(relative.rows * values[:, None], absolute.rows)
    assert np.all(relative.right == 1.0)


def test_fits_on_the_pool_do_not_depend_on_what_was_fitted_before():
    used, fresh = problem("H112"), problem("H112")
    used.fit_on_pool(range(8))
    used.fit_on_pool(range(7), near=range(8))
    assert np.isclose(used.fit_on_pool(range(6), near=range(7)).level, fresh.fit_on_pool(range(6)).level, rtol=1e-9)


def test_early_answers_agree_with_the_optimum():
    one = problem("H112")
    best = one.fit([0, 1, 2]).level
    assert one.fit([0, 1, 2], accept=1.5 * best, reject=1.5 * best).level <= 1.5 * best
    assert one.fit([0, 1, 2], accept=0.5 * best, reject=0.5 * best).level > 0.5 * best
    assert one.fit_on_pool([0, 1, 2], reject=0.5 * best).level > 0.5 * best


def test_the_error_surface_is_target_minus_fit():
    one = problem("J14")
    coefficients = np.array([0.1, -0.2])
    q = one.box.samples(one.terms.joints, 50)
    expected = one.target(q) - one.polynomial([0, 3], coefficients)(q)
    assert np.allclose(one.surface([0, 3], coefficients).values(q), expected, atol=1e-14)
