"""A traced algorithm computes what the algorithm computes; binding and inlining commute with evaluating."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from tests.expr.programs import INPUTS, exact_folding, programs, run_exactly, states

from torquec.errors import ExpressionError
from torquec.expr import Graph, Op, Port, bind, check_function, count_operations, evaluate, inline, trace
from torquec.expr.math import absolute, atan2, maximum, minimum, select, sincos, sqrt


def two_link(q, p):
    """Gravity torques of a planar arm, by name."""
    (s1, c1), (s12, c12) = sincos(q[0]), sincos(q[0] + q[1])
    return {"g": [p[0] * c1 + p[1] * c12, p[1] * c12], "tip": ((s1 + s12, c1 + c12), (c1, s1)), "u": p[0] * s1}


def test_known_program():
    f = trace("f", lambda x: {"y": (x[0] + x[1]) * (x[1] + x[0]), "z": 3.0}, {"x": (2,)})
    assert f.name == "f"
    assert f.inputs == (Port("x", (2,)),)
    assert f.outputs == (Port("y"), Port("z"))
    assert [step.op for step in f.operations if step.op is not Op.CONST] == [Op.INPUT, Op.INPUT, Op.ADD, Op.MUL]
    assert evaluate(f, {"x": [2.0, 3.0]}) == {"y": 25.0, "z": 3.0}


def test_shapes_of_inputs_and_outputs():
    seen = {}

    def algorithm(a, v, m):
        seen.update(a=a, v=v, m=m)
        return {"scalar": a, "vector": list(v), "matrix": [list(row) for row in m], "array": np.array(m), "no": []}

    f = trace("f", algorithm, {"a": (), "v": (2,), "m": (2, 3)}, shapes={"no": (0, 5)})
    assert len(seen["m"]) == 2
    assert len(seen["m"][0]) == 3
    assert [port.shape for port in f.outputs] == [(), (2,), (2, 3), (2, 3), (0, 5)]
    m = np.arange(6.0).reshape(2, 3)
    out = evaluate(f, {"a": 7.0, "v": [8.0, 9.0], "m": m})
    assert out["scalar"] == 7.0
    assert out["vector"].tolist() == [8.0, 9.0]
    assert np.array_equal(out["matrix"], m)
    assert np.array_equal(out["array"], m)
    assert out["no"].shape == (0, 5)


def test_outputs_may_be_numbers_and_inputs_may_be_unused():
    f = trace("f", lambda x, y: {"z": [1, np.float64(2.0), x]}, {"x": (), "y": (3,)})
    assert evaluate(f, {"x": 3.0, "y": [0.0] * 3})["z"].tolist() == [1.0, 2.0, 3.0]


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(program=programs(), inputs=states)
def test_trace_computes_the_program_exactly(program, inputs):
    with exact_folding():
        function = trace("f", program.algorithm, {"x": (INPUTS,)})
    check_function(function)
    assert run_exactly(function, {"x": inputs})["y"] == program.exact(inputs)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(program=programs())
def test_every_operation_of_a_trace_is_needed_and_distinct(program):
    with exact_folding():
        function = trace("f", program.algorithm, {"x": (INPUTS,)})
    used = {arg for step in function.operations for arg in step.args} | set(function.results[0])
    assert used == set(range(len(function.operations)))
    assert len(set(function.operations)) == len(function.operations)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(program=programs(), inputs=states)
def test_bind_and_inline_commute_with_running(program, inputs):
    # A bound input may divide, and only by a power of two does a fold stay exact.
    inputs = [Fraction(2), Fraction(-1, 2), *inputs[2:]]

    def algorithm(p, x):
        return program.algorithm([*p, *x])

    ports = {"p": (2,), "x": (INPUTS - 2,)}
    with exact_folding():
        function = trace("f", algorithm, ports)
        bound = bind(function, {"p": [float(value) for value in inputs[:2]]}, name="g")
        inlined = trace(
            "h",
            lambda p, x: {"y": inline(function, p[0].graph, {"p": p, "x": [-(-x[0]), x[1]]})["y"]},
            ports,
        )
    assert bound.name == "g"
    assert bound.inputs == (Port("x", (INPUTS - 2,)),)
    given_inputs = {"p": inputs[:2], "x": inputs[2:]}
    expected = program.exact(inputs)
    assert run_exactly(bound, given_inputs)["y"] == expected
    assert run_exactly(inlined, given_inputs)["y"] == expected
    assert sum(step.op not in (Op.CONST, Op.INPUT) for step in bound.operations) <= sum(
        step.op not in (Op.CONST, Op.INPUT) for step in function.operations
    )


def test_bind_folds_and_drops_what_is_multiplied_by_zero():
    f = trace("arm", two_link, {"q": (2,), "p": (2,)})
    bound = bind(f, {"p": [2.0, 0.0]})
    assert bound.name == "arm"
    q = [0.3, -0.7]
    ours, expected = evaluate(bound, {"q": q}), evaluate(f, {"q": q, "p": [2.0, 0.0]})
    for name, value in expected.items():
        assert np.allclose(ours[name], value, rtol=1e-15, atol=0.0)
    only_g = trace("g", lambda q: {"g": inline(bound, q[0].graph, {"q": q})["g"]}, {"q": (2,)})
    assert str(count_operations(only_g)) == "1 mul, 0 add, 1 sincos"


def test_a_function_inlines_into_itself():
    square = trace("square", lambda x: {"y": x * x}, {"x": ()})
    fourth = trace(
        "fourth",
        lambda x: {"y": inline(square, x.graph, {"x": inline(square, x.graph, {"x": [x]})["y"]})["y"][0]},
        {"x": ()},
    )
    assert evaluate(fourth, {"x": 3.0})["y"] == 81.0
    assert count_operations(fourth).mul == 2


def test_traced_and_plain_runs_agree():
    def algorithm(x):
        s, c = sincos(x[0])
        return {"y": [sqrt(absolute(x[1])), atan2(s, c), minimum(s, x[1]), maximum(s, x[1]), select(x[1], s / x[1], c)]}

    f = trace("f", algorithm, {"x": (2,)})
    batch = np.array([[0.3, -0.7], [2.0, 0.1], [-1.0, 5.0]])
    assert np.allclose(evaluate(f, {"x": batch})["y"].T, algorithm(batch.T)["y"], rtol=1e-15, atol=1e-15)


def test_ragged_outputs_are_refused():
    for ragged in (lambda x: [[x[0]], [x[0], x[1]]], lambda x: [[x[0], x[1]], [x[0]]], lambda x: [x[0], [x[1]]]):
        with pytest.raises(ExpressionError, match="'y'"):
            trace("f", lambda x, ragged=ragged: {"y": ragged(x), "z": [x[0], x[1]]}, {"x": (2,)})


def test_stated_shapes_must_fit():
    with pytest.raises(ExpressionError, match="'y'"):
        trace("f", lambda x: {"y": [x[0]], "z": [x[0], x[1]]}, {"x": (2,)}, shapes={"y": (2,)})


def test_misuse_says_what_is_wrong():
    f = trace("f", lambda x, p: {"y": p[0] * x}, {"x": (), "p": (2,)})
    with pytest.raises(ExpressionError, match=r"'p' has 2 elements, 1 were given"):
        bind(f, {"p": [1.0]})
    with pytest.raises(ExpressionError, match="no input 'r'"):
        bind(f, {"r": [1.0]})
    with pytest.raises(ExpressionError, match="another graph"):
        trace("g", lambda x: {"y": Graph().input("x", 0)}, {"x": ()})
    with pytest.raises(ExpressionError, match="name occurs twice"):
        trace("g", lambda x: {"x": x}, {"x": ()})


STEPS = {
    "sum": lambda value, x: value + x,
    "difference": lambda value, x: x - value,
    "product": lambda value, x: value * x,
    "quotient": lambda value, x: x / value,
    "sum of products": lambda value, x: value + x * value,
    "sign": lambda value, x: -(x * value),
    "root": lambda value, x: sqrt(absolute(value)),
    "sine": lambda value, x: sincos(value)[0],
    "choice": lambda value, x: select(value, minimum(value, x), x),
}


def chain(steps, length):
    def algorithm(x):
        value = x[0]
        for k in range(length):
            value = steps[k % len(steps)](value, x[1 + k % 2])
        return {"y": value}

    return trace("chain", algorithm, {"x": (3,)})


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_long_chains_need_no_recursion(step):
    function = chain([step], 5_000)
    assert len(function.operations) >= 5_000
    bound = bind(function, {"x": [0.1, 0.2, 0.3]})
    assert [step.op for step in bound.operations] == [Op.CONST]


@pytest.mark.slow
def test_very_long_chains_take_linear_time():
    assert len(chain([STEPS["sum"], STEPS["sum"], STEPS["difference"]], 100_000).operations) >= 100_000
