"""One cell of a payload's set: inertia of its centre, and the effect of parameters within its half widths.

Equation numbers are those of :mod:`torquec.proof.tracking.plant_uncertainty`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from torquec.foundation.arrays import Array
from torquec.proof.enclosure.enclose import approximate_inverses, defect, rounding, verified_bound
from torquec.proof.tracking.error_inputs import ConstantErrors, ErrorInputs, SignedErrors

_UP = 1.0 + 1e-12  # covers the rounding of sums of some hundred products that are not negative
_ROUNDS = 40
"""Iterations of `verified_bound`, which converges slowly for the inertias of light wrists."""


@dataclass(frozen=True, eq=False)
class PayloadCell:
    """Matrices of one cell: Q and P of (6); `wrong`, |1 - Q R M_t| of (8), and `centre_wrong`, the same with M_c (10).

    Of (7): `known` (N, n), the part sum c_k Q R Y_k at the reference's acceleration; `loose` (N, n, 1 + n), bounds of
    the deviations from it and from sum c_k Q R N_k; `wide`, the same for columns whose half widths count only in the
    spread of Y and N; `whole` (N, n, n), bounds of |sum Q R N_k|. `columns` (N, n, k, 1 + n) are Q R Y_k and Q R N_k,
    and `column_spread` (N, n, k, n) is the spread of the latter.
    """

    Q: Array
    P: Array
    wrong: Array
    centre_wrong: Array
    known: Array
    loose: Array
    wide: Array
    whole: Array
    columns: Array
    column_spread: Array


def in_cell(load: Array, spread: Array, centre: Array, half: Array, D: Array, bodies: Array) -> PayloadCell:
    """The matrices of a cell, from middles and radii of the payload's columns (N, n, k, 1 + n); `bodies` (N, n, n)
    bounds the change of R M_t due to bodies.
    """
    count, n, k, _ = load.shape
    identity = np.broadcast_to(np.eye(n), (count, n, n))
    if not k:
        zero = np.zeros((count, n, 1 + n))
        none = np.zeros((count, n, 0, 1 + n))
        square = zero[..., 1:]
        return PayloadCell(identity, identity, D + bodies, D, zero[..., 0], zero, zero, square, none, none[..., 1:])
    P = identity + np.einsum("nikj,k->nij", load[..., 1:], centre)
    Q, regular = approximate_inverses(np.where(np.isfinite(P), P, identity))
    size = np.abs(Q)
    moved = (Q @ load.reshape(count, n, -1)).reshape(load.shape)
    # Rounding of P, of Q times the columns, and of their sums, relative to the magnitudes of the summands.
    step = 4.0 * rounding(max(n, k))
    each = (size @ (spread + step * np.abs(load)).reshape(count, n, -1)).reshape(load.shape)
    both = np.abs(centre) + half
    reach = np.concatenate([both[:, None], np.repeat(np.abs(centre)[:, None], n, axis=1)], axis=1)
    wide = np.einsum("nikj,kj->nij", each, reach)
    wide[..., 1:] += step * size
    wide = wide * _UP
    loose = (np.einsum("nikj,k->nij", np.abs(moved), half) + np.einsum("nikj,k->nij", each, both)) * _UP
    loose[..., 1:] += step * size
    middle = np.einsum("nikj,k->nij", moved, centre)
    own = defect(Q, P) + size @ D
    around = (own + size @ bodies + loose[..., 1:]) * _UP
    wrong, centre_wrong = (np.where(regular[:, None, None], x, np.inf) for x in (around, (own + wide[..., 1:]) * _UP))
    whole = (np.abs(middle) + loose)[..., 1:] * _UP
    return PayloadCell(Q, P, wrong, centre_wrong, middle[..., 0], loose, wide, whole, moved, each[..., 1:])


def constant_inputs(
    cell: PayloadCell,
    index: int,
    *,
    known: tuple[Array, Array],
    signed: SignedErrors,
    rest: Array,
    level: Array,
    inertial: ConstantErrors,
) -> ErrorInputs:
    """Inputs of constant parameters in the cell with this index.

    All outputs have the `known` acceleration and |u|. The position also has the `signed` acceleration of every
    parameter and the `rest`; other outputs have a `level`.
    """
    size = np.einsum("p,pxn->xn", signed.parameters.largest[index], np.abs(signed.low))
    own = (solved(cell.centre_wrong, size + rest) - size) * _UP
    held = replace(inertial, level=np.maximum(level - own, 0.0), signed=(signed,))
    return ErrorInputs(own, np.zeros_like(own), known[0], known[0], known[1], held)


def solved(D: Array, c: Array) -> Array:
    """Bounds (N, n) of |x| with |x| <= c + D |x|; infinite where none is found."""
    return verified_bound(D, c * _UP, rounds=_ROUNDS)
