"""Friction that sticks: textbook cases of one wheel, and laws on an arm."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.simulation.arms import clock, constant, rotor

import torquec
from torquec.robot.friction import Friction
from torquec.robot.robot import Drives, Motor
from torquec.simulation.closed_loop import LoopOptions, simulate
from torquec.simulation.integrators import RungeKutta4
from torquec.simulation.plant import DryFriction, Dynamics, Plant
from torquec.simulation.stick import stick_slip_step

COULOMB = Friction(0.0, 0.0, coulomb_positive=3.0, coulomb_negative=2.0)


def run(torque, *, friction=COULOMB, duration=1.0, qd=0.0, breakaway=1.0, period=1e-3):
    robot = rotor(inertia=2.0, friction=friction)
    plant = Plant(robot, friction=DryFriction.STICK, breakaway=breakaway)
    return simulate(plant, constant(robot, torque), clock(robot, duration, period), initial_qd=[qd])


@pytest.mark.parametrize("torque", [2.99, -1.99, 0.0])
def test_it_sticks_below_coulomb_friction(torque):
    result = run(torque)
    assert np.all(result.q == 0.0)
    assert np.all(result.qd == 0.0)


@pytest.mark.parametrize(("torque", "acceleration"), [(5.0, 1.0), (-5.0, -1.5)])
def test_it_slides_above(torque, acceleration):
    result = run(torque)
    assert np.allclose(result.qd[:, 0], acceleration * result.t, atol=1e-12)
    assert np.allclose(result.q[:, 0], 0.5 * acceleration * result.t**2, atol=1e-12)


@pytest.mark.parametrize("damped", [0.1, 0.5, 1.2])
def test_a_light_joint_that_is_damped_within_a_step_slides_above(damped):
    """Its speed is then (torque - Coulomb)/viscous: at rest, friction and damping of a step are taken together."""
    period, viscous = 1e-3, 4.0
    robot = rotor(inertia=viscous * period / damped, friction=Friction.symmetric(viscous=viscous, coulomb=2.0))
    plant, options = Plant(robot, friction=DryFriction.STICK), LoopOptions(integrator=RungeKutta4(1))
    for torque, speed in ((2.4, 0.1), (-2.4, -0.1), (1.99, 0.0)):
        found = simulate(plant, constant(robot, torque), clock(robot, 0.3, period), options=options)
        assert found.qd[-1, 0] == pytest.approx(speed, abs=1e-9)


@pytest.mark.parametrize("qd", [0.75, -0.8])
def test_it_comes_to_rest_and_stays(qd):
    result = run(0.0, qd=qd)
    brake = 1.5 if qd > 0 else 1.0
    stop = abs(qd) / brake
    moving = result.t < stop - 1e-3
    assert np.allclose(result.qd[moving, 0], qd - np.sign(qd) * brake * result.t[moving], atol=1e-12)
    after = result.t > stop + 1e-3
    assert np.all(result.qd[after] == 0.0)
    assert np.ptp(result.q[after, 0]) == 0.0
    assert result.q[-1, 0] == pytest.approx(np.sign(qd) * qd**2 / (2.0 * brake), abs=1e-6)


def test_it_breaks_away_at_the_static_limit_and_then_slides_with_coulomb():
    assert np.all(run(4.4, breakaway=1.5).q == 0.0)
    result = run(4.6, breakaway=1.5)
    assert np.allclose(result.qd[:, 0], 0.8 * result.t, atol=2e-3)
    assert result.qd[-1, 0] > 0.79


def test_it_turns_round_when_the_torque_exceeds_friction_the_other_way():
    result = run(-4.0, qd=0.5)
    # Brakes with (4 + 3)/2, then goes back with (4 - 2)/2.
    stop = 0.5 / 3.5
    assert result.qd[-1, 0] == pytest.approx(-(1.0 - stop), abs=2e-3)


def test_sliding_keeps_fourth_order():
    robot = torquec.classics.puma560()
    dynamics = Dynamics(Plant(robot, friction=DryFriction.STICK))
    tau = [30.0, -20.0, 10.0, 3.0, -3.0, 2.0]
    start = [0.1, -0.5, 0.4, 0.2, 0.3, -0.1, 1.0, -1.0, 1.2, 1.0, -1.0, 1.0]

    def end(steps):
        y = start
        for _ in range(steps):
            y = stick_slip_step(dynamics, y, tau, 0.04 / steps)
        return np.array(y)

    exact = end(64)
    errors = [np.abs(end(steps) - exact).max() for steps in (2, 4)]
    assert np.log2(errors[0] / errors[1]) > 3.7


def test_an_arm_at_rest_stays_where_friction_holds_it():
    robot = torquec.classics.puma560()
    arm = torquec.compile(robot)
    q = np.array([0.2, -0.8, 0.6, 0.3, 0.4, 0.1])
    load = arm.gravity_torque(q)
    held = load + np.array([5.0, -8.0, 4.0, 0.5, -0.5, 0.2])  # within the friction of every joint
    plant = Plant(robot, friction=DryFriction.STICK)
    result = simulate(plant, constant(robot, *held), clock(robot, 0.5, 2e-3), initial_q=q)
    assert np.all(result.q == q)


def test_the_friction_of_a_coupled_shaft_holds_both_joints_together():
    motor = Motor("m", friction=Friction.symmetric(coulomb=50.0))
    robot = dataclasses.replace(
        torquec.classics.planar2r(), gravity=(0.0, 0.0, 0.0), drives=Drives((motor,), ((1.0, -1.0),))
    )
    plant = Plant(robot, friction=DryFriction.STICK)
    options = LoopOptions(integrator=RungeKutta4(1))
    result = simulate(plant, constant(robot, 2.0, 0.0), clock(robot, 0.5, 1e-3), options=options)
    assert np.allclose(result.qd[:, 0], result.qd[:, 1], atol=1e-9)
    assert result.qd[-1, 0] > 0.01


STRIBECK = Friction.of({"coulomb": 3.0, "stribeck": 1.0, "stribeck_speed": 0.1})


@pytest.mark.parametrize(("torque", "moves"), [(3.99, False), (4.01, True), (-3.99, False)])
def test_it_breaks_away_at_coulomb_and_stribeck_friction_together(torque, moves):
    assert bool(np.any(run(torque, friction=STRIBECK, duration=0.2).qd)) is moves


def test_beyond_the_stribeck_speed_coulomb_friction_is_left():
    result = run(5.0, friction=STRIBECK, duration=2.0)
    fast = result.qd[:, 0] > 0.5
    assert np.allclose(np.diff(result.qd[fast, 0]) / np.diff(result.t[fast]), (5.0 - 3.0) / 2.0, rtol=1e-6, atol=0.0)


@pytest.mark.parametrize(("torque", "acceleration"), [(5.0, (5.0 / 1.25) / 2.0), (-5.0, -(5.0 / 1.25) / 2.0)])
def test_friction_by_load_takes_its_share_of_what_is_handed_on(torque, acceleration):
    """A wheel without weight: I a (1 + load) = torque, once it moves."""
    result = run(torque, friction=Friction.of({"load": 0.25}), duration=0.5)
    assert np.allclose(np.diff(result.qd[1:, 0]) / np.diff(result.t[1:]), acceleration, rtol=1e-9, atol=0.0)
