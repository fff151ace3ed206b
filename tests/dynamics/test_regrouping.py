"""Regrouping: the vanished parameters, unchanged torques, on bodies of every kind."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.laws import holds
from tests.dynamics.random_robots import random_robot
from tests.proof.file_frames import nearly_right_robot, torques_on_file_frames

from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Grouping, mechanism
from torquec.dynamics.regrouping import regroup
from torquec.robot import classics
from torquec.robot.robot import JointType, Robot
from torquec.spatial import Pose, rpy_rotation


def test_planar2r_in_two_numbers_per_rod():
    """The second rod keeps Exx = 1/3 and x = 1/2; its mass goes to the tip of the first, which then has Exx = 4/3."""
    m = mechanism(classics.planar2r(), Grouping.NONE)
    first, second = regroup(m.links, m.moments)
    assert second == MassMoments(xx=pytest.approx(1 / 3), x=pytest.approx(0.5))
    assert (first.xx, first.x) == (pytest.approx(4 / 3), pytest.approx(1.5))


@pytest.mark.parametrize("seed", range(20))
def test_three_parameters_vanish_on_a_revolute_and_six_on_a_prismatic_joint(seed):
    m = mechanism(random_robot(seed), Grouping.NONE)
    for link, e in zip(m.links, regroup(m.links, m.moments), strict=True):
        if not link.column.turns:
            assert (e.xx, e.xy, e.xz, e.yy, e.yz, e.zz) == (0.0,) * 6
        else:
            assert (e.z, e.m) == (0.0, 0.0)
            # Exx + Ezz = 0 on a body that is round about its axis.
            assert e.zz in (0.0, -e.xx)


def test_torque_and_mass_matrix_unchanged():
    holds("regrouping_leaves_torque_and_mass_matrix_unchanged", range(60))


def test_unchanged_without_mimic_and_prismatic_joints_where_the_unit_of_length_is_chosen():
    revolute = {"types": ("revolute",), "mimic": False}
    holds("regrouping_leaves_torque_and_mass_matrix_unchanged", range(40), **revolute)


def test_unchanged_with_bodies_that_weigh_nothing():
    holds("regrouping_leaves_torque_and_mass_matrix_unchanged", range(40), light=True)
    holds("inverse_dynamics_is_the_sum_of_its_parts", range(40), light=True)
    holds("mass_matrix_is_the_sum_over_bodies", range(20), light=True)
    holds("derivatives_of_inverse_dynamics_are_complex_steps", range(10), light=True)


@pytest.mark.parametrize("offset", [2e-14, 1e-12, 1e-9, 1e-6, 1e-3])
def test_an_only_offset_that_is_a_rounding_of_none_takes_no_mass(offset):
    """A mass of 10^13 kg at an arm of 10^-13 m took all digits but three from the torques."""
    rng = np.random.default_rng(3)
    first, second = nearly_right_robot(rng).bodies[:2]
    slide = replace(first.joint, type=JointType.PRISMATIC, placement=Pose(), axis=(0.0, 0.0, 1.0))
    placed = Pose(rpy_rotation(math.pi / 2, 0.0, 0.0), (offset, 0.0, 0.0))
    turn = replace(second.joint, type=JointType.REVOLUTE, placement=placed, axis=(0.0, 0.0, 1.0))
    robot = Robot("axis", (replace(first, parent=-1, joint=slide), replace(second, parent=0, joint=turn)))
    for state in rng.uniform(-2.0, 2.0, (20, 3, 2)):
        expected = torques_on_file_frames(robot, *state[:, None])[0]
        assert np.allclose(inverse_dynamics(robot, *state.tolist()), expected, rtol=0.0, atol=1e-11)
