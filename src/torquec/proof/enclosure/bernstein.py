"""Bernstein form of trigonometric polynomials over boxes, and bounds by the amplitudes of their harmonics.

Bernstein enclosures are rigorous ranges over boxes of joint positions:

(1)  On an interval narrower than pi around c, with t = tan((q - c)/2):   cos(q - c) = (1 - t^2)/(1 + t^2),
     sin(q - c) = 2 t/(1 + t^2),  so a trigonometric polynomial of degree d is N(t)/(1 + t^2)^d, N of degree 2 d.
(2)  In Bernstein form on [t0, t1],  N/D = sum N_b B_b / sum D_b B_b  with all D_b > 0:  a weighted mean of the
     control values N_b/D_b, which therefore enclose the range; the values at the corners are attained.
(3)  Several variables: tensor products, D the product of one D per variable.  Displacements: D = 1, degree d.
(4)  Halving an interval of t is de Casteljau's scheme at 1/2: means of neighbours, exact up to a rounding each.
(5)  Rounding: every number above is a sum of at most (2 d + 1)^k products; the sum of their magnitudes times
     `ROUNDING_STEPS` units of rounding bounds the error, and is added to every bound.

Amplitudes of the harmonics bound the polynomial everywhere:

(6)  f = sum_k c_k exp(i k x),                   |f| <= sum_k |c_k|
(7)  with a displacement d of at most r in size,  |d^p| <= r^p

(6) needs no subdivision and takes almost no time. For many small harmonics, which seldom peak together, subdivision
gives a tighter bound; for few harmonics both are equally tight.
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
from torquec.foundation.arrays import Array

WIDEST = 0.9 * math.pi
"""Largest width of root intervals: (1) needs less than pi, and wide intervals have uneven weights."""

ROUNDING_STEPS = 64
_EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Range:
    """The interval of a variable."""

    variable: Variable
    lower: float
    upper: float


@functools.cache
def bernstein_matrix(degree: int) -> Array:
    """Bernstein coefficients on [0, 1] from power coefficients: row i, column j is C(i, j)/C(degree, j)."""
    matrix = np.zeros((degree + 1, degree + 1))
    for i in range(degree + 1):
        for j in range(i + 1):
            matrix[i, j] = math.comb(i, j) / math.comb(degree, j)
    return matrix


@functools.cache
def halves(size: int) -> tuple[Array, Array]:
    """The two matrices (4) that give the control values of both halves from those of the whole."""
    degree = size - 1
    left = np.zeros((size, size))
    for i in range(size):
        for j in range(i + 1):
            left[i, j] = math.comb(i, j) * 0.5**i
    return left, left[::-1, ::-1].copy() if degree else left


def numerator_matrix(interval: Range, degree: int) -> tuple[Array, Array]:
    """Columns: Bernstein numerators of each basis function on the interval (1), (2); and the denominator's
    coefficients.
    """
    powers = basis_powers(interval.variable, degree)
    if not interval.variable.is_angle:
        width = interval.upper - interval.lower
        columns = [_shifted_power(interval.lower, width, b, degree) for _, b in powers]
        return bernstein_matrix(degree) @ np.array(columns).T, np.ones(degree + 1)
    center = 0.5 * (interval.lower + interval.upper)
    half = math.tan(0.25 * (interval.upper - interval.lower))
    # In u in [0, 1], t = half (2 u - 1).
    t = np.array([-half, 2.0 * half])
    one = np.array([1.0])
    square = np.convolve(t, t)
    weight = _plus(one, square)
    cosine = _plus(one, -square)
    sine = 2.0 * t
    c = _plus(math.cos(center) * cosine, -math.sin(center) * sine)
    s = _plus(math.sin(center) * cosine, math.cos(center) * sine)
    columns = []
    for a, b in powers:
        polynomial = one
        for factor in [c] * a + [s] * b + [weight] * (degree - a - b):
            polynomial = np.convolve(polynomial, factor)
        columns.append(_padded(polynomial, 2 * degree + 1))
    denominator = one
    for _ in range(degree):
        denominator = np.convolve(denominator, weight)
    to_bernstein = bernstein_matrix(2 * degree)
    return to_bernstein @ np.array(columns).T, to_bernstein @ _padded(denominator, 2 * degree + 1)


def _plus(a: Array, b: Array) -> Array:
    size = max(len(a), len(b))
    return _padded(a, size) + _padded(b, size)


def _padded(a: Array, size: int) -> Array:
    return np.concatenate([a, np.zeros(size - len(a))])


def _shifted_power(lower: float, width: float, b: int, degree: int) -> Array:
    """Coefficients in u of (lower + width u)^b."""
    polynomial = np.array([1.0])
    for _ in range(b):
        polynomial = np.convolve(polynomial, np.array([lower, width]))
    return _padded(polynomial, degree + 1)


def root_ranges(ranges: Sequence[Range]) -> list[list[Range]]:
    """Each range cut into intervals narrow enough for (1); a range longer than a full turn counts as one turn."""
    found = []
    for r in ranges:
        if not r.variable.is_angle:
            found.append([r])
            continue
        lower, upper = (r.lower, r.upper) if r.upper - r.lower < 2.0 * math.pi else (-math.pi, math.pi)
        pieces = max(1, math.ceil((upper - lower) / WIDEST - 1e-12))
        edges = [lower + (upper - lower) * k / pieces for k in range(pieces + 1)]
        edges[-1] = upper
        found.append([Range(r.variable, a, b) for a, b in itertools.pairwise(edges)])
    return found


def along(matrix: Array, table: Array, axis: int) -> Array:
    """A matrix applied along one axis of a table."""
    return np.moveaxis(np.tensordot(matrix, table, axes=(1, axis)), 0, axis)


def basis_degree(variable: Variable, size: int) -> int:
    """The degree of a variable whose axis of a table has `size` basis functions."""
    return variable.basis.degree(size)


def rounding_steps(variables: int) -> float:
    """Rounding error bound (5) of a control value, as a factor on the sum of magnitudes that it is computed from."""
    return ROUNDING_STEPS * _EPSILON * (1 + variables)


def sum_of_amplitudes(table: Array, variables: Sequence[Variable]) -> float | None:
    """(6), of a table (basis, ..) over angles; None where one of the variables is a displacement."""
    if not all(variable.is_angle for variable in variables):
        return None
    return amplitudes_within(table, variables, [0.0] * len(variables))


def amplitudes_within(table: Array, variables: Sequence[Variable], reach: Sequence[float]) -> float:
    """(6), with displacements of at most `reach` (7); entries of `reach` for angles are ignored."""
    waves = table.astype(complex)
    for axis, (variable, far) in enumerate(zip(variables, reach, strict=True)):
        degree = basis_degree(variable, table.shape[axis])
        matrix = exponentials(degree) if variable.is_angle else np.diag(float(far) ** np.arange(degree + 1))
        waves = along(matrix, waves, axis)
    return float(np.abs(waves).sum())


@functools.cache
def exponentials(degree: int) -> Array:
    """Basis functions of an angle (products of powers of cosine and sine) in exponentials, one column each."""
    count = 2 * degree + 1
    x = 2.0 * np.pi * np.arange(count) / count
    powers = basis_powers(Variable(((0, 1),)), degree)
    values = np.stack([np.cos(x) ** a * np.sin(x) ** b for a, b in powers], axis=1)
    waves = np.exp(-1j * np.outer(np.arange(-degree, degree + 1), x)) / count
    found: Array = waves @ values
    return found
