"""The passes keep every value, exactly, and never add an operation."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from tests.expr.programs import EXACT, INPUTS, exact_folding, programs, states

from torquec.expr import Graph, Node, Op
from torquec.expr.math import sqrt
from torquec.expr.passes import optimize, reachable


def operations(roots: list[Node]) -> int:
    return sum(node.op not in (Op.CONST, Op.INPUT) for node in reachable(roots))


def kinds(roots: list[Node]) -> Counter[Op]:
    return Counter(node.op for node in reachable(roots) if node.op not in (Op.CONST, Op.INPUT))


def values(roots: list[Node], inputs):
    """The roots in the exact arithmetic."""
    found = {}
    for node in reachable(roots):
        if node.op is Op.CONST:
            found[node.index] = type(inputs[0])(node.value)
        elif node.op is Op.INPUT:
            found[node.index] = inputs[node.graph.input_of(node)[1]]
        else:
            found[node.index] = EXACT[node.op](*(found[arg.index] for arg in node.args))
    return [found[root.index] for root in roots]


@pytest.fixture
def x():
    graph = Graph()
    return [graph.input("x", k) for k in range(8)]


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(program=programs(), inputs=states)
def test_passes_keep_values_and_add_no_operation(program, inputs):
    with exact_folding():
        graph = Graph()
        nodes = [graph.input("x", k) for k in range(INPUTS)]
        before = [graph.make(Op.ADD, root, 0.0) for root in program.run(nodes, graph.make)]
        after = optimize(before)
    assert values(after, inputs) == values(before, inputs) == program.exact(inputs)
    assert operations(after) <= operations(before)


def test_reachable_gives_arguments_first(x):
    root = x[0] * x[1] + x[0]
    assert reachable([root, x[0]]) == [x[0], x[1], x[0] * x[1], root]


def test_a_shared_factor_is_taken_out(x):
    a, b, c, d = x[:4]
    assert kinds(optimize([a * b + a * c + a * d])) == {Op.MUL: 1, Op.ADD: 2}
    assert kinds(optimize([d - a * b - c * a])) == {Op.MUL: 1, Op.ADD: 1, Op.SUB: 1}


def test_the_largest_group_is_taken_first(x):
    a, b, c, d, e = x[:5]
    assert kinds(optimize([a * b + b * c + b * d + a * e])) == {Op.MUL: 2, Op.ADD: 3}


def test_a_product_that_is_used_elsewhere_stays(x):
    a, b, c, d = x[:4]
    first, second = a * b, a * c
    assert kinds(optimize([first + second, first * d, second * d])) == {Op.MUL: 4, Op.ADD: 1}


def test_a_sign_goes_where_it_costs_nothing(x):
    a, b, c, d = x[:4]
    assert kinds(optimize([b - a])) == {Op.SUB: 1}
    assert kinds(optimize([(b - a) * c])) == {Op.SUB: 1, Op.MUL: 1}
    assert kinds(optimize([-2.0 * a])) == {Op.MUL: 1}
    assert kinds(optimize([-(a * b) - (c - d)])) == {Op.MUL: 1, Op.SUB: 2}


def test_a_sign_that_must_stay_stays(x):
    a, b = x[:2]
    assert kinds(optimize([a - b, b - a])) == {Op.SUB: 1, Op.NEG: 1}
    assert kinds(optimize([-a])) == {Op.NEG: 1}


def test_a_difference_does_not_turn_round_when_one_side_is_replaced(x):
    a, b, c, d = x[:4]
    from_negate = sqrt(b - a)
    from_factor = a * b + a * c
    for value in (from_negate, from_factor):
        first, second = value - sqrt(c), value - sqrt(d)
        before = [sqrt(first * c), sqrt(first * d), sqrt(second)]
        after = optimize(before)
        assert operations(after) == operations(before) - 1
        assert Op.NEG not in kinds(after)


def test_roots_keep_their_order_and_number(x):
    a, b = x[:2]
    assert optimize([a, b, a, a * b]) == [a, b, a, a * b]
    assert optimize([]) == []
