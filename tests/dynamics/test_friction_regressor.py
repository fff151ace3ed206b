"""Friction regressor against the friction torque, and the choice of columns."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

from torquec.dynamics.friction_regressor import (
    FrictionColumns,
    friction_columns,
    friction_parameter_names,
    friction_parameter_values,
    friction_regressor,
)
from torquec.dynamics.friction_torque import friction_shafts, friction_torque
from torquec.errors import ArgumentError
from torquec.robot import classics


def test_one_joint_by_hand():
    """planar2r at speeds (2, -3): viscous and Coulomb of each joint in its own row."""
    robot = classics.planar2r()
    assert friction_parameter_names(robot, FrictionColumns.SYMMETRIC) == [
        "viscous_joint1",
        "coulomb_joint1",
        "viscous_joint2",
        "coulomb_joint2",
    ]
    rows = friction_regressor(robot, [2.0, -3.0], FrictionColumns.SYMMETRIC)
    assert rows == [[2.0, 1.0, 0.0, 0.0], [0.0, 0.0, -3.0, -1.0]]
    rows = friction_regressor(robot, [2.0, -3.0], FrictionColumns.DIRECTIONAL)
    assert rows[1][4:] == [0.0, -3.0, 0.0, -1.0]


@pytest.mark.parametrize("seed", range(20))
def test_regressor_times_values_is_the_friction_torque(seed):
    robot = random_robot(seed)
    columns = FrictionColumns.needed(robot)
    values = np.array(friction_parameter_values(robot, columns))
    rng = np.random.default_rng(seed)
    # By direction an offset is a part of Coulomb friction, which is zero at rest: moving states tell.
    rest = [] if columns is FrictionColumns.DIRECTIONAL else [[0.0] * robot.n]
    for qd in [*rng.uniform(-2.0, 2.0, (4, robot.n)).tolist(), *rest]:
        rows = np.array(friction_regressor(robot, qd, columns), dtype=float).reshape(robot.n, -1)
        np.testing.assert_allclose(rows @ values, friction_torque(robot, qd), rtol=1e-12, atol=1e-9)


def test_columns_that_the_robot_needs():
    assert FrictionColumns.needed(classics.puma560()) is FrictionColumns.DIRECTIONAL
    assert FrictionColumns.needed(classics.puma260()) is FrictionColumns.SYMMETRIC
    assert FrictionColumns.needed(classics.planar2r()) is FrictionColumns.SYMMETRIC


def test_every_joint_is_a_shaft():
    assert [shaft.name for shaft in friction_shafts(classics.stanford())] == list(classics.stanford().joint_names)


def test_none_has_no_columns():
    robot = classics.puma560()
    assert friction_regressor(robot, [1.0] * 6, FrictionColumns.NONE) == [[]] * 6
    assert friction_parameter_values(robot, FrictionColumns.NONE) == []


def test_unknown_columns():
    with pytest.raises(ArgumentError, match="no friction columns 'sticky'"):
        friction_columns("sticky")
