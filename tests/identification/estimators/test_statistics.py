"""What estimates are worth: conditions, excitation, significance."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.identification.estimators.joint_factors import joint_factors
from torquec.identification.estimators.least_squares import OrdinaryLeastSquares
from torquec.identification.estimators.statistics import (
    check_excitation,
    conditions,
    correlations,
    jackknife_covariance,
    not_excited,
    significant,
    time_parts,
)


def test_the_mean_of_numbers():
    """For an average, leaving one out gives the sample variance by m."""
    values = np.array([1.0, 2.0, 4.0, 9.0])
    parts = [joint_factors(np.ones((1, 1, 1)), np.array([[value]])) for value in values]
    covariance = jackknife_covariance(parts, OrdinaryLeastSquares)
    assert covariance[0, 0] == pytest.approx(values.var(ddof=1) / 4.0)


def test_white_noise_has_the_deviation_of_least_squares():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(4000, 1, 2))
    tau = a @ np.array([1.0, 2.0]) + 0.5 * rng.normal(size=(4000, 1))
    fit = OrdinaryLeastSquares().fit(a, tau)
    parts = time_parts([(a, tau)], rate=50.0)
    assert len(parts) == 40
    ratio = np.diag(jackknife_covariance(parts, OrdinaryLeastSquares)) / np.diag(fit.covariance_)
    assert np.all((ratio > 0.5) & (ratio < 2.0))


def test_errors_that_last_count_as_few():
    """An offset that changes every two seconds is no noise of 100 samples, but one number."""
    rng = np.random.default_rng(1)
    a = np.ones((4000, 1, 1))
    tau = np.repeat(rng.normal(size=40), 100)[:, None]
    fit = OrdinaryLeastSquares().fit(a, tau)
    honest = jackknife_covariance(time_parts([(a, tau)], rate=50.0), OrdinaryLeastSquares)
    assert honest[0, 0] > 20.0 * fit.covariance_[0, 0]


def test_parts_hold_everything():
    rng = np.random.default_rng(2)
    rows = [(rng.normal(size=(n, 1, 2)), rng.normal(size=(n, 1))) for n in (70, 130)]
    parts = time_parts(rows, rate=10.0)
    assert sum(part.count for part in parts) == 200
    assert len(parts) == 20


def test_two_parts_are_too_few():
    part = joint_factors(np.ones((3, 1, 1)), np.ones((3, 1)))
    with pytest.raises(ArgumentError, match="too few"):
        jackknife_covariance([part, part], OrdinaryLeastSquares)


def test_conditions_of_a_diagonal():
    found = conditions(np.diag([100.0, 1.0, 5.0])[:, :3])
    assert found.plain == pytest.approx(100.0)
    assert found.unit_columns == pytest.approx(1.0)


def test_a_dependent_column_is_named_with_its_partner():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(50, 1, 3))
    a[:, :, 2] = 2.0 * a[:, :, 0]
    factors = joint_factors(a, rng.normal(size=(50, 1)))
    assert not_excited(factors.weighted(np.ones(1)), "abc") == ("a", "c")
    with pytest.raises(ArgumentError, match=r"a, c") as refused:
        check_excitation(factors, "abc")
    assert refused.value.remedy.endswith("identifies b")


def test_one_percent_of_the_largest_torque_is_significant():
    peaks, torques = np.array([[1.0, 1.0], [0.0, 50.0]]), np.array([100.0, 100.0])
    assert significant(peaks, torques, np.array([1.0, 0.01])).tolist() == [True, False]
    assert significant(peaks, torques, np.array([0.99, 0.02])).tolist() == [False, True]


def test_correlations_have_a_unit_diagonal():
    assert np.allclose(correlations(np.array([[4.0, 1.0], [1.0, 1.0]])), [[1.0, 0.5], [0.5, 1.0]])
