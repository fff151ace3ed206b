"""Exact tables by sampling: a function known to be of degree two in each variable is found from its values on a grid.

(1)  angle:         five equally spaced values determine {1, C, S, S^2, C S}
(2)  displacement:  three values determine {1, q, q^2}
     (three and two for functions of degree one, such as the potential energy)
(3)  the table is the grid of values, transformed along each axis in turn; what is below `NOISE` of the entry's largest
     coefficient is rounding, and zero
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from torquec.closedform.polynomial import Monomial, TrigPolynomial, Variable
from torquec.foundation.arrays import Array
from torquec.robot.joints import PositionBasis

NOISE = 3e-14

LARGEST_GRID = 5**9
"""More grid points than this are refused: tables of ten joints do not fit in memory, let alone on paper."""

_ANGLE_POWERS = {
    1: ((0, 0), (1, 0), (0, 1)),
    2: ((0, 0), (1, 0), (0, 1), (0, 2), (1, 1)),
    3: ((0, 0), (1, 0), (0, 1), (0, 2), (1, 1), (0, 3), (1, 2)),
}
_DISPLACEMENT_POWERS = {
    1: ((0, 0), (0, 1)),
    2: ((0, 0), (0, 1), (0, 2)),
    3: ((0, 0), (0, 1), (0, 2), (0, 3)),
}
_POWERS = {PositionBasis.TRIGONOMETRIC: _ANGLE_POWERS, PositionBasis.POLYNOMIAL: _DISPLACEMENT_POWERS}


Degree: TypeAlias = int | Sequence[int]
"""One degree for all variables, or one for each."""


def degrees(variables: Sequence[Variable], degree: Degree) -> Sequence[int]:
    """The degree of each variable."""
    return [degree] * len(variables) if isinstance(degree, int) else degree


def grid_size(variables: Sequence[Variable], degree: Degree = 2) -> int:
    """Number of grid points."""
    return math.prod(len(basis_powers(v, d)) for v, d in zip(variables, degrees(variables, degree), strict=True))


def grid(variables: Sequence[Variable], n: int, degree: Degree = 2) -> Array:
    """Joint positions (N, n) on the grid of the variables; joints that no variable has are at zero.

    Variables are gone through in order; each brings one joint that those before it do not have.
    """
    samples = [_samples(v.basis, d) for v, d in zip(variables, degrees(variables, degree), strict=True)]
    values = np.array(list(itertools.product(*samples))) if variables else np.zeros((1, 0))
    q = np.zeros((len(values), n))
    known: set[int] = set()
    for k, variable in enumerate(variables):
        ((index, sign),) = (joint for joint in variable.joints if joint[0] not in known)
        before = sum((s * q[:, i] for i, s in variable.joints if i in known), np.zeros(len(values)))
        q[:, index] = sign * (values[:, k] - before)
        known.add(index)
    return q


def coefficient_table(variables: Sequence[Variable], samples: Array, degree: Degree = 2) -> Array:
    """Coefficients on the product basis, one axis per variable; further axes of `samples` (N, ...) are kept last."""
    each = degrees(variables, degree)
    shape = tuple(len(basis_powers(v, d)) for v, d in zip(variables, each, strict=True))
    table = samples.reshape((*shape, *samples.shape[1:]))
    for axis, variable in enumerate(variables):
        inverse = _inverse(variable.basis, each[axis])
        table = np.moveaxis(np.tensordot(inverse, table, axes=(1, axis)), 0, axis)
    return table


def polynomial_from_table(
    variables: Sequence[Variable], table: Array, degree: int = 2, *, noise: float = NOISE
) -> TrigPolynomial:
    """The terms of one entry's table; what is below `noise` of the largest is rounding (3)."""
    terms: dict[Monomial, float] = {}
    size = float(np.abs(table).max(initial=0.0))
    for position in np.argwhere(np.abs(table) > noise * size).tolist():
        terms[monomial_at(variables, position, degree)] = float(table[tuple(position)])
    return TrigPolynomial(terms)


def monomial_at(variables: Sequence[Variable], position: Sequence[int], degree: int = 2) -> Monomial:
    """The monomial of a place in a coefficient table."""
    factors = []
    for variable, k in zip(variables, position, strict=True):
        a, b = basis_powers(variable, degree)[k]
        if a or b:
            factors.append((variable, a, b))
    return tuple(sorted(factors))


def basis_powers(variable: Variable, degree: int = 2) -> tuple[tuple[int, int], ...]:
    """The basis of one variable in the order of its axis in a table: (a, b) for C^a S^b, or q^b."""
    return _POWERS[variable.basis][degree]


def _samples(basis: PositionBasis, degree: int) -> Array:
    """Sample values of a variable (1), (2); angles start off the axes, where no basis function is special."""
    count = basis.size(degree)
    if not basis.is_periodic:
        return np.linspace(-1.0, 1.0, count) if degree > 1 else np.array([-0.5, 0.5])
    angles: Array = 2.0 * math.pi * np.arange(count) / count + 0.3
    return angles


@functools.cache
def _inverse(basis: PositionBasis, degree: int) -> Array:
    """From values to coefficients along one axis."""
    samples, powers = _samples(basis, degree), _POWERS[basis][degree]
    if basis.is_periodic:
        matrix = np.array([[math.cos(x) ** a * math.sin(x) ** b for a, b in powers] for x in samples])
    else:
        matrix = np.array([[x**b for _, b in powers] for x in samples])
    result: Array = np.linalg.inv(matrix)
    return result
