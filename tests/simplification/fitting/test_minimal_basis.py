from __future__ import annotations

import numpy as np
import pytest
from tests.simplification.stanford_table import kind, monomial, needs_table, polynomial, rows, stanford, target

import torquec as tq
from torquec.closedform import Variable, closed_form
from torquec.errors import ArgumentError, SpecificationError
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.proof.torque.error_peaks import largest_error, largest_magnitude
from torquec.robot.joints import PositionBasis
from torquec.simplification.fitting.minimal_basis import (
    SearchOptions,
    minimal_basis,
    own_terms,
    product_basis,
    set_product,
)
from torquec.trajectory.motion_box import joint_box

REPRODUCED = [row for row in rows() if row["reproduced"]]


@needs_table
@pytest.mark.parametrize("row", REPRODUCED, ids=lambda row: row["row"])
def test_no_more_terms_and_no_larger_error_than_printed(row):
    _, box = stanford()
    exact = target(row["coefficient"])
    found = minimal_basis(exact, box, 1.1 * row["printed_error"], kind=kind(row))
    assert len(found.polynomial) <= len(polynomial(row["expression"]))
    error = largest_error(exact, found.polynomial, box, kind=kind(row)).level
    assert error <= 1.1 * row["printed_error"] * (1.0 + 1e-9) + 1e-12


def test_at_the_tolerance_of_the_table_fewer_terms_do():
    # Printed with 4 terms, and with 3 terms where one is enough.
    _, box = stanford()
    assert len(minimal_basis(target("H112"), box, 0.314).polynomial) == 2
    assert len(minimal_basis(target("H115"), box, 0.076).polynomial) == 1


def test_the_tolerance_is_kept_and_every_term_is_needed():
    robot = tq.classics.puma560()
    form, box = closed_form(robot), joint_box(robot)
    q = np.random.default_rng(5).uniform(box.lower, box.upper, (50_000, 6))
    for entry in (form.M[0, 0], form.christoffel(0, 0, 1), form.g[1]):
        tolerance = 0.05 * largest_magnitude(entry, box)
        found = minimal_basis(entry, box, tolerance)
        assert np.abs(entry(q) - found.polynomial(q)).max() <= tolerance
        assert found.fit.level <= tolerance
        for left_out in found.fit.basis:
            rest = [m for m in found.fit.basis if m != left_out]
            with pytest.raises(SpecificationError):
                minimal_basis(entry, box, tolerance, candidates=rest)


def test_what_is_within_the_tolerance_of_zero_is_left_out():
    _, box = stanford()
    found = minimal_basis(target("J16"), box, 0.01)
    assert len(found.polynomial) == 0
    assert found.fit.level == pytest.approx(largest_magnitude(target("J16"), box))


def test_no_tolerance_gives_the_exact_terms():
    _, box = stanford()
    assert minimal_basis(target("G5"), box, 0.0).polynomial == target("G5")


def test_a_coefficient_of_hundreds_of_terms():
    robot = tq.classics.puma560()
    form, box = closed_form(robot), joint_box(robot)
    entry = form.M[0, 0] * form.M[1, 1]  # as many terms and variables as an arm of seven joints has
    assert len(entry) > 100
    tolerance = 0.1 * largest_magnitude(entry, box)
    found = minimal_basis(entry, box, tolerance, options=SearchOptions(integer_nodes=0))
    assert len(found.polynomial) <= 8
    assert largest_error(entry, found.polynomial, box, kind=ErrorKind.ABSOLUTE).level <= tolerance * (1.0 + 1e-9)


def test_an_unreachable_tolerance_says_what_can_be_reached():
    _, box = stanford()
    with pytest.raises(SpecificationError, match=r"smallest absolute error that they reach is 0.0771071") as caught:
        minimal_basis(target("H223"), box, 0.05, candidates=[monomial("one"), monomial("q3")])
    assert "allow at least 0.0771071" in str(caught.value)
    with pytest.raises(ArgumentError, match="the tolerance is -1"):
        minimal_basis(target("H223"), box, -1.0)


def test_five_and_three_per_joint():
    angles = [Variable(((i, 1),)) for i in range(3)]
    assert len(product_basis(angles)) == 5**3
    assert len(product_basis(angles, degree=1)) == 3**3
    assert len(product_basis([Variable(((0, 1),), PositionBasis.POLYNOMIAL)])) == 3
    assert set(product_basis(angles[:1])) == {(), *(((angles[0], a, b),) for a, b in ((1, 0), (0, 1), (0, 2), (1, 1)))}


@pytest.mark.parametrize("name", ["J11", "J22", "H112", "G2", "J66"])
def test_candidates_hold_the_coefficient_itself(name):
    exact = target(name)
    degree = 1 if name[0] == "G" else 2
    assert set(exact.terms) <= set(product_basis(exact.variables, degree=degree))
    assert set(exact.terms) <= set(own_terms(exact))


def test_own_terms_come_first_then_their_parts():
    exact = target("J15")
    own = own_terms(exact)
    assert own[: len(exact)] == tuple(exact.terms)
    assert monomial("S2*q3*C4*C5") in own
    assert monomial("S2") in own
    assert () in own


def test_cumulative_angles_are_variables_like_others():
    form = closed_form(tq.classics.puma560())
    exact = form.M[0, 1]
    assert any(len(variable.joints) > 1 for variable in exact.variables)
    assert set(exact.terms) <= set(product_basis(exact.variables))


def test_set_product():
    stanford()
    left, right = [(), monomial("S2")], [(), monomial("C4")]
    assert set(set_product(left, right)) == {(), monomial("S2"), monomial("C4"), monomial("S2*C4")}


def test_misuse():
    with pytest.raises(ArgumentError, match="degree 3"):
        product_basis([], degree=3)
    with pytest.raises(ArgumentError, match="390625 products of 8 variables are too many"):
        product_basis([Variable(((i, 1),)) for i in range(8)])
