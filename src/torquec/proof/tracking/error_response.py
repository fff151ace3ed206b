"""Peak gains of the tracking error dynamics: continuous time, and sampled with zero-order hold.

The tracking error under a bounded disturbance is bounded by L1 norms of impulse responses. Continuous time: under the
feedback p e + s ed the error of a joint obeys, with g the impulse response of 1/(x^2 + s x + p),

(1)  edd + s ed + p e = w,   |w| <= W:       |e| <= W I(g),    |ed| <= W I(g'),    |p e + s ed| <= W I(f)

with I the integral of the magnitude, since the response to w is the convolution with g; f = p g + s g' is the feedback
command. I(g') is the total variation of g and I(f) that of g', sums over extrema whose times are known:

(2)  complex poles -a +- bj, r = exp(-a pi/b):     I(g) = coth(a pi/(2 b))/p,    I(g') = 2 m1/(1 - r)
     m1 = exp(-a t1)/sqrt p,  t1 = atan2(b, a)/b;     I(f) = 1 + 2 m2/(1 - r),   m2 = exp(-a t2),  t2 = 2 t1
(3)  real poles -a, -b with a <= b, k = a/b:       I(g) = 1/p,    I(g') = 2 m1,   I(f) = 1 + 2 m2
     m1 = exp(k x)/b,   m2 = k exp(2 k x),   x = ln k/(1 - k), which is -1 for k = 1
(4)  from an error e0 and a speed error ed0 at the start:  |e| <= |e0| + m1 |ed0|,   |ed| <= p m1 |e0| + |ed0|,
     |p e + s ed| <= p |e0| + max(s, sqrt p) |ed0|;   p e^2 + ed^2 never grows, and f = -g''

Sampled with zero-order hold, the same norms are sums over samples. Every T seconds, at t_k, the feedback p e_k + s ed_k
is computed and held. With h = T sqrt p, c = h^2, d = s T, the state x = (e, T ed/h) and t = t_k + r T, 0 <= r <= 1,
while a disturbance w acts all the time:

(5)  e(t)    = (1 - c r^2/2, h (r - d r^2/2)) x_k + T^2 int_0^r (r - z) w dz
(6)  T ed(t) = (-c r, h (1 - d r)) x_k + T^2 int_0^r w dz
(7)  x_k+1 = F x_k + T^2 int_0^1 (1 - z, 1/h)' w dz,        F = [[1 - c/2, h (1 - d/2)], [-c/h, 1 - d]]
(8)  with |w| <= W + z T R in every period (a level, and a drift since the last sample):

       |y x_k| <= T^2 sum over m of int_0^1 |y F^m (1 - z, 1/h)'| (W + z T R) dz  =  N(y) for a row y

(9)  N is convex, and the rows of (5) and (6) are polynomials in r with the Bernstein coefficients
     (1, 0), (1, h/2), (1 - c/2, h - h d/2) and (0, h), (-c, h - h d). The integrals of (5) and (6) are at most
     proportional to r^2 and r, with coefficients 0, 0, 1 and 0, 1. So N at those rows bounds the errors between samples
     too.
(10)  a linear function with ends u, v:  int |.| = (|u| + |v|)/2, or (u^2 + v^2)/(2 |u| + 2 |v|) where the signs differ;
     int z |.| <= |u|/6 + |v|/3

Proof of the sums. For any approximations P_m of F^m, with P_0 = 1 and residuals E_m = P_m+1 - P_m F,

(11)  F^m = P_m - sum over j < m of E_j F^(m-1-j),   so that  sum |F^m - P_m| <= (sum |E_m|) (sum |F^m|),
     which bounds sum |F^m|, and thus all errors, rounding included. Row sums of |F^K| below 1 prove that the loop is
     stable and that the sums from K on are at most a geometric series.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array

_ROUNDED_UP = 1.0 + 1e-12
"""Covers the rounding of some twenty operations and elementary functions whose arguments are small."""

_NEARLY_DOUBLE = 1e-7
"""Relative distance of two real poles below which the series of ln k/(1 - k) is used: its remainder is below 1e-14."""

_EPSILON = float(np.finfo(np.float64).eps)
_MOST_SAMPLES = 2**20  # a loop whose response has not decayed by then is rejected as far too slow
_FORGOTTEN = 1e-9
"""Row sums of |F^K| below which a geometric series bounds the tail of the sums: it adds less than 1e-8 of them."""

_SMALL_REST = 1e-3
"""The same limit for the verified |F^K| with its rounding error: a loop above it would need more digits."""


@dataclass(frozen=True)
class OutputGain:
    """Peak gains of one output of the error loop, per unit of each input.

    `level`: disturbance; `drift`: rate at which it may grow after each sample, zero without sampling;
    `position`, `speed`: initial position and speed error.
    """

    level: float
    drift: float
    position: float
    speed: float


@dataclass(frozen=True)
class ErrorResponse:
    """Peak gains of a joint: to its position error, its speed error, and the feedback acceleration."""

    position: OutputGain
    speed: OutputGain
    feedback: OutputGain


def error_response(stiffness: float, damping: float) -> ErrorResponse:
    """Peak gains (1)-(4) in continuous time: `stiffness` p [1/s^2], `damping` s [1/s], rounded up.

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
    """Norms (2), (3) of a pole pair: I(g), m1, m2 and r."""

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
    """(3), with r = 0; `fast` is b, and a = p/b."""
    k = min(p / fast**2, 1.0)
    x = -1.0 - 0.5 * (1.0 - k) if 1.0 - k < _NEARLY_DOUBLE else math.log(k) / (1.0 - k)
    return _PolePair(1.0 / p, math.exp(k * x) / fast, k * math.exp(2.0 * k * x), 0.0)


def sampled_response(stiffness: float, damping: float, period: float) -> ErrorResponse:
    """Peak gains (8), (9) of a feedback that is sampled every `period` seconds, rounded up.

    `stiffness` p [1/s^2], `damping` s [1/s]. Raises `ArgumentError` for a loop that is unstable, or whose response has
    not decayed after a million samples.

    >>> sampled_response(1.0, 2.0, 1e-3).position.level < 1.001  # 1 without sampling
    True
    """
    check_feedback(stiffness, damping)
    if not (np.isfinite(period) and period > 0.0):
        raise ArgumentError(f"a sampling interval of {period} s", remedy="give a positive number of seconds")
    d, h = damping * period, math.sqrt(stiffness) * period
    c = stiffness * period**2
    F = np.array([[1.0 - 0.5 * c, h * (1.0 - 0.5 * d)], [-c / h, 1.0 - d]])
    entries = np.array([[1.0 + c, h * (1.0 + d)], [c / h, 1.0 + d]])
    powers = verified_powers(F, 8.0 * _EPSILON * entries)
    if powers is None:
        raise ArgumentError(
            f"a loop with stiffness {stiffness:g} and damping {damping:g}, sampled every {period:g} s, is not "
            "stable, or far too slow",
            remedy="sample faster, or ask for poles between a tenth of the sampling rate and a thousandth of it",
        )
    end = np.array([1.0 - 0.5 * c, h * (1.0 - 0.5 * d)])
    position = [(np.array([1.0, 0.0]), 0.0), (np.array([1.0, 0.5 * h]), 0.0), (end, 1.0)]
    speed = [(np.array([0.0, h]), 0.0), (np.array([-c, h * (1.0 - d)]), 1.0)]
    feedback = [(np.array([c, d * h]), 0.0)]
    T = period
    return ErrorResponse(
        _gain(powers, h, position, T, own=(0.5, 1.0 / 6.0), scale=1.0),
        _gain(powers, h, speed, T, own=(1.0, 0.5), scale=1.0 / T),
        _gain(powers, h, feedback, T, own=(0.0, 0.0), scale=1.0 / T**2),
    )


@dataclass(frozen=True, eq=False)
class Powers:
    """P_0 .. P_K-1 (K, m, m); `error` (m, m) bounds sum |F^m - P_m|, `rest` the row sums of |F^K|."""

    P: Array
    error: Array
    rest: float


def verified_powers(F: Array, wrong_entries: Array) -> Powers | None:
    """Verified powers (11) of F (m, m), by doubling; None where no power up to a million is small.

    `wrong_entries` (m, m) bounds the errors of the entries of F.
    """
    P, last = np.eye(len(F))[None], F
    with np.errstate(all="ignore"):
        while len(P) < _MOST_SAMPLES:
            P, last = np.concatenate([P, P @ last]), last @ last
            if not np.abs(last).max() < 1.0 / _EPSILON:
                return None
            if np.abs(last).sum(axis=1).max() < _FORGOTTEN:
                return _verified(F, P, last, wrong_entries)
    return None


def _verified(F: Array, P: Array, last: Array, wrong_entries: Array) -> Powers | None:
    """(11)."""
    following = np.concatenate([P[1:], last[None]])
    size = np.abs(P) @ np.abs(F)
    steps = 4.0 * len(F) * _EPSILON  # products of m numbers, and their differences
    residual = np.abs(following - P @ F) + steps * (size + np.abs(following)) + np.abs(P) @ wrong_entries
    total = residual.sum(axis=0) * _ROUNDED_UP
    sums = (np.abs(P).sum(axis=0) + np.abs(last)) * _ROUNDED_UP
    eta = float(total.sum(axis=1).max()) * _ROUNDED_UP
    if not eta < 0.5:
        return None
    largest = float(sums.max()) / (1.0 - eta) * _ROUNDED_UP
    error = np.repeat(total.sum(axis=1)[:, None], len(F), axis=1) * largest * _ROUNDED_UP
    rest = float((np.abs(last) + error).sum(axis=1).max()) * _ROUNDED_UP
    return Powers(P, error, rest) if rest < _SMALL_REST else None


def _gain(
    powers: Powers, h: float, rows: list[tuple[Array, float]], T: float, *, own: tuple[float, float], scale: float
) -> OutputGain:
    """The largest gain over the rows (9), each with its part of the integrals of the running period."""
    found = np.array([_sums(powers, h, row) for row, _ in rows])
    running = np.array([[part * own[0], part * own[1], 0.0, 0.0] for _, part in rows])
    units = np.array([T**2, T**3, 1.0, T / h]) * scale
    level, drift, position, speed = ((found + running) * units).max(axis=0) * _ROUNDED_UP
    return OutputGain(float(level), float(drift), float(position), float(speed))


def _sums(powers: Powers, h: float, row: Array) -> Array:
    """Dimensionless gains (4,) of (8): of the level, of the drift, and of the two initial states."""
    g = row @ powers.P
    every = np.abs(powers.P).sum(axis=0)
    # Errors of the rows: F^m - P_m, the rounding of the products and of the row itself.
    missed = np.abs(row) @ (powers.error + 16.0 * _EPSILON * every)
    later = powers.rest / (1.0 - powers.rest) * float((np.abs(g).sum(axis=0) + missed).sum())
    v = g[:, 1] / h
    u = g[:, 0] + v
    ends = np.abs(u) + np.abs(v)
    turning = (u * u + v * v) / np.where(ends > 0.0, 2.0 * ends, 1.0)
    level = np.where(u * v >= 0.0, 0.5 * ends, turning).sum()
    drift = (np.abs(u) / 6.0 + np.abs(v) / 3.0).sum()
    slack = 0.5 * missed[0] + missed[1] / h + later * max(0.5, 1.0 / h)
    # Rounding of u and v themselves, where their parts are large and cancel.
    slack += 4.0 * _EPSILON * float((np.abs(g[:, 0]) + np.abs(v)).sum())
    largest = np.abs(g).max(axis=0) + missed + later
    return np.array([level + slack, drift + slack, *largest])
