"""Peak gains of the tracking error when torques act late and speeds are differences of positions.

With T the sampling interval, z_k = T ed_k, feedback u_k in units of position (times T^2) that acts d intervals late,
and speeds by filtered differences of positions, every joint obeys at its samples, while a disturbance w acts,

(1)  e_k+1 = e_k + z_k - u_(k-d)/2 + T^2 int_0^1 (1 - r) w dr,       z_k+1 = z_k - u_(k-d) + T^2 int_0^1 w dr
(2)  s_k = (1 - c) s_(k-1) + c (e_k - e_(k-1)),  or  s_k = z_k  for measured speeds
(3)  u_k = p T^2 e_k + s T s_k

a linear system x_k+1 = F x_k + (integrals) in the state x = (e_k, z_k, e_(k-1), s_(k-1), u_(k-1), .., u_(k-d)). Its
gains are sums of magnitudes over samples, as those of `sampled_response`, (8)-(11) of
:mod:`torquec.proof.tracking.error_response`, proven alike. What a difference of positions makes of the reference itself
is no part of the loop: it is a measurement error of the reference's acceleration times the lag.
"""

from __future__ import annotations

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


def late_response(
    stiffness: float, damping: float, period: float, *, delay: int = 0, share: float | None = None
) -> ErrorResponse:
    """The gains of a feedback p, s that is sampled every `period` seconds and acts `delay` samples late, rounded up.

    `share` is c of (2), None for measured speeds. Raises `ArgumentError` for a loop that is unstable, or far too slow.

    >>> late_response(400.0, 40.0, 1e-3, delay=1).position.level < 1.05 / 400.0
    True
    """
    if delay == 0 and share is None:
        return sampled_response(stiffness, damping, period)
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
    return ErrorResponse(
        _gain(loop, powers, position, T, own=(0.5, 1.0 / 6.0), scale=1.0),
        _gain(loop, powers, [(z, 0.0), (z - held, 1.0)], T, own=(1.0, 0.5), scale=1.0 / T),
        _gain(loop, powers, [(loop.feedback, 0.0)], T, own=(0.0, 0.0), scale=1.0 / T**2),
    )


class _Loop:
    """F of (1)-(3), with rows of the feedback u_k and of the one that acts, u_(k-d)."""

    def __init__(self, c: float, d: float, delay: int, share: float | None) -> None:
        self.size, self.delay = 4 + delay, delay
        e, z, before, filtered = (self.unit(k) for k in range(4))
        speed = z if share is None else (1.0 - share) * filtered + share * (e - before)
        self.feedback: Array = c * e + d * speed
        self.acting: Array = self.unit(self.size - 1) if delay else self.feedback
        rows = [e + z - 0.5 * self.acting, z - self.acting, e, speed]
        rows += [self.feedback if k == 0 else self.unit(3 + k) for k in range(delay)]
        self.F: Array = np.stack(rows)

    def unit(self, k: int) -> Array:
        """The row that reads state k."""
        row: Array = np.eye(self.size)[k]
        return row

    def starts(self, T: float) -> tuple[Array, Array]:
        """States that stood at an error of one, and that moved at a speed error of one, with their feedback acting."""
        found = []
        for e, z in ((1.0, 0.0), (0.0, T)):
            x = np.zeros(self.size)
            x[:4] = e, z, e - z, z
            x[4:] = self.feedback @ x
            found.append(x)
        return found[0], found[1]


def _gain(
    loop: _Loop, powers: Powers, rows: list[tuple[Array, float]], T: float, *, own: tuple[float, float], scale: float
) -> OutputGain:
    """The largest gain over the rows, each with its part of the integrals of the running period."""
    found = np.array([_sums(loop, powers, row, T) for row, _ in rows])
    running = np.array([[part * own[0], part * own[1], 0.0, 0.0] for _, part in rows])
    units = np.array([T**2, T**3, 1.0, 1.0]) * scale
    level, drift, position, speed = ((found + running) * units).max(axis=0) * _ROUNDED_UP
    return OutputGain(float(level), float(drift), float(position), float(speed))


def _sums(loop: _Loop, powers: Powers, row: Array, T: float) -> Array:
    """(4,) without units: of the level, of the drift, and the largest effects of both starts."""
    g = row @ powers.P
    missed = np.abs(row) @ (powers.error + 16.0 * _EPSILON * np.abs(powers.P).sum(axis=0))
    later = powers.rest / (1.0 - powers.rest) * float((np.abs(g).sum(axis=0) + missed).sum())
    v = g[:, 1]
    u = g[:, 0] + v
    ends = np.abs(u) + np.abs(v)
    turning = (u * u + v * v) / np.where(ends > 0.0, 2.0 * ends, 1.0)
    level = np.where(u * v >= 0.0, 0.5 * ends, turning).sum()
    drift = (np.abs(u) / 6.0 + np.abs(v) / 3.0).sum()
    slack = missed[0] + missed[1] + 2.0 * later + 4.0 * _EPSILON * float((np.abs(g[:, 0]) + np.abs(v)).sum())
    begun = [np.abs(g @ x).max() + float(np.abs(x) @ missed) + later * float(np.abs(x).max()) for x in loop.starts(T)]
    return np.array([level + slack, drift + slack, *begun])
