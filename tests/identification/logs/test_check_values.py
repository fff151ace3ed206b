"""Spikes and frozen columns are found and named; steps, reversals and recorded logs are neither."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import real_logs, simulated_arm

import torquec as tq
from torquec.identification.logs.check_values import check_frozen, check_missing, check_spikes, check_stamps
from torquec.trajectory.log import Log, Pathology, Severity
from torquec.trajectory.read_log import looks_like_degrees

T = 0.01 * np.arange(200)


def log_at(t, q=None):
    zeros = np.zeros((len(t), 2))
    return Log(("a", "b"), t, zeros if q is None else q, zeros, zeros)


def alarms(log):
    return [f for f in check_stamps(log) if f.severity is not Severity.NOTE]


def test_even_stamps_say_nothing():
    assert check_stamps(log_at(T)) == []
    assert check_missing(log_at(T)) == []


def test_every_part_is_a_span():
    t = T.copy()
    t[[20, 21, 50]] = t[[19, 19, 49]]
    (found,) = alarms(log_at(t))
    assert found.kind is Pathology.DUPLICATE_STAMPS
    assert found.spans == ((19, 21), (49, 50))
    assert "repeated stamps: 3" in found.text


def test_a_clock_that_was_set_back_is_no_gap():
    t = T.copy()
    t[100:] -= 0.5
    (found,) = check_stamps(log_at(t))
    assert found.kind is Pathology.BACKWARD_STAMPS
    assert found.rows == (99, 100)


def test_a_stamp_in_the_far_future_costs_its_own_row():
    t = T.copy()
    t[6] = 1e9
    (found,) = alarms(log_at(t))
    assert found.kind is Pathology.BACKWARD_STAMPS
    assert found.rows == (6, 7)
    assert "not used: 1" in found.text


def test_missing_stamps_do_not_shift_rows():
    t = T.copy()
    t[10] = np.nan
    t[100:] += 1.0
    missing, (gap,) = check_missing(log_at(t)), alarms(log_at(t))
    assert [f.column for f in missing] == ["t"]
    assert gap.kind is Pathology.GAP
    assert gap.rows == (99, 100)


def test_missing_values_are_counted_by_column_and_most_of_them_are_an_error():
    q = np.zeros((200, 2))
    q[5:8, 0] = np.nan
    q[20:190, 1] = np.inf
    few, most = check_missing(log_at(T, q))
    assert (few.column, few.severity, few.spans) == ("q of a", Severity.WARNING, ((5, 7),))
    assert (most.column, most.severity) == ("q of b", Severity.ERROR)


def test_time_that_never_rises():
    (found,) = check_stamps(log_at(np.zeros(200)))
    assert found.severity is Severity.ERROR
    assert "never rises" in found.text


@pytest.mark.parametrize(("step", "unit"), [(1.0, "ms"), (1e3, "us"), (1e6, "ns")])
def test_steps_that_no_recorder_takes(step, unit):
    (found,) = check_stamps(log_at(step * np.arange(200)))
    assert found.kind is Pathology.UNITS
    assert f'"{unit}"' in found.remedy


@pytest.fixture(scope="module")
def log():
    return simulated_arm.log()


def with_values(log, kind, rows, value, joint=0):
    values = getattr(log, kind).copy()
    values[rows, joint] = value
    return dataclasses.replace(log, **{kind: values})


@pytest.mark.parametrize("rows", [[100], [100, 101, 102, 103, 104], [100, 250, 251, 400, 700]])
def test_a_few_wrong_positions_are_spikes_and_no_unit(log, rows):
    bad = with_values(log, "q", rows, 50.0)
    (finding,) = check_spikes(bad)
    assert (finding.kind, finding.severity) == (Pathology.SPIKES, Severity.ERROR)
    assert sum(b - a + 1 for a, b in finding.spans) == len(rows)
    assert looks_like_degrees(simulated_arm.arm(), bad.joints, bad.q)[1] is None
    found = tq.check_log(simulated_arm.arm(), bad)
    assert not any(f.kind is Pathology.UNITS for f in found)
    assert any(f.kind is Pathology.SPIKES for f in found)


def test_spikes_of_torque_are_named(log):
    (finding,) = check_spikes(with_values(log, "tau", [300], 1e4, joint=1))
    assert "tau of joint2" in finding.column
    assert finding.severity is Severity.ERROR
    assert finding.spans == ((300, 300),)
    moderate = with_values(log, "tau", [300], 6.0 * np.ptp(log.tau[:, 0]))
    assert check_spikes(moderate)[0].severity is Severity.WARNING


def test_a_step_is_no_spike(log):
    stepped = dataclasses.replace(log, tau=log.tau + 100.0 * (np.arange(len(log)) > 400)[:, None])
    assert check_spikes(stepped) == []


@pytest.mark.parametrize("kind", ["tau", "qd"])
def test_a_frozen_column_is_named(log, kind):
    rows = slice(200, 300)
    frozen = with_values(log, kind, rows, getattr(log, kind)[200, 0])
    (finding,) = check_frozen(frozen)
    assert (finding.kind, finding.spans) == (Pathology.FROZEN, ((200, 299),))
    assert check_frozen(log) == []


@pytest.mark.parametrize("kind", ["tau", "qd", "q"])
@pytest.mark.parametrize("rows", [slice(200, 300), slice(400, None), slice(0, None)], ids=["part", "end", "all"])
def test_a_column_that_is_frozen_for_a_while_or_all_along(log, kind, rows):
    frozen = with_values(log, kind, rows, getattr(log, kind)[200, 0])
    first, last, _ = rows.indices(len(log))
    assert [(f.kind, f.column, f.spans) for f in check_frozen(frozen)] == [
        (Pathology.FROZEN, f"{kind} of joint1", ((first, last - 1),))
    ]


def test_positions_without_speeds_are_frozen_where_they_jump(log):
    frozen = dataclasses.replace(with_values(log, "q", slice(200, 300), log.q[200, 0]), qd=None)
    assert [f.spans for f in check_frozen(frozen)] == [((200, 299),)]
    resting = dataclasses.replace(log, q=np.concatenate([log.q[:300], np.repeat(log.q[300:301], len(log) - 300, 0)]))
    assert check_frozen(dataclasses.replace(resting, qd=None)) == []  # without speeds, a joint that stops


@pytest.mark.parametrize("case", ["panda", "lwr4", "kr300", "tx40"])
def test_recorded_logs_have_neither(case):
    _, logs = getattr(real_logs, case)()
    assert [finding for log in logs for finding in (*check_spikes(log), *check_frozen(log))] == []
