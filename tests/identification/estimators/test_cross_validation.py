"""Folds: over motions where there are several, over time where there is one; errors of what was left out."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import real_logs

from torquec.identification.estimators.cross_validation import FoldPart, Folds, LogFolds, fold_squares, relative_error
from torquec.identification.estimators.joint_factors import joint_factors
from torquec.identification.estimators.least_squares import OrdinaryLeastSquares
from torquec.identification.excitation.excitation import simulated_log
from torquec.identification.logs.log_source import LogInMemory
from torquec.identification.logs.prepare import prepare
from torquec.identification.torque.torque_model import torque_model
from torquec.robot import classics


def rows(seed, size=100, x=(1.0, -2.0)):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(size, 1, 2))
    return a, a @ np.array(x)


def time_folds(logs, *, parts=5, motions=()):
    """The folds of logs, each given as (A (N, n, k), tau (N, n)) in the order of time."""
    cut = [[fold_part(*part) for part in zip(*(np.array_split(v, parts) for v in log), strict=True)] for log in logs]
    return Folds(tuple(map(tuple, cut)), tuple(motions))


def fold_part(a, tau, gap=0):
    """A part with gaps of so many samples at its ends."""
    cuts = [slice(0, gap), slice(gap, len(a) - gap), slice(len(a) - gap, len(a))]
    return FoldPart(*(joint_factors(a[cut], tau[cut]) for cut in cuts))


def motions_of(samples):
    return LogFolds([LogInMemory(one) for one in samples]).motions


def test_time_folds_leave_out_the_same_time_of_every_log():
    pairs = time_folds([rows(0), rows(1, 50)], parts=5).pairs()
    assert [kept.count for kept, _ in pairs] == [120] * 5
    assert [[part.count for part in left] for _, left in pairs] == [[20, 10]] * 5


def test_what_is_fitted_keeps_a_gap_from_what_is_left_out():
    a, tau = rows(0, 90)
    parts = tuple(fold_part(a[k : k + 30], tau[k : k + 30], gap=4) for k in (0, 30, 60))
    pairs = Folds((parts,)).pairs()
    assert [kept.count for kept, _ in pairs] == [26 + 30, 26 + 26, 30 + 26]
    assert [left[0].count for _, left in pairs] == [30, 30, 30]


def test_errors_that_last_are_not_learned_from_their_neighbours():
    """Residuals that drift slowly: a flexible model follows them across a border, unless there is a gap."""
    robot = classics.planar2r()
    folds = LogFolds([LogInMemory(prepare(simulated_log(robot), cutoff=10.0))])
    model = torque_model(robot, rotors=False)
    with_gap = folds.folds([model], 5)[0]
    counts = [part.head.count for part in with_gap.parts[0]]
    assert min(counts) > 0
    kept, left = with_gap.pairs()[2]
    whole = with_gap.whole.count
    assert kept.count == whole - left[0].count - with_gap.parts[0][1].tail.count - with_gap.parts[0][3].head.count


def test_the_phases_of_a_repeated_motion_are_parts():
    """Each part has its samples from every repetition; together they are the whole log."""
    robot = classics.planar2r()
    once = prepare(simulated_log(robot), cutoff=10.0)
    inside = once.used
    names = ("t", "q", "qd", "qdd", "tau", "used")
    twice = dataclasses.replace(once, **{n: np.concatenate(3 * [getattr(once, n)[inside]]) for n in names}, others={})
    folds = LogFolds([LogInMemory(twice)])
    seconds = inside.sum() / once.rate
    assert folds.periods[0] == pytest.approx(seconds, rel=0.02)
    model = torque_model(robot, rotors=False)
    phases, times = (folds.folds([model], 4, phases=phases)[0].parts[0] for phases in (True, False))
    assert sum(part.whole.count for part in phases) == sum(part.whole.count for part in times)
    assert max(part.whole.count for part in phases) < 1.1 * min(part.whole.count for part in phases)
    first = LogFolds([LogInMemory(dataclasses.replace(twice, used=np.arange(len(twice)) < inside.sum()))])
    assert first.periods == (None,)
    ours, theirs = phases[0].whole, first.folds([model], 4)[0].parts[0][0].whole
    assert ours.weighted(np.ones(2)).T @ ours.weighted(np.ones(2)) == pytest.approx(
        3.0 * theirs.weighted(np.ones(2)).T @ theirs.weighted(np.ones(2)), rel=0.2, abs=0.2 * ours.count
    )


def test_motions_are_left_out_as_a_whole():
    pairs = time_folds([rows(0), rows(1, 50), rows(2)], motions=[(0, 2), (1,)]).pairs()
    assert [kept.count for kept, _ in pairs] == [50, 200]
    assert [sum(part.count for part in left) for _, left in pairs] == [200, 50]


def test_the_error_of_a_known_split():
    """Two logs with x = 1 and x = 2: each predicts the other with a known relative error."""
    a = np.ones((10, 1, 1))
    pairs = time_folds([(a, a[:, :, 0]), (a, 2.0 * a[:, :, 0])], motions=[(0,), (1,)]).pairs()
    squares = fold_squares(pairs, OrdinaryLeastSquares)
    assert squares == pytest.approx(np.full(10, 2.0))
    assert relative_error(pairs, squares) == pytest.approx(np.sqrt((1.0 + 1.0) / (1.0 + 4.0)))


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
