"""One cell of a payload's set: inertia of its centre, and the effect of parameters within its half widths.

Equation numbers are those of :mod:`torquec.proof.tracking.plant_uncertainty`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from torquec.foundation.arrays import Array
from torquec.proof.enclosure.enclose import approximate_inverses, defect, rounding, verified_bound
from torquec.proof.tracking.error_inputs import (
    ConstantErrors,
    ErrorInputs,
    ErrorMotion,
    ParameterSet,
    SignedErrors,
    reaction,
)
from torquec.proof.tracking.inertial_norm import energy_change, length, spectral_norm
from torquec.proof.tracking.preconditioned import Ends, batched_product

_DIAGONAL, _OTHERS, _FIRST, _MASS = [0, 3, 5], [1, 2, 4], slice(6, 9), 9
"""Places among the ten standard parameters: moments and products of inertia, first moments, the mass."""

_WEIGHTS = np.array([1.0, 0.5, 0.5, 1.0, 0.5, 1.0])
"""Squares of the factors with which the six moments have the Frobenius norm, for columns of unit parameters."""

_UP = 1.0 + 1e-12  # covers the rounding of sums of some hundred products that are not negative
_ROUNDS = 40
"""Iterations of `verified_bound`, which converges slowly for the inertias of light wrists."""


@dataclass(frozen=True, eq=False)
class PayloadChange:
    """What the payloads of a cell differ from its centre: half widths `half` (k,) of ten parameters, none without one.

    `moment`: the largest length of the difference of first moments, `inertia`: the largest spectral norm of that of
    the moments of inertia, (3) of :mod:`torquec.proof.tracking.inertial_norm`.
    """

    half: Array
    moment: float = 0.0
    inertia: float = 0.0

    @classmethod
    def of(cls, cell: Array, nominal: float, reach: float, part: float) -> PayloadChange:
        """That of a cell (2, 10): the centre of gravity is within `reach` [m] of the frame, `nominal` [kg] is in the
        model; central moments are at most `part` of mass times reach squared.
        """
        centre, half = cell
        if not len(half):
            return cls(half)
        moment = float(np.linalg.norm(half[_FIRST]))
        inertia = math.sqrt(float((half[_DIAGONAL] ** 2).sum() + 2.0 * (half[_OTHERS] ** 2).sum()))
        if math.isfinite(reach):
            heaviest = max(float(centre[_MASS] + half[_MASS]) + nominal, 0.0)
            moment = min(moment, heaviest * reach + float(np.linalg.norm(centre[_FIRST])))
            largest = heaviest * reach**2
            own = part * largest
            apart = np.concatenate([centre[_DIAGONAL] - 0.5 * (largest + own), 2.0**0.5 * centre[_OTHERS]])
            inertia = min(inertia, 0.5 * largest + 1.5 * own + float(np.linalg.norm(apart)))
        return cls(half, moment * _UP, inertia * _UP)

    def scaled(self, part: float) -> PayloadChange:
        """That of parameters which are `part` of the cell's."""
        return PayloadChange(part * self.half, part * self.moment, part * self.inertia)

    def size(self, middle: Array, radius: Array) -> Array:
        """The largest |sum of columns times differences| (N, n, m), from their middles and radii (N, n, k, m)."""
        if not len(self.half):
            return np.zeros((*middle.shape[:2], middle.shape[3]))
        each = np.abs(middle) + radius
        first, second = each[:, :, _FIRST], each[:, :, : _FIRST.start]
        moments = np.einsum("nikm,k->nim", first, self.half[_FIRST])
        inertias = np.einsum("nikm,k->nim", second, self.half[: _FIRST.start])
        moments = np.minimum(moments, self.moment * np.sqrt((first**2).sum(axis=2)))
        lengths = np.sqrt(np.einsum("k,nikm->nim", _WEIGHTS, second**2))
        inertias = np.minimum(inertias, 3.0**0.5 * self.inertia * lengths)
        return np.asarray((moments + inertias + self.half[_MASS] * each[:, :, _MASS]) * _UP)


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


def in_cell(load: Array, spread: Array, centre: Array, change: PayloadChange, D: Array, bodies: Array) -> PayloadCell:
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
    wide = np.einsum("nikj,k->nij", each, np.abs(centre))
    around = change.size(0.0 * each, each)
    loose = (change.size(moved, 0.0 * each) + around + wide) * _UP
    wide[..., 0] += around[..., 0]
    wide[..., 1:] += step * size
    wide = wide * _UP
    loose[..., 1:] += step * size
    middle = np.einsum("nikj,k->nij", moved, centre)
    own = defect(Q, P) + size @ D
    whole = (own + size @ bodies + loose[..., 1:]) * _UP
    wrong, centre_wrong = (np.where(regular[:, None, None], x, np.inf) for x in (whole, (own + wide[..., 1:]) * _UP))
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
    beside: Array | None = None,
) -> ErrorInputs:
    """Inputs of constant parameters in the cell with this index.

    All outputs have the `known` acceleration and |u|. The position also has the `signed` acceleration of every
    parameter and the `rest`; other outputs have a `level`, or the same where signed errors differ by `beside`.
    """
    size = np.einsum("p,pxn->xn", signed.parameters.largest[index], np.abs(signed.low))
    own = (solved(cell.centre_wrong, size + rest) - size) * _UP
    level = np.maximum(level - own, 0.0) if beside is None else 0.0 * own
    held = replace(inertial, level=level, beside=0.0 * own if beside is None else beside, signed=(signed,))
    return ErrorInputs(own, np.zeros_like(own), known[0], known[0], known[1], held)


@dataclass(frozen=True, eq=False)
class CellPlant:
    """The payloads of a cell on the robot over N boxes: `inverse` R and D of the inertia, `twists` of the payload's
    frame, None without a payload, and in `frozen` G, M_c^-1, and L and K of the inertial norm (N, n, n).
    """

    inverse: Ends
    cell: PayloadCell
    change: PayloadChange
    twists: tuple[Array, Array, Array] | None
    frozen: tuple[Array, ...]

    def inputs(
        self, index: int, payloads: ParameterSet, acting: tuple[Array, Array, Array], motion: ErrorMotion, size: Array
    ) -> ErrorInputs:
        """Inputs of the cell with this index of all `payloads`: `acting` |u|, |G u| and the other difference of A from
        the reference (N, n), errors of the motion, and their inertial norm `size` (N, 1).
        """
        cell, (u, moved, other) = self.cell, acting
        rest = batched_product(self._away, u) + batched_product(cell.whole, other)
        level = solved(cell.wrong, rest)
        rest = cell.wide[..., 0] + batched_product(cell.wide[..., 1:], moved) + rest
        ends = cell.columns[..., 1:], cell.column_spread
        inertial = reaction(cell.centre_wrong, ends, self.change.size, motion)
        beside = None
        if self.twists is not None:
            part = self.part
            norm, turned = (np.where(part < 1.0, each * size, np.inf) for each in (part, self.by_joint))
            inertial = replace(inertial, norm=norm, turned=turned)
            beside = cell.loose[..., 0]
        columns = np.moveaxis(cell.columns[..., 0], 2, 0)
        signed = SignedErrors(columns, columns, payloads, whole=beside is not None)
        known = cell.known, u
        return constant_inputs(
            cell, index, known=known, signed=signed, rest=rest, level=level, inertial=inertial, beside=beside
        )

    @property
    def _away(self) -> Array:
        """(9): bounds of |M_c^-1 M - G|, but for the half widths of the cell."""
        (_, D), cell, G = self.inverse, self.cell, self.frozen[0]
        identity = np.eye(len(D[0]))
        step = 4.0 * rounding(len(identity)) * (np.abs(cell.Q) @ (identity + np.abs(cell.P) @ np.abs(G)))
        away = np.abs(cell.Q @ (identity - cell.P @ G)) + step
        return np.asarray(away + np.abs(cell.Q) @ (D @ np.abs(identity - G)))

    @property
    def by_joint(self) -> Array:
        """Bounds (N, n) of |S a| where |a|_e = 1, joint by joint: Euclidean norms of the rows of S K."""
        cell, change, K = self.cell, self.change, self.frozen[3]
        columns = np.moveaxis(cell.columns[..., 1:], 2, 1)  # (N, k, n, n)
        spread = np.moveaxis(cell.column_spread, 2, 1) + 4.0 * rounding(len(K[0])) * np.abs(columns)
        rows, loose = (np.swapaxes(each, 1, 2) for each in (columns @ K[:, None], spread @ np.abs(K)[:, None]))
        found = change.half[_MASS] * length(rows[:, :, _MASS]) + change.moment * spectral_norm(rows[:, :, _FIRST])
        second = np.sqrt(_WEIGHTS)[:, None] * rows[:, :, : _FIRST.start]
        found = found + 3.0**0.5 * change.inertia * spectral_norm(second)
        return solved(cell.centre_wrong, found + np.einsum("k,nik->ni", change.half, length(loose)))

    @property
    def part(self) -> Array:
        """sigma (N, 1) of (2) of :mod:`torquec.proof.tracking.inertial_norm`."""
        cell, change, R = self.cell, self.change, self.inverse[0]
        L, K = self.frozen[2:]
        QR, step = cell.Q @ R, 4.0 * rounding(len(R[0]))
        loose = np.abs(L) @ (step * (np.abs(cell.Q) @ np.abs(R))) @ np.abs(L).swapaxes(1, 2)
        inverse = spectral_norm(L @ QR @ L.swapaxes(1, 2)) + spectral_norm(loose)
        wrong = spectral_norm(np.abs(L) @ cell.centre_wrong @ np.abs(K))
        assert self.twists is not None
        inverse = np.where(wrong < 1.0, inverse / np.maximum(1.0 - wrong, 0.0), np.inf)
        changed = energy_change(self.twists, K, float(change.half[_MASS]), change.moment, change.inertia)
        return np.asarray((inverse * changed * _UP)[:, None])


def solved(D: Array, c: Array) -> Array:
    """Bounds (N, n) of |x| with |x| <= c + D |x|; infinite where none is found."""
    return verified_bound(D, c * _UP, rounds=_ROUNDS)
