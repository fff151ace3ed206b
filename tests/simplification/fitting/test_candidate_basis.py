from __future__ import annotations

import pytest
from tests.simplification.stanford_table import monomial, stanford, target

import torquec as tq
from torquec.closedform import Variable, closed_form
from torquec.errors import ArgumentError
from torquec.robot.joints import PositionBasis
from torquec.simplification.fitting.candidate_basis import own_terms, product_basis, set_product


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
