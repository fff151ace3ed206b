"""Corollary 6: the map between two bases."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError, CheckError
from torquec.parameters.base_parameters import base_parameters
from torquec.parameters.equivalence import map_between
from torquec.robot import classics


@pytest.mark.parametrize(
    ("name", "gravity", "condition"),
    [
        ("puma560", None, 7.3),
        ("stanford", None, 7.5),
        ("scara", None, 4.3),
        ("planar2r", None, 2.9),
        ("planar2r", (0.0, 0.0, -9.81), 2.4),
    ],
)
def test_condition_between_the_theorem_and_an_orthonormal_base(name, gravity, condition):
    robot = classics.load_classic(name, gravity=gravity)
    found = map_between(
        base_parameters(robot, method="theorem", motors=False), base_parameters(robot, method="svd", motors=False)
    )
    assert found.error < 1e-13
    assert found.condition == pytest.approx(condition, abs=0.06)


def test_maps_compose_and_invert():
    robot = classics.puma560()
    a, b, c = (base_parameters(robot, method=method, friction=True) for method in ("elimination", "theorem", "qr"))
    there, back, on = map_between(a, b).matrix, map_between(b, a).matrix, map_between(b, c).matrix
    np.testing.assert_allclose(back @ there, np.eye(len(a)), atol=1e-12)
    np.testing.assert_allclose(on @ there, map_between(a, c).matrix, atol=1e-11)
    np.testing.assert_allclose(there @ a.values, b.values, rtol=1e-11, atol=1e-12)


def test_bases_of_different_parameters_are_refused():
    robot = classics.puma560()
    with pytest.raises(ArgumentError, match="different standard parameters"):
        map_between(base_parameters(robot), base_parameters(robot, motors=False))


def test_bases_of_different_robots_are_refused():
    upright, tilted = classics.puma560(), classics.puma560(gravity=(2.0, 1.3, -9.0))
    with pytest.raises(CheckError, match="from 40 base parameters to 42"):
        map_between(base_parameters(upright), base_parameters(tilted))
