"""Rows and stamps: what is counted, and where."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.identification.logs.check_stamps import check_missing, check_stamps
from torquec.trajectory.log import Log, Pathology, Severity

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
