"""Equal expressions are one node; constants fold as IEEE arithmetic says."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from tests.expr.programs import EXACT, INPUTS, exact_folding, programs

from torquec.errors import ExpressionError
from torquec.expr import Graph, Node, Op
from torquec.expr.ops import SEMANTICS

SPECIALS = (0.0, -0.0, 1.0, -2.5, 1e308, 5e-324, math.inf, -math.inf, math.nan)


@pytest.fixture
def graph():
    return Graph()


def test_equal_expressions_are_one_node(graph):
    a, b = graph.input("x", 0), graph.input("x", 1)
    assert graph.input("x", 0) is a
    assert a is not b
    assert a * b + 2.0 is a * b + 2
    count = len(graph)
    assert a * b + 2.0 is 2.0 + b * a
    assert len(graph) == count


@pytest.mark.parametrize("op", [op for op in SEMANTICS if SEMANTICS[op].arity == 2])
def test_arguments_of_commutative_operations_have_one_order(graph, op):
    a, b = graph.input("x", 0), graph.input("x", 1)
    assert (graph.make(op, a, b) is graph.make(op, b, a)) == SEMANTICS[op].commutes


def test_constants_come_first_then_age(graph):
    a, b = graph.input("x", 0), graph.input("x", 1)
    assert (b * a).args == (a, b)
    assert (b * 3.0).args == (graph.constant(3.0), b)
    assert (a + 3.0).args == (graph.constant(3.0), a)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(program=programs())
def test_a_program_run_twice_makes_nothing_new(program):
    with exact_folding():
        graph = Graph()
        inputs = [graph.input("x", k) for k in range(INPUTS)]
        first = program.run(inputs, graph.make)
        count = len(graph)
        second = program.run(inputs, graph.make)
    assert all(a is b for a, b in zip(first, second, strict=True))
    assert len(graph) == count


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(program=programs())
def test_arguments_are_older_than_their_node(program):
    with exact_folding():
        graph = Graph()
        stack = program.run([graph.input("x", k) for k in range(INPUTS)], graph.make)
    while stack:
        node = stack.pop()
        if isinstance(node, Node):
            assert all(arg.index < node.index < len(graph) for arg in node.args)
            stack.extend(node.args)


@pytest.mark.parametrize("op", SEMANTICS)
def test_constants_fold_as_arrays_compute(graph, op):
    for args in itertools.product(SPECIALS, repeat=SEMANTICS[op].arity):
        folded = graph.make(op, *args)
        assert folded.op is Op.CONST
        # The graph knows no negative zero, neither as an argument nor as a result.
        with np.errstate(all="ignore"):
            expected = float(SEMANTICS[op].on_arrays(*(np.float64(arg) + 0.0 for arg in args)))
        assert folded.value == pytest.approx(expected, rel=4e-16, abs=0.0, nan_ok=True), args
        assert math.copysign(1.0, folded.value) > 0.0 or folded.value != 0.0


def test_special_constants_are_one_node_each(graph):
    assert graph.constant(math.nan) is graph.constant(-math.nan) is graph.make(Op.SUB, math.inf, math.inf)
    assert math.copysign(1.0, graph.constant(-0.0).value) == 1.0
    assert graph.constant(-0.0) is graph.constant(0.0)
    assert graph.constant(math.inf) is not graph.constant(-math.inf)
    assert graph.constant(True) is graph.constant(1.0)


def test_nothing_is_left_of_zeros_and_ones(graph):
    a = graph.input("x", 0)
    assert 0.0 * a is graph.constant(0.0)
    assert 1.0 * a is a + 0.0 is a - 0.0 is a / 1.0 is --a is a
    assert a - a is graph.constant(0.0)
    assert (a + 2.0) - 2.0 is a
    assert 4.0 * (0.25 * a) is a


def test_numbers_of_numpy_leave_the_arithmetic_to_the_node(graph):
    a = graph.input("x", 0)
    assert np.float64(2.0) * a is 2.0 * a
    assert np.float64(2.0) - a is 2.0 - a
    assert np.float64(2.0) / a is 2.0 / a


def test_node_shows_what_it_is(graph):
    a = graph.input("x", 0)
    assert repr(graph.constant(2.5)) == "2.5"
    assert repr(a + a) == "%2=add(%0, %0)"
    assert graph.input_of(a) == ("x", 0)


def test_graphs_do_not_mix(graph):
    with pytest.raises(ExpressionError, match="another graph"):
        _ = graph.input("x", 0) + Graph().input("x", 0)


def test_exact_arithmetic_of_these_tests_covers_every_operation():
    assert set(EXACT) == set(SEMANTICS)
