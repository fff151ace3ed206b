"""Every rewrite rule is an equality, fires in every order of its arguments, and costs nothing."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from tests.expr.programs import EXACT, exact_folding, fractions

from torquec.expr import Graph, Node, Op
from torquec.expr.ops import SEMANTICS
from torquec.expr.rules import RULES, Pattern

PLACEHOLDERS = "xyzcdnp"


def text(pattern: Pattern) -> str:
    if pattern.name:
        return pattern.name
    if pattern.op is Op.CONST:
        return str(pattern.value)
    return f"{pattern.op}({', '.join(text(arg) for arg in pattern.args)})"


each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{text(rule[0])} is {text(rule[1])}")


def value(pattern: Pattern, bound: dict[str, Fraction]) -> Fraction:
    if pattern.name:
        return bound[pattern.name]
    if pattern.op is Op.CONST:
        return Fraction(pattern.value)
    return Fraction(EXACT[pattern.op](*(value(arg, bound) for arg in pattern.args)))


def build(pattern: Pattern, bound: dict[str, Node], graph: Graph) -> Node:
    if pattern.name:
        return bound[pattern.name]
    if pattern.op is Op.CONST:
        return graph.constant(pattern.value)
    return graph.make(pattern.op, *(build(arg, bound, graph) for arg in pattern.args))


def names(pattern: Pattern) -> set[str]:
    return {pattern.name} if pattern.name else {name for arg in pattern.args for name in names(arg)}


def orders(pattern: Pattern):
    """The pattern with the arguments of commutative operations in every order."""
    for args in itertools.product(*(list(orders(arg)) for arg in pattern.args)):
        yield Pattern(pattern.op, args, pattern.name, pattern.value, pattern.kinds)
        if pattern.op in SEMANTICS and SEMANTICS[pattern.op].commutes:
            yield Pattern(pattern.op, args[::-1], pattern.name, pattern.value, pattern.kinds)


def operations(pattern: Pattern) -> int:
    """Operations that are no signs and do not fold."""
    if not names(pattern) - set("cdnp"):
        return 0
    return (pattern.op not in (None, Op.NEG)) + sum(operations(arg) for arg in pattern.args)


@each_rule
@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(first=fractions, second=fractions, third=fractions)
def test_rule_is_an_equality(rule, first, second, third):
    bound = {"x": first, "y": second, "z": third, "c": third, "d": first, "n": -abs(second), "p": abs(third)}
    assert value(rule[0], bound) == value(rule[1], bound)


@each_rule
def test_rule_binds_what_it_uses(rule):
    assert names(rule[1]) <= names(rule[0]) <= set(PLACEHOLDERS)


@each_rule
def test_rule_adds_no_operation_but_a_sign(rule):
    assert operations(rule[1]) <= operations(rule[0])


@each_rule
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_rule_makes_both_sides_one_node(rule, order):
    with exact_folding():
        for variant in orders(rule[0]):
            graph = Graph()
            inputs = [graph.input("x", k) for k in range(3)]
            bound = {name: inputs[k] for name, k in zip("xyz", order, strict=True)}
            bound |= {"c": graph.constant(4.0), "d": graph.constant(8.0)}
            bound |= {"n": graph.constant(-4.0), "p": graph.constant(2.0)}
            assert build(variant, bound, graph) is build(rule[1], bound, graph)


def test_signs_float_outwards():
    graph = Graph()
    a, b = graph.input("x", 0), graph.input("x", 1)
    assert (-a) * b is -(a * b)
    assert (-a) * (-b) is a * b
    assert a * (-2.0 * b) is -(2.0 * (a * b)) or a * (-2.0 * b) is -(a * (2.0 * b))
    assert (-a) / (-b) is a / b
    assert b - a is -(a - b)
    assert (b - a) * (b - a) is (a - b) * (a - b)
    assert -a - b is -(a + b)
    assert graph.make(Op.SIN, b - a) is -graph.make(Op.SIN, a - b)
    assert graph.make(Op.COS, b - a) is graph.make(Op.COS, a - b)


def test_products_hold_no_sign():
    graph = Graph()
    a, b, c = (graph.input("x", k) for k in range(3))
    product = (-a) * ((-2.0 * b) * (-c)) * -1.0
    assert product.op is not Op.NEG
    stack = [product]
    while stack:
        node = stack.pop()
        assert node.op is not Op.NEG
        assert node.op is not Op.CONST or node.value > 0.0
        stack.extend(node.args)
