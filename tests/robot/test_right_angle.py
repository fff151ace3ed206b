"""Right angles without rounding."""

from __future__ import annotations

import math

import pytest

from torquec.robot.right_angle import cos_sin, without_rounding
from torquec.spatial import quaternion_rotation


@pytest.mark.parametrize("quarters", range(-8, 9))
def test_multiples_of_ninety_degrees_are_exact(quarters):
    exact = round(math.cos(quarters * math.pi / 2)), round(math.sin(quarters * math.pi / 2))
    assert cos_sin(quarters * math.pi / 2) == exact
    assert cos_sin(math.radians(90.0 * quarters)) == exact


@pytest.mark.parametrize("angle", [0.3, -2.0, 1.5708, math.pi / 2 + 1e-14, 1e-300])
def test_every_other_angle_is_left_alone(angle):
    assert cos_sin(angle) == (math.cos(angle), math.sin(angle))


def test_rotations_from_quaternions_lose_their_rounding():
    rotation = without_rounding(quaternion_rotation(1.0, -1.0, 0.0, 0.0))
    assert rotation == ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))
    tilted = quaternion_rotation(1.0, 0.3, 0.2, 0.1)
    assert without_rounding(tilted) == tilted
