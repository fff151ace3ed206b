"""x cos q + y sin q = d: both angles, at 180 degrees too, the nearest ones, and the one that is held."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.kinematics.angle import JointAngle, two_angles

HELD = JointAngle.of(0.7)


def test_both_angles_solve_it():
    rng = np.random.default_rng(0)
    for x, y, share in rng.uniform(-1.0, 1.0, (50, 3)):
        d = share * math.hypot(x, y)
        found = two_angles(x, y, d, HELD, 1.0)
        for angle in (found.first, found.second):
            assert x * math.cos(angle.radians) + y * math.sin(angle.radians) == pytest.approx(d, abs=1e-15)
            assert math.hypot(angle.c, angle.s) == pytest.approx(1.0)
        assert found.miss == 0.0


def test_half_a_turn_is_no_special_case():
    """Clover IV (23): the half-angle is infinite where A + C = 0, and the angle there is 180 degrees."""
    assert abs(two_angles(1.0, 0.0, -1.0, HELD, 1.0).first.radians) == pytest.approx(math.pi)


def test_out_of_reach_is_nearest():
    found = two_angles(3.0, 4.0, 6.0, HELD, 1.0)
    assert found.miss == pytest.approx(1.0)
    assert found.first == found.second
    assert found.first.radians == pytest.approx(math.atan2(4.0, 3.0))
    assert found.margin == 0.0


def test_a_free_angle_is_held():
    found = two_angles(1e-14, 0.0, 0.0, HELD, 1.0)
    assert (found.first, found.second, found.margin) == (HELD, HELD, 0.0)


def test_coincident_angles_are_the_same_number():
    found = two_angles(1.0, 0.0, 1.0 - 1e-16, HELD, 1.0)
    assert found.first == found.second
