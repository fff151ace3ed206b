"""Pseudo-inertia: when the ten parameters of a body are those of some mass distribution, and how far two bodies are.

(1)  P = [[S, h], [h', m]],  S = integral x x' dm = tr(J)/2 1 - J,   h = m c      (4, 4), linear in the ten parameters
(2)  a body with those parameters exists exactly if P is positive semidefinite
(3)  distance to a prior P0, in squares: d^2 = tr((P0^-1 (P - P0))^2)/2, the same in every frame and in every unit
(4)  entropic divergence: d = tr(P0^-1 P) - log det(P0^-1 P) - 4; (3) is its second-order part

Wensing, Kim, Slotine (2018); Lee, Wensing, Park (2020).
"""

from __future__ import annotations

import numpy as np

from torquec.foundation.arrays import Array
from torquec.robot.robot import Robot

WIDTH = 10
_SMALLEST = 1e-3
"""Relative to the mean of a body's moments: a prior that is thinner than this is thickened before (3) divides by it."""
_LIGHTEST = 1e-4  # [kg], and [m^2] of a radius of gyration: a body of a file that states next to nothing


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
    """Whether every body (.., 10) has a mass distribution (2), up to `slack` of its largest moment."""
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
