"""Estimators with a prior: ridge, physically consistent (linear matrix inequalities), entropic (log-det).

All three minimise (5) for a given strength lambda:

(1)  ridge:       friction not negative: negative coefficients are dropped, the most negative first, the rest refitted
(2)  consistent:  subject to P_i(y) >= 0 for every body, rotors and friction not negative; by clarabel, which is given
                  the triangle of the residual: min t, |R y - z| <= t (normal equations would lose half the digits).
                  Viscous a, curved b and cubic c together: a v + b v |v| + c v^3 opposes every speed v if and only if
                  a, c >= 0 and b >= -2 sqrt(a c); as a cone: |(b - e, a - c)| <= a + c for some e >= 0
(3)  entropic:    the penalty is sum_i tr(P0^-1 P) - log det P, which is infinite at the boundary, so that Newton's
                  method from the prior stays inside; no conic solver needed

The prior is the robot's own inertias (CAD, a URDF), weighted by lambda:

(4)  y = (phi, f): standard parameters of bodies and rotors, then friction and further columns;  x = Pi y
(5)  objective:  sum_j w_j^2 |A_j Pi y - tau_j|^2 / c + lambda |L (y - y0)|^2,   c the correlation of the samples
(6)  L' L = blocks of the metric of `pseudo_inertia` at the prior, one per body; almost zero for other parameters

Because a body's distance to its prior is measured in its own pseudo-inertia, lambda has no unit and means the same for
a wrist as for a shoulder: about how many independent samples the prior is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np

from torquec.dynamics.regressor import parameter_values
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Indices
from torquec.identification.estimators.estimator import Estimator, Status, Weighting
from torquec.identification.estimators.joint_factors import JointFactors
from torquec.identification.estimators.least_squares import OrdinaryLeastSquares, WeightedLeastSquares
from torquec.identification.estimators.pseudo_inertia import (
    BASIS,
    WIDTH,
    is_consistent,
    metric,
    pseudo_inertia,
    thickened,
)
from torquec.identification.extras import need
from torquec.identification.torque.torque_model import TorqueModel
from torquec.robot.robot import Robot

_WEAKEST = 1e-12  # smallest strength: the prior then only determines directions without data
_FAINT = 1e-6  # small regularization that makes directions without prior weight unique


@dataclass(frozen=True, eq=False)
class Prior:
    """y0 (p + f,), L (p + f, p + f) of (6), Pi (k, p + f), and which entries of y are never negative.

    `friction` marks the friction among these entries; `powers` (m, 3) are the indices of viscous, curved and cubic
    friction where a shaft has all three; `bodies` is the number of blocks of ten, which come first.
    """

    center: Array
    root: Array
    projection: Array
    not_negative: Array
    friction: Array
    powers: Indices
    bodies: int

    def rows(self, factors: JointFactors, weights: Array, *, correlation: float, strength: float) -> Array:
        """The triangle of (5) in y: (p + f + 1 columns), the last one the right side."""
        triangle = factors.weighted(weights) / np.sqrt(correlation)
        data = np.column_stack([triangle[:, :-1] @ self.projection, triangle[:, -1]])
        pull = np.sqrt(strength) * self.root
        # Small regularization rows keep parameters without information at the prior.
        faint = _FAINT * np.sqrt(strength) * np.eye(len(self.center))
        lower = np.vstack([pull, faint])
        prior = np.column_stack([lower, lower @ self.center])
        return np.asarray(np.linalg.qr(np.vstack([data, prior]), mode="r"), dtype=np.float64)


def robot_prior(model: TorqueModel, *, robot: Robot | None = None) -> Prior:
    """The prior that a robot's own inertias give (those of `model.robot` unless another is given)."""
    source = model.robot if robot is None else robot
    values = np.array(parameter_values(source))
    bodies = len(source.bodies)
    size = model.projection.shape[1]
    center, root = np.zeros(size), np.zeros((size, size))
    center[: len(values)] = values
    for i in range(bodies):
        block = slice(WIDTH * i, WIDTH * (i + 1))
        own = thickened(values[block])
        center[block] = own
        root[block, block] = np.linalg.cholesky(metric(own)).T
    return Prior(center, root, model.projection, model.not_negative, model.dissipative, model.powers, bodies)


_MARGIN = 1e-6
"""Margin of a consistent body inside the cone, relative to the prior's eigenvalues, so that rounding keeps it there."""
_FINEST = 1e-4  # smallest residual deviation relative to the torque, so that noise-free data keep the prior
_STEPS = 100  # most Newton steps; about ten are usual
_SHORTEST = 1e-10  # shortest Newton step: the line search has found no descent
_THINNEST = 1e-10  # smallest eigenvalue, relative to the prior: boundary of physical consistency
_ROUNDING = 1e-12  # size of a coefficient that the solver holds at zero
_INSIDE = 1.0 - 1e-9  # share of the bound on curved friction that may be used: margin for rounding in a file
_BARRIER = 1e-3  # barrier weight that keeps friction positive and hardly changes larger coefficients


class PriorEstimator(Estimator):
    """Base class of the three; also learns `y_` (p + f,): all standard parameters, then friction and columns."""

    y_: Array

    def __init__(
        self, prior: Prior, *, strength: float = 10.0, weighting: Weighting = Weighting.JOINT, correlation: float = 1.0
    ) -> None:
        super().__init__(correlation=correlation)
        if not 0.0 <= strength < np.inf:
            raise ArgumentError(f"a prior of strength {strength}", remedy="give zero or more")
        self.prior = prior
        self.strength = strength
        self.weighting = weighting

    def _start(self, factors: JointFactors) -> Array:
        """Weights from a plain fit, the triangle of the objective, and the ridge solution as `y_`."""
        self.weights_ = _plain_weights(factors, self.weighting).copy()
        triangle = self.prior.rows(
            factors, self.weights_, correlation=self.correlation, strength=max(self.strength, _WEAKEST)
        )
        r, z = triangle[:, :-1], triangle[:, -1]
        scale = np.linalg.norm(r, axis=0)
        scale[scale == 0.0] = 1.0
        inverse, self.y_ = _solved(r / scale, z, scale)
        half = self.prior.projection @ inverse
        self.covariance_ = half @ half.T
        self.status_ = Status.SOLVED
        return triangle

    def sampling_covariance(self, factors: JointFactors) -> Array:
        """The part of the covariance (k, k) that is due to the data that were fitted, not to the prior.

        Pi H^-1 I H^-1 Pi', I the information of the data in (5) and H that of data and prior together.
        """
        triangle = self.prior.rows(
            factors, self.weights_, correlation=self.correlation, strength=max(self.strength, _WEAKEST)
        )
        scale = np.linalg.norm(triangle[:, :-1], axis=0)
        scale[scale == 0.0] = 1.0
        inverse, _ = _solved(triangle[:, :-1] / scale, triangle[:, -1], scale)
        data = factors.weighted(self.weights_)[:, :-1] @ self.prior.projection / np.sqrt(self.correlation)
        half: Array = self.prior.projection @ inverse @ (data @ inverse).T
        return half @ half.T

    def _finish(self) -> Self:
        self.x_ = self.prior.projection @ self.y_
        return self

    @property
    def physically_consistent_(self) -> bool:
        """Whether every body is physically consistent and no rotor inertia or friction is negative."""
        bodies = self.y_[: WIDTH * self.prior.bodies].reshape(-1, WIDTH)
        return is_consistent(bodies) and bool(np.all(self.y_ >= self._least() - _ROUNDING))

    def _least(self) -> Array:
        """Lower bounds (p + f,): dissipative friction and nonnegative rotors; -inf for bodies."""
        return least_values(self.y_, self.prior.not_negative, self.prior.powers)


class RidgeToPrior(PriorEstimator):
    """Ridge regression to the prior (1)."""

    def fit_factors(self, factors: JointFactors) -> Self:
        """Learn from triangles."""
        triangle = self._start(factors)
        r, z = triangle[:, :-1], triangle[:, -1]
        scale = np.linalg.norm(r, axis=0)
        scale[scale == 0.0] = 1.0
        kept = np.arange(len(self.y_))
        while np.any(self.y_[self.prior.friction] < 0.0):
            # Compare coefficients in units of the torque that each contributes.
            kept = np.setdiff1d(kept, np.argmin(np.where(self.prior.friction, self.y_ * scale, 0.0)))
            self.y_ = np.zeros_like(self.y_)
            self.y_[kept] = _solved(r[:, kept] / scale[kept], z, scale[kept])[1]
        return self._finish()


class ConsistentLeastSquares(PriorEstimator):
    """Physically consistent least squares (2)."""

    def fit_factors(self, factors: JointFactors) -> Self:
        """Learn from triangles; `MissingExtraError` without clarabel."""
        triangle = self._start(factors)
        if not self.physically_consistent_:
            self._constrain(triangle)
        # The solver satisfies bounds up to rounding; clip so that they hold exactly.
        self.y_ = np.maximum(self.y_, self._least())
        return self._finish()

    def _constrain(self, triangle: Array) -> None:
        clarabel = need("clarabel", "physically consistent estimation")
        sparse = need("scipy.sparse", "physically consistent estimation")
        r, z = triangle[:, :-1], triangle[:, -1]
        powers = self.prior.powers
        size = r.shape[1]
        width = size + len(powers) + 1
        scale = np.linalg.norm(r, axis=0)
        scale[scale == 0.0] = 1.0
        cones: list[Any] = [clarabel.SecondOrderConeT(len(r) + 1)]
        # s = b - A v in the cone, v = (y * scale, e, t)
        left = [np.zeros((len(r) + 1, width))]
        left[0][0, -1] = -1.0
        left[0][1:, :size] = -r / scale
        right = [np.concatenate([[0.0], -z])]
        for i in range(self.prior.bodies):
            rows, floor = _cone_rows(self.prior.center[WIDTH * i : WIDTH * (i + 1)])
            block = np.zeros((len(rows), width))
            block[:, WIDTH * i : WIDTH * (i + 1)] = -rows / scale[WIDTH * i : WIDTH * (i + 1)]
            left.append(block)
            right.append(-floor)
            cones.append(clarabel.PSDTriangleConeT(4))
        for extra, (viscous, curved, cubic) in enumerate(powers, size):
            block = np.zeros((3, width))
            block[[0, 1], viscous] = -1.0 / scale[viscous]
            block[[0, 1], cubic] = -1.0 / scale[cubic], 1.0 / scale[cubic]
            block[2, [curved, extra]] = -1.0 / scale[curved], 1.0
            left.append(block)
            right.append(np.zeros(3))
            cones.append(clarabel.SecondOrderConeT(3))
        bounded = np.setdiff1d(np.flatnonzero(self.prior.not_negative), powers[:, 1])
        signed = np.concatenate([bounded, np.arange(size, width - 1)])
        if len(signed):
            block = np.zeros((len(signed), width))
            block[np.arange(len(signed)), signed] = -1.0
            left.append(block)
            right.append(np.zeros(len(signed)))
            cones.append(clarabel.NonnegativeConeT(len(signed)))
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        cost = np.zeros(width)
        cost[-1] = 1.0
        solver = clarabel.DefaultSolver(
            sparse.csc_matrix((width, width)),
            cost,
            sparse.csc_matrix(np.vstack(left)),
            np.concatenate(right),
            cones,
            settings,
        )
        solution = solver.solve()
        solved = str(solution.status) in ("Solved", "AlmostSolved")
        self.status_ = Status.SOLVED if solved else Status.NOT_CONVERGED
        self.y_ = np.array(solution.x[:size]) / scale


class EntropicLeastSquares(PriorEstimator):
    """Least squares with entropic (log-det) regularization (3)."""

    def fit_factors(self, factors: JointFactors) -> Self:
        """Learn from triangles."""
        self._start(factors)
        weighted = factors.weighted(self.weights_) / np.sqrt(self.correlation)
        a, b = weighted[:, :-1] @ self.prior.projection, weighted[:, -1]
        y = self.prior.center.copy()
        free = np.arange(len(y)) >= WIDTH * self.prior.bodies
        y[free] = self.y_[free]
        signed = np.flatnonzero(self.prior.not_negative)
        y[signed] = np.maximum(y[signed], 1e-4)
        self.status_ = Status.NOT_CONVERGED
        for _ in range(_STEPS):
            value, gradient, hessian = self._objective(y, a, b, signed)
            d = 1.0 / np.sqrt(np.diag(hessian))
            step = -d * np.linalg.lstsq(hessian * np.outer(d, d), d * gradient, rcond=1e-15)[0]
            decrease = float(-gradient @ step)
            if decrease <= 1e-8 * max(1.0, abs(value)):
                self.status_ = Status.SOLVED
                break
            length = 1.0
            while length > _SHORTEST and not (
                self._value(y + length * step, a, b, signed) <= value - 0.1 * length * decrease
            ):
                length *= 0.5
            if length <= _SHORTEST:
                # Converged: the remaining decrease is below the rounding error of the objective.
                self.status_ = Status.SOLVED if decrease <= 1e-4 * abs(value) else Status.NOT_CONVERGED
                break
            y = y + length * step
        self.y_ = y
        return self._finish()

    def _value(self, y: Array, a: Array, b: Array, signed: Indices) -> float:
        """The objective; infinite outside the consistent parameters."""
        p = pseudo_inertia(y[: WIDTH * self.prior.bodies].reshape(-1, WIDTH))
        p0 = pseudo_inertia(self.prior.center[: WIDTH * self.prior.bodies].reshape(-1, WIDTH))
        half = np.linalg.inv(np.linalg.cholesky(p0))
        relative = half @ p @ half.transpose(0, 2, 1)
        if np.any(np.linalg.eigvalsh(relative) <= _THINNEST) or np.any(y[signed] <= _THINNEST):
            return np.inf
        pull = np.trace(relative, axis1=1, axis2=2).sum() - np.linalg.slogdet(relative)[1].sum()
        residual = a @ y - b
        barrier = -_BARRIER * np.log(y[signed]).sum()
        return float(residual @ residual + 2.0 * self.strength * (0.5 * pull + barrier))

    def _objective(self, y: Array, a: Array, b: Array, signed: Indices) -> tuple[float, Array, Array]:
        """Value, gradient and Hessian."""
        gradient, hessian = 2.0 * a.T @ (a @ y - b), 2.0 * a.T @ a
        for i in range(self.prior.bodies):
            block = slice(WIDTH * i, WIDTH * (i + 1))
            inverse = np.linalg.inv(pseudo_inertia(y[block]))
            inverse0 = np.linalg.inv(pseudo_inertia(self.prior.center[block]))
            turned = np.einsum("ij,ajk->aik", inverse, BASIS)
            gradient[block] += self.strength * np.einsum("ij,aji->a", inverse0 - inverse, BASIS)
            hessian[block, block] += self.strength * np.einsum("aij,bji->ab", turned, turned)
        gradient[signed] -= 2.0 * self.strength * _BARRIER / y[signed]
        hessian[signed, signed] += 2.0 * self.strength * _BARRIER / y[signed] ** 2
        hessian[np.diag_indices(len(y))] += 1e-12 * np.diag(hessian) + np.finfo(float).tiny ** 0.25
        return self._value(y, a, b, signed), gradient, hessian


class AveragedEstimator(PriorEstimator):
    """The mean of the estimates of several estimators with one prior.

    Its covariance is that of the geometric mean of their strengths (a mean of covariances would be that of the weakest
    prior), plus the scatter of the estimates.
    """

    def __init__(self, estimators: Sequence[PriorEstimator]) -> None:
        first = estimators[0]
        strength = float(np.exp(np.mean([np.log(max(one.strength, _WEAKEST)) for one in estimators])))
        super().__init__(first.prior, strength=strength, weighting=first.weighting, correlation=first.correlation)
        self.estimators = tuple(estimators)

    def fit_factors(self, factors: JointFactors) -> Self:
        """Learn from triangles."""
        fits = [estimator.fit_factors(factors) for estimator in self.estimators]
        self._start(factors)
        self.y_ = np.mean([fit.y_ for fit in fits], axis=0)
        self.weights_ = np.mean([fit.weights_ for fit in fits], axis=0)
        each = np.array([fit.x_ for fit in fits])
        differences = each - each.mean(axis=0)
        self.covariance_ = self.covariance_ + differences.T @ differences / len(fits)
        failed = [fit.status_ for fit in fits if fit.status_ is not Status.SOLVED]
        self.status_ = failed[0] if failed else Status.SOLVED
        return self._finish()


@lru_cache(maxsize=32)
def _plain_weights(factors: JointFactors, weighting: Weighting) -> Array:
    """Weights of the joints (n,) from a fit without prior; the same for every strength, hence cached."""
    plain = WeightedLeastSquares if weighting is Weighting.JOINT else OrdinaryLeastSquares
    sizes = np.sqrt(factors.torque_squares / np.maximum(factors.row_counts, 1.0))
    # Limit the weights: noise-free data must not make the prior vanish.
    most = 1.0 / np.maximum(_FINEST * sizes, np.finfo(float).tiny)
    weights: Array = np.minimum(plain().fit_factors(factors).weights_, most)
    return weights


def least_values(y: Array, not_negative: Array, powers: Indices) -> Array:
    """The least values (p + f,) of (2): -inf where not marked, else 0; of curved friction -2 sqrt(viscous cubic)."""
    least = np.where(not_negative, 0.0, -np.inf)
    viscous, curved, cubic = powers.T
    # Where two directions share one curved term, the tighter bound.
    bends = -_INSIDE * 2.0 * np.sqrt(np.maximum(y[viscous], 0.0) * np.maximum(y[cubic], 0.0))
    least[curved] = -np.inf
    np.maximum.at(least, curved, bends)
    return least


def _solved(rows: Array, right: Array, scale: Array) -> tuple[Array, Array]:
    """The pseudo-inverse of rows times `scale`, and the y of least squares; rows have columns of length one."""
    u, s, vt = np.linalg.svd(rows, full_matrices=False)
    inverse: Array = (vt.T / np.maximum(s, 1e-14 * s[0])) / scale[:, None]
    return inverse, inverse @ (u.T @ right)


def _cone_rows(prior: Array) -> tuple[Array, Array]:
    """The upper triangle of P, column by column, off-diagonals times sqrt(2): (10, 10), and its smallest allowed value.

    P is scaled by the prior's masses and radii, so that entries of all bodies are of order one.
    """
    p0 = pseudo_inertia(prior)
    root = np.diag(1.0 / np.sqrt(np.diag(p0)))
    scaled = np.einsum("ij,ajk,kl->ail", root, BASIS, root)
    order = [(i, j) for j in range(4) for i in range(j + 1)]
    factor = np.array([1.0 if i == j else np.sqrt(2.0) for i, j in order])
    rows = np.array([[matrix[i, j] for matrix in scaled] for i, j in order]) * factor[:, None]
    floor = np.array([_MARGIN if i == j else 0.0 for i, j in order])
    return rows, floor
