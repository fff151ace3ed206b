"""Pseudo-inertia: physical consistency of a body's ten parameters, distance of two bodies, and the conic program.

(1)  P = [[S, h], [h', m]],  S = integral x x' dm = tr(J)/2 1 - J,   h = m c      (4, 4), linear in the ten parameters
(2)  a body with those parameters exists if and only if P is positive semidefinite
(3)  distance to a prior P0, in squares: d^2 = tr((P0^-1 (P - P0))^2)/2, the same in every frame and in every unit
(4)  entropic divergence: d = tr(P0^-1 P) - log det(P0^-1 P) - 4; (3) is its second-order part

Wensing, Kim, Slotine (2018); Lee, Wensing, Park (2020).

Physical consistency as a cone, for a conic solver (clarabel):

(5)  P(phi) - floor >= 0 (4, 4), P scaled on both sides by 1/sqrt of the diagonal of a body of about the same size, so
     that all numbers are about one
(6)  the solver's order: upper triangle, column by column, entries off the diagonal times sqrt(2)
(7)  min |R v - z| subject to cones is given as  min t, (t, R v - z) in a second-order cone
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from torquec.foundation.arrays import Array
from torquec.identification.extras import need
from torquec.robot.robot import Robot

AffineRows: TypeAlias = tuple[Array, Array]

_ORDER = [(i, j) for j in range(4) for i in range(j + 1)]
_FACTOR = np.array([1.0 if i == j else np.sqrt(2.0) for i, j in _ORDER])


def solid_rows(size: Array, margin: float) -> tuple[Array, Array]:
    """Rows (10, 10) and floor (10,) of (5), (6): rows @ phi - floor is in the cone; `size` (10,) is a scaling body."""
    root = np.diag(1.0 / np.sqrt(np.diag(pseudo_inertia(size))))
    scaled = np.einsum("ij,ajk,kl->ail", root, BASIS, root)
    rows = np.array([[matrix[i, j] for matrix in scaled] for i, j in _ORDER]) * _FACTOR[:, None]
    return rows, np.array([margin if i == j else 0.0 for i, j in _ORDER])


def nearest_solution(
    rows: Array, right: Array, solids: Sequence[AffineRows], positive: AffineRows | None = None
) -> Array | None:
    """Minimizer v (m,) of |rows v - right| under cone constraints (7), or None where they are infeasible.

    Each of `solids` is (left (10, m), offset (10,)): left v + offset, in the order (6), is positive semidefinite;
    `positive` likewise is not negative. Raises `MissingExtraError` without clarabel or scipy.
    """
    clarabel = need("clarabel", "solid bodies")
    sparse = need("scipy.sparse", "solid bodies")
    m = rows.shape[1]
    first = np.zeros((len(rows) + 1, m + 1))
    first[0, -1] = -1.0
    first[1:, :-1] = -rows
    cones: list[Any] = [clarabel.SecondOrderConeT(len(rows) + 1)]
    cones += [clarabel.PSDTriangleConeT(4) for _ in solids]
    parts = list(solids)
    if positive is not None and len(positive[1]):
        cones.append(clarabel.NonnegativeConeT(len(positive[1])))
        parts.append(positive)
    left = np.vstack([first, *(np.column_stack([-part, np.zeros(len(part))]) for part, _ in parts)])
    offsets = np.concatenate([[0.0], -right, *(offset for _, offset in parts)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cost = np.zeros(m + 1)
    cost[-1] = 1.0
    nothing = sparse.csc_matrix((m + 1, m + 1))
    solution = clarabel.DefaultSolver(nothing, cost, sparse.csc_matrix(left), offsets, cones, settings).solve()
    return np.array(solution.x[:-1]) if str(solution.status) in ("Solved", "AlmostSolved") else None


WIDTH = 10
_SMALLEST = 1e-3
"""Smallest eigenvalue of a prior's P, relative to the mean of the body's moments: raised to it before (3) inverts P."""
_LIGHTEST = 1e-4  # [kg], and [m^2] of a squared radius of gyration: least values for bodies with almost no inertia


def pseudo_inertia(parameters: Array) -> Array:
    """P (..., 4, 4) of (1) for parameters (..., 10) in the order of `PARAMETER_NAMES`.

    >>> np.linalg.eigvalsh(pseudo_inertia(np.array([2.0, 0, 0, 2.0, 0, 2.0, 0, 0, 0, 1.0]))).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    matrix: Array = np.tensordot(np.asarray(parameters, dtype=np.float64), _BASIS, axes=1)
    return matrix


def _basis() -> Array:
    basis = np.zeros((WIDTH, 4, 4))
    for k, (i, j) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))):
        if i == j:
            basis[k][:3, :3] = 0.5 * np.eye(3)
            basis[k][i, i] = -0.5
        else:
            basis[k][i, j] = basis[k][j, i] = -1.0
    for k in range(3):
        basis[6 + k][k, 3] = basis[6 + k][3, k] = 1.0
    basis[9][3, 3] = 1.0
    return basis


_BASIS = _basis()
BASIS = _BASIS
"""P of each unit parameter, (10, 4, 4)."""


def is_consistent(parameters: Array, *, slack: float = 1e-9) -> bool:
    """Whether every body (.., 10) is physically consistent (2), up to `slack` of its largest moment."""
    eigenvalues = np.linalg.eigvalsh(pseudo_inertia(parameters))
    largest = np.abs(eigenvalues).max(axis=-1)
    return bool(np.all(eigenvalues.min(axis=-1) >= -slack * largest))


def thickened(parameters: Array) -> Array:
    """The nearest parameters (10,) whose P is safely positive definite: eigenvalues that are too small are raised."""
    p = pseudo_inertia(parameters)
    # Moments and mass have different units: the eigenvalues are taken of P scaled by a radius of gyration.
    mass = max(float(p[3, 3]), _LIGHTEST)
    radius = np.sqrt(max(float(np.trace(p[:3, :3])) / 3.0, _LIGHTEST * mass) / mass)
    scale = np.diag([1.0 / radius] * 3 + [1.0])
    values, vectors = np.linalg.eigh(scale @ p @ scale)
    values = np.maximum(values, _SMALLEST * max(float(values.mean()), _LIGHTEST))
    back = np.linalg.inv(scale)
    return from_pseudo_inertia(back @ (vectors * values) @ vectors.T @ back)


def from_pseudo_inertia(p: Array) -> Array:
    """The ten parameters of a symmetric P (4, 4), the inverse of (1)."""
    tensor = np.trace(p[:3, :3]) * np.eye(3) - p[:3, :3]
    return np.array([*tensor[np.triu_indices(3)], *p[:3, 3], p[3, 3]])


def metric(prior: Array) -> Array:
    """G (10, 10) of (3) at a prior (10,): d^2 = (phi - prior)' G (phi - prior)."""
    inverse = np.linalg.inv(pseudo_inertia(prior))
    turned = np.einsum("ij,ajk->aik", inverse, _BASIS)
    g: Array = 0.5 * np.einsum("aij,bji->ab", turned, turned)
    return g


def body_parameters(robot: Robot) -> Array:
    """The robot's own parameters (bodies, 10)."""
    return np.array([[float(value) for value in body.inertia.parameters] for body in robot.bodies])
