"""Tracking error gains by lag, with all joints coupled: sampled feedback, delayed torques, payload in the inertia.

The loop is (1) to (4) of :mod:`torquec.proof.tracking.coupled_loop`. The motion is cut into epochs, each with constant
matrices G, A and M_t^-1 per payload cell; the deviation of the true ones is a disturbance.

(1)  for any rows g_m with g_0 the outputs, such as g_(m+1) ~ g_m F:
       g_0 x_k = sum of g_m (inputs of the interval k-1-m) + g_K x_(k-K) + sum of (g_m F - g_(m+1)) x_(k-1-m)
     The tube bounds |x|, so its radii bound the effects of rounding and of lags beyond K, for any g_m.
(2)  A disturbance is the sum of accelerations |w| <= W, of M_t^-1 times torques |f| <= b, and a known acceleration a:
       |g_0 x_k| <= sum |g_m| W + sum |g_m M_t^-1| b + |sum g_m a|
(3)  between samples: |e| <= max(|e_k|, |e_k+1|) + T^2/8 max |edd|; speeds are at most the larger one of both samples,
     and the last term of (4) of :mod:`torquec.proof.tracking.viscous_damping`
(4)  Kernels are linear over every interval, and jump at samples where speeds are measured: their variation (in time, or
     from sample to sample) is a gain of constant parameters ((2) of `error_inputs`).

Lags are grouped into slots of equal length. For an output in slot s, an input of lag slot L is in slot s-L-1 or s-L.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from torquec.foundation.arrays import Array, Indices
from torquec.proof.tracking.coupled_loop import CoupledErrorLoop, Decay
from torquec.proof.tracking.error_inputs import ErrorInputs, SignedErrors

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
"""Rounding error of one step of (1), relative to the sum of magnitudes, without that of the product with F: entries of
F are sums of some dozen numbers."""

_LAST: dict[bytes, CoupledResponse] = {}
"""The gains that were computed last, by a hash of the arguments: simplified models of a robot have the same ones."""


@dataclass(frozen=True, eq=False)
class Epochs:
    """Constant matrices of every payload cell and epoch: G, M_t^-1 (C, E, n, n) and the nominal M (E, n, n).

    `of_piece` (N,): the epoch of every piece of time, not decreasing.
    """

    G: Array
    inverse: Array
    M: Array
    of_piece: Indices

    def recent(self, edges: Array, slot: float) -> list[Indices]:
        """The epoch (N,) of every piece between `edges`, and earlier epochs in which a slot of this length [s] that
        overlaps the piece may have begun.
        """
        earlier = edges[:-1] - slot * (1.0 + 1e-9)
        first = self.of_piece[np.clip(np.searchsorted(edges, earlier, side="right") - 1, 0, None)]
        last = self.of_piece
        return [np.maximum(last - k, first) for k in range(int((last - first).max()) + 1)]


@dataclass(frozen=True, eq=False)
class CoupledResponse:
    """Gains (2) of every cell and epoch: `level`, `torque`, `known` (C, E, 4 n, L n) by slot of lag; `momentum` and
    `force` (C, E, n, L n) of (4); `start` (C, E, L, 4 n) and `noise` (C, E, 4 n), already times initial errors and
    noise; `rest` (C, E, 4 n, kinds, n) of (1).
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
    for values in (*gains, epochs.G, epochs.inverse, epochs.M, loop.resisted(epochs.inverse), position, speed, noise):
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
    A = loop.resisted(inverse)
    both = loop.transition(G, A)
    size = both.shape[1]
    if not np.isfinite(both).all() or _radius(both[:, :, :size]) > _SLOW ** (1.0 / (_SLOWEST * _SLOTS * slot)):
        raise loop.unstable()
    g, direct = loop.outputs(M)
    heard, sums, decay = np.abs(direct) @ noise, np.zeros_like(g), Decay(loop)
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
        varied += np.abs(g[:, :n, 1]) * over  # beyond the last lag the kernel of (4) is zero
        gathered.append([*parts, varied, sawtooth, begun])
    moved, _ = loop.step(sums, np.abs(G), np.abs(A), sign=1.0)
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
