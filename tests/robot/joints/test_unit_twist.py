"""Unit twists: linear and angular part, effort of a wrench, direction."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.robot.joints import UnitTwist
from torquec.spatial import rpy_rotation

TWISTS = [UnitTwist(axis, turns) for axis in range(3) for turns in (True, False)]


@pytest.mark.parametrize("twist", TWISTS)
def test_one_unit_vector_in_one_part(twist):
    whole = [*twist.linear, *twist.angular]
    assert whole == list(np.eye(6)[twist.axis + (3 if twist.turns else 0)])


@pytest.mark.parametrize("twist", TWISTS)
def test_effort_is_the_power_per_unit_of_rate(twist):
    force, moment = (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)
    assert twist.effort(force, moment) == np.dot(twist.linear, force) + np.dot(twist.angular, moment)


@pytest.mark.parametrize("twist", TWISTS)
def test_direction_is_the_turned_axis(twist):
    rotation = rpy_rotation(0.3, -0.4, 0.5)
    wanted = np.array(rotation) @ np.eye(3)[twist.axis]
    np.testing.assert_array_equal(twist.direction(rotation), wanted)
