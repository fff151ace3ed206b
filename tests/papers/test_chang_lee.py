"""Table 1 of Chang and Lee: rows as in the oracle, exact coefficients as in the paper, expressions as polynomials."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from tests.papers.comparison_rows import rows_of
from tests.simplification.stanford_table import TABLE, needs_table, rows

from torquec.papers.chang_lee import (
    exact_coefficient,
    printed_coefficients,
    printed_polynomial,
)
from torquec.proof.torque.coefficient_certificate import ErrorKind


def test_expressions():
    q = np.array([[0.0, 0.7, 0.4, 0.0, -0.3, 0.0]])
    found = printed_polynomial("0.543*C2-1.144*q3*C2+2*S2^2")(q)
    expected = (0.543 - 1.144 * 0.4) * np.cos(0.7) + 2 * np.sin(0.7) ** 2
    assert found == pytest.approx([expected])


@needs_table
def test_rows_are_those_of_the_oracle():
    theirs = {row["coefficient"]: row for row in rows() if row["reproduced"] or row["row"] in ("G2*", "J33", "J55")}
    ours = {row.name: row for row in printed_coefficients()}
    assert ours.keys() == theirs.keys()
    for name, row in ours.items():
        oracle = theirs[name]
        assert (row.error, row.tolerance) == (oracle["printed_error"], oracle["tolerance"]), name
        assert (row.kind is ErrorKind.RELATIVE) == oracle["relative"], name
        expected = printed_polynomial(oracle["expression"].replace("**", "^").replace("*one", ""))
        assert row.polynomial == expected, name
        assert bool(row.erratum) == bool(oracle["correction"]), name


@needs_table
def test_exact_coefficients_are_those_of_the_oracle():
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (20, 6))
    for name, text in json.loads(TABLE.read_text())["exact"].items():
        if "(" in text:
            continue  # sums of products: G2 and G5
        assert exact_coefficient(name)(q) == pytest.approx(printed_polynomial(text.replace("**", "^"))(q), abs=2e-5)


@pytest.mark.slow
def test_table_1():
    rows = rows_of("chang-lee-table-1")
    names = sorted({quantity.partition(":")[0] for quantity in rows})
    assert len(names) == 43

    def row(name, what):
        return next(row for quantity, row in rows.items() if quantity.startswith(f"{name}: {what}"))

    for name in names:
        error, best = row(name, "error of the printed expression"), row(name, "best error")
        assert best.ours <= error.ours + 1e-9, name
        assert error.printed == best.printed


@pytest.mark.slow
def test_the_layered_search_needs_no_more_terms_than_printed():
    rows = rows_of("chang-lee-min-basis-gen")
    terms = {quantity: row for quantity, row in rows.items() if quantity.endswith("terms")}
    assert len(terms) == 7
    assert all(row.ours <= row.printed for row in terms.values())
    for quantity, row in rows.items():
        if ": error within" in quantity:
            assert row.ours <= float(re.search(r"within ([\d.]+)", quantity)[1])
