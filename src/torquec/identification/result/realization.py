"""Physically consistent bodies from base parameters: nearest to the robot's own, with exactly the same torques.

(1)  y = y_x + Z v:  Pi y_x = x, Pi Z = 0, so that every v gives the same torques
(2)  min |L (y - y0)| over v, subject to P_i(y) >= margin for every body, rotors not negative; by clarabel
(3)  without the constraints of (2): the least squares solution, which is used where it is consistent already

Base parameters for which (2) has no solution are physically inconsistent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.dynamics.regressor import parameter_values
from torquec.foundation.arrays import Array
from torquec.identification.estimators.prior_estimators import Prior
from torquec.identification.estimators.pseudo_inertia import (
    WIDTH,
    is_consistent,
    metric,
    nearest_solution,
    solid_rows,
    thickened,
)
from torquec.identification.torque.torque_model import TorqueModel

_MARGIN = 1e-5
"""Margin of a body inside the cone, relative to the prior's moments, so that rounding in a file keeps it there."""


_BALL = np.array([0.01, 0.0, 0.0, 0.01, 0.0, 0.01, 0.0, 0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Realization:
    """Standard parameters, friction and columns (p + f,), and whether every body is physically consistent."""

    standard: Array
    physically_consistent: bool


def realize(model: TorqueModel, x: Array) -> Realization:
    """The parameters (1) nearest to the model's own robot for x (k,), consistent where that is possible (2).

    Raises `MissingExtraError` where clarabel is needed and missing.
    """
    prior = _solid_prior(model)
    start, free = _solutions(prior, x)
    left, right = prior.root @ free, prior.root @ (prior.center - start)
    unconstrained = start + free @ np.linalg.lstsq(left, right, rcond=1e-12)[0]
    if _is_consistent(prior, unconstrained, model):
        return Realization(unconstrained, True)
    found = _constrained(prior, start, free, model)
    if found is not None and _is_consistent(prior, found, model):
        return Realization(found, True)
    return Realization(unconstrained, False)


def _solid_prior(model: TorqueModel) -> Prior:
    """The robot's own bodies; a ball of 1 kg and 0.1 m radius of gyration in place of an inconsistent one."""
    size = model.projection.shape[1]
    center, root = np.zeros(size), np.zeros((size, size))
    values = np.array(parameter_values(model.robot))
    center[: len(values)] = values
    bodies = len(model.robot.bodies)
    for i in range(bodies):
        block = slice(WIDTH * i, WIDTH * (i + 1))
        center[block], root[block, block] = _solid_body(values[block])
    return Prior(center, root, model.projection, model.not_negative, model.dissipative, model.powers, bodies)


def _solid_body(own: Array) -> tuple[Array, Array]:
    """A prior body and L of its metric; a ball where `own` is no body, such as a first moment without mass."""
    for solid in (thickened(own), _BALL) if own.any() else (_BALL,):
        try:
            root = np.linalg.cholesky(metric(solid))
        except np.linalg.LinAlgError:
            continue
        return solid, np.asarray(root.T, dtype=np.float64)
    raise AssertionError("a ball is solid")


def _solutions(prior: Prior, x: Array) -> tuple[Array, Array]:
    """y_x and Z of (1); singular vectors, so that both are exact up to rounding."""
    u, s, vt = np.linalg.svd(prior.projection)
    rank = len(s)
    offset = (x - prior.projection @ prior.center) @ u / s
    return prior.center + offset @ vt[:rank], vt[rank:].T


def _rotors(model: TorqueModel) -> slice:
    """Slice of the rotors in y."""
    first = WIDTH * len(model.robot.bodies)
    return slice(first, first + len(model.robot.drives.motors))


def _is_consistent(prior: Prior, y: Array, model: TorqueModel) -> bool:
    bodies = y[: WIDTH * prior.bodies].reshape(-1, WIDTH)
    return is_consistent(bodies, slack=0.0) and bool(np.all(y[_rotors(model)] >= 0.0))


def _constrained(prior: Prior, start: Array, free: Array, model: TorqueModel) -> Array | None:
    """(2) over v, or None where there is none."""
    solids = []
    for i in range(prior.bodies):
        block = slice(WIDTH * i, WIDTH * (i + 1))
        rows, floor = solid_rows(prior.center[block], _MARGIN)
        solids.append((rows @ free[block], rows @ start[block] - floor))
    rotors = _rotors(model)
    right = prior.root @ (prior.center - start)
    v = nearest_solution(prior.root @ free, right, solids, (free[rotors], start[rotors]))
    return None if v is None else start + free @ v
