"""Friction compensation: exact branches, smoothing, and none."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot, random_state

from torquec.control.model_terms import FrictionAt, FrictionCompensation
from torquec.dynamics import friction_torque
from torquec.errors import ArgumentError


def signals(robot, seed):
    state = random_state(robot, seed, size=2)
    return {"qd_ref": list(state.qd[0]), "qd": list(state.qd[1])}


@pytest.mark.parametrize("seed", range(8))
def test_whose_speed_counts(seed):
    robot = random_robot(seed)
    given = signals(robot, seed)
    for at, key in ((FrictionAt.REFERENCE, "qd_ref"), (FrictionAt.MEASURED, "qd")):
        found = FrictionCompensation(at).torque(robot, given)
        assert np.allclose(found, np.array(friction_torque(robot, given[key]), dtype=float))
    assert FrictionCompensation(FrictionAt.NOTHING).torque(robot, given) == [0.0] * robot.n


@pytest.mark.parametrize("seed", range(8))
def test_smoothing_tends_to_the_exact_law_away_from_rest(seed):
    robot = random_robot(seed)
    given = signals(robot, seed)
    smooth = np.array(FrictionCompensation(smoothing=1e-7).torque(robot, given), dtype=float)
    assert np.allclose(smooth, np.array(friction_torque(robot, given["qd_ref"]), dtype=float), rtol=1e-6, atol=1e-6)


def test_a_negative_smoothing_is_refused():
    with pytest.raises(ArgumentError, match="smoothing speed"):
        FrictionCompensation(smoothing=-1.0)
