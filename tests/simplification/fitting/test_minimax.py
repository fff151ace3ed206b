from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.simplification.stanford_table import kind, monomial, needs_table, rows, stanford, target

import torquec as tq
from torquec.closedform import TrigPolynomial, Variable, closed_form
from torquec.errors import ArgumentError
from torquec.proof.torque.coefficient_tolerance import ErrorKind
from torquec.proof.torque.error_peaks import largest_error
from torquec.robot.joints import PositionBasis
from torquec.simplification.fitting.minimax import minimax_fit
from torquec.trajectory.motion_box import MotionBox, joint_box

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
    basis = [m for m, _ in entry.largest_first()[:5]]
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
        fit = minimax_fit(entry, [m for m, _ in entry.largest_first()[:3]], box)
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
        basis = [m for m, _ in entry.largest_first()[:count]]
        levels.append(minimax_fit(entry, basis, box).level)
    assert all(b <= a * (1.0 + 1e-6) for a, b in itertools.pairwise(levels))


def test_misuse():
    _, box = stanford()
    with pytest.raises(ArgumentError, match="given twice"):
        minimax_fit(target("G3"), [(), ()], box)
    with pytest.raises(ArgumentError, match="has zeros"):
        minimax_fit(target("G3"), [()], box, kind=ErrorKind.RELATIVE)
