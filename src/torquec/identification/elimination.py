"""Stepwise elimination: parameters that contribute too little go, the others are identified again.

(1)  identify; of the parameters below 1 % of the largest torque, drop the one that contributes least; repeat until
     every parameter that is left is significant (Izaguirre et al., section 6: 52 -> 23 on the PUMA 260)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.identification.estimator import joint_weights, solve
from torquec.identification.joint_factors import JointFactors
from torquec.trajectory.trajectory import Array

_SIGNIFICANT = 0.01
_ROUNDS = 3


@dataclass(frozen=True, eq=False)
class Elimination:
    """Which columns are `kept` (indices), x (k,) with zeros for the others, condition numbers before and after."""

    kept: tuple[int, ...]
    x: Array
    condition_before: float
    condition_after: float


def eliminate(factors: JointFactors, peaks: Array, torque_peaks: Array, *, share: float = _SIGNIFICANT) -> Elimination:
    """(1) by weighted least squares; `peaks` (n, k) are the largest |A_jk|, `torque_peaks` (n,) the largest |tau_j|."""
    kept = list(range(factors.size))
    limits = np.maximum(torque_peaks, np.finfo(float).tiny)[:, None]
    before = _condition(factors, kept)
    while True:
        x = _fitted(factors, kept)
        contribution = (peaks * np.abs(x) / limits)[:, kept].max(axis=0)
        least = int(np.argmin(contribution))
        if contribution[least] >= share or len(kept) == 1:
            return Elimination(tuple(kept), x, before, _condition(factors, kept))
        kept.pop(least)


def _fitted(factors: JointFactors, kept: list[int]) -> Array:
    small = _chosen(factors, kept)
    part, _ = solve(small.weighted(np.ones(small.n)))
    for _ in range(_ROUNDS):
        part, _ = solve(small.weighted(joint_weights(small, part)))
    x = np.zeros(factors.size)
    x[kept] = part
    return x


def _chosen(factors: JointFactors, kept: list[int]) -> JointFactors:
    """The factors of some columns: rows of a triangle keep the norms of every combination of its columns."""
    columns = factors.triangles[:, :, [*kept, factors.size]]
    triangles = np.stack([np.linalg.qr(rows, mode="r") for rows in columns])
    return JointFactors(triangles, factors.count)


def _condition(factors: JointFactors, kept: list[int]) -> float:
    triangle = _chosen(factors, kept).weighted(np.ones(factors.n))
    return float(np.linalg.cond(triangle[:, :-1]))
