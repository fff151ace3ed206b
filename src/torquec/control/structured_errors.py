"""Stability margin for structured model errors: bounds by entry, or an identification's parameter covariance.

The controller uses the nominal model  M + dM, C + dC, K + dK  with

(1)  bounds:      |dM_ij| <= M_ij and so on, arrays (n, n), such as a simplification's certificate gives
(2)  covariance:  dM = sum_k x_k dM/dx_k and so on,  x' S^-1 x <= r^2,  S (p, p) the covariance of an identification

(3)  An eigenvalue l of X with right and left vectors v, w moves by  w* dX v/(w* v);  gradient
     ascent on the worst one, from several starts, finds the worst errors of the set (a search, no proof).
(4)  The set is scaled up until errors are found that make the loop unstable. Along these errors the limiting scale is
     exact. The search continues just below this scale until it finds no unstable loop. The margin is the last scale.

Stability for all parameters in the confidence ellipsoid of an identification is a statistical statement, no proof:

(5)  the parameters x lie in  x' S^-1 x <= r^2  about their estimate with the probability P, r^2 being the P quantile of
     chi squared with as many degrees of freedom as there are parameters
(6)  M, C and K are linear in base parameters: M_k = dY_k/dqdd, C_k = dY_k/dqd, K_k = dY_k/dq with the regressor Y
(7)  the worst errors of the ellipsoid are searched for by (3), (4)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torquec.control.poles import JointPoles
from torquec.control.robustness import Loop, make_loop
from torquec.control.stability_interval import stable_span
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.linearization.linearize import linearize_along
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot

_STEP = 1e-30  # size of the complex step, which has no cancellation: any that does not underflow


@dataclass(frozen=True)
class CovarianceMargin:
    """Stability margin over the confidence ellipsoid of the parameters at the probability `level`.

    `is_stable`: no unstable parameters were found in it; `excess`: the worst eigenvalue's real part [1/s]; `scale`:
    the factor on all parameter deviations at which the loop becomes unstable; `points`: number of sampled points.
    """

    level: float
    is_stable: bool
    excess: float
    scale: float
    points: int


def covariance_margin(
    source: Robot | Model,
    covariance: npt.ArrayLike,
    poles: JointPoles,
    states: tuple[Array, Array, Array],
    *,
    level: float = 0.95,
    period: float | None = None,
    sampled: bool = False,
) -> CovarianceMargin:
    """The margin over states q, qd, qdd, (N, n) each, for the covariance (b, b) of the base parameters, in their order.

    It is valid for laws with the linear feedback of pole placement: CT1, and CT2 where it is evaluated at the measured
    state. Raises `ArgumentError` for a covariance of another size and for a level outside of 0 to 1.
    """
    if not 0.0 < level < 1.0:
        raise ArgumentError(f"a probability of {level}", remedy="give one between 0 and 1, such as 0.95")
    model = as_model(source)
    S = np.asarray(covariance, dtype=np.float64)
    radius = math.sqrt(chi_squared_quantile(level, len(S)))
    worst, scale, count = -np.inf, np.inf, 0
    with one_thread():
        for linear, q, qd, qdd in zip(linearize_along(model, *states), *states, strict=True):
            slopes = parameter_slopes(model.robot, q, qd, qdd)
            if S.shape != (len(slopes[0]),) * 2:
                raise ArgumentError(
                    f"a covariance {S.shape} of {len(slopes[0])} base parameters",
                    remedy="give one row for each of them",
                )
            loop = make_loop(linear, poles, period=period, sampled=sampled)
            found = structured_margin(loop, ParameterCovariance(S, *slopes, radius))
            worst, scale, count = max(worst, found.excess), min(scale, found.scale), count + 1
    return CovarianceMargin(level, worst < 0.0, worst, scale, count)


def parameter_slopes(robot: Robot, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
    """(6) at a state (n,) each: the derivatives of M, C and K by the base parameters, (b, n, n) each."""
    exact = Model(robot)
    state = [np.asarray(part, dtype=np.complex128) for part in (q, qd, qdd)]
    found = []
    for moved in (2, 1, 0):
        columns = []
        for joint in range(robot.n):
            shifted = [part.copy() for part in state]
            shifted[moved][joint] += 1j * _STEP
            columns.append(np.array(exact.at("base_regressor", *map(list, shifted)), dtype=np.complex128).imag / _STEP)
        # (n of the derivative, n of the torque, b) -> (b, n of the torque, n of the derivative)
        found.append(np.transpose(np.array(columns), (2, 1, 0)))
    M, C, K = found
    return M, C, K


def chi_squared_quantile(level: float, degrees: int) -> float:
    """Quantile of the chi-squared distribution with `degrees` degrees of freedom at the probability `level`.

    >>> round(chi_squared_quantile(0.95, 1), 4), round(chi_squared_quantile(0.95, 10), 4)
    (3.8415, 18.307)
    """
    low, high = 0.0, 10.0
    while chi_squared_exceeded(high, degrees) > 1.0 - level:
        high *= 2.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if chi_squared_exceeded(middle, degrees) > 1.0 - level else (low, middle)
    return high


def chi_squared_exceeded(x: float, degrees: int) -> float:
    """P(chi squared > x), by Q(k + 2) = Q(k) + (x/2)^(k/2) exp(-x/2)/Gamma(k/2 + 1)."""
    half = 0.5 * x
    k, total = (1, math.erfc(math.sqrt(half))) if degrees % 2 else (2, math.exp(-half))
    while k < degrees:
        total += math.exp(0.5 * k * math.log(half) - half - math.lgamma(0.5 * k + 1.0)) if half > 0.0 else 0.0
        k += 2
    return total


_STARTS = 8  # ascents from random corners, besides the one from the centre: maxima are local
_ROUNDS = 50  # largest number of steps of an ascent; it usually converges after a few
_GROWTH = 1.5  # factor on the set until it is unstable; the limit is then located exactly
_LARGEST_SCALE = 1e4  # largest scale searched; beyond it the margin counts as infinite


@dataclass(frozen=True, eq=False)
class EntryBounds:
    """Error bounds (1) of the entries of M, C and K, (n, n) each, not negative."""

    M: Array
    C: Array
    K: Array

    def directions(self, n: int) -> Array:
        """One unit error of the model per entry: (3 n^2, 3, n, n)."""
        bounds = np.array([self.M, self.C, self.K], dtype=np.float64)
        if bounds.shape != (3, n, n) or not np.isfinite(bounds).all() or np.any(bounds < 0.0):
            raise ArgumentError(
                f"bounds of shape {bounds.shape}", remedy=f"give M, C and K, ({n}, {n}) each, finite and not negative"
            )
        size = 3 * n * n
        found = np.zeros((size, size))
        np.fill_diagonal(found, bounds.ravel())
        return found[bounds.ravel() > 0.0].reshape(-1, 3, n, n)

    @staticmethod
    def worst(gradient: Array) -> Array:
        """The errors of the set that move an eigenvalue most."""
        return np.sign(gradient)


@dataclass(frozen=True, eq=False)
class ParameterCovariance:
    """(2): covariance (p, p), derivatives of M, C and K by the parameters, (p, n, n) each, and the radius r."""

    covariance: Array
    M: Array
    C: Array
    K: Array
    radius: float = 3.0

    def directions(self, n: int) -> Array:
        """The errors of the model along the axes of the ellipsoid: (p, 3, n, n)."""
        S = np.asarray(self.covariance, dtype=np.float64)
        slopes = np.stack([self.M, self.C, self.K], axis=1)
        if S.ndim != 2 or S.shape[0] != S.shape[1] or slopes.shape != (len(S), 3, n, n):
            raise ArgumentError(
                f"covariance {S.shape} and derivatives {slopes.shape}", remedy=f"give (p, p) and three (p, {n}, {n})"
            )
        values, vectors = np.linalg.eigh(0.5 * (S + S.T))
        if values.min(initial=0.0) < -1e-9 * max(values.max(initial=0.0), 1e-300):
            raise ArgumentError("the covariance is not positive semidefinite", remedy="give a covariance matrix")
        axes = self.radius * vectors * np.sqrt(np.maximum(values, 0.0))
        return np.tensordot(axes.T, slopes, axes=1)

    @staticmethod
    def worst(gradient: Array) -> Array:
        """The errors of the set that move an eigenvalue most."""
        size = float(np.linalg.norm(gradient))
        return gradient / size if size > 0.0 else gradient


@dataclass(frozen=True)
class StructuredMargin:
    """The worst errors found: `excess` is the worst eigenvalue's real part [1/s], negative where the loop is stable.

    `scale`: the factor on the whole set at which errors were found that make the loop unstable.
    """

    excess: float
    scale: float

    @property
    def is_stable(self) -> bool:
        """True where no errors of the set were found that make the loop unstable."""
        return self.excess < 0.0


def structured_margin(loop: Loop, errors: EntryBounds | ParameterCovariance, *, seed: int = 0) -> StructuredMargin:
    """The margin of a loop (`torquec.control.robustness.make_loop`) under structured errors, (3) and (4).

    Raises `ArgumentError` for arrays of the wrong shape.
    """
    # The gains are linear in the nominal model: each unit error changes the loop by a constant matrix.
    changes = np.array([-loop.G @ loop.gains(*unit) for unit in errors.directions(loop.model.n)])
    here = loop.matrix()
    if len(changes) == 0:
        return StructuredMargin(loop.excess(here), np.inf)
    search = _Search(loop, here, changes, errors.worst, seed)
    scale = _scale(search)
    return StructuredMargin(search.worst(1.0)[0], scale)


def _scale(search: _Search) -> float:
    """(4)."""
    size = 1.0
    found, worst = search.worst(size)
    while found < 0.0:
        size *= _GROWTH
        if size > _LARGEST_SCALE:
            return np.inf
        found, worst = search.worst(size)
    scale = np.inf
    while found >= 0.0:
        _, reach = stable_span(search.loop, search.here, np.tensordot(worst, search.changes, axes=1))
        scale = min(scale, reach)
        found, worst = search.worst(0.99 * scale)
    return scale


class _Search:
    """Search (3) for the worst errors of closed loops here + x . changes. Errors found at one size start the next."""

    def __init__(self, loop: Loop, here: Array, changes: Array, extreme: Callable[[Array], Array], seed: int) -> None:
        self.loop, self.here, self.changes = loop, here, changes
        self._extreme = extreme
        rng = np.random.default_rng(seed)
        random = [extreme(rng.normal(size=len(changes))) for _ in range(_STARTS - 1)]
        self._starts = [np.zeros(len(changes)), *random]

    def worst(self, size: float) -> tuple[float, Array]:
        """The worst growth found in the set scaled by `size`, and the errors, of the unscaled set, that cause it."""
        scaled = size * self.changes
        climbs = [_climbed(self.loop, self.here, scaled, x, self._extreme) for x in self._starts]
        value, errors = max(climbs, key=lambda climb: climb[0])
        self._starts.append(errors)
        return value, errors


def _climbed(loop: Loop, here: Array, changes: Array, x: Array, worst: Callable[[Array], Array]) -> tuple[float, Array]:
    """(3) from one start."""
    value = loop.excess(here + np.tensordot(x, changes, axes=1))
    for _ in range(_ROUNDS):
        further = worst(_gradient(loop, here + np.tensordot(x, changes, axes=1), changes))
        step, improved = 1.0, False
        while step > 1e-3:
            tried = x + step * (further - x)
            there = loop.excess(here + np.tensordot(tried, changes, axes=1))
            if there > value + 1e-12 * abs(value):
                value, x, improved = there, tried, True
                break
            step *= 0.5
        if not improved:
            break
    return value, x


def _gradient(loop: Loop, matrix: Array, changes: Array) -> Array:
    """Derivatives of the worst eigenvalue's growth by the coordinates of the errors."""
    eigenvalues, right = np.linalg.eig(matrix)
    left = np.linalg.inv(right)
    size = eigenvalues.real if loop.period is None else np.abs(eigenvalues)
    k = int(np.argmax(size))
    moved = np.einsum("i,mij,j->m", left[k], changes, right[:, k])
    turned = moved if loop.period is None else moved * np.conj(eigenvalues[k]) / abs(eigenvalues[k])
    gradient: Array = turned.real
    return gradient
