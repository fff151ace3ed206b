"""Inverse dynamics: published arms, polar coordinates, the spinning body, laws, misuse."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics import arms, oracles
from tests.dynamics.laws import holds
from tests.dynamics.oracles import Motion
from tests.dynamics.random_robots import random_robot, random_state

from torquec.dynamics import (
    ExternalWrench,
    friction_torque,
    gravity_torque,
    inverse_dynamics,
    total_torque,
    velocity_torque,
)
from torquec.errors import ArgumentError, RobotError
from torquec.robot import classics
from torquec.robot.robot import Body, Drives, Joint, JointType, Robot
from torquec.spatial import Inertia


def close(found, expected, tolerance=1e-9):
    assert np.max(np.abs(np.subtract(found, expected))) <= tolerance


# --- known answers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", oracles.PUMA560)
def test_puma560_of_clover(sample: Motion):
    arm = classics.puma560()
    close(inverse_dynamics(arm, sample.q, sample.qd, sample.qdd), sample.tau)
    close(total_torque(arm, sample.q, sample.qd, sample.qdd), sample.tau_with_friction)


@pytest.mark.parametrize("sample", oracles.PUMA260)
def test_puma260_of_izaguirre_and_paul(sample: Motion):
    arm = classics.puma260()
    tau = inverse_dynamics(arm, sample.q, sample.qd, sample.qdd)
    close(tau, sample.tau)
    close(np.add(tau, friction_torque(arm, sample.qd)), sample.tau_with_friction)


@pytest.mark.parametrize("sample", oracles.STANFORD)
def test_stanford_of_chang_and_lee(sample: Motion):
    arm = replace(classics.stanford(), drives=Drives())
    close(inverse_dynamics(arm, sample.q, sample.qd, sample.qdd), sample.tau)


def test_pendulum_needs_m_g_l_to_be_held_level():
    # Turning about +y takes x towards -z: gravity helps, and holding it back costs -m g l cos q.
    close(inverse_dynamics(arms.pendulum(2.0, 0.5), [0.0], [3.0], [0.0]), [-9.81], 1e-14)
    close(inverse_dynamics(arms.pendulum(2.0, 0.5), [0.7], [3.0], [4.0]), [0.5 * 4.0 - 9.81 * math.cos(0.7)], 1e-14)


def test_polar_coordinates():
    # F = m (rdd - r thetad^2), torque = (I + m r^2) thetadd + 2 m r rd thetad.
    r, rd, rdd, w, wd = 0.8, -0.3, 0.5, 1.7, 0.9
    tau = inverse_dynamics(arms.slider_on_turntable(3.0), [0.4, r], [w, rd], [wd, rdd])
    close(tau, [(0.4 + 3.0 * r * r) * wd + 2 * 3.0 * r * rd * w, 3.0 * (rdd - r * w * w)], 1e-13)


def test_body_that_turns_about_two_axes_feels_the_gyroscopic_moment():
    carrier = Body("carrier", -1, Joint("pan", JointType.REVOLUTE, axis=arms.Z), Inertia(zz=1.0))
    rotor = Body("rotor", 0, Joint("tilt", JointType.REVOLUTE, axis=arms.Y), Inertia(xx=0.2, yy=0.3, zz=0.45))
    w1, w2 = 2.0, 3.0
    tau = inverse_dynamics(Robot("gyro", (carrier, rotor)), [0.0, math.pi / 4], [w1, w2], [0.0, 0.0])
    # M11 = 1 + Jx sin^2 q2 + Jz cos^2 q2: c1 = dM11/dq2 w1 w2, c2 = -1/2 dM11/dq2 w1^2; at 45 degrees it is Jx - Jz.
    close(tau, [(0.2 - 0.45) * w1 * w2, -0.5 * (0.2 - 0.45) * w1 * w1], 1e-14)


def test_jaws_that_mirror_each_other_weigh_twice():
    close(inverse_dynamics(arms.gripper(), [0.1], [0.0], [2.0]), [2.0], 1e-15)


def test_a_push_against_the_tip_is_felt_with_the_opposite_sign():
    push = ExternalWrench("tip", (0.0, 0.0, 4.0), (0.0, 0.0, 0.0))
    free = inverse_dynamics(arms.pendulum(), [0.0], [0.0], [0.0])[0]
    # 4 N upwards at 0.5 m turn the rod by -2 N m about y; the drive supplies that much more.
    assert inverse_dynamics(arms.pendulum(), [0.0], [0.0], [0.0], wrenches=[push])[0] == pytest.approx(
        free + 2.0, abs=1e-14
    )


# --- laws -----------------------------------------------------------------------------------------------------------


def test_sum_of_its_parts():
    holds("inverse_dynamics_is_the_sum_of_its_parts")


def test_power_balance():
    holds("power_goes_into_energy")


def test_rotors():
    holds("rotors_add_a_constant_to_the_mass_matrix")


def test_mimic_joints():
    holds("mimic_joints_are_free_joints_tied_together")


def test_floats_batches_graphs():
    holds("floats_batches_and_graphs_agree", range(3))  # and the robots of test_planted_bugs.py


@pytest.mark.slow
def test_floats_batches_graphs_on_many():
    holds("floats_batches_and_graphs_agree", range(3, 35))


# --- misuse ---------------------------------------------------------------------------------------------------------


def test_links_without_inertia_are_named():
    arm = arms.pendulum()
    bare = replace(arm, bodies=(replace(arm.bodies[0], inertia=Inertia(), lacking_inertia=("rod", "bob")),))
    with pytest.raises(RobotError, match="these links have no inertia: rod, bob") as caught:
        inverse_dynamics(bare, [0.0], [0.0], [0.0])
    assert "kinematics works without" in caught.value.remedy


def test_massless_leaf_is_refused():
    arm = arms.pendulum()
    tip = Body("feather", 0, Joint("wrist", JointType.REVOLUTE, arms.at(x=0.5)))
    with pytest.raises(RobotError, match=r"singular: .*joint 'wrist' \(body 'feather'\)"):
        inverse_dynamics(replace(arm, bodies=(*arm.bodies, tip)), [0.0] * 2, [0.0] * 2, [0.0] * 2)


def test_unknown_frame_of_a_wrench_is_named():
    push = ExternalWrench("toe", (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    with pytest.raises(ArgumentError, match="no frame 'toe'") as caught:
        inverse_dynamics(arms.pendulum(), [0.0], [0.0], [0.0], wrenches=[push])
    assert "tip" in caught.value.remedy


def test_planar2r_of_the_textbook():
    q1, q2 = 0.3, -1.1
    c1, c12 = math.cos(q1), math.cos(q1 + q2)
    expected = [9.81 * (1.5 * c1 + 0.5 * c12), 9.81 * 0.5 * c12]
    assert gravity_torque(classics.planar2r(), [q1, q2]) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("posture", oracles.PUMA260_POSTURES)
def test_puma260_of_izaguirre_and_paul_of_gravity_torque(posture):
    assert gravity_torque(classics.puma260(), posture.q) == pytest.approx(posture.gravity_torque, abs=1e-9)


@pytest.mark.parametrize("posture", oracles.STANFORD_POSTURES)
def test_stanford_of_chang_and_lee_of_gravity_torque(posture):
    arm = replace(classics.stanford(), drives=Drives())
    assert gravity_torque(arm, posture.q) == pytest.approx(posture.gravity_torque, abs=1e-9)


def test_hanging_pendulum_needs_nothing():
    assert gravity_torque(arms.pendulum(), [math.pi / 2]) == [0.0]


def test_gradient_of_the_potential():
    holds("gravity_and_spring_torques_are_the_gradient_of_the_potential")


def test_without_gravity_there_is_no_torque():
    robot = replace(random_robot(3), gravity=(0.0, 0.0, 0.0))
    assert np.all(np.array(gravity_torque(robot, [0.3] * robot.n)) == 0.0)


def test_planar2r_of_the_textbook_of_velocity_torque():
    q, (w1, w2) = [0.3, -1.1], (0.7, -0.4)
    h = -math.sin(q[1]) / 2
    assert velocity_torque(classics.planar2r(), q, [w1, w2]) == pytest.approx(
        [h * (2 * w1 * w2 + w2 * w2), -h * w1 * w1], abs=1e-14
    )


def test_lagrange():
    holds("velocity_torque_follows_from_the_mass_matrix")


@pytest.mark.parametrize("seed", range(5))
def test_homogeneous_of_degree_two(seed):
    robot = random_robot(seed)
    state = random_state(robot, seed, size=1)
    q, qd = list(state.q[0]), list(state.qd[0])
    once = np.array(velocity_torque(robot, q, qd))
    assert np.allclose(velocity_torque(robot, q, [-3.0 * w for w in qd]), 9.0 * once, rtol=1e-12, atol=1e-12)


def test_at_rest_there_is_none():
    robot = random_robot(7)
    assert np.all(np.array(velocity_torque(robot, [0.4] * robot.n, [0.0] * robot.n)) == 0.0)
