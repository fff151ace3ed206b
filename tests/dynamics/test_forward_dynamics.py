"""Forward dynamics: known accelerations, the round trip, energy in free motion, singular robots."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.laws import holds

from torquec.dynamics import (
    forward_dynamics,
    forward_dynamics_derivatives,
    inverse_dynamics,
    kinetic_energy,
    potential_energy,
)
from torquec.errors import RobotError
from torquec.robot import classics
from torquec.robot.robot import Drives, Motor, Robot
from torquec.spatial import Inertia


def test_pendulum_falls():
    # qdd = g cos q / l
    assert forward_dynamics(arms.pendulum(2.0, 0.5), [0.0], [1.0], [0.0])[0] == pytest.approx(9.81 / 0.5, abs=1e-13)


def test_free_mass_on_a_turntable_flies_straight():
    # No forces: seen from the centre, r rises with r w^2 and w falls with -2 m r rd w / (I + m r^2).
    r, rd, w = 0.8, 0.3, 1.5
    found = forward_dynamics(arms.slider_on_turntable(3.0), [0.0, r], [w, rd], [0.0, 0.0])
    assert found == pytest.approx([-2 * 3.0 * r * rd * w / (0.4 + 3.0 * r * r), r * w * w], abs=1e-14)


def test_round_trip():
    holds("inverse_dynamics_undoes_forward_dynamics")


def test_energy_rate_of_free_motion():
    holds("energy_is_conserved_without_drives")


def test_energy_of_a_simulated_fall_drifts_with_the_fourth_power_of_the_step():
    arm = replace(classics.planar3r(), drives=Drives())
    start = np.array([0.4, -0.3, 0.9, 0.5, -1.0, 0.7])

    def rate(x):
        return np.concatenate([x[3:], forward_dynamics(arm, list(x[:3]), list(x[3:]), [0.0] * 3)])

    def energy(x):
        return kinetic_energy(arm, x[:3], x[3:]) + potential_energy(arm, x[:3])

    def drift(steps):
        x, h = start, 0.2 / steps
        for _ in range(steps):
            k1 = rate(x)
            k2 = rate(x + h / 2 * k1)
            k3 = rate(x + h / 2 * k2)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + h * k3))
        return abs(energy(x) - energy(start))

    assert drift(160) < 1e-8 * abs(energy(start))
    assert drift(20) / drift(40) > 12.0


def test_point_mass_on_its_own_axis_is_refused():
    arm = arms.pendulum(inertia=arms.point_mass(2.0, y=0.3))
    with pytest.raises(RobotError, match="singular: there is no inertia at joint 'hinge'") as caught:
        forward_dynamics(arm, [0.0], [0.0], [0.0])
    assert "rotor inertia" in caught.value.remedy


def test_a_rotor_is_inertia_enough():
    arm = replace(arms.pendulum(inertia=arms.point_mass(2.0, y=0.3)), drives=Drives((Motor("m", 0.5),), ((2.0,),)))
    assert forward_dynamics(arm, [0.0], [0.0], [4.0]) == [2.0]


def two_hinges_one_inertia():
    """A body without mass between two hinges on one line."""
    arm = arms.pendulum()
    between = replace(
        arm.bodies[0], name="between", joint=replace(arm.bodies[0].joint, name="first"), inertia=Inertia()
    )
    return replace(arm, bodies=(between, replace(arm.bodies[0], parent=0)), frames=())


@pytest.mark.parametrize("algorithm", [forward_dynamics, forward_dynamics_derivatives])
def test_joints_that_share_one_inertia_are_refused(algorithm):
    with pytest.raises(RobotError, match="singular: the joints first, hinge move one inertia between them") as caught:
        algorithm(two_hinges_one_inertia(), [0.0] * 2, [0.0] * 2, [0.0] * 2)
    assert "rotor inertia" in caught.value.remedy
    # The torques of such a robot are well defined.
    tau = inverse_dynamics(two_hinges_one_inertia(), [0.0] * 2, [0.0] * 2, [0.0] * 2)
    assert tau == pytest.approx([-9.81, -9.81], abs=1e-14)


def test_robot_without_joints_has_no_accelerations():
    assert forward_dynamics(Robot("rock", ()), [], [], []) == []


def test_pendulum():
    found = forward_dynamics_derivatives(arms.pendulum(2.0, 0.5), [0.6], [3.0], [1.0])
    assert found.dqdd_dq[0][0] == pytest.approx(-9.81 / 0.5 * math.sin(0.6), abs=1e-13)
    assert found.dqdd_dqd[0][0] == 0.0
    assert found.dqdd_dtau[0][0] == pytest.approx(2.0, abs=1e-15)


def test_inverse_of_the_textbook_matrix():
    c2 = math.cos(-1.1)
    mass = np.array([[5 / 3 + c2, 1 / 3 + c2 / 2], [1 / 3 + c2 / 2, 1 / 3]])
    found = np.array(forward_dynamics_derivatives(classics.planar2r(), [0.3, -1.1], [0.7, -0.4], [1.0, 2.0]).dqdd_dtau)
    assert np.allclose(found @ mass, np.eye(2), atol=1e-14)
    assert np.array_equal(found, found.T)


def test_complex_steps():
    holds("derivatives_of_forward_dynamics_are_complex_steps", range(20))


def test_singular_robots_are_refused():
    with pytest.raises(RobotError, match="singular"):
        forward_dynamics_derivatives(arms.pendulum(inertia=arms.point_mass(2.0, y=0.3)), [0.0], [0.0], [0.0])
