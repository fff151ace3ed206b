"""Sum over links: the oracle's PUMA 560, the definition element by element, the recursion, misuse."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.laws import violation
from tests.dynamics.random_robots import random_robot, random_state
from tests.papers.kang.kang_sample import assert_sample
from tests.papers.kang.power_arrays import (
    christoffel_violation,
    coupled,
    defined_parts,
    inertia_violation,
    ordinary_robots,
    torque_violation,
)

from torquec.errors import RobotError
from torquec.papers.kang.link_sum import link_sum
from torquec.robot import classics


def test_puma560_of_the_oracle():
    assert_sample(link_sum)


def test_every_element_of_every_part_is_as_defined():
    for robot, state in ordinary_robots(range(20)):
        found = np.array(link_sum(robot, [float(value) for value in state.q[0]]).parts)
        for part, defined in zip(found, defined_parts(robot, state.q[0]), strict=True):
            assert violation(part, coupled(robot, defined), 1e-3) < 1e-12


def test_equals_the_recursion():
    for robot, state in ordinary_robots(range(30)):
        assert inertia_violation(link_sum, robot, state) < 1e-12
        assert torque_violation(link_sum, robot, state) < 1e-12


def test_equals_the_recursion_with_nearly_parallel_axes():
    for seed in range(15):
        robot = random_robot(seed)
        assert torque_violation(link_sum, robot, random_state(robot, seed)) < 1e-10


def test_symmetric_part_is_that_of_christoffel():
    for robot, state in ordinary_robots(range(8)):
        assert christoffel_violation(link_sum, robot, state) < 1e-12


def test_first_moment_without_mass_is_refused():
    with pytest.raises(RobotError, match="has a first moment but no mass"):
        link_sum(classics.puma260(), [0.0] * 6)
