"""The direction of gravity that explains torques best, with parameters and friction fitted for each.

(1)  g = |g0| d,  d a unit vector: the size of gravity is known, and with parameters that are free it tells nothing
(2)  F(d) = min over parameters (`free_fit`), all motions together. The best of the robot's own direction, its opposite
     and the axes is where the search begins; Nelder and Mead's simplex then turns d about two axes across it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array
from torquec.identification.extras import need
from torquec.identification.logs.fit_motion import FitMotion
from torquec.identification.logs.free_fit import FreeFit, free_fit
from torquec.robot.robot import Robot

_FIRST_TURN = 0.1  # [rad], of the simplex
_EXACT = 1e-4  # [rad]; a direction is known no better


@dataclass(frozen=True, eq=False)
class GravityDirection:
    """The direction as a vector g (3,) [m/s^2] of the robot's size of gravity; the fits with the robot's own and with it."""

    gravity: tuple[float, float, float]
    before: FreeFit
    after: FreeFit
    angle: float
    """Between the two [rad]."""


def gravity_direction(robot: Robot, motions: Sequence[FitMotion]) -> GravityDirection:
    """The direction (1), (2) for the motions of a robot; raises `MissingExtraError` without scipy."""
    optimize = need("scipy.optimize", "finding the direction of gravity")
    own = np.array(robot.gravity)
    size = float(np.linalg.norm(own))
    columns = np.concatenate([motion.pulls(robot) for motion in motions], axis=1)
    tau = np.concatenate([motion.tau for motion in motions])

    def fit(g: Array) -> FreeFit:
        return free_fit(columns[0] + np.tensordot(g, columns[1:], axes=1), tau)

    before = fit(own)
    if size == 0.0:
        return GravityDirection((0.0, 0.0, 0.0), before, before, 0.0)
    starts = [own, -own, *(sign * size * axis for axis in np.eye(3) for sign in (1.0, -1.0))]
    best = min(starts, key=lambda g: fit(g).cost)
    across = np.linalg.svd(best[None])[2][1:]

    def turned(angles: Array) -> Array:
        direction = best / size + angles @ across
        return size * direction / np.linalg.norm(direction)

    simplex = np.array([[0.0, 0.0], [_FIRST_TURN, 0.0], [0.0, _FIRST_TURN]])
    options = {"initial_simplex": simplex, "xatol": _EXACT, "fatol": 1e-6, "maxfev": 200}
    found = optimize.minimize(lambda angles: fit(turned(angles)).cost, np.zeros(2), method="Nelder-Mead", options=options)
    g = turned(np.asarray(found.x))
    angle = float(np.arccos(np.clip(g @ own / size**2, -1.0, 1.0)))
    return GravityDirection((float(g[0]), float(g[1]), float(g[2])), before, fit(g), angle)
