"""Every pathology in a file: the message names the column of the file, its lines, how bad it is and what to do."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification.clean_logs import clean_log

from torquec.identification.logs.check_log import check_log
from torquec.robot import classics
from torquec.trajectory.log import Pathology, Severity
from torquec.trajectory.read_log import read_log

ROBOT = classics.puma560()
HEADER = ",".join(["stamp", *(f"{kind}{k + 1}" for kind in ("q", "dq", "tau") for k in range(6))])


@pytest.fixture(scope="module")
def clean():
    return clean_log(ROBOT)


def written(path, log, *, header=HEADER, end=""):
    rows = np.column_stack([log.t, log.q, log.qd, log.tau])
    lines = [",".join("" if np.isnan(value) else f"{value:.7f}" for value in row) for row in rows.tolist()]
    path.write_text("\n".join(([header] if header else []) + lines) + "\n" + end)
    return path


def found_in(path):
    return [f for f in check_log(ROBOT, read_log(path, ROBOT)) if f.severity is not Severity.NOTE]


def with_rows(log, name, rows, values):
    changed = getattr(log, name).copy()
    changed[rows] = values
    return dataclasses.replace(log, **{name: changed})


def test_a_clean_file(tmp_path, clean):
    assert found_in(written(tmp_path / "log.csv", clean)) == []


CASES = {
    Pathology.NAN_ROWS: (
        lambda log: with_rows(log, "q", (slice(40, 45), 2), np.nan),
        ("q3", "40 .. 44", Severity.WARNING),
    ),
    Pathology.DUPLICATE_STAMPS: (lambda log: with_rows(log, "t", 50, log.t[49]), ("stamp", "49 .. 50", "warning")),
    Pathology.BACKWARD_STAMPS: (lambda log: with_rows(log, "t", 70, log.t[60]), ("stamp", "69 .. 70", "warning")),
    Pathology.GAP: (
        lambda log: with_rows(log, "t", slice(300, None), log.t[300:] + 2.0),
        ("stamp", "299 .. 300", "warning"),
    ),
    Pathology.WRAP: (
        lambda log: with_rows(log, "q", (slice(400, None), 1), log.q[400:, 1] - 2.0 * np.pi),
        ("q2", "399 .. 400", "error"),
    ),
    Pathology.NEGATED: (lambda log: dataclasses.replace(log, tau=log.tau * [1, -1, 1, 1, 1, 1]), ("tau2", "", "error")),
    Pathology.PERMUTED: (
        lambda log: dataclasses.replace(log, tau=log.tau[:, [0, 2, 1, 3, 4, 5]]),
        ("tau2", "", "error"),
    ),
    Pathology.NO_TORQUE: (
        lambda log: dataclasses.replace(log, tau=log.tau * [1, 1, 0, 1, 1, 1]),
        ("tau3", "", "warning"),
    ),
    Pathology.UNITS: (lambda log: dataclasses.replace(log, q=np.degrees(log.q)), ("q", "", "warning")),
    Pathology.SATURATION: (
        lambda log: dataclasses.replace(
            log, tau=np.maximum(log.tau, np.where(np.arange(6) == 1, 0.6, 1.0) * log.tau.min(axis=0))
        ),
        ("tau2", "", "warning"),
    ),
}


@pytest.mark.parametrize("kind", list(CASES))
def test_the_message_names_column_lines_severity_and_remedy(tmp_path, clean, kind):
    change, (column, rows, severity) = CASES[kind]
    found = [f for f in found_in(written(tmp_path / "log.csv", change(clean))) if f.kind is kind]
    assert found, kind
    finding = found[0]
    assert column in finding.column
    assert finding.severity == severity
    assert finding.remedy
    if rows:
        first, last = (int(word) for word in rows.split(" .. "))
        assert finding.rows == (first, last)
        assert finding.lines == (first + 2, last + 2)  # the header is line 1
        assert str(first + 2) in str(finding)


def test_a_cut_last_line(tmp_path, clean):
    found = found_in(written(tmp_path / "log.csv", clean, end="12.0100000,0.12"))
    assert [f.kind for f in found] == [Pathology.CUT_LINE]
    assert found[0].lines == (len(clean) + 2, len(clean) + 2)


def test_a_missing_header(tmp_path, clean):
    found = found_in(written(tmp_path / "log.csv", clean, header=""))
    assert [f.kind for f in found] == [Pathology.MISSING_HEADER]
    assert found[0].lines == (1, 1)


def test_milliseconds_are_taken_and_told(tmp_path, clean):
    found = found_in(written(tmp_path / "log.csv", dataclasses.replace(clean, t=1000.0 * clean.t)))
    assert [(f.kind, f.column) for f in found] == [(Pathology.UNITS, "stamp")]


def test_jitter_rest_and_notes_do_not_alarm(tmp_path, clean):
    rng = np.random.default_rng(0)
    t = clean.t + rng.uniform(0.0, 0.004, len(clean))
    q, qd = clean.q.copy(), clean.qd.copy()
    q[1000:], qd[1000:] = q[1000], 0.0
    path = written(tmp_path / "log.csv", dataclasses.replace(clean, t=t, q=q, qd=qd))
    assert found_in(path) == []
    notes = {f.kind: f for f in check_log(ROBOT, read_log(path, ROBOT))}
    assert Pathology.JITTER in notes
    assert notes[Pathology.STANDSTILL].lines[1] == len(clean) + 1
    assert abs(notes[Pathology.STANDSTILL].lines[0] - 1002) < 20


def test_quantised_and_held_torques_are_not_saturated(tmp_path, clean):
    coarse = np.repeat(clean.tau[::8], 8, axis=0)[: len(clean)]
    found = found_in(written(tmp_path / "log.csv", dataclasses.replace(clean, tau=np.round(coarse, 1))))
    assert {finding.kind for finding in found} <= {Pathology.DELAY}  # held for 80 ms, they are late by half of it


def test_too_short_a_log_is_told(tmp_path, clean):
    few = dataclasses.replace(clean, t=clean.t[:10], q=clean.q[:10], qd=clean.qd[:10], tau=clean.tau[:10])
    found = found_in(written(tmp_path / "log.csv", few))
    assert found[0].severity is Severity.ERROR
    assert "too few" in found[0].text
