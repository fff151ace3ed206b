"""The mutants of a source: one change each, none of words, and found by a test that fails."""

from __future__ import annotations

import ast

import pytest
from tests.mutation import SOURCES, is_found, mutants_of, own_tests

FILE = SOURCES / "torquec_check" / "rounding.py"


@pytest.fixture(scope="module")
def mutants():
    return mutants_of(FILE)


def test_every_mutant_is_another_program(mutants):
    honest = ast.unparse(ast.parse(FILE.read_text())) + "\n"
    texts = [mutant.text for mutant in mutants]
    assert len(set(texts)) == len(texts) > 20
    assert honest not in texts
    for text in texts:
        ours, theirs = text.splitlines(), honest.splitlines()
        assert sum(a != b for a, b in zip(ours, theirs, strict=True)) == 1


def test_what_is_changed(mutants):
    changes = " | ".join(mutant.change for mutant in mutants)
    for expected in ("size + distance  ->  size - distance", "1e-300  ->  2e-300", "-53  ->  53", "2.0  ->  4.0"):
        assert expected in changes
    assert all('"""' not in mutant.change for mutant in mutants)


def test_the_tests_of_a_file():
    assert own_tests("proof/enclosure/bernstein.py") == ["tests/proof/enclosure/test_bernstein.py"]
    assert own_tests("proof/torque/certify.py") == ["tests/proof/torque/test_certificate.py"]


def test_a_fault_is_found_and_no_fault_is_not(mutants, tmp_path):
    test = tmp_path / "test_unit.py"
    lines = [
        "from torquec_check.rounding import DOUBLE",
        "def test_unit():",
        "    assert 1e-16 < DOUBLE.unit < 1.2e-16",
    ]
    test.write_text("\n".join(lines) + "\n")
    wrong = next(mutant for mutant in mutants if mutant.change.startswith("53"))
    other = next(mutant for mutant in mutants if mutant.change.startswith("1e-300"))
    assert is_found(wrong, [str(test)], longest=120.0)
    assert not is_found(other, [str(test)], longest=120.0)
