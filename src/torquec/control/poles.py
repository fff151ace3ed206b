"""Poles of controlled joints, one pair each, their feedback gains, and the zero-order hold of linear systems.

(1)  continuous:  edd + s ed + p e = 0       p = l1 l2,                       s = -(l1 + l2)            Clover III (16)
(2)  sampled:     with z = exp(l h)          p = (z1 z2 - z1 - z2 + 1)/h^2,   s = (2 - z1 - z2)/h              III (23)
     places the poles of a joint that is discretized by Euler's rule
(3)  A joint of pure inertia under e -> p e + s ed, held for h seconds, is stable exactly where  p h < 2 s  and
     s h < 2. A pair that violates this is too fast for the sampling.

A zero-order hold keeps the inputs of a linear system constant between samples:

(4)  x(t + h) = Phi x + Psi u,    Phi = exp(A h),    Psi = integral of exp(A s) B ds, 0 .. h           Clover III (33)
(5)  Phi and Psi are blocks of the exponential of [[A, B], [0, 0]] h, by scaling and squaring of its power series
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array

_TERMS = 20  # terms of the series: with a norm below one half, the truncation error is far below rounding error


def zero_order_hold(A: npt.ArrayLike, B: npt.ArrayLike, period: float) -> tuple[Array, Array]:
    """Phi (N, N) and Psi (N, m) of (4) for A (N, N), B (N, m) and the sampling interval [s].

    >>> Phi, Psi = zero_order_hold([[0.0, 1.0], [0.0, 0.0]], [[0.0], [1.0]], 0.5)
    >>> Phi.tolist(), Psi.tolist()
    ([[1.0, 0.5], [0.0, 1.0]], [[0.125], [0.5]])
    """
    a, b = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
    size, inputs = b.shape
    block = np.zeros((size + inputs, size + inputs))
    block[:size, :size], block[:size, size:] = a, b
    whole = matrix_exponential(block * period)
    return whole[:size, :size], whole[:size, size:]


def matrix_exponential(matrix: Array) -> Array:
    """exp of a square matrix (5)."""
    norm = float(np.abs(matrix).sum(axis=1).max(initial=0.0))
    halvings = max(0, math.ceil(math.log2(norm)) + 1) if norm > 0.0 else 0
    small = matrix / 2.0**halvings
    total = term = np.eye(len(matrix))
    for k in range(1, _TERMS):
        term = term @ small / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total


PoleArgument: TypeAlias = complex | Sequence[complex | Sequence[complex]]
"""One pole for all joints (with its conjugate), or per joint a pole (with its conjugate) or a pair."""


@dataclass(frozen=True)
class PolePair:
    """The two poles of a joint [1/s]: conjugate, or both real."""

    first: complex
    second: complex

    @property
    def product(self) -> float:
        """l1 l2 [1/s^2]."""
        return (self.first * self.second).real

    @property
    def sum(self) -> float:
        """l1 + l2 [1/s]."""
        return (self.first + self.second).real

    def __str__(self) -> str:
        if self.first.imag == 0.0:
            return f"{self.first.real:g}, {self.second.real:g}"
        return f"{self.first.real:g} +- {abs(self.first.imag):g}j"


@dataclass(frozen=True)
class JointPoles:
    """A pair of poles for every joint, in joint order."""

    joints: tuple[str, ...]
    pairs: tuple[PolePair, ...]

    @property
    def values(self) -> tuple[complex, ...]:
        """All 2n poles."""
        return tuple(pole for pair in self.pairs for pole in (pair.first, pair.second))


@dataclass(frozen=True)
class ErrorFeedback:
    """Error feedback of every joint: the acceleration p e + s ed; `stiffness` p [1/s^2] and `damping` s [1/s], (n,).

    `integral` [1/s^3] multiplies the integral of e, in laws that have one.
    """

    stiffness: tuple[float, ...]
    damping: tuple[float, ...]
    integral: tuple[float, ...] | None = None


def joint_poles(joints: Sequence[str], poles: PoleArgument) -> JointPoles:
    """The pole pair of every joint, from one pole for all joints or one pole or pair per joint.

    Raises `ArgumentError`, which names the joint, for poles that are unstable, not finite, or neither conjugate nor
    real; and for a wrong number of them.

    >>> [str(pair) for pair in joint_poles(("a", "b"), [-12 + 45j, (-3, -4)]).pairs]
    ['-12 +- 45j', '-3, -4']
    """
    names = tuple(joints)
    if isinstance(poles, (int, float, complex)):
        wanted: list[complex | Sequence[complex]] = [complex(poles)] * len(names)
    else:
        wanted = list(poles)
    if len(wanted) != len(names):
        raise ArgumentError(
            f"{len(wanted)} poles for {len(names)} joints",
            remedy="give one for all joints, or one for each: a number (its conjugate is added) or a pair",
        )
    return JointPoles(names, tuple(_pair(name, one) for name, one in zip(names, wanted, strict=True)))


def error_feedback(poles: JointPoles, *, period: float | None = None, sampled: bool = False) -> ErrorFeedback:
    """The feedback (1), or with `sampled` (2), for poles and a sampling interval [s].

    Raises `ArgumentError`, which names the joint, for poles that are too fast for the interval (3).

    >>> error_feedback(joint_poles(("a",), -3 + 4j)).stiffness
    (25.0,)
    """
    if period is not None and not (math.isfinite(period) and period > 0.0):
        raise ArgumentError(f"a sampling interval of {period} s", remedy="give a positive number of seconds")
    if sampled and period is None:
        raise ArgumentError("discrete poles need a sampling interval", remedy="give the period in seconds")
    found = []
    for joint, pair in zip(poles.joints, poles.pairs, strict=True):
        p, s = pair.product, -pair.sum
        if sampled and period is not None:
            p, s = _sampled(pair, period)
        if period is not None:
            _check_speed(joint, pair, p, s, period)
        found.append((p, s))
    return ErrorFeedback(tuple(p for p, _ in found), tuple(s for _, s in found))


def _pair(joint: str, wanted: complex | Sequence[complex]) -> PolePair:
    try:
        if isinstance(wanted, (int, float, complex)):
            first, second = complex(wanted), complex(wanted).conjugate()
        else:
            first, second = (complex(pole) for pole in wanted)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"the poles of joint '{joint}' are {wanted!r}", remedy="give one or two numbers") from error
    if not (cmath.isfinite(first) and cmath.isfinite(second)):
        raise ArgumentError(f"a pole of joint '{joint}' is not finite: {wanted!r}", remedy="give finite poles")
    if first.conjugate() != second and (first.imag != 0.0 or second.imag != 0.0):
        raise ArgumentError(
            f"the poles {first:g} and {second:g} of joint '{joint}' belong to no real system",
            remedy="give a conjugate pair or two real poles",
        )
    if first.real >= 0.0 or second.real >= 0.0:
        worst = max(first.real, second.real)
        raise ArgumentError(
            f"the poles {PolePair(first, second)} of joint '{joint}' are unstable: errors grow as exp({worst:g} t)",
            remedy="give poles with negative real parts, as in -12+45j",
        )
    return PolePair(first, second)


def _sampled(pair: PolePair, period: float) -> tuple[float, float]:
    """(2)."""
    z1, z2 = cmath.exp(pair.first * period), cmath.exp(pair.second * period)
    return ((z1 * z2 - z1 - z2 + 1.0) / period**2).real, ((2.0 - z1 - z2) / period).real


def _check_speed(joint: str, pair: PolePair, p: float, s: float, period: float) -> None:
    """(3), and Nyquist's limit."""
    fastest = abs(pair.first.imag)
    if fastest * period < math.pi and s > 0.0 and p * period < 2.0 * s and s * period < 2.0:
        return
    # The limit of the continuous pair: with it the remedy holds for both designs.
    needed = max(pair.product / (2.0 * -pair.sum), -pair.sum / 2.0, fastest / math.pi)
    raise ArgumentError(
        f"the poles {pair} of joint '{joint}' are too fast for samples every {period:g} s ({1.0 / period:g} Hz)",
        remedy=f"sample at more than {1.2 * needed:.3g} Hz, or ask for slower poles",
    )
