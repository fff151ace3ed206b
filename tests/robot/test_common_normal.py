"""Common normals: known answers, feet that determine them, and where they are not used."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.robot.common_normal import foot, near_normal


def _unit(rng: np.random.Generator) -> np.ndarray:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def test_perpendicular_axes():
    normal = near_normal((1.0, 0.0, 0.0), (4.0, 0.0, 7.0), (0.0, 1.0, 0.0))
    assert normal is not None
    assert (normal.direction, normal.foot, normal.foot_on_child) == ((0.0, 0.0, 1.0), 4.0, 0.0)


def test_the_line_between_the_feet_is_perpendicular_to_both_axes():
    rng = np.random.default_rng(3)
    for _ in range(50):
        z, other, z_child = _unit(rng), rng.normal(size=3), _unit(rng)
        normal = near_normal(tuple(z), tuple(other), tuple(z_child))
        if normal is None:
            continue
        across = other + normal.foot_on_child * z_child - normal.foot * z
        assert [across @ z, across @ z_child] == pytest.approx([0.0, 0.0], abs=1e-10)
        assert np.cross(across, normal.direction) == pytest.approx(np.zeros(3), abs=1e-10)
        assert foot(tuple(z), tuple(other), tuple(z_child)) == normal.foot
        assert foot(tuple(z_child), tuple(-other), tuple(z)) == normal.foot_on_child


@pytest.mark.parametrize(
    ("tilt", "side", "near"),
    [(0.0, 1.0, False), (0.99e-3, 0.0, False), (1.01e-3, 0.0, True), (0.2, 1.0, True), (0.05, 1.0, False)],
)
def test_axes_that_are_nearly_parallel_or_meet_far_away_have_none(tilt, side, near):
    # The axes cross where they have come `side` nearer: at side/tan(tilt) on the first one.
    child = (np.sin(tilt), 0.0, np.cos(tilt))
    assert (near_normal((0.0, 0.0, 1.0), (-side, 0.0, 0.0), child) is not None) == near
