"""Root loci: the eigenvalues of a closed loop while a factor of the model's error changes.

(1)  Branches are followed from value to value: each eigenvalue goes on to the nearest one that is left, where its own
     motion so far is taken into account.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torquec.control.poles import JointPoles
from torquec.control.robustness import EXACT_MODEL, ErrorFactor, Hold, ModelErrors, growth_rates, make_loop
from torquec.control.stability_interval import with_factor
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, ComplexArray
from torquec.foundation.choice import chosen
from torquec.linearization.linearize import LinearModel


@dataclass(frozen=True, eq=False)
class RootLocus:
    """Eigenvalues (m, 2n) [1/s] at the values (m,) of a factor; a column is a branch."""

    factor: ErrorFactor
    values: Array
    eigenvalues: ComplexArray


def root_locus(
    model: LinearModel,
    poles: JointPoles,
    factor: ErrorFactor | str,
    values: npt.ArrayLike,
    *,
    errors: ModelErrors = EXACT_MODEL,
    period: float | None = None,
    hold: Hold | str = Hold.EXACT,
    sampled: bool = True,
) -> RootLocus:
    """The eigenvalues for each of the values (m,) of a factor, followed as branches (1).

    Sampled ones are given as log(z)/h. Raises `ArgumentError` for values that are not finite.
    """
    factor = chosen(ErrorFactor, factor, "factor")
    given = np.asarray(values, dtype=np.float64)
    if given.ndim != 1 or len(given) == 0 or not np.isfinite(given).all():
        raise ArgumentError("the values of a root locus are not finite numbers", remedy="give them as (m,)")
    loop = make_loop(model, poles, period=period, hold=hold, sampled=sampled)
    rows: list[ComplexArray] = []
    for value in given:
        found = growth_rates(loop.matrix(with_factor(errors, factor, float(value))), period)
        rows.append(found if not rows else _followed(rows, found))
    return RootLocus(factor, given, np.array(rows))


def _followed(rows: list[ComplexArray], found: ComplexArray) -> ComplexArray:
    """The eigenvalues in the order of the branches so far (1)."""
    expected = rows[-1] if len(rows) < 2 else 2.0 * rows[-1] - rows[-2]
    expected = np.where(np.isfinite(expected), expected, rows[-1])
    distances = np.abs(expected[:, None] - found[None, :])
    distances[~np.isfinite(distances)] = np.finfo(float).max
    ordered = np.empty_like(found)
    for _ in range(len(found)):
        branch, k = np.unravel_index(np.argmin(distances), distances.shape)
        ordered[branch] = found[k]
        distances[branch, :] = distances[:, k] = np.inf
    return ordered
