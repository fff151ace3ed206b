"""Rational rotations: orthogonal without rounding, near to what was given, parallels kept."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.parameters.rational_rotation import (
    DirectionTable,
    is_orthogonal,
    rational_angle,
    rational_rotation,
)
from torquec.spatial import rotation_x, rotation_z, rpy_rotation


@pytest.mark.parametrize("seed", range(20))
def test_any_rotation(seed):
    angles = np.random.default_rng(seed).uniform(-3.0, 3.0, 3)
    given = rpy_rotation(*map(float, angles))
    found = rational_rotation(given, 1e-14)
    assert is_orthogonal(found)
    np.testing.assert_allclose(np.array(found, dtype=float), np.array(given), atol=3e-14)


def test_right_angles_stay_what_they_are():
    given = rotation_x(0.0, -1.0)
    assert rational_rotation(given, 1e-14) == given


def test_opposite_twists_cancel():
    there = rational_rotation(rotation_x(np.cos(0.7), np.sin(0.7)), 1e-14)
    back = rational_rotation(rotation_x(np.cos(-0.7), np.sin(-0.7)), 1e-14)
    product = np.array(there, dtype=object) @ np.array(back, dtype=object)
    assert (product == np.eye(3, dtype=int)).all()


def test_angle():
    assert rational_angle((0.0, -1.0), 1e-14) == ((0, -1), True)
    (c, s), is_exact = rational_angle((np.cos(0.3), np.sin(0.3)), 1e-14)
    assert not is_exact
    assert c * c + s * s == 1
    assert float(s) == pytest.approx(np.sin(0.3), abs=1e-14)


@pytest.mark.parametrize("direction", [(0.0, 0.0, -1.0), (0.0, 0.6, 0.8), (0.0, 0.6, -0.8), (0.48, 0.6, -0.64)])
def test_directions(direction):
    table = DirectionTable(1e-14)
    found = table.nearest(direction)
    assert sum(component * component for component in found) == 1
    np.testing.assert_allclose(np.array(found, dtype=float), direction, atol=1e-14)
    opposite = table.nearest(tuple(-component + 0.0 for component in direction))
    assert opposite == tuple(-component for component in found)
    assert [k for k in range(3) if found[k] == 0] == [k for k in range(3) if direction[k] == 0.0]


def test_rotations_with_one_axis_share_it():
    table = DirectionTable(1e-14)
    tilt = np.array(rotation_x(np.cos(0.7), np.sin(0.7)))
    first = table.rotation(tuple(map(tuple, tilt)))
    second = table.rotation(tuple(map(tuple, tilt @ np.array(rotation_z(np.cos(1.1), np.sin(1.1))))))
    assert is_orthogonal(first)
    assert is_orthogonal(second)
    assert [row[2] for row in first] == [row[2] for row in second]
