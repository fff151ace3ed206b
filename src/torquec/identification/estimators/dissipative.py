"""Least squares whose friction takes energy from every motion: negative coefficients are dropped, the rest refitted.

(1)  fit all columns; while a coefficient that must not be negative is: drop the column of the most negative one,
     measured in standard deviations, and fit the others again
(2)  the covariance is that of the fit of all columns: a coefficient at its bound is not known exactly
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np

from torquec.foundation.arrays import Array, Indices, Mask
from torquec.identification.estimators.estimator import Estimator
from torquec.identification.estimators.joint_factors import JointFactors


class DissipativeEstimator(Estimator):
    """(1) around an estimator without a prior; `not_negative` (k,) marks the coefficients that are bounded."""

    def __init__(self, make: Callable[[], Estimator], not_negative: Mask) -> None:
        self._make, self._not_negative = make, np.asarray(not_negative, dtype=bool)
        inner = make()
        super().__init__(correlation=inner.correlation)
        self.needs = inner.needs  # type: ignore[misc]  # of the estimator inside

    def fit_factors(self, factors: JointFactors) -> Self:
        """Learn from triangles."""

        def fitted(kept: Indices) -> Estimator:
            columns = [*kept, factors.size]
            return self._make().fit_factors(JointFactors(factors.triangles[:, :, columns], factors.count))

        return self._learn(factors.size, fitted)

    def fit(self, a: Array, tau: Array, instruments: Array | None = None) -> Self:
        """Learn from A (N, n, k), tau (N, n) and, for an estimator that needs them, instruments like A."""
        a = np.asarray(a)

        def fitted(kept: Indices) -> Estimator:
            tools = instruments
            if tools is not None and np.shape(tools) == a.shape:
                tools = np.asarray(tools)[:, :, kept]
            return self._make().fit(a[:, :, kept], tau, tools)

        return self._learn(a.shape[2], fitted)

    def _learn(self, size: int, fitted: Callable[[Indices], Estimator]) -> Self:
        kept = np.arange(size)
        whole = inner = fitted(kept)
        self.covariance_ = whole.covariance_
        deviations = np.sqrt(np.maximum(np.diag(self.covariance_), np.finfo(float).tiny))
        while True:
            relative = np.where(self._not_negative[kept], inner.x_ / deviations[kept], 0.0)
            worst = int(np.argmin(relative))
            if not relative[worst] < 0.0:
                break
            kept = np.delete(kept, worst)
            inner = fitted(kept)
        self.x_ = np.zeros(size)
        self.x_[kept] = inner.x_
        self.weights_, self.status_ = inner.weights_, inner.status_
        return self
