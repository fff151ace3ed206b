"""Torque error of a joint: residual coefficients, and its maximum over speeds and accelerations.

The difference of two torque programs has the same form as each of them, so its coefficients are the differences of
theirs (:mod:`torquec.proof.torque.torque_tables`).

With dM, dc, dg the residuals of a joint's row of M, of its Christoffel symbols and of its gravity torque; v and a the
largest speeds and accelerations; delta_jk the Kronecker delta:

(1)  |tau error| <= sum_j |dM_j| a_j + max over |x| <= 1 of |sum_{j<=k} Q_jk x_j x_k + dg|,
     Q_jk = (2 - delta_jk) dc_jk v_j v_k
(2)  convex in (dM, Q, dg), so its value at control points bounds it in between
(3)  first bound of the maximum:   sum |Q_jk| + |dg|
(4)  better:  sum_j max(0, +-Q_jj) + max over signs of +- sum_{j<k} Q_jk s_j s_k,  then the larger of both signs with
     +-dg
(5)  better where signs of the Q_jj differ:  -x^2 <= t^2 - 2 t |x| for every t (its tangent). With tangents in place of
     squares with negative factors the sum is convex in every |x_j|, and largest where each of them is 0 or 1:
       max over x_j in {-1, 0, 1} of +- sum_{j<=k} Q_jk x_j x_k + sum_j max(0, -+Q_jj) (x_j^2 - 2 t_j |x_j| + t_j^2)
     This bound is convex in t: starting at 1/2, t_j moves a half, a third, .. of the way to |x_j| at the maximum
(6)  the maximum over motions is convex (2); its bounds (4) and (5) need not be, as they are used at single points only
(7)  (5) takes a hundred times as long as (4), so it is computed only for signs whose (4) exceeds the target: first for
     the larger one; for the other only if the first falls to the target. Iterations of t end at the target
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.closedform.polynomial import Variable
from torquec.closedform.tabulate import Degree, basis_powers
from torquec.foundation.arrays import Array, RealArray
from torquec.proof.enclosure.bernstein import basis_degree
from torquec.proof.torque.torque_tables import TorqueTables

_NOISE = 2e-14
"""Coefficients of the difference below this part of the largest torque on the grid are set to zero; the amount removed
is `dropped`, and counts in every bound."""

_ROUNDING = 2e-13  # error bound of a row, relative to the largest torque at rest, times three for each variable
_MOST_SPEEDS = 8  # most joints for (5), which takes 3^n points

_NEAR = 1.5
"""Largest ratio of (4) to the target for which (5) is tried: (5) is lower by a tenth, and seldom by over a quarter."""

_TANGENTS = 4
"""Iterates of t in (5): on random sums of six speeds, bounds are 5.5, 2.7, 1.8, 1.3 % above the maximum; (4) 16 %."""

_AT_ONCE = 100_000  # values of (5) made at once: few enough for the processor's caches


@dataclass(frozen=True)
class TorqueResidual:
    """Coefficient tables of the difference of two torque programs.

    `tables[i]` belongs to joint i: (n + n(n+1)/2 + 1, basis, ..) with rows dM_ij, then dc_ijk for j <= k (twice for
    j < k), then dg_i, over the basis {1, C, S, S^2, C S} (or {1, q, q^2}) of each variable. `dropped[i]` bounds
    the rounding noise that was removed from each row.
    """

    variables: tuple[Variable, ...]
    tables: tuple[Array, ...]
    dropped: tuple[Array, ...]
    n: int
    size: float
    degree: Degree

    @property
    def rounding(self) -> float:
        """Error bound of every row: more than the checker allows for the rounding of both programs.

        The checker's allowance grows like the Lebesgue constant of its grid: by a factor of two for each variable.
        """
        return _ROUNDING * 3.0 ** len(self.variables) * self.size

    def smallest_table(self, joint: int) -> tuple[Array, tuple[Variable, ...]]:
        """A joint's table over the variables that its error depends on, with the error's degree in each of them."""
        table = self.tables[joint]
        kept: list[Variable] = []
        for axis in reversed(range(len(self.variables))):
            variable = self.variables[axis]
            highest = basis_degree(variable, table.shape[axis + 1])
            sizes = [1, *(len(basis_powers(variable, degree)) for degree in range(1, highest + 1))]
            size = next(s for s in sizes if not np.any(np.take(table, range(s, sizes[-1]), axis=axis + 1)))
            if size == 1:
                table = np.take(table, 0, axis=axis + 1)
            else:
                table = np.take(table, range(size), axis=axis + 1)
                kept.insert(0, variable)
        return table, tuple(kept)

    def dependence(self, joint: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The joints whose positions a joint's error depends on, and its degrees in them."""
        table, variables = self.smallest_table(joint)
        sizes = zip(variables, table.shape[1:], strict=True)
        return tuple(v.joints[0][0] for v in variables), tuple(basis_degree(v, size) for v, size in sizes)

    def weights(self, velocity: Sequence[float], acceleration: Sequence[float]) -> Array:
        """Weight of each row: the largest accelerations, products of the largest speeds, one for gravity."""
        speeds = [velocity[j] * velocity[k] for j in range(self.n) for k in range(j, self.n)]
        return np.array([*acceleration, *speeds, 1.0])


def torque_residual(exact: TorqueTables, simplified: TorqueTables) -> TorqueResidual:
    """The difference of two programs' tables over the same variables."""
    table = exact.table - simplified.table
    n = table.shape[-2]
    noise = np.abs(table) < _NOISE * max(exact.size, 1.0)
    removed = np.where(noise, np.abs(table), 0.0)
    table = np.where(noise, 0.0, table)
    return TorqueResidual(
        exact.variables,
        tuple(np.ascontiguousarray(np.moveaxis(table[..., i, :], -1, 0)) for i in range(n)),
        tuple(removed[..., i, :].reshape(-1, table.shape[-1]).sum(axis=0) for i in range(n)),
        n,
        max(exact.size, 1.0),
        exact.degree,
    )


class TorqueFunctional:
    """The maximum (1) over speeds and accelerations, from rows: n inertia residuals times a_j, then residuals of pairs
    j <= k times v_j v_k (twice for j < k), then gravity.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.pairs = [(j, k) for j in range(n) for k in range(j, n)]
        self._diagonal = [i for i, (j, k) in enumerate(self.pairs) if j == k]
        self._mixed = [i for i, (j, k) in enumerate(self.pairs) if j < k]
        signs = np.array([(1.0, *rest) for rest in itertools.product((1.0, -1.0), repeat=n - 1)])
        self._signs = signs
        self._products = np.array([[s[j] * s[k] for j, k in (self.pairs[i] for i in self._mixed)] for s in signs])
        # One of each pair of opposite points, and the point at rest.
        thirds = list(itertools.product((1.0, 0.0, -1.0), repeat=n if n <= _MOST_SPEEDS else 0))
        thirds = thirds[: len(thirds) // 2 + 1]
        self._moving = np.abs(np.array(thirds))
        self._thirds = np.array([[x[j] * x[k] for j, k in self.pairs] for x in thirds]) if n <= _MOST_SPEEDS else None

    def __call__(self, control: RealArray, target: Any) -> RealArray:
        """Upper values (points,), by (3), by (4) where (3) exceeds the target, and by (5) where (4) does."""
        n = self.n
        inertial = np.abs(control[:n]).sum(axis=0)
        speeds, gravity = control[n:-1], control[-1]
        upper: RealArray = inertial + np.abs(speeds).sum(axis=0) + np.abs(gravity)
        loose = np.flatnonzero(upper > target)
        if len(loose):
            upper[loose] = inertial[loose] + np.maximum(*self._quadratic(speeds[:, loose], gravity[loose]))
        if self._thirds is not None:
            goal = np.broadcast_to(target, upper.shape)
            near = loose[(upper[loose] > goal[loose]) & (upper[loose] <= _NEAR * goal[loose])]
            # Where an attained value exceeds the target, no upper bound is below it.
            near = near[self.exact(control[:, near]) <= goal[near]]
            if len(near):
                upper[near] = self._by_tangents(speeds[:, near], gravity[near], inertial[near], goal[near])
        return upper

    def exact(self, values: RealArray) -> RealArray:
        """Attained values (points,): accelerations with the worst signs, speeds at the worst corner or at rest."""
        n = self.n
        inertial = np.abs(values[:n]).sum(axis=0)
        speeds, gravity = values[n:-1], values[-1]
        forms = self._products @ speeds[self._mixed] + speeds[self._diagonal].sum(axis=0) + gravity
        result: RealArray = inertial + np.maximum(np.abs(forms).max(axis=0), np.abs(gravity))
        return result

    def signs(self, values: RealArray) -> tuple[RealArray, RealArray]:
        """Signs (points, n) of speeds and accelerations at which `exact` is attained (all zero speeds where that is
        best).
        """
        n = self.n
        speeds, gravity = values[n:-1], values[-1]
        forms = self._products @ speeds[self._mixed] + speeds[self._diagonal].sum(axis=0) + gravity
        best = np.abs(forms).argmax(axis=0)
        at_best = forms[best, np.arange(forms.shape[1])]
        rest = np.abs(gravity) > np.abs(at_best)
        direction = np.where(rest, np.sign(gravity), np.sign(at_best))
        chosen = np.where(rest[:, None], 0.0, self._signs[best])
        return chosen, (np.sign(values[:n]) * direction).T

    def _quadratic(self, speeds: RealArray, gravity: RealArray) -> tuple[RealArray, RealArray]:
        """(4) for both signs; the larger one is at least the value at rest."""
        mixed = self._products.astype(speeds.dtype) @ speeds[self._mixed]
        diagonal = speeds[self._diagonal]
        above = np.maximum(diagonal, 0.0).sum(axis=0) + mixed.max(axis=0, initial=0.0)
        below = np.minimum(diagonal, 0.0).sum(axis=0) + mixed.min(axis=0, initial=0.0)
        return above + gravity, -(below + gravity)

    def _by_tangents(self, speeds: RealArray, gravity: RealArray, inertial: RealArray, goal: RealArray) -> RealArray:
        """The lower of (4) and (5), with (5) where (7) requires it."""
        plus, minus = self._quadratic(speeds, gravity)
        first = np.where(plus >= minus, 1.0, -1.0).astype(speeds.dtype)
        larger, smaller = inertial + np.maximum(plus, minus), inertial + np.minimum(plus, minus)
        larger = self._lowered(larger, first * speeds, inertial + first * gravity, goal)
        rest = np.flatnonzero((larger <= goal) & (smaller > goal))
        if len(rest):
            first = -first[rest]
            known = inertial[rest] + first * gravity[rest]
            smaller[rest] = self._lowered(smaller[rest], first * speeds[:, rest], known, goal[rest])
        return np.maximum(larger, smaller)

    def _lowered(self, upper: RealArray, speeds: RealArray, known: RealArray, goal: RealArray) -> RealArray:
        """Upper bounds (points,) of `known` plus the contribution of speeds, by (5) until they reach the goal."""
        assert self._thirds is not None
        lowered = upper.copy()
        count = max(1, _AT_ONCE // len(self._thirds))
        thirds, moving = (matrix.T.astype(speeds.dtype) for matrix in (self._thirds, self._moving))
        for start in range(0, len(upper), count):
            part = np.arange(start, min(start + count, len(upper)))
            forms = speeds[:, part].T @ thirds  # (points, 3^n / 2): the maximum of a row is found faster
            falling = np.maximum(-speeds[self._diagonal][:, part].T, 0.0)
            at = np.full_like(falling, 0.5)
            for attempt in range(_TANGENTS):
                values = (falling * (1.0 - 2.0 * at)) @ moving
                values += forms
                largest = values.argmax(axis=1)
                closer = values[np.arange(len(part)), largest] + (falling * at * at).sum(axis=1) + known[part]
                lowered[part] = np.minimum(lowered[part], closer)
                still = np.flatnonzero(lowered[part] > goal[part])
                if not len(still):
                    break
                at = at[still] + (moving.T[largest[still]] - at[still]) / (attempt + 2.0)
                part, forms, falling = part[still], forms[still], falling[still]
        return lowered
