"""One fit per trajectory: statistics, condition numbers, and parameters that a trajectory does not tell."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.identification.estimators.joint_factors import joint_factors
from torquec.papers.izaguirre.trajectory_fits import fit_trajectories


def rows(seed, x):
    a = np.random.default_rng(seed).normal(size=(30, 2, 2))
    return joint_factors(a, a @ np.asarray(x))


def test_average_std_maximum_minimum():
    fits = fit_trajectories(["a", "b"], [rows(0, [1.0, 5.0]), rows(1, [3.0, 5.0]), rows(2, [2.0, 5.0])])
    assert fits.average == pytest.approx([2.0, 5.0])
    assert fits.std == pytest.approx([1.0, 0.0], abs=1e-12)
    assert fits.maximum == pytest.approx([3.0, 5.0])
    assert fits.minimum == pytest.approx([1.0, 5.0])


def test_condition_is_that_of_one_trajectory():
    a = np.zeros((2, 1, 2))
    a[0, 0, 0], a[1, 0, 1] = 8.0, 2.0
    fits = fit_trajectories(["a", "b"], [joint_factors(a, a @ np.ones(2))] * 3)
    assert fits.conditions == pytest.approx([4.0, 4.0, 4.0])
    assert fits.condition == pytest.approx(4.0)


def test_weights_scale_the_rows_of_a_joint():
    a = np.zeros((1, 2, 2))
    a[0, 0, 0], a[0, 1, 1] = 8.0, 2.0
    fits = fit_trajectories(["a", "b"], [joint_factors(a, a @ np.ones(2))], np.array([1.0, 4.0]))
    assert fits.condition == pytest.approx(1.0)


def test_a_trajectory_that_says_nothing_is_left_out_of_a_row():
    still = np.zeros((5, 1, 2))
    still[:, 0, 0] = 1.0
    one = np.random.default_rng(3).normal(size=(20, 1, 2))
    fits = fit_trajectories(
        ["a", "b"], [joint_factors(still, 2.0 * still[:, :, 0]), joint_factors(one, one @ np.array([4.0, 7.0]))]
    )
    assert fits.average == pytest.approx([3.0, 7.0])
    assert np.isnan(fits.values[0, 1])
    assert np.isnan(fits.std[1])
    assert np.isinf(fits.conditions[0])


def test_no_trajectory():
    with pytest.raises(ArgumentError, match="no trajectory"):
        fit_trajectories(["a"], [])
