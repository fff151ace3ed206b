"""Gains of one joint's sampled error loop, from disturbances of all earlier intervals to the error at a sample.

With e = q_ref - q, z = T de/dt, a disturbance w of the acceleration, and feedback u in units of 1/T^2,

(1)  e' = e + z - U/2 + T^2 int_0^1 (1 - r) w dr,    z' = z - U + T^2 int_0^1 w dr,    U the feedback d samples ago
(2)  y = e - m, measured with the noise m;   s = (1 - c) s_last + c (y - y_last), or s = z for measured speeds
(3)  u = p T^2 y + k T s

is x' = F x + B m + (w terms) in the state x = (e, z, y_last, s_last, u_last, .., u_last_d). For an output g_0 x and any
rows g_0, g_1, ..:

(4)  g_0 x_K = sum over l < K of g_l (inputs of interval K - 1 - l) + g_K x_0 + sum (g_l F - g_(l+1)) x_(K-1-l)
(5)  |g (w terms)| <= T^2 W (|g_e + g_z| + |g_z|)/2 where |w| <= W, since |g_e (1 - r) + g_z| is convex in r
(6)  The rows g_(l+1) ~ g_l F are doubles: |g_l F - g_(l+1)| <= 64 u |g_l| |F|, at most 20 samples of delay. Rows end
     where they have decayed; what is older counts with the radii of the tube, as |g_K| |x|.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec_check.document import RefusedError
from torquec_check.rows import UNIT, UP, Array

MOST_DELAY, MOST_LAGS, LEAST_SHARE, _FORGOTTEN = 20, 20_000, 1e-3, 1e-12
"""Samples of delay; lags; the least share of a speed filter; the part of a row that counts with the radii."""


@dataclass(frozen=True)
class Loop:
    """Feedback p, k (n,), sampling interval T [s], delay d in samples, filter c (n,): 0 for measured speeds."""

    stiffness: tuple[float, ...]
    damping: tuple[float, ...]
    period: float
    delay: int
    speed_filter: tuple[float, ...]

    @property
    def speed_lag(self) -> Array:
        """How late a speed by differences is [s] (n,): T (1/2 + (1 - c)/c)."""
        return np.array([self.period * (0.5 + (1.0 - c) / c) * UP if c else 0.0 for c in self.speed_filter])


@dataclass(frozen=True, eq=False)
class Gains:
    """By lag l < K, joint and output (e, speed, u/T^2): `level` (K, n, 3) of W; `start` (K, n, 3); `always` (n, 3) of
    noise; `jump` (n, 3, 2) of jumps of the reference's position and speed; `rest` (n, 3, D) of the largest |x|.
    """

    level: Array
    start: Array
    always: Array
    jump: Array
    rest: Array


def loop_gains(loop: Loop, noise: Array, position: Array, speed: Array) -> Gains:
    """The gains for a noise (n,) of measured positions, and start errors of position and speed (n,)."""
    T, d, n = loop.period, loop.delay, len(loop.stiffness)
    c, p, k = np.array(loop.speed_filter), np.array(loop.stiffness) * T * T, np.array(loop.damping) * T
    size = 4 + d
    F, B = np.zeros((n, size, size)), np.zeros((n, size))
    ask, heard = np.zeros((n, size)), -(p + k * c)
    measured = c == 0.0  # the filtered speed of such a joint is not read
    ask[:, 0], ask[:, 1], ask[:, 2], ask[:, 3] = p + k * c, k * measured, -k * c, k * (1.0 - c) * ~measured
    late, late_noise = (ask, heard) if d == 0 else (np.eye(size)[None, -1].repeat(n, axis=0), 0.0 * heard)
    F[:, 0], B[:, 0] = -0.5 * late, -0.5 * late_noise
    F[:, 1], B[:, 1] = -late, -late_noise
    F[:, 0, 0] += 1.0
    F[:, 0, 1] += 1.0
    F[:, 1, 1] += 1.0
    F[:, 2, 0], B[:, 2] = 1.0, -1.0
    F[:, 3, 0], F[:, 3, 2], F[:, 3, 3], B[:, 3] = c, -c, 1.0 - c, -c
    if d:
        F[:, 4], B[:, 4] = ask, heard
        F[:, range(5, size), range(4, size - 1)] = 1.0
    g = np.zeros((n, 3, size))
    g[:, 0, 0], g[:, 1, 1], g[:, 2] = 1.0, 1.0 / T, ask / (T * T)
    queue = p * (position + noise) + k * (T * speed + 2.0 * noise)
    start = np.stack([position, T * speed, position + T * speed + noise, T * speed, *[queue] * d], axis=1)
    largest, level, begun = np.abs(g).max(axis=2), [], []
    heard_sum = np.zeros((n, 3))
    heard_sum[:, 2] = np.abs(heard) / (T * T)
    sums, most = np.zeros_like(g), np.abs(g[..., :2])
    while True:
        at, to = np.abs(g), np.einsum("nri,nij->nrj", g, F)
        level.append(0.5 * T * T * (np.abs(g[..., 0] + g[..., 1]) + at[..., 1]))
        begun.append(np.einsum("nri,ni->nr", at, start))
        heard_sum += np.abs(np.einsum("nri,ni->nr", g, B)) + 64.0 * UNIT * np.einsum("nri,ni->nr", at, np.abs(B))
        sums += at
        g = to
        largest, most = np.maximum(largest, np.abs(g).max(axis=2)), np.maximum(most, np.abs(g[..., :2]))
        if np.all(np.abs(g).max(axis=2) <= _FORGOTTEN * largest):
            break
        if len(level) == MOST_LAGS or not np.all(largest < 1e15):
            raise RefusedError("the loop is unstable, or far too slow for its sampling", remedy="choose other poles")
    rest = np.abs(g) + 64.0 * UNIT * np.einsum("nri,nij->nrj", sums, np.abs(F))
    jump = np.stack([most[..., 0], most.sum(axis=2)], axis=2) * UP
    always = heard_sum * noise[:, None] * UP
    return Gains(np.stack(level) * UP, np.stack(begun) * UP, always, jump, rest * UP)


def reached(gains: Gains, loop: Loop, level: Array, jumps: Array, largest: Array, noise: Array) -> Array:
    """Bounds (S + 1, n, 3) of the outputs at samples 0 to S, from the levels W (S, n) of all intervals (4).

    `jumps` (2, n) of the reference; `largest` (4, n): radii of position, speed, acceleration, feedback in the tube.
    """
    (count, n), T = level.shape, loop.period
    position, speed, _, feedback = largest
    moved = T * speed + 2.0 * noise + jumps[0]
    x = np.stack([position, T * speed, position + noise, moved, *[T * T * feedback] * loop.delay], axis=1) * UP
    found = np.zeros((count + 1, n, 3))
    for i in range(n):
        for output in range(3):
            found[1:, i, output] = np.convolve(level[:, i], gains.level[:, i, output])[:count]
    lags = min(len(gains.start), count + 1)
    found[:lags] += gains.start[:lags]
    jumped = gains.jump[..., 0] * jumps[0][:, None] + gains.jump[..., 1] * T * jumps[1][:, None]
    return np.asarray((found + gains.always + jumped + np.einsum("nri,ni->nr", gains.rest, x)) * UP)


def cells_of(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """First and last sample of every cell; the last one has no end, and is as long as stated and more."""
    return list(itertools.pairwise(np.cumsum([0, *lengths]).tolist()))
