"""Rows that can be used: stamps that jump ahead or back cost as few rows as they must."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.identification.logs.clean_rows import clean_rows, parts_of, rising_rows
from torquec.trajectory.log import Log

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
