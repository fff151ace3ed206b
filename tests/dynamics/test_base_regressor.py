"""Regressor in base parameters: the torques, full column rank, native and as C."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

from torquec.dynamics.base_regressor import base_regressor
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.total_torque import total_torque
from torquec.errors import ArgumentError
from torquec.model.generate import generate
from torquec.model.model import compile
from torquec.parameters.base_parameters import base_parameters
from torquec.robot import classics


def test_planar_arm_by_hand():
    """At rest, stretched out, accelerating the first joint only: Izz of both links and the products of the elbow."""
    robot = classics.planar2r(gravity=(0.0, 0.0, -9.81))
    base = base_parameters(robot)
    assert [name.removesuffix("+") for name in base.names] == ["Izz_link1", "Izz_link2", "mx_link2", "my_link2"]
    y = base_regressor(robot, base.body_expansion.tolist(), [0.3, 0.0], [0.0, 0.0], [1.0, 0.0])
    np.testing.assert_allclose(np.array(y, dtype=float), [[1.0, 1.0, 2.0, 0.0], [0.0, 1.0, 1.0, 0.0]], atol=1e-15)


@pytest.mark.parametrize("seed", range(8))
def test_torques_and_rank(seed):
    robot = random_robot(seed, placements=("generic", "right-angled", "parallel"))
    base = base_parameters(robot)
    call = compile(robot).base_regressor
    q, qd, qdd = np.random.default_rng(seed).uniform(-2.0, 2.0, (3, 3 * len(base), robot.n))
    y = call(q, qd, qdd)
    assert y.shape == (len(q), robot.n, len(base))
    expected = [
        inverse_dynamics(robot, *state) for state in zip(q[:3].tolist(), qd[:3].tolist(), qdd[:3].tolist(), strict=True)
    ]
    np.testing.assert_allclose(y[:3] @ base.values, expected, rtol=1e-9, atol=1e-9)
    stacked = y.reshape(-1, len(base))
    scaled = stacked / np.linalg.norm(stacked, axis=0)
    assert np.linalg.matrix_rank(scaled) == len(base)


def test_friction_columns():
    robot = classics.puma560()
    base = base_parameters(robot, friction=True)
    q, qd, qdd = np.random.default_rng(1).uniform(-2.0, 2.0, (3, robot.n)).tolist()
    y = base_regressor(robot, base.body_expansion.tolist(), q, qd, qdd, friction=base.parameters.friction)
    np.testing.assert_allclose(np.array(y) @ base.values, total_torque(robot, q, qd, qdd), rtol=1e-12)


def test_c_package(tmp_path):
    package = generate(classics.scara(), tmp_path, quantities=["base_regressor", "base_inverse_dynamics"])
    header = next(path for path in package.files if path.suffix == ".h").read_text()
    base = base_parameters(classics.scara())
    assert f"Y[{4 * len(base)}]" in header
    assert f"beta[{len(base)}]" in header


def test_wrong_expansion_is_refused():
    robot = classics.planar2r()
    with pytest.raises(ArgumentError, match="3 rows, robot 'planar2r' has 20"):
        base_regressor(robot, [[1.0]] * 3, [0.0] * 2, [0.0] * 2, [0.0] * 2)
