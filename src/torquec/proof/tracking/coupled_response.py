"""Tracking error gains by lag, with all joints coupled: sampled feedback, delayed torques, payload in the inertia.

T is the sampling interval, e are the position errors (n,), M is the nominal inertia and M_t the true one. The feedback
torque M u accelerates the robot by G u, G = M_t^-1 M. While a disturbance acts, at samples

(1)  e_k+1 = e_k + z_k - G u_(k-d)/2 + T^2 int_0^1 (1 - r) w dr,    z_k+1 = z_k - G u_(k-d) + T^2 int_0^1 w dr
(2)  s_k = (1 - c) s_(k-1) + c (e_k - e_(k-1)),  or  s_k = z_k  for measured speeds
(3)  u_k = p T^2 e_k + s T s_k + i T^3 J_k,  J_(k+1) = J_k + e_k where there is an integral;  errors n_k of measured
     positions: e_k - n_k in place of e_k in (2) and (3), so that their differences telescope

in the state x = (e_k, z_k, e_(k-1), s_(k-1), [J_k,] u_(k-1), .., u_(k-d)), (n,) each. The motion is cut into epochs,
each with one constant matrix G per payload cell; the deviation of the true G from it is a disturbance.

(4)  Rows g_0 (outputs), g_(m+1) ~ g_m F, for any numbers g_m:
       g_0 x_k = sum of g_m (inputs of the interval k-1-m) + g_K x_(k-K) + sum of (g_m F - g_(m+1)) x_(k-1-m)
     The tube bounds |x|, so its radii bound the effects of rounding and of lags beyond K, for any g_m.
(5)  A disturbance is the sum of accelerations |w| <= W, of M_t^-1 times torques |f| <= b, and a known acceleration a:
       |g_0 x_k| <= sum |g_m| W + sum |g_m M_t^-1| b + |sum g_m a|
(6)  between samples: |e| <= max(|e_k|, |e_k+1|) + T^2/8 max |edd|; speeds are at most the larger one of both samples
(7)  Kernels are linear over every interval, and jump at samples where speeds are measured: their variation (in time, or
     from sample to sample) is a gain of constant parameters ((2) of `error_inputs`).

Lags are grouped into slots of equal length. For an output in slot s, an input of lag slot L is in slot s-L-1 or s-L.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Indices
from torquec.proof.tracking.error_inputs import ErrorInputs, SignedErrors

OUTPUTS = ("position", "speed", "feedback", "torque")

_FORGOTTEN = 1e-8
"""Decay of a row, relative to its largest entry, after which the radii (4) bound later lags."""

_MOST_SAMPLES = 30_000
"""Limit of lags: a loop that is stable in practice has fewer (a pole of -1/s at 1 kHz)."""

_SLOTS = 40
"""Approximate number of lag slots: more of them give tighter bounds and take more memory."""

_SLOWEST = 6
"""Limit of the memory (settling time) of a loop with another inertia, as a multiple of the nominal loop's."""

_SLOW = 1e-4
"""A loop is refused at once where more than this part of its slowest mode remains after the longest memory."""

_ROUNDED = 1e-11
"""Covers the rounding of gains and of sums of products, as a part of the sums of their magnitudes."""

_EPS = float(np.finfo(np.float64).eps)
_STEP = 64.0 * _EPS
"""Rounding error of one step of (4), relative to the sum of magnitudes, without that of the product with F: entries of
F are sums of some dozen numbers."""

_AT_ONCE = 1 << 16
"""Entries of rows that are computed together."""

_LAST: dict[bytes, CoupledResponse] = {}
"""The gains that were computed last, by a hash of the arguments: simplified models of a robot have the same ones."""


@dataclass(frozen=True, eq=False)
class CoupledErrorLoop:
    """Feedback `stiffness` p and `damping` s (n,), every `period` T [s], `delay` d samples late.

    `share` (n,) is c of (2), zero for measured speeds; `integral` i (n,) [1/s^3], None without one.
    """

    stiffness: Array
    damping: Array
    period: float
    delay: int
    share: Array
    integral: Array | None = None

    @property
    def queue(self) -> int:
        """Index of the first delayed feedback in the state, and number of parts before it."""
        return 4 if self.integral is None else 5

    @property
    def kinds(self) -> int:
        """Number of parts of the state, (n,) each."""
        return self.queue + self.delay

    @property
    def _scaled(self) -> tuple[Array, Array, Array]:
        """p T^2, s T, and one where speeds are measured."""
        return self.stiffness * self.period**2, self.damping * self.period, np.where(self.share > 0.0, 0.0, 1.0)

    def outputs(self, M: Array) -> tuple[Array, Array]:
        """g_0 (B, 4 n, kinds, n) of `OUTPUTS`, for inertias M (B, n, n), and factors (B, 4 n, n) of errors n_k."""
        p, s, measured = self._scaled
        n, c, one = len(p), self.share, np.eye(len(p))
        parts = [p + c * s, measured * s, -c * s, (1.0 - c - measured) * s]
        if self.integral is not None:
            parts.append(self.integral * self.period**3)
        asked = np.stack([np.diag(part) for part in parts])
        rows = np.zeros((len(M), 4 * n, self.kinds, n))
        rows[:, :n, 0] = one
        rows[:, n : 2 * n, 1] = one / self.period
        rows[:, 2 * n : 3 * n, : self.queue] = asked.swapaxes(0, 1) / self.period**2
        rows[:, 3 * n :, : self.queue] = np.einsum("bij,sjk->bisk", M, asked) / self.period**2
        noise = np.zeros((len(M), 4 * n, n))
        noise[:, 2 * n :] = rows[:, 2 * n :, 0]
        return rows, noise

    def step(self, g: Array, G: Array, *, sign: float = -1.0) -> tuple[Array, Array]:
        """g F (B, rows, kinds, n), and the factors (B, rows, n) of an error n_k; with `sign` 1 those of |F|."""
        p, s, measured = self._scaled
        c, d, first = self.share, self.delay, self.queue
        pulled = sign * ((0.5 * g[:, :, 0] + g[:, :, 1]) @ G)
        asked = g[:, :, first] if d else pulled
        speed = g[:, :, 3] + asked * s
        seen = g[:, :, 2] + asked * p + c * speed
        found = np.empty_like(g)
        if self.integral is not None:
            found[:, :, 4] = g[:, :, 4] + asked * (self.integral * self.period**3)
            seen = seen + g[:, :, 4]
        found[:, :, 0] = g[:, :, 0] + seen
        found[:, :, 1] = g[:, :, 0] + g[:, :, 1] + measured * speed
        found[:, :, 2] = sign * c * speed
        found[:, :, 3] = (1.0 - c - measured) * speed
        if d:
            found[:, :, first:-1] = g[:, :, first + 1 :]
            found[:, :, -1] = pulled
        return found, seen

    def starts(self, g: Array, position: Array, speed: Array) -> Array:
        """|g x_0| (.., rows) for initial errors of `position` and `speed`, (n,) each.

        Until the first torque arrives, the initial torque acts, with any part of its feedback.
        """
        p, s, _ = self._scaled
        T = self.period
        queue = g[..., self.queue :, :].sum(axis=-2)
        stood, moved = g[..., 0, :] + g[..., 2, :], g[..., 1, :] - g[..., 2, :] + g[..., 3, :]
        stood, moved = (np.maximum(np.abs(x), np.abs(x + queue * y)) for x, y in ((stood, p), (moved, s)))
        return np.asarray(stood @ position + T * (moved @ speed))

    def transition(self, G: Array) -> Array:
        """F with the factors of an error n_k to its right, (B, D, D + n), D = kinds n."""
        cells, kinds, n = len(G), self.kinds, len(self.stiffness)
        one = np.broadcast_to(np.eye(kinds * n).reshape(-1, kinds, n), (cells, kinds * n, kinds, n))
        F, seen = self.step(one, G)
        return np.concatenate([F.reshape(cells, kinds * n, kinds * n), seen], axis=2)

    def rows(self, g: Array, both: Array, count: int) -> Iterator[tuple[Array, Array]]:
        """Rows g_0 to g_count (4), some lags at a time: (k + 1, B, rows, kinds, n), and the factors (k, B, rows, n) of
        errors n_k; the last rows of a part are the first of the next. `both` is the `transition`.
        """
        cells, size, kinds, n = g.shape
        most = max(1, _AT_ONCE // (cells * size * both.shape[2]))
        last = g.reshape(cells, size, kinds * n)
        for start in range(0, count, most):
            k = min(most, count - start)
            found = np.empty((k + 1, cells, size, both.shape[2]))
            found[0, ..., : kinds * n] = last
            for m in range(k):
                np.matmul(found[m, ..., : kinds * n], both, out=found[m + 1])
            last = found[k, ..., : kinds * n]
            yield found[..., : kinds * n].reshape(k + 1, cells, size, kinds, n), found[1:, ..., kinds * n :]

    @cached_property
    def nominal_memory(self) -> int:
        """Memory of the loop with the nominal inertia, at most `_MOST_SAMPLES`: samples until all rows have decayed.

        Raises `ArgumentError` for a loop that is unstable or slower.
        """
        decay, n = _Decay(self), len(self.stiffness)
        one = np.eye(n)[None]
        for g, _ in self.rows(self.outputs(0.0 * one)[0][:, : 3 * n], self.transition(one), _MOST_SAMPLES):
            if decay.is_over(g):
                return decay.lags
        raise self.unstable()

    def unstable(self) -> ArgumentError:
        """The error for a loop whose rows do not decay."""
        slow = ", ".join(f"{x:g}" for x in sorted(set(self.stiffness.tolist())))
        return ArgumentError(
            f"a loop with stiffness {slow}, sampled every {self.period:g} s, with a delay of {self.delay} samples is "
            "not stable for all robots of the sets, or far too slow",
            remedy="choose slower poles, sample faster, or filter speeds less",
        )


class _Decay:
    """Whether rows of `OUTPUTS` other than torques have decayed, and the `lags` until then."""

    def __init__(self, loop: CoupledErrorLoop) -> None:
        self._loop, self._count, self._largest, self.lags = loop, 3 * len(loop.stiffness), 0.0 * loop.share[:1], 0

    def is_over(self, g: Array) -> bool:
        """Whether rows decay in the next ones (k + 1, B, rows, kinds, n), the first known; raises where they grow."""
        size = np.abs(g[:, :, : self._count]).max(axis=(3, 4))
        size[0] = np.maximum(size[0], self._largest)
        largest = np.maximum.accumulate(size, axis=0)
        decayed = np.all(size[1:] < _FORGOTTEN * largest[1:], axis=(1, 2))
        if decayed.any():
            self.lags += int(np.argmax(decayed)) + 1
            return True
        if not np.all(largest <= 1e12):
            raise self._loop.unstable()
        self._largest, self.lags = largest[-1], self.lags + len(decayed)
        return False


@dataclass(frozen=True, eq=False)
class Epochs:
    """Constant matrices of every payload cell and epoch: G, M_t^-1 (C, E, n, n) and the nominal M (E, n, n).

    `of_piece` (N,): the epoch of every piece of time, not decreasing.
    """

    G: Array
    inverse: Array
    M: Array
    of_piece: Indices


@dataclass(frozen=True, eq=False)
class CoupledResponse:
    """Gains (5) of every cell and epoch: `level`, `torque`, `known` (C, E, 4 n, L n) by slot of lag; `momentum` and
    `force` (C, E, n, L n) of (7); `start` (C, E, L, 4 n) and `noise` (C, E, 4 n), already times initial errors and
    noise; `rest` (C, E, 4 n, kinds, n) of (4).
    """

    loop: CoupledErrorLoop
    epochs: Epochs
    level: Array
    torque: Array
    known: Array
    momentum: Array
    force: Array
    start: Array
    noise: Array
    rest: Array

    @property
    def lags(self) -> int:
        """Number of lag slots."""
        return int(self.start.shape[2])

    def reached(self, epoch: int, inputs: ErrorInputs, slots: slice, largest: Array, *, free: bool = True) -> Array:
        """Bounds (C, s, 4 n) of the outputs in some slots of an epoch, from inputs in all slots (C, S, n).

        `largest` (C, kinds, n) bounds the states; without `free`, initial errors, noise and remainders are left out.
        """
        count, ahead, n = slots.stop - slots.start, self.lags + 1, inputs.level.shape[2]

        def windows(values: Array, best: np.ufunc) -> Array:
            before = np.zeros((*values.shape[:-2], ahead, n))
            padded = np.concatenate([before, values[..., : slots.stop, :]], axis=-2)[..., slots.start :, :]
            both = best(padded[..., :-1, :], padded[..., 1:, :])[..., 1 : count + self.lags, :]
            seen = np.lib.stride_tricks.sliding_window_view(both, self.lags, axis=-2)[..., ::-1]
            return np.asarray(seen.swapaxes(-1, -3).reshape(*values.shape[:-2], self.lags * n, count))  # (.., L n, s)

        def ends(each: ErrorInputs | SignedErrors) -> tuple[Array, Array]:
            low, high = windows(each.low, np.minimum), windows(each.high, np.maximum)
            return 0.5 * (low + high), 0.5 * (high - low) + _ROUNDED * (np.abs(low) + np.abs(high))

        level, torque, known = (each[:, epoch] for each in (self.level, self.torque, self.known))
        middle, half = ends(inputs)
        own, held = windows(inputs.level, np.maximum), inputs.constant
        found = torque @ windows(inputs.torque, np.maximum)
        if held is None:
            found += np.abs(known @ middle) + level @ (own + half)
        else:
            found[:, n:] += np.abs(known[:, n:] @ middle)
            found[:, n:] += level[:, n:] @ (own + half + windows(held.level, np.maximum))
            own = own + windows(held.change, np.maximum)
            for each in held.signed:
                middle, half = ends(each)
                own = own + np.einsum("cp,cpls->cls", each.parameters.largest, half)
                found[:, :n] += each.parameters.bound(known[:, None, :n] @ middle)
            found[:, :n] += level[:, :n] @ own + self.momentum[:, epoch] @ windows(held.momentum, np.maximum)
            if not self.loop.share.all():
                found[:, :n] += self.force[:, epoch] @ windows(held.force, np.maximum)
        found = found.swapaxes(1, 2)
        if free:
            found += self.noise[:, epoch, None]
            found += np.einsum("crsn,csn->cr", self.rest[:, epoch], largest)[:, None]
            begun = self.start[:, epoch, slots.start : slots.stop]
            found[:, : begun.shape[1]] += begun
        return found * (1.0 + _ROUNDED)


def coupled_response(
    loop: CoupledErrorLoop, epochs: Epochs, slot: int, *, position: Array, speed: Array, noise: Array
) -> CoupledResponse:
    """The gains by slots of `slot` samples, for initial errors and noise of positions (n,) each.

    Raises `ArgumentError` where some G makes the loop unstable, or far slower than the nominal one.
    """
    digest = hashlib.sha256(f"{loop.period} {loop.delay} {slot} {epochs.G.shape}".encode())
    gains = loop.stiffness, loop.damping, loop.share, np.zeros(0) if loop.integral is None else loop.integral
    for values in (*gains, epochs.G, epochs.inverse, epochs.M, position, speed, noise):
        digest.update(np.asarray(values, dtype=np.float64).tobytes())
    key = digest.digest()
    found = _LAST.get(key)
    if found is None:
        found = _coupled_response(loop, epochs, slot, position=position, speed=speed, noise=noise)
        _LAST.clear()
        _LAST[key] = found
    return replace(found, epochs=epochs)


def _coupled_response(
    loop: CoupledErrorLoop, epochs: Epochs, slot: int, *, position: Array, speed: Array, noise: Array
) -> CoupledResponse:
    cells, count, n = epochs.G.shape[:3]
    G, inverse = (each.reshape(-1, n, n) for each in (epochs.G, epochs.inverse))
    M = np.broadcast_to(epochs.M, epochs.G.shape).reshape(-1, n, n)
    both = loop.transition(G)
    size = both.shape[1]
    if not np.isfinite(both).all() or _radius(both[:, :, :size]) > _SLOW ** (1.0 / (_SLOWEST * _SLOTS * slot)):
        raise loop.unstable()
    g, direct = loop.outputs(M)
    heard, sums, decay = np.abs(direct) @ noise, np.zeros_like(g), _Decay(loop)
    gathered: list[list[Array]] = []
    over = False
    while not over:
        if len(gathered) == _SLOWEST * _SLOTS:
            raise loop.unstable()
        parts = [np.zeros((len(G), 4 * n, n)) for _ in range(3)]
        begun, sawtooth = np.zeros((len(G), 4 * n)), np.zeros((len(G), n, n))
        varied = np.abs(g[:, :n, 1]) * (not gathered)
        for every, seen in loop.rows(g, both, slot):
            first, last, smooth = every[:-1, :, :, 0], every[:-1, :, :, 1], loop.share > 0.0
            parts[0] += _integral(first, last).sum(axis=0)
            parts[1] += _integral(first @ inverse, last @ inverse).sum(axis=0)
            parts[2] += (0.5 * first + last).sum(axis=0)
            slope, step = np.abs(first[:, :, :n]), every[1:, :, :n, 1] - last[:, :, :n]
            varied += np.where(smooth, slope + np.abs(step - first[:, :, :n]), np.abs(step)).sum(axis=0)
            sawtooth += np.where(smooth, 0.0, slope).sum(axis=0)
            sums += np.abs(every[:-1]).sum(axis=0)
            heard += (np.abs(seen) @ noise).sum(axis=0)
            begun = np.maximum(begun, loop.starts(every, position, speed).max(axis=0))
            over, g = over or decay.is_over(every), every[-1]
        varied += np.abs(g[:, :n, 1]) * over  # beyond the last lag the kernel of (7) is zero
        gathered.append([*parts, varied, sawtooth, begun])
    moved, _ = loop.step(sums, np.abs(G), sign=1.0)
    units = loop.period**2
    level, torque, known, varied, sawtooth, start = (np.stack(each, axis=1) for each in zip(*gathered, strict=True))
    torque = torque + _ROUNDED * (level @ np.abs(inverse)[:, None])  # cancellation in g_m M_t^-1

    def shaped(values: Array) -> Array:
        return values.reshape(cells, count, *values.shape[1:])

    def by_lag(values: Array, unit: float) -> Array:
        return shaped(unit * values.swapaxes(1, 2).reshape(len(G), values.shape[2], -1))

    rest = np.abs(g) + (_STEP + size * _EPS) * (moved + sums)
    return CoupledResponse(
        loop,
        epochs,
        by_lag(level, units),
        by_lag(torque, units),
        by_lag(known, units),
        by_lag(varied, loop.period * (1.0 + _ROUNDED)),
        by_lag(sawtooth, 0.5 * units * (1.0 + _ROUNDED)),
        shaped(start),
        shaped(heard * (1.0 + _ROUNDED)),
        shaped(rest),
    )


def slot_samples(loop: CoupledErrorLoop, least: int) -> int:
    """Samples in a slot, at least `least`: about `_SLOTS` slots span the memory of the nominal loop."""
    return max(least, -(-loop.nominal_memory // _SLOTS))


def _radius(F: Array) -> float:
    """The largest spectral radius of the matrices; not an enclosure."""
    return float(np.abs(np.linalg.eigvals(F)).max(initial=0.0))


def _integral(first: Array, last: Array) -> Array:
    """The integral over r from 0 to 1 of |(1 - r) first + last|, entry by entry."""
    u = first + last
    ends = np.abs(u) + np.abs(last)
    turning = (u * u + last * last) / np.where(ends > 0.0, 2.0 * ends, 1.0)
    return np.asarray(np.where(u * last >= 0.0, 0.5 * ends, turning))


def runs(epochs: Indices) -> Iterator[tuple[int, slice]]:
    """Runs of equal epochs (S,): each epoch with its slots."""
    edges = [0, *(np.flatnonzero(np.diff(epochs)) + 1).tolist(), len(epochs)]
    for a, b in pairwise(edges):
        yield int(epochs[a]), slice(a, b)
