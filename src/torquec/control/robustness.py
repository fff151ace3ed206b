"""Closed-loop eigenvalues of a controller whose nominal model is wrong.

The controller's gains come from M^, C^, K^ instead of the robot's own M, C, K (Clover III, (27), (28)):

(1)  G^ = [M^ diag(p) - K^,  M^ diag(s) - C^],      M^ = gamma M,  C^ = beta C,  K^ = alpha K                     (29)
(2)  continuous:    A - B G^                        equivalent to (30)
(3)  sampled:       Phi - Psi G^                    with Euler's rule equivalent to (31), else inputs held exactly (33)

alpha = beta = 0, gamma = 1 is computed torque at the reference; alpha = beta = gamma = 1 the ideal pole placement. The
loop is affine in each factor, and in every entry of M^, C^ and K^.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.control.poles import JointPoles, error_feedback, zero_order_hold
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, ComplexArray
from torquec.foundation.choice import chosen
from torquec.linearization.linearize import LinearModel


class Hold(StrEnum):
    """How the robot is discretized where the controller is sampled."""

    EXACT = "exact"
    EULER = "euler"


class ErrorFactor(StrEnum):
    """Which part of the model is wrong."""

    ALPHA = "alpha"
    """Stiffness K^ = alpha K."""
    BETA = "beta"
    """Damping C^ = beta C."""
    GAMMA = "gamma"
    """Inertia M^ = gamma M."""


@dataclass(frozen=True)
class ModelErrors:
    """The factors of (1)."""

    alpha: float = 1.0
    beta: float = 1.0
    gamma: float = 1.0


EXACT_MODEL = ModelErrors()
COMPUTED_TORQUE = ModelErrors(alpha=0.0, beta=0.0)


@dataclass(frozen=True, eq=False)
class Loop:
    """A robot at a point and the feedback around it: x -> (F - G gains) x.

    `F` (2n, 2n) and `G` (2n, n) are A and B, or Phi and Psi with `period` [s]; `p` and `s` (n,) are the feedback.
    """

    model: LinearModel
    F: Array
    G: Array
    p: Array
    s: Array
    period: float | None

    def gains(self, M: Array, C: Array, K: Array) -> Array:
        """The gains (n, 2n) of a controller with the nominal model M, C, K (1)."""
        return np.hstack([M * self.p - K, M * self.s - C])

    def matrix(self, errors: ModelErrors = EXACT_MODEL) -> Array:
        """The closed loop (2n, 2n), (2) or (3)."""
        model = self.model
        gains = self.gains(errors.gamma * model.M, errors.beta * model.C, errors.alpha * model.K)
        return self.F - self.G @ gains

    def slope(self, factor: ErrorFactor) -> Array:
        """d matrix/d factor, constant."""
        model = self.model
        zero = np.zeros_like(model.M)
        match factor:
            case ErrorFactor.ALPHA:
                return -self.G @ self.gains(zero, zero, model.K)
            case ErrorFactor.BETA:
                return -self.G @ self.gains(zero, model.C, zero)
            case ErrorFactor.GAMMA:
                return -self.G @ self.gains(model.M, zero, zero)

    def excess(self, matrix: Array) -> float:
        """Spectral abscissa [1/s]: the largest real part of an eigenvalue, or log|z|/h; positive is unstable."""
        return float(growth_rates(matrix, self.period).real.max())


def make_loop(
    model: LinearModel,
    poles: JointPoles,
    *,
    period: float | None = None,
    hold: Hold | str = Hold.EXACT,
    sampled: bool = True,
) -> Loop:
    """The loop around a linear model with the given poles: continuous, or sampled every `period` seconds.

    Sampled gains are those of (28) where they are designed for the interval (`sampled`), else the continuous (27).

    Raises `ArgumentError` where the poles are not for the model's joints or too fast for the sampling.
    """
    if len(poles.pairs) != model.n:
        raise ArgumentError(f"{len(poles.pairs)} pairs of poles for {model.n} joints", remedy="give one per joint")
    feedback = error_feedback(poles, period=period, sampled=sampled and period is not None)
    p, s = np.array(feedback.stiffness), np.array(feedback.damping)
    if period is None:
        return Loop(model, model.A, model.B, p, s, None)
    if chosen(Hold, hold, "hold") is Hold.EULER:
        return Loop(model, np.eye(2 * model.n) + model.A * period, model.B * period, p, s, period)
    return Loop(model, *zero_order_hold(model.A, model.B, period), p, s, period)


def closed_loop_eigenvalues(
    model: LinearModel,
    poles: JointPoles,
    *,
    errors: ModelErrors = EXACT_MODEL,
    period: float | None = None,
    hold: Hold | str = Hold.EXACT,
    sampled: bool = True,
) -> ComplexArray:
    """Eigenvalues (2n,) of the closed loop [1/s], slowest decay first; sampled ones as log(z)/h (Clover III, (32)).

    Raises `ArgumentError` as `make_loop` does.
    """
    loop = make_loop(model, poles, period=period, hold=hold, sampled=sampled)
    return growth_rates(loop.matrix(errors), period)


def growth_rates(matrix: Array, period: float | None) -> ComplexArray:
    """Eigenvalues of a closed loop as rates [1/s], sorted by real part, the largest first; log(z)/h where sampled."""
    found: ComplexArray = np.linalg.eigvals(matrix).astype(np.complex128)
    if period is not None:
        with np.errstate(divide="ignore"):
            found = np.asarray(np.log(found) / period, dtype=np.complex128)
    order = sorted(range(len(found)), key=lambda k: (-found[k].real, abs(found[k].imag), found[k].imag))
    return found[order]
