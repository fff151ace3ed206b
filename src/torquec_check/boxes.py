"""Bounds of polynomials over a box of joint positions: amplitudes of their waves, then subdivision in Bernstein form.

(1)  On a grid of m = 2 d + 1 nodes a polynomial is a sum of waves, f(q) = sum_k F_k exp(i k q), for several joints
     alike. Parseval and Cauchy-Schwarz: |f| <= sum |F_k| <= sqrt(m sum |F_k|^2) = sqrt(sum over the nodes |f|^2). So
     midpoints are bounded by the sum of their amplitudes |F_k|; what radii allow beside them, by the root of the sum of
     their squares: the noise
(2)  h is a convex function of polynomials f_r, with h(c f) = c h(f) for c > 0 and |h(f + e) - h(f)| <= sum |e_r|. So
     h <= sum of all amplitudes; noise, and waves that are left out, count with theirs
(3)  On a piece of width w of a turn around c, with q = c + 2 arctan(T t), T = tan(w/4) < 1 and t in [-1, 1],

       exp(i k (q - c)) = (1 + i T t)^(d + k) (1 - i T t)^(d - k) / (1 + T^2 t^2)^d

     so f = N/W, where W has positive Bernstein coefficients: anywhere in the piece, f is a mean of the control values
     N_i/W_i with positive weights. For several joints N is a tensor and W a product
(4)  h is convex, hence h(f) <= b in the box where h(N_i) <= b W_i for all i
(5)  Where that fails, the box is halved along the joint in which N/W bends most (largest second differences), by
     de Casteljau's algorithm, whose matrices have rows of non-negative numbers with the sum one
(6)  The corners of a box are points of it: where (4) fails there, no halving helps
(7)  Sums of angles. With p_j = q_j + s q_i in place of q_j, k q = k'p where k'_i = k_i - s k_j: the same waves. p_j is
     within one turn. So is p_j = g q_j of a joint of a whole turn, with k'_j = k_j/g, where g divides all k_j. What is
     proven for all p is true of all q. Any steps (i, j, s), i != j, one after another, will do: `sums` chooses them

Rounding. A matrix of m columns, whose rows have sums of magnitudes at most s, makes errors of at most 4 (m + 4) u s x
of values of size x. Sizes and errors of all rows are added up, and multiplied by the s of all other matrices.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import flint
import numpy as np

from torquec_check.document import RefusedError
from torquec_check.rows import UNIT, UP, Array, Ball, Grid
from torquec_check.sums import TURN, Range, Sums, Vectors, whole

SQUARED, SMALL = 1e-150, 1e-4
"""Added to radii, whose squares would vanish below 1e-162; part of a bound that is spent on rows and waves left out."""
MOST_VALUES, LEAST_VALUES, DEEPEST, _LOOKS = 30_000_000_000, 30_000, 120, 5
"""Control values at five nodes a joint, some minutes (`most` may be fewer), and the fewest a box counts as; halvings
of a box; each so many (6) is tried and (5) computed: between, a halving divides second differences along it by four."""

Waves: TypeAlias = np.ndarray[Any, np.dtype[np.complex128]]
Balls: TypeAlias = Mapping[Any, Ball]
Pieces: TypeAlias = Sequence[Sequence[tuple[Any, Array]]]
Report = Callable[[float], None]
Exceeds = Callable[[Sequence[Any], Array, Array], bool]
"""Whether h of rows (rows, points) with these keys may exceed limits (points,) at a point."""


def check_below(
    rows: Balls, grid: Grid, exceeds: Exceeds, bound: float, report: Report, most: float = math.inf, sums: Sums = whole
) -> float:
    """Raise `RefusedError` unless h of the rows is at most the bound over the grid's ranges; gives the noise in it."""
    found = {key: waves_of(ball, grid) for key, ball in rows.items()}
    noise = sum(each for _, each in found.values()) * UP
    left, sizes = bound - noise, {key: amplitude(waves) for key, (waves, _) in found.items()}
    total = sum(sizes.values())
    if total * UP <= left:
        return noise
    allowed, keys, dropped = max(SMALL * left, 1e-10 * total), sorted(found, key=sizes.__getitem__), 0.0
    while keys and dropped + sizes[keys[0]] <= allowed:
        dropped += sizes[keys.pop(0)] * UP
    if not keys or not total + noise < math.inf:
        raise RefusedError(f"only {bound:.6g} is allowed, and rounding is {noise:.6g}")
    vectors, waves, omitted = _largest([found[key][0] for key in keys], allowed)
    vectors, ranges = in_sums(vectors, grid.angle_ranges, np.abs(waves).sum(axis=0), sums)
    counts = (2 * np.abs(vectors).max(axis=0) + 1).tolist()
    pieces = [_pieces(count, *ends) for count, ends in zip(counts, ranges, strict=True) if count > 1]
    numerators: Waves = np.zeros((len(keys), *counts), dtype=complex)
    numerators[:, *vectors.T] = waves  # k < 0 counts from the end: 0, 1 .. d, -d .. -1
    shape, left, values = tuple(m for m in counts if m > 1), left - dropped - omitted, min(most, MOST_VALUES)
    growth = math.prod(max(float(np.abs(matrix).sum(axis=1).max()) for matrix, _ in some) for some in pieces)
    size = growth * sum(float(np.abs(row).max()) for row in numerators)  # of all control values N of all root boxes
    cost, off = max((5, *shape)) / 5.0, [_rounding(len(keys), shape, depth) for depth in range(DEEPEST + 1)]
    ends = np.ix_(*([0, -1] for _ in shape))
    for done, (root, weights) in enumerate(_roots(numerators.reshape(len(keys), *shape), (), pieces)):
        report(done / math.prod(map(len, pieces)))
        waiting = [(root, weights, 0, np.zeros(()))]
        while waiting:
            box, weights, depth, bends = waiting.pop()
            product = functools.reduce(np.multiply.outer, weights, np.ones(()))
            limits = left * product - off[depth] * (abs(left) * product + size)
            values -= cost * max(box.size, LEAST_VALUES)
            if not exceeds(keys, box.reshape(len(keys), -1), limits.ravel()):
                continue
            if depth % _LOOKS == 0:
                if exceeds(keys, box[:, *ends].reshape(len(keys), -1), limits[ends].ravel()):
                    raise RefusedError(f"more than {left:.6g}, what is left of the bound, is attained, or not excluded")
                bends = _bends(box / product)
            axis = int(np.argmax(bends))
            if values < 0 or depth >= DEEPEST or not bends[axis] > 0.0:
                raise RefusedError("no proof was found within the limit of subdivisions")
            bends = np.where(np.arange(len(bends)) == axis, 0.25 * bends, bends)
            for half in _halves(shape[axis]):
                parts = tuple(half @ each if k == axis else each for k, each in enumerate(weights))
                waiting.append((along(half, box, axis + 1), parts, depth + 1, bends))
    return noise


def waves_of(ball: Ball, grid: Grid) -> tuple[Waves, float]:
    """Waves F_k (k = 0, 1 .. d, -d .. -1 along each joint), and the noise (1)."""
    shape = np.broadcast_shapes(ball.mid.shape, ball.rad.shape, (1,) * len(grid.turns))
    waves: Waves = np.broadcast_to(ball.mid, shape).astype(complex)
    for axis, count in enumerate(shape):
        waves = along(fourier_matrix(count), waves, axis)
    noise = float(np.sqrt(np.square(np.broadcast_to(ball.rad, shape) + SQUARED).sum())) * UP
    return waves, noise + product_error(*shape) * waves.size * float(np.abs(ball.mid).max())


def product_error(*columns: int) -> float:
    """Part of the largest value that products with matrices of m columns may be off by: 4 (m + 4) u each."""
    return sum(4.0 * (count + 4) for count in columns) * UNIT * UP


def amplitude(waves: Waves) -> float:
    """Sum of the amplitudes: a bound (1)."""
    return float(np.abs(waves).sum()) * UP


@functools.cache
def fourier_matrix(count: int) -> Waves:
    """Values at even parts of a turn to waves: exp(-2 pi i j k/m)/m."""
    angles = [[flint.arb(-2 * j * k) / count for k in range(count)] for j in range(count)]
    return np.array([[complex(float(x.cos_pi()), float(x.sin_pi())) / count for x in row] for row in angles])


def along(matrix: Any, values: Any, axis: int) -> Any:
    """A matrix times the values along one axis."""
    before, count, after = values.shape[:axis], values.shape[axis], values.shape[axis + 1 :]
    if not after:
        return (values.reshape(-1, count) @ matrix.T).reshape(*before, -1)
    return np.matmul(matrix, values.reshape(-1, count, math.prod(after))).reshape(*before, -1, *after)


def _rounding(rows: int, shape: tuple[int, ...], depth: int) -> float:
    """Part of control values, and of W, that the products of a root, of so many halvings and of h are off by."""
    return product_error(*shape) + (400.0 + 8.0 * rows) * UNIT + product_error(max(shape, default=0)) * depth


def _largest(rows: Sequence[Waves], allowed: float) -> tuple[Vectors, Waves, float]:
    """Vectors k (N, joints) and waves (rows, N), without the smallest ones, whose amplitudes are added up."""
    every: Any = np.zeros((len(rows), *np.broadcast_shapes(*(each.shape for each in rows))), dtype=complex)
    for row, each in zip(every, rows, strict=True):  # what does not depend on a joint has k = 0 alone along its axis
        row[tuple(map(slice, each.shape))] = each
    sizes = np.abs(every).sum(axis=0)
    order = np.argsort(sizes, axis=None)
    sums = np.cumsum([0.0, *sizes.ravel()[order]]) * UP
    first = int(np.searchsorted(sums, allowed, side="right")) - 1
    places = np.unravel_index(order[first:], sizes.shape)
    vectors = [np.where(k > size // 2, k - size, k) for k, size in zip(places, sizes.shape, strict=True)]
    return np.stack(vectors, axis=1), every[:, *places], float(sums[first])


def in_sums(vectors: Vectors, ranges: Sequence[Range], sizes: Array, sums: Sums) -> tuple[Vectors, list[Range]]:
    """(7): the vectors k' (N, joints) and the ranges of p."""
    steps, vectors, ranges = sums(vectors, sizes, ranges), vectors.copy(), list(ranges)
    for i, j, s in steps:
        vectors[:, i] -= s * vectors[:, j]
        ranges[j] = -math.pi, math.pi
    for j, (multiple, (low, high)) in enumerate(zip(np.gcd.reduce(vectors, axis=0), ranges, strict=True)):
        if multiple > 1 and high - low >= TURN:
            vectors[:, j] //= multiple
    return vectors, ranges


@functools.cache
def _pieces(size: int, lower: float, upper: float) -> list[tuple[Any, Array]]:
    """Equal pieces of at most 0.9 pi; a range of a turn or more is one turn."""
    low, width = flint.arb(lower), flint.arb(upper) - flint.arb(lower)
    if upper - lower >= TURN:
        low, width = flint.arb(0), 2 * flint.arb.pi()
    count = max(1, math.ceil(float(width) / (0.9 * math.pi) - 1e-9))
    return [_piece(size // 2, low + width * (2 * k + 1) / (2 * count), width / count) for k in range(count)]


def _piece(d: int, center: Any, width: Any) -> tuple[Any, Array]:
    """(3): the matrix from waves to N, and W: coefficients of (1 - s)^(2d - i) s^i, t = 2 s - 1, over binomials."""
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


def _roots(numerators: Any, weights: tuple[Array, ...], pieces: Pieces) -> Iterator[tuple[Any, tuple[Array, ...]]]:
    """N and W of all root boxes; those that share pieces of the first joints share the products along them."""
    joint = len(weights)
    if joint == len(pieces):
        yield np.ascontiguousarray(numerators.real), weights
        return
    for matrix, weight in pieces[joint]:
        yield from _roots(along(matrix, numerators, joint + 1), (*weights, weight), pieces)


def _bends(control: Any) -> Array:
    """Second differences of (5) along the joints, of N/W (rows, joints ..): every second value along others will do."""
    bends = np.zeros(control.ndim - 1)
    for axis in range(1, control.ndim):
        steps = (2 if size > 3 and k not in (0, axis) else 1 for k, size in enumerate(control.shape))
        some = control[tuple(slice(None, None, step) for step in steps)].swapaxes(1, axis)
        bends[axis - 1] = np.abs(some[:, 2:] - 2.0 * some[:, 1:-1] + some[:, :-2]).sum(axis=0).max()
    return bends


@functools.cache
def _halves(count: int) -> tuple[Array, Array]:
    """(5): from coefficients to those on the lower and on the upper half."""
    left = np.array([[math.comb(i, k) / 2.0**i for k in range(count)] for i in range(count)])
    return left, left[::-1, ::-1]
