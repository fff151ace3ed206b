"""Inertial norm of acceleration errors: an unknown payload multiplies it by the change of the kinetic energy.

A payload that differs from the centre of its cell disturbs the loop by S a, S = M_c^-1 N_d: a is the error of the
acceleration, M_c the inertia of the centre, N_d that of the difference, which is constant in the payload's frame ((10)
of :mod:`torquec.proof.tracking.plant_uncertainty`). Joint by joint, |S| |a| gives a every sign at every joint, and N_d
another payload in every entry. The norm of the kinetic energy, in which S is symmetric, does neither:

(1)  |x|_e = |K^-1 x|, the Euclidean norm, with K = L^-1 and L' L ~ M_c in the middle of epoch e
(2)  K^-1 S K = (K^-1 M_c^-1 K^-T) (K' N_d K), and the second factor is symmetric: with v, w the linear and angular
     acceleration of the payload's frame that K z causes, and differences dm, df, dI of mass, first moment and moments
       z' K' N_d K z = dm |v|^2 + 2 v (w x df) + w' dI w,   at most  (|dm| + t |df|) |v|^2 + (|dI| + |df|/t) |w|^2
     for every t > 0: the largest eigenvalue of a matrix, so that |S a|_e <= sigma |a|_e
(3)  |dI|, a spectral norm: a point of mass m at c has moments m (|c|^2 - c c') with eigenvalues between 0 and m |c|^2,
     that is half of their largest value around the middle; others by the Frobenius norm of their half widths
(4)  a disturbance d with |d|_e <= b changes an output with rows g_m by at most sum |g_m K| b, Euclidean norms of rows.
     For d of another epoch f, |d|_e <= |K_e^-1 K_f| |d|_f
(5)  At a sample without disturbances a is p_k/T^2 ((1) of :mod:`torquec.proof.tracking.coupled_loop`), whose rows h_m
     K^-1 gives as a vector: disturbances with |d|_e <= b contribute at most sum |K^-1 h_m K| b, spectral norms
(6)  between samples, by (2) of :mod:`torquec.proof.tracking.viscous_damping`,  a = (1 - r A) p_k/T^2 - (w + w'), and
       |a|_e <= nu |p_k/T^2|_e + |K^-1 (w + w')|,   nu = max(1, |K^-1 (1 - A) K|)  since norms are convex in r
     where S a is part of w. A radius of |a|_e that exceeds this bound, sigma times itself included, belongs to the
     tube: then sigma < 1, and |a|_e is below it at every instant at which the rest of the bound holds
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from torquec.foundation.arrays import Array
from torquec.proof.enclosure.enclose import rounding

_SQUARINGS = 7
"""Powers of 2 in `spectral_norm`: it overestimates by at most n^(1/256), 1 % for ten joints."""

_UP = 1.0 + 1e-11
"""Covers the rounding of norms, of sums of some hundred numbers that are not negative, and of K L = 1 (`_TRUSTED`)."""

_TRUSTED = 1e-12
"""Largest |1 - K L| of a norm: K is exact, and L = K^-1 up to this part."""

_RATIOS = (0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8)
"""Trial values of t in (2), relative to the ratio of the largest |w| and |v|."""


def spectral_norm(matrices: Array) -> Array:
    """Upper bounds (..) of the spectral norms of matrices (.., m, n): the root of a trace, tr((A' A)^128)^(1/256).

    >>> float(spectral_norm(np.diag([3.0, 4.0]))) - 4.0 < 1e-9
    True
    """
    power = np.swapaxes(matrices, -1, -2) @ matrices
    total, size = np.zeros(power.shape[:-2]), 1.0
    with np.errstate(all="ignore"):
        for _ in range(_SQUARINGS):
            trace = np.trace(power, axis1=-2, axis2=-1)
            scale = np.where(trace > 0.0, trace, 1.0)
            total = total + size * np.log(scale)
            power = power / scale[..., None, None]
            power, size = power @ power, 0.5 * size
        trace = np.trace(power, axis1=-2, axis2=-1)
        found = np.exp(0.5 * (total + size * np.log(trace)))
    return np.asarray(np.where(trace == 0.0, 0.0, found) * _UP)


def length(rows: Array) -> Array:
    """Upper bounds of the Euclidean norms over the last axis."""
    return np.asarray(np.sqrt((rows**2).sum(axis=-1)) * _UP)


@dataclass(frozen=True, eq=False)
class InertialNorm:
    """(1) for every cell and epoch: `L` and `K` (C, E, n, n)."""

    L: Array
    K: Array

    @classmethod
    def of(cls, inverse: Array) -> InertialNorm:
        """The norms for M_c^-1 (C, E, n, n); unusable ones, with infinite bounds, where it is not positive."""
        symmetric = 0.5 * (inverse + inverse.swapaxes(-1, -2))
        try:
            K = np.asarray(np.linalg.cholesky(symmetric), dtype=np.float64)
            L = np.asarray(np.linalg.inv(K), dtype=np.float64)
        except np.linalg.LinAlgError:
            return cls(np.full_like(inverse, np.inf), np.full_like(inverse, np.inf))
        apart = np.abs(np.eye(K.shape[-1]) - K @ L).sum(axis=-1).max(axis=-1)
        return cls(np.where((apart < _TRUSTED)[..., None, None], L, np.inf), K)

    @cached_property
    def between(self) -> Array:
        """|K_e^-1 K_f| of (4), (C, E, E)."""
        return spectral_norm(self.L[:, :, None] @ self.K[:, None])

    def of_samples(self, A: Array) -> Array:
        """nu of (6), (C, E), for A (C, E, n, n)."""
        one = np.eye(A.shape[-1])
        return np.maximum(1.0, spectral_norm(self.L @ (one - A) @ self.K))


def energy_change(twists: tuple[Array, Array, Array], K: Array, mass: float, moment: float, inertia: float) -> Array:
    """(2): bounds (N,) of |K' N_d K|, for K (N, n, n), |dm| <= `mass`, |df| <= `moment` and |dI| <= `inertia`.

    `twists`: middles and radii (N, 6, n) of the payload's angular and linear velocities per joint speed, and changes
    (k, N, 6, n), each with any factor from -1 to 1.
    """
    middle, changes = twists[0] @ K, twists[2] @ K
    step = rounding(len(K[0]))
    radius = (twists[1] + step * (np.abs(twists[0]) + np.abs(twists[2]).sum(axis=0))) @ np.abs(K)
    sizes = spectral_norm(middle[:, :3]), spectral_norm(middle[:, 3:])
    least, ratio = np.full(len(middle), np.inf), np.ones(len(middle))
    with np.errstate(all="ignore"):
        first = np.where(sizes[1] > 0.0, sizes[0] / sizes[1], 1.0)
        for part in _RATIOS:
            t = np.maximum(part * first, 1e-9)
            found = spectral_norm(_weighted(middle, t, mass, moment, inertia))
            ratio, least = np.where(found < least, t, ratio), np.fmin(found, least)
        moved = [spectral_norm(_weighted(change, ratio, mass, moment, inertia)) for change in changes]
        loose = spectral_norm(_weighted(radius, ratio, mass, moment, inertia))
        return np.asarray((least + np.sum(moved, axis=0) + loose) ** 2 * _UP)


def _weighted(twists: Array, t: Array, mass: float, moment: float, inertia: float) -> Array:
    """Twists (N, 6, n) times the roots of the factors in (2), t (N,)."""
    roots = np.sqrt(np.stack([inertia + moment / t, mass + moment * t], axis=1))
    return np.asarray(np.repeat(roots, 3, axis=1)[..., None] * twists)
