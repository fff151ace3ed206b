"""Motions that are linear in their coefficients: finite Fourier series and splines, at rest where they begin and end.

(1)  q_j(t) = sum_p phi_p(t) x_pj: every joint has the same functions phi_p and its own column of x (P, n)
(2)  Fourier series: phi_1 = 1, and w times the terms of `torquec.trajectory.fourier_motion`, combined such that
     sum_k a_k = 0 and sum_k k b_k = 0: speed and acceleration are zero at t = 0 and after a period
(3)  spline: phi_p is the spline of degree five through 1 at way-point p and 0 at the others, speed and acceleration
     zero at both ends; the last way-point is the first, so that a motion can be repeated
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from torquec.foundation.arrays import Array
from torquec.trajectory.fourier_motion import FourierMotion
from torquec.trajectory.polynomial_motion import PolynomialMotion
from torquec.trajectory.quintic_spline import spline_motion
from torquec.trajectory.trajectory import MotionState

_SAMPLES_PER_HARMONIC = 24  # twelve times what the sampling theorem asks: peaks between samples are small
_SAMPLES_PER_PIECE = 12  # of a spline, for the same
_FEWEST_SAMPLES = 96  # for motions of few harmonics or pieces


class MotionBasis(Protocol):
    """The functions of (1) for motions of `duration` seconds."""

    @property
    def duration(self) -> float:
        """Length of a motion [s]."""
        ...

    @property
    def size(self) -> int:
        """Number P of functions."""
        ...

    @property
    def samples(self) -> int:
        """How many times within a motion are enough to see its peaks."""
        ...

    def at(self, t: Array) -> MotionState:
        """phi, its first and its second derivative at N times, (N, P) each."""
        ...

    def motion(self, x: Array) -> FourierMotion | PolynomialMotion:
        """The motion of coefficients x (P, n)."""
        ...

    def random(self, rng: np.random.Generator, n: int) -> Array:
        """Coefficients (P, n) of a motion about zero."""
        ...

    def shifted(self, x: Array, by: Array) -> Array:
        """The coefficients of the same motion, each joint moved by (n,)."""
        ...


@dataclass(frozen=True)
class FourierBasis:
    """(2), with as many `harmonics` of a period of `duration` seconds."""

    duration: float
    harmonics: int

    @property
    def size(self) -> int:
        """One constant, and all terms but the two that rest costs."""
        return 2 * self.harmonics - 1

    @property
    def samples(self) -> int:
        """Enough for every harmonic."""
        return max(_FEWEST_SAMPLES, _SAMPLES_PER_HARMONIC * self.harmonics)

    @property
    def rate(self) -> float:
        """w [rad/s]."""
        return 2.0 * np.pi / self.duration

    @cached_property
    def _free(self) -> tuple[Array, Array]:
        """Orthonormal columns (m, m - 1) of all a with sum a = 0, and of all b with sum k b = 0."""
        numbers = np.arange(1.0, self.harmonics + 1.0)
        a, b = (np.linalg.svd(row[None])[2][1:].T for row in (np.ones(self.harmonics), numbers))
        return a, b

    def at(self, t: Array) -> MotionState:
        """The functions (N, P)."""
        return self.motion(np.eye(self.size)).at(t)

    def motion(self, x: Array) -> FourierMotion:
        """The series of coefficients x (P, n)."""
        return FourierMotion(x[0].copy(), *self._coefficients(x), self.rate, self.duration)

    def _coefficients(self, x: Array) -> tuple[Array, Array]:
        """a and b (n, m) of coefficients x (P, n)."""
        a, b = self._free
        half = self.harmonics
        return self.rate * (a @ x[1:half]).T, self.rate * (b @ x[half:]).T

    def random(self, rng: np.random.Generator, n: int) -> Array:
        """Coefficients (P, n) of a motion about zero."""
        x = rng.normal(size=(self.size, n))
        x[0] = 0.0
        return x

    def shifted(self, x: Array, by: Array) -> Array:
        """The constant moved by (n,)."""
        moved = x.copy()
        moved[0] += by
        return moved


@dataclass(frozen=True)
class SplineBasis:
    """(3), with as many `waypoints`, the last of which is the first."""

    duration: float
    waypoints: int

    @property
    def size(self) -> int:
        """Every way-point but the last."""
        return self.waypoints - 1

    @property
    def samples(self) -> int:
        """Enough for every piece."""
        return max(_FEWEST_SAMPLES, _SAMPLES_PER_PIECE * (self.waypoints - 1))

    @cached_property
    def _functions(self) -> PolynomialMotion:
        return self.motion(np.eye(self.size))

    def at(self, t: Array) -> MotionState:
        """The functions (N, P)."""
        return self._functions.at(t)

    def motion(self, x: Array) -> PolynomialMotion:
        """The spline through the way-points x (P, n), and back to the first."""
        still = np.zeros((2, x.shape[1]))
        return spline_motion(np.linspace(0.0, self.duration, self.waypoints), np.vstack([x, x[:1]]), still, still)

    def random(self, rng: np.random.Generator, n: int) -> Array:
        """Way-points (P, n) about zero."""
        return rng.normal(size=(self.size, n))

    def shifted(self, x: Array, by: Array) -> Array:
        """All way-points moved by (n,)."""
        return x + by
