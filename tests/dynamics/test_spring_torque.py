"""Spring torque: stiffness, rest position, mimic joints; counterbalances of gas and wire."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics import arms

from torquec.dynamics import potential_energy, spring_torque
from torquec.dynamics.spring_torque import counterbalance_slope, counterbalance_torque, spring_stiffness
from torquec.errors import ArgumentError
from torquec.robot.robot import Counterbalance, Spring

GAS = Counterbalance(base=0.8, lever=0.2, angle=1.0, area=0.002, pressure_volume=15000.0, volume=0.00096)
COIL = Counterbalance(base=0.4, lever=0.1, angle=-0.5, preload=300.0, stiffness=4000.0)


def with_spring(robot, body, spring):
    bodies = list(robot.bodies)
    bodies[body] = replace(bodies[body], joint=replace(bodies[body].joint, spring=spring))
    return replace(robot, bodies=tuple(bodies))


def test_stiffness_times_stretch():
    assert spring_torque(with_spring(arms.pendulum(), 0, Spring(8.0, 0.1)), [0.6]) == pytest.approx([4.0], abs=1e-15)


def test_none_without_springs():
    assert spring_torque(arms.pendulum(), [0.6]) == [0.0]


def test_spring_on_a_mimic_joint():
    # The follower stands at -2 * 0.3 + 0.5 = -0.1, stretched by -0.3; felt through -2.
    pair = with_spring(arms.gripper(multiplier=-2.0, offset=0.5), 1, Spring(10.0, 0.2))
    assert spring_torque(pair, [0.3]) == pytest.approx([6.0], abs=1e-14)


def test_a_gas_spring_by_hand():
    """Lever across the base (delta = 90 degrees): L = sqrt(D^2 + k^2), the arm D k/L, the gas squeezed by L - D + k."""
    length = math.sqrt(0.8**2 + 0.2**2)
    force = 0.002 * 15000.0 / (0.00096 - (length - 0.6) * 0.002)
    found = counterbalance_torque(GAS, math.pi / 2 - 1.0)
    assert found == pytest.approx(force * 0.16 / length, rel=1e-14)


def test_no_torque_where_lever_and_base_are_in_line():
    assert counterbalance_torque(GAS, -1.0) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    "spring", [GAS, COIL, replace(GAS, preload=-50.0, stiffness=700.0)], ids=["gas", "coil", "both"]
)
def test_slopes_by_complex_steps(spring):
    for q in (-2.5, -0.3, 0.2, 1.9):
        slope = np.imag(counterbalance_torque(spring, complex(q, 1e-30))) / 1e-30
        assert counterbalance_slope(spring, q) == pytest.approx(slope, rel=1e-12)


def on_the_follower(spring):
    pair = arms.gripper(multiplier=-2.0, offset=0.5)
    joint = replace(pair.bodies[1].joint, counterbalances=(spring,))
    return replace(pair, bodies=(pair.bodies[0], replace(pair.bodies[1], joint=joint)))


def test_torque_is_the_slope_of_the_energy_of_a_coil():
    """Through a mimic joint: tau = dU/dq; weight apart."""
    pair = on_the_follower(COIL)
    bare = replace(pair, bodies=tuple(replace(b, joint=replace(b.joint, counterbalances=())) for b in pair.bodies))
    q = [complex(0.3, 1e-30)]
    slope = np.imag(potential_energy(pair, q) - potential_energy(bare, q)) / 1e-30
    assert spring_torque(pair, [0.3]) == pytest.approx([slope], rel=1e-12)
    stiffness = np.imag(spring_torque(pair, q)[0]) / 1e-30
    assert spring_stiffness(pair, [0.3]) == pytest.approx([stiffness], rel=1e-12)


@pytest.mark.parametrize("wrong", [{"base": 0.0}, {"lever": -1.0}, {"volume": 0.0}, {"angle": math.inf}])
def test_springs_that_cannot_be(wrong):
    with pytest.raises(ArgumentError, match=f"counterbalance with {next(iter(wrong))}"):
        replace(GAS, **wrong)
