"""The linearized recursion: by hand, and against the derivatives on random trees of all kinds of joints."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.random_robots import random_robot, random_state

import torquec
from torquec.dynamics import friction_torque, inverse_dynamics, inverse_dynamics_derivatives, mass_matrix, spring_torque
from torquec.dynamics.spring_torque import spring_stiffness
from torquec.errors import ArgumentError, RobotError
from torquec.expr import count_operations, evaluate, trace
from torquec.linearization.abbreviated_linear_model import AbbreviatedModel
from torquec.linearization.linearized_torque import (
    check_abbreviation,
    friction_damping,
    linearized_recursion,
    linearized_torque,
    runs_recursion,
)
from torquec.model.model import as_model
from torquec.robot import classics
from torquec.robot.friction import Friction


def in_halves(six):
    """A state and a deviation of it."""
    q, qd, qdd, dq, dqd, dqdd = six
    return (q, qd, qdd), (dq, dqd, dqdd)


def test_pendulum_by_hand():
    found = linearized_recursion(arms.pendulum(2.0, 0.5), ([0.6], [3.0], [2.0]), ([0.1], [0.2], [0.3]))
    assert found[0] == pytest.approx(9.81 * math.sin(0.6) * 0.1 + 2.0 * 0.25 * 0.3, abs=1e-13)


def test_slider_on_a_turntable_by_hand():
    r, rd, w, wd, mass = 0.8, -0.3, 1.7, 0.9, 3.0
    arm = arms.slider_on_turntable(mass)
    dr, drd, drdd, dw, dwd = 0.01, 0.02, 0.03, 0.04, 0.05
    found = linearized_recursion(arm, ([0.4, r], [w, rd], [wd, 0.5]), ([0.0, dr], [dw, drd], [dwd, drdd]))
    turning = (2 * mass * r * wd + 2 * mass * rd * w) * dr + 2 * mass * r * (rd * dw + w * drd) + mass * r * r * dwd
    sliding = -mass * w * w * dr - 2 * mass * r * w * dw + mass * drdd
    inertia = np.array(mass_matrix(arm, [0.4, r]))[0, 0] - mass * r * r
    assert found == pytest.approx([turning + inertia * dwd, sliding], abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_every_robot_agrees_with_its_derivatives(seed):
    robot = random_robot(seed)
    state = random_state(robot, seed, size=1)
    q, qd, qdd = (list(part[0]) for part in (state.q, state.qd, state.qdd))
    rng = np.random.default_rng(seed)
    dq, dqd, dqdd = rng.normal(size=(3, robot.n))
    slopes = inverse_dynamics_derivatives(robot, q, qd, qdd)
    parts = [
        np.array(matrix, dtype=float) @ change
        for matrix, change in ((slopes.dtau_dq, dq), (slopes.dtau_dqd, dqd), (mass_matrix(robot, q), dqdd))
    ]
    found = np.array(linearized_recursion(robot, (q, qd, qdd), (list(dq), list(dqd), list(dqdd))), dtype=float)
    assert np.allclose(found, sum(parts), rtol=1e-9, atol=1e-9 * max(np.abs(part).max() for part in parts))


def test_along_a_motion_it_is_the_rate_of_the_torque():
    arm = classics.stanford()
    rng = np.random.default_rng(0)
    q, qd, qdd, jerk = rng.normal(size=(4, 6))
    h = 1e-30
    moved = inverse_dynamics(arm, [complex(*x) for x in zip(q, h * qd, strict=True)], *_moved(qd, qdd, jerk, h))
    rate = np.imag(np.array(moved)) / h
    found = linearized_recursion(arm, (list(q), list(qd), list(qdd)), (list(qd), list(qdd), list(jerk)))
    assert np.allclose(np.array(found, dtype=float), rate, rtol=1e-10, atol=0.0)


def _moved(qd, qdd, jerk, h):
    yield [complex(*x) for x in zip(qd, h * qdd, strict=True)]
    yield [complex(*x) for x in zip(qdd, h * jerk, strict=True)]


def test_one_direction_with_all_it_needs_costs_less_than_two_and_a_half_inverse_dynamics():
    arm = classics.puma560()
    ports = dict.fromkeys(("q", "qd", "qdd", "dq", "dqd", "dqdd"), (6,))
    step = trace("step", lambda **x: {"tau": linearized_recursion(arm, *in_halves(x.values()))}, ports)
    inverse = trace(
        "inverse",
        lambda q, qd, qdd: {"tau": inverse_dynamics(arm, q, qd, qdd)},
        dict.fromkeys(("q", "qd", "qdd"), (6,)),
    )
    assert count_operations(step).mul < 2.5 * count_operations(inverse).mul
    rng = np.random.default_rng(3)
    values = dict(zip(ports, rng.normal(size=(6, 6)), strict=True))
    traced = evaluate(step, values)["tau"]
    assert np.allclose(traced, np.array(linearized_recursion(arm, *in_halves(map(list, values.values()))), dtype=float))


ARM = torquec.classics.planar2r()
MODELS = {"exact": as_model(ARM), "abbreviated": torquec.abbreviated_model(ARM)}
PORTS = dict.fromkeys(("q", "qd", "qdd", "dq", "dqd", "dqdd"), (2,))


@pytest.mark.parametrize("kind", MODELS)
def test_it_is_the_derivative_in_that_direction(kind):
    model = MODELS[kind]
    values = dict(zip(PORTS, np.random.default_rng(0).normal(size=(6, 2)), strict=True))

    def answer(q, qd, qdd, dq, dqd, dqdd):
        return {"tau": linearized_torque(model, (q, qd, qdd), (dq, dqd, dqdd))}

    found = evaluate(trace("answer", answer, PORTS), values)["tau"]
    state, deviation = list(values.values())[:3], list(values.values())[3:]
    moved = [[complex(a, 1e-30 * b) for a, b in zip(x, d, strict=True)] for x, d in zip(state, deviation, strict=True)]
    expected = np.imag(model.at("inverse_dynamics", *moved)) / 1e-30
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_only_a_robots_own_equations_are_abbreviated():
    assert runs_recursion(MODELS["exact"])
    assert not runs_recursion(MODELS["abbreviated"])
    check_abbreviation(MODELS["exact"])
    with pytest.raises(ArgumentError, match="is a program already"):
        check_abbreviation(MODELS["abbreviated"])


H = 1e-30


@pytest.mark.parametrize("seed", range(20))
def test_slopes_by_complex_steps(seed):
    robot = random_robot(seed)
    state = random_state(robot, seed, size=1)
    qd, q = state.qd[0], state.q[0]
    damping = np.array(friction_damping(robot, list(qd)), dtype=float)
    for j in range(robot.n):
        step = np.array(qd, dtype=complex)
        step[j] += 1j * H
        torque = np.array(friction_torque(robot, list(step)), dtype=complex)
        assert np.allclose(damping[:, j], torque.imag / H, atol=1e-12)
    moved = np.array(spring_torque(robot, [complex(x, H) for x in q]), dtype=complex)
    assert np.allclose(spring_stiffness(robot, list(q)), moved.imag / H, atol=1e-12)


def test_at_rest_the_positive_branch_counts():
    assert friction_damping(classics.puma560(), [0.0] * 6)[0][0] == 4.94


def test_abbreviated_equations_have_no_place_for_friction_by_load():
    robot = classics.planar2r()
    joint = dataclasses.replace(robot.bodies[0].joint, friction=Friction.of({"load": 0.1}))
    loaded = dataclasses.replace(robot, bodies=(dataclasses.replace(robot.bodies[0], joint=joint), *robot.bodies[1:]))
    with pytest.raises(RobotError, match="depends on the load"):
        AbbreviatedModel(loaded)
