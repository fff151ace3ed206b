"""Chang & Lee's Table 1 for the Stanford arm: rows of the oracle; exact coefficients and expressions of the package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from torquec.closedform import TrigPolynomial
from torquec.papers.chang_lee import exact_coefficient, printed_polynomial, stanford_form
from torquec.proof.torque.coefficient_certificate import ErrorKind

ORACLES = Path(__file__).resolve().parents[2].parent / "shared" / "oracles"
TABLE = ORACLES / "chang_lee_table1.json"

needs_table = pytest.mark.skipif(not TABLE.exists(), reason="the oracle of Chang & Lee's table is not here")

stanford, target = stanford_form, exact_coefficient


def rows() -> list[dict]:
    if not TABLE.exists():
        return []
    return [row for row in json.loads(TABLE.read_text())["rows"] if row["coefficient"] is not None]


def kind(row: dict) -> ErrorKind:
    return ErrorKind.RELATIVE if row["relative"] else ErrorKind.ABSOLUTE


def polynomial(expression: str) -> TrigPolynomial:
    """'1.455+2.594*S2**2*q3' as a polynomial."""
    return printed_polynomial(expression.replace("**", "^"))


def monomial(expression: str):
    ((found, _),) = polynomial(expression)
    return found
