"""DC motors: time constant, stall and top speed as the equations say; misuse."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulation.arms import clock, constant, rotor

from torquec.errors import ArgumentError
from torquec.robot.friction import Friction
from torquec.simulation.closed_loop import LoopOptions, simulate
from torquec.simulation.integrators import RungeKutta4
from torquec.simulation.motors import DcMotor
from torquec.simulation.plant import Plant

MOTOR = DcMotor(torque_constant=0.1, gear_ratio=50.0, resistance=2.0, inductance=2e-3, supply=24.0, bandwidth=500.0)


def test_torque_follows_with_the_bandwidth_of_the_current_loop():
    robot = rotor(inertia=2.0)
    options = LoopOptions(period=1e-3, integrator=RungeKutta4(8))
    result = simulate(Plant(robot, motors=(MOTOR,)), constant(robot, 5.0), clock(robot, 0.02, 1e-3), options=options)
    # qd = tau/J (t - (1 - exp(-w t))/w)
    t = result.t
    expected = 5.0 / 2.0 * (t - (1.0 - np.exp(-500.0 * t)) / 500.0)
    assert np.allclose(result.qd[:, 0], expected, atol=1e-6 * expected.max())


def test_back_emf_limits_the_speed():
    robot = rotor(inertia=0.5, friction=Friction.symmetric(viscous=0.3))
    plant = Plant(robot, motors=(MOTOR,), saturates=False)
    options = LoopOptions(period=1e-3, integrator=RungeKutta4(4))
    result = simulate(plant, constant(robot, 1e3), clock(robot, 3.0, 1e-3), options=options)
    # V = R i + k N w and k N i = 0.3 w
    k = MOTOR.torque_per_ampere
    assert result.qd[-1, 0] == pytest.approx(24.0 / (2.0 * 0.3 / k + k), rel=1e-6)


def test_a_motor_that_turns_the_other_way_pushes_the_same_way():
    robot = rotor()
    options = LoopOptions(period=1e-3, integrator=RungeKutta4(4))
    mirrored = DcMotor(0.1, -50.0, 2.0, 2e-3, 24.0, 500.0)
    ends = [
        simulate(Plant(robot, motors=(m,)), constant(robot, 5.0), clock(robot, 0.1, 1e-3), options=options).qd[-1, 0]
        for m in (MOTOR, mirrored)
    ]
    assert ends[0] == pytest.approx(ends[1], rel=1e-12)


@pytest.mark.parametrize("field", ["torque_constant", "resistance", "inductance", "supply", "bandwidth"])
def test_values_are_positive(field):
    values = {"torque_constant": 0.1, "gear_ratio": 1.0, "resistance": 1.0, "inductance": 1.0, "supply": 1.0}
    with pytest.raises(ArgumentError, match=field.replace("_", " ")):
        DcMotor(**{**values, field: 0.0})


def test_one_motor_per_joint():
    with pytest.raises(ArgumentError, match="2 motors for 1 joints"):
        Plant(rotor(), motors=(MOTOR, MOTOR))
