"""Fourier and spline basis of excitation trajectories, linear in the coefficients, and their optimisation problem.

(1)  q_j(t) = sum_p phi_p(t) x_pj: every joint has the same functions phi_p and its own column of x (P, n)
(2)  Fourier series: phi_1 = 1, and w times the terms of `torquec.trajectory.fourier_motion`, combined such that
     sum_k a_k = 0 and sum_k k b_k = 0: speed and acceleration are zero at t = 0 and after a period
(3)  spline: phi_p is the spline of degree five through 1 at way-point p and 0 at the others, speed and acceleration
     zero at both ends; the last way-point equals the first, so that a motion can be repeated

The optimisation problem: a criterion of the regressor, subject to limits. With coefficients x (P, n), in units of half
of each joint's range about its middle, and states at N samples,

(4)  q = middle + phi (x o half), qd and qdd with the derivatives of phi
(5)  minimise  criterion(W(q, qd, qdd))  such that every share of a limit is at most `room`
(6)  augmented Lagrangian, for multipliers m (N, K) and penalty c:

       L = criterion + sum (max(0, m + c (share - room))^2 - m^2)/(2 c),     next m = max(0, m + c (share - room))

(7)  its gradient by x, by the chain rule: from L to W and the shares, through the programs of `regressor_information`
     and `motion_limits` to the states, through (4) to x
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from torquec.foundation.arrays import Array
from torquec.identification.excitation.excitation_options import Criterion, criterion_slope, criterion_value
from torquec.identification.excitation.motion_limits import MotionLimits
from torquec.identification.excitation.regressor_information import RegressorInformation, information_matrix
from torquec.trajectory.fourier_motion import FourierMotion
from torquec.trajectory.polynomial_motion import PolynomialMotion, spline_motion
from torquec.trajectory.trajectory import MotionState


@dataclass(frozen=True, eq=False)
class Multipliers:
    """m (N, K), c and the room of (6)."""

    values: Array
    penalty: float
    room: float

    def updated(self, shares: Array, penalty: float) -> Multipliers:
        """The next multipliers, after a minimum of L with these shares (6)."""
        return Multipliers(np.maximum(0.0, self.values + self.penalty * (shares - self.room)), penalty, self.room)


@dataclass(frozen=True, eq=False)
class ExcitationProblem:
    """(4)-(7) for one robot, its limits, one kind of motion and one criterion."""

    information: RegressorInformation
    limits: MotionLimits
    basis: MotionBasis
    criterion: Criterion

    @cached_property
    def _phi(self) -> MotionState:
        times = (np.arange(self.basis.samples, dtype=np.float64) + 0.5) * (self.basis.duration / self.basis.samples)
        return self.basis.at(times)

    @property
    def shape(self) -> tuple[int, int]:
        """(P, n)."""
        return self.basis.size, len(self.limits.half)

    def coefficients(self, x: Array) -> Array:
        """The coefficients (P, n) of the motion itself."""
        return self.basis.shifted(x * self.limits.half, self.limits.middle)

    def state(self, x: Array) -> MotionState:
        """(4), (N, n) each."""
        scaled = x * self.limits.half
        phi = self._phi
        return MotionState(self.limits.middle + phi.q @ scaled, phi.qd @ scaled, phi.qdd @ scaled)

    def shares(self, x: Array) -> Array:
        """Shares (N, K) of the limits."""
        return self.limits.shares(self.state(x))

    def value(self, x: Array) -> float:
        """The criterion."""
        return criterion_value(self.criterion, information_matrix(self.information.rows(self.state(x))))

    def free(self, room: float) -> Multipliers:
        """Initial multipliers: zero."""
        return Multipliers(np.zeros((self.basis.samples, len(self.limits.names))), 1.0, room)

    def lagrangian(self, x: Array, multipliers: Multipliers, *, power: float | None) -> MotionEvaluation:
        """L and its gradient by x (P, n) (6), (7); `power` smooths the criterion, None leaves the criterion out."""
        state = self.state(x)
        shares = self.limits.shares(state)
        pushed = np.maximum(0.0, multipliers.values + multipliers.penalty * (shares - multipliers.room))
        value = float((pushed**2 - multipliers.values**2).sum() / (2.0 * multipliers.penalty))
        change = self.limits.by_state(state, pushed)
        true = np.inf
        if power is not None:
            rows = self.information.rows(state, soft=True)
            slope = criterion_slope(self.criterion, information_matrix(rows), power=power)
            value, true = value + slope.smooth, slope.value
            more = self.information.by_state(state, (2.0 / len(rows)) * (rows @ slope.by_w))
            change = MotionState(change.q + more.q, change.qd + more.qd, change.qdd + more.qdd)
        phi = self._phi
        gradient = (phi.q.T @ change.q + phi.qd.T @ change.qd + phi.qdd.T @ change.qdd) * self.limits.half
        return MotionEvaluation(value, gradient, true, float(shares.max()))


@dataclass(frozen=True, eq=False)
class MotionEvaluation:
    """L, its gradient (P, n), the criterion itself, and the largest share of any limit."""

    value: float
    gradient: Array
    criterion: float
    share: float


_SAMPLES_PER_HARMONIC = 24  # twelve times the Nyquist rate: samples hardly miss the peaks
_SAMPLES_PER_PIECE = 12  # of a spline, for the same reason
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
        """Number of sample times within a motion that is enough to find its peaks."""
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
    """Fourier basis (2): `harmonics` is their number, `duration` [s] the period."""

    duration: float
    harmonics: int

    @property
    def size(self) -> int:
        """One constant, and all terms but the two removed by the rest conditions (2)."""
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
    """Spline basis (3): `waypoints` is their number, the last equal to the first."""

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
