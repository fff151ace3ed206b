"""Stepwise elimination of insignificant parameters (Izaguirre et al., section 7).

One fit per trajectory shows how much parameters scatter from run to run:

(1)  x_r = argmin sum_j w_j^2 |A_rj x - tau_rj|^2 of trajectory r alone, w_j = 1/(largest |tau_j| of all trajectories)
(2)  average, standard deviation (divisor m - 1), maximum and minimum of x_r over the m trajectories
(3)  condition number: largest over smallest singular value of the weighted rows of one trajectory, columns unscaled

A trajectory that does not excite a parameter is left out of that parameter's statistics. Elimination:

(4)  share of parameter k: the largest |A_jk x_k| of all trajectories over the largest measured |tau_j|, for the joint j
     where that is largest; significant from 1 % (52 -> 23 on the PUMA 260)
(5)  identify from all trajectories together, rows of joint j times w_j = 1/(largest |tau_j|); drop the parameter of the
     smallest share, if below 1 %; repeat until all remaining parameters are significant
(6)  before and after, one fit per trajectory: statistics and condition numbers
(7)  for an estimate, every log is a trajectory; a single one is cut into five parts of equal duration

Parameters are dropped one at a time, because nearly collinear columns have large contributions that cancel: once some
are dropped, the small net contribution of the others shows. Contributions are those of the common fit, the average of
the trajectories' own fits weighted by information; in a plain average the least exciting trajectory would dominate.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.identification.estimators.estimator import least_squares_solution
from torquec.identification.estimators.joint_factors import JointFactors, joint_factors
from torquec.identification.estimators.statistics import not_excited
from torquec.identification.logs.prepare import prepare
from torquec.identification.result.estimate import Estimate
from torquec.papers.inward_basis import InwardBasis, inward_basis
from torquec.trajectory.log import Log


@dataclass(frozen=True, eq=False)
class TrajectoryFits:
    """`values` (m, k) of m trajectories, NaN where not excited; `singular_values` (m, 2), largest and smallest."""

    names: tuple[str, ...]
    values: Array
    singular_values: Array

    @property
    def average(self) -> Array:
        """(2), (k,)."""
        return self._over_trajectories(np.nanmean)

    @property
    def std(self) -> Array:
        """(2), (k,); NaN for a parameter that fewer than two trajectories excite."""
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
        """(3), (m,); infinite for a trajectory that does not excite all parameters."""
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
            warnings.simplefilter("ignore", RuntimeWarning)  # a parameter that no trajectory excites stays NaN
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


SIGNIFICANT = 0.01


@dataclass(frozen=True, eq=False)
class Elimination:
    """Result of an elimination among k parameters: indices `kept`, and `x` (k,) with zeros for dropped parameters.

    `shares` (k,) are those of (4) before elimination. `before` and `after` are fits of every trajectory alone,
    `error_before` and `error_after` |tau - predicted|/|tau| of the common fit; `dropped` are names in the order of
    elimination.
    """

    names: tuple[str, ...]
    kept: tuple[int, ...]
    dropped: tuple[str, ...]
    x: Array
    shares: Array
    before: TrajectoryFits
    after: TrajectoryFits
    error_before: float
    error_after: float

    @property
    def improvement(self) -> float:
        """Factor by which elimination reduces the condition number of a trajectory's rows (median over trajectories).

        NaN if no trajectory has a condition number before and after.
        """
        before, after = self.before.conditions, self.after.conditions
        finite = np.isfinite(before) & np.isfinite(after)
        return float(np.median(before[finite] / after[finite])) if finite.any() else float("nan")


def eliminate(
    names: Sequence[str], trajectories: Sequence[tuple[Array, Array]], *, share: float = SIGNIFICANT
) -> Elimination:
    """Eliminate stepwise (4)-(6); every trajectory is (A (N, n, k), tau (N, n)).

    Raises `ArgumentError` without trajectories and for a share outside of 0 to 1.
    """
    if not trajectories:
        raise ArgumentError("there is no trajectory to fit", remedy="give at least one")
    if not 0.0 <= share < 1.0:
        raise ArgumentError(f"a share of {share:g}", remedy="give one from 0 to 1, such as 0.01")
    peaks = np.max([np.abs(a).max(axis=0) for a, _ in trajectories], axis=0)
    torque_peaks = np.max([np.abs(tau).max(axis=0) for _, tau in trajectories], axis=0)
    torque_peaks = np.maximum(torque_peaks, np.finfo(float).tiny)
    weights = 1.0 / torque_peaks
    separate = [joint_factors(a, tau) for a, tau in trajectories]
    common = separate[0].merged(*separate[1:])
    reach = (peaks / torque_peaks[:, None]).max(axis=0)

    # (5): triangles keep the norms of every combination of columns, so that no row is needed again
    kept = list(range(len(names)))
    dropped: list[str] = []
    shares: Array | None = None
    while True:
        x = _fitted(common, weights, kept)
        found = (reach * np.abs(x))[kept]
        shares = reach * np.abs(x) if shares is None else shares
        least = int(np.argmin(found))
        if found[least] >= share or len(kept) == 1:
            break
        dropped.append(names[kept.pop(least)])
    first = _fitted(common, weights, list(range(len(names))))
    return Elimination(
        names=tuple(names),
        kept=tuple(kept),
        dropped=tuple(dropped),
        x=x,
        shares=shares,
        before=fit_trajectories(names, separate, weights),
        after=fit_trajectories([names[k] for k in kept], [chosen_columns(f, kept) for f in separate], weights),
        error_before=common.relative_error(first),
        error_after=common.relative_error(x),
    )


def chosen_columns(factors: JointFactors, kept: Sequence[int]) -> JointFactors:
    """The triangles of some of the columns.

    >>> f = joint_factors(np.array([[[3.0, 1.0]], [[4.0, 2.0]]]), np.array([[6.0], [8.0]]))
    >>> chosen_columns(f, [0]).relative_error(np.array([2.0])) < 1e-12
    True
    """
    width = len(kept) + 1
    triangles = np.zeros((factors.n, width, width))
    for j, rows in enumerate(factors.triangles[:, :, [*kept, factors.size]]):
        small = np.linalg.qr(rows, mode="r")
        triangles[j, : len(small)] = small
    return JointFactors(triangles, factors.count)


def _fitted(factors: JointFactors, weights: Array, kept: Sequence[int]) -> Array:
    """(5), (k,) with zeros for dropped parameters."""
    part, _ = least_squares_solution(chosen_columns(factors, kept).weighted(weights))
    x = np.zeros(factors.size)
    x[list(kept)] = part
    return x


_PARTS = 5  # trajectories that a single log is cut into: the method compares fits between trajectories


def log_elimination(estimate: Estimate, logs: Sequence[Log]) -> tuple[Elimination, InwardBasis]:
    """Elimination of the parameters that an estimate's logs do not need, in the base `inward_basis`, and that base."""
    basis = inward_basis(estimate.model)
    rows: list[tuple[Array, Array]] = []
    for log in logs:
        samples = prepare(log, cutoff=estimate.cutoff)
        a = estimate.model.regressor(samples)[samples.used] @ basis.matrix
        tau = samples.tau[samples.used]
        chunks = np.array_split(np.arange(len(a)), 1 if len(logs) > 1 else _PARTS)
        rows += [(a[chunk], tau[chunk]) for chunk in chunks]
    return eliminate(basis.names, rows), basis
