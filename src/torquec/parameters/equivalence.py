"""The map between two bases of one robot (Lin 1994, Corollary 6).

Two sets of combinations are both minimal exactly when a constant nonsingular matrix leads from one to the other:

(1)  beta_b = M beta_a,   M = K_b E_a,   for K_b = M K_a
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError, CheckError
from torquec.foundation.arrays import Array
from torquec.parameters.base_parameters import BaseParameters

_TOLERANCE = 1e-9  # between rounding, 1e-13 or so, and any parameter that matters


@dataclass(frozen=True, eq=False)
class BaseMap:
    """M (b, b) of (1), its condition number, and the relative error of K_b = M K_a."""

    matrix: Array
    condition: float
    error: float


def map_between(source: BaseParameters, target: BaseParameters) -> BaseMap:
    """The matrix that turns values of `source` into values of `target`.

    Raises `ArgumentError` when the two are about different parameters and `CheckError` when no such matrix exists.

    >>> from torquec.parameters.base_parameters import BasisMethod, base_parameters
    >>> from torquec.robot import classics
    >>> arm = classics.planar2r()
    >>> theorem, order = base_parameters(arm, method=BasisMethod.THEOREM), base_parameters(arm)
    >>> bool(np.allclose(map_between(theorem, order).matrix @ theorem.values, order.values))
    True
    """
    if source.parameters != target.parameters:
        raise ArgumentError(
            "the two bases are made of different standard parameters",
            remedy="take both from one robot with the same friction, motors and frames",
        )
    matrix = target.projection @ source.expansion
    rebuilt = matrix @ source.projection
    size = np.abs(target.projection).max(axis=1, initial=0.0)
    error = float((np.abs(rebuilt - target.projection).max(axis=1, initial=0.0) / size).max(initial=0.0))
    if len(source) != len(target) or not error <= _TOLERANCE:
        raise CheckError(
            f"no matrix leads from {len(source)} base parameters to {len(target)}: their spans differ",
            remedy="check both with check_base_parameters",
        )
    return BaseMap(matrix, float(np.linalg.cond(matrix)) if len(source) else 1.0, error)
