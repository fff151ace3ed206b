"""A log checked in pieces gives what it gives as a whole."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import real_logs
from tests.identification.clean_logs import clean_log

from torquec.identification import check_log
from torquec.identification.logs.check_log import check_log_pieces
from torquec.robot import classics
from torquec.trajectory.log import Log, Pathology, Severity
from torquec.trajectory.read_log import read_log_chunks

ROBOT = classics.puma560()


@pytest.fixture(scope="module")
def clean():
    return clean_log(ROBOT, seconds=40.0)


def pieces(log, rows=1000):
    for k in range(0, len(log), rows):
        part = slice(k, k + rows)
        yield Log(
            log.joints,
            log.t[part],
            log.q[part],
            log.tau[part],
            None if log.qd is None else log.qd[part],
            first_line=k + 2,
            first_row=k,
        )


def alarms(found):
    return [f for f in found if f.severity is not Severity.NOTE]


def test_a_clean_log_raises_no_alarm(clean):
    assert alarms(check_log_pieces(ROBOT, pieces(clean))) == []


@pytest.mark.parametrize("case", ["panda", pytest.param("lwr4", marks=pytest.mark.slow)])
def test_recorded_logs_raise_no_alarm(case):
    robot, logs = getattr(real_logs, case)()
    assert alarms(check_log_pieces(robot, read_log_chunks(logs[0].source, robot, rows=2500))) == []


def test_rows_are_those_of_the_whole_also_between_pieces(clean):
    t, q, tau = clean.t.copy(), clean.q.copy(), clean.tau.copy()
    t[1000:] += 0.5  # between the first and the second piece
    q[1700:1703, 2] = np.nan
    q[3200:, 1] += 2.0 * np.pi
    tau[2100:2130, 0] = 2.0 * np.abs(tau[:, 0]).max()
    log = dataclasses.replace(clean, t=t, q=q, tau=tau)
    whole = {(f.kind, f.column): f.rows for f in alarms(check_log(ROBOT, log))}
    found = {(f.kind, f.column): f for f in alarms(check_log_pieces(ROBOT, pieces(log)))}
    assert {key: finding.rows for key, finding in found.items()} == whole
    assert {kind for kind, _ in whole} == {
        Pathology.GAP, Pathology.NAN_ROWS, Pathology.WRAP, Pathology.SATURATION,
    }  # fmt: skip
    assert found[Pathology.GAP, "t"].lines == (1001, 1002)


def test_a_piece_at_rest_is_a_note_and_does_not_hide_a_fault(clean):
    rest = np.clip(np.arange(5000), 0, 1000) + np.clip(np.arange(5000) - 2000, 0, None)  # rows 1000 .. 2000 are one
    still = np.zeros((5000, 1))
    still[[*range(1000), *range(2001, 5000)]] = 1.0
    log = dataclasses.replace(
        clean,
        t=0.01 * np.arange(5000),
        q=clean.q[rest],
        qd=clean.qd[rest] * still,
        tau=clean.tau[rest] * [1, -1, 1, 1, 1, 1],
    )
    found = check_log_pieces(ROBOT, pieces(log))
    assert [f.severity for f in found if f.kind is Pathology.STANDSTILL] == [Severity.NOTE]
    assert [f.kind for f in alarms(found)] == [Pathology.NEGATED]
