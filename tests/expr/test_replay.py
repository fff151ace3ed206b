"""Replaying a function on other scalars, with other constants, with steps replaced."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.expr import Op, count_operations, evaluate, trace
from torquec.expr.math import absolute, select, sincos, sqrt
from torquec.expr.replay import rebuilt, replay, replayed_steps


@pytest.fixture
def function():
    def algorithm(x, A, s):
        sine, cosine = sincos(x[0])
        root = sqrt(1.5 + x[1] * x[1])
        return {
            "y": [sine * A[0][1] - cosine * A[1][0] / root, select(x[0], s, 3.0 * s)],
            "B": [[absolute(x[0]), 2.0], [A[1][1] * s, x[1]]],
        }

    return trace("f", algorithm, {"x": (2,), "A": (2, 2), "s": ()})


def given(rng):
    return {"x": rng.normal(size=2).tolist(), "A": rng.normal(size=(2, 2)).tolist(), "s": float(rng.normal())}


def test_floats_give_what_evaluate_gives(function):
    rng = np.random.default_rng(1)
    for _ in range(20):
        inputs = given(rng)
        expected, found = evaluate(function, inputs), replay(function, inputs)
        for name, value in expected.items():
            np.testing.assert_allclose(found[name], value, rtol=1e-15)


def test_nodes_give_the_same_function(function):
    assert rebuilt(function) == function


def test_complex_steps_give_slopes(function):
    inputs = given(np.random.default_rng(2))
    moved = {**inputs, "s": complex(inputs["s"], 1e-30)}
    slope = np.imag(replay(function, moved)["y"][1]) / 1e-30
    assert slope == pytest.approx(1.0 if inputs["x"][0] >= 0.0 else 3.0)


def test_other_constants(function):
    inputs = given(np.random.default_rng(3))
    k = next(k for k, step in enumerate(function.operations) if step.op is Op.CONST and step.value == 1.5)
    changed = rebuilt(function, constants={k: 4.0})
    steps = replayed_steps(function, inputs, constants={k: 4.0})
    assert replay(changed, inputs)["y"][0] == pytest.approx(steps[function.results[0][0]], rel=1e-15)
    assert replay(changed, inputs)["y"][0] != pytest.approx(replay(function, inputs)["y"][0])


def test_a_replaced_step_takes_what_led_to_it_along(function):
    k = next(k for k, step in enumerate(function.operations) if step.op is Op.SQRT)
    changed = rebuilt(function, replaced={k: lambda values: 1.0})
    assert count_operations(changed).other < count_operations(function).other
    inputs = given(np.random.default_rng(4))
    x, A = inputs["x"], inputs["A"]
    assert replay(changed, inputs)["y"][0] == pytest.approx(np.sin(x[0]) * A[0][1] - np.cos(x[0]) * A[1][0])
