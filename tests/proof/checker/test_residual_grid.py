"""The grid determines the error; its Lebesgue constant is one: no polynomial exceeds it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.proof.arms import arm, motions, programs

from torquec.errors import CheckError
from torquec.expr import evaluate
from torquec.proof.checker.check_boxes import basis_values
from torquec.proof.checker.modular_degree import TorquePart
from torquec.proof.checker.residual_grid import GridPart, ResidualGrid, grid_nodes, lebesgue, no_rows, row_weights
from torquec.proof.checker.rounded_evaluation import RoundedArray

NOTHING = RoundedArray(np.zeros(()), np.zeros(()))


@pytest.mark.parametrize("slides", [False, True])
@pytest.mark.parametrize("degree", [0, 1, 2, 3, 4])
def test_lebesgue_constants_are_reached_and_not_exceeded(slides, degree):
    """sup |f| over max |f| on the nodes is largest for signs of the cardinal functions: their sum is the constant."""
    nodes = grid_nodes(slides, degree, -0.7, 1.9)
    x = np.linspace(-0.7, 1.9, 4001) if slides else np.linspace(0.0, 2.0 * np.pi, 20001)
    cardinal = basis_values(x, slides, degree) @ np.linalg.inv(basis_values(nodes, slides, degree))
    largest = np.abs(cardinal).sum(axis=1).max()
    assert largest <= lebesgue(slides, degree) * (1.0 + 1e-9)
    assert largest >= 0.99 * lebesgue(slides, degree)


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford"])
def test_what_the_grid_allows_is_never_exceeded(name):
    robot = arm(name)
    exact, simplified = programs(robot, 1, 0.8)
    box = motions(robot)
    grid = ResidualGrid(robot, simplified, box.lower, box.upper)
    allowed = row_weights(box.velocity, box.acceleration) @ grid.largest_differences(lambda part: NOTHING)
    rng = np.random.default_rng(0)
    q = rng.uniform(box.lower, box.upper, (20_000, robot.n))
    qd, qdd = (rng.uniform(-1.0, 1.0, q.shape) * limit for limit in (box.velocity, box.acceleration))
    state = {"q": q, "qd": qd, "qdd": qdd}
    error = np.abs(evaluate(exact, state)["tau"] - evaluate(simplified, state)["tau"]).max(axis=0)
    assert np.all(error <= allowed)
    assert np.all(allowed <= 60.0 * error + 1e-9)


@pytest.mark.parametrize("of_robot", [False, True])
@pytest.mark.parametrize("name", ["planar3r", "scara"])
def test_rows_give_the_torques_at_any_motion(name, of_robot):
    robot = arm(name)
    exact, simplified = programs(robot, 1, 0.8)
    box = motions(robot)
    rng = np.random.default_rng(4)
    q = rng.uniform(box.lower, box.upper, (7, robot.n))
    qd, qdd = rng.uniform(-2.0, 2.0, (2, 7, robot.n))
    rows = ResidualGrid(robot, simplified, box.lower, box.upper).rows_at(q, of_robot=of_robot)
    pairs = [qd[:, j] * qd[:, k] for j in range(robot.n) for k in range(j, robot.n)]
    factors = np.stack([*qdd.T, *pairs, np.ones(7)])
    state = {"q": q, "qd": qd, "qdd": qdd}
    expected = evaluate(exact, state)["tau"] - (0.0 if of_robot else evaluate(simplified, state)["tau"])
    np.testing.assert_allclose(np.einsum("rN,rNi->Ni", factors, rows.value), expected, atol=1e-11)
    assert np.all(rows.radius < 1e-11)


def test_the_same_program_leaves_rounding_only():
    robot = arm("stanford")
    exact, _ = programs(robot, 0, 1.0)
    box = motions(robot)
    assert ResidualGrid(robot, exact, box.lower, box.upper).largest_differences(lambda part: NOTHING).max() < 1e-9


def test_ranges_in_which_doubles_make_no_grid_are_refused():
    robot = arm("scara")
    exact, _ = programs(robot, 0, 1.0)
    far = tuple(1e16 if joint.type.is_prismatic else 0.0 for joint in robot.joints)
    with pytest.raises(CheckError, match="the range of joint"):
        ResidualGrid(robot, exact, far, tuple(x + 4.0 for x in far))


def test_a_displacement_may_stand_still_anywhere():
    robot = arm("scara")
    exact, _ = programs(robot, 0, 1.0)
    still = tuple(0.3 if joint.type.is_prismatic else 0.0 for joint in robot.joints)
    assert ResidualGrid(robot, exact, still, still).n == robot.n
    with pytest.raises(CheckError, match="the range of joint"):
        ResidualGrid(robot, exact, tuple(x + 1.0 for x in still), still)


def test_a_grid_of_too_many_positions_is_refused(monkeypatch):
    robot = arm("planar3r")
    exact, _ = programs(robot, 0, 1.0)
    box = motions(robot)
    grid = ResidualGrid(robot, exact, box.lower, box.upper)
    monkeypatch.setattr("torquec.proof.checker.residual_grid._LARGEST_GRID", 20)
    with pytest.raises(CheckError, match="depends on too many joints"):
        _ = grid.positions


def test_largest_values_are_those_of_all_parts_of_a_grid(monkeypatch):
    robot = arm("planar3r")
    _, simplified = programs(robot, 1, 0.8)
    box = motions(robot)
    grid = ResidualGrid(robot, simplified, box.lower, box.upper)
    rows, error = grid.both_at(grid.positions)
    stand_in = np.linspace(-1.0, 1.0, error.value.size).reshape(error.value.shape)

    def known(part):
        """By the places of its nodes, which are those of the grid."""
        at = np.ravel_multi_index(part.nodes, [len(node) for node in grid.nodes])
        np.testing.assert_array_equal(grid.positions[at], part.positions)
        return RoundedArray(stand_in[:, at], np.full(stand_in[:, at].shape, 0.25))

    for most in (10_000, 7):
        monkeypatch.setattr("torquec.proof.checker.residual_grid._CHUNK", most)
        assert grid.largest_coefficient() == np.abs(rows.value).max()
        left = np.abs(error.value - stand_in).max(axis=1) + 0.25
        np.testing.assert_allclose(grid.largest_differences(known), grid.lebesgue * left, rtol=1e-8)
        whole = np.abs(rows.value - stand_in).max(axis=1) + 0.25
        np.testing.assert_allclose(grid.largest_differences(known, of_robot=True), grid.lebesgue * whole, rtol=1e-8)


def test_no_rows_are_as_many_as_there_are():
    robot = arm("planar3r")
    exact, _ = programs(robot, 0, 1.0)
    box = motions(robot)
    q = np.zeros((4, robot.n))
    grid = ResidualGrid(robot, exact, box.lower, box.upper)
    rows = grid.rows_at(q)
    assert grid.rows == len(rows.value)
    none = no_rows(GridPart(q, ()))
    assert none.value.shape == none.radius.shape == rows.value.shape == (3 + 6 + 1, 4, 3)
    assert not np.any(none.value)


def test_parts_of_a_torque_have_their_own_rows_and_degrees():
    """At rest the weight of an upright first joint is nothing; moving, a planar arm does not feel how it stands."""
    robot = arm("planar3r")
    box = motions(robot)
    _, simplified = programs(robot, 1, 0.8)
    whole, moving, at_rest = (
        ResidualGrid(robot, simplified, box.lower, box.upper, part=part)
        for part in (TorquePart.WHOLE, TorquePart.MOVING, TorquePart.AT_REST)
    )
    assert (moving.rows, at_rest.rows) == (whole.rows - 1, 1)
    assert moving.degrees[0] == 0 < at_rest.degrees[0] == whole.degrees[0]
    assert all(max(pair) == most for *pair, most in zip(moving.degrees, at_rest.degrees, whole.degrees, strict=True))
    q = np.random.default_rng(6).uniform(box.lower, box.upper, (5, robot.n))
    rows = whole.rows_at(q)
    np.testing.assert_array_equal(moving.rows_at(q).value, rows.value[:-1])
    np.testing.assert_array_equal(at_rest.rows_at(q).value, rows.value[-1:])
