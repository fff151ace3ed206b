"""The columns of a few samples: those of the robot itself explain its torques, gravity is linear in them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification.clean_logs import clean_log

import torquec as tq
from torquec.dynamics.regressor import parameter_values
from torquec.errors import ArgumentError
from torquec.identification.logs.fit_motion import LONGEST, even_rows, fit_motion, prepared_for_fit
from torquec.robot import classics
from torquec.robot.robot import Drives

ROBOT = dataclasses.replace(classics.stanford(), drives=Drives())


@pytest.fixture(scope="module")
def motion():
    samples = prepared_for_fit(clean_log(ROBOT, noise=0.0))
    return fit_motion(samples, even_rows(samples))


def test_the_columns_times_the_parameters_are_the_torques(motion):
    torque = np.asarray(tq.compile(ROBOT).inverse_dynamics(motion.q, motion.qd, motion.qdd))
    columns = motion.columns(ROBOT)
    values = np.concatenate([parameter_values(ROBOT), np.zeros(columns.shape[2] - len(parameter_values(ROBOT)))])
    assert columns @ values == pytest.approx(torque, abs=1e-9)


def test_columns_are_linear_in_gravity(motion):
    parts = motion.pulls(ROBOT)
    g = np.array([3.0, -4.0, 5.0])
    turned = dataclasses.replace(ROBOT, gravity=tuple(g))
    assert parts[0] + np.tensordot(g, parts[1:], axes=1) == pytest.approx(motion.columns(turned), abs=1e-12)


def test_changes_of_the_motion(motion):
    flip = np.array([1.0, -1.0, 1.0, 1.0, 1.0, 1.0])
    assert (motion.turned(motion=flip).q[:, 1] == -motion.q[:, 1]).all()
    assert (motion.turned(torque=flip).tau[:, 1] == -motion.tau[:, 1]).all()
    assert (motion.turned(torque=flip).q == motion.q).all()
    ordered = motion.ordered([1, 0, 2, 3, 4, 5], motion=True, torque=False)
    assert (ordered.qdd[:, 0] == motion.qdd[:, 1]).all()
    assert (ordered.tau == motion.tau).all()
    assert motion.moved(np.arange(6.0)).q - motion.q == pytest.approx(np.tile(np.arange(6.0), (len(motion.t), 1)))


def test_samples_are_few_and_away_from_the_ends():
    samples = prepared_for_fit(clean_log(ROBOT, noise=0.0))
    rows = even_rows(samples, edge=2.0, most=50)
    assert 50 <= len(rows) <= 100
    assert samples.t[rows[0]] > samples.t[0] + 2.0
    with pytest.raises(ArgumentError, match="away from its ends"):
        even_rows(samples, edge=100.0)


def test_of_a_long_log_the_middle_is_taken():
    log = clean_log(classics.planar2r(), seconds=500.0, noise=0.0)
    samples = prepared_for_fit(log)
    assert len(samples) <= LONGEST + 1
    assert 2.0 <= samples.cutoff <= 15.0
