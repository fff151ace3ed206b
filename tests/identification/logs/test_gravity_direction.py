"""The direction of gravity, found without knowing any inertia."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from tests.identification.clean_logs import clean_log

from torquec.errors import ArgumentError
from torquec.identification.logs.fit_motion import even_rows, fit_motion, prepared_for_fit
from torquec.identification.logs.gravity_direction import free_fit, gravity_direction
from torquec.robot import classics


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


ROBOT = classics.puma560()


def found_under(gravity, **options):
    log = clean_log(ROBOT, torque_robot=dataclasses.replace(ROBOT, gravity=gravity), **options)
    samples = prepared_for_fit(log)
    motion = fit_motion(samples, even_rows(samples))
    return gravity_direction(ROBOT, [motion], independent=2.0 * samples.cutoff * log.duration)


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (1.70, 0.0, -9.66), (9.81, 0.0, 0.0), (0.0, 3.0, 9.34)])
def test_it_is_the_one_that_acts(gravity):
    found = found_under(gravity)
    size = math.hypot(*ROBOT.gravity)
    expected = size * np.array(gravity) / math.hypot(*gravity)
    between = math.acos(np.clip(np.dot(found.gravity, expected) / size**2, -1.0, 1.0))
    assert between < math.radians(0.3)
    assert between < 5.0 * found.std
    assert math.hypot(*found.gravity) == pytest.approx(size)
    assert found.after.error < 0.03
    assert math.cos(found.angle) == pytest.approx(np.dot(expected, ROBOT.gravity) / size**2, abs=1e-3)


def test_noise_makes_it_less_certain():
    assert found_under((1.7, 0.0, -9.66), noise=0.4).std > 2.0 * found_under((1.7, 0.0, -9.66), noise=0.1).std


def test_without_gravity_there_is_no_direction():
    with pytest.raises(ArgumentError, match="no gravity"):
        gravity_direction(dataclasses.replace(ROBOT, gravity=(0.0, 0.0, 0.0)), [], independent=1.0)
