"""Derivatives of every operation and of random programs against complex step and differences; of any shape."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.expr.programs import INPUTS, Program, programs

from torquec.errors import ExpressionError
from torquec.expr import Graph, Op, Port, count_operations, differentiate, evaluate, function_to_dict, trace
from torquec.expr.differentiate import gradient, jacobian_nodes
from torquec.expr.math import absolute, atan2, exp, maximum, minimum, select, sincos, sqrt
from torquec.expr.ops import SEMANTICS
from torquec.model.quantities import trace_quantity
from torquec.robot import classics

OPERATIONS = {
    Op.ADD: lambda a, b, c: a + b,
    Op.SUB: lambda a, b, c: a - b,
    Op.MUL: lambda a, b, c: a * b * b,
    Op.DIV: lambda a, b, c: a / b + c / (a * a),
    Op.NEG: lambda a, b, c: -(a * b),
    Op.SIN: lambda a, b, c: sincos(a * b)[0],
    Op.COS: lambda a, b, c: sincos(a * b)[1],
    Op.SQRT: lambda a, b, c: sqrt(a * a + b * b),
    Op.EXP: lambda a, b, c: exp(a * b) * c,
    Op.ATAN2: lambda a, b, c: atan2(a * c, b),
    Op.ABS: lambda a, b, c: absolute(a * b) * c,
    Op.MIN: lambda a, b, c: minimum(a * a, b * c),
    Op.MAX: lambda a, b, c: maximum(a * a, b * c),
    Op.SELECT: lambda a, b, c: select(a - b, b * c, a / c),
}
STATES = np.array([[0.3, -0.7, 2.0], [-1.1, 0.4, 0.5], [2.5, 3.5, -1.0], [-0.2, -0.9, 1.5], [0.9, 0.1, 0.6]])


def derivative(algorithm, x):
    function = trace("f", lambda x: {"y": algorithm(*x)}, {"x": (3,)})
    return evaluate(differentiate(function, "y", "x"), {"x": x})["dy_dx"]


@pytest.mark.parametrize("op", SEMANTICS)
def test_every_operation_against_complex_step(op):
    function = trace("f", lambda x: {"y": OPERATIONS[op](*x)}, {"x": (3,)})
    assert op in [step.op for step in function.operations]
    steps = np.repeat(STATES[:, None, :], 3, axis=1) + 1e-30j * np.eye(3)
    expected = np.imag(OPERATIONS[op](*np.moveaxis(steps, 2, 0))) / 1e-30
    assert np.allclose(derivative(OPERATIONS[op], STATES), expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("op", SEMANTICS)
def test_every_operation_against_differences_of_high_order(op):
    h, weights = 1e-3, {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    f = OPERATIONS[op]
    for row in STATES:
        found = derivative(f, row)
        for k, e in enumerate(h * np.eye(3)):
            expected = sum(w * (f(*(row + m * e)) - f(*(row - m * e))) for m, w in weights.items()) / h
            assert found[k] == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_branches_that_are_taken():
    assert derivative(lambda a, b, c: absolute(a), [[-2.0, 0, 0], [2.0, 0, 0], [0.0, 0, 0]])[:, 0].tolist() == [
        -1,
        1,
        1,
    ]
    assert derivative(lambda a, b, c: minimum(a, b), [[1.0, 2.0, 0], [2.0, 1.0, 0]]).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert derivative(lambda a, b, c: maximum(a, b), [[1.0, 2.0, 0], [2.0, 1.0, 0]]).tolist() == [[0, 1, 0], [1, 0, 0]]
    taken = derivative(lambda a, b, c: select(a, 2.0 * b, 3.0 * c), [[0.0, 1, 1], [-1.0, 1, 1]])
    assert taken.tolist() == [[0, 2, 0], [0, 0, 3]]


def smooth(program: Program) -> Program:
    """The program without kinks, and with quotients that stay finite."""
    swap = {Op.ABS: Op.NEG, Op.MIN: Op.MUL, Op.MAX: Op.ADD, Op.SQRT: Op.SIN, Op.ATAN2: Op.SUB, Op.EXP: Op.COS}
    steps = ((swap.get(op, op), args) for op, args in program.steps if op is not Op.SELECT)
    count, kept = INPUTS + len(program.constants), []
    for op, args in steps:
        kept.append((op, tuple(k % count if op is not Op.DIV else k % INPUTS for k in args)))
        count += 1
    return Program(program.constants, tuple(kept), (count - 1,))


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(program=programs(most_steps=8).map(smooth), x=st.lists(st.floats(0.5, 1.5), min_size=INPUTS, max_size=INPUTS))
def test_random_programs_against_complex_step(program, x):
    function = trace("f", program.algorithm, {"x": (INPUTS,)})
    found = evaluate(differentiate(function, "y", "x"), {"x": x})["dy_dx"]

    def apply(op, *args):
        return SEMANTICS[op].on_arrays(*map(np.complex128, args))

    with np.errstate(all="ignore"):
        for k in range(INPUTS):
            (moved,) = program.run([value + (1e-30j if i == k else 0.0) for i, value in enumerate(x)], apply)
            assert abs(found[0, k] - np.imag(moved) / 1e-30) <= 1e-12 * largest_on_the_way(program, x) ** 2


def largest_on_the_way(program: Program, x) -> float:
    """The largest value, derivative or 1 on the way; rounding is relative to products of two of them."""
    largest = 1.0

    def apply(op, *args):
        nonlocal largest
        result = SEMANTICS[op].on_arrays(*map(np.complex128, args))
        largest = max(largest, abs(np.real(result)), abs(np.imag(result)) / 1e-30)
        return result

    for k in range(INPUTS):
        program.run([value + (1e-30j if i == k else 0.0) for i, value in enumerate(x)], apply)
    return float(largest)


def test_shapes_are_output_then_input():
    f = trace(
        "f",
        lambda a, v, m: {"s": a * a, "w": [v[0] * m[1][2], a * v[1]], "k": [[m[0][0] * a, m[0][1]]]},
        {"a": (), "v": (2,), "m": (2, 3)},
    )
    inputs = {"a": 2.0, "v": [3.0, 4.0], "m": np.arange(6.0).reshape(2, 3)}
    assert evaluate(differentiate(f, "s", "a"), inputs)["ds_da"].tolist() == 4.0
    assert evaluate(differentiate(f, "w", "a"), inputs)["dw_da"].tolist() == [0.0, 4.0]
    assert evaluate(differentiate(f, "s", "v"), inputs)["ds_dv"].tolist() == [0.0, 0.0]
    assert evaluate(differentiate(f, "w", "v"), inputs)["dw_dv"].tolist() == [[5.0, 0.0], [0.0, 2.0]]
    by_matrix = evaluate(differentiate(f, "w", "m"), inputs)["dw_dm"]
    assert by_matrix.shape == (2, 2, 3)
    assert by_matrix[0].tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 3.0]]
    assert evaluate(differentiate(f, "k", "m"), inputs)["dk_dm"].shape == (1, 2, 2, 3)


def test_empty_inputs_and_outputs():
    f = trace("f", lambda e, x: {"y": [x[0] * x[1]], "n": []}, {"e": (0,), "x": (2,)})
    inputs = {"e": [], "x": [3.0, 4.0]}
    assert evaluate(differentiate(f, "y", "x"), inputs)["dy_dx"].tolist() == [[4.0, 3.0]]
    assert evaluate(differentiate(f, "y", "e"), inputs)["dy_de"].shape == (1, 0)
    assert evaluate(differentiate(f, "n", "x"), inputs)["dn_dx"].shape == (0, 2)


def test_names():
    f = trace("f", lambda x: {"y": x * x}, {"x": ()})
    assert differentiate(f, "y", "x").name == "f_dy_dx"
    assert differentiate(f, "y", "x", name="slope").name == "slope"
    assert differentiate(f, "y", "x").inputs == f.inputs
    assert differentiate(f, "y", "x").outputs == (Port("dy_dx"),)


def test_derivatives_can_be_differentiated_again():
    f = trace("f", lambda x: {"y": sincos(x[0])[0] * x[1] * x[1]}, {"x": (2,)})
    hessian = evaluate(differentiate(differentiate(f, "y", "x"), "dy_dx", "x"), {"x": [0.4, 3.0]})["ddy_dx_dx"]
    s, c = math.sin(0.4), math.cos(0.4)
    assert np.allclose(hessian, [[-9.0 * s, 6.0 * c], [6.0 * c, 2.0 * s]], rtol=1e-15, atol=0.0)


def test_what_does_not_depend_costs_nothing():
    f = trace("f", lambda x: {"y": [x[0] + 3.0 * x[1], sincos(x[2])[0]]}, {"x": (3,)})
    assert str(count_operations(differentiate(f, "y", "x"))) == "0 mul, 0 add, 1 sincos"


def test_variables_may_be_any_nodes():
    graph = Graph()
    a, b = graph.input("x", 0), graph.input("x", 1)
    inner = a * b
    ((by_inner, by_a),) = jacobian_nodes([inner * inner + a], [inner, a])
    assert by_inner is inner + inner
    assert by_a is 1.0 + (b * inner + inner * b)
    assert jacobian_nodes([a], []) == [[]]
    assert jacobian_nodes([], [a]) == []


def test_misuse_names_what_there_is():
    f = trace("f", lambda x: {"y": x}, {"x": ()})
    with pytest.raises(ExpressionError, match=r"no output 'z'\n  remedy: choose one of: y"):
        differentiate(f, "z", "x")
    with pytest.raises(ExpressionError, match=r"no input 'q'\n  remedy: choose one of: x"):
        differentiate(f, "y", "q")


def test_long_chains_need_no_recursion():
    def algorithm(x):
        value = x
        for k in range(5_000):
            value = sincos(value)[k % 2] * x
        return {"y": value}

    slope = differentiate(trace("chain", algorithm, {"x": ()}), "y", "x")
    assert np.isfinite(evaluate(slope, {"x": 0.9})["dy_dx"])
    assert len(slope.content_hash) == 64
    assert len(function_to_dict(slope)["operations"]) > 10_000


def test_a_product_and_a_sum_by_hand():
    f = trace("f", lambda x, y: {"z": [x[0] * y[0], x[0] + x[1]]}, {"x": (2,), "y": (1,)})
    found = evaluate(gradient(f, "z", by=["x", "y"]), {"x": [2.0, 3.0], "y": [5.0], "weights": [1.0, 10.0]})
    assert found["d_x"].tolist() == [15.0, 10.0]
    assert found["d_y"].tolist() == [2.0]


@pytest.mark.parametrize("op", SEMANTICS)
def test_every_operation_against_complex_step_of_gradient(op):
    function = trace("f", lambda x: {"y": [OPERATIONS[op](*x)]}, {"x": (3,)})
    steps = np.repeat(STATES[:, None, :], 3, axis=1) + 1e-30j * np.eye(3)
    expected = np.imag(OPERATIONS[op](*np.moveaxis(steps, 2, 0))) / 1e-30
    weights = np.full((len(STATES), 1), 2.0)
    found = evaluate(gradient(function, "y", by=["x"]), {"x": STATES, "weights": weights})["d_x"]
    assert np.allclose(found, 2.0 * expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", ["puma560", "stanford"])
@pytest.mark.parametrize("quantity", ["base_regressor", "total_torque"])
def test_forward_mode_agrees_on_robots(name, quantity):
    robot = classics.load_classic(name)
    function = trace_quantity(robot, quantity)
    output = function.outputs[0]
    rng = np.random.default_rng(0)
    state = {key: rng.normal(size=(3, robot.n)) for key in ("q", "qd", "qdd")}
    weights = rng.normal(size=(3, *output.shape))
    found = evaluate(gradient(function, output.name, by=["q", "qd", "qdd"]), {**state, "weights": weights})
    for key in state:
        whole = evaluate(differentiate(function, output.name, key), state)[f"d{output.name}_d{key}"]
        axes = tuple(range(1, weights.ndim))
        expected = np.stack([(whole[..., j] * weights).sum(axis=axes) for j in range(robot.n)], axis=1)
        assert np.allclose(found[f"d_{key}"], expected, rtol=1e-11, atol=1e-11)


@settings(max_examples=50, deadline=None)
@given(program=programs(most_steps=8), x=st.lists(st.floats(0.5, 1.5), min_size=INPUTS, max_size=INPUTS))
def test_random_programs_agree_with_forward_mode(program, x):
    function = trace("f", program.algorithm, {"x": (INPUTS,)})
    weights = np.arange(1.0, 1.0 + function.output("y").size)
    found = evaluate(gradient(function, "y", by=["x"]), {"x": x, "weights": weights})["d_x"]
    rows = evaluate(differentiate(function, "y", "x"), {"x": x})["dy_dx"]
    if np.isfinite(rows).all() and np.abs(rows).max(initial=0.0) < 1e6:
        assert np.allclose(found, weights @ rows, rtol=1e-9, atol=1e-9)


def test_it_costs_a_few_times_the_function():
    function = trace_quantity(classics.puma560(), "base_regressor")
    plain, reverse = (count_operations(f) for f in (function, gradient(function, "Y", by=["q", "qd", "qdd"])))
    assert reverse.mul + reverse.add < 5 * (plain.mul + plain.add)


def test_an_output_without_elements_changes_nothing():
    f = trace("f", lambda x: {"y": []}, {"x": (2,)}, shapes={"y": (0,)})
    assert evaluate(gradient(f, "y", by=["x"]), {"x": [1.0, 2.0], "weights": []})["d_x"].tolist() == [0.0, 0.0]


def test_misuse():
    f = trace("f", lambda weights: {"y": [weights[0]]}, {"weights": (1,)})
    with pytest.raises(ExpressionError, match="input 'weights' of its own"):
        gradient(f, "y", by=["weights"])
    g = trace("g", lambda x: {"y": [x[0]]}, {"x": (1,)})
    with pytest.raises(ExpressionError, match="no input 'z'"):
        gradient(g, "y", by=["z"])
    with pytest.raises(ExpressionError, match="no output 'z'"):
        gradient(g, "z", by=["x"])
