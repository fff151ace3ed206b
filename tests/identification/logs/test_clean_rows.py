"""Rows that can be used: stamps that jump ahead or back cost as few rows as they must."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.identification.logs.clean_rows import clean_rows, log_motion, moving_average, parts_of, rising_rows
from torquec.trajectory.log import Log

T_motion = 0.002 * np.arange(3000)


def log_of(t, missing=()):
    q = np.stack([np.sin(1.5 * t), np.cos(t)], axis=1)
    q[list(missing), 0] = np.nan
    return Log(("a", "b"), t, q, 2.0 * q)


def test_speeds_and_accelerations_of_sines():
    motion = log_motion(log_of(T_motion))
    inside = slice(150, -150)
    t = motion.t[inside]
    assert np.allclose(motion.qd[inside], np.stack([1.5 * np.cos(1.5 * t), -np.sin(t)], axis=1), atol=0.01)
    assert np.allclose(motion.qdd[inside], np.stack([-2.25 * np.sin(1.5 * t), -np.cos(t)], axis=1), atol=0.02)
    assert np.allclose(motion.tau, 2.0 * motion.q)


def test_rows_without_numbers_and_rows_beside_a_gap_are_left_out():
    t = T_motion.copy()
    t[1500:] += 1.0
    motion = log_motion(log_of(t, missing=(100, 101)))
    assert not {100, 101, 1499, 1500} & set(motion.rows.tolist())
    inside = (motion.t > 0.3) & (motion.t < t[-1] - 0.3)
    assert np.allclose(motion.qd[inside, 1], -np.sin(motion.t[inside]), atol=0.01)


def test_too_few_rows_are_no_motion():
    assert log_motion(log_of(T_motion[:15])) is None


def test_thinning_keeps_the_span():
    few = log_motion(log_of(T_motion)).thinned(100)
    assert 100 <= len(few.t) <= 101
    assert few.t[0] == T_motion[0]


def test_a_moving_average_keeps_straight_lines():
    line = np.arange(50.0)[:, None]
    assert np.allclose(moving_average(line, 5)[2:-2], line[2:-2])


T = np.arange(1001) * 0.01


def dropped(stamps):
    return np.flatnonzero(~rising_rows(np.asarray(stamps, dtype=float))).tolist()


def test_rising_stamps_are_all_kept():
    assert dropped(T) == []


@pytest.mark.parametrize("row", [0, 5, 500, 1000])
@pytest.mark.parametrize("stamp", [1e9, 50.0, -1e9])
def test_one_wild_stamp_costs_one_row_at_most(row, stamp):
    t = T.copy()
    t[row] = stamp
    first_or_last = (row == 0 and stamp < 0.0) or (row == 1000 and stamp > 0.0)  # nothing speaks against these
    assert dropped(t) == ([] if first_or_last else [row])


def test_several_wild_stamps_in_a_row():
    t = T.copy()
    t[5:9] = [1e9, 2e9, 3e9, 4e9]
    assert dropped(t) == [5, 6, 7, 8]


def test_wild_stamps_between_repeated_ones():
    t = np.repeat(T, 2)
    t[10] = 1e6
    assert dropped(t) == sorted({*range(1, 2002, 2), 10} - {11})


def test_of_two_as_long_the_first_is_kept():
    assert dropped([0.0, 2.0, 1.0, 3.0]) == [2]
    assert dropped([*T, *T]) == list(range(1001, 2002))


def test_a_clock_that_was_set_right_after_a_few_rows():
    assert dropped([500.0, 500.1, 500.2, *T]) == [0, 1, 2]


def test_what_is_kept_rises_whatever_the_stamps():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        t = np.cumsum(rng.normal(1.0, rng.uniform(0.1, 3.0), 300)).round(1)
        rows = rising_rows(t)
        assert np.all(np.diff(t[rows]) > 0.0)
        assert rows.any()


def test_rows_with_missing_values_do_not_count():
    q = np.zeros((1001, 1))
    q[3] = np.nan
    t = T.copy()
    t[7] = np.nan
    t[9] = 1e9
    assert np.flatnonzero(~clean_rows(Log(("a",), t, q, q * 0.0 + 1.0))).tolist() == [3, 7, 9]


def test_parts_without_gaps_are_one():
    assert parts_of(T) == [slice(0, 1001)]
