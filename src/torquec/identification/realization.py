"""Bodies behind base parameters: the standard parameters nearest to a robot's own that give exactly these torques.

(1)  y = y_x + Z v:  Pi y_x = x, Pi Z = 0, so that every v gives the same torques
(2)  min |L (y - y0)| over v, subject to P_i(y) >= margin for every body, rotors not negative; by clarabel
(3)  without (2)'s constraints: the least squares solution, which is taken where it is consistent already

Base parameters for which (2) has no solution belong to no robot that could be built.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.identification.extras import need
from torquec.identification.prior import Prior, robot_prior
from torquec.identification.pseudo_inertia import (
    BASIS,
    WIDTH,
    body_parameters,
    is_consistent,
    metric,
    pseudo_inertia,
)
from torquec.identification.torque_model import TorqueModel
from torquec.trajectory.trajectory import Array

_MARGIN = 1e-5
"""Of the prior's own moments: how far inside the border a body stays, so that rounding in a file keeps it there."""


_BALL = np.array([0.01, 0.0, 0.0, 0.01, 0.0, 0.01, 0.0, 0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Realization:
    """Standard parameters and what follows them (p + f,), and whether every body of them could be built."""

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
    """The robot's own bodies; a ball of 1 kg and 0.1 m radius of gyration in place of one of which nothing is known."""
    prior = robot_prior(model)
    center, root = prior.center.copy(), prior.root.copy()
    for i, own in enumerate(body_parameters(model.robot)):
        if not own.any():
            block = slice(WIDTH * i, WIDTH * (i + 1))
            center[block] = _BALL
            root[block, block] = np.linalg.cholesky(metric(_BALL)).T
    return dataclasses.replace(prior, center=center, root=root)


def _solutions(prior: Prior, x: Array) -> tuple[Array, Array]:
    """y_x and Z of (1); singular vectors, so that both are exact up to rounding."""
    u, s, vt = np.linalg.svd(prior.projection)
    rank = len(s)
    offset = (x - prior.projection @ prior.center) @ u / s
    return prior.center + offset @ vt[:rank], vt[rank:].T


def _rotors(model: TorqueModel) -> slice:
    """Where the rotors stand in y."""
    first = WIDTH * len(model.robot.bodies)
    return slice(first, first + len(model.robot.drives.motors))


def _is_consistent(prior: Prior, y: Array, model: TorqueModel) -> bool:
    bodies = y[: WIDTH * prior.bodies].reshape(-1, WIDTH)
    return is_consistent(bodies, slack=0.0) and bool(np.all(y[_rotors(model)] >= 0.0))


def _constrained(prior: Prior, start: Array, free: Array, model: TorqueModel) -> Array | None:
    """(2), or None where there is none. Unknowns (v, t): min t, |L (start + Z v - y0)| <= t."""
    clarabel = need("clarabel", "physically consistent bodies")
    sparse = need("scipy.sparse", "physically consistent bodies")
    size = free.shape[1]
    pull = prior.root @ free
    left = [np.zeros((len(pull) + 1, size + 1))]
    left[0][0, -1] = -1.0
    left[0][1:, :-1] = -pull
    right = [np.concatenate([[0.0], prior.root @ (start - prior.center)])]
    cones: list[Any] = [clarabel.SecondOrderConeT(len(pull) + 1)]
    order = [(i, j) for j in range(4) for i in range(j + 1)]
    factor = np.array([1.0 if i == j else np.sqrt(2.0) for i, j in order])
    for i in range(prior.bodies):
        block = slice(WIDTH * i, WIDTH * (i + 1))
        root = np.diag(1.0 / np.sqrt(np.diag(pseudo_inertia(prior.center[block]))))
        scaled = np.einsum("ij,ajk,kl->ail", root, BASIS, root)
        rows = np.array([[matrix[a, b] for matrix in scaled] for a, b in order]) * factor[:, None]
        floor = np.array([_MARGIN if a == b else 0.0 for a, b in order])
        left.append(np.column_stack([-rows @ free[block], np.zeros(len(rows))]))
        right.append(rows @ start[block] - floor)
        cones.append(clarabel.PSDTriangleConeT(4))
    rotors = _rotors(model)
    if rotors.stop > rotors.start:
        left.append(np.column_stack([-free[rotors], np.zeros(rotors.stop - rotors.start)]))
        right.append(start[rotors])
        cones.append(clarabel.NonnegativeConeT(rotors.stop - rotors.start))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cost = np.zeros(size + 1)
    cost[-1] = 1.0
    solution = clarabel.DefaultSolver(
        sparse.csc_matrix((size + 1, size + 1)),
        cost,
        sparse.csc_matrix(np.vstack(left)),
        np.concatenate(right),
        cones,
        settings,
    ).solve()
    if str(solution.status) not in ("Solved", "AlmostSolved"):
        return None
    y: Array = start + free @ np.array(solution.x[:-1])
    return y
