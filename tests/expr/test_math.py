"""Elementary functions give the same on floats, batches, complex numbers and nodes."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from torquec.expr import Op, trace
from torquec.expr.evaluate import evaluate
from torquec.expr.math import absolute, atan2, exp, maximum, minimum, select, sincos, sqrt, tanh

FUNCTIONS = {
    "sine": (lambda a, b, c: sincos(a)[0], Op.SIN),
    "cosine": (lambda a, b, c: sincos(a)[1], Op.COS),
    "sqrt": (lambda a, b, c: sqrt(a * a + b * b), Op.SQRT),
    "exp": (lambda a, b, c: exp(a - b), Op.EXP),
    "tanh": (lambda a, b, c: tanh(a * b), Op.EXP),
    "atan2": (lambda a, b, c: atan2(a, b), Op.ATAN2),
    "absolute": (lambda a, b, c: absolute(a), Op.ABS),
    "minimum": (lambda a, b, c: minimum(a, b), Op.MIN),
    "maximum": (lambda a, b, c: maximum(a, b), Op.MAX),
    "select": (lambda a, b, c: select(a, b, c), Op.SELECT),
}
STATES = np.array([[0.3, -0.7, 2.0], [-1.1, 0.4, 0.5], [2.5, 3.5, -1.0], [-0.2, -0.9, 1.5], [0.9, 0.1, 0.0]])
each_function = pytest.mark.parametrize(("function", "op"), FUNCTIONS.values(), ids=FUNCTIONS)


@each_function
def test_floats_batches_and_nodes_agree(function, op):
    traced = trace("f", lambda x: {"y": function(*x)}, {"x": (3,)})
    assert op in [step.op for step in traced.operations]
    on_nodes = evaluate(traced, {"x": STATES})["y"]
    on_batch = function(*STATES.T)
    on_floats = [function(*map(float, row)) for row in STATES]
    assert np.allclose(on_batch, on_floats, rtol=4e-16, atol=0.0)
    assert np.array_equal(on_batch, on_nodes)


@each_function
def test_complex_step_gives_the_derivative(function, op):
    """Against central differences of eighth order."""
    h, weights = 1e-2, {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    for row in STATES:
        for k in range(3):
            e = np.eye(3)[k]
            difference = sum(
                w * (function(*(row + m * h * e)) - function(*(row - m * h * e))) for m, w in weights.items()
            )
            moved = function(*(complex(value) for value in row + 1e-30j * e))
            assert np.imag(moved) / 1e-30 == pytest.approx(difference / h, rel=1e-10, abs=1e-10)
            assert np.real(moved) == pytest.approx(function(*map(float, row)), rel=1e-15)


@each_function
def test_complex_batches_are_complex_numbers_one_by_one(function, op):
    states = STATES + 1e-20j * STATES[::-1]
    assert np.allclose(function(*states.T), [function(*map(complex, row)) for row in states], rtol=1e-15, atol=0.0)


def test_complex_angle_is_the_analytic_one():
    y, x = 0.3 + 0.1j, 0.8 - 0.2j
    assert atan2(y, x) == pytest.approx(cmath.atan(y / x), rel=1e-14)


def test_exponentials_that_overflow_are_infinite_and_their_tangent_is_one():
    assert (exp(1000.0), exp(-1000.0)) == (math.inf, 0.0)
    assert [tanh(v) for v in (1000.0, -1000.0, 0.0)] == [1.0, -1.0, 0.0]
    for value in (-3.0, -0.1, 1e-9, 0.7, 5.0):
        assert tanh(value) == pytest.approx(math.tanh(value), rel=1e-6 if abs(value) < 1e-6 else 1e-14, abs=0.0)


def test_right_angles_are_exact():
    turns = [sincos(k * math.pi / 2) for k in range(-4, 5)]
    circle = [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)]
    assert turns == [circle[k % 4] for k in range(-4, 5)]


@pytest.mark.parametrize("angle", [1e-300, 0.3, 1.5708, 3.1416, 100 * math.pi, 1e15, 1e20, -1e300])
def test_other_angles_are_what_the_library_gives(angle):
    assert sincos(angle) == (math.sin(angle), math.cos(angle))


@pytest.mark.parametrize("angle", [math.inf, -math.inf, math.nan])
def test_angles_that_are_not_finite_have_no_sine(angle):
    assert all(math.isnan(value) for value in sincos(angle))


def test_numbers_among_nodes_are_taken_in():
    f = trace("f", lambda x: {"y": [atan2(1.0, x), minimum(x, 2), select(x, 3.0, 4.0)]}, {"x": ()})
    assert evaluate(f, {"x": 1.0})["y"].tolist() == [math.pi / 4, 1.0, 3.0]
