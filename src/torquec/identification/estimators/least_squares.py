"""Least squares without a prior: ordinary, weighted by joint, Huber, total, with instrumental variables.

(1)  ordinary:  min sum |A x - tau|^2
(2)  weighted:  the rows of joint j times w_j = 1/deviation of its residuals, iterated until the weights converge
(3)  Huber:     rows whose weighted residual r is beyond c = 1.345 count linearly, as |r| (iteratively reweighted)
(4)  total:     errors in A too; x from the last right singular vector of [A tau], columns scaled by their norms
(5)  instruments Z, which follow the motion but not its noise:  Z' A x = Z' tau

Dissipative friction (`DissipativeEstimator`), by an active set:

(6)  fit all columns; while a bounded coefficient is negative, drop the column of the most negative one (in standard
     deviations), and fit the others again
(7)  the covariance is that of the fit of all columns: a coefficient at its bound is not known exactly
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Indices, Mask
from torquec.identification.estimators.estimator import (
    Estimator,
    Needs,
    Status,
    covariance_of,
    joint_weights,
    least_squares_solution,
)
from torquec.identification.estimators.joint_factors import JointFactors, joint_factors


class DissipativeEstimator(Estimator):
    """Nonnegative coefficients by (6), with any estimator without a prior; `not_negative` (k,) marks them."""

    def __init__(self, make: Callable[[], Estimator], not_negative: Mask) -> None:
        self._make, self._not_negative = make, np.asarray(not_negative, dtype=bool)
        inner = make()
        super().__init__(correlation=inner.correlation)
        self.needs = inner.needs  # type: ignore[misc]  # of the estimator inside

    def fit_factors(self, factors: JointFactors) -> Self:
        """Learn from triangles."""

        def fitted(kept: Indices) -> Estimator:
            return self._make().fit_factors(factors.of_columns(kept))

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


_ROUNDS = 20  # of reweighting; weights settle in five or so
_SETTLED = 1e-3  # weights that change less change no parameter
_HUBER = 1.345  # Huber's: 95 % of the efficiency of least squares where noise is normal


class OrdinaryLeastSquares(Estimator):
    """Ordinary least squares (1): all torques have the same weight."""

    def fit_factors(self, factors: JointFactors) -> Self:
        """Learn from triangles."""
        triangle = factors.weighted(np.ones(factors.n))
        self.x_, rank = least_squares_solution(triangle)
        self.status_ = Status.SOLVED if rank == factors.size else Status.RANK_DEFICIENT
        free = max(factors.row_counts.sum() - factors.size, 1)
        variance = factors.squares(self.x_).sum() / free
        self.weights_ = np.full(factors.n, 1.0 / np.sqrt(max(variance, np.finfo(float).tiny)))
        self.covariance_ = covariance_of(triangle, self.correlation) * variance
        return self


class WeightedLeastSquares(Estimator):
    """Weighted least squares (2): joints weighted by their residual deviation."""

    def fit_factors(self, factors: JointFactors) -> Self:
        """Learn from triangles."""
        x, _ = least_squares_solution(factors.weighted(np.ones(factors.n)))
        self.status_ = Status.NOT_CONVERGED
        for _ in range(_ROUNDS):
            weights = joint_weights(factors, x)
            triangle = factors.weighted(weights)
            x, rank = least_squares_solution(triangle)
            after = joint_weights(factors, x)
            if np.all(np.abs(after - weights) <= _SETTLED * weights):
                self.status_ = Status.SOLVED
                break
        if rank < factors.size:
            self.status_ = Status.RANK_DEFICIENT
        self.x_, self.weights_ = x, weights
        self.covariance_ = covariance_of(triangle, self.correlation)
        return self


class HuberLeastSquares(Estimator):
    """Robust least squares with Huber's loss (3), for logs with outliers. Needs every row."""

    needs = Needs.ROWS

    @classmethod
    def stand_in(cls) -> type[Estimator]:
        """Weighted least squares, for the choice of settings: it needs R factors only."""
        return WeightedLeastSquares

    def fit_factors(self, factors: JointFactors) -> Self:
        """Always raises: Huber weights need single rows, which R factors do not contain."""
        del factors
        raise ArgumentError("Huber's weights need every row, not R factors", remedy="call fit(a, tau)")

    def fit(self, a: Array, tau: Array, instruments: Array | None = None) -> Self:
        """Learn from A (N, n, k) and tau (N, n)."""
        self._refuse_instruments(instruments)
        a, tau = np.asarray(a), np.asarray(tau)
        start = WeightedLeastSquares().fit(a, tau)
        x = start.x_
        self.status_ = Status.NOT_CONVERGED
        for _ in range(_ROUNDS):
            residual = tau - a @ x
            spread = np.median(np.abs(residual), axis=0) / 0.6745 + np.finfo(float).tiny
            relative = np.maximum(np.abs(residual) / spread, np.finfo(float).tiny)
            root = np.sqrt(np.minimum(1.0, _HUBER / relative)) / spread
            factors = joint_factors(a * root[:, :, None], tau * root)
            triangle = factors.weighted(np.ones(factors.n))
            before, (x, rank) = x, least_squares_solution(triangle)
            if np.linalg.norm(x - before) <= 1e-10 * np.linalg.norm(x):
                self.status_ = Status.SOLVED if rank == len(x) else Status.RANK_DEFICIENT
                break
        self.x_, self.weights_ = x, 1.0 / spread
        self.covariance_ = covariance_of(triangle, self.correlation)
        return self


class TotalLeastSquares(Estimator):
    """Total least squares (4): errors in the regressor (motion) as well as in the torques."""

    def fit_factors(self, factors: JointFactors) -> Self:
        """Learn from triangles."""
        weighted = WeightedLeastSquares(correlation=self.correlation).fit_factors(factors)
        triangle = factors.weighted(weighted.weights_)
        scale = np.linalg.norm(triangle, axis=0)
        scale[scale == 0.0] = 1.0
        last = np.linalg.svd(triangle / scale)[2][-1]
        self.weights_, self.covariance_ = weighted.weights_, weighted.covariance_
        if abs(last[-1]) < np.sqrt(np.finfo(float).eps):
            # The last singular vector has no tau component: it is a null direction of A alone.
            self.x_, self.status_ = weighted.x_, Status.RANK_DEFICIENT
            return self
        self.x_ = -(last[:-1] / scale[:-1]) / (last[-1] / scale[-1])
        self.status_ = weighted.status_
        return self


class InstrumentalVariables(Estimator):
    """Instrumental variables (5), without the bias of least squares under motion noise; `fit` takes the instruments."""

    needs = Needs.INSTRUMENTS

    def fit_factors(self, factors: JointFactors) -> Self:
        """Without instruments, A serves as its own instrument: weighted least squares."""
        plain = WeightedLeastSquares(correlation=self.correlation).fit_factors(factors)
        self.x_, self.weights_ = plain.x_, plain.weights_
        self.covariance_, self.status_ = plain.covariance_, plain.status_
        return self

    def fit(self, a: Array, tau: Array, instruments: Array | None = None) -> Self:
        """Learn from A (N, n, k), tau (N, n) and instruments like A: the regressor of a simulated or second run."""
        if instruments is None:
            return super().fit(a, tau)
        a, tau, z = np.asarray(a), np.asarray(tau), np.asarray(instruments)
        if z.shape != a.shape:
            raise ArgumentError(f"the instruments are {z.shape}, A is {a.shape}", remedy="give the same shape")
        self.fit_factors(joint_factors(a, tau))
        w = self.weights_[None, :, None]
        rows, right = (a * w).reshape(-1, a.shape[2]), (tau * self.weights_).ravel()
        tools = (z * w).reshape(-1, a.shape[2])
        scale = np.linalg.norm(tools, axis=0)
        scale[scale == 0.0] = 1.0
        left = (tools / scale).T @ (rows / scale)
        self.x_ = np.linalg.lstsq(left, (tools / scale).T @ right, rcond=1e-12)[0] / scale
        half = np.linalg.pinv(left, rcond=1e-12) / scale[:, None]
        self.covariance_ = self.correlation * half @ ((tools / scale).T @ (tools / scale)) @ half.T
        return self
