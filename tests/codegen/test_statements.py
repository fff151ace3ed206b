"""Statements: parentheses, what is written in place, gathered angles."""

from __future__ import annotations

import re

import pytest
from tests.codegen.programs import random_function

from torquec.codegen.statements import Angles, Assignment, Dialect, to_program
from torquec.expr import Op, trace
from torquec.expr.math import select, sincos

CALLS = {Op.SIN: "sin({})", Op.COS: "cos({})", Op.SELECT: "({} {order} 0 ? {} : {})"}
PLAIN = Dialect(repr, lambda port, k: f"{port}[{k}]", CALLS, gathers_angles=False)
GATHERING = Dialect(repr, lambda port, k: f"{port}[{k}]", CALLS, gathers_angles=True)


def texts(algorithm, size=4):
    program = to_program(trace("f", lambda x: {"y": [algorithm(*x)]}, {"x": (size,)}), PLAIN)
    return [statement.text for statement in program.statements]


@pytest.mark.parametrize(
    ("algorithm", "text"),
    [
        (lambda a, b, c, d: a * b + c * d, "x[0]*x[1] + x[2]*x[3]"),
        (lambda a, b, c, d: a * (b + c), "x[0]*(x[1] + x[2])"),
        (lambda a, b, c, d: a - (b - c), "x[0] - (x[1] - x[2])"),
        (lambda a, b, c, d: a / (b * c), "x[0]/(x[1]*x[2])"),
        (lambda a, b, c, d: (a / b) / c, "x[0]/x[1]/x[2]"),
        (lambda a, b, c, d: 0.5 - a, "0.5 - x[0]"),
    ],
)
def test_parentheses_keep_the_order(algorithm, text):
    assert texts(algorithm) == [text]


def test_a_value_used_twice_gets_a_name():
    program = to_program(trace("f", lambda x: {"y": [(x[0] + x[1]) * (x[0] + x[1])]}, {"x": (2,)}), PLAIN)
    assert program.statements == (Assignment("v2", "x[0] + x[1]"), Assignment("v3", "v2*v2"))
    assert program.results == (("v3",),)


def test_results_never_read_inputs():
    program = to_program(trace("f", lambda x: {"y": [x[1], x[0], 2.0]}, {"x": (2,)}), PLAIN)
    assert {statement.text for statement in program.statements} == {"x[0]", "x[1]"}
    assert not any("x" in text for text in program.results[0])


def test_angles_are_gathered_by_rank():
    def algorithm(x):
        first = [sincos(a)[0] for a in x]
        return {"y": [sincos(first[0] + 1.0)[0], sincos(first[4])[1], *first]}

    program = to_program(trace("f", algorithm, {"x": (5,)}), GATHERING)
    groups = [statement for statement in program.statements if isinstance(statement, Angles)]
    assert [len(group.texts) for group in groups] == [4, 1, 2]
    assert groups[2].texts == ("v11", "s1[0]")


@pytest.mark.parametrize("seed", range(5))
def test_every_name_is_defined_before_it_is_used(seed):
    calls = CALLS | {op: op.value + "({}, {})" for op in (Op.MIN, Op.MAX, Op.ATAN2)}
    calls |= {op: op.value + "({})" for op in (Op.SQRT, Op.EXP, Op.ABS)}
    dialect = Dialect(repr, lambda port, k: f"{port}[{k}]", calls, gathers_angles=True)
    program = to_program(random_function(seed), dialect)
    known: set[str] = set()
    for statement in program.statements:
        given = statement.texts if isinstance(statement, Angles) else (statement.text,)
        assert set(re.findall(r"\b[vsc]\d+\b", " ".join(given))) <= known
        known |= {f"s{statement.number}", f"c{statement.number}"} if isinstance(statement, Angles) else {statement.name}
    for row in program.results:
        assert set(re.findall(r"\b[vsc]\d+\b", " ".join(row))) <= known


def test_a_select_is_written_in_the_words_of_the_language():
    """As Rust has it: the dialect says where the comparison stands, whichever way it is turned."""
    calls = {Op.SELECT: "if {} {order} 0.0_f64 {{ {} }} else {{ {} }}"}
    dialect = Dialect(lambda value: f"{value!r}_f64", lambda port, k: f"{port}[{k}]", calls, gathers_angles=False)
    chosen = trace("f", lambda x: {"y": [select(x[0], x[1], 2.0), select(-x[0], x[1], 2.0)]}, {"x": (2,)})
    texts = [statement.text for statement in to_program(chosen, dialect).statements]
    assert "if x[0] >= 0.0_f64 { x[1] } else { 2.0_f64 }" in texts
    assert "if x[0] <= 0.0_f64 { x[1] } else { 2.0_f64 }" in texts
