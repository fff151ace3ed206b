"""Bases of the parameter space from samples W of the regressor (`energy_rows`): elimination, pivoted QR, SVD.

Every basis is a pair of matrices, with Y the regressor and phi the standard parameters:

(1)  beta = K phi                 K (b, p), the projection
(2)  Y_b = Y E,   tau = Y_b beta  E (p, b), the expansion;   Y E K = Y  and  K E = 1
(3)  elimination (Izaguirre et al., 6.1): go through the columns in a chosen order and keep each one that does not
     depend on those kept before. K is then the reduced row echelon form of W, and E picks the kept columns
(4)  pivoted QR: the same with the kept columns chosen by size, in doubles
(5)  SVD: W = U S V',  K = V_b',  E = V_b: orthonormal, but every row mixes all parameters

Elimination runs in fractions and has no threshold; where the geometry is approximated, it chooses the columns in
doubles and solves for K with many digits. QR and SVD run on columns of about unit length; values below `threshold`
(relative to the largest column or singular value) count as zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import flint
import numpy as np

from torquec.foundation.arrays import Array

THRESHOLD = 1e-12
"""Zero threshold in doubles, relative to the largest."""

SEQUENTIAL_THRESHOLD = 1e-10
"""The same for elimination in doubles, where errors grow from column to column (Izaguirre et al. took 1e-10, too)."""

_UNSCALED_NORM = 1e-3  # columns below this fraction of their natural size are not scaled up to length one
_ZERO_ENTRY = 1e-15  # entries of an orthonormal matrix below this are rounding error
_ZERO_COEFFICIENT = 1e-30  # zero threshold of coefficients computed to many digits


@dataclass(frozen=True)
class Basis:
    """K (b, p) and E (p, b) of (1) and (2); `kept` are the columns that E picks, or None where it mixes them."""

    projection: Array
    expansion: Array
    kept: tuple[int, ...] | None

    @property
    def rank(self) -> int:
        """Rank b, the number of base parameters."""
        return len(self.projection)


def elimination(w: flint.fmpq_mat, order: Sequence[int]) -> Basis:
    """Keep columns in the given order of preference, in exact arithmetic (3).

    >>> basis = elimination(flint.fmpq_mat([[1, 2, 0], [0, 0, 3]]), [0, 1, 2])
    >>> basis.kept, basis.projection.tolist()
    ((0, 2), [[1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    """
    p = w.ncols()
    table = w.tolist()
    reduced, rank = flint.fmpq_mat([[row[k] for k in order] for row in table]).rref()
    rows = reduced.tolist()[:rank]
    pivots = [next(k for k, entry in enumerate(row) if entry != 0) for row in rows]
    projection = np.zeros((rank, p))
    for i, row in enumerate(rows):
        for k, entry in enumerate(row):
            if entry != 0:
                projection[i, order[k]] = to_float(entry)
    kept = tuple(order[k] for k in pivots)
    return Basis(projection, selection(p, kept), kept)


def independent_columns(
    w: Array, natural: Array, order: Sequence[int], *, threshold: float = SEQUENTIAL_THRESHOLD
) -> tuple[int, ...]:
    """The columns that elimination keeps (3), in doubles; w is (N, p), `natural` (p,)."""
    unit, _ = _scaled(w, natural)
    kept: list[int] = []
    directions = np.zeros((len(w), 0))
    for k in order:
        rest = unit[:, k]
        for _ in range(2):  # the second time against rounding error (reorthogonalization)
            rest = rest - directions @ (directions.T @ rest)
        size = float(np.linalg.norm(rest))
        if size > threshold:
            kept.append(k)
            directions = np.column_stack([directions, rest / size])
    return tuple(kept)


def grouping(w: flint.arb_mat, kept: Sequence[int]) -> Basis:
    """K from known pivots (3): W_kept K = W with as many rows as pivots, in real numbers of some precision."""
    p, b = w.ncols(), len(kept)
    table = w.tolist()
    rest = [k for k in range(p) if k not in set(kept)]
    left = flint.arb_mat([[row[k] for k in kept] for row in table])
    right = flint.arb_mat([[row[k] for k in rest] for row in table])
    solved = left.solve(right, algorithm="precond") if rest and b else None
    projection = np.zeros((b, p))
    projection[range(b), list(kept)] = 1.0
    for j, k in enumerate(rest):
        for i in range(b):
            assert solved is not None
            value = float(solved[i, j].mid())
            projection[i, k] = value if abs(value) > _ZERO_COEFFICIENT else 0.0
    return Basis(projection, selection(p, kept), tuple(kept))


def extended(rows: list[list[flint.fmpq]], w: flint.fmpq_mat, others: Sequence[int]) -> tuple[Basis, tuple[int, ...]]:
    """A given set of independent combinations, and those of the `others` columns that it does not determine.

    `rows` (b, p) are the combinations, W (N, p) samples of the regressor. The kept others are returned with the
    basis, whose first b rows are the given ones plus the contributions of the dropped others.
    """
    given, p, b = flint.fmpq_mat(rows), w.ncols(), len(rows)
    _, rank = given.rref()
    assert rank == b
    expansion = _right_inverse(given)
    if not others:
        return Basis(_floats(given), _floats(expansion), None), ()
    inner = w * expansion
    table = [[*left, *(row[k] for k in others)] for left, row in zip(inner.tolist(), w.tolist(), strict=True)]
    reduced, total = flint.fmpq_mat(table).rref()
    found = reduced.tolist()[:total]
    added = tuple(others[next(k for k, entry in enumerate(row) if entry != 0) - b] for row in found[b:])
    # beta = (reduced) (the given ones; the others)
    onto = [*rows, *([flint.fmpq(int(k == other)) for k in range(p)] for other in others)]
    projection = flint.fmpq_mat(found) * flint.fmpq_mat(onto)
    picks = [[flint.fmpq(int(k == other)) for other in added] for k in range(p)]
    wide = [[*left, *right] for left, right in zip(expansion.tolist(), picks, strict=True)]
    return Basis(_floats(projection), _floats(flint.fmpq_mat(wide)), None), added


def pivoted_qr(w: Array, natural: Array, groups: Sequence[Sequence[int]], *, threshold: float = THRESHOLD) -> Basis:
    """Keep columns by largest residual (column pivoting), in doubles (4); w is (N, p), `natural` (p,).

    The columns of one group are exhausted before those of the next are looked at.
    """
    unit, sizes = _scaled(w, natural)
    kept: list[int] = []
    rest = unit.copy()
    for group in groups:
        columns = list(group)
        while columns:
            lengths = np.linalg.norm(rest[:, columns], axis=0)
            k = int(np.argmax(lengths))
            if lengths[k] <= threshold:
                break
            column = columns.pop(k)
            direction = rest[:, column] / lengths[k]
            kept.append(column)
            for _ in range(2):  # the second time against rounding error (reorthogonalization)
                rest -= np.outer(direction, direction @ rest)
    kept.sort()
    solved = np.linalg.lstsq(unit[:, kept], unit, rcond=None)[0] if kept else np.zeros((0, w.shape[1]))
    solved[:, kept] = np.eye(len(kept))
    solved[np.abs(solved) <= threshold] = 0.0
    projection = solved * sizes / sizes[kept][:, None]
    return Basis(projection, selection(w.shape[1], kept), tuple(kept))


def svd(
    w: Array, natural: Array, groups: Sequence[Sequence[int]], *, threshold: float = THRESHOLD
) -> tuple[Basis, tuple[int, ...]]:
    """An orthonormal basis of the row space of the first group's columns, in doubles (5); w is (N, p), `natural` (p,).

    Columns of the other groups that do not depend on the first are kept as they are, and returned with the basis.
    """
    first = list(groups[0])
    unit, sizes = _scaled(w[:, first], natural[first])
    values, rows = (
        np.linalg.svd(unit, full_matrices=False)[1:] if unit.size else (np.zeros(0), np.zeros((0, len(first))))
    )
    rank = int(np.sum(values > threshold * max(values.max(initial=0.0), 1.0)))
    # Back from unit columns, and orthonormal again.
    q, _ = np.linalg.qr((rows[:rank] * sizes).T)
    q[np.abs(q) <= _ZERO_ENTRY] = 0.0
    others = [k for group in groups[1:] for k in group]
    mixed = np.hstack([w[:, first] @ q, w[:, others]])
    sizes = np.concatenate([np.linalg.norm(mixed[:, :rank], axis=0), natural[others]])
    basis = pivoted_qr(mixed, sizes, [range(rank), range(rank, mixed.shape[1])], threshold=threshold)
    onto = np.zeros((mixed.shape[1], w.shape[1]))
    onto[:rank, first] = q.T
    onto[range(rank, len(onto)), others] = 1.0
    assert basis.kept is not None
    added = tuple(others[k - rank] for k in basis.kept[rank:])
    return Basis(basis.projection @ onto, onto.T @ basis.expansion, None), added


def singular_values(w: Array, natural: Array) -> Array:
    """Singular values of W with scaled columns, largest first, relative to the largest."""
    if not w.size:
        return np.zeros(0)
    values = np.linalg.svd(_scaled(w, natural)[0], compute_uv=False)
    return np.asarray(values / max(values[0], 1e-300), dtype=np.float64)


def selection(p: int, kept: Sequence[int]) -> Array:
    """Expansion E (p, b) that picks the kept columns."""
    expansion = np.zeros((p, len(kept)))
    expansion[list(kept), range(len(kept))] = 1.0
    return expansion


def to_float(value: flint.fmpq) -> float:
    """The double nearest to a fraction."""
    return int(value.p) / int(value.q)


def _scaled(w: Array, natural: Array) -> tuple[Array, Array]:
    """Columns of length one, and the lengths.

    A column much smaller than others of its kind (`natural`) is small by cancellation, and its relative rounding error
    is large: such columns are scaled up only in part.
    """
    sizes = np.maximum(np.linalg.norm(w, axis=0), np.maximum(_UNSCALED_NORM * natural, 1e-300))
    return w / sizes, sizes


def _right_inverse(k: flint.fmpq_mat) -> flint.fmpq_mat:
    """E with K E = 1 that uses as few columns as there are rows."""
    reduced, rank = k.rref()
    pivots = [next(j for j, entry in enumerate(row) if entry != 0) for row in reduced.tolist()[:rank]]
    inverse = flint.fmpq_mat([[row[j] for j in pivots] for row in k.tolist()]).inv().tolist()
    rows = [[flint.fmpq(0)] * rank for _ in range(k.ncols())]
    for j, row in zip(pivots, inverse, strict=True):
        rows[j] = row
    return flint.fmpq_mat(rows)


def _floats(matrix: flint.fmpq_mat) -> Array:
    rows = [[to_float(entry) for entry in row] for row in matrix.tolist()]
    return np.array(rows, dtype=float).reshape(matrix.nrows(), matrix.ncols())
