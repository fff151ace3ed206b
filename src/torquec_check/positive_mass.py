"""The claim: the mass matrix of the program is at least a diagonal one, M(q) - diag(m) is positive definite in the box.

M is that of the torques, M_ij the coefficient of qdd_j in tau_i; only its symmetric part S counts. With m_i > 0 it says
that M has an inverse everywhere, and that x'M x >= sum m_i x_i^2.

(1)  h(S) = -(smallest eigenvalue of S) is convex, h(c S) = c h(S) for c > 0, and |h(S + E) - h(S)| <= |E| <= sum of the
     magnitudes of all entries of E (Weyl). So h <= 0 is proven over boxes of positions (`boxes`)
(2)  Units differ, and so do sizes: S_ij is multiplied by d_i d_j, d_i a power of two near 1/sqrt(largest S_ii), without
     rounding. This changes no sign. Entries beside the diagonal are two of E: their rows are 2 S_ij
(3)  h <= l where S + l 1 is positive semidefinite. Cholesky's algorithm, where it ends, is exact for a matrix that is
     at most 1.1 n (n + 1) u tr(S) away (Higham 2002, theorem 10.3); 4 (n + 2)^2 u of the trace is taken off beforehand
(4)  Rounding of the program at unit accelerations counts in every entry
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from torquec_check.boxes import check_below
from torquec_check.document import RefusedError
from torquec_check.program import Program
from torquec_check.robot import Box
from torquec_check.rounding import Precision, unit_errors
from torquec_check.rows import UNIT, UP, Array, Ball, as_ball, grid_of, program_degrees, program_torques


def eigenvalue_exceeds(n: int, entries: Sequence[tuple[int, int]], rows: Array, limits: Array) -> bool:
    """Whether h (1) exceeds a limit (points,), or is not known to stay below it (3).

    The rows are entries i <= j of symmetric matrices (n, n); those that are left out are zero.
    """
    matrices = np.zeros((rows.shape[1], n, n))
    for (i, j), row in zip(entries, rows, strict=True):
        matrices[:, i, j] = matrices[:, j, i] = row if i == j else 0.5 * row
    with np.errstate(invalid="ignore"):
        taken = 4.0 * (n + 2) ** 2 * UNIT
        moved = limits - taken * (np.trace(np.abs(matrices), axis1=1, axis2=2) + n * np.abs(limits))
    try:
        factors = np.linalg.cholesky(matrices + moved[:, None, None] * np.eye(n))
    except np.linalg.LinAlgError:
        return True
    return not np.all(np.isfinite(factors))


def check_positive_mass(
    program: Program,
    turns: tuple[bool, ...],
    box: Box,
    least: Sequence[float],
    precision: Precision,
    progress: Callable[[float], None],
    most_values: float = math.inf,
) -> None:
    """Raise `RefusedError` unless M(q) - diag(least) is positive definite at all positions of the box."""
    grid = grid_of(turns, program_degrees(program, turns), box.lower, box.upper)
    torques, rounded, zero = program_torques(program, grid), unit_errors(program, box, precision), as_ball(0.0)
    sizes = [float(np.abs(tau.get((~i,), zero).mid).max()) for i, tau in enumerate(torques)]
    if not all(m > 0.0 for m in least) or not all(1e-300 < size < 1e300 for size in sizes):
        raise RefusedError("a least inertia, or an inertia of the program, is not positive")
    powers = [2.0 ** -round(0.5 * math.log2(size)) for size in sizes]
    rows = {}
    for i, j in itertools.combinations_with_replacement(range(len(turns)), 2):
        both = torques[i].get((~j,), zero) + torques[j].get((~i,), zero)
        both = Ball(both.mid, both.rad + (rounded[i] + rounded[j]) * UP)
        rows[i, j] = (both * 0.5 - least[i] if i == j else both) * powers[i] * powers[j]
    try:
        check_below(rows, grid, functools.partial(eigenvalue_exceeds, len(turns)), 0.0, progress, most_values)
    except RefusedError as error:
        raise RefusedError(f"M is not proven to be at least {[*least]} at all positions: {error.found}") from None
