"""Chang & Lee's Table 1 for the Stanford arm: rows of the oracle, exact coefficients, expressions as polynomials."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

import torquec as tq
from torquec.closedform import TrigPolynomial, Variable, closed_form
from torquec.closedform.polynomial import constant, single
from torquec.proof.coefficient_tolerance import ErrorKind
from torquec.robot.joints import PositionBasis
from torquec.trajectory.motion_box import joint_box

ORACLES = Path(__file__).resolve().parents[2].parent / "shared" / "oracles"
TABLE = ORACLES / "chang_lee_table1.json"

needs_table = pytest.mark.skipif(not TABLE.exists(), reason="the oracle of Chang & Lee's table is not here")


def rows() -> list[dict]:
    if not TABLE.exists():
        return []
    return [row for row in json.loads(TABLE.read_text())["rows"] if row["coefficient"] is not None]


@cache
def stanford():
    robot = tq.classics.stanford()
    return closed_form(robot), joint_box(robot)


def target(name: str) -> TrigPolynomial:
    """The exact coefficient: J_ij with motors (but J33), H_ijk Christoffel, G of opposite sign."""
    form, _ = stanford()
    index = [int(digit) - 1 for digit in name[1:]]
    if name[0] == "J":
        return form.M[index[0], index[1]] - (constant(0.782) if name == "J33" else TrigPolynomial())
    return -form.g[index[0]] if name[0] == "G" else form.christoffel(*index)


def kind(row: dict) -> ErrorKind:
    return ErrorKind.RELATIVE if row["relative"] else ErrorKind.ABSOLUTE


def polynomial(expression: str) -> TrigPolynomial:
    """'1.455+2.594*S2**2*q3' as a polynomial."""
    letters = {"one": constant(1.0), "q3": single(Variable(((2, 1),), PositionBasis.POLYNOMIAL), 0, 1)}
    for joint in (2, 4, 5):
        angle = Variable(((joint - 1, 1),))
        letters |= {f"C{joint}": single(angle, 1, 0), f"S{joint}": single(angle, 0, 1)}
    total = TrigPolynomial()
    for text in re.findall(r"[+-]?[^+-]+", expression):
        term = constant(-1.0 if text[0] == "-" else 1.0)
        for factor in text.lstrip("+-").replace("**", "^").split("*"):
            name, _, power = factor.partition("^")
            for _ in range(int(power or 1)):
                term = term * (letters[name] if name in letters else float(name))
        total = total + term
    return total


def monomial(expression: str):
    ((found, _),) = polynomial(expression)
    return found
