"""Folds: over motions where there are several, over time where there is one; errors of what was left out."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import real_logs

from torquec.identification import prepare
from torquec.identification.estimators.cross_validation import Folds, validation_error
from torquec.identification.estimators.joint_factors import joint_factors
from torquec.identification.estimators.least_squares import OrdinaryLeastSquares
from torquec.identification.estimators.log_folds import LogFolds
from torquec.identification.excitation.simulated_log import simulated_log
from torquec.identification.logs.log_source import LogInMemory
from torquec.robot import classics


def rows(seed, size=100, x=(1.0, -2.0)):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(size, 1, 2))
    return a, a @ np.array(x)


def time_folds(logs, *, parts=5, motions=()):
    """The folds of logs, each given as (A (N, n, k), tau (N, n)) in the order of time."""
    cut = [
        [joint_factors(*part) for part in zip(*(np.array_split(v, parts) for v in log), strict=True)] for log in logs
    ]
    return Folds(tuple(map(tuple, cut)), tuple(motions))


def motions_of(samples):
    return LogFolds([LogInMemory(one) for one in samples]).motions


def test_time_folds_leave_out_the_same_time_of_every_log():
    pairs = time_folds([rows(0), rows(1, 50)], parts=5).pairs()
    assert [kept.count for kept, _ in pairs] == [120] * 5
    assert [[part.count for part in left] for _, left in pairs] == [[20, 10]] * 5


def test_motions_are_left_out_as_a_whole():
    pairs = time_folds([rows(0), rows(1, 50), rows(2)], motions=[(0, 2), (1,)]).pairs()
    assert [kept.count for kept, _ in pairs] == [50, 200]
    assert [sum(part.count for part in left) for _, left in pairs] == [200, 50]


def test_the_error_of_a_known_split():
    """Two logs with x = 1 and x = 2: each predicts the other with a known relative error."""
    a = np.ones((10, 1, 1))
    pairs = time_folds([(a, a[:, :, 0]), (a, 2.0 * a[:, :, 0])], motions=[(0,), (1,)]).pairs()
    assert validation_error(pairs, OrdinaryLeastSquares) == pytest.approx(np.sqrt((1.0 + 1.0) / (1.0 + 4.0)))
    assert validation_error(pairs, OrdinaryLeastSquares, most=0.5) == np.inf


def test_runs_of_one_motion_are_one_motion():
    log = simulated_log(classics.planar2r())
    other = simulated_log(classics.planar2r(), seed=3)
    again = dataclasses.replace(log, q=log.q + 1e-4, t=log.t + 5.0)
    samples = [prepare(one, cutoff=10.0) for one in (log, other, again)]
    assert motions_of(samples) == ((0, 2), (1,))


@pytest.mark.parametrize(("case", "cutoff", "expected"), [("lwr4", 4.0, ((0, 1),)), ("kr300", 10.0, ((0,), (1,)))])
def test_motions_of_recorded_logs(case, cutoff, expected):
    _, logs = getattr(real_logs, case)()
    assert motions_of(prepare(log, cutoff=cutoff) for log in logs) == expected
