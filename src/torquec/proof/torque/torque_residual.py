"""What a simplified program leaves out: the difference of two torque programs, coefficient by coefficient.

The difference of two programs has the same form as each of them, so its coefficients are the differences of theirs
(:mod:`torquec.proof.torque.torque_tables`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.closedform.polynomial import Variable
from torquec.closedform.tabulate import Degree, basis_powers
from torquec.foundation.arrays import Array
from torquec.proof.enclosure.bernstein import basis_degree
from torquec.proof.torque.torque_tables import TorqueTables

_NOISE = 2e-14
"""Coefficients of the difference this small, relative to the largest torque on the grid, are taken as zero; what was
taken away is kept as `dropped`, and counts in every bound."""

_ROUNDING = 2e-13
"""Part of the largest torque at rest that a row may be off by, for each variable three times as much."""


@dataclass(frozen=True)
class TorqueResidual:
    """Coefficient tables of the difference of two programs.

    `tables[i]` belongs to joint i: (n + n(n+1)/2 + 1, basis, ..) with rows dM_ij, then dc_ijk for j <= k (twice for
    j < k), then dg_i, over the basis {1, C, S, S^2, C S} (or {1, q, q^2}) of each variable. `dropped[i]` bounds what
    rounding noise was removed from each row.
    """

    variables: tuple[Variable, ...]
    tables: tuple[Array, ...]
    dropped: tuple[Array, ...]
    n: int
    size: float
    degree: Degree

    @property
    def rounding(self) -> float:
        """What every row may be off by: more than the checker allows for the rounding of both programs.

        The checker's allowance grows with the number of variables as its grid's Lebesgue constant, two to each power.
        """
        return _ROUNDING * 3.0 ** len(self.variables) * self.size

    def smallest_table(self, joint: int) -> tuple[Array, tuple[Variable, ...]]:
        """A joint's table over the variables that its error depends on, each of no higher degree than it has."""
        table = self.tables[joint]
        kept: list[Variable] = []
        for axis in reversed(range(len(self.variables))):
            variable = self.variables[axis]
            highest = basis_degree(variable, table.shape[axis + 1])
            sizes = [1, *(len(basis_powers(variable, degree)) for degree in range(1, highest + 1))]
            size = next(s for s in sizes if not np.any(np.take(table, range(s, sizes[-1]), axis=axis + 1)))
            if size == 1:
                table = np.take(table, 0, axis=axis + 1)
            else:
                table = np.take(table, range(size), axis=axis + 1)
                kept.insert(0, variable)
        return table, tuple(kept)

    def dependence(self, joint: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The joints whose positions a joint's error depends on, and its degrees in them."""
        table, variables = self.smallest_table(joint)
        sizes = zip(variables, table.shape[1:], strict=True)
        return tuple(v.joints[0][0] for v in variables), tuple(basis_degree(v, size) for v, size in sizes)

    def weights(self, velocity: Sequence[float], acceleration: Sequence[float]) -> Array:
        """What each row is multiplied by: the largest accelerations, products of speeds, one for gravity."""
        speeds = [velocity[j] * velocity[k] for j in range(self.n) for k in range(j, self.n)]
        return np.array([*acceleration, *speeds, 1.0])


def torque_residual(exact: TorqueTables, simplified: TorqueTables) -> TorqueResidual:
    """The difference of two programs' tables over the same variables."""
    table = exact.table - simplified.table
    n = table.shape[-2]
    noise = np.abs(table) < _NOISE * max(exact.size, 1.0)
    removed = np.where(noise, np.abs(table), 0.0)
    table = np.where(noise, 0.0, table)
    return TorqueResidual(
        exact.variables,
        tuple(np.ascontiguousarray(np.moveaxis(table[..., i, :], -1, 0)) for i in range(n)),
        tuple(removed[..., i, :].reshape(-1, table.shape[-1]).sum(axis=0) for i in range(n)),
        n,
        max(exact.size, 1.0),
        exact.degree,
    )
