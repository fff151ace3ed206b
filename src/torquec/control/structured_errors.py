"""Errors of a model that are known entry by entry, or through the parameters that they come from.

The controller believes in  M + dM, C + dC, K + dK  with

(1)  bounds:      |dM_ij| <= M_ij and so on, arrays (n, n), such as a simplification's certificate gives
(2)  covariance:  dM = sum_k x_k dM/dx_k and so on,  x' S^-1 x <= r^2,  S (p, p) the covariance of an identification

(3)  An eigenvalue l of X with right and left vectors v, w moves by  w* dX v/(w* v);  going to the errors that move the
     worst one most, again and again, and from several starts, finds the worst errors of the set (a search, no proof).
(4)  The whole set is scaled up until errors are found that make the loop unstable; along them the limit is exact, and
     the search goes on just below it until nothing worse is found: the scale is the margin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from torquec.control.robustness import Loop
from torquec.control.stability_interval import stable_span
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array

_STARTS = 8  # climbs from random corners, besides the one from the middle: maxima are local
_ROUNDS = 50  # of a climb; it ends by itself after a few
_GROWTH = 1.5  # of the set until it is unstable; the limit itself is then located exactly
_LARGEST_SCALE = 1e4  # of a set that never makes the loop unstable


@dataclass(frozen=True, eq=False)
class EntryBounds:
    """(1): what each entry of M, C and K may be wrong by, (n, n) each, not negative."""

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

    `scale` is by how much the whole set could grow before errors were found that make the loop unstable.
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
    # The gains are linear in the model that is believed in: each unit error changes the loop by a constant matrix.
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
    """(3) on a set of errors: closed loops here + x . changes. What was worst at one size is a start at the others."""

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
