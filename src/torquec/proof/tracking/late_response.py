"""Gains of the tracking error by lag, when torques act late and speeds are differences of positions.

With T the sampling interval, z_k = T ed_k, feedback u_k in units of position (times T^2) that acts d intervals late,
and speeds by filtered differences of positions, every joint obeys at its samples, while a disturbance w acts,

(1)  e_k+1 = e_k + z_k - u_(k-d)/2 + T^2 int_0^1 (1 - r) w dr,       z_k+1 = z_k - u_(k-d) + T^2 int_0^1 w dr
(2)  s_k = (1 - c) s_(k-1) + c (e_k - e_(k-1)),  or  s_k = z_k  for measured speeds
(3)  u_k = p T^2 e_k + s T s_k

a linear system x_k+1 = F x_k + (integrals) in the state x = (e_k, z_k, e_(k-1), s_(k-1), u_(k-1), .., u_(k-d)). Its
gains are sums of magnitudes over samples, as those of `sampled_response`, (8)-(11) of
:mod:`torquec.proof.tracking.error_response`, proven alike. What a difference of positions makes of the reference itself
is no part of the loop: it is a measurement error of the reference's acceleration times the lag.

(4)  Errors n_k of the measured positions enter (2) and (3) with e_k - n_k in place of e_k. Differences of them
     telescope: the gain of n is that of the loop, and not of independent errors of position and speed.
(5)  A bound of w that varies with time gives one of the error that does: |y x_k| <= sum over m of N_m W_(k-1-m), with
     N_m the gain at lag m.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.proof.tracking.error_response import (
    ErrorResponse,
    OutputGain,
    Powers,
    check_feedback,
    sampled_response,
    verified_powers,
)

_EPSILON = float(np.finfo(np.float64).eps)
_ROUNDED_UP = 1.0 + 1e-11
"""Covers the rounding of sums of at most 2^20 numbers that are not negative, added in pairs, and of their products."""

_TRANSFORM = 1e-13
"""Error of a convolution by Fourier transforms, of the product of the norms: some hundred units in the last place."""


@dataclass(frozen=True, eq=False)
class LagGain:
    """The gains (5) of one output of the loop, rounded up.

    `level`, `drift` (K,) at every lag: of a disturbance, and of the rate at which it may grow after each sample; `own`:
    the same two in the running period; `start` (2, K): of a position and a speed error at the start, by sample;
    `noise`: of errors of measured positions (4); `slack` (4,): what later lags and rounding add, of the largest level,
    drift, position and speed error.
    """

    level: Array
    drift: Array
    own: tuple[float, float]
    start: Array
    noise: float
    slack: Array

    def reached(self, level: Array, drift: Array, start: tuple[float, float], noise: float) -> Array:
        """Bounds (C, S) of the output in every sampling interval, from levels (C, S) and drifts (S,)."""
        found: Array = _convolved(self.level, level) + _convolved(self.drift, drift[None])
        found += self.own[0] * level + self.own[1] * drift + self.noise * noise
        found += self.slack[0] * level.max() + self.slack[1] * drift.max()
        for weights, slack, value in zip(self.start, self.slack[2:], start, strict=True):
            found += value * slack
            found[:, : len(weights)] += value * weights[: level.shape[1]]
        return found * _ROUNDED_UP

    @property
    def peak(self) -> OutputGain:
        """The gains of bounds that hold at every instant."""
        sums = [float(g.sum() + own) for g, own in zip((self.level, self.drift), self.own, strict=True)]
        parts = np.array([*sums, *self.start.max(axis=1)]) + self.slack
        return OutputGain(*(parts * _ROUNDED_UP).tolist())


def _convolved(weights: Array, values: Array) -> Array:
    """At least sum over m of weights_m values_(k-1-m), (C, S), by fast Fourier transforms; nothing is negative."""
    count = values.shape[1]
    kept = weights[: count - 1]
    if not len(kept):
        return np.zeros_like(values)
    size = 1 << (count + len(kept)).bit_length()
    product = np.fft.rfft(values[:, :-1], size) * np.fft.rfft(kept, size)
    found = np.zeros_like(values)
    found[:, 1:] = np.maximum(np.fft.irfft(product, size)[:, : count - 1], 0.0)
    # Transforms are right to some units in the last place, times the number of their stages, of the norms' product.
    room = _TRANSFORM * float(np.linalg.norm(kept)) * np.linalg.norm(values, axis=1, keepdims=True)
    return np.asarray(found + room)


@dataclass(frozen=True, eq=False)
class LagResponse:
    """The gains of a joint: to its position error, its speed error, and the acceleration that feedback asks for."""

    position: LagGain
    speed: LagGain
    feedback: LagGain


def constant_lag(response: ErrorResponse, stiffness: float) -> LagResponse:
    """The gains of a loop that is not sampled, for bounds that hold at every instant: one lag that holds all.

    Errors of measured positions act through the `stiffness`.
    """
    none = np.zeros(0)

    def of(gain: OutputGain, direct: float) -> LagGain:
        start = np.array([0.0, 0.0, gain.position, gain.speed])
        noise = (gain.level * stiffness + direct) * _ROUNDED_UP
        return LagGain(none, none, (gain.level, gain.drift), np.zeros((2, 0)), noise, start)

    return LagResponse(of(response.position, 0.0), of(response.speed, 0.0), of(response.feedback, stiffness))


def late_response(
    stiffness: float, damping: float, period: float, *, delay: int = 0, share: float | None = None
) -> ErrorResponse:
    """The peak gains of `lag_response`; those of `sampled_response` for punctual torques and measured speeds.

    >>> late_response(400.0, 40.0, 1e-3, delay=1).position.level < 1.05 / 400.0
    True
    """
    if delay == 0 and share is None:
        return sampled_response(stiffness, damping, period)
    found = lag_response(stiffness, damping, period, delay=delay, share=share)
    return ErrorResponse(found.position.peak, found.speed.peak, found.feedback.peak)


def lag_response(
    stiffness: float, damping: float, period: float, *, delay: int = 0, share: float | None = None
) -> LagResponse:
    """The gains by lag of a feedback p, s that is sampled every `period` seconds and acts `delay` samples late.

    `share` is c of (2), None for measured speeds. Raises `ArgumentError` for a loop that is unstable, or far too slow.
    """
    check_feedback(stiffness, damping)
    loop = _Loop(stiffness * period**2, damping * period, delay, share)
    powers = verified_powers(loop.F, 8.0 * _EPSILON * (np.abs(loop.F) + np.eye(len(loop.F))))
    if powers is None:
        raise ArgumentError(
            f"a loop with stiffness {stiffness:g} and damping {damping:g}, sampled every {period:g} s, with a delay of "
            f"{delay} samples{'' if share is None else f' and speeds by differences, filtered by {share:g},'} is not "
            "stable, or far too slow",
            remedy="choose slower poles, sample faster, or filter speeds less",
        )
    T, e, z, held = period, loop.unit(0), loop.unit(1), loop.acting
    position = [(e, 0.0), (e + 0.5 * z, 0.0), (e + z - 0.5 * held, 1.0)]
    return LagResponse(
        _gain(loop, powers, position, T, own=(0.5, 1.0 / 6.0), scale=1.0),
        _gain(loop, powers, [(z, 0.0), (z - held, 1.0)], T, own=(1.0, 0.5), scale=1.0 / T),
        _gain(loop, powers, [(loop.feedback, 0.0)], T, own=(0.0, 0.0), scale=1.0 / T**2),
    )


class _Loop:
    """F of (1)-(3), with rows of the feedback u_k and of the one that acts, u_(k-d).

    Rows have one entry more than there are states: that of the error n_k of the measured position (4).
    """

    def __init__(self, c: float, d: float, delay: int, share: float | None) -> None:
        self.size, self.delay = 4 + delay, delay
        e, z, before, filtered = (self.unit(k) for k in range(4))
        seen = e - self.unit(self.size)
        speed = z if share is None else (1.0 - share) * filtered + share * (seen - before)
        self.feedback: Array = c * seen + d * speed
        self.acting: Array = self.unit(self.size - 1) if delay else self.feedback
        rows = [e + z - 0.5 * self.acting, z - self.acting, seen, speed]
        rows += [self.feedback if k == 0 else self.unit(3 + k) for k in range(delay)]
        whole = np.stack(rows)
        self.F: Array = whole[:, :-1]
        self.noise: Array = whole[:, -1]

    def unit(self, k: int) -> Array:
        """The row that reads state k; of as many as there are states, the error of the measured position."""
        row: Array = np.eye(self.size + 1)[k]
        return row

    def starts(self, T: float) -> tuple[Array, Array]:
        """States that stood at an error of one, and that moved at a speed error of one, with their feedback acting."""
        found = []
        for e, z in ((1.0, 0.0), (0.0, T)):
            x = np.zeros(self.size)
            x[:4] = e, z, e - z, z
            x[4:] = self.feedback[:-1] @ x
            found.append(x)
        return found[0], found[1]


def _gain(
    loop: _Loop, powers: Powers, rows: list[tuple[Array, float]], T: float, *, own: tuple[float, float], scale: float
) -> LagGain:
    """The largest gain of every lag over the rows, each with its part of the integrals of the running period."""
    found = [_by_lag(loop, powers, row, T) for row, _ in rows]
    largest = {name: np.max([getattr(each, name) for each in found], axis=0) for name in ("level", "drift", "start")}
    part = max(part for _, part in rows)
    units = np.array([T**2, T**3, 1.0, 1.0]) * scale
    return LagGain(
        largest["level"] * units[0],
        largest["drift"] * units[1],
        (part * own[0] * units[0], part * own[1] * units[1]),
        largest["start"] * scale,
        max(each.noise for each in found) * scale * _ROUNDED_UP,
        np.max([each.slack for each in found], axis=0) * units,
    )


def _by_lag(loop: _Loop, powers: Powers, whole: Array, T: float) -> LagGain:
    """The gains of one row without units, and without those of the running period."""
    row, direct = whole[:-1], abs(whole[-1])
    g = row @ powers.P
    missed = np.abs(row) @ (powers.error + 16.0 * _EPSILON * np.abs(powers.P).sum(axis=0))
    later = powers.rest / (1.0 - powers.rest) * float((np.abs(g).sum(axis=0) + missed).sum())
    v = g[:, 1]
    u = g[:, 0] + v
    ends = np.abs(u) + np.abs(v)
    turning = (u * u + v * v) / np.where(ends > 0.0, 2.0 * ends, 1.0)
    level = np.where(u * v >= 0.0, 0.5 * ends, turning)
    drift = np.abs(u) / 6.0 + np.abs(v) / 3.0
    slack = missed[0] + missed[1] + 2.0 * later + 4.0 * _EPSILON * float((np.abs(g[:, 0]) + np.abs(v)).sum())
    size = np.abs(loop.noise)
    noise = direct + np.abs(g @ loop.noise).sum() + float(size @ (missed + later)) * (1.0 + 16.0 * _EPSILON)
    starts = np.array(loop.starts(T))
    begun = [float(np.abs(x) @ missed) + later * float(np.abs(x).max()) for x in starts]
    return LagGain(level, drift, (0.0, 0.0), np.abs(g @ starts.T).T, float(noise), np.array([slack, slack, *begun]))
