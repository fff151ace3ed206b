"""Lin's theorems: sets of named arms, and the exact rank and span on random mixed robots."""

from __future__ import annotations

import dataclasses

import flint
import numpy as np
import pytest
from tests.parameters.serial_arms import QUARTER, dh_arm, random_arm

from torquec.dynamics import mass_matrix
from torquec.dynamics.friction_regressor import FrictionColumns
from torquec.errors import RobotError
from torquec.parameters.base_parameters import inertia_combinations
from torquec.parameters.energy_rows import rational_rows, residue_rows
from torquec.parameters.minimal_combinations import gravity_combinations, minimal_combinations
from torquec.parameters.rational_geometry import rational_geometry
from torquec.parameters.standard_parameters import standard_parameters, standard_regressor
from torquec.robot import classics
from torquec.spatial import Inertia


def rows_of(combinations, p):
    rows = [[flint.fmpq(0)] * p for _ in combinations]
    for row, combination in zip(rows, combinations, strict=True):
        for column, value in combination.form.coefficients.items():
            row[column] = flint.fmpq(value.numerator, value.denominator)
    return rows


def holds_exactly(robot):
    """Theorem 5 against fractions and residues: count = rank, and the same span."""
    geometry = rational_geometry(robot)
    parameters = standard_parameters(robot, motors=False, friction=FrictionColumns.NONE)
    combinations = minimal_combinations(robot, geometry)
    rows = rows_of(combinations, len(parameters))
    rank = residue_rows(robot, geometry, parameters).rank()
    w = rational_rows(robot, geometry, parameters).tolist()
    assert len(combinations) == rank
    assert flint.fmpq_mat(rows).rank() == rank
    assert flint.fmpq_mat(rows + w).rank() == rank


def test_stanford_arm_by_name():
    names = [combination.name for combination in minimal_combinations(classics.stanford())]
    second = ["Uxx-Uyy", "Uxy", "Uxz", "Uyz", "Uzz", "kx", "ky"]
    expected = ["Uzz_link1", *(f"{s}_link2" for s in second), *(f"{s}_link3" for s in ("mhat", "kx", "ky", "kz"))]
    assert names == expected + [f"{s}_link{k}" for k in (4, 5, 6) for s in second]


def test_slide_across_the_first_axis_has_kappas():
    """R, then P across it: m, and how the slide's first moment turns about the first axis."""
    arm = dh_arm("arm", [(False, 0.0, 0.0, 0.0, 0.0), (True, QUARTER, 0.0, 0.0, 0.0)])
    names = [combination.name for combination in minimal_combinations(arm)]
    assert names == ["Uzz_link1", "mhat_link2", "kappa1_link2", "kappa2_link2"]
    holds_exactly(arm)


@pytest.mark.parametrize("seed", range(25))
def test_count_and_span_of_random_arms(seed):
    holds_exactly(random_arm(seed))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(40))
def test_count_and_span_of_a_thousand_random_arms(block):
    for seed in range(25 * block, 25 * block + 25):
        holds_exactly(random_arm(seed))


@pytest.mark.parametrize("seed", range(60))
def test_gravity_set_of_random_arms(seed):
    """Theorem 4 against the rank of the gravity torques in doubles: the regressor at rest."""
    robot = random_arm(seed)
    parameters = standard_parameters(robot, motors=False, friction=FrictionColumns.NONE)
    p = len(parameters)
    q = np.random.default_rng(seed).uniform(-3.0, 3.0, (2 * p, robot.n))
    w = standard_regressor(robot, parameters, q, np.zeros_like(q), np.zeros_like(q)).reshape(-1, p)
    combinations = gravity_combinations(robot)
    rows = np.array([[float(row.p) / float(row.q) for row in line] for line in rows_of(combinations, p)]).reshape(-1, p)
    rank = np.linalg.matrix_rank(w, tol=1e-9)
    assert len(combinations) == rank
    assert np.linalg.matrix_rank(np.vstack([w, rows]), tol=1e-9) == rank


def test_geometry_matters_only_through_what_is_parallel():
    """A tilt of the second axis out of the first one's direction brings all that a free axis has."""
    flat = dh_arm("flat", [(False, 0.0, 0.0, 0.0, 0.0), (False, 0.0, 0.3, 0.0, 0.0)])
    tilted = dh_arm("tilted", [(False, 0.0, 0.0, 0.0, 0.0), (False, 0.1, 0.3, 0.0, 0.0)])
    assert len(minimal_combinations(flat)) == 4
    assert len(minimal_combinations(tilted)) == 8


def test_outside_the_theorem_it_says_why():
    with pytest.raises(RobotError, match="gravity is zero"):
        minimal_combinations(classics.puma560(gravity=(0.0, 0.0, 0.0)))
    arm = dh_arm("arm", [(False, 0.0, 0.0, 0.0, 0.0)] * 3)
    branched = dataclasses.replace(
        arm, bodies=tuple(dataclasses.replace(body, parent=min(i - 1, 0)) for i, body in enumerate(arm.bodies))
    )
    with pytest.raises(RobotError, match="branches") as caught:
        minimal_combinations(branched)
    assert "ELIMINATION" in caught.value.remedy


def rows_of_inertia_combinations(combinations, p):
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
    gravity, torque = (
        rows_of_inertia_combinations(gravity_combinations(robot), p),
        rows_of_inertia_combinations(minimal_combinations(robot), p),
    )
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
