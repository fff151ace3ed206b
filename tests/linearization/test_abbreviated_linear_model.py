"""Abbreviated models: Appendix A's torques, operation counts, no abbreviation is no change."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.clover import beside
from tests.dynamics.arms import gripper

import torquec as tq
from torquec.closedform.fourier import CLOVER, Rule
from torquec.errors import RobotError
from torquec.expr import count_operations
from torquec.linearization import abbreviated_linear_model as module
from torquec.linearization.abbreviated_linear_model import abbreviated_linear_model
from torquec.linearization.linearize import linearize
from torquec.trajectory import minimum_jerk

ARM = tq.classics.puma560()
ALL_TERMS = Rule(multiple_angles=True)
PLAIN_SHARING = (99, 88)
"""Multiplications and additions of the linear model by a computer algebra system's common subexpressions."""


def test_table_iii():
    # chapter II: 2 pi in 1.5 s by all joints; largest errors printed .99 .75 .80 .27 .43 .009
    motion = minimum_jerk(np.zeros(6), np.full(6, 2 * math.pi), 1.5, period=0.01)
    abbreviated = tq.abbreviated_model(ARM).total_torque(motion.q, motion.qd, motion.qdd)
    error = tq.compile(ARM).total_torque(motion.q, motion.qd, motion.qdd) - abbreviated
    largest = np.abs(error).max(axis=0)
    beside(
        "Table III, largest errors (ours with the gravity terms of joint 5)", largest, [0.99, 0.75, 0.80, 0.27, 0.43]
    )
    # The table leaves out the gravity terms of joint 5, which are 0.0283 at most.
    assert np.all(
        np.abs(largest - [0.992, 0.753, 0.797, 0.275, 0.431, 0.0093]) < [0.002, 0.03, 0.03, 0.002, 0.03, 0.001]
    )


def test_the_linear_model_is_smaller_than_plain_sharing_makes_it():
    count = count_operations(abbreviated_linear_model(ARM))
    beside("linear model, mul/add", [count.mul, count.add], [257, 158])
    assert count.mul <= PLAIN_SHARING[0]
    assert count.add <= PLAIN_SHARING[1]


@pytest.mark.parametrize("name", ["planar2r", "scara", "stanford"])
def test_without_a_threshold_it_is_exact(name):
    arm = tq.classics.load_classic(name)
    state = np.random.default_rng(0).normal(size=(3, arm.n))
    exact, abbreviated = linearize(arm, *state), linearize(arm, *state, rule=ALL_TERMS)
    for matrix in ("M", "C", "K"):
        assert np.allclose(getattr(exact, matrix), getattr(abbreviated, matrix), atol=1e-10)
    torque = tq.abbreviated_model(arm, ALL_TERMS).total_torque(*state)
    assert np.allclose(torque, tq.compile(arm).total_torque(*state), atol=1e-10)


def test_joints_that_follow_others_are_refused():
    robot = gripper()
    with pytest.raises(RobotError, match="joints that follow others"):
        linearize(robot, *np.zeros((3, robot.n)), rule=CLOVER)


def test_what_does_not_get_shorter_is_refused(monkeypatch):
    monkeypatch.setitem(module._MOST_TERMS, "M", 10)
    with pytest.raises(RobotError, match="terms up to M: it would be longer") as caught:
        abbreviated_linear_model(ARM)
    assert "raise the threshold, which is 0.01" in caught.value.remedy
