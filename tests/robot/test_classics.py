"""The classic arms against the figures of the papers that they come from."""

from __future__ import annotations

import dataclasses
import math
import tomllib
from importlib import resources

import numpy as np
import pytest
from tests.dynamics import oracles
from tests.robot import reference

from torquec.errors import ArgumentError
from torquec.robot import classics
from torquec.robot.robot import Drives, JointType


def close(value, expected, tolerance=1e-9):
    assert np.max(np.abs(np.asarray(value) - expected)) <= tolerance


# ---------------------------------------------------------------------------------------------- known answers


def test_planar2r_has_the_textbook_matrix_and_gravity():
    arm = classics.planar2r()
    q1, q2 = 0.3, -1.1
    c2, c1, c12 = math.cos(q2), math.cos(q1), math.cos(q1 + q2)
    close(reference.mass_matrix(arm, [q1, q2]), [[5 / 3 + c2, 1 / 3 + c2 / 2], [1 / 3 + c2 / 2, 1 / 3]], 1e-14)
    close(reference.gravity_torque(arm, [q1, q2]), [9.81 * (1.5 * c1 + 0.5 * c12), 9.81 * 0.5 * c12], 1e-13)
    # The Coriolis torque of the textbook, h = -sin(q2) / 2.
    tau = reference.inverse_dynamics(arm, [q1, q2], [0.7, -0.4], [0, 0], gravity=(0, 0, 0))
    h = -math.sin(q2) / 2
    close(tau, [h * (2 * 0.7 * -0.4 + 0.4**2), -h * 0.7**2], 1e-14)


def test_planar3r_reaches_as_far_as_its_rods():
    assert reference.frame_pose(classics.planar3r(), [0, 0, 0], "tool")[:3, 3] == pytest.approx([2.3, 0, 0])


def test_scara_works_downwards_from_its_reach():
    arm = classics.scara()
    pose = reference.frame_pose(arm, [0, 0, -0.1, 0], "tool")
    assert pose[:3, 3] == pytest.approx([0.6, 0, 0.387 - 0.1 - 0.05])
    # Vertical axes: gravity is felt by the quill alone, with all that hangs on it.
    assert reference.gravity_torque(arm, [0.4, -0.9, -0.1, 2.0]) == pytest.approx([0, 0, 9.81 * 1.8, 0])


@pytest.mark.parametrize("sample", oracles.PUMA560)
def test_puma560_torques_of_clover(sample):
    arm = classics.puma560()
    tau = reference.inverse_dynamics(arm, sample.q, sample.qd, sample.qdd)
    close(tau, sample.tau)
    close(tau + reference.friction_torque(arm, np.array(sample.qd)), sample.tau_with_friction)


def test_puma560_file_has_the_numbers_of_armstrong_and_clover():
    """Masses: Armstrong, Khatib & Burdick 1986; reflected rotors, friction and limits as Clover's tables need them."""
    arm = classics.puma560()
    assert [body.inertia.m for body in arm.bodies] == [0.0, 17.4, 4.8, 0.82, 0.34, 0.09]
    assert [joint.limits.effort for joint in arm.joints] == [97.6, 186.4, 89.4, 24.2, 20.1, 21.3]
    assert [motor.rotor_inertia for motor in arm.drives.motors] == [1.14, 2.32, 0.83, 0.2, 0.179, 0.193]
    assert [-joint.friction.coulomb_negative for joint in arm.joints] == [-8.26, -11.34, -5.57, -1.29, -1.04, -0.81]
    assert arm.gravity == (0.0, 0.0, -9.81)


@pytest.mark.parametrize("posture", oracles.PUMA260_POSTURES)
def test_puma260_matrix_and_gravity_of_izaguirre(posture):
    arm = classics.puma260()
    close(reference.mass_matrix(arm, posture.q), posture.mass_matrix)
    close(reference.gravity_torque(arm, posture.q), posture.gravity_torque)


@pytest.mark.parametrize("sample", oracles.PUMA260)
def test_puma260_torques_of_izaguirre(sample):
    arm = classics.puma260()
    tau = reference.inverse_dynamics(arm, sample.q, sample.qd, sample.qdd)
    close(tau, sample.tau)
    close(tau + reference.friction_torque(arm, np.array(sample.qd)), sample.tau_with_friction)


@pytest.mark.parametrize("posture", oracles.STANFORD_POSTURES)
def test_stanford_matrix_and_gravity_of_chang_and_lee(posture):
    arm = dataclasses.replace(classics.stanford(), drives=Drives())
    close(reference.mass_matrix(arm, posture.q), posture.mass_matrix)
    close(reference.gravity_torque(arm, posture.q), posture.gravity_torque)


@pytest.mark.parametrize("sample", oracles.STANFORD)
def test_stanford_torques_of_chang_and_lee(sample):
    arm = dataclasses.replace(classics.stanford(), drives=Drives())
    close(reference.inverse_dynamics(arm, sample.q, sample.qd, sample.qdd), sample.tau)


def test_stanford_motors_add_to_the_diagonal():
    """Reflected rotors of the Stanford arm as Chang & Lee's table has them."""
    arm = classics.stanford()
    added = reference.mass_matrix(arm, np.zeros(6)) - reference.mass_matrix(arm, np.zeros(6), motors=False)
    close(added, np.diag([0.953, 2.193, 0.782, 0.106, 0.097, 0.02]), 1e-14)


def test_stanford_keeps_the_ranges_of_chang_and_lee():
    joints = classics.stanford().joints
    assert joints[2].type is JointType.PRISMATIC
    assert (joints[2].limits.lower, joints[2].limits.upper) == (0.15, 0.9)
    assert joints[4].limits.upper == pytest.approx(math.radians(110), abs=0)


# -------------------------------------------------------------------------------------------------------- laws


@pytest.mark.parametrize("name", classics.names())
def test_every_right_angle_is_exact(name):
    arm = classics.load_classic(name)
    poses = [body.joint.placement for body in arm.bodies] + [frame.pose for frame in arm.frames]
    entries = {abs(entry) for pose in poses for row in pose.rotation for entry in row}
    assert entries <= {0.0, 1.0}


@pytest.mark.parametrize("name", classics.names())
def test_every_file_states_its_source_and_is_package_data(name):
    text = resources.files(classics).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    assert text.startswith("#")
    assert tomllib.loads(text)["name"] == name


@pytest.mark.parametrize("name", ["planar2r", "planar3r", "puma560", "scara", "stanford"])
def test_mass_matrix_is_positive_definite(name):
    arm = classics.load_classic(name)
    q = np.array([0.3, -0.8, 0.5, 0.2, 0.9, -0.4][: arm.n])
    assert np.linalg.eigvalsh(reference.mass_matrix(arm, q)).min() > 0


# ------------------------------------------------------------------------------------------------------ misuse


def test_names_lead_to_functions():
    assert all(getattr(classics, name)().name == name for name in classics.names())


def test_gravity_and_snap_are_taken():
    assert classics.planar2r(gravity=(0.0, 0.0, -9.81)).gravity == (0.0, 0.0, -9.81)
    assert not classics.load_classic("puma560", snap=False).snap


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(ArgumentError, match="puma560") as caught:
        classics.load_classic("puma761")
    assert "puma761" in str(caught.value)
