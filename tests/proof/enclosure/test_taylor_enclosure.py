"""Taylor models: parabolas by hand, every operation and a robot's torque against samples, third order, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.expr.test_differentiate import OPERATIONS

from torquec.errors import ArgumentError
from torquec.expr import evaluate, trace
from torquec.expr.math import sqrt
from torquec.expr.ops import SEMANTICS
from torquec.model.quantities import trace_quantity
from torquec.proof.enclosure.taylor_enclosure import taylor_enclosure
from torquec.robot import classics


def polynomials(coefficients, theta):
    return sum(c * theta**k for k, c in enumerate(coefficients))


def ends(algorithm, *coefficients):
    function = trace("f", lambda x: {"y": [algorithm(x[0])]}, {"x": (1,)})
    low, high = taylor_enclosure(function, {"x": np.array(coefficients, dtype=float).reshape(-1, 1, 1)})["y"]
    return float(low[0, 0]), float(high[0, 0])


def test_parabolas_are_exact_to_rounding():
    assert ends(lambda x: x, 1.0, 2.0, 3.0) == pytest.approx((2.0 / 3.0, 6.0), abs=1e-13)  # turns at theta = -1/3
    assert ends(lambda x: x * x, 0.0, 1.0) == pytest.approx((0.0, 1.0), abs=1e-13)


def test_values_outside_of_an_operation():
    assert ends(lambda x: 1.0 / x, 0.0, 1.0) == (-math.inf, math.inf)
    low, high = ends(sqrt, 0.0, 1.0)
    assert (low, high) == pytest.approx((0.0, 1.0), abs=1e-12)


@pytest.mark.parametrize("op", SEMANTICS)
def test_samples_of_every_operation_lie_inside(op):
    rng = np.random.default_rng(0)
    function = trace("f", lambda x: {"y": [OPERATIONS[op](*x)]}, {"x": (3,)})
    inputs = rng.normal(size=(4, 300, 3)) * np.array([1.0, 0.2, 0.1, 0.05])[:, None, None]
    low, high = taylor_enclosure(function, {"x": inputs})["y"]
    for theta in np.linspace(-1.0, 1.0, 41):
        value = evaluate(function, {"x": polynomials(inputs, theta)})["y"]
        assert np.all((low <= value) & (value <= high))


def test_torques_of_a_robot_are_enclosed_to_third_order():
    robot = classics.puma560()
    function = trace_quantity(robot, "inverse_dynamics")
    rng = np.random.default_rng(1)
    q, qd, qdd, jerk = rng.normal(size=(4, 50, robot.n)) * np.array([1.0, 2.0, 10.0, 100.0])[:, None, None]
    excess = []
    for h in (0.04, 0.02, 0.01):  # half a cell [s]
        inputs = {
            "q": np.array([q, qd * h, qdd * h**2 / 2.0, jerk * h**3 / 6.0]),
            "qd": np.array([qd, qdd * h, jerk * h**2 / 2.0]),
            "qdd": np.array([qdd, jerk * h]),
        }
        low, high = taylor_enclosure(function, inputs)["tau"]
        found = np.array(
            [
                evaluate(function, {name: polynomials(values, theta) for name, values in inputs.items()})["tau"]
                for theta in np.linspace(-1.0, 1.0, 101)
            ]
        )
        assert np.all((low <= found.min(axis=0)) & (found.max(axis=0) <= high))
        excess.append(float(np.max(high - found.max(axis=0))))
    assert excess[1] < excess[0] / 6.0
    assert excess[2] < excess[1] / 6.0


def test_refusals():
    function = trace("f", lambda x: {"y": [x[0]]}, {"x": (1,)})
    with pytest.raises(ArgumentError, match="'x' is missing"):
        taylor_enclosure(function, {})
    with pytest.raises(ArgumentError, match="'x' has shape"):
        taylor_enclosure(function, {"x": np.array([1.0])})
    with pytest.raises(ArgumentError, match="finite"):
        taylor_enclosure(function, {"x": np.array([[[math.nan]]])})
