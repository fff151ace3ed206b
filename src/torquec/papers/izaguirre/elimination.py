"""Stepwise elimination: parameters that contribute too little go, the others are identified again.

(1)  share of parameter k: the largest |A_jk x_k| of all trajectories, by the largest measured |tau_j|, for the joint j
     where that is most; significant from 1 % (Izaguirre et al., section 7: 52 -> 23 on the PUMA 260)
(2)  identify from all trajectories together, rows of joint j times w_j = 1/(largest |tau_j|); drop the parameter of the
     least share below 1 %; repeat until all that are left are significant
(3)  before and after, one fit per trajectory (`trajectory_fits`): statistics and condition numbers

One at a time, because almost parallel columns contribute much and cancel: as some of them go, it shows how little the
others do. Contributions are those of the common fit, which is the average of the trajectories' own fits,
each weighed by what it knows; a plain average would let the trajectory that excites least decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.identification.estimators.estimator import least_squares_solution
from torquec.identification.estimators.joint_factors import JointFactors, joint_factors
from torquec.papers.izaguirre.trajectory_fits import TrajectoryFits, fit_trajectories

SIGNIFICANT = 0.01


@dataclass(frozen=True, eq=False)
class Elimination:
    """What was kept of k parameters: `kept` (indices), `x` (k,) with zeros for the others, `shares` (k,) before (1).

    `before` and `after` are fits of every trajectory alone, `error_before` and `error_after` |tau - predicted|/|tau| of
    the common fit; `dropped` are names in the order in which they went.
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
        """How many times smaller the condition number of a trajectory's rows is (median over trajectories).

        NaN where no trajectory has one before and after.
        """
        before, after = self.before.conditions, self.after.conditions
        finite = np.isfinite(before) & np.isfinite(after)
        return float(np.median(before[finite] / after[finite])) if finite.any() else float("nan")


def eliminate(
    names: Sequence[str], trajectories: Sequence[tuple[Array, Array]], *, share: float = SIGNIFICANT
) -> Elimination:
    """Eliminate stepwise (1)-(3); every trajectory is (A (N, n, k), tau (N, n)).

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

    # (2): triangles keep the norms of every combination of columns, so that no row is needed again
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
    """(2), (k,) with zeros for what is not kept."""
    part, _ = least_squares_solution(chosen_columns(factors, kept).weighted(weights))
    x = np.zeros(factors.size)
    x[list(kept)] = part
    return x
