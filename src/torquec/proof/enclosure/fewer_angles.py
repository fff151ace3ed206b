"""Trigonometric polynomials in fewer angles: integer sums of joint positions in place of the positions.

A polynomial is a sum of waves exp(i k q), k a vector of integers. Torques of an arm with parallel axes depend on few
sums of positions (a UR5's wrist: on q2 + q3 + q4, q5 and 2 q6), and have few waves:

(1)  the vectors k of all waves generate a lattice. With a basis of it in the rows of B, k = B' m with integers m, so
     that the polynomial is one in the angles y = B q, with the waves exp(i m y)
(2)  positions that run through whole turns may be added: the rows of B are independent, so that y takes every value,
     and the polynomial has the same range over y as over q
(3)  a position q with a smaller range is not added to others: its angle is y = g q, with g the greatest common divisor
     of its entries in all k
(4)  the basis is chosen for the estimated cost of a proof, prod (2 d_i + 1) (1 + sqrt(sum_m a_m m_i^2)). The first
     factor counts the control points of a box, with d_i the largest |m_i|; the second one the halvings along y_i, with
     a_m the relative amplitudes of the waves. Steps b_j <- b_j + s b_i, which take m_i to m_i - s m_j, are made while
     the cost falls
(5)  the smallest waves are left out, up to a given sum of amplitudes. The caller subtracts this sum from the target of
     the proof; as an allowance it would be multiplied by the largest denominator of a root box

Rounding: sums of magnitudes of the coefficients grow by at most the largest column sum of each matrix; that times
`rounding_steps` is added to the allowance, too.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.closedform.polynomial import Variable
from torquec.closedform.tabulate import basis_powers
from torquec.foundation.arrays import Array, Indices
from torquec.proof.enclosure.bernstein import Range, along, basis_degree, exponentials, rounding_steps

_WHOLE_TURN = 2.0 * math.pi - 1e-6  # least range [rad] of a whole turn: files state turns to nine digits
_STEPS = (1, -1, 2, -2)  # s of (4)


@dataclass(frozen=True)
class FewerAngles:
    """A table (entries, basis, ..), the ranges of its variables, and an allowance (entries,) for errors of its entries.

    `left_out` is the sum of amplitudes of the waves left out, over all entries (5).
    """

    table: Array
    ranges: Sequence[Range]
    allowance: Array
    left_out: float = 0.0


def in_fewer_angles(table: Array, ranges: Sequence[Range], allowance: Array, left_out: float) -> FewerAngles:
    """The polynomials in fewer angles (1)-(4), without waves of at most `left_out` altogether (5).

    Polynomials with displacements, and those that gain nothing, are returned unchanged.
    """
    unchanged = FewerAngles(table, ranges, allowance)
    if not ranges or not all(r.variable.is_angle for r in ranges):
        return unchanged
    degrees = [basis_degree(r.variable, size) for r, size in zip(ranges, table.shape[1:], strict=True)]
    waves, growth = table.astype(complex), 1.0
    for axis, degree in enumerate(degrees):
        waves, growth = along(exponentials(degree), waves, axis + 1), growth * _column_sum(exponentials(degree))
    waves = waves.reshape(len(table), -1)
    amplitudes = np.abs(waves).sum(axis=0)
    kept = _largest(amplitudes, left_out)
    if not len(kept):
        return unchanged
    vectors = np.stack(np.unravel_index(kept, table.shape[1:]), axis=1) - degrees
    whole = [r.upper - r.lower >= _WHOLE_TURN for r in ranges]
    basis, m = _short_basis(vectors, amplitudes[kept] / amplitudes.sum(), whole)
    sizes = [2 * int(degree) + 1 for degree in np.abs(m).max(axis=0, initial=0)]
    if not len(basis) or (np.array_equal(basis, np.eye(len(ranges))) and sizes == list(table.shape[1:])):
        return unchanged
    fewer = np.zeros((len(table), *sizes), dtype=complex)
    fewer[:, *(m + np.array(sizes) // 2).T] = waves[:, kept]
    for axis, size in enumerate(sizes):
        powers = _powers(size // 2)
        fewer, growth = along(powers, fewer, axis + 1), growth * _column_sum(powers)
    steps = rounding_steps(len(ranges) + len(sizes))
    rounding = steps * growth * np.abs(table).reshape(len(table), -1).sum(axis=1)
    omitted = (1.0 + steps) * float(np.delete(amplitudes, kept).sum())
    sums = [_sum_of(row, ranges) for row in basis]
    return FewerAngles(np.ascontiguousarray(fewer.real), sums, allowance + rounding, omitted)


def _largest(amplitudes: Array, left_out: float) -> Indices:
    """Indices of the waves that remain (5); exp(i k q) and exp(-i k q) have equal amplitudes and remain together."""
    both = np.maximum(amplitudes, amplitudes[::-1])
    order = np.argsort(both, kind="stable")
    first = int(np.searchsorted(np.cumsum(both[order]), left_out, side="right"))
    smallest = both[order[first]] if first < len(order) else math.inf
    return np.flatnonzero(both >= smallest)


def _short_basis(vectors: Indices, amplitudes: Array, whole: Sequence[bool]) -> tuple[Indices, Indices]:
    """The rows of B (r, n) and the vectors m (N, r) for the vectors k (N, n), of the lowest cost found (4)."""
    turning = np.flatnonzero(whole)
    multiples = np.diag(np.gcd.reduce(vectors, axis=0))
    alone = multiples[~np.array(whole) & multiples.any(axis=0)]
    lattice = np.zeros((0, len(whole)), dtype=int)
    if rows := _lattice_basis(vectors[:, turning].tolist()):
        lattice = np.zeros((len(rows), len(whole)), dtype=int)
        lattice[:, turning] = rows
    starts = lattice, multiples[np.array(whole) & multiples.any(axis=0)]
    found = [_shortened(vectors, amplitudes, np.concatenate([start, alone]), len(start)) for start in starts]
    basis, m = min(found, key=lambda pair: _price(pair[1], amplitudes))
    leading = (basis != 0).argmax(axis=1)
    signs = np.sign(basis[np.arange(len(basis)), leading])
    order = np.argsort(leading, kind="stable")
    return (signs[:, None] * basis)[order], (m * signs)[:, order]


def _shortened(vectors: Indices, amplitudes: Array, basis: Indices, summed: int) -> tuple[Indices, Indices]:
    """The basis and the vectors m after the steps of (4) between its first `summed` rows."""
    m = np.rint(vectors @ np.linalg.pinv(basis)).astype(int) if len(basis) else np.zeros((len(vectors), 0), dtype=int)
    while (step := _best_step(m, amplitudes, summed)) is not None:
        i, j, s = step
        m[:, i] -= s * m[:, j]
        basis[j] += s * basis[i]
    assert np.array_equal(m @ basis, vectors)  # (1), which bounds rest on: the inverse is rounded to integers
    return basis, m


def _best_step(m: Indices, amplitudes: Array, summed: int) -> tuple[int, int, int] | None:
    """The step (i, j, s) of (4) between the first `summed` rows of the basis that lowers the cost most, or None."""
    factors = [_factor(column, amplitudes) for column in m.T]
    best, chosen = 1.0 - 1e-9, None
    for i, j in itertools.permutations(range(summed), 2):
        for s in _STEPS:
            ratio = _factor(m[:, i] - s * m[:, j], amplitudes) / factors[i]
            if ratio < best:
                best, chosen = ratio, (i, j, s)
    return chosen


def _price(m: Indices, amplitudes: Array) -> float:
    """(4)."""
    return math.prod(_factor(column, amplitudes) for column in m.T)


def _factor(column: Indices, amplitudes: Array) -> float:
    """The factor of one angle in the cost (4)."""
    return float((2 * np.abs(column).max() + 1) * (1.0 + math.sqrt(amplitudes @ column**2)))


def _lattice_basis(vectors: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """A basis of the lattice that integer vectors generate, in echelon form, by Euclid's algorithm.

    >>> _lattice_basis([(1, 1, 0), (2, 2, 0), (0, 0, 4), (1, 1, 6)])
    [(1, 1, 0), (0, 0, 2)]
    """
    left = {tuple(vector) for vector in vectors if any(vector)}
    basis = []
    for axis in range(len(vectors[0]) if len(vectors) else 0):
        while len(reading := sorted(v for v in left if v[axis])) > 1:
            pivot = min(reading, key=lambda v: abs(v[axis]))
            reduced = [_less(v, pivot, v[axis] // pivot[axis]) for v in reading if v != pivot]
            left = {v for v in left if not v[axis]} | {pivot} | {v for v in reduced if any(v)}
        basis += reading
        left -= set(reading)
    return basis


def _less(vector: tuple[int, ...], other: tuple[int, ...], times: int) -> tuple[int, ...]:
    return tuple(a - times * b for a, b in zip(vector, other, strict=True))


def _sum_of(row: Indices, ranges: Sequence[Range]) -> Range:
    """The range of one sum of angles: a whole turn for several angles, else a multiple of the angle's own range."""
    parts = [(int(factor), r) for factor, r in zip(row, ranges, strict=True) if factor]
    variable = Variable(tuple((r.variable.joints[0][0], factor) for factor, r in parts))
    if len(parts) > 1:
        return Range(variable, -math.pi, math.pi)
    [(factor, r)] = parts
    return Range(variable, *sorted((factor * r.lower, factor * r.upper)))


def _column_sum(matrix: Array) -> float:
    return float(np.abs(matrix).sum(axis=0).max())


@functools.cache
def _powers(degree: int) -> Array:
    """Columns: the exponentials of an angle in products of powers of its cosine and sine, (C + i S)^k."""
    powers = basis_powers(Variable(((0, 1),)), degree)
    matrix = np.zeros((len(powers), 2 * degree + 1), dtype=complex)
    for k in range(degree + 1):
        for s in range(k + 1):
            c, factor = k - s, math.comb(k, s) * 1j**s
            for t in range(c // 2 + 1):  # C^c = C^(c mod 2) (1 - S^2)^(c div 2)
                row = powers.index((c % 2, s + 2 * t))
                matrix[row, degree + k] += factor * math.comb(c // 2, t) * (-1) ** t
        matrix[:, degree - k] = matrix[:, degree + k].conj()
    return matrix
