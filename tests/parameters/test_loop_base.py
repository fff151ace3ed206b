"""Base parameters of robots with closed loops: they determine every torque, and none of them is superfluous."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.test_closed_loops import error, mechanism, some_slow, state

import torquec as tq
from torquec import dynamics


@pytest.mark.parametrize(
    "name",
    some_slow(["four_bar", "slider_crank", "five_bar", "palletizer", "stewart"], ["five_bar", "palletizer", "stewart"]),
)
def test_base_parameters_give_the_torques_and_are_fewer_than_those_of_the_tree(name):
    robot = mechanism(name)
    base = tq.base_parameters(robot)
    assert not base.exact
    assert "closed loops" in base.method
    assert len(base) <= len(tq.base_parameters(robot.tree))
    model = tq.compile(robot)
    rows = []
    for seed in range(40):
        q, qd, qdd = state(robot, seed)
        rows.append(np.array(dynamics.base_regressor(robot, base.body_expansion.tolist(), q, qd, qdd)))
        if seed < 3:
            tau = dynamics.inverse_dynamics(robot, q, qd, qdd)
            assert error(rows[-1] @ base.values, tau) < 1e-9
            assert error(model.base_inverse_dynamics(q, qd, qdd, base.values), tau) < 1e-9
    whole = np.concatenate(rows)
    assert np.linalg.matrix_rank(whole / np.linalg.norm(whole, axis=0), tol=1e-9) == len(base)


def test_a_slider_crank_has_three_bodies_and_few_parameters():
    """Known answer: crank Iyy+ and two first moments, rod's second moment and two first moments, by T and V alone."""
    assert len(tq.base_parameters(mechanism("slider_crank"))) == 6
