from __future__ import annotations

from tests.simplification.stanford_table import monomial

from torquec.simplification.fitting.term_cost import OperationCost, TermCount


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
