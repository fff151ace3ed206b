"""Pole placement along the trajectory: its formula, its poles, its gains' operation counts, its closed loop."""

from __future__ import annotations

import numpy as np
import pytest
from tests.clover import beside
from tests.control.closed_loop import run
from tests.dynamics.random_robots import random_robot, random_state

import torquec as tq
from torquec.closedform.fourier import CLOVER
from torquec.control.model_terms import FrictionAt, FrictionCompensation
from torquec.control.pole_placement import pole_placement, pole_placement_gains
from torquec.errors import ArgumentError
from torquec.expr import count_operations, evaluate
from torquec.linearization.linearize import linearize
from torquec.papers.abbreviated_torque import gains_function
from torquec.papers.clover_comparisons import POINT
from torquec.trajectory import minimum_jerk, puma560_standard_trajectory

ARM = tq.classics.puma560()
POLE = -12 + 45j
P, S = abs(POLE) ** 2, 24.0
CONTINUOUS, DISCRETE = (144, 116), (155, 125)


@pytest.mark.parametrize("rule", [None, CLOVER], ids=["exact", "abbreviated"])
def test_the_formula(rule):
    q, qd, qdd, e, ed = np.random.default_rng(0).normal(size=(5, 6))
    model = linearize(ARM, q, qd, qdd, rule=rule)
    torque = (tq.compile(ARM) if rule is None else tq.abbreviated_model(ARM, rule)).total_torque(q, qd, qdd)
    expected = torque + model.M @ (P * e + S * ed) - model.K @ e - model.C @ ed
    found = pole_placement(ARM, POLE, rule=rule).torque(q, qd, qdd, q - e, qd - ed)
    assert found == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("seed", range(8))
def test_every_robot_has_the_poles_that_were_asked_for(seed):
    robot = random_robot(seed, mimic=seed % 2 == 0)
    state = random_state(robot, seed, size=1)
    point = (state.q[0], state.qd[0], state.qdd[0])
    poles = [complex(-3 - k, 2 + k) for k in range(robot.n)]
    function = pole_placement_gains(robot, poles)
    gains = evaluate(function, dict(zip(("q", "qd", "qdd"), point, strict=True)))
    model = linearize(robot, *point)
    found = np.linalg.eigvals(model.A - model.B @ np.hstack([gains["G1"], gains["G2"]]))
    wanted = sorted([*poles, *(p.conjugate() for p in poles)], key=lambda z: (z.real, z.imag))
    assert sorted(found, key=lambda z: (round(z.real, 4), z.imag)) == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_the_step_is_feedforward_and_gains_on_every_robot(seed):
    robot = random_robot(seed)
    state = random_state(robot, seed, size=2)
    q, qd, qdd = state.q[0], state.qd[0], state.qdd[0]
    e, ed = 0.1 * state.q[1], 0.1 * state.qd[1]
    gains = evaluate(pole_placement_gains(robot, -5.0), {"q": q, "qd": qd, "qdd": qdd})
    feedforward = tq.compile(robot).total_torque(q, qd, qdd)
    found = pole_placement(robot, -5.0).torque(q, qd, qdd, q - e, qd - ed)
    expected = feedforward + gains["G1"] @ e + gains["G2"] @ ed
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_sampled_gains_are_clovers_23():
    h = 0.005
    model = linearize(ARM, *POINT)
    z = np.exp(POLE * h)
    found = evaluate(pole_placement_gains(ARM, POLE, period=h), dict(zip(("q", "qd", "qdd"), POINT, strict=True)))
    by_position = -model.K + model.M / h**2 * (abs(z) ** 2 - 2 * z.real + 1)
    by_speed = -model.C + model.M / h * (2 - 2 * z.real)
    assert np.allclose(found["G1"], by_position, rtol=1e-9, atol=1e-15 * np.abs(by_position).max())
    assert np.allclose(found["G2"], by_speed, rtol=1e-9, atol=1e-15 * np.abs(by_speed).max())


def test_operations_of_the_abbreviated_gains():
    for period, limit, printed in ((None, CONTINUOUS, (336, 186)), (0.002, DISCRETE, (336, 197))):
        count = count_operations(gains_function(period))
        beside(f"gains with poles as inputs, period {period}, mul/add", [count.mul, count.add], printed)
        assert count.mul <= limit[0]
        assert count.add <= limit[1]
    for period, limit in ((None, CONTINUOUS), (0.002, DISCRETE)):
        count = count_operations(pole_placement_gains(ARM, POLE, period=period, rule=CLOVER))
        assert count.mul <= limit[0]
        assert count.add <= limit[1]


def test_a_step_needs_fewer_operations_than_four_inverse_dynamics():
    one = count_operations(tq.compile(ARM).function("inverse_dynamics"))
    step = pole_placement(ARM, POLE).operations
    assert step.mul + step.add < 4 * (one.mul + one.add)
    small = pole_placement(ARM, POLE, rule=CLOVER).operations
    assert small.mul + small.add < 1.1 * (one.mul + one.add)


def test_it_follows_the_standard_trajectory():
    motion = puma560_standard_trajectory(period=0.002)
    controller = pole_placement(ARM, POLE, period=0.002)
    q, _, _ = run(ARM, controller, motion, substeps=2, friction=True)
    assert np.abs(q - motion.q).max() < 1e-3


def test_small_errors_die_out_as_the_poles_say():
    # far from rest, with all couplings: the linearization cancels them, what is left is of second order
    motion = minimum_jerk(np.zeros(6), [2.0, -1.5, 2.0, 1.5, 1.0, 2.0], 0.6, period=0.0005)
    none = FrictionCompensation(FrictionAt.NOTHING)
    offset = np.full(6, 1e-4)
    with_start, _, _ = run(
        ARM, pole_placement(ARM, -12 + 20j, friction=none), motion, q=motion.q[0] - offset, substeps=1
    )
    without, _, _ = run(ARM, pole_placement(ARM, -12 + 20j, friction=none), motion, substeps=1)
    t = motion.t
    expected = 1e-4 * np.exp(-12 * t) * (np.cos(20 * t) + 0.6 * np.sin(20 * t))
    assert np.abs((without - with_start) - expected[:, None]).max() < 2e-6


def test_friction_that_is_not_compensated_is_left_out_of_the_gains():
    q, qd, qdd, e, ed = np.random.default_rng(4).normal(size=(5, 6))
    none = pole_placement(ARM, POLE, friction=FrictionCompensation(FrictionAt.NOTHING))
    both = pole_placement(ARM, POLE)
    difference = both.torque(q, qd, qdd, q - e, qd - ed) - none.torque(q, qd, qdd, q - e, qd - ed)
    slopes = np.diag(linearize(ARM, q, qd, qdd).C - tq.compile(ARM).inverse_dynamics_derivatives(q, qd, qdd)[1])
    assert difference == pytest.approx(tq.compile(ARM).friction_torque(qd) - slopes * ed, abs=1e-8)


def test_friction_at_the_measured_speed_is_refused():
    with pytest.raises(ArgumentError, match="linearizes about the reference"):
        pole_placement(ARM, POLE, friction=FrictionCompensation(FrictionAt.MEASURED))
