"""Reverse-mode gradients: by hand, of every operation, against forward mode on robots, and what they cost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.expr.programs import INPUTS, programs
from tests.expr.test_differentiate import OPERATIONS, STATES

from torquec.errors import ExpressionError
from torquec.expr import count_operations, differentiate, evaluate, trace
from torquec.expr.gradient import gradient
from torquec.expr.ops import SEMANTICS
from torquec.model.quantities import trace_quantity
from torquec.robot import classics


def test_a_product_and_a_sum_by_hand():
    f = trace("f", lambda x, y: {"z": [x[0] * y[0], x[0] + x[1]]}, {"x": (2,), "y": (1,)})
    found = evaluate(gradient(f, "z", by=["x", "y"]), {"x": [2.0, 3.0], "y": [5.0], "weights": [1.0, 10.0]})
    assert found["d_x"].tolist() == [15.0, 10.0]
    assert found["d_y"].tolist() == [2.0]


@pytest.mark.parametrize("op", SEMANTICS)
def test_every_operation_against_complex_step(op):
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
