"""PD, PID, gravity compensation and feedforward: formulas, a standing arm, no offset with an integral, anti-windup."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.control.closed_loop import run
from tests.dynamics import arms

import torquec as tq
from torquec.control.independent_joint import (
    Feedforward,
    PidGains,
    feedforward_torque,
    gains_from_poles,
    gravity_compensation,
    independent_joint,
)
from torquec.errors import ArgumentError
from torquec.robot.robot import Limits
from torquec.trajectory import minimum_jerk

ARM = tq.classics.planar2r()


def signals(seed=0, n=2):
    return np.random.default_rng(seed).normal(size=(5, n))


def test_pd_is_its_formula():
    gains = PidGains((10.0, 20.0), (1.0, 2.0))
    q_ref, qd_ref, qdd_ref, q, qd = signals()
    tau = independent_joint(ARM, gains).torque(q_ref, qd_ref, qdd_ref, q, qd)
    assert tau == pytest.approx(np.array(gains.position) * (q_ref - q) + np.array(gains.speed) * (qd_ref - qd))


@pytest.mark.parametrize("kind", Feedforward)
def test_what_each_feedforward_adds(kind):
    zeros = PidGains((0.0, 0.0), (0.0, 0.0))
    q_ref, qd_ref, qdd_ref, q, qd = signals(1)
    arm = tq.compile(ARM)
    dynamics = arm.inverse_dynamics(q_ref, qd_ref, qdd_ref)
    expected = {
        Feedforward.NOTHING: 0.0 * dynamics,
        Feedforward.GRAVITY: arm.gravity_torque(q),
        Feedforward.DYNAMICS: dynamics,
        Feedforward.DYNAMICS_AND_GRAVITY: dynamics - arm.gravity_torque(q_ref) + arm.gravity_torque(q),
    }[kind]
    found = independent_joint(ARM, zeros, feedforward=kind).torque(q_ref, qd_ref, qdd_ref, q, qd)
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_compensated_arm_floats():
    still = minimum_jerk([0.4, -0.7], [0.4, -0.7], 1.0, period=0.01)
    q, qd, _ = run(ARM, gravity_compensation(ARM), still)
    assert np.abs(q - q[0]).max() < 1e-10
    assert np.abs(qd).max() < 1e-9


def test_feedforward_alone_follows_where_the_model_is_exact():
    motion = minimum_jerk([0.0, 0.0], [0.5, -0.4], 0.5, period=0.0005)
    q, _, _ = run(ARM, feedforward_torque(ARM), motion)
    assert np.abs(q - motion.q).max() < 2e-3


def test_poles_of_a_pendulum():
    pendulum = dataclasses.replace(arms.pendulum(2.0, 0.5), gravity=(0.0, 0.0, 0.0))
    gains = gains_from_poles(pendulum, -3 + 4j, [0.0])
    assert gains.position[0] == pytest.approx(0.5 * 25.0)
    assert gains.speed[0] == pytest.approx(0.5 * 6.0)
    third = gains_from_poles(pendulum, -3 + 4j, [0.0], integral_pole=-2.0)
    inertia = 0.5
    roots = np.roots([1.0, third.speed[0] / inertia, third.position[0] / inertia, third.integral[0] / inertia])
    assert sorted(roots, key=lambda z: z.imag) == pytest.approx([-3 - 4j, -2.0, -3 + 4j])


def test_an_integral_leaves_no_offset():
    still = minimum_jerk([0.3, 0.2], [0.3, 0.2], 6.0, period=0.005)
    gains = gains_from_poles(ARM, -8.0, [0.3, 0.2], integral_pole=-3.0)
    push = [2.0, -1.0]
    with_integral = independent_joint(ARM, gains, period=0.005, feedforward=Feedforward.GRAVITY)
    without = independent_joint(ARM, dataclasses.replace(gains, integral=()), feedforward=Feedforward.GRAVITY)
    q, _, _ = run(ARM, with_integral, still, external=push)
    assert np.abs(q[-1] - still.q[-1]).max() < 1e-6
    q, _, _ = run(ARM, without, still, external=push)
    assert np.abs(q[-1] - still.q[-1]).min() > 1e-3


def test_the_integral_rests_at_the_torque_limit():
    controller = independent_joint(ARM, PidGains((1.0, 1.0), (0.0, 0.0), (1.0, 1.0)), period=0.1, efforts=[0.5, 100.0])
    _, state = controller.native.call(np.ones(2), np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(4))
    kept = state[controller.slot("integral")]
    assert kept[0] == 0.0
    assert kept[1] == pytest.approx(0.05)
    # pulling back is allowed at once
    _, state = controller.native.call(-np.ones(2), np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2), [9.0, 0, 0, 0])
    assert state[0] < 9.0


def test_limits_come_from_the_robot():
    joint = dataclasses.replace(ARM.bodies[0].joint, limits=Limits(effort=0.5))
    robot = dataclasses.replace(ARM, bodies=(dataclasses.replace(ARM.bodies[0], joint=joint), *ARM.bodies[1:]))
    controller = independent_joint(robot, PidGains((1.0, 1.0), (0.0, 0.0), (1.0, 1.0)), period=0.1)
    _, state = controller.native.call(np.ones(2), np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(4))
    assert state[0] == 0.0


def test_refusals():
    with pytest.raises(ArgumentError, match="1 position gains for 2 joints"):
        independent_joint(ARM, PidGains((1.0,), (1.0, 1.0)))
    with pytest.raises(ArgumentError, match="speed gain of joint 'joint2' is -1"):
        independent_joint(ARM, PidGains((1.0, 1.0), (1.0, -1.0)))
    with pytest.raises(ArgumentError, match="an integral needs a sampling interval"):
        independent_joint(ARM, PidGains((1.0, 1.0), (1.0, 1.0), (1.0, 1.0)))
    with pytest.raises(ArgumentError, match="integral pole of 1 is unstable"):
        gains_from_poles(ARM, -1.0, [0.0, 0.0], integral_pole=1.0)
