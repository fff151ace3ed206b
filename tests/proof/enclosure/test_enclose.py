"""Enclosures: ranges by hand, every operation and a robot's torque against samples, tight for small boxes, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.expr.test_differentiate import OPERATIONS

from torquec.errors import ArgumentError
from torquec.expr import evaluate, trace
from torquec.expr.math import sincos, sqrt
from torquec.expr.ops import SEMANTICS
from torquec.model.quantities import trace_quantity
from torquec.proof.enclosure.enclose import enclose, solution_bound
from torquec.robot import classics


def ends(algorithm, low, high):
    function = trace("f", lambda x: {"y": [algorithm(x[0])]}, {"x": (1,)})
    found = enclose(function, {"x": [[low]]}, {"x": [[high]]})["y"]
    return float(found[0][0, 0]), float(found[1][0, 0])


@pytest.mark.parametrize(
    ("low", "high", "least", "largest"),
    [
        (0.1, 0.2, math.sin(0.1), math.sin(0.2)),
        (1.0, 2.0, math.sin(1.0), 1.0),
        (4.0, 5.0, -1.0, math.sin(4.0)),
        (-10.0, 10.0, -1.0, 1.0),
        (100.0, 100.1, math.sin(100.1), math.sin(100.0)),
    ],
)
def test_sines_by_hand(low, high, least, largest):
    found = ends(lambda x: sincos(x)[0], low, high)
    assert found == (pytest.approx(min(least, largest), abs=1e-14), pytest.approx(max(least, largest), abs=1e-14))
    assert found[0] <= min(least, largest)
    assert found[1] >= max(least, largest)


def test_products_and_quotients_by_hand():
    assert ends(lambda x: x * x, -1.0, 2.0) == pytest.approx((-2.0, 4.0))
    assert ends(lambda x: 1.0 / x, 2.0, 4.0) == pytest.approx((0.25, 0.5))
    assert ends(lambda x: 1.0 / x, -1.0, 1.0) == (-math.inf, math.inf)
    assert ends(sqrt, -1.0, 4.0) == (0.0, pytest.approx(2.0))


@pytest.mark.parametrize("op", SEMANTICS)
def test_samples_of_every_operation_lie_inside(op):
    rng = np.random.default_rng(0)
    function = trace("f", lambda x: {"y": [OPERATIONS[op](*x)]}, {"x": (3,)})
    middle, radius = rng.normal(size=(200, 3)), rng.uniform(0.0, 0.5, size=(200, 1))
    low, high = enclose(function, {"x": middle - radius}, {"x": middle + radius})["y"]
    for _ in range(50):
        inside = middle + radius * rng.uniform(-1.0, 1.0, size=middle.shape)
        value = evaluate(function, {"x": inside})["y"]
        assert np.all((low <= value) & (value <= high))


def test_torques_of_a_robot_are_enclosed_ever_tighter():
    robot = classics.puma560()
    function = trace_quantity(robot, "total_torque")
    rng = np.random.default_rng(1)
    state = {key: rng.normal(size=(20, robot.n)) for key in ("q", "qd", "qdd")}
    widths = []
    for radius in (1e-1, 1e-2, 1e-3):
        low, high = enclose(
            function, {k: v - radius for k, v in state.items()}, {k: v + radius for k, v in state.items()}
        )["tau"]
        widths.append(float(np.median(high - low)))
        for _ in range(20):
            near = {k: v + radius * rng.uniform(-1.0, 1.0, size=v.shape) for k, v in state.items()}
            tau = evaluate(function, near)["tau"]
            assert np.all((low <= tau) & (tau <= high))
    assert widths[1] < 0.2 * widths[0]
    assert widths[2] < 0.2 * widths[1]


def test_refusals():
    function = trace("f", lambda x: {"y": [x[0]]}, {"x": (1,)})
    with pytest.raises(ArgumentError, match="'x' is missing"):
        enclose(function, {}, {})
    with pytest.raises(ArgumentError, match="exchanged"):
        enclose(function, {"x": [[2.0]]}, {"x": [[1.0]]})
    with pytest.raises(ArgumentError, match="of 'x'"):
        enclose(function, {"x": [1.0]}, {"x": [2.0]})


@pytest.mark.parametrize("n", [1, 2, 4, 7])
def test_no_system_of_the_enclosure_has_a_larger_solution(n):
    rng = np.random.default_rng(n)
    count = 50
    A = rng.normal(size=(count, n, n))
    middle = A @ np.swapaxes(A, 1, 2) + np.eye(n)
    radius = 0.02 * rng.random((count, n, n)) / n
    right, spread = rng.normal(size=(count, n)), rng.random((count, n))
    bound = solution_bound(middle - radius, middle + radius, right - spread, right + spread)
    assert np.isfinite(bound).all()
    largest = np.zeros((count, n))
    for k in range(300):
        corner = rng.choice([-1.0, 1.0], size=(2, count, n, n)) if k % 2 else rng.uniform(-1.0, 1.0, (2, count, n, n))
        M, d = middle + radius * corner[0], right + spread * corner[1][:, 0]
        largest = np.maximum(largest, np.abs(np.linalg.solve(M, d[..., None])[..., 0]))
    assert np.all(largest <= bound)
    assert np.all(largest.max(axis=1) >= 0.4 * bound.max(axis=1))


def test_points_give_the_inverse_itself():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(20, 5, 5))
    M, b = A @ np.swapaxes(A, 1, 2) + 0.1 * np.eye(5), rng.random((20, 5))
    expected = (np.abs(np.linalg.inv(M)) @ b[..., None])[..., 0]
    bound = solution_bound(M, M, -b, b)
    assert np.all(bound >= expected * (1.0 - 1e-13))
    assert np.all(bound <= expected * (1.0 + 1e-9))


def test_a_singular_matrix_in_the_enclosure_is_never_solved():
    low, high = np.array([[[1.0, 0.9], [0.9, 1.0]]]), np.array([[[1.1, 1.1], [1.1, 1.1]]])
    d = np.ones((1, 2))
    assert np.all(np.isinf(solution_bound(low, high, -d, d)))
    flat = np.ones((1, 2, 2))
    assert np.all(np.isinf(solution_bound(flat, flat, -d, d)))
    both = solution_bound(
        np.concatenate([flat, np.eye(2)[None]]),
        np.concatenate([flat, np.eye(2)[None]]),
        -np.ones((2, 2)),
        np.ones((2, 2)),
    )
    assert np.isinf(both[0]).all()
    assert both[1] == pytest.approx(1.0, rel=1e-9)


def test_ends_that_are_not_finite_give_no_bound():
    one = np.eye(2)[None]
    d = np.ones((1, 2))
    assert np.all(np.isinf(solution_bound(one, np.where(one > 0, np.inf, one), -d, d)))
    assert np.all(np.isinf(solution_bound(one, one, -d, d * np.nan)))
