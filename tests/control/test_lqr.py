"""LQR: the golden ratio, scipy's Riccati solution, optimality, a closed loop."""

from __future__ import annotations

import numpy as np
import pytest
from tests.control.closed_loop import run

import torquec as tq
from torquec.control.lqr import LqrWeights, lqr, riccati_step, stationary_cost
from torquec.control.poles import zero_order_hold
from torquec.errors import ArgumentError
from torquec.linearization.linearize import linearize
from torquec.trajectory import minimum_jerk

ARM = tq.classics.planar2r()
WEIGHTS = LqrWeights((1e4, 1e4), (10.0, 10.0), (1e-2, 1e-2))


def problem(seed, size=6, inputs=3):
    rng = np.random.default_rng(seed)
    Phi, Psi = rng.normal(size=(size, size)), rng.normal(size=(size, inputs))
    root = rng.normal(size=(size, size))
    return Phi, Psi, root @ root.T, np.eye(inputs)


@pytest.mark.parametrize("seed", range(5))
def test_scipy_agrees(seed):
    linalg = pytest.importorskip("scipy.linalg")
    given = problem(seed)
    assert np.allclose(stationary_cost(*given), linalg.solve_discrete_are(*given), rtol=1e-8, atol=0.0)


def test_scipy_agrees_on_a_real_arm():
    linalg = pytest.importorskip("scipy.linalg")
    arm = tq.classics.puma560()
    model = linearize(arm, np.zeros(6), np.zeros(6), np.zeros(6))
    given = (*zero_order_hold(model.A, model.B, 0.002), np.diag([1e6] * 6 + [1e2] * 6) * 0.002, np.eye(6) * 2e-5)
    expected = linalg.solve_discrete_are(*given)
    assert np.allclose(stationary_cost(*given), expected, rtol=1e-6, atol=1e-8 * np.abs(expected).max())


def test_no_other_gain_costs_less():
    Phi, Psi, Q, R = problem(7)
    P = stationary_cost(Phi, Psi, Q, R)
    gain, before = riccati_step(Phi, Psi, Q, R, P)
    assert np.allclose(before, P, rtol=1e-9, atol=0.0)
    rng = np.random.default_rng(0)
    x = rng.normal(size=6)
    for _ in range(5):
        other = gain + 0.1 * rng.normal(size=gain.shape)
        u, moved = -other @ x, (Phi - Psi @ other) @ x
        assert x @ Q @ x + u @ R @ u + moved @ P @ moved > x @ P @ x


def test_gains_are_scheduled_and_the_loop_follows():
    motion = minimum_jerk([0.0, 0.0], [1.0, -0.8], 0.5, period=0.005)
    controller = lqr(ARM, motion, WEIGHTS)
    assert controller.schedule.gains.shape == (len(motion), 2, 4)
    assert controller.period == pytest.approx(0.005)
    q, _, _ = run(ARM, controller, motion, q=motion.q[0] + 0.02)
    assert np.abs(q[-1] - motion.q[-1]).max() < 1e-3


def test_the_law_is_feedforward_and_gains():
    motion = minimum_jerk([0.0, 0.0], [1.0, -0.8], 0.5, period=0.005)
    controller = lqr(ARM, motion, WEIGHTS)
    e, ed = np.array([0.01, 0.02]), np.array([-0.1, 0.2])
    k = 40
    expected = tq.compile(ARM).total_torque(motion.q[k], motion.qd[k], motion.qdd[k])
    expected = expected + controller.schedule.gains[k] @ np.concatenate([e, ed])
    found = controller.torque(
        motion.q[k], motion.qd[k], motion.qdd[k], motion.q[k] - e, motion.qd[k] - ed, time=motion.t[k]
    )
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (LqrWeights((1.0,), (1.0, 1.0), (1.0, 1.0)), "position weights"),
        (LqrWeights((1.0, 1.0), (1.0, 1.0), (1.0, 0.0)), "torque weights"),
        (LqrWeights((0.0, 1.0), (1.0, 1.0), (1.0, 1.0)), "position weight is zero"),
    ],
)
def test_weights_are_checked(weights, message):
    with pytest.raises(ArgumentError, match=message):
        lqr(ARM, minimum_jerk([0.0, 0.0], [1.0, 1.0], 1.0), weights)
