"""The torque error of a joint as a functional of its residual coefficients, maximal over speeds and accelerations.

(1)  |tau error| <= sum_j |dM_j| a_j + max over |x| <= 1 of |sum_{j<=k} Q_jk x_j x_k + dg|,   Q_jk = (2 -) dc_jk v_j v_k
(2)  convex in (dM, Q, dg), so its value at control points bounds it in between
(3)  first bound of the maximum:   sum |Q_jk| + |dg|
(4)  better:  sum_j max(0, +-Q_jj) + max over signs of +- sum_{j<k} Q_jk s_j s_k,  then the larger of both signs with
     +-dg
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from torquec.foundation.arrays import RealArray


class TorqueFunctional:
    """Rows: n inertia residuals times a_j, then residuals of pairs j <= k times v_j v_k (twice for j < k), then
    gravity.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.pairs = [(j, k) for j in range(n) for k in range(j, n)]
        self._diagonal = [i for i, (j, k) in enumerate(self.pairs) if j == k]
        self._mixed = [i for i, (j, k) in enumerate(self.pairs) if j < k]
        signs = np.array([(1.0, *rest) for rest in itertools.product((1.0, -1.0), repeat=n - 1)])
        self._signs = signs
        self._products = np.array([[s[j] * s[k] for j, k in (self.pairs[i] for i in self._mixed)] for s in signs])

    def __call__(self, control: RealArray, target: Any) -> RealArray:
        """Upper values (points,), by (3), and by (4) where (3) exceeds the target."""
        n = self.n
        inertial = np.abs(control[:n]).sum(axis=0)
        speeds, gravity = control[n:-1], control[-1]
        upper: RealArray = inertial + np.abs(speeds).sum(axis=0) + np.abs(gravity)
        loose = np.flatnonzero(upper > target)
        if len(loose) == len(upper):
            whole: RealArray = inertial + self._quadratic(speeds, gravity)
            return whole
        if len(loose):
            upper[loose] = inertial[loose] + self._quadratic(speeds[:, loose], gravity[loose])
        return upper

    def exact(self, values: RealArray) -> RealArray:
        """Attained values (points,): accelerations as they add up most, speeds at the best of the corners and of
        rest.
        """
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

    def _quadratic(self, speeds: RealArray, gravity: RealArray) -> RealArray:
        """(4)."""
        mixed = self._products.astype(speeds.dtype) @ speeds[self._mixed]
        diagonal = speeds[self._diagonal]
        above = np.maximum(diagonal, 0.0).sum(axis=0) + mixed.max(axis=0, initial=0.0)
        below = np.minimum(diagonal, 0.0).sum(axis=0) + mixed.min(axis=0, initial=0.0)
        result: RealArray = np.maximum(np.maximum(above + gravity, -(below + gravity)), np.abs(gravity))
        return result
