"""Whether a loop is stable for all parameters that an identification leaves possible: statistics, no proof.

(1)  the parameters x lie in  x' S^-1 x <= r^2  about their estimate with the probability P, r^2 being the P quantile of
     chi squared with as many degrees of freedom as there are parameters
(2)  M, C and K are linear in base parameters: M_k = dY_k/dqdd, C_k = dY_k/dqd, K_k = dY_k/dq with the regressor Y
(3)  the worst errors of the ellipsoid are searched for (:mod:`torquec.control.structured_errors`)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torquec.control.poles import JointPoles
from torquec.control.robustness import make_loop
from torquec.control.structured_errors import ParameterCovariance, structured_margin
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.linearization.linearize import linearize_along
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot

_STEP = 1e-30
"""Of the complex step, which has no cancellation: any size that does not underflow."""


@dataclass(frozen=True)
class CovarianceMargin:
    """What the loop makes of the parameters that are possible with the probability `level`.

    `is_stable` for all of them, as far as was found; `excess` is the worst eigenvalue's real part [1/s], and `scale` by
    how much the deviations of all parameters could grow before the loop is unstable; `points` of the motion were
    looked at.
    """

    level: float
    is_stable: bool
    excess: float
    scale: float
    points: int


def covariance_margin(
    source: Robot | Model,
    covariance: npt.ArrayLike,
    poles: JointPoles,
    states: tuple[Array, Array, Array],
    *,
    level: float = 0.95,
    period: float | None = None,
    sampled: bool = False,
) -> CovarianceMargin:
    """The margin over states q, qd, qdd, (N, n) each, for the covariance (b, b) of the base parameters, in their order.

    It is that of laws with the linear feedback of pole placement: CT1, and CT2 where it is evaluated at the measured
    state. Raises `ArgumentError` for a covariance of another size and for a level outside of 0 to 1.
    """
    if not 0.0 < level < 1.0:
        raise ArgumentError(f"a probability of {level}", remedy="give one between 0 and 1, such as 0.95")
    model = as_model(source)
    S = np.asarray(covariance, dtype=np.float64)
    radius = math.sqrt(chi_squared_quantile(level, len(S)))
    worst, scale, count = -np.inf, np.inf, 0
    with one_thread():
        for linear, q, qd, qdd in zip(linearize_along(model, *states), *states, strict=True):
            slopes = parameter_slopes(model.robot, q, qd, qdd)
            if S.shape != (len(slopes[0]),) * 2:
                raise ArgumentError(
                    f"a covariance {S.shape} of {len(slopes[0])} base parameters",
                    remedy="give one row for each of them",
                )
            loop = make_loop(linear, poles, period=period, sampled=sampled)
            found = structured_margin(loop, ParameterCovariance(S, *slopes, radius))
            worst, scale, count = max(worst, found.excess), min(scale, found.scale), count + 1
    return CovarianceMargin(level, worst < 0.0, worst, scale, count)


def parameter_slopes(robot: Robot, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
    """(2) at a state (n,) each: the derivatives of M, C and K by the base parameters, (b, n, n) each."""
    exact = Model(robot)
    state = [np.asarray(part, dtype=np.complex128) for part in (q, qd, qdd)]
    found = []
    for moved in (2, 1, 0):
        columns = []
        for joint in range(robot.n):
            shifted = [part.copy() for part in state]
            shifted[moved][joint] += 1j * _STEP
            columns.append(np.array(exact.at("base_regressor", *map(list, shifted)), dtype=np.complex128).imag / _STEP)
        # (n of the derivative, n of the torque, b) -> (b, n of the torque, n of the derivative)
        found.append(np.transpose(np.array(columns), (2, 1, 0)))
    M, C, K = found
    return M, C, K


def chi_squared_quantile(level: float, degrees: int) -> float:
    """The value that chi squared with so many degrees of freedom does not exceed with the probability `level`.

    >>> round(chi_squared_quantile(0.95, 1), 4), round(chi_squared_quantile(0.95, 10), 4)
    (3.8415, 18.307)
    """
    low, high = 0.0, 10.0
    while _exceeded(high, degrees) > 1.0 - level:
        high *= 2.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _exceeded(middle, degrees) > 1.0 - level else (low, middle)
    return high


def _exceeded(x: float, degrees: int) -> float:
    """P(chi squared > x), by Q(k + 2) = Q(k) + (x/2)^(k/2) exp(-x/2)/Gamma(k/2 + 1)."""
    half = 0.5 * x
    k, total = (1, math.erfc(math.sqrt(half))) if degrees % 2 else (2, math.exp(-half))
    while k < degrees:
        total += math.exp(0.5 * k * math.log(half) - half - math.lgamma(0.5 * k + 1.0)) if half > 0.0 else 0.0
        k += 2
    return total
