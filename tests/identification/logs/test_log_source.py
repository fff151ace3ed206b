"""Sources of samples: rows of joints at standstill do not count in a fit."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import simulated_arm

from torquec.identification.identify import identify
from torquec.identification.identify_options import IdentifyOptions
from torquec.identification.logs.log_source import LogInMemory, counted_rows, moving_only
from torquec.identification.logs.prepare import prepare
from torquec.trajectory.log import Log


def with_stiction(seconds=6.0, held=0.15):
    """The arm's log, then a standstill: stiction holds both joints with a torque that the state does not tell."""
    log = simulated_arm.log()
    rest = np.arange(1, int(seconds * 100) + 1) * 0.01
    q = np.repeat(log.q[-1:], len(rest), axis=0)
    tau = np.repeat(log.tau[-1:] + np.array([[held, -held]]), len(rest), axis=0)
    qd = np.concatenate([log.qd, np.zeros_like(q)])
    return Log(
        log.joints,
        np.concatenate([log.t, log.t[-1] + rest]),
        np.concatenate([log.q, q]),
        np.concatenate([log.tau, tau]),
        qd,
    )


def test_each_joint_counts_where_it_moves():
    samples = prepare(simulated_arm.log(), cutoff=10.0)
    (log,) = moving_only([LogInMemory(samples)], 0.02)
    assert log.standstill.tolist() == [0.02, 0.02]
    counted = counted_rows(log, samples)
    assert np.array_equal(counted, np.abs(samples.qd) >= 0.02)
    assert (~counted[:, 0] & counted[:, 1]).any(), "the other joint's rows count at the same time"


def test_a_joint_that_creeps_or_rests_keeps_its_rows():
    samples = prepare(simulated_arm.log(), cutoff=10.0)
    slow = dataclasses.replace(samples, qd=samples.qd * [1e-3, 0.0])
    (log,) = moving_only([LogInMemory(slow)], 0.02)
    counted = counted_rows(log, slow)
    assert counted[:, 0].mean() > 0.9
    assert counted[:, 1].all()


def test_zero_counts_every_row():
    source = LogInMemory(prepare(simulated_arm.log(), cutoff=10.0))
    (log,) = moving_only([source], 0.0)
    assert counted_rows(log, source.whole) is None


def test_stiction_does_not_spoil_a_fit():
    """Errors of the friction found with and without the rows of standing joints; the motion is the same."""
    log, truth = with_stiction(), np.array([0.5, 0.2, 0.5, 0.2])

    def error(standstill):
        options = dataclasses.replace(simulated_arm.QUICK, standstill=standstill)
        found = identify(simulated_arm.arm(1.3), log, options=options)
        values = dict(zip(found.names, found.x.tolist(), strict=True))
        names = [f"{word}_{joint}" for joint in log.joints for word in ("viscous", "coulomb")]
        return np.abs([values[name] for name in names] - truth).max(), found

    spoiled, _ = error(0.0)
    clean, found = error(IdentifyOptions().standstill)
    assert clean < 0.35 * spoiled
    assert any("joint at standstill: " in note and "% of joint1" in note for note in found.notes)
    assert found.relative_error > 0.01, "errors are of all rows, those at standstill too"


def test_negative_speeds_are_refused():
    with pytest.raises(Exception, match="standstill is -1"):
        IdentifyOptions(standstill=-1.0)
