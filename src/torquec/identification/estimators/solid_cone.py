"""Solid bodies as a cone: what a conic solver (clarabel) is given so that ten parameters stay those of something solid.

(1)  P(phi) - floor >= 0 (4, 4), P scaled on both sides by 1/sqrt of the diagonal of a body of about the same size, so
     that all numbers are about one
(2)  the solver's order: upper triangle, column by column, entries off the diagonal times sqrt(2)
(3)  min |R v - z| subject to cones is given as  min t, (t, R v - z) in a second-order cone
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from torquec.foundation.arrays import Array
from torquec.identification.estimators.pseudo_inertia import BASIS, pseudo_inertia
from torquec.identification.extras import need

AffineRows: TypeAlias = tuple[Array, Array]

_ORDER = [(i, j) for j in range(4) for i in range(j + 1)]
_FACTOR = np.array([1.0 if i == j else np.sqrt(2.0) for i, j in _ORDER])


def solid_rows(size: Array, margin: float) -> tuple[Array, Array]:
    """Rows (10, 10) and floor (10,) of (1), (2): rows @ phi - floor lies in the cone; `size` (10,) is a solid body."""
    root = np.diag(1.0 / np.sqrt(np.diag(pseudo_inertia(size))))
    scaled = np.einsum("ij,ajk,kl->ail", root, BASIS, root)
    rows = np.array([[matrix[i, j] for matrix in scaled] for i, j in _ORDER]) * _FACTOR[:, None]
    return rows, np.array([margin if i == j else 0.0 for i, j in _ORDER])


def nearest_solution(
    rows: Array, right: Array, solids: Sequence[AffineRows], positive: AffineRows | None = None
) -> Array | None:
    """v (m,) with the least |rows v - right| (3), or None where the cones have nothing in common.

    Each of `solids` is (left (10, m), offset (10,)): left v + offset, in the order (2), is positive semidefinite;
    `positive` likewise is not negative. Raises `MissingExtraError` without clarabel or scipy.
    """
    clarabel = need("clarabel", "solid bodies")
    sparse = need("scipy.sparse", "solid bodies")
    m = rows.shape[1]
    first = np.zeros((len(rows) + 1, m + 1))
    first[0, -1] = -1.0
    first[1:, :-1] = -rows
    cones: list[Any] = [clarabel.SecondOrderConeT(len(rows) + 1)]
    cones += [clarabel.PSDTriangleConeT(4) for _ in solids]
    parts = list(solids)
    if positive is not None and len(positive[1]):
        cones.append(clarabel.NonnegativeConeT(len(positive[1])))
        parts.append(positive)
    left = np.vstack([first, *(np.column_stack([-part, np.zeros(len(part))]) for part, _ in parts)])
    offsets = np.concatenate([[0.0], -right, *(offset for _, offset in parts)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cost = np.zeros(m + 1)
    cost[-1] = 1.0
    nothing = sparse.csc_matrix((m + 1, m + 1))
    solution = clarabel.DefaultSolver(nothing, cost, sparse.csc_matrix(left), offsets, cones, settings).solve()
    return np.array(solution.x[:-1]) if str(solution.status) in ("Solved", "AlmostSolved") else None
