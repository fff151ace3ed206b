"""Computed torque: its formula, errors that die out as the poles say, the diagonal law."""

from __future__ import annotations

import numpy as np
import pytest
from tests.control.closed_loop import run

import torquec as tq
from torquec.closedform.fourier import Rule
from torquec.control.computed_torque import computed_torque, diagonal_computed_torque
from torquec.control.model_terms import Evaluation, FrictionAt, FrictionCompensation
from torquec.errors import ArgumentError
from torquec.trajectory import minimum_jerk

ARM = tq.classics.puma560()
NO_FRICTION = FrictionCompensation(FrictionAt.NOTHING)


def signals(seed=0, n=6):
    return np.random.default_rng(seed).normal(size=(5, n))


@pytest.mark.parametrize("evaluation", Evaluation)
def test_the_formula(evaluation):
    q_ref, qd_ref, qdd_ref, q, qd = signals()
    pole = -12 + 45j
    v = qdd_ref + abs(pole) ** 2 * (q_ref - q) + 24.0 * (qd_ref - qd)
    at = (q_ref, qd_ref) if evaluation is Evaluation.REFERENCE else (q, qd)
    arm = tq.compile(ARM)
    expected = arm.inverse_dynamics(*at, v) + arm.friction_torque(qd_ref)
    found = computed_torque(ARM, pole, evaluation=evaluation).torque(q_ref, qd_ref, qdd_ref, q, qd)
    assert found == pytest.approx(expected, rel=1e-10)
    diagonal = np.diag(arm.mass_matrix(at[0])) * v + arm.gravity_torque(at[0]) + arm.friction_torque(qd_ref)
    found = diagonal_computed_torque(ARM, pole, evaluation=evaluation).torque(q_ref, qd_ref, qdd_ref, q, qd)
    assert found == pytest.approx(diagonal, rel=1e-10)


def test_a_rule_without_threshold_changes_nothing():
    arm = tq.classics.stanford()
    given = signals(2)
    exact = computed_torque(arm, -5.0).torque(*given)
    abbreviated = computed_torque(arm, -5.0, rule=Rule(multiple_angles=True)).torque(*given)
    assert abbreviated == pytest.approx(exact, rel=1e-9)


def test_errors_die_out_as_the_poles_say():
    # evaluated where the robot is, the loop is linear exactly: e = e0 exp(-12 t) (cos 20 t + 12/20 sin 20 t)
    motion = minimum_jerk(np.zeros(6), [0.4, -0.3, 0.5, 0.3, 0.4, 0.2], 0.4, period=0.0005)
    controller = computed_torque(ARM, -12 + 20j, period=0.0005, evaluation=Evaluation.MEASURED, friction=NO_FRICTION)
    start = np.full(6, 0.05)
    q, _, _ = run(ARM, controller, motion, q=motion.q[0] - start, substeps=1)
    t = motion.t
    expected = 0.05 * np.exp(-12 * t) * (np.cos(20 * t) + 0.6 * np.sin(20 * t))
    assert np.abs((motion.q - q) - expected[:, None]).max() < 1e-3


def test_bad_poles_are_refused_with_the_joint():
    with pytest.raises(ArgumentError, match="joint 'joint1' are unstable"):
        computed_torque(ARM, 1.0)
    with pytest.raises(ArgumentError, match=r"too fast for samples every 0\.01 s") as caught:
        diagonal_computed_torque(ARM, -300.0, period=0.01)
    assert "Hz" in caught.value.remedy
