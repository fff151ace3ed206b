"""Energy rows: their values, and that they span what the torque regressor spans."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot
from tests.parameters.serial_arms import random_arm

from torquec.dynamics.friction_regressor import FrictionColumns
from torquec.parameters.energy_rows import double_rows, natural_sizes, rational_rows, residue_rows
from torquec.parameters.numeric_basis import svd
from torquec.parameters.rational_geometry import rational_geometry
from torquec.parameters.standard_parameters import standard_parameters, standard_regressor
from torquec.robot import classics


def columns_of(robot, friction=FrictionColumns.NONE):
    return standard_parameters(robot, motors=True, friction=friction)


@pytest.mark.parametrize("seed", range(8))
def test_span_of_the_torque_regressor(seed):
    """What the rows cannot tell apart, the torques cannot either, and the other way round."""
    robot = random_robot(seed, placements=("generic", "right-angled", "parallel"))
    parameters = columns_of(robot, FrictionColumns.OFFSET)
    p = len(parameters)
    w = double_rows(robot, rational_geometry(robot), parameters)
    q, qd, qdd = np.random.default_rng(seed).uniform(-3.0, 3.0, (3, 2 * p, robot.n))
    y = standard_regressor(robot, parameters, q, qd, qdd).reshape(-1, p)
    basis, _ = svd(w, natural_sizes(w, parameters), [range(p)])
    own, _ = svd(y, natural_sizes(y, parameters), [range(p)])
    assert basis.rank == own.rank
    inside = y @ basis.expansion @ basis.projection
    np.testing.assert_allclose(inside, y, atol=1e-9 * np.abs(y).max())


@pytest.mark.parametrize("name", ["planar2r", "stanford", "puma560"])
def test_fractions_and_residues_have_one_rank(name):
    robot = classics.load_classic(name)
    geometry, parameters = rational_geometry(robot), columns_of(robot, FrictionColumns.DIRECTIONAL)
    assert rational_rows(robot, geometry, parameters).rank() == residue_rows(robot, geometry, parameters).rank()


def test_one_turning_rod():
    """2 T + power of gravity, for a single joint: Izz u^2 and the first moments times g u, nothing else."""
    robot = classics.planar2r()
    one = type(robot)("one", robot.bodies[:1], gravity=robot.gravity)
    w = double_rows(one, rational_geometry(one), columns_of(one))
    names = columns_of(one).names
    acting = {name for name, column in zip(names, w.T, strict=True) if np.abs(column).max() > 1e-12}
    assert acting == {"Izz_link1", "mx_link1", "my_link1"}


def test_rows_are_the_same_every_time():
    robot = random_arm(1)
    geometry, parameters = rational_geometry(robot), columns_of(robot)
    assert rational_rows(robot, geometry, parameters) == rational_rows(robot, geometry, parameters)
    assert (double_rows(robot, geometry, parameters) == double_rows(robot, geometry, parameters)).all()


def test_natural_sizes_are_by_kind():
    robot = classics.planar2r()
    parameters = columns_of(robot)
    w = double_rows(robot, rational_geometry(robot), parameters)
    sizes = natural_sizes(w, parameters)
    assert sizes[parameters.names.index("Ixx_link1")] == sizes[parameters.names.index("Izz_link2")]
    assert (sizes >= np.linalg.norm(w, axis=0)).all()
