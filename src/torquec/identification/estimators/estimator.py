"""Interface of all estimators: settings in the constructor, data in `fit`, learned values end in `_`.

    estimator.fit(a, tau)          A (N, n, k), tau (N, n); or fit_factors(joint_factors) where N is too large
    estimator.predict(a)           torques (N, n)
    estimator.score(a, tau)        |tau - A x| / |tau|, zero is perfect
    estimator.x_, weights_, covariance_, status_
    estimator.needs                the data that it needs (`Needs`); `stand_in()` is the estimator used to
                                   compare settings when only the triangles (QR factors) are in memory, not the rows

(1)  weights: 1/(standard deviation of a joint's residuals), so that joints with small and large torques count alike
(2)  covariance of x: (sum_j w_j^2 A_j' A_j)^-1 sigma^2, times `correlation`: number of samples per independent sample
     (rate/(2 cut-off) after a low pass)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import ClassVar, Self

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.identification.estimators.joint_factors import JointFactors, joint_factors


class Status(StrEnum):
    """How a fit ended."""

    SOLVED = "solved"
    RANK_DEFICIENT = "rank deficient"
    NOT_CONVERGED = "not converged"


class Needs(StrEnum):
    """Data that an estimator needs: R factors (`fit_factors`), every row (`fit`), or instruments as well."""

    FACTORS = "factors"
    ROWS = "rows"
    INSTRUMENTS = "instruments"


class Weighting(StrEnum):
    """Weights of rows: by the residual deviation of their joint (1), or uniform."""

    JOINT = "joint"
    UNIFORM = "uniform"


class Estimator(ABC):
    """An estimator of x in tau = A x; see the interface above."""

    needs: ClassVar[Needs] = Needs.FACTORS
    x_: Array
    weights_: Array
    covariance_: Array
    status_: Status

    @classmethod
    def stand_in(cls) -> type[Estimator]:
        """The estimator that compares settings from R factors in place of this one: itself where it can fit them."""
        return cls

    def __init__(self, *, correlation: float = 1.0) -> None:
        self.correlation = correlation

    def fit(self, a: Array, tau: Array, instruments: Array | None = None) -> Self:
        """Learn from A (N, n, k), tau (N, n) and, for an estimator that needs them, instruments like A.

        Raises `ArgumentError` for invalid shapes or values, and for instruments that the estimator does not use.
        """
        self._refuse_instruments(instruments)
        return self.fit_factors(joint_factors(np.asarray(a), np.asarray(tau)))

    @abstractmethod
    def fit_factors(self, factors: JointFactors) -> Self:
        """Learn from the R factors (triangles) of any number of rows."""

    def predict(self, a: Array) -> Array:
        """Torques (N, n) of A (N, n, k)."""
        torque: Array = np.asarray(a) @ self._learned()
        return torque

    def score(self, a: Array, tau: Array) -> float:
        """|tau - A x| / |tau| over all joints and samples."""
        return float(np.linalg.norm(np.asarray(tau) - self.predict(a)) / np.linalg.norm(tau))

    def _refuse_instruments(self, instruments: Array | None) -> None:
        if instruments is not None:
            raise ArgumentError(f"{type(self).__name__} does not use instruments", remedy="leave them out")

    def _learned(self) -> Array:
        if not hasattr(self, "x_"):
            raise ArgumentError("this estimator has learned nothing yet", remedy="call fit first")
        return self.x_


def least_squares_solution(triangle: Array) -> tuple[Array, int]:
    """The x (k,) of least squares for a triangle (k + 1, k + 1) of [A tau], and the rank; columns scaled first."""
    a, b = triangle[:, :-1], triangle[:, -1]
    scale = np.linalg.norm(a, axis=0)
    scale[scale == 0.0] = 1.0
    x, _, rank, _ = np.linalg.lstsq(a / scale, b, rcond=1e-11)
    return x / scale, int(rank)


def joint_weights(factors: JointFactors, x: Array) -> Array:
    """(1), (n,)."""
    free = np.maximum(factors.row_counts - factors.size / factors.n, 1.0)
    deviations = np.sqrt(factors.squares(x) / free)
    floor = 1e-12 * np.sqrt(factors.torque_squares.sum() / factors.count) + np.finfo(float).tiny
    weights: Array = 1.0 / np.maximum(deviations, floor)
    return weights


def information(triangle: Array) -> Array:
    """A' A (k, k) of a triangle."""
    a = triangle[:, :-1]
    product: Array = a.T @ a
    return product


def covariance_of(triangle: Array, correlation: float) -> Array:
    """(2) for weighted rows, whose residuals have unit variance; directions without information get large variance."""
    a = triangle[:, :-1]
    scale = np.linalg.norm(a, axis=0)
    scale[scale == 0.0] = np.finfo(float).tiny ** 0.25
    _, s, vt = np.linalg.svd(a / scale, full_matrices=False)
    s = np.maximum(s, 1e-12 * s.max(initial=0.0) + np.finfo(float).tiny ** 0.25)
    half = vt.T / s
    covariance: Array = correlation * (half @ half.T) / np.outer(scale, scale)
    return covariance
