"""Replaying a function on other scalars, with other constants, with steps replaced."""

from __future__ import annotations

import numpy as np
import pytest
from tests.codegen.programs import random_function, random_inputs

from torquec.dynamics import velocity_torque
from torquec.expr import Op, count_operations, evaluate, trace
from torquec.expr.math import absolute, select, sincos, sqrt
from torquec.expr.replay import CONSTANTS, moving_part, rebuilt, replay, replayed_steps, staged
from torquec.model.quantities import trace_quantity
from torquec.robot.classics import load_classic


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


def test_products_of_early_inputs_are_prepared_once():
    f = trace("f", lambda x, p: {"y": x[0] * (p[0] * p[1] + 1.0)}, {"x": (1,), "p": (2,)})
    g = trace("g", lambda x, p: {"z": x[0] - (p[0] * p[1] + 1.0)}, {"x": (1,), "p": (2,)})
    parts = staged([f, g], {"p"})
    assert parts.prepare.output(CONSTANTS).size == 1
    made = evaluate(parts.prepare, {"p": np.array([2.0, 3.0])})[CONSTANTS]
    assert made.tolist() == [7.0]
    assert evaluate(parts.functions[1], {"x": np.array([10.0]), CONSTANTS: made})["z"] == 3.0


@pytest.mark.parametrize("seed", range(30))
def test_random_functions_keep_their_values(seed):
    functions = [random_function(seed), random_function(seed + 100)]
    for function in functions:
        early = {function.inputs[0].name}
        parts = staged([function], early)
        inputs = random_inputs(seed)
        given = {name: value for name, value in inputs.items() if name in early}
        made = evaluate(parts.prepare, given)[CONSTANTS] if given else None
        late = parts.functions[0]
        assert not any(step.op is Op.INPUT and step.port in early for step in late.operations)
        whole = evaluate(function, inputs)
        found = evaluate(late, {p.name: made if p.name == CONSTANTS else inputs[p.name] for p in late.inputs})
        for name, value in whole.items():
            np.testing.assert_allclose(found[name], value, rtol=1e-9, atol=1e-12, equal_nan=True)


def test_a_function_without_early_inputs_stays():
    f = trace("f", lambda x: {"y": x[0] + 1.0}, {"x": (1,)})
    g = trace("g", lambda p: {"y": p[0] + 1.0}, {"p": (1,)})
    assert staged([f, g], {"p"}).functions[0] is f


def odd(x, y):
    s, c = sincos(x[0] + y[1])
    a = x[0] * y[0] + x[1]
    return {
        "z": [
            a * (y[1] + x[0]) - s,
            (a - y[0] * y[0]) / x[1],
            sqrt(x[1] + y[0] * y[0]) / (c + y[1]),
            x[0] * x[1],
            -y[0],
        ]
    }


def test_it_is_the_difference_to_rest():
    f = trace("f", odd, {"x": (2,), "y": (2,)})
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, y = rng.uniform(0.5, 1.0, (2, 2)).tolist()
        whole, rest = (replay(f, {"x": x, "y": at})["z"] for at in (y, [0.0, 0.0]))
        np.testing.assert_allclose(moving_part(f, {"x": x, "y": y}, "y")["z"], np.subtract(whole, rest), atol=1e-14)


@pytest.mark.parametrize("name", ["scara", "stanford", "puma560"])
def test_of_a_recursion_it_leaves_the_recursion_without_gravity(name):
    robot = load_classic(name)
    P = trace_quantity(robot, "inverse_dynamics")
    still = [0.0] * robot.n

    def algorithm(robot, q, qd):
        return moving_part(P, {"q": q, "qd": qd, "qdd": still}, "qd")["tau"]

    found = trace_quantity(robot, "velocity_torque", algorithm=algorithm)
    assert count_operations(found).cost <= count_operations(trace_quantity(robot, "velocity_torque")).cost
    q, qd = np.random.default_rng(1).uniform(-1.0, 1.0, (2, robot.n)).tolist()
    np.testing.assert_allclose(replay(found, {"q": q, "qd": qd})["tau"], velocity_torque(robot, q, qd), atol=1e-11)
