"""Three turns that make up a rotation: both ways, also next to where the first and the last axis are one."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kinematics.arms import random_rotation

from torquec.kinematics.angle import JointAngle
from torquec.kinematics.wrist import WRIST_HOLD, solve_wrist

A, B, C = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.8, 0.0)


def made_of(angles):
    a, b, c = (np.array(JointAngle.of(float(v)).rotation(axis)) for v, axis in zip(angles, (A, B, C), strict=True))
    return a @ b @ c


def solved(m):
    return solve_wrist(tuple(map(tuple, m)), (A, B, C), JointAngle.of(0.3))


def test_both_ways_make_up_the_rotation():
    rng = np.random.default_rng(0)
    for _ in range(50):
        m = random_rotation(rng)
        first, second = (end.values for end in solved(m))
        np.testing.assert_allclose(made_of(first), m, atol=1e-14)
        np.testing.assert_allclose(made_of(second), m, atol=1e-14)
        assert abs(np.sin((first[0] - second[0]) / 2.0)) == pytest.approx(1.0)


@pytest.mark.parametrize("off", [0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5])
@pytest.mark.parametrize("half", [0.0, np.pi])
def test_next_to_the_singularity(off, half):
    """Errors of the first angle are made good by the last; below `WRIST_HOLD` the first is held, at that price."""
    bend = -np.arctan2(0.8, 0.6) + half + off
    for end in solved(made_of((1.1, bend, 0.4))):
        price = 2.0 * off if off < WRIST_HOLD else 0.0
        np.testing.assert_allclose(made_of(end.values), made_of((1.1, bend, 0.4)), atol=2e-12 + price)
        if off < WRIST_HOLD:
            assert end.values[0] == pytest.approx(0.3)
