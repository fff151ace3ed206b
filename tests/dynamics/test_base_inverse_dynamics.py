"""Inverse dynamics in base parameters: the robot's own torques, linear in beta, native."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot
from tests.parameters.serial_arms import shared_model

from torquec.dynamics.base_inverse_dynamics import base_inverse_dynamics
from torquec.dynamics.base_regressor import base_regressor
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.total_torque import total_torque
from torquec.errors import ArgumentError
from torquec.model.model import compile
from torquec.parameters.base_parameters import BasisMethod, base_parameters
from torquec.robot import classics


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


def test_wrong_expansion_is_refused():
    with pytest.raises(ArgumentError, match="3 rows"):
        base_inverse_dynamics(classics.planar2r(), [[1.0]] * 3, [0.0] * 2, [0.0] * 2, [0.0] * 2, [1.0])
