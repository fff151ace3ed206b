"""Direction of gravity by maximum likelihood, with parameters and friction free.

(1)  g = |g0| d,  d a unit vector: the magnitude is known, and unobservable with free parameters
(2)  F(d) = min over parameters (7), all motions together. The Nelder-Mead simplex turns d about two axes normal to its
     start: the robot's own direction, and the best of its opposite and the base axes. With free masses, reversed
     gravity fits nearly as well (both negated): the second start must lower the error by a further fifth
(3)  m F is twice the negative logarithm of the likelihood, m the number of independent samples: the curvature of F
     along the arc from the robot's own direction gives the deviation of the angle, sqrt(2 / (m F''))

`free_fit`: how well any robot of the same kinematics explains torques:

(4)  columns A (M, n, k) of inertial parameters, rotors and friction (`fit_motion`)
(5)  x = argmin sum_j w_j^2 |tau_j - A_j x|^2,  w_j one over the deviation of joint j's residual, found by repetition
(6)  e_j^2 = |tau_j - A_j x|^2 / |tau_j - mean|^2: unexplained share of the variation of joint j's torque
(7)  F = sum_j log(e_j^2 + 4e-4): of two readings of a log the one with the smaller F explains it better; wrist joints
     have the same weight as shoulder joints

The normal equations A_j'A_j are summed once; a small ridge term handles unexcited directions. That loses half of the
digits, which is enough for a comparison.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.identification.extras import need
from torquec.identification.logs.fit_motion import FitMotion
from torquec.robot.robot import Robot

_ROUNDS = 4  # of reweighting; weights converge in three
_RIDGE = 1e-9  # of a column of unit length
_FLOOR = 4e-4  # of e_j^2: 2 % of the torque is the best accuracy of models
_SMALLEST = 1e-12  # of the largest variation: a joint whose torque does not vary
_FINEST = 1e-4  # smallest residual for weights, relative to the torque's variation


@dataclass(frozen=True, eq=False)
class FreeFit:
    """`shares` e_j^2 (n,) of (6)."""

    shares: Array

    @property
    def costs(self) -> Array:
        """The summands (n,) of F (7)."""
        logarithms: Array = np.log(self.shares + _FLOOR)
        return logarithms

    @property
    def cost(self) -> float:
        """F of (7)."""
        return float(self.costs.sum())

    @property
    def error(self) -> float:
        """The root of the mean of e_j^2 over the joints."""
        return float(np.sqrt(self.shares.mean()))


def free_fit(columns: Array, tau: Array) -> FreeFit:
    """The fit (5) of columns A (M, n, k) to torques (M, n)."""
    _, n, k = columns.shape
    sizes = np.sqrt(np.einsum("mjk,mjk->k", columns, columns))
    unit = columns / np.where(sizes > 0.0, sizes, 1.0)
    squares = np.zeros((n, k, k))
    for j in range(n):
        present = np.flatnonzero(unit[0, j])  # wrist torques do not depend on the shoulder's inertias
        if not unit[:, j, np.setdiff1d(np.arange(k), present)].any():
            own = np.ascontiguousarray(unit[:, j, present])
            squares[j][np.ix_(present, present)] = own.T @ own
        else:
            squares[j] = unit[:, j].T @ unit[:, j]
    right = np.einsum("mjk,mj->jk", unit, tau)
    variation = ((tau - tau.mean(axis=0)) ** 2).sum(axis=0)
    if not variation.max(initial=0.0) > 0.0:
        return FreeFit(np.zeros(n))  # constant torques have no variation to explain
    variation = np.maximum(variation, _SMALLEST * variation.max())
    weights = 1.0 / variation
    left = variation
    for _ in range(_ROUNDS):
        whole = np.tensordot(weights, squares, axes=1)
        scale = 1.0 / np.sqrt(np.maximum(np.diag(whole), np.finfo(float).tiny))
        whole = whole * np.outer(scale, scale) + _RIDGE * np.eye(k)
        x = scale * np.linalg.solve(whole, scale * (weights @ right))
        left = ((tau - unit @ x) ** 2).sum(axis=0)
        weights = 1.0 / np.maximum(left, _FINEST**2 * variation)
    return FreeFit(left / variation)


_FIRST_TURN = 0.1  # [rad], of the simplex
_STEP = 0.01  # [rad], of the curvature
_EXACT = 1e-4  # [rad]; a direction is known no better
_OTHER_SIDE = 0.8  # of the error (2)


@dataclass(frozen=True, eq=False)
class GravityDirection:
    """Fitted direction as the vector `gravity` [m/s^2], with the fits for the robot's own direction and for this one.

    `angle` [rad] lies between the two; `std` [rad] is its deviation (3).
    """

    gravity: tuple[float, float, float]
    before: FreeFit
    after: FreeFit
    angle: float
    std: float

    def __str__(self) -> str:
        x, y, z = self.gravity
        angle, std = math.degrees(self.angle), math.degrees(self.std)
        return (
            f"gravity along ({x:.3f}, {y:.3f}, {z:.3f}) m/s^2, {angle:.1f} degrees (+- {std:.1f}) from the robot's, "
            f"lowers the error of a fit from {self.before.error:.1%} to {self.after.error:.1%}"
        )


def gravity_direction(robot: Robot, motions: Sequence[FitMotion], *, independent: float) -> GravityDirection:
    """The direction (1)-(3) for motions of a robot; `independent` is their number of independent samples.

    Raises `ArgumentError` for a robot without gravity, `MissingExtraError` without scipy.
    """
    optimize = need("scipy.optimize", "finding the direction of gravity")
    own = np.array(robot.gravity)
    size = float(np.linalg.norm(own))
    if size == 0.0:
        raise ArgumentError(
            f"robot '{robot.name}' has no gravity whose direction could be found",
            remedy="give one: --gravity 0,0,-9.81",
        )
    columns = np.concatenate([motion.pulls(robot) for motion in motions], axis=1)
    tau = np.concatenate([motion.tau for motion in motions])

    def fit(g: Array) -> FreeFit:
        return free_fit(columns[0] + np.tensordot(g, columns[1:], axes=1), tau)

    def found_from(start: Array) -> tuple[Array, FreeFit]:
        across = np.linalg.svd(start[None])[2][1:]

        def turned(angles: Array) -> Array:
            direction: Array = start / size + angles @ across
            return size / float(np.linalg.norm(direction)) * direction

        simplex = np.array([[0.0, 0.0], [_FIRST_TURN, 0.0], [0.0, _FIRST_TURN]])
        options = {"initial_simplex": simplex, "xatol": _EXACT, "fatol": 1e-6, "maxfev": 200}
        solution = optimize.minimize(
            lambda angles: fit(turned(angles)).cost, np.zeros(2), method="Nelder-Mead", options=options
        )
        g = turned(np.asarray(solution.x))
        return g, fit(g)

    before = fit(own)
    starts = [-own, *(sign * size * axis for axis in np.eye(3) for sign in (1.0, -1.0))]
    best = min(starts, key=lambda start: fit(start).cost)
    g, after = found_from(own)
    if fit(best).cost < before.cost:
        other = found_from(best)
        g, after = other if other[1].error < _OTHER_SIDE * after.error else (g, after)
    across = own - (own @ g) / size**2 * g
    if np.linalg.norm(across) < _EXACT * size:
        across = np.linalg.svd(g[None])[2][1]
    across = size * across / np.linalg.norm(across)
    beside = [fit(math.cos(_STEP) * g + sign * math.sin(_STEP) * across).cost for sign in (1.0, -1.0)]
    curvature = (sum(beside) - 2.0 * after.cost) / _STEP**2
    std = math.sqrt(2.0 / (max(independent, 1.0) * curvature)) if curvature > 0.0 else math.inf
    angle = math.acos(float(np.clip(g @ own / size**2, -1.0, 1.0)))
    return GravityDirection((float(g[0]), float(g[1]), float(g[2])), before, after, angle, std)
