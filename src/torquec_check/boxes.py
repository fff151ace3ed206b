"""Bounds of several polynomials over a box of joint positions, by subdivision in Bernstein form.

(1)  h is a convex function of polynomials f_r, with h(c f) = c h(f) for c > 0 and |h(f + e) - h(f)| <= sum |e_r|. So
     h <= sum of all amplitudes; and noise, and waves that are left out, count with their own
(2)  On a piece of width w of a turn around c, with q = c + 2 arctan(T t), T = tan(w/4) < 1 and t in [-1, 1],

       exp(i k (q - c)) = (1 + i T t)^(d + k) (1 - i T t)^(d - k) / (1 + T^2 t^2)^d

     so f = N/W, where W has positive Bernstein coefficients: anywhere in the piece, f is a mean of the control values
     N_i/W_i with positive weights. For several joints N is a tensor and W a product
(3)  h is convex, hence h(f) <= b in the box where h(N_i) <= b W_i for all i
(4)  Where that fails, the box is halved along the joint in which N/W bends most (largest second differences), by
     de Casteljau's algorithm, whose matrices have rows of non-negative numbers with the sum one
(5)  The corners of a box are points of it, and corners of all its parts: where (3) fails there, no halving helps

Rounding. A matrix of m columns, whose rows have sums of magnitudes at most s, makes errors of at most 4 (m + 4) u s x
of values of size x. Sizes and errors of all rows are added up, and multiplied by the s of all other matrices.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import flint
import numpy as np

from torquec_check.balls import UNIT, UP, Array, Ball
from torquec_check.difference import Waves, along, amplitude, product_error, waves_of
from torquec_check.document import RefusedError
from torquec_check.rows import Grid

SMALL = 1e-4
"""Rows and waves are left out where their amplitudes add up to this part of a bound at most."""

MOST_VALUES, DEEPEST, _CORNERS = 30_000_000_000, 120, 5
"""Control values that are looked at before a bound is given up, some minutes; halvings of a box; (5) is tried of each
box that was halved so many times."""

Exceeds = Callable[[Array, Array], bool]
"""Whether h of rows (rows, points) may exceed limits (points,) at a point."""

Piece = tuple[Any, Array]
"""A piece of a joint's range (2): the matrix from waves to coefficients of N, and the coefficients of W."""


def check_below(
    rows: Sequence[Ball],
    grid: Grid,
    functional: Callable[[Sequence[int]], Exceeds],
    bound: float,
    progress: Callable[[float], None] = lambda _part: None,
    most_values: float | None = None,
) -> float:
    """Raise `RefusedError` unless h of the rows is at most the bound over the grid's ranges; gives the noise in it.

    `functional` makes h for the numbers of those rows that are not left out. So many control values are looked at,
    `MOST_VALUES` unless given.
    """
    found = [waves_of(ball, grid) for ball in rows]
    noise = sum(each for _, each in found) * UP
    left, sizes = bound - noise, [amplitude(waves) for waves, _ in found]
    if sum(sizes) * UP <= left:
        return noise
    allowed = max(SMALL * left, 1e-10 * sum(sizes))
    smallest = sorted(range(len(rows)), key=sizes.__getitem__)
    sums = [0.0, *itertools.accumulate(sizes[row] for row in smallest)]
    few = max(sum(total <= allowed for total in sums) - 1, 0)
    kept, left = sorted(smallest[few:]), left - sums[few] * UP
    if not kept:
        raise RefusedError(f"only {bound:.6g} is allowed, and rounding is {noise:.6g}")
    waves, dropped = _trimmed(_stacked([found[k][0] for k in kept]), allowed)
    pieces = [_pieces(size, *ends) for size, ends in zip(waves.shape[1:], grid.angle_ranges, strict=True)]
    size, shape = _size(waves, pieces), waves.shape[1:]
    total, values = math.prod(map(len, pieces)), float(MOST_VALUES if most_values is None else most_values)
    for done, (numerators, weights) in enumerate(_roots(waves, (), pieces)):
        progress(done / total)
        values = _check_root(numerators, weights, functional(kept), left - dropped, (shape, size), values)
    return noise


def _size(waves: Waves, pieces: Sequence[Sequence[Piece]]) -> float:
    """A bound of all control values N of all root boxes, added up over the rows."""
    growth = math.prod(max(float(np.abs(matrix).sum(axis=1).max()) for matrix, _ in some) for some in pieces)
    return growth * sum(float(np.abs(row).max()) for row in waves)


def _rounding(shape: tuple[int, ...], depth: int) -> float:
    """Part of `_size` that the products of a root, of so many halvings and of a functional are off by."""
    return product_error(*shape) + 400.0 * UNIT + product_error(max(shape)) * depth


def _stacked(waves: Sequence[Waves]) -> Waves:
    """Waves of one shape. What does not depend on a joint has the wave k = 0 alone along its axis."""
    whole = np.zeros((len(waves), *np.broadcast_shapes(*(each.shape for each in waves))), dtype=complex)
    for row, each in zip(whole, waves, strict=True):
        row[tuple(map(slice, each.shape))] = each
    return whole


def _trimmed(waves: Waves, allowed: float) -> tuple[Waves, float]:
    """Without waves of the highest degrees, whose amplitudes are added up."""
    dropped = 0.0
    for axis, count in enumerate(waves.shape[1:], start=1):
        for degree in range((count - 1) // 2):
            loss = amplitude(np.take(waves, range(degree + 1, count - degree), axis=axis))
            if loss <= allowed / waves.ndim:
                waves = np.take(waves, [*range(degree + 1), *range(count - degree, count)], axis=axis)
                dropped += loss * UP
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
    if not all(weight.real > 0 for weight in columns[0]):
        raise RefusedError("a piece of a joint's range is too wide")
    matrix = np.array([[complex(float(x.real), float(x.imag)) for x in column] for column in columns]).T
    return matrix, np.array([float(x.real) for x in columns[0]])


def _roots(
    numerators: Any, weights: tuple[Array, ...], pieces: Sequence[Sequence[Piece]]
) -> Iterator[tuple[Any, tuple[Array, ...]]]:
    """N and W of all root boxes; those that share pieces of the first joints share the products along them."""
    joint = len(weights)
    if joint == len(pieces):
        yield np.ascontiguousarray(numerators.real), weights
        return
    for matrix, weight in pieces[joint]:
        yield from _roots(along(matrix, numerators, joint + 1), (*weights, weight), pieces)


def _check_root(
    root: Any,
    weights: tuple[Array, ...],
    exceeds: Exceeds,
    bound: float,
    sizes: tuple[tuple[int, ...], float],
    values: float,
) -> float:
    """(3)-(5) from N (rows, joints ..) and W along each joint; gives how many control values may still be looked at.

    `sizes` are the shape of the waves, and a bound of the size of h(N).
    """
    (shape, size), waiting = sizes, [(root, weights, 0)]
    while waiting:
        box, weights, depth = waiting.pop()
        product = functools.reduce(np.multiply.outer, weights)
        limits = bound * product - 1e-12 * np.abs(bound * product) - _rounding(shape, depth) * size
        values -= box.size
        if not exceeds(box.reshape(len(box), -1), limits.ravel()):
            continue
        corners = np.ix_(*([0, -1] for _ in weights))
        if depth % _CORNERS == 0 and exceeds(box[:, *corners].reshape(len(box), -1), limits[corners].ravel()):
            raise RefusedError(f"more than {bound:.6g}, what is left of the bound, is attained, or not excluded")
        axis = _most_bent(box / product)
        if values < 0 or depth >= DEEPEST or axis < 0:
            raise RefusedError("no proof was found within the limit of subdivisions")
        for half in _halves(len(weights[axis])):
            parts = tuple(half @ each if k == axis else each for k, each in enumerate(weights))
            waiting.append((along(half, box, axis + 1), parts, depth + 1))
    return values


def _most_bent(control: Any) -> int:
    """The joint of (4), -1 where nothing bends; `control` (rows, joints ..) are the values N/W.

    Along the other joints every second one of more than three values is looked at: any choice of a joint is sound.
    """
    bends = []
    for axis in range(1, control.ndim):
        steps = (2 if size > 3 and k not in (0, axis) else 1 for k, size in enumerate(control.shape))
        some = control[tuple(slice(None, None, step) for step in steps)]
        bends.append(float(np.abs(np.diff(some, 2, axis)).sum(axis=0).max(initial=0.0)))
    return int(np.argmax(bends)) if max(bends) > 0.0 else -1


@functools.cache
def _halves(count: int) -> tuple[Array, Array]:
    """(4): from coefficients to those on the lower and on the upper half."""
    left = np.array([[math.comb(i, k) / 2.0**i for k in range(count)] for i in range(count)])
    return left, left[::-1, ::-1]
