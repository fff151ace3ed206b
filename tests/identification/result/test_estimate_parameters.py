"""What the model of an estimate carries: the estimate's own numbers, by name."""

from __future__ import annotations

import numpy as np
from tests.identification import simulated_arm

from torquec.identification.result.estimate_parameters import estimate_parameters


def test_names_values_and_covariance_are_those_of_the_estimate():
    estimate = simulated_arm.estimate()
    found = estimate_parameters(estimate)
    assert found.names == tuple(estimate.names)
    assert np.array_equal(found.values, estimate.x)
    covariance = np.array(found.covariance)
    assert np.array_equal(covariance, covariance.T)
    assert np.allclose(covariance, estimate.covariance, rtol=1e-12)


def test_the_worth_of_the_fit_comes_along():
    estimate = simulated_arm.estimate()
    fit = estimate_parameters(estimate).fit
    assert fit.estimator == estimate.estimator
    assert fit.relative_error == estimate.relative_error
    assert fit.validation_error == estimate.validation_error
    assert "prior" in fit.intervals
