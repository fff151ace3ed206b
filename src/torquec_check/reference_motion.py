"""A reference motion of a witness: piecewise polynomials in time, enclosed over every sampling interval.

Piece k, from b_k to b_k+1 with the length h, is c_0 + c_1 s + .. + c_5 s^5 with s = (t - b_k)/h; after the last break
the reference stays where it is, at rest. Sampling instants are b_0 + k T.

(1)  Instants and breaks cut the time into parts; on one, s is within r of its middle x. The derivative of order j is
     p_j(s)/h^j, and |p_j(s) - p_j(x)| <= sum_i |p_j^(i)(x)| r^i/i!
(2)  Rounding of p_j(x) and of h^j: 64 u sum |coefficients of p_j|, and r covers that of s
(3)  At breaks, at the end too, position, speed and acceleration may jump; `Windows` has the size of these jumps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec_check.document import RefusedError, fields, items, numbers
from torquec_check.rows import UNIT, UP, Array

MOST_SAMPLES, MOST_PIECES = 200_000, 100_000
_DEGREE = 5
REMEDY = "make it again with torquec design"
AT_REST = 1e-9
"""A speed that counts as rest at the start [rad/s, m/s]; it is added to the errors of speeds by difference."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Breaks (m + 1,) [s] and coefficients (6, m, n)."""

    breaks: Array
    coefficients: Array

    @property
    def duration(self) -> float:
        """From the first break to the last [s]."""
        return float(self.breaks[-1] - self.breaks[0])

    def ends(self, *, last: bool) -> tuple[Array, Array, Array]:
        """Position, speed and acceleration (m, n) at the first or the last ends of the pieces."""
        found = []
        for order in range(3):
            p = _derivative(self.coefficients, order)
            found.append((p.sum(axis=0) if last else p[0]) / np.diff(self.breaks)[:, None] ** order)
        return found[0], found[1], found[2]

    @property
    def starts_at_rest(self) -> bool:
        """Whether the speed is at most `AT_REST` at the start."""
        return bool(np.all(np.abs(self.ends(last=False)[1][0]) <= AT_REST))


@dataclass(frozen=True, eq=False)
class Windows:
    """Ends (4, 2, N, n) of position, speed, acceleration and jerk over windows of time.

    `acceleration_jumps` (N, n): the sum of jumps of the acceleration within; `jumps` (2, n): of position and speed in
    the whole motion.
    """

    ends: Array
    acceleration_jumps: Array
    jumps: Array

    def ball(self, order: int) -> tuple[Array, Array]:
        """Middles and radii (N, n) of a derivative."""
        low, high = self.ends[order]
        middle = 0.5 * (low + high)
        return middle, np.maximum(high - middle, middle - low) * UP

    def largest(self, order: int) -> Array:
        """The largest magnitude (N, n) of a derivative."""
        return np.asarray(np.abs(self.ends[order]).max(axis=0))


def reference_of(values: Any, n: int) -> Reference:
    """The reference of a document; raises `RefusedError` where it is malformed."""
    breaks, rows = fields(values, "breaks coefficients", "reference")
    times = np.array(numbers(breaks, "reference.breaks"))
    pieces = len(times) - 1
    if not 1 <= pieces <= MOST_PIECES or not np.all(np.diff(times) > 0.0):
        raise RefusedError("reference: breaks must rise, two at least", remedy=REMEDY)
    orders = items(rows, "reference.coefficients", _DEGREE + 1)
    table = [[numbers(row, "reference", n) for row in items(each, "reference", pieces)] for each in orders]
    return Reference(times, np.array(table))


def windows(reference: Reference, period: float, cells: Sequence[tuple[int, int]]) -> Windows:
    """The reference over cells of time: from sample a to sample b of each, in sampling intervals."""
    start, end = float(reference.breaks[0]), float(reference.breaks[-1])
    count = math.ceil(reference.duration / period) + 1
    if count > MOST_SAMPLES:
        raise RefusedError(f"the reference takes more than {MOST_SAMPLES} samples", remedy=REMEDY)
    instants = start + period * np.arange(count + 1)
    points = np.union1d(reference.breaks, instants[instants < end])
    middles = 0.5 * (points[:-1] + points[1:])
    piece = np.clip(np.searchsorted(reference.breaks, middles, side="right") - 1, 0, len(reference.breaks) - 2)
    h = np.diff(reference.breaks)[piece]
    x = (middles - reference.breaks[piece]) / h
    r = 0.5 * np.diff(points) / h * UP + 16.0 * UNIT * np.abs(points).max() / h + 16.0 * UNIT
    ends = np.stack([_enclosed(reference.coefficients[:, piece], order, x, r, h) for order in range(4)])
    # A part belongs to the sampling intervals that it may touch.
    first = np.clip(np.floor((points[:-1] - start) / period - 1e-6), 0, count).astype(int)
    last = np.clip(np.floor((points[1:] - start) / period + 1e-6), 0, count).astype(int)
    n = reference.coefficients.shape[2]
    held = np.stack([np.full((4, count + 1, n), np.inf), np.full((4, count + 1, n), -np.inf)], axis=1)
    for shift in range(int((last - first).max()) + 1):
        rows = np.minimum(first + shift, last)
        for order in range(4):
            np.minimum.at(held[order, 0], rows, ends[order, 0])
            np.maximum.at(held[order, 1], rows, ends[order, 1])
    rest = np.zeros((4, n))
    rest[0] = reference.ends(last=True)[0][-1]
    slack = 64.0 * UNIT * np.abs(reference.coefficients[:, -1]).sum(axis=0)
    late = held[:, :, max(int((end - start) / period - 1e-6), 0) :]  # intervals that touch the rest
    late[:, 0] = np.minimum(late[:, 0], (rest - slack)[:, None])
    late[:, 1] = np.maximum(late[:, 1], (rest + slack)[:, None])
    jumps = _jumps(reference)
    at = np.clip(((reference.breaks[1:] - start) / period).astype(int), 0, count)
    sums = np.zeros((count + 2, n))
    np.add.at(sums, at, jumps[2])
    rows_of = [slice(min(max(a, 0), count), max(b, 1)) for a, b in cells]
    low = np.stack([held[:, 0, rows].min(axis=1) for rows in rows_of], axis=1)
    high = np.stack([held[:, 1, rows].max(axis=1) for rows in rows_of], axis=1)
    inside = np.stack([sums[max(rows.start - 1, 0) : rows.stop + 1].sum(axis=0) for rows in rows_of]) * UP
    return Windows(np.stack([low, high], axis=1), inside, jumps[:2].sum(axis=1) * UP)


def _derivative(c: Array, order: int) -> Array:
    """Coefficients of the derivative by s."""
    for _ in range(order):
        c = c[1:] * np.arange(1.0, len(c))[:, None, None]
    return c


def _enclosed(c: Array, order: int, x: Array, r: Array, h: Array) -> Array:
    """(1) and (2): ends (2, N, n) of a derivative on N parts."""
    p = _derivative(c, order)
    size = np.abs(p).sum(axis=0)
    value, spread = np.zeros_like(size), np.zeros_like(size)
    for i in range(len(p)):
        each = _derivative(p, i)
        at = np.zeros_like(size)
        for row in each[::-1]:
            at = at * x[:, None] + row
        if i == 0:
            value = at
        else:
            around = np.abs(at) + 64.0 * UNIT * np.abs(each).sum(axis=0)
            spread = spread + around * (r**i / math.factorial(i))[:, None]
    scale = (h**order)[:, None]
    wide = (spread + 128.0 * UNIT * size) * UP / scale * UP + 1e-300
    return np.stack([value / scale - wide, value / scale + wide])


def _jumps(reference: Reference) -> Array:
    """(3): jumps (3, m, n) of position, speed and acceleration at every break but the first, with their rounding."""
    found, h = [], np.diff(reference.breaks)[:, None]
    for order, (begin, end) in enumerate(zip(reference.ends(last=False), reference.ends(last=True), strict=True)):
        rest = end[-1:] if order == 0 else np.zeros_like(end[-1:])
        size = np.abs(_derivative(reference.coefficients, order)).sum(axis=0) / h**order
        after = np.concatenate([size[1:], size[-1:]])
        found.append(np.abs(np.concatenate([begin[1:], rest]) - end) + 64.0 * UNIT * (size + after))
    return np.stack(found)
