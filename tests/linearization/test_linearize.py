"""Linear models: Clover's tables, finite differences, complex steps, state space."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.clover import beside, tables
from tests.dynamics.random_robots import random_robot, random_state

import torquec as tq
from torquec.closedform.fourier import CLOVER
from torquec.errors import ArgumentError, CheckError, RobotError
from torquec.expr import evaluate
from torquec.linearization.linearize import check_linear_model, linear_model_function, linearize, linearize_along
from torquec.papers.clover_comparisons import POINT, farthest

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
    assert np.allclose(values["K"], model.K, rtol=1e-12)


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
