"""Mass matrix: textbook and published arms, the sum over bodies, shape."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics import arms, oracles
from tests.dynamics.laws import holds
from tests.dynamics.random_robots import random_robot, random_state
from tests.dynamics.scalars import on_batch

from torquec.dynamics import mass_matrix
from torquec.dynamics.mass_matrix import unit_acceleration_wrench
from torquec.dynamics.mass_moments import MassMoments
from torquec.robot import classics
from torquec.robot.joints import UnitTwist
from torquec.robot.robot import Drives, Motor


def close(found, expected, tolerance=1e-9):
    assert np.max(np.abs(np.subtract(found, expected))) <= tolerance


def test_planar2r_of_the_textbook():
    c2 = math.cos(-1.1)
    close(mass_matrix(classics.planar2r(), [0.3, -1.1]), [[5 / 3 + c2, 1 / 3 + c2 / 2], [1 / 3 + c2 / 2, 1 / 3]], 1e-14)


@pytest.mark.parametrize("posture", oracles.PUMA260_POSTURES)
def test_puma260_of_izaguirre_and_paul(posture):
    close(mass_matrix(classics.puma260(), posture.q), posture.mass_matrix)


@pytest.mark.parametrize("posture", oracles.STANFORD_POSTURES)
def test_stanford_of_chang_and_lee(posture):
    close(mass_matrix(replace(classics.stanford(), drives=Drives()), posture.q), posture.mass_matrix)


def test_polar_coordinates():
    close(mass_matrix(arms.slider_on_turntable(3.0), [0.4, 0.8]), [[0.4 + 3.0 * 0.64, 0.0], [0.0, 3.0]], 1e-15)


def test_mimic_jaws_add_up_on_the_diagonal():
    close(mass_matrix(arms.gripper(multiplier=3.0), [0.2]), [[0.5 + 9.0 * 0.5]], 1e-15)


def test_coupled_motors_fill_entries_beside_the_diagonal():
    drives = Drives((Motor("a", 2.0), Motor("b", 3.0)), ((10.0, 0.0), (5.0, 1.0)))
    arm = replace(classics.planar2r(), drives=drives)
    added = np.subtract(mass_matrix(arm, [0.1, 0.2]), mass_matrix(classics.planar2r(), [0.1, 0.2]))
    close(added, [[2 * 100 + 3 * 25, 3 * 5], [3 * 5, 3]], 1e-12)


def test_unit_acceleration_of_a_point_mass():
    # m = 2 at (1, 0, 3): turning about z pushes along y, with arms 3 about -x and 1 about z.
    moments = MassMoments(xx=2.0, xz=6.0, zz=18.0, x=2.0, z=6.0, m=2.0)
    assert unit_acceleration_wrench(moments, UnitTwist(2, turns=True)) == ((0.0, 2.0, 0.0), (-6.0, 0.0, 2.0))
    assert unit_acceleration_wrench(moments, UnitTwist(2, turns=False)) == ((0.0, 0.0, 2.0), (0.0, -2.0, 0.0))


def test_sum_over_bodies():
    holds("mass_matrix_is_the_sum_over_bodies")


@pytest.mark.parametrize("seed", range(10))
def test_symmetric_to_the_bit_and_positive_definite(seed):
    robot = random_robot(seed)
    matrices = on_batch(mass_matrix, robot, random_state(robot, seed).q)
    assert np.array_equal(matrices, matrices.transpose(0, 2, 1))
    assert np.linalg.eigvalsh(matrices).min() > 0.0


def test_joints_of_different_branches_do_not_couple():
    # Bodies 1 and 2 both stand on the base.
    robot = random_robot(0, bodies=1, mimic=False, motors=False)
    other = random_robot(1, bodies=1, mimic=False, motors=False)
    second = replace(other.bodies[0], name="body1", joint=replace(other.bodies[0].joint, name="joint1"))
    pair = replace(robot, bodies=(robot.bodies[0], second))
    assert mass_matrix(pair, [0.3, 0.4])[0][1] == 0.0


@pytest.mark.parametrize("column", [UnitTwist(axis, turns) for axis in range(3) for turns in (True, False)])
def test_wrench_of_a_unit_acceleration_along_any_column(column):
    """f = m a + w x h, n = h x a + J w with the column's linear part a and angular part w."""
    moments = MassMoments(*np.random.default_rng(3).uniform(-1.0, 1.0, 10).tolist())
    second, h = np.array(moments.second), np.array(moments.first)
    a, w = np.array(column.linear), np.array(column.angular)
    f, n = unit_acceleration_wrench(moments, column)
    np.testing.assert_allclose(f, moments.m * a + np.cross(w, h), atol=1e-15)
    np.testing.assert_allclose(n, np.cross(h, a) + (np.trace(second) * np.eye(3) - second) @ w, atol=1e-15)
