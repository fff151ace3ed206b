"""How far the error of a joint can go while a disturbance of bounded size drives it: L1 norms of impulse responses.

Under the feedback p e + s ed the error of a joint obeys, with g the impulse response of 1/(x^2 + s x + p),

(1)  edd + s ed + p e = w,   |w| <= W:       |e| <= W I(g),    |ed| <= W I(g'),    |p e + s ed| <= W I(f)

with I the integral of the magnitude, since the response to w is the convolution with g; f = p g + s g' is what feedback
asks for. I(g') is the total variation of g and I(f) that of g', sums over extrema whose times are known:

(2)  complex poles -a +- bj, r = exp(-a pi/b):     I(g) = coth(a pi/(2 b))/p,    I(g') = 2 m1/(1 - r)
     m1 = exp(-a t1)/sqrt p,  t1 = atan2(b, a)/b;     I(f) = 1 + 2 m2/(1 - r),   m2 = exp(-a t2),  t2 = 2 t1
(3)  real poles -a, -b with a <= b, k = a/b:       I(g) = 1/p,    I(g') = 2 m1,   I(f) = 1 + 2 m2
     m1 = exp(k x)/b,   m2 = k exp(2 k x),   x = ln k/(1 - k), which is -1 for k = 1
(4)  from an error e0 and a speed error ed0 at the start:  |e| <= |e0| + m1 |ed0|,   |ed| <= p m1 |e0| + |ed0|,
     |p e + s ed| <= p |e0| + max(s, sqrt p) |ed0|;   p e^2 + ed^2 never grows, and f = -g''

A feedback that is sampled has the same norms as sums over samples: :mod:`torquec.proof.tracking.sampled_response`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from torquec.errors import ArgumentError

_ROUNDED_UP = 1.0 + 1e-12
"""Covers the rounding of some twenty operations and elementary functions whose arguments are small."""

_NEARLY_DOUBLE = 1e-7
"""Relative distance of two real poles below which the series of ln k/(1 - k) is used: its rest is below 1e-14."""


@dataclass(frozen=True)
class OutputGain:
    """What is the most that one output of the error loop reaches, per unit of what drives it.

    `level`: of a disturbance; `drift`: of the rate at which it may grow after each sample, zero without sampling;
    `position`, `speed`: of the position and speed error at the start.
    """

    level: float
    drift: float
    position: float
    speed: float


@dataclass(frozen=True)
class ErrorResponse:
    """The gains of a joint: to its position error, its speed error, and the acceleration that feedback asks for."""

    position: OutputGain
    speed: OutputGain
    feedback: OutputGain


def error_response(stiffness: float, damping: float) -> ErrorResponse:
    """The gains (1)-(4) of feedback without sampling: `stiffness` p [1/s^2], `damping` s [1/s], rounded up.

    Raises `ArgumentError` unless both are positive.

    >>> error_response(1.0, 2.0).position.level  # a double pole: a constant disturbance is the worst
    1.000000000001
    """
    check_feedback(stiffness, damping)
    p, s = stiffness, damping
    half = 0.5 * s
    spread = half * half - p
    pair = _complex_pair(p, half, math.sqrt(-spread)) if spread < 0.0 else _real_pair(p, half + math.sqrt(spread))
    rising, asked = 2.0 * pair.m1 / (1.0 - pair.ratio), 1.0 + 2.0 * pair.m2 / (1.0 - pair.ratio)
    return ErrorResponse(
        OutputGain(pair.level * _ROUNDED_UP, 0.0, 1.0, pair.m1 * _ROUNDED_UP),
        OutputGain(rising * _ROUNDED_UP, 0.0, p * pair.m1 * _ROUNDED_UP, 1.0),
        OutputGain(asked * _ROUNDED_UP, 0.0, p, max(s, math.sqrt(p)) * _ROUNDED_UP),
    )


def check_feedback(stiffness: float, damping: float) -> None:
    """Raise `ArgumentError` unless stiffness and damping are positive."""
    if not (math.isfinite(stiffness) and math.isfinite(damping) and stiffness > 0.0 and damping > 0.0):
        raise ArgumentError(
            f"a stiffness of {stiffness} and a damping of {damping}", remedy="both are positive for stable poles"
        )


@dataclass(frozen=True)
class _PolePair:
    """What (2) and (3) say of two poles: I(g), m1, m2 and r."""

    level: float
    m1: float
    m2: float
    ratio: float


def _complex_pair(p: float, a: float, b: float) -> _PolePair:
    """(2)."""
    first = math.atan2(b, a) / b
    ratio = math.exp(-a * math.pi / b)
    return _PolePair(
        1.0 / (p * math.tanh(0.5 * a * math.pi / b)),
        math.exp(-a * first) / math.sqrt(p),
        math.exp(-2.0 * a * first),
        ratio,
    )


def _real_pair(p: float, fast: float) -> _PolePair:
    """(3), with a ratio of zero; `fast` is b, and a = p/b."""
    k = min(p / fast**2, 1.0)
    x = -1.0 - 0.5 * (1.0 - k) if 1.0 - k < _NEARLY_DOUBLE else math.log(k) / (1.0 - k)
    return _PolePair(1.0 / p, math.exp(k * x) / fast, k * math.exp(2.0 * k * x), 0.0)
