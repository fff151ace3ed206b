"""Options and optimality criteria of excitation trajectories: condition number, D-optimality, derivatives by W.

With W = A' A of the regressor A over a motion, and its eigenvalues l_1 <= .. <= l_b,

(1)  condition:       log cond A = (log l_b - log l_1)/2
(2)  unit condition:  the same of C = D^-1/2 W D^-1/2, D the diagonal of W: columns of unit norm
(3)  determinant:     -(log det W)/b (D-optimality, per parameter)
(4)  (1) and (2) are not smooth where extreme eigenvalues meet, as they do in the best motions. The smooth criterion

       (log sum_i l_i^p + log sum_i l_i^-p)/(2 p),   derivative by l_i:  (l_i^(p-1)/sum l^p - l_i^(-p-1)/sum l^-p)/2,

     is optimised instead; it is no less than (1) and tends to it as p grows
(5)  derivative by W:  V diag(..) V' with the eigenvectors V, .. those by l_i; through (2), with T the derivative by C:
     D^-1/2 T D^-1/2 - diag((T o C) 1)/D
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.identification.excitation.workspace import WorkspaceRule
from torquec.identification.torque.friction_law import FrictionModel

_SMALLEST = 1e-15  # smallest eigenvalue relative to the largest: below is rounding error


class Criterion(StrEnum):
    """The optimality criterion: (1), (2) or (3)."""

    CONDITION = "condition"
    UNIT_CONDITION = "unit-condition"
    DETERMINANT = "determinant"


def criterion_value(criterion: Criterion, w: Array) -> float:
    """(1), (2) or (3) of an information matrix W (b, b); smaller is better.

    >>> round(criterion_value(Criterion.CONDITION, np.diag([1.0, 100.0])), 6) == round(float(np.log(10.0)), 6)
    True
    """
    values = _eigenvalues(_scaled(w)[0] if criterion is Criterion.UNIT_CONDITION else w)[0]
    if criterion is Criterion.DETERMINANT:
        return float(-np.log(values).mean())
    return float(0.5 * np.log(values[-1] / values[0]))


@dataclass(frozen=True, eq=False)
class CriterionSlope:
    """The criterion itself, its optimised form (`smooth`), and the symmetric derivative of `smooth` by W (b, b)."""

    value: float
    smooth: float
    by_w: Array


def criterion_slope(criterion: Criterion, w: Array, *, power: float) -> CriterionSlope:
    """The criterion of W (b, b), smooth with p = `power` (4), and its derivative (5)."""
    if criterion is Criterion.DETERMINANT:
        values, vectors = _eigenvalues(w)
        value = float(-np.log(values).mean())
        return CriterionSlope(value, value, -(vectors / (len(w) * values)) @ vectors.T)
    if criterion is Criterion.CONDITION:
        return _smooth_condition(w, power)
    c, scale = _scaled(w)
    found = _smooth_condition(c, power)
    by_w = found.by_w / np.outer(scale, scale) - np.diag((found.by_w * c).sum(axis=1) / scale**2)
    return CriterionSlope(found.value, found.smooth, by_w)


def _smooth_condition(w: Array, p: float) -> CriterionSlope:
    """(1), (4) and the derivative by W."""
    values, vectors = _eigenvalues(w)
    high, low = (values / values[-1]) ** p, (values / values[0]) ** -p
    value = 0.5 * float(np.log(values[-1] / values[0]))
    smooth = value + 0.5 * float(np.log(high.sum()) + np.log(low.sum())) / p
    by_value = 0.5 * (high / high.sum() - low / low.sum()) / values
    return CriterionSlope(value, smooth, (vectors * by_value) @ vectors.T)


def _eigenvalues(w: Array) -> tuple[Array, Array]:
    values, vectors = np.linalg.eigh(w)
    return np.maximum(values, _SMALLEST * max(float(values[-1]), np.finfo(float).tiny)), vectors


def _scaled(w: Array) -> tuple[Array, Array]:
    """C of (2) and the norms of the columns."""
    scale = np.sqrt(np.maximum(np.diag(w), np.finfo(float).tiny))
    return w / np.outer(scale, scale), scale


class MotionShape(StrEnum):
    """Parametrization of a motion: Fourier series or spline."""

    FOURIER = "fourier"
    SPLINE = "spline"


@dataclass(frozen=True)
class ExcitationOptions:
    """Options of an excitation trajectory.

    `duration` [s] of the motion, `harmonics` of a Fourier series or `waypoints` of a spline, largest `acceleration`
    [rad/s^2 or m/s^2], `friction` columns to excite as well, `rules` about frames. `effort` is the share of the torque
    limits that the file's robot may use, `uncertainty` the relative change of masses and friction within which every
    robot keeps the limits. `evaluations` limits the search, `seed` selects its random motions, `period` [s] is the
    sampling period of the returned trajectory.
    """

    duration: float = 10.0
    harmonics: int = 5
    acceleration: float = math.inf
    criterion: Criterion = Criterion.CONDITION
    evaluations: int = 3000
    seed: int = 0
    period: float = 0.005
    shape: MotionShape = MotionShape.FOURIER
    waypoints: int = 12
    friction: FrictionModel = FrictionModel.NONE
    rules: tuple[WorkspaceRule, ...] = ()
    effort: float = 0.8
    uncertainty: float = 0.2

    def __post_init__(self) -> None:
        object.__setattr__(self, "criterion", chosen(Criterion, self.criterion, "criterion"))
        object.__setattr__(self, "shape", chosen(MotionShape, self.shape, "shape of motion"))
        object.__setattr__(self, "friction", chosen(FrictionModel, self.friction, "friction model"))
