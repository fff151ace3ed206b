"""How well any robot of the same kinematics explains torques: parameters and friction are fitted, none is known.

(1)  columns A (M, n, k) of inertial parameters, rotors and friction (`fit_motion`)
(2)  x = argmin sum_j w_j^2 |tau_j - A_j x|^2,  w_j one over the deviation of joint j's residual, found by repetition
(3)  e_j^2 = |tau_j - A_j x|^2 / |tau_j - mean|^2: what is left of the variation of joint j's torque
(4)  F = sum_j log(e_j^2 + 4e-4): of two readings of a log the one with the smaller F explains it better; a joint of the
     wrist counts as much as one of the shoulder

The products A_j'A_j are added up once; a faint ridge keeps what the motion does not tell where it is. That loses half
of the digits, which a comparison does not need.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array

_ROUNDS = 4  # of weights; they settle in three
_RIDGE = 1e-9  # of a column of unit length
_FLOOR = 4e-4  # of e_j^2: 2 % of the torque is as good as a model gets
_SMALLEST = 1e-12  # of the largest variation: a joint whose torque does not vary
_FINEST = 1e-4  # of the torque's variation: no residual counts as smaller


@dataclass(frozen=True, eq=False)
class FreeFit:
    """`shares` e_j^2 (n,) of (3)."""

    shares: Array

    @property
    def costs(self) -> Array:
        """The summands (n,) of F (4)."""
        logarithms: Array = np.log(self.shares + _FLOOR)
        return logarithms

    @property
    def cost(self) -> float:
        """F of (4)."""
        return float(self.costs.sum())

    @property
    def error(self) -> float:
        """The root of the mean of e_j^2 over the joints."""
        return float(np.sqrt(self.shares.mean()))


def free_fit(columns: Array, tau: Array) -> FreeFit:
    """The fit (2) of columns A (M, n, k) to torques (M, n)."""
    _, n, k = columns.shape
    sizes = np.sqrt(np.einsum("mjk,mjk->k", columns, columns))
    unit = columns / np.where(sizes > 0.0, sizes, 1.0)
    squares = np.zeros((n, k, k))
    for j in range(n):
        present = np.flatnonzero(unit[0, j])  # a wrist knows nothing of the shoulder's inertias
        if not unit[:, j, np.setdiff1d(np.arange(k), present)].any():
            own = np.ascontiguousarray(unit[:, j, present])
            squares[j][np.ix_(present, present)] = own.T @ own
        else:
            squares[j] = unit[:, j].T @ unit[:, j]
    right = np.einsum("mjk,mj->jk", unit, tau)
    variation = ((tau - tau.mean(axis=0)) ** 2).sum(axis=0)
    if not variation.max(initial=0.0) > 0.0:
        return FreeFit(np.zeros(n))  # torques that stay the same need no explanation
    variation = np.maximum(variation, _SMALLEST * variation.max())
    weights = 1.0 / variation
    left = variation
    for _ in range(_ROUNDS):
        whole = np.tensordot(weights, squares, axes=1)
        scale = 1.0 / np.sqrt(np.maximum(np.diag(whole), np.finfo(float).tiny))
        whole = whole * np.outer(scale, scale) + _RIDGE * np.eye(k)
        x = scale * np.linalg.solve(whole, scale * (weights @ right))
        left = ((tau - unit @ x) ** 2).sum(axis=0)
        weights = 1.0 / np.maximum(left, _FINEST**2 * variation)
    return FreeFit(left / variation)
