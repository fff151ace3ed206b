"""Proven ranges of torque, speed, acceleration and tip speed over every cell of a piecewise polynomial motion.

(1)  In a cell of length h, theta in [-1, 1]:  q is a polynomial of degree five in theta, qd = 2/h dq/dtheta and so on;
     torques are enclosed by Taylor models (:mod:`torquec.proof.enclosure.taylor_enclosure`).
(2)  |p(theta)| is at most the range of its parabola c0 + c1 theta + c2 theta^2, and |c3| + ..
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from torquec.expr import Function, trace
from torquec.foundation.arrays import Array
from torquec.model.model import Model
from torquec.proof.enclosure.taylor_enclosure import TaylorModel, taylor_enclosure
from torquec.trajectory.polynomial_motion import PolynomialMotion

_DEGREE = 5
_ROUNDING = 1e-14
"""Rounding error of evaluation and change of variable, relative to the sizes of a polynomial's terms."""

_TO_CENTRE = np.array([[comb(k, i) / 2.0**k for k in range(_DEGREE + 1)] for i in range(_DEGREE + 1)])
"""From powers of (t - t_k)/h to powers of theta."""


@dataclass(frozen=True, eq=False)
class MotionBounds:
    """Enclosures per cell: torques within [`torque_lower`, `torque_upper`] (N, n), largest |qd| and |qdd| (N, n).

    `tip_speed` (N,) is the largest speed of the frame's origin, zero without a frame.
    """

    torque_lower: Array
    torque_upper: Array
    speed: Array
    acceleration: Array
    tip_speed: Array


def motion_bounds(
    model: Model, motion: PolynomialMotion, frame: str | None = None, spread: Function | None = None
) -> MotionBounds:
    """The ranges (1) of a motion's cells; the torque is the model's `total_torque`, friction and springs too.

    With a `spread` (`TorqueSpread.program`) torques are those of all robots in its sets.
    """
    scale = 2.0 / np.diff(motion.breaks)[None, :, None]
    power = np.arange(_DEGREE + 1.0)[:, None, None]
    q = np.einsum("ik,kNn->iNn", _TO_CENTRE, motion.coefficients)
    sizes = np.abs(motion.coefficients).sum(axis=0)
    qd = (power * q)[1:] * scale
    qdd = (power[:_DEGREE] * qd)[1:] * scale
    slack = _ROUNDING * sizes
    states = {
        "q": _widened(q, slack),
        "qd": _widened(qd, slack * scale[0] * _DEGREE),
        "qdd": _widened(qdd, slack * scale[0] ** 2 * _DEGREE**2),
    }
    if spread is None:
        low, high = taylor_enclosure(model.function("total_torque"), states)["tau"]
    else:
        found = taylor_enclosure(spread, states)
        low, high = found["low"][0], found["high"][1]
    tip = np.zeros(len(low))
    if frame is not None:
        function = _tip_function(model, frame)
        square = taylor_enclosure(function, {name: states[name] for name in ("q", "qd")})["square"][1]
        tip = np.sqrt(square[:, 0])
    return MotionBounds(low, high, _largest(states["qd"]), _largest(states["qdd"]), tip * (1.0 + _ROUNDING))


def _widened(coefficients: Array, slack: Array) -> Array:
    """The polynomial with its rounding error as a term of the highest degree, which is enclosed by its size."""
    wide: Array = coefficients.copy()
    wide[-1] += np.copysign(slack, wide[-1])
    return wide


def _largest(coefficients: Array) -> Array:
    """(2)."""
    count, n = coefficients.shape[1:]
    low, high = TaylorModel(
        coefficients[:3].reshape(3, -1), np.abs(coefficients[3:]).sum(axis=0).ravel() * (1.0 + _ROUNDING)
    ).range()
    return np.maximum(-low, high).reshape(count, n)


@lru_cache(maxsize=8)
def _tip_function(model: Model, frame: str) -> Function:
    """(q, qd) -> the square of the speed of the frame's origin."""

    def algorithm(q: Any, qd: Any) -> dict[str, Any]:
        rows = model.at(f"jacobian:{frame}", q)[:3]
        velocity = [sum(entry * speed for entry, speed in zip(row, qd, strict=True)) for row in rows]
        return {"square": [velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]]}

    n = model.robot.n
    return trace("tip_speed", algorithm, {"q": (n,), "qd": (n,)})
