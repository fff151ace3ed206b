"""One fit per trajectory: how much parameters scatter from run to run (Izaguirre et al., section 7).

(1)  x_r = argmin sum_j w_j^2 |A_rj x - tau_rj|^2 of trajectory r alone, w_j = 1/(largest |tau_j| of all trajectories)
(2)  average, standard deviation (divisor m - 1), maximum and minimum of x_r over the m trajectories
(3)  condition number: largest by smallest singular value of the weighted rows of one trajectory, columns as they are

A trajectory that says nothing about a parameter is left out of that parameter's statistics.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.identification.estimators.estimator import least_squares_solution
from torquec.identification.estimators.joint_factors import JointFactors
from torquec.identification.estimators.statistics import not_excited


@dataclass(frozen=True, eq=False)
class TrajectoryFits:
    """`values` (m, k) of m trajectories, NaN where one says nothing; `singular_values` (m, 2), largest and smallest."""

    names: tuple[str, ...]
    values: Array
    singular_values: Array

    @property
    def average(self) -> Array:
        """(2), (k,)."""
        return self._over_trajectories(np.nanmean)

    @property
    def std(self) -> Array:
        """(2), (k,); NaN for a parameter that fewer than two trajectories tell."""
        return self._over_trajectories(lambda values, axis: np.nanstd(values, axis=axis, ddof=1))

    @property
    def maximum(self) -> Array:
        """(2), (k,)."""
        return self._over_trajectories(np.nanmax)

    @property
    def minimum(self) -> Array:
        """(2), (k,)."""
        return self._over_trajectories(np.nanmin)

    @property
    def conditions(self) -> Array:
        """(3), (m,); infinite for a trajectory that leaves parameters open."""
        with np.errstate(divide="ignore"):
            ratio: Array = self.singular_values[:, 0] / self.singular_values[:, 1]
        return ratio

    @property
    def condition(self) -> float:
        """The median of (3)."""
        return float(np.median(self.conditions))

    def _over_trajectories(self, statistic: object) -> Array:
        assert callable(statistic)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a row that no trajectory tells stays NaN
            found: Array = statistic(self.values, axis=0)
        return found


def fit_trajectories(
    names: Sequence[str], trajectories: Sequence[JointFactors], weights: Array | None = None
) -> TrajectoryFits:
    """Fit every trajectory alone (1), each given as triangles of its rows; `weights` (n,) replace those of (1).

    Raises `ArgumentError` without trajectories.

    >>> from torquec.identification.estimators.joint_factors import joint_factors
    >>> a = np.array([[[1.0]], [[2.0]]])
    >>> fits = fit_trajectories(["x"], [joint_factors(a, 3.0 * a[:, :, 0]), joint_factors(a, 5.0 * a[:, :, 0])])
    >>> fits.average.round(12).tolist(), fits.maximum.round(12).tolist()
    ([4.0], [5.0])
    """
    if not trajectories:
        raise ArgumentError("there is no trajectory to fit", remedy="give at least one")
    w = np.ones(trajectories[0].n) if weights is None else np.asarray(weights)
    values, extremes = [], []
    for factors in trajectories:
        triangle = factors.weighted(w)
        x, _ = least_squares_solution(triangle)
        open_names = set(not_excited(triangle, names))
        values.append([np.nan if name in open_names else value for name, value in zip(names, x, strict=True)])
        singular = np.linalg.svd(triangle[:, :-1], compute_uv=False)
        extremes.append([singular[0], 0.0 if open_names else singular[-1]])
    return TrajectoryFits(tuple(names), np.array(values), np.array(extremes))
