"""How large a trigonometric polynomial can be at all, from the amplitudes of its waves.

(1)  f = sum_k c_k exp(i k x),                   |f| <= sum_k |c_k|
(2)  with a displacement d of at most r in size,  |d^p| <= r^p

It takes no box and no halving. What is left out of an equation is many small waves that hardly ever add up, so that a
proof by subdivision is closer; this one is there in no time, and where waves are few it is as close.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from torquec.closedform.polynomial import Variable
from torquec.closedform.tabulate import basis_powers
from torquec.foundation.arrays import Array
from torquec.proof.enclosure.bernstein import along, basis_degree


def sum_of_amplitudes(table: Array, variables: Sequence[Variable]) -> float | None:
    """(1), of a table (basis, ..) over angles; None where one of the variables is a displacement."""
    if not all(variable.is_angle for variable in variables):
        return None
    return amplitudes_within(table, variables, [0.0] * len(variables))


def amplitudes_within(table: Array, variables: Sequence[Variable], reach: Sequence[float]) -> float:
    """(1), with displacements of at most `reach` (2), of which that of an angle is not read."""
    waves = table.astype(complex)
    for axis, (variable, far) in enumerate(zip(variables, reach, strict=True)):
        degree = basis_degree(variable, table.shape[axis])
        matrix = _exponentials(degree) if variable.is_angle else np.diag(float(far) ** np.arange(degree + 1))
        waves = along(matrix, waves, axis)
    return float(np.abs(waves).sum())


@functools.cache
def _exponentials(degree: int) -> Array:
    """Columns: the products of powers of cosine and sine that are the basis of an angle, in exponentials."""
    count = 2 * degree + 1
    x = 2.0 * np.pi * np.arange(count) / count
    powers = basis_powers(Variable(((0, 1),)), degree)
    values = np.stack([np.cos(x) ** a * np.sin(x) ** b for a, b in powers], axis=1)
    waves = np.exp(-1j * np.outer(np.arange(-degree, degree + 1), x)) / count
    found: Array = waves @ values
    return found
