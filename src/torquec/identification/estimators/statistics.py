"""What an estimate is worth: deviations, significance, condition, excitation.

(1)  standard deviation and 95 % interval from the covariance of the estimator
(2)  significant: its contribution |A_jk x_k| reaches 1 % of the largest |tau_j|, for some joint j (Izaguirre et al.)
(3)  condition: of the regressor's triangle, columns as they are, and with columns of unit norm
(4)  identifiable: a column that no combination of the others reaches, measured by singular values of unit columns; what
     no motion tells apart (`dependences`) is taken off first, because no log can be blamed for it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Mask
from torquec.identification.estimators.joint_factors import JointFactors

CONFIDENCE = 1.959964
"""Deviations to each side that hold 95 %."""
_SIGNIFICANT = 0.01  # of the torque: less than what models err
_NOT_EXCITED = 1e-7  # of the largest singular value: half of the digits


@dataclass(frozen=True)
class Conditions:
    """(3)."""

    plain: float
    unit_columns: float


def conditions(triangle: Array) -> Conditions:
    """The condition numbers of a triangle of [A tau]."""
    a = triangle[:, :-1]
    norms = np.linalg.norm(a, axis=0)
    present = norms > 1e-12 * norms.max(initial=0.0)  # a column of zeros belongs to nothing that moves
    a, norms = a[:, present], norms[present]
    return Conditions(float(np.linalg.cond(a)), float(np.linalg.cond(a / norms)))


def not_excited(triangle: Array, names: Sequence[str], structural: Array | None = None) -> tuple[str, ...]:
    """The parameters that these rows say nothing about, alone or mixed with others (4).

    `structural` (d, k) are null vectors that every motion has.
    """
    a = triangle[:, :-1]
    norms = np.linalg.norm(a, axis=0)
    norms = np.where(norms > 0.0, norms, 1.0)
    _, s, vt = np.linalg.svd(a / norms)
    free = vt[s <= _NOT_EXCITED * s.max(initial=0.0)]
    if structural is not None and len(structural):
        known = np.linalg.qr((structural * norms).T)[0]
        free = free - free @ known @ known.T
    mixed = np.abs(free).max(axis=0, initial=0.0) > 1e-3
    return tuple(name for name, lost in zip(names, mixed, strict=True) if lost)


def check_excitation(
    factors: JointFactors, names: Sequence[str], where: str = "", *, structural: Array | None = None
) -> None:
    """Raise `ArgumentError`, with what can be identified, unless all that a motion can excite is excited."""
    lost = not_excited(factors.weighted(1.0 / np.sqrt(factors.torque_squares + 1e-300)), names, structural)
    if lost:
        found = [name for name in names if name not in lost]
        raise ArgumentError(
            f"the log excites too little: {len(lost)} of {len(names)} parameters stay open ({', '.join(lost)})",
            where=where,
            remedy=f"record a motion of torquec excite; this log identifies {', '.join(found) or 'nothing'}",
        )


def significant(peaks: Array, torque_peaks: Array, x: Array) -> Mask:
    """(2), (k,): `peaks` (n, k) are the largest |A_jk|, `torque_peaks` (n,) the largest |tau_j|."""
    share = peaks * np.abs(x) / np.maximum(torque_peaks, np.finfo(float).tiny)[:, None]
    chosen: Mask = share.max(axis=0) >= _SIGNIFICANT
    return chosen


def correlations(covariance: Array) -> Array:
    """Correlation matrix (k, k) of a covariance."""
    deviations = np.sqrt(np.maximum(np.diag(covariance), np.finfo(float).tiny))
    matrix: Array = covariance / np.outer(deviations, deviations)
    return matrix
