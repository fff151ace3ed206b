from __future__ import annotations

import itertools

import pytest
from tests.simplification.stanford_table import monomial, stanford, target

from torquec.errors import SpecificationError
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.simplification.fitting.fit_problem import minimax_fit
from torquec.simplification.fitting.minimal_basis import minimal_basis, own_terms
from torquec.simplification.fitting.survivor_search import LayerOptions, find_min_basis, min_basis_gen

ABSOLUTE, RELATIVE = ErrorKind.ABSOLUTE, ErrorKind.RELATIVE
ROWS = [
    ("J22", 0.1, RELATIVE, 3),
    ("J12", 0.128, ABSOLUTE, 2),
    ("J13", 0.151, ABSOLUTE, 1),
    ("J24", 0.021, ABSOLUTE, 1),
    ("H113", 0.61, ABSOLUTE, 2),
    ("H123", 0.068, ABSOLUTE, 2),
    ("H223", 0.1124, ABSOLUTE, 2),
    ("G4", 0.038, ABSOLUTE, 2),
]


@pytest.mark.parametrize(("name", "tolerance", "kind", "printed"), ROWS, ids=[row[0] for row in ROWS])
def test_layers_find_as_many_terms_as_printed_and_the_search_is_never_worse(name, tolerance, kind, printed):
    _, box = stanford()
    layered = min_basis_gen(target(name), box, tolerance, kind=kind, degree=1 if name[0] == "G" else 2)
    assert len(layered.basis) <= printed
    assert layered.level <= tolerance
    assert len(minimal_basis(target(name), box, tolerance, kind=kind).fit.basis) <= len(layered.basis)


@pytest.mark.parametrize(("name", "part"), [("J24", 0.1), ("H123", 0.02), ("J25", 0.3)])
def test_survivors_are_what_trying_all_subsets_finds(name, part):
    _, box = stanford()
    exact = target(name)
    candidates = own_terms(exact)[:4]
    tolerance = max(part * minimax_fit(exact, [], box).level, minimax_fit(exact, candidates, box).level)
    found = find_min_basis(exact, candidates, box, tolerance)
    size, level = next(
        (k, min(kept))
        for k in range(len(candidates) + 1)
        if (
            kept := [
                level
                for c in itertools.combinations(candidates, k)
                if (level := minimax_fit(exact, c, box).level) <= tolerance
            ]
        )
    )
    assert len(found.basis) == size
    assert found.level == pytest.approx(level, rel=1e-5)


def test_negligible_terms_are_filtered_first_without_harm():
    _, box = stanford()
    exact = target("J22")
    candidates = own_terms(exact)[:6]
    plain = find_min_basis(exact, candidates, box, 0.6)
    filtered = find_min_basis(exact, candidates, box, 0.6, negligible=1e-3)
    assert len(filtered.basis) == len(plain.basis)


def test_constants_have_no_layers():
    _, box = stanford()
    assert len(min_basis_gen(target("J66"), box, 0.1, kind=RELATIVE).basis) == 1


def test_feedback_gives_up_with_a_message():
    _, box = stanford()
    with pytest.raises(SpecificationError, match="no basis within 1e-06 was found from 1 positions"):
        min_basis_gen(target("H122"), box, 1e-6, options=LayerOptions(shrinks=0, positions=1))
    line = [monomial("one"), monomial("q3")]
    with pytest.raises(SpecificationError, match=r"do not keep the tolerance of 0\.01: they reach 0\.0771071"):
        find_min_basis(target("H223"), line, box, 0.01)
