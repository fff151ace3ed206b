"""Linear models: Clover's tables, finite differences, complex steps, state space."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.clover import beside, tables
from tests.dynamics.random_robots import random_robot, random_state
from tests.dynamics.test_any_joint import any_robot
from tests.dynamics.test_centroidal_momentum_matrix import floating_robot

import torquec as tq
from torquec import dynamics
from torquec.closedform.fourier import CLOVER
from torquec.errors import ArgumentError, CheckError, RobotError
from torquec.expr import evaluate
from torquec.linearization.linearize import check_linear_model, linear_model_function, linearize, linearize_along
from torquec.papers.clover_comparisons import POINT, farthest
from torquec.robot.configuration import difference, integrate, random_position
from torquec.robot.friction import Friction

ARM = tq.classics.puma560()
RULES = {"unabbreviated": None, "abbreviated": CLOVER}
TABLE_TOLERANCE = 1e-4


@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("table", ["V", "VI", "VII"])
def test_clovers_tables(table, kind):
    # Table VII, unabbreviated, is also Table I of chapter III.
    row = tables()["ch2"][table]
    model = linearize(ARM, row["q"], row["qd"], row["qdd"], rule=RULES[kind])
    for name in ("M", "C", "K"):
        printed = np.array(row[f"printed_{kind}"][name])
        beside(f"Table {table}, {kind}, {name}", getattr(model, name), printed)
        assert np.abs(getattr(model, name) - printed).max() < TABLE_TOLERANCE


@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("table", ["V", "VI", "VII"])
def test_table_viii(table, kind):
    row = tables()["ch2"][table]
    found = linearize(ARM, row["q"], row["qd"], row["qdd"], rule=RULES[kind]).eigenvalues
    printed = [complex(*pair) for pair in row["eig_printed_unabbr" if kind == "unabbreviated" else "eig_printed_abbr"]]
    beside(f"Table VIII, system of {table}, {kind}", np.sort_complex(found), np.sort_complex(printed))
    assert farthest(found, printed) < TABLE_TOLERANCE


@pytest.mark.parametrize("seed", range(12))
def test_every_robot_passes_its_check(seed):
    robot = random_robot(seed)
    state = random_state(robot, seed, size=1)
    check_linear_model(robot, linearize(robot, state.q[0], state.qd[0], state.qdd[0]))


def test_finite_differences():
    torque = tq.compile(ARM).total_torque
    q, qd, qdd = (np.array(part) for part in POINT)
    model = linearize(ARM, q, qd, qdd)
    h = 1e-6
    for name, k in (("K", 0), ("C", 1), ("M", 2)):
        for j in range(6):
            ahead, back = [q.copy(), qd.copy(), qdd.copy()], [q.copy(), qd.copy(), qdd.copy()]
            ahead[k][j] += h
            back[k][j] -= h
            slope = (torque(*ahead) - torque(*back)) / (2 * h)
            assert getattr(model, name)[:, j] == pytest.approx(slope, abs=2e-4)


def test_friction_slopes_follow_the_direction():
    forth = linearize(ARM, np.zeros(6), np.full(6, 1e-9), np.zeros(6)).C
    back = linearize(ARM, np.zeros(6), np.full(6, -1e-9), np.zeros(6)).C
    assert np.diag(forth - back)[:3] == pytest.approx([4.94 - 3.45, 7.67 - 8.53, 3.27 - 3.02], abs=1e-6)


def test_state_space_is_the_second_order_model():
    model = linearize(ARM, *POINT)
    rng = np.random.default_rng(0)
    dq, dqd, dqdd = rng.normal(size=(3, 6))
    dtau = model.M @ dqdd + model.C @ dqd + model.K @ dq
    moved = model.A @ np.concatenate([dq, dqd]) + model.B @ dtau
    assert moved == pytest.approx(np.concatenate([dqd, dqdd]), rel=1e-9)


def test_a_batch_is_point_by_point():
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, 9, 6))
    for k, model in enumerate(linearize_along(ARM, q, qd, qdd)):
        one = linearize(ARM, q[k], qd[k], qdd[k])
        for name in ("M", "C", "K"):
            assert np.allclose(getattr(model, name), getattr(one, name), rtol=1e-12, atol=1e-12)


def test_the_program_is_what_is_compiled():
    values = evaluate(linear_model_function(ARM), dict(zip(("q", "qd", "qdd"), POINT, strict=True)))
    model = linearize(ARM, *POINT)
    assert np.allclose(values["K"], model.K, rtol=1e-12, atol=1e-15 * np.abs(model.K).max())


def test_a_sabotaged_model_is_refused():
    model = linearize(ARM, *POINT)
    wrong = model.K.copy()
    wrong[2, 3] *= 1.0 + 1e-4
    with pytest.raises(CheckError, match="K of the linear model differs"):
        check_linear_model(ARM, dataclasses.replace(model, K=wrong))


def test_bad_states_are_refused():
    with pytest.raises(ArgumentError, match="'qd' is not one finite number per joint"):
        linearize(ARM, np.zeros(6), np.zeros(5), np.zeros(6))
    with pytest.raises(ArgumentError, match="'q' is not one finite"):
        linearize(ARM, np.full(6, np.nan), np.zeros(6), np.zeros(6))
    with pytest.raises(ArgumentError, match="points of shapes"):
        linearize_along(ARM, np.zeros((2, 6)), np.zeros((3, 6)), np.zeros((2, 6)))


def test_a_robot_without_inertias_has_no_linear_model():
    bodies = tuple(
        dataclasses.replace(body, inertia=type(body.inertia)(), lacking_inertia=(body.name,)) for body in ARM.bodies
    )
    with pytest.raises(RobotError, match="no inertia"):
        linearize(dataclasses.replace(ARM, bodies=bodies), np.zeros(6), np.zeros(6), np.zeros(6))


def test_a_model_that_lost_the_inertia_of_a_joint_has_no_state_matrix():
    found = linearize(tq.classics.planar2r(), [0.0, 0.5], [0.0, 0.0], [0.0, 0.0])
    singular = dataclasses.replace(found, M=np.array([[1.0, 0.0], [0.0, 0.0]]))
    for quantity in ("A", "B", "eigenvalues"):
        with pytest.raises(RobotError, match=r"is singular at q = \(.*\), .* inertia at joint2") as caught:
            getattr(singular, quantity)
        assert "allow joint2 a smaller torque_error or torque_error_part" in caught.value.remedy
        assert "[specification] in a project" in caught.value.remedy


@pytest.mark.parametrize("seed", range(4))
def test_state_matrix_of_joints_with_several_coordinates(seed):
    """Lower rows are derivatives of forward dynamics, the upper left block is how displacements turn along a motion."""
    robot = any_robot(seed, bodies=3)
    smooth = [dataclasses.replace(b, joint=dataclasses.replace(b.joint, friction=Friction())) for b in robot.bodies]
    robot = dataclasses.replace(robot, bodies=tuple(smooth))
    rng = np.random.default_rng(seed)
    q, v, tau = random_position(robot, seed), *rng.uniform(-1.0, 1.0, (2, robot.nv))
    linear = linearize(robot, q, v, dynamics.forward_dynamics(robot, q, v, tau))
    assert linear.joints == robot.coordinate_names
    slopes = dynamics.forward_dynamics_derivatives(robot, q, v, tau)
    by_q, by_qd, inverse = np.array(slopes.dqdd_dq), np.array(slopes.dqdd_dqd), np.array(slopes.dqdd_dtau)
    scale = np.abs(linear.A).max()
    np.testing.assert_allclose(linear.A[robot.nv :], np.hstack([by_q, by_qd]), atol=1e-9 * scale)
    np.testing.assert_allclose(linear.B[robot.nv :], inverse, atol=1e-9 * np.abs(inverse).max())
    step, d = 1e-4, rng.uniform(-1.0, 1.0, robot.nv)

    def displaced(size, time):
        beside = integrate(robot, integrate(robot, list(q), list(size * d)), list(time * v))
        return np.array(difference(robot, integrate(robot, list(q), list(time * v)), beside))

    mixed = displaced(step, step) - displaced(-step, step) - displaced(step, -step) + displaced(-step, -step)
    np.testing.assert_allclose(mixed / (4.0 * step**2), linear.A[: robot.nv, : robot.nv] @ d, atol=1e-6)


def test_a_resting_floating_robot_has_no_turning_axes():
    robot = floating_robot(0)
    q, still = random_position(robot, 0), np.zeros(robot.nv)
    assert not linearize(robot, q, still, still).A[: robot.nv, : robot.nv].any()
    (along,) = linearize_along(robot, q[None], still[None], still[None])
    np.testing.assert_allclose(along.M, linearize(robot, q, still, still).M)
    with pytest.raises(ArgumentError, match="has length"):
        linearize(robot, [*q[:3], 2.0, *q[4:]], still, still)
    with pytest.raises(ArgumentError, match="per joint"):
        linearize(robot, still, still, still)


def test_the_state_space_gives_the_response_of_the_linear_model():
    signal = pytest.importorskip("scipy.signal", reason="scipy is not installed")
    model = linearize(tq.classics.planar2r(), np.array([0.3, 0.7]), np.zeros(2), np.zeros(2))
    system = signal.StateSpace(*model.state_space())
    s = 2.0j
    wanted = np.linalg.inv(model.M * s**2 + model.C * s + model.K)  # (1) in the frequency domain
    found = system.C @ np.linalg.solve(s * np.eye(4) - system.A, system.B) + system.D
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
