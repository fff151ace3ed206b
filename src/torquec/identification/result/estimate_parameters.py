"""What the model of an estimate carries with it: the identified parameters, their covariance, the worth of the fit."""

from __future__ import annotations

import math

from torquec.identification.result.estimate import Estimate
from torquec.model.model_parameters import ModelParameters, ParameterFit


def estimate_parameters(estimate: Estimate) -> ModelParameters:
    """The parameters x (k,) of an estimate by name, with covariance (k, k) and fit."""
    spread = 0.5 * (estimate.covariance + estimate.covariance.T)
    prior = "" if estimate.strength is None else f", drawn to the prior with weight {estimate.strength:g}"
    fit = ParameterFit(
        estimator=estimate.estimator,
        intervals=f"covariance of the estimator, its residuals taken for noise{prior}",
        status=str(estimate.status),
        verdict=str(estimate.verdict),
        relative_error=float(estimate.relative_error),
        validation_error=None if math.isnan(estimate.validation_error) else float(estimate.validation_error),
    )
    return ModelParameters(
        tuple(estimate.names), tuple(estimate.x.tolist()), tuple(tuple(row) for row in spread.tolist()), fit
    )
