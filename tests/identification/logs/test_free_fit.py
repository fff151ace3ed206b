"""What no robot of the same kinematics explains, joint by joint."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.identification.logs.free_fit import free_fit


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(300, 2, 4))
    columns[:, 1, :2] = 0.0  # the second joint knows nothing of the first two parameters
    return columns, columns @ np.array([1.0, -2.0, 3.0, 0.5])


def test_nothing_is_left_of_what_the_columns_make(rows):
    columns, tau = rows
    found = free_fit(columns, tau + 5.0 * np.eye(1))  # an offset is no variation, and no column holds it
    assert found.error > 0.5
    exact = free_fit(columns, tau)
    assert exact.error < 1e-6
    assert exact.cost == pytest.approx(2.0 * np.log(4e-4), abs=1e-3)


def test_shares_are_those_of_weighted_least_squares(rows):
    columns, tau = rows
    noise = np.random.default_rng(1).normal(size=tau.shape) * [0.1, 2.0]
    left = (noise**2).sum(axis=0) / ((tau + noise - (tau + noise).mean(axis=0)) ** 2).sum(axis=0)
    assert free_fit(columns, tau + noise).shares == pytest.approx(left, rel=0.05)


def test_columns_that_depend_on_each_other_or_are_empty_do_no_harm(rows):
    columns, tau = rows
    more = np.concatenate([columns, columns[:, :, 2:] @ np.ones((2, 1)), np.zeros((300, 2, 1))], axis=2)
    assert free_fit(more, tau).error < 1e-6


def test_a_small_torque_counts_as_much_as_a_large_one(rows):
    columns, tau = rows
    columns = columns * np.array([1.0, 1e-4])[None, :, None]
    assert free_fit(columns, tau * [1.0, 1e-4]).error < 1e-4
    swapped = free_fit(columns, np.column_stack([tau[:, 0], 1e-4 * tau[::-1, 1]]))
    assert swapped.shares[0] < 1e-3
    assert swapped.shares[1] > 0.5
