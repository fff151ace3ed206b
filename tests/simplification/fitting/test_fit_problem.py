from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.simplification.stanford_table import kind, monomial, needs_table, rows, stanford, target

import torquec as tq
from torquec.closedform import TrigPolynomial, Variable, closed_form
from torquec.errors import ArgumentError
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.proof.torque.error_peaks import largest_error
from torquec.robot.joints import PositionBasis
from torquec.simplification.fitting.fit_problem import FitProblem, minimax_fit
from torquec.simplification.fitting.minimal_basis import own_terms
from torquec.trajectory.motion_box import MotionBox, joint_box


def largest_first(polynomial):
    """Terms by falling magnitude of their coefficient, then by monomial."""
    return sorted(polynomial.terms.items(), key=lambda term: (-abs(term[1]), term[0]))


def problem(name, **options):
    _, box = stanford()
    exact = target(name)
    return FitProblem(exact, own_terms(exact), box, **options)


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
    assert np.isclose(
        used.fit_on_pool(range(6), near=range(7)).level, fresh.fit_on_pool(range(6)).level, rtol=1e-9, atol=0.0
    )


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


FITTED = [row for row in rows() if row.get("minimax_same_basis")]


@needs_table
@pytest.mark.parametrize("row", FITTED, ids=lambda row: row["row"])
def test_optimum_on_the_printed_basis(row):
    _, box = stanford()
    basis = [monomial(text) for text in row["minimax_same_basis"]["basis"]]
    fit = minimax_fit(target(row["coefficient"]), basis, box, kind=kind(row))
    assert fit.level == pytest.approx(row["minimax_same_basis"]["err"], abs=2e-6)
    assert fit.gap <= 1e-6


@pytest.mark.parametrize(
    ("name", "basis", "relative", "optimum"),
    [
        ("J11", ["one", "S2**2", "S2**2*q3", "S2**2*q3**2"], True, 0.05179),
        ("J22", ["one", "q3", "q3**2"], True, 0.02875),
        ("J44", ["one"], True, 0.0663),
        ("H223", ["one", "q3"], False, 0.0771),
        ("G2", ["S2", "S2*q3", "S2*C5", "C2*S4*S5"], False, 0.05530),
    ],
)
def test_published_optima_within_one_percent(name, basis, relative, optimum):
    _, box = stanford()
    error = ErrorKind.RELATIVE if relative else ErrorKind.ABSOLUTE
    fit = minimax_fit(target(name), [monomial(text) for text in basis], box, kind=error)
    assert fit.level == pytest.approx(optimum, rel=0.01)


def test_chebyshev_polynomials():
    d = Variable(((0, 1),), PositionBasis.POLYNOMIAL)
    powers = [((d, 0, k),) if k else () for k in range(6)]
    for degree in range(1, 6):
        top = TrigPolynomial({powers[degree]: 1.0})
        assert minimax_fit(top, powers[:degree], MotionBox((-1.0,), (1.0,))).level == pytest.approx(2.0 ** (1 - degree))


def test_no_other_coefficients_do_better():
    robot = tq.classics.puma560()
    form, box = closed_form(robot), joint_box(robot)
    entry = form.M[0, 0]
    basis = [m for m, _ in largest_first(entry)[:5]]
    fit = minimax_fit(entry, basis, box)
    rng = np.random.default_rng(2)
    for _ in range(20):
        moved = TrigPolynomial({m: c * (1.0 + 0.01 * rng.standard_normal()) for m, c in fit.polynomial})
        assert largest_error(entry, moved, box, kind=ErrorKind.ABSOLUTE).level >= fit.lower_bound


def test_samples_stay_within_the_level():
    robot = tq.classics.puma560()
    form, box = closed_form(robot), joint_box(robot)
    q = np.random.default_rng(3).uniform(box.lower, box.upper, (200_000, 6))
    for entry in (form.M[0, 1], form.christoffel(0, 0, 1), form.g[2]):
        fit = minimax_fit(entry, [m for m, _ in largest_first(entry)[:3]], box)
        assert np.abs(entry(q) - fit.polynomial(q)).max() <= fit.level * (1.0 + 1e-9)


def test_the_target_among_the_terms_is_found_exactly():
    _, box = stanford()
    exact = target("G5")
    fit = minimax_fit(exact, [*exact.terms, ()], box)
    assert fit.level == 0.0
    assert fit.polynomial == exact


def test_an_empty_basis_has_the_largest_value_as_its_level():
    _, box = stanford()
    assert minimax_fit(target("G3"), [], box).level == pytest.approx(63.406, abs=1e-9)


def test_a_wider_basis_is_never_worse():
    _, box = stanford()
    entry = target("H112")
    levels = []
    for count in range(5):
        basis = [m for m, _ in largest_first(entry)[:count]]
        levels.append(minimax_fit(entry, basis, box).level)
    assert all(b <= a * (1.0 + 1e-6) for a, b in itertools.pairwise(levels))


def test_misuse():
    _, box = stanford()
    with pytest.raises(ArgumentError, match="given twice"):
        minimax_fit(target("G3"), [(), ()], box)
    with pytest.raises(ArgumentError, match="has zeros"):
        minimax_fit(target("G3"), [()], box, kind=ErrorKind.RELATIVE)
