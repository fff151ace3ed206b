"""Two models side by side: Clover's Tables III and IV, laws of a comparison, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.clover import TABLE_III, TABLE_IV

import torquec as tq
from torquec.expr import evaluate
from torquec.identification.excitation.excitation import simulated_log
from torquec.linearization.linearize import linearize
from torquec.papers.abbreviated_torque import abbreviated_torque_function
from torquec.papers.clover_comparisons import farthest
from torquec.robot import classics
from torquec.simulation.comparison_of_models import compare, linear_response, torque_differences
from torquec.trajectory import minimum_jerk

ARM = classics.puma560()


@pytest.fixture(scope="module")
def program():
    return abbreviated_torque_function()


def statistics(program, q, qd, qdd):
    exact = tq.compile(ARM).inverse_dynamics(q, qd, qdd)
    short = evaluate(program, {"q": q, "qd": qd, "qdd": qdd})["tau"]
    return list(torque_differences(ARM.joint_names, exact, short).values())


def test_table_iii_of_clover(program):
    """Mean, largest, mean size and its deviation, along the motion of equations (18)-(20)."""
    motion = minimum_jerk(np.zeros(6), np.full(6, 2 * math.pi), 1.5, period=0.01)
    found = statistics(program, motion.q, motion.qd, motion.qdd)
    rows = np.array([[row.bias, row.max, row.mean, row.std] for row in found])
    computed = np.array(TABLE_III)
    assert rows == pytest.approx(computed, abs=6e-4)


def test_table_iv_of_clover(program):
    """Mean sizes over random signs of 10 rad/s and 100 rad/s^2; 5 % for sampling, as the oracle says."""
    rng = np.random.default_rng(4)
    signs = rng.choice([-1.0, 1.0], (2, 12000, 6))
    found = statistics(program, rng.uniform(0.0, 2 * math.pi, (12000, 6)), 10.0 * signs[0], 100.0 * signs[1])
    assert [row.mean for row in found] == pytest.approx(TABLE_IV, rel=0.05)


@pytest.fixture(scope="module")
def compared():
    arm = classics.planar2r()
    heavy = tq.attach_payload(arm, arm.frames[-1].name, mass=0.4)
    motion = minimum_jerk([0.0, 0.2], [0.6, -0.4], 1.0, joints=arm.joint_names, period=0.002)
    return compare(arm, heavy, motion, poles=-10 + 10j, log=simulated_log(arm), rounds=1)


def test_differences_are_those_of_the_torques(compared):
    error = compared.a.torques - compared.b.torques
    for k, row in enumerate(compared.differences.values()):
        assert row.max == np.abs(error[:, k]).max()
        assert row.rms == pytest.approx(math.hypot(row.mean, row.std))
        assert abs(row.bias) <= row.mean


def test_the_right_model_tracks_better(compared):
    for joint in compared.joints:
        assert compared.a.loop.rmse[joint] < compared.b.loop.rmse[joint]
    assert np.all(np.abs(compared.a.loop.qdd_ref - compared.a.loop.qdd).max(axis=0) < 1.0)


def test_the_log_is_of_the_first_model(compared):
    t = compared.log.t - compared.log.t[0]

    def rms(facts):
        loop = facts.replayed
        measured = np.column_stack([np.interp(loop.t[:-1], t, compared.log.tau[:, k]) for k in range(2)])
        middle = slice(100, -100)  # at the ends a log says nothing about what was before or after
        return np.sqrt(((loop.tau - measured)[middle] ** 2).mean())

    assert rms(compared.a) < 0.2 * rms(compared.b)


def test_responses_are_those_of_the_linear_models(compared):
    found = linear_response(linearize(ARM, *np.zeros((3, 6))))
    model = linearize(ARM, *np.zeros((3, 6)))
    assert farthest(found.eigenvalues, model.eigenvalues) < 1e-9
    start, end = found.displacement[0], found.displacement[-1]
    assert np.all(start == 1e-3)
    values, vectors = np.linalg.eig(model.A)
    weights = np.linalg.solve(vectors, np.concatenate([start, np.zeros(6)]).astype(complex))
    exact = (vectors @ (np.exp(values * found.t[-1]) * weights)).real[:6]
    assert end == pytest.approx(exact, rel=1e-6)
    assert compared.a.response.t[-1] == 0.5


def test_operations_and_times(compared):
    for side in compared.sides.values():
        assert set(side.operations) == set(side.ns) >= {"inverse_dynamics", "total_torque", "forward_dynamics"}
        assert all(ns > 0.0 for ns in side.ns.values())
    assert "planar2r" in repr(compared)
    assert len(repr(compared)) < 200


def test_other_joints_are_refused():
    arm = classics.planar2r()
    motion = minimum_jerk([0.0, 0.2], [0.6, -0.4], 1.0, joints=arm.joint_names)
    with pytest.raises(tq.ArgumentError, match="joints of the first model"):
        compare(arm, classics.scara(), motion)
