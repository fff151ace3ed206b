"""Combinations of H alone: Lin's counts, and Theorems 2 and 3 on random arms."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.parameters.test_minimal_combinations import random_arm

from torquec.dynamics import mass_matrix
from torquec.dynamics.friction_regressor import FrictionColumns
from torquec.parameters.inertia_combinations import inertia_combinations
from torquec.parameters.minimal_combinations import gravity_combinations, minimal_combinations
from torquec.parameters.standard_parameters import standard_parameters
from torquec.robot import classics
from torquec.spatial import Inertia


def rows_of(combinations, p):
    rows = np.zeros((len(combinations), p))
    for k, combination in enumerate(combinations):
        for column, value in combination.form.coefficients.items():
            rows[k, column] = float(value)
    return rows


def rank(rows):
    return 0 if len(rows) == 0 else int(np.linalg.matrix_rank(rows, tol=1e-9))


def test_the_puma_without_gravity():
    """Lin: without gravity the rank of the regressor over random states is 34."""
    assert len(inertia_combinations(classics.puma560())) == 34


@pytest.mark.parametrize("seed", range(12))
def test_h_and_gravity_together_span_the_torques(seed):
    """Theorem 2, on arms with revolute and prismatic joints and gravity in any direction."""
    robot = random_arm(seed)
    p = len(standard_parameters(robot, motors=False, friction=FrictionColumns.NONE))
    inertia = np.asarray(inertia_combinations(robot).projection, dtype=float)
    gravity, torque = rows_of(gravity_combinations(robot), p), rows_of(minimal_combinations(robot), p)
    both = np.vstack([inertia, gravity])
    assert rank(both) == rank(torque) == rank(np.vstack([both, torque])) == len(torque)


@pytest.mark.parametrize("seed", range(4))
def test_h_determines_them(seed):
    """Theorem 3: H as a function of the parameters has exactly this row space."""
    robot = random_arm(seed)
    found = np.asarray(inertia_combinations(robot).projection, dtype=float)
    rows = h_rows(robot, found.shape[1])
    assert rank(rows) == len(found) == rank(np.vstack([rows, found]))


def h_rows(robot, p):
    """dH/d(parameter) at random positions: H is linear in the ten parameters of every body, so one step is exact."""
    n = len(robot.bodies)
    positions = np.random.default_rng(1).uniform(-2.0, 2.0, (2 * p // robot.n + 3, robot.n))
    solid = np.tile([1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], n)

    def matrices(parameters):
        bodies = tuple(
            dataclasses.replace(body, inertia=Inertia(*parameters[10 * k : 10 * k + 10].tolist()))
            for k, body in enumerate(robot.bodies)
        )
        bare = dataclasses.replace(robot, bodies=bodies, drives=type(robot.drives)())
        return np.concatenate([np.array(mass_matrix(bare, list(q)), dtype=float).ravel() for q in positions])

    start = matrices(solid)
    return np.stack([matrices(solid + step) - start for step in np.eye(10 * n)], axis=1)
