"""Bounds of several polynomials over a box of joint positions, by subdivision in Bernstein form.

(1)  h is a convex function of polynomials f_r, with h(c f) = c h(f) for c > 0 and |h(f + e) - h(f)| <= sum |e_r|. So
     h <= sum of all amplitudes; and noise, and waves that are left out, count with their own
(2)  On a piece of width w of a turn around c, with q = c + 2 arctan(T t), T = tan(w/4) < 1 and t in [-1, 1],

       exp(i k (q - c)) = (1 + i T t)^(d + k) (1 - i T t)^(d - k) / (1 + T^2 t^2)^d

     so f = N/W, where W has positive Bernstein coefficients: anywhere in the piece, f is a mean of the control values
     N_i/W_i with positive weights. For several joints N is a tensor and W a product
(3)  h is convex, hence h(f) <= b in the box where h(N_i) <= b W_i for all i
(4)  Where that fails, the box is halved along the joint in which N bends most (largest second differences), by
     de Casteljau's algorithm, whose matrices have rows of non-negative numbers with the sum one
(5)  The corners of a box are points of it: where h is known to exceed b W there, the claim is false

Rounding. A matrix of m columns, whose rows have sums of magnitudes at most s, makes errors of at most 4 (m + 4) u s x
of values of size x. Sizes and errors of all rows are added up, and multiplied by the s of all other matrices.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import flint
import numpy as np

from torquec_check.balls import UNIT, Array, Ball
from torquec_check.difference import Box, Waves, along, amplitude, waves_of
from torquec_check.document import RefusedError
from torquec_check.rows import Grid

SMALL = 1e-4
"""Rows and waves are left out where their amplitudes add up to this part of a bound at most."""

MOST_VALUES, DEEPEST = 30_000_000_000, 120
"""Control values that are looked at before a bound is given up, some minutes; halvings of a box."""


@dataclass(frozen=True)
class Piece:
    """A piece of a joint's range (2): the matrix from waves to coefficients of N, and the coefficients of W."""

    matrix: Any
    weights: Array


@dataclass(frozen=True)
class OpenBox:
    """N (rows, joints ..), W along each joint, bounds of the error and of the size of h(N), and halvings so far."""

    numerators: Any
    weights: tuple[Array, ...]
    noise: float
    size: float
    depth: int = 0


def check_below(
    rows: Sequence[Ball],
    grid: Grid,
    box: Box,
    functional: Callable[[Sequence[int]], Any],
    bound: float,
    progress: Callable[[float], None] = lambda _part: None,
    most_values: float | None = None,
) -> float:
    """Raise `RefusedError` unless h of the rows is at most the bound over the positions; gives the noise in it.

    `functional` makes h for the numbers of those rows that are not left out: `exceeds(rows, limits)` tells whether h
    may exceed limits (points,) somewhere, `attained(rows)` gives lower bounds of h (points,). So many control values
    are looked at, `MOST_VALUES` unless given.
    """
    found = [waves_of(ball, grid) for ball in rows]
    noise = sum(each for _, each in found) * (1.0 + 1e-9)
    left, sizes = bound * (1.0 - 1e-15) - noise, [amplitude(waves, grid.turns) for waves, _ in found]
    if sum(sizes) * (1.0 + 1e-9) <= left:
        return noise
    allowed = max(SMALL * left, 1e-10 * sum(sizes))
    smallest = sorted(range(len(rows)), key=sizes.__getitem__)
    sums = [0.0, *itertools.accumulate(sizes[row] for row in smallest)]
    few = sum(total <= allowed for total in sums) - 1
    kept, left = sorted(smallest[few:]), left - sums[few] * (1.0 + 1e-9)
    if not kept:
        raise RefusedError(f"only {bound:.6g} is allowed, and rounding is {noise:.6g}")
    waves, dropped = _trimmed(_stacked([found[k][0] for k in kept], grid), grid, allowed)
    pieces = [
        _pieces(size, *ends) if turns else [Piece(np.eye(size), np.ones(size))]
        for size, turns, ends in zip(waves.shape[1:], grid.turns, box.ranges, strict=True)
    ]
    growth = math.prod(max(float(np.abs(each.matrix).sum(axis=1).max()) for each in some) for some in pieces)
    size = growth * sum(float(np.abs(row).max()) for row in waves)
    rounding = sum(4.0 * (count + 4) for count in waves.shape[1:]) * UNIT * size * 1.01
    total, values = math.prod(map(len, pieces)), float(MOST_VALUES if most_values is None else most_values)
    for done, root in enumerate(_roots(OpenBox(waves, (), rounding, size), pieces)):
        progress(done / total)
        values = _check_root(root, functional(kept), left - dropped, values)
    return noise


def _stacked(waves: Sequence[Waves], grid: Grid) -> Waves:
    """Waves of one shape. A constant has the wave k = 0 alone along angles, equal coefficients along displacements."""
    whole = np.zeros((len(waves), *np.broadcast_shapes(*(each.shape for each in waves))), dtype=complex)
    for row, each in zip(whole, waves, strict=True):
        row[tuple(slice(size if turns else None) for size, turns in zip(each.shape, grid.turns, strict=True))] = each
    return whole


def _trimmed(waves: Waves, grid: Grid, allowed: float) -> tuple[Waves, float]:
    """Without waves of the highest degrees along angles, whose amplitudes are added up."""
    dropped = 0.0
    for axis in (axis for axis, turns in enumerate(grid.turns) if turns):
        count = waves.shape[axis + 1]
        for degree in range((count - 1) // 2):
            outside = np.take(waves, range(degree + 1, count - degree), axis=axis + 1)
            loss = sum(amplitude(row, grid.turns) for row in outside)
            if loss <= allowed / len(grid.turns):
                waves = np.take(waves, [*range(degree + 1), *range(count - degree, count)], axis=axis + 1)
                dropped += loss * (1.0 + 1e-9)
                break
    return waves, dropped


@functools.cache
def _pieces(size: int, lower: float, upper: float) -> list[Piece]:
    """Equal pieces of at most 0.9 pi; a range of a turn or more is one turn."""
    low, width = flint.arb(lower), flint.arb(upper) - flint.arb(lower)
    if upper - lower >= 6.28:
        low, width = flint.arb(0), 2 * flint.arb.pi()
    count = max(1, math.ceil(float(width) / (0.9 * math.pi) - 1e-9)) if size > 1 else 1
    return [_piece(size // 2, low + width * (2 * k + 1) / (2 * count), width / count) for k in range(count)]


def _piece(d: int, center: Any, width: Any) -> Piece:
    """(2): coefficients of (1 - s)^(2d - i) s^i, t = 2 s - 1, over binomials; one column for each wave."""
    low, high = flint.acb(1, -(width / 4).tan()), flint.acb(1, (width / 4).tan())
    rising, falling = flint.acb_poly([low, high]), flint.acb_poly([high, low])
    columns = []
    for k in [*range(d + 1), *range(-d, 0)]:
        product = rising ** (d + k) * falling ** (d - k) * (flint.acb(0, 1) * center * k).exp()
        columns.append([product[i] / math.comb(2 * d, i) for i in range(2 * d + 1)])
    weights = [x.real for x in columns[0]]
    if not all(weight > 0 for weight in weights):
        raise RefusedError("a piece of a joint's range is too wide")
    matrix = np.array([[complex(float(x.real), float(x.imag)) for x in column] for column in columns]).T
    return Piece(matrix, np.array([float(x) for x in weights]))


def _roots(box: OpenBox, pieces: Sequence[Sequence[Piece]]) -> Iterator[OpenBox]:
    """All root boxes; those that share pieces of the first joints share the products along them."""
    joint = len(box.weights)
    if joint == len(pieces):
        yield replace(box, numerators=np.ascontiguousarray(box.numerators.real))
        return
    for piece in pieces[joint]:
        numerators = along(piece.matrix, box.numerators, joint + 1)
        yield from _roots(replace(box, numerators=numerators, weights=(*box.weights, piece.weights)), pieces)


def _check_root(root: OpenBox, functional: Any, bound: float, values: float) -> float:
    """(3)-(5) from a root box on; gives how many control values may still be looked at."""
    waiting = [root]
    while waiting:
        box = waiting.pop()
        rows = box.numerators.reshape(len(box.numerators), -1)
        noise = box.noise + (400.0 + 4.0 * (max(box.numerators.shape) + 4) * box.depth) * UNIT * box.size
        limits = bound * functools.reduce(np.multiply.outer, box.weights).ravel()
        values -= rows.size
        if not functional.exceeds(rows, limits - 1e-12 * np.abs(limits) - noise):
            continue
        corners = np.ix_(range(len(rows)), *([0, -1] for _ in box.weights))
        ends = functools.reduce(np.multiply.outer, [weights[[0, -1]] for weights in box.weights]).ravel()
        found = functional.attained(box.numerators[corners].reshape(len(rows), -1)) - 2.0 * noise
        if np.any(found > bound * ends):
            raise RefusedError(f"{float((found / ends).max()):.6g} is attained, and {bound:.6g} is left of the bound")
        bends = [
            float(np.abs(np.diff(box.numerators, 2, axis + 1)).max(initial=0.0)) for axis in range(len(box.weights))
        ]
        if values < 0 or box.depth >= DEEPEST or not max(bends) > 0.0:
            raise RefusedError("no proof was found within the limit of subdivisions")
        waiting += _halves(box, int(np.argmax(bends)))
    return values


def _halves(box: OpenBox, axis: int) -> Iterator[OpenBox]:
    """(4)."""
    count = len(box.weights[axis])
    left = np.array([[math.comb(i, k) / 2.0**i for k in range(count)] for i in range(count)])
    for matrix in (left, left[::-1, ::-1]):
        weights = tuple(matrix @ each if k == axis else each for k, each in enumerate(box.weights))
        yield replace(box, numerators=along(matrix, box.numerators, axis + 1), weights=weights, depth=box.depth + 1)
