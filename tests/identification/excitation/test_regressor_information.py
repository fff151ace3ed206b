"""Information of motions: the matrix, the chain rule to the states, friction columns soft and hard."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.identification.excitation.regressor_information import (
    RegressorInformation,
    information_matrix,
    regressor_conditions,
)
from torquec.identification.torque.friction_law import FrictionModel
from torquec.robot import classics
from torquec.trajectory.trajectory import MotionState

KINDS = [FrictionModel.NONE, FrictionModel.VISCOUS, FrictionModel.CURVED, FrictionModel.DIRECTIONAL]


def states(n, seed=0, count=7):
    return MotionState(*np.random.default_rng(seed).normal(size=(3, count, n)))


def test_the_matrix_is_that_of_the_rows():
    rows = np.random.default_rng(0).normal(size=(4, 2, 3))
    expected = sum(a.T @ a for a in rows) / 4
    assert np.allclose(information_matrix(rows), expected)
    plain, unit = regressor_conditions(rows)
    assert plain == pytest.approx(np.linalg.cond(rows.reshape(8, 3)))
    assert unit < plain


@pytest.mark.parametrize("name", ["puma560", "stanford", "planar2r"])
@pytest.mark.parametrize("friction", KINDS)
def test_the_chain_rule_against_differences(name, friction):
    information = RegressorInformation(classics.load_classic(name), friction)
    n = information.robot.n
    state = states(n)
    rows = information.rows(state, soft=True)
    assert rows.shape[2] == len(information.names)
    weights = np.random.default_rng(1).normal(size=rows.shape)
    found = information.by_state(state, weights)
    for key in ("q", "qd", "qdd"):
        for j in range(n):
            ends = []
            for sign in (1.0, -1.0):
                parts = {k: getattr(state, k).copy() for k in ("q", "qd", "qdd")}
                parts[key][:, j] += sign * 1e-6
                ends.append((information.rows(MotionState(**parts), soft=True) * weights).sum(axis=(1, 2)))
            slope = (ends[0] - ends[1]) / 2e-6
            assert np.allclose(getattr(found, key)[:, j], slope, rtol=1e-5, atol=1e-5 * np.abs(slope).max() + 1e-8)


@pytest.mark.parametrize("friction", KINDS[1:])
def test_soft_columns_are_the_hard_ones_at_speed(friction):
    information = RegressorInformation(classics.puma560(), friction)
    fast = states(6)
    moving = MotionState(fast.q, np.sign(fast.qd) * (0.6 + np.abs(fast.qd)), fast.qdd)
    assert np.allclose(information.rows(moving), information.rows(moving, soft=True), atol=1e-8)


def test_columns_that_need_more_than_speeds_are_refused():
    with pytest.raises(ArgumentError, match="'load'"):
        RegressorInformation(classics.planar2r(), FrictionModel.LOAD)


def test_native_code_is_freed_with_what_it_belongs_to():
    information = RegressorInformation(classics.planar2r(), FrictionModel.NONE)
    state = states(2)
    information.by_state(state, np.ones(information.rows(state).shape))
    gone = weakref.ref(information)
    del information
    gc.collect()
    assert gone() is None
