"""Measured and predicted torques of a log."""

from __future__ import annotations

import numpy as np
import pytest
from tests.identification import simulated_arm

from torquec.identification.result.prediction import predict


def test_errors_are_those_of_the_estimate():
    estimate = simulated_arm.estimate()
    fitted, other = predict(estimate, simulated_arm.log()), predict(estimate, simulated_arm.log(5), fitted=False)
    assert fitted.relative_error == pytest.approx(estimate.training[0].relative_error, rel=1e-6)
    assert other.relative_error == pytest.approx(estimate.validation[0].relative_error, rel=1e-6)
    assert fitted.rmse == pytest.approx(list(estimate.training[0].rmse.values()), rel=1e-6)
    assert (fitted.fitted, other.fitted) == (True, False)
    assert fitted.measured.shape == fitted.predicted.shape == (len(fitted.t), 2)
    assert not np.all(fitted.used)
