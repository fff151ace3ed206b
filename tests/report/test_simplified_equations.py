"""Pages about a simplification: names explained, every change told, nothing told that is not there."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from tests.proof.arms import arm, motions

from torquec.closedform.layouts import Matrix
from torquec.expr import OperationCount
from torquec.model.quantities import trace_quantity
from torquec.model.simplified import TradeOff, TradeOffPoint
from torquec.report.simplified_equations import (
    change_text,
    changes_page,
    equations_page,
    left_out,
    trade_off_csv,
    trade_off_rows,
)
from torquec.simplification.torque_coefficients import term_changes, torque_coefficients

POINTS = tuple(
    TradeOffPoint(factor, OperationCount(mul, add, 0, 0, 0), {"a": 2.0 * level, "b": level}, level)
    for factor, mul, add, level in [(0.0, 20, 12, 0.0), (0.5, 12, 9, 0.4), (1.0, 8, 5, 0.9), (2.0, 9, 5, 1.6)]
)
CURVE = TradeOff("arm", POINTS, {"a": 2.0, "b": 1.0}, {4.0: "no proof"})


@pytest.fixture(scope="module")
def case():
    robot = arm("planar2r")
    before = torque_coefficients(robot, trace_quantity(robot, "inverse_dynamics"))
    changed = {key: p for key, p in before.entries.items() if key[0] is not Matrix.B}
    changed[Matrix.M, (1, 1)] = changed[Matrix.M, (1, 1)] * 1.5
    after = replace(before, entries=changed)
    return before, after, term_changes(before, after, motions(robot))


def test_equations(case):
    page = equations_page("the arm", case[0])
    assert page.startswith("the arm\n")
    assert "M11 = 1.66667 + C2\n" in page
    assert "B[1,12] = -S2\n" in page
    assert "D12 = -0.5*S2\n" in page
    assert "g1 = 14.715*C1 + 4.905*C12\n" in page
    assert "C12 = cos(q1 + q2)" in page
    assert "Terms: M 7, B 1, D 2, g 3." in page
    assert max(map(len, page.splitlines())) <= 100


def test_an_empty_matrix_is_said_to_be_zero(case):
    assert "All entries are zero." in equations_page("the arm", case[1])


def test_changes(case):
    before, after, changes = case
    page = changes_page("dropped terms", before, after, changes)
    assert "B[1,12]: 1 -> nothing\n    dropped  -S2  (1.1)" in page
    assert "M22: 1 -> 1 term\n    changed  0.333333  to 0.5" in page
    assert "M11: 2 -> 2 terms\nM12" in page
    assert left_out(before, after) == ["B[1,12]"]
    assert [change_text(change) for change in changes] == ["-S2*qd1*qd2", "0.3333*qdd2"]


def test_what_is_new_is_told(case):
    before, after, _ = case
    changes = term_changes(after, before, motions(arm("planar2r")))
    assert "new      -S2  (1.1)" in changes_page("", after, before, changes)


def test_tables():
    rows = list(csv.DictReader(io.StringIO(trade_off_csv(CURVE))))
    assert [float(row["factor"]) for row in rows] == [0.0, 0.5, 1.0, 2.0]
    assert rows[2] == {"factor": "1.0", "mul": "8", "add": "5", "level": "0.9", "bound_a": "1.8", "bound_b": "0.9"}
    assert trade_off_rows(CURVE)[1] == {
        "factor": 0.5,
        "mul": 12,
        "add": 9,
        "level": 0.4,
        "bounds": {"a": 0.8, "b": 0.4},
    }
