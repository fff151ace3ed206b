from __future__ import annotations

import pytest
from tests.simplification.stanford_table import monomial, stanford, target

import torquec as tq
from torquec.closedform import Variable, closed_form
from torquec.errors import ArgumentError
from torquec.robot.joints import PositionBasis
from torquec.simplification.fitting.candidate_basis import (
    CandidateSet,
    OperationCost,
    TermCount,
    candidate_basis,
    product_basis,
    set_product,
)


def test_five_and_three_per_joint():
    angles = [Variable(((i, 1),)) for i in range(3)]
    assert len(product_basis(angles)) == 5**3
    assert len(product_basis(angles, degree=1)) == 3**3
    assert len(product_basis([Variable(((0, 1),), PositionBasis.POLYNOMIAL)])) == 3
    assert set(product_basis(angles[:1])) == {(), *(((angles[0], a, b),) for a, b in ((1, 0), (0, 1), (0, 2), (1, 1)))}


@pytest.mark.parametrize("choice", list(CandidateSet))
@pytest.mark.parametrize("name", ["J11", "J22", "H112", "G2", "J66"])
def test_candidates_hold_the_coefficient_itself(name, choice):
    exact = target(name)
    degree = 1 if name[0] == "G" else 2
    assert set(exact.terms) <= set(candidate_basis(exact, choice=choice, degree=degree))


def test_functional_dependence_makes_the_set_compact():
    exact = target("J11")
    full, compact = (candidate_basis(exact, choice=choice) for choice in ("full", "compact"))
    assert len(full) == 5 * 3 * 5 * 5
    assert set(compact) < set(full)


def test_own_terms_come_first_then_their_parts():
    exact = target("J15")
    own = candidate_basis(exact, choice="own")
    assert own[: len(exact)] == tuple(exact.terms)
    assert monomial("S2*q3*C4*C5") in own
    assert monomial("S2") in own
    assert () in own


def test_cumulative_angles_are_variables_like_others():
    form = closed_form(tq.classics.puma560())
    exact = form.M[0, 1]
    assert any(len(variable.joints) > 1 for variable in exact.variables)
    assert set(exact.terms) <= set(candidate_basis(exact))


def test_set_product():
    stanford()
    left, right = [(), monomial("S2")], [(), monomial("C4")]
    assert set(set_product(left, right)) == {(), monomial("S2"), monomial("C4"), monomial("S2*C4")}


def test_misuse():
    with pytest.raises(ArgumentError, match="degree 3"):
        product_basis([], degree=3)
    with pytest.raises(ArgumentError, match="390625 products of 8 variables are too many"):
        product_basis([Variable(((i, 1),)) for i in range(8)])


def test_counting():
    terms = [(), monomial("S2"), monomial("S2*q3"), monomial("S2*q3**2")]
    assert TermCount().total(terms) == 4
    # S2 q3, (S2 q3) q3; three coefficients; three additions
    assert OperationCost().total(terms) == 2 + 3 + 3


def test_products_that_are_there_cost_nothing():
    assert OperationCost(available=(monomial("S2*q3**2"),)).total([monomial("S2*q3"), monomial("S2*q3**2")]) == 3


def test_it_never_falls_when_a_term_is_added():
    terms = [monomial(text) for text in ("one", "S2", "S2*q3", "C2*S4*S5", "S2*C5")]
    for cost in (TermCount(), OperationCost(), OperationCost(available=(monomial("S2*q3"),))):
        totals = [cost.total(terms[:k]) for k in range(len(terms) + 1)]
        assert totals == sorted(totals)
