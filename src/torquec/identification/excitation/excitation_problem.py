"""The optimisation behind an exciting motion: a criterion of its regressor, subject to its limits.

With coefficients x (P, n), in halves of each joint's range about its middle, and states at N samples,

(1)  q = middle + phi (x o half), qd and qdd with the derivatives of phi
(2)  sought:  least criterion(W(q, qd, qdd))  such that every share of a limit is at most `room`
(3)  augmented Lagrangian, for multipliers m (N, K) and penalty c:

       L = criterion + sum (max(0, m + c (share - room))^2 - m^2)/(2 c),     next m = max(0, m + c (share - room))

(4)  its gradient by x: what L changes with W and with the shares, through the programs of `regressor_information` and
     `motion_limits` to the states, through (1) to x
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from torquec.foundation.arrays import Array
from torquec.identification.excitation.criterion import Criterion, criterion_slope, criterion_value
from torquec.identification.excitation.motion_basis import MotionBasis
from torquec.identification.excitation.motion_limits import MotionLimits
from torquec.identification.excitation.regressor_information import RegressorInformation, information_matrix
from torquec.trajectory.trajectory import MotionState


@dataclass(frozen=True, eq=False)
class Multipliers:
    """m (N, K), c and the room of (3)."""

    values: Array
    penalty: float
    room: float

    def updated(self, shares: Array, penalty: float) -> Multipliers:
        """After a minimum of L with these shares (3)."""
        return Multipliers(np.maximum(0.0, self.values + self.penalty * (shares - self.room)), penalty, self.room)


@dataclass(frozen=True, eq=False)
class ExcitationProblem:
    """(1)-(4) for one robot, its limits, one kind of motion and one criterion."""

    information: RegressorInformation
    limits: MotionLimits
    basis: MotionBasis
    criterion: Criterion

    @cached_property
    def _phi(self) -> MotionState:
        times = (np.arange(self.basis.samples, dtype=np.float64) + 0.5) * (self.basis.duration / self.basis.samples)
        return self.basis.at(times)

    @property
    def shape(self) -> tuple[int, int]:
        """(P, n)."""
        return self.basis.size, len(self.limits.half)

    def coefficients(self, x: Array) -> Array:
        """The coefficients (P, n) of the motion itself."""
        return self.basis.shifted(x * self.limits.half, self.limits.middle)

    def state(self, x: Array) -> MotionState:
        """(1), (N, n) each."""
        scaled = x * self.limits.half
        phi = self._phi
        return MotionState(self.limits.middle + phi.q @ scaled, phi.qd @ scaled, phi.qdd @ scaled)

    def shares(self, x: Array) -> Array:
        """Shares (N, K) of the limits."""
        return self.limits.shares(self.state(x))

    def value(self, x: Array) -> float:
        """The criterion."""
        return criterion_value(self.criterion, information_matrix(self.information.rows(self.state(x))))

    def free(self, room: float) -> Multipliers:
        """No multipliers yet."""
        return Multipliers(np.zeros((self.basis.samples, len(self.limits.names))), 1.0, room)

    def lagrangian(self, x: Array, multipliers: Multipliers, *, power: float | None) -> MotionEvaluation:
        """L and its gradient by x (P, n) (3), (4); `power` smooths the criterion, None leaves the criterion out."""
        state = self.state(x)
        shares = self.limits.shares(state)
        pushed = np.maximum(0.0, multipliers.values + multipliers.penalty * (shares - multipliers.room))
        value = float((pushed**2 - multipliers.values**2).sum() / (2.0 * multipliers.penalty))
        change = self.limits.by_state(state, pushed)
        true = np.inf
        if power is not None:
            rows = self.information.rows(state, soft=True)
            slope = criterion_slope(self.criterion, information_matrix(rows), power=power)
            value, true = value + slope.smooth, slope.value
            more = self.information.by_state(state, (2.0 / len(rows)) * (rows @ slope.by_w))
            change = MotionState(change.q + more.q, change.qd + more.qd, change.qdd + more.qdd)
        phi = self._phi
        gradient = (phi.q.T @ change.q + phi.qd.T @ change.qd + phi.qdd.T @ change.qdd) * self.limits.half
        return MotionEvaluation(value, gradient, true, float(shares.max()))


@dataclass(frozen=True, eq=False)
class MotionEvaluation:
    """L, its gradient (P, n), the criterion itself, and the largest share of any limit."""

    value: float
    gradient: Array
    criterion: float
    share: float
