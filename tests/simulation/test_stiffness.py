"""Rates by hand, and the step at which RK4 really fails."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulation.arms import clock, free, rotor

import torquec
from torquec.errors import ArgumentError
from torquec.robot.friction import Friction
from torquec.simulation.closed_loop import LoopOptions, simulate
from torquec.simulation.integrators import RungeKutta4
from torquec.simulation.plant import DryFriction, Plant
from torquec.simulation.plant_bodies import DcMotor
from torquec.simulation.stiffness import enough_substeps, fastest_rate


def test_rates_of_one_wheel():
    robot = rotor(inertia=2.0, friction=Friction(3.0, 5.0, 0.4, 0.2))
    assert fastest_rate(Plant(robot, friction=DryFriction.SIGN), [0.0]).rate == pytest.approx(2.5)
    smooth = Plant(robot, friction=DryFriction.SMOOTH, slip_speed=0.1)
    assert fastest_rate(smooth, [0.0]).rate == pytest.approx((5.0 + 4.0) / 2.0)
    assert fastest_rate(Plant(robot, friction=DryFriction.NONE), [0.0]).rate == 0.0
    motor = DcMotor(0.1, 50.0, resistance=2.0, inductance=1e-3, supply=24.0, bandwidth=500.0)
    assert fastest_rate(Plant(robot, motors=(motor,)), [0.0]).rate == pytest.approx(2000.0)


def test_substeps_that_are_enough():
    wheels = [rotor(inertia=1.0, friction=Friction.symmetric(viscous=viscous)) for viscous in (1.0, 500.0, 1e9)]
    assert [enough_substeps(Plant(wheel), [0.0], period=0.01) for wheel in wheels] == [2, 10, 1000]


def test_the_joint_is_named():
    robot = torquec.classics.puma560()
    assert fastest_rate(Plant(robot), np.zeros(6)).joint == "joint4"  # 1.29 Nm over 0.2 kg m^2


@pytest.mark.parametrize(("rate", "fits"), [(2.4, True), (2.6, False)])
def test_a_step_that_is_too_long_is_refused_with_the_number_that_would_do(rate, fits):
    robot = rotor(inertia=1.0, friction=Friction.symmetric(viscous=rate / 0.01))
    options = LoopOptions(integrator=RungeKutta4(1))
    motion = clock(robot, 5.0, 0.01)
    if fits:
        assert abs(simulate(robot, free(robot), motion, options=options, initial_qd=[1.0]).qd[-1, 0]) < 1e-9
        return
    with pytest.raises(ArgumentError, match="joint 'wheel' changes its speed") as caught:
        simulate(robot, free(robot), motion, options=options, initial_qd=[1.0])
    assert "RungeKutta4(2)" in caught.value.remedy
    simulate(robot, free(robot), motion, options=LoopOptions(integrator=RungeKutta4(2)), initial_qd=[1.0])
