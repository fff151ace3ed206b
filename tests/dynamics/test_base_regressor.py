"""Regressor in base parameters: the torques, full column rank, native and as C."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot
from tests.parameters.serial_arms import shared_model

from torquec.dynamics import base_mass_matrix, mass_matrix
from torquec.dynamics.base_regressor import base_inverse_dynamics, base_regressor
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.total_torque import total_torque
from torquec.errors import ArgumentError
from torquec.model.generate import generate
from torquec.model.model import compile
from torquec.parameters.base_parameters import BasisMethod, base_parameters
from torquec.robot import classics
from torquec.robot.classics import load_classic


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


@pytest.mark.parametrize("method", BasisMethod)
@pytest.mark.parametrize("name", ["puma560", "stanford", "scara", "planar2r"])
def test_own_values_give_the_own_torques(name, method):
    robot = classics.load_classic(name)
    base = base_parameters(robot, method=method, friction=True)
    q, qd, qdd = np.random.default_rng(4).uniform(-2.0, 2.0, (3, robot.n)).tolist()
    tau = base_inverse_dynamics(
        robot, base.body_expansion.tolist(), q, qd, qdd, base.values.tolist(), friction=base.parameters.friction
    )
    np.testing.assert_allclose(tau, total_torque(robot, q, qd, qdd), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("seed", range(8))
def test_any_values_give_the_regressor_times_them(seed):
    robot = random_robot(seed, placements=("generic", "right-angled", "parallel"))
    base = base_parameters(robot)
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.uniform(-2.0, 2.0, (3, robot.n)).tolist()
    beta = rng.normal(size=len(base))
    expansion = base.body_expansion.tolist()
    y = np.array(base_regressor(robot, expansion, q, qd, qdd), dtype=float).reshape(robot.n, -1)
    tau = base_inverse_dynamics(robot, expansion, q, qd, qdd, beta.tolist())
    np.testing.assert_allclose(tau, y @ beta, rtol=1e-9, atol=1e-8)


def test_native_callable_takes_any_beta():
    robot = classics.puma560()
    arm, base = compile(robot), base_parameters(robot)
    q, qd, qdd = np.random.default_rng(5).uniform(-2.0, 2.0, (3, 20, robot.n))
    beta = np.tile(base.values, (20, 1))
    np.testing.assert_allclose(
        arm.base_inverse_dynamics(q, qd, qdd, beta), arm.inverse_dynamics(q, qd, qdd), rtol=1e-11, atol=1e-11
    )
    # Against Python's own recursion, too.
    np.testing.assert_allclose(
        arm.base_inverse_dynamics(q[0], qd[0], qdd[0], base.values),
        inverse_dynamics(robot, q[0].tolist(), qd[0].tolist(), qdd[0].tolist()),
        rtol=1e-11,
    )


def test_a_robot_without_inertias_takes_identified_ones():
    robot = shared_model("fanuc_m10ia_noinertia.urdf")
    base = base_parameters(robot)
    tau = compile(robot).base_inverse_dynamics(*np.zeros((3, robot.n)), np.ones(len(base)))
    assert np.isfinite(tau).all()


def test_wrong_expansion_is_refused_of_base_inverse_dynamics():
    with pytest.raises(ArgumentError, match="3 rows"):
        base_inverse_dynamics(classics.planar2r(), [[1.0]] * 3, [0.0] * 2, [0.0] * 2, [0.0] * 2, [1.0])


@pytest.mark.parametrize("name", ["scara", "stanford", "puma560"])
def test_it_is_the_robots_for_its_own_values(name):
    robot = load_classic(name)
    base = base_parameters(robot)
    q = np.random.default_rng(1).uniform(-1.0, 1.0, robot.n).tolist()
    found = base_mass_matrix(robot, base.body_expansion.tolist(), q, list(base.values))
    np.testing.assert_allclose(found, mass_matrix(robot, q), atol=1e-12)


@pytest.mark.parametrize("name", ["scara", "puma560"])
def test_it_is_the_inertia_of_the_recursion_for_any_values(name):
    robot = load_classic(name)
    base = base_parameters(robot)
    rng = np.random.default_rng(2)
    beta, E = rng.uniform(-1.0, 1.0, len(base)).tolist(), base.body_expansion.tolist()
    q, still = rng.uniform(-1.0, 1.0, robot.n).tolist(), [0.0] * robot.n
    rest = np.array(base_inverse_dynamics(robot, E, q, still, still, beta))
    columns = [np.array(base_inverse_dynamics(robot, E, q, still, list(unit), beta)) - rest for unit in np.eye(robot.n)]
    np.testing.assert_allclose(base_mass_matrix(robot, E, q, beta), np.array(columns).T, atol=1e-12)
