"""Delays that were put into a log are found again, between samples too."""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
import pytest
from tests.identification import real_logs
from tests.identification.clean_logs import clean_log

from torquec.errors import ArgumentError
from torquec.identification.logs.check_log import check_log
from torquec.identification.logs.torque_delay import away_from_reversals, torque_delay, without_delay
from torquec.robot import classics
from torquec.trajectory.log import Pathology, Severity


def test_joints_are_seen_one_by_one():
    t = np.linspace(0.0, 2.0 * np.pi, 1001)
    away = away_from_reversals(np.column_stack([np.sin(t), np.full_like(t, 2.0)]), 50)
    assert away[:, 1].all()
    assert not away[450:551, 0].any()
    assert away[100:400, 0].all()
    assert away[600:900, 0].all()


def test_without_a_margin_only_the_two_samples_of_the_reversal_are_near():
    assert away_from_reversals(np.array([[1.0], [2.0], [-1.0], [-2.0]]), 0).ravel().tolist() == [
        True,
        False,
        False,
        True,
    ]


ROBOT = classics.puma560()


def late_log(delay, seed=0):
    """A log whose torques were taken `delay` seconds too late."""
    return clean_log(ROBOT, seconds=15.0, late=delay, seed=seed)


@pytest.mark.parametrize("delay", [0.0023, 0.012, -0.0071])
def test_a_known_delay_is_found_between_samples_of_ten_milliseconds(delay):
    found = torque_delay(ROBOT, late_log(delay))
    assert found.found
    assert abs(found.seconds - delay) < max(4.0 * found.std, 1e-4)
    assert found.std < 5e-4


def test_no_delay_is_found_where_there_is_none():
    found = torque_delay(ROBOT, late_log(0.0))
    assert abs(found.seconds) < max(4.0 * found.std, 1e-4)
    assert not found.is_significant


def test_a_delay_that_was_removed_is_gone():
    log = late_log(0.02)
    assert torque_delay(ROBOT, log).is_significant
    assert not torque_delay(ROBOT, without_delay(log, torque_delay(ROBOT, log).seconds)).is_significant


@pytest.mark.parametrize("case", ["panda", "tx40"])
def test_a_delay_put_into_a_recorded_log_is_found(case):
    robot, logs = getattr(real_logs, case)()
    own, more = (torque_delay(robot, log) for log in (logs[0], without_delay(logs[0], -0.0037)))
    assert more.seconds - own.seconds == pytest.approx(0.0037, abs=4e-4)


def test_check_log_tells_a_delay_with_its_remedy_where_asked():
    log = late_log(0.02)
    found = [f for f in check_log(ROBOT, log, delay=True) if f.kind is Pathology.DELAY]
    assert found[0].severity is Severity.WARNING
    assert found[0].remedy.startswith("say so in a map: delay = 0.0")
    assert not [f for f in check_log(ROBOT, late_log(0.002)) if f.kind is Pathology.DELAY]
    assert not [f for f in check_log(ROBOT, late_log(0.0), delay=True) if f.kind is Pathology.DELAY]


@pytest.mark.parametrize("seconds", [0.1, -0.1, 0.3])
def test_a_delay_that_no_drive_has_is_found_without_being_asked_for(seconds):
    log = late_log(seconds)
    assert torque_delay(ROBOT, log).seconds == pytest.approx(seconds, abs=2e-3)
    (found,) = [f for f in check_log(ROBOT, log) if f.kind is Pathology.DELAY]
    assert float(found.remedy.split("delay = ")[1]) == pytest.approx(seconds, abs=2e-3)


def test_without_scipy_the_check_goes_on_and_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    (found,) = [f for f in check_log(ROBOT, late_log(0.02), delay=True) if f.kind is Pathology.DELAY]
    assert found.severity is Severity.NOTE
    assert "torquec[identify]" in found.remedy


def test_misuse_is_told():
    log = late_log(0.0)
    with pytest.raises(ArgumentError, match="delays up to 0"):
        torque_delay(ROBOT, log, largest=0.0)
    short = dataclasses.replace(log, t=log.t[:60], q=log.q[:60], qd=log.qd[:60], tau=log.tau[:60])
    with pytest.raises(ArgumentError):
        torque_delay(ROBOT, short)
