"""Functions of few variables as tables over harmonics: what the boxes of a proof are about.

A variable is a joint's displacement, or a sum of joint angles with signs.

(1)  f = sum over the table of the products of 1, cos x, sin x, cos 2x, .. (or powers) of its variables
(2)  values on a grid of the variables give the table: a discrete Fourier transform, or an inverse Vandermonde matrix
(3)  evaluated in doubles, f is off by at most  e sum |table| product of the largest basis values,  e what every
     variable's sine, angle and products are off by (`allowances.table_rounding`)
(4)  in complex exponentials, products of waves in sums of angles are waves in the joints' angles: what has a higher
     degree in a joint than it should is at most the sum of the magnitudes of their coefficients

The table need not be exact: `residual_grid` bounds how far it is from what it stands for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import CheckError
from torquec.foundation.arrays import Array
from torquec.proof.checker.allowances import ROUNDED_UP, TABLE_VALUE, table_rounding
from torquec.proof.checker.check_boxes import REMEDY, basis_values
from torquec.proof.checker.rounded_evaluation import RoundedArray

_MOST_PRODUCTS = 4_000_000
"""Numbers held at once while functions are evaluated: thirty megabytes."""

_MOST_VALUES = 150_000_000
"""Numbers in the tables of a certificate, more than a gigabyte: eight angles of degree two have 5^8 points, of which
each has 45 rows for eight joints.
"""

Joints = tuple[tuple[int, int], ...]
"""A variable: (joint, sign) of every angle that is added up, or of the one displacement."""


@dataclass(frozen=True)
class HarmonicTable:
    """Functions of variables, each of its degree: (rows, basis, ..); `sliding` says which are displacements."""

    variables: tuple[Joints, ...]
    sliding: tuple[bool, ...]
    degrees: tuple[int, ...]
    table: Array

    def at(self, positions: Array) -> RoundedArray:
        """The functions at joint positions (N, n): (rows, N), with (3)."""
        if not self.variables:
            value = np.repeat(self.table[..., None], len(positions), axis=-1)
            return self._rounded(value, 1.0, [])
        step = max(1, _MOST_PRODUCTS * self.table.shape[-1] // self.table.size)
        parts = [self._values(positions[start : start + step]) for start in range(0, len(positions), step)]
        reach = np.abs(positions).max(axis=0)
        angles = [sum(float(reach[joint]) for joint, _ in variable) for variable in self.variables]
        value = np.concatenate([value for value, _ in parts], axis=-1)
        return self._rounded(value, max(size for _, size in parts), angles)

    def on_nodes(self, nodes: Sequence[Array]) -> RoundedArray:
        """The functions on the grid of the variables' own nodes, all single joints: (rows, nodes, ..), with (3)."""
        value, largest = self.table, 1.0
        for axis, (node, slides, degree) in enumerate(zip(nodes, self.sliding, self.degrees, strict=True), start=1):
            basis = basis_values(node, slides, degree)
            largest *= max(1.0, float(np.abs(basis).max()))
            value = np.moveaxis(np.tensordot(basis, value, axes=(1, axis)), 0, axis)
        return self._rounded(value, largest, [float(np.abs(node).max()) for node in nodes])

    def excess(self, degrees: Sequence[int], lower: Sequence[float], upper: Sequence[float]) -> Array:
        """How large what exceeds these degrees (n,) in a joint can be in the ranges, of each function (rows,) (4)."""
        values, places = self.table.astype(complex), []
        for axis, (variable, slides, degree) in enumerate(
            zip(self.variables, self.sliding, self.degrees, strict=True), start=1
        ):
            if slides:
                (joint, _), size = variable[0], np.arange(degree + 1)
                reach = max(1.0, abs(lower[joint]), abs(upper[joint]))
                values = np.moveaxis(np.moveaxis(values, axis, -1) * reach**size, -1, axis)
            else:
                size = np.arange(-degree, degree + 1)
                values = np.moveaxis(np.tensordot(_exponentials(degree), values, axes=(1, axis)), 0, axis)
            places.append(size)
        own = np.zeros((*self.table.shape[1:], len(degrees)))
        for variable, size in zip(self.variables, np.meshgrid(*places, indexing="ij"), strict=True):
            for joint, sign in variable:
                own[..., joint] += sign * size
        above = np.any(np.abs(own) > np.asarray(degrees), axis=-1)
        return np.asarray(np.abs(values[:, above]).sum(axis=1)) * ROUNDED_UP

    def _values(self, positions: Array) -> tuple[Array, float]:
        value, largest = self.table, 1.0
        described = list(zip(self.variables, self.sliding, self.degrees, strict=True))
        for k, (variable, slides, degree) in enumerate(reversed(described)):
            basis = basis_values(summed(positions, variable), slides, degree)
            largest *= max(1.0, float(np.abs(basis).max()))
            # The first product makes the axis of positions, the others keep it.
            value = np.tensordot(value, basis, axes=(-1, 1)) if k == 0 else np.einsum("...bn,nb->...n", value, basis)
        return value, largest

    def _rounded(self, value: Array, largest: float, angles: Sequence[float]) -> RoundedArray:
        """(3); `angles` are the largest of every variable."""
        sizes = np.abs(self.table).reshape(len(self.table), -1).sum(axis=1)
        steps = TABLE_VALUE
        for k, angle in enumerate(angles):
            joints = 0 if self.sliding[k] else len(self.variables[k])
            steps += table_rounding(self.table.shape[k + 1], self.degrees[k], joints, angle)
        radius = (steps * largest * sizes).reshape(-1, *([1] * (value.ndim - 1)))
        return RoundedArray(value, np.broadcast_to(radius, value.shape))


def table_points(sliding: Sequence[bool], degrees: Sequence[int]) -> int:
    """The points that a table in variables of these degrees is made of."""
    return math.prod(degree + 1 if slides else 2 * degree + 1 for slides, degree in zip(sliding, degrees, strict=True))


def require_room(values: int) -> None:
    """Raise `CheckError` where tables of so many values would fill the memory."""
    if values > _MOST_VALUES:
        raise CheckError("the errors have too many variables of too high a degree to be checked", remedy=REMEDY)


def harmonic_table(
    n: int,
    variables: Sequence[Joints],
    sliding: Sequence[bool],
    degrees: Sequence[int],
    rows_at: Callable[[Array], Array],
) -> HarmonicTable:
    """The table of functions (positions (N, n) -> (rows, N)) that depend on the variables only (2)."""
    nodes = [_nodes(slides, degree) for slides, degree in zip(sliding, degrees, strict=True)]
    positions = np.zeros((math.prod(len(node) for node in nodes), n))
    if variables:
        grid = np.stack(np.meshgrid(*nodes, indexing="ij"), axis=-1).reshape(len(positions), -1)
        positions = grid @ np.linalg.pinv(sums_matrix(n, variables)).T  # any position with these sums
    values = rows_at(positions)
    values = values.reshape(len(values), *(len(node) for node in nodes))
    for axis, (node, slides, degree) in enumerate(zip(nodes, sliding, degrees, strict=True), start=1):
        transform = np.linalg.inv(basis_values(node, slides, degree))
        values = np.moveaxis(np.tensordot(transform, values, axes=(1, axis)), 0, axis)
    return HarmonicTable(tuple(variables), tuple(sliding), tuple(degrees), np.ascontiguousarray(values))


def _exponentials(degree: int) -> Array:
    """From 1, cos x, sin x, cos 2x, .. to the exponentials exp(i k x), k = -degree .. degree."""
    matrix = np.zeros((2 * degree + 1, 2 * degree + 1), dtype=complex)
    matrix[degree, 0] = 1.0
    for k in range(1, degree + 1):
        for sign in (1, -1):
            matrix[degree + sign * k, 2 * k - 1] = 0.5
            matrix[degree + sign * k, 2 * k] = -0.5j * sign
    return matrix


def sums_matrix(n: int, variables: Sequence[Joints]) -> Array:
    """The matrix (variables, n) from joint positions to the variables."""
    matrix = np.zeros((len(variables), n))
    for row, variable in enumerate(variables):
        for joint, sign in variable:
            matrix[row, joint] = sign
    return matrix


def summed(positions: Array, variable: Joints) -> Array:
    """A variable (N,) at joint positions (N, n)."""
    total: Array = np.sum([sign * positions[:, joint] for joint, sign in variable], axis=0)
    return total


def _nodes(slides: bool, degree: int) -> Array:
    count = 2 * degree + 1
    return np.linspace(-1.0, 1.0, degree + 1) if slides else 2.0 * np.pi * np.arange(count) / count
