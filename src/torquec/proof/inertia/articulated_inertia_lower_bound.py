"""Configuration-independent diagonal lower bound of the mass matrix M(q), proven without subdivision.

x' M(q) x - sum p_i x_i^2 is twice the kinetic energy of the robot with -p_i added to its rotor inertias. It is positive
for all x if all pivots (2) are. Pivots follow joint by joint from the tips (articulated-body inertias; Featherstone
1983), with twists V = (angular velocity, velocity) of a link's frame, z on its axis:

(1)  K_i      articulated-body inertia: energy V' K_i V of link i and all it carries, distal joints free
(2)  D_i      = K_i,kk - p_i + rotor > 0, k the component along or about the axis: the pivot
(3)  B_i      = K_i - K_i,:k K_i,k: / D_i, the same with joint i free, too
(4)  K_parent = link + sum over children of X' B_i X, X from the parent's twist to the child's, which depends on q_i

(2) and (3) are monotone in K_i, as minima over a motion, so K_i may be replaced by any lower bound. X depends on q_i
only by the rotation about (or translation along) the axis; this dependence vanishes if B_i is replaced by a lower bound
that is invariant under such motions:

(5)  about the axis: a form of seven numbers, with the largest sum relative to B_i, by Newton's method on a barrier
(6)  along the axis: the minimal energy with both velocities normal to the axis free

The result of (5) is verified by a factorization, with a margin far above rounding errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.dynamics.mechanism import coordinates
from torquec.foundation.arrays import Array
from torquec.robot.canonical import CanonicalLink
from torquec.robot.right_angle import exact_cos_sin
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Inertia, Vector3, matmul, rotation_z

_ROUNDING = 1e-12
"""Margin of every diagonal entry in (5), relative to it: a thousand times the rounding error of (1)-(4)."""

_ABOUT = 3.0  # weight of the component about the axis in (5): proximal pivots with small rotor inertias depend on it
_FINEST = 1e-4  # least barrier weight: relative distance of (5) from the largest sum, which is about six
_LIGHTEST = 1e-9  # floor of the eigenvalues, relative to the largest, of the matrix by which energies in (5) are scaled
_SLOWEST = 60  # limit of Newton steps for one barrier of (5), which takes about five; more are a failure


def exceeds_diagonal(robot: Robot, diagonal: Sequence[float] | Array) -> bool:
    """Whether M(q) - diag(`diagonal`) (n,) is shown to be positive definite at all positions (1)-(6)."""
    return articulated_inertia_lower_bound(robot, diagonal) is not None


def articulated_inertia_lower_bound(robot: Robot, diagonal: Sequence[float] | Array) -> Array | None:
    """Positive lower bounds (n,) of the pivots (2) of M(q) - diag(`diagonal`) for all q; None if none are proven.

    A joint that others mimic has the pivot of its own body.
    """
    rotors = np.array(robot.drives.reflected_inertia(robot.n), dtype=np.float64).reshape(robot.n, robot.n)
    rotors = np.triu(rotors) + np.triu(rotors, 1).T
    own = 2.0 * np.diag(rotors) - np.abs(rotors).sum(axis=1)  # a diagonal below the rotors' matrix
    leads = {c.index: b for b, c in reversed(list(enumerate(coordinates(robot)))) if _is_leader(robot, b)}
    bodies = [leads[index] for index in range(robot.n)]
    rotor, taken = np.zeros(len(robot.bodies)), np.zeros(len(robot.bodies))
    rotor[bodies], taken[bodies] = own, diagonal  # followers' energies are not negative: nothing is subtracted
    alone = _below(robot.canonical.links, rotor, taken=np.zeros_like(taken), measures=None)
    found = None if alone is None else _below(robot.canonical.links, rotor, taken=taken, measures=alone.free)
    return None if found is None else found.pivots[bodies]


def _is_leader(robot: Robot, body: int) -> bool:
    return robot.bodies[body].joint.mimic is None


@dataclass(frozen=True)
class _Below:
    """Lower bounds of the pivots (2), and of the energies (3) of links whose joints are free."""

    pivots: Array
    free: list[Array]


def _below(
    links: Sequence[CanonicalLink], rotor: Array, *, taken: Array, measures: Sequence[Array] | None
) -> _Below | None:
    """(1)-(4) with `taken` subtracted from the pivots; sums of (5) are relative to `measures`, or to their own."""
    energies = [_energy(link.inertia) for link in links]
    free = [np.zeros((6, 6))] * len(links)
    pivots = np.zeros(len(links))
    for i in reversed(range(len(links))):
        link, K = links[i], energies[i]
        k = link.column.axis + (0 if link.column.turns else 3)
        pivots[i] = K[k, k] + rotor[i] - taken[i] - _ROUNDING * (abs(K[k, k]) + abs(rotor[i]) + abs(taken[i]))
        if not pivots[i] > 0.0:
            return None
        if link.parent == BASE or not K.any():
            continue
        free[i] = K - np.outer(K[k], K[k]) / pivots[i]
        measure = free[i] if measures is None else measures[i]
        turns = link.column.turns
        below = _about_the_axis(free[i], K, measure) if turns else _along_the_axis(free[i], K)
        if below is None:
            return None
        # Invariant under rotation about (or translation along) the axis, so independent of q_i; the rest is constant.
        X = _shift((0.0, 0.0, link.d)) @ _turned(link) @ _shift(link.pre.origin)
        energies[link.parent] = energies[link.parent] + X.T @ below @ X
    return _Below(pivots, free)


def _energy(inertia: Inertia) -> Array:
    """V' K V of a body."""
    h = _cross(inertia.first_moment)
    K = np.zeros((6, 6))
    K[:3, :3], K[3:, 3:] = np.array(inertia.tensor, dtype=np.float64), inertia.m * np.eye(3)
    K[:3, 3:], K[3:, :3] = h, h.T
    return K


def _cross(p: Vector3) -> Array:
    x, y, z = (float(c) for c in p)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _shift(p: Vector3) -> Array:
    """Matrix from the twist at the origin to that at a point p."""
    X = np.eye(6)
    X[3:, :3] = -_cross(p)
    return X


def _turned(link: CanonicalLink) -> Array:
    """Matrix from a twist in the parent's axes to one in the link's axes, with a revolute joint at q = -theta."""
    rotation = (
        link.pre.rotation if link.column.turns else matmul(link.pre.rotation, rotation_z(*exact_cos_sin(link.theta)))
    )
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = np.array(rotation, dtype=np.float64).T
    return X


def _pair(i: int, j: int) -> Array:
    found = np.zeros((6, 6))
    found[i, j] = found[j, i] = 1.0
    return found


_UNCHANGED = np.stack(
    [
        _pair(2, 2),
        _pair(5, 5),
        _pair(2, 5),
        _pair(0, 0) + _pair(1, 1),
        _pair(3, 3) + _pair(4, 4),
        _pair(0, 3) + _pair(1, 4),
        _pair(0, 4) - _pair(1, 3),
    ]
)
"""Basis of the quadratic forms of a twist that are invariant under rotation about z."""

_SIZES = np.einsum("aij,aij->a", _UNCHANGED, _UNCHANGED)  # their squared norms; they are orthogonal


def _mean(B: Array) -> Array:
    """The seven numbers of B's mean over all turns about z."""
    mean: Array = np.einsum("aij,ij->a", _UNCHANGED, B) / _SIZES
    return mean


def _form(numbers: Array) -> Array:
    form: Array = np.einsum("a,aij->ij", numbers, _UNCHANGED)
    return form


def _about_the_axis(B: Array, K: Array, measure: Array) -> Array | None:
    """(5): a lower bound of B that is invariant under rotation about z, or None where none was found."""
    try:
        unit, inverse = _units(measure, K[2, 2])
        found = _largest_below(inverse @ B @ inverse)
    except np.linalg.LinAlgError:  # inertia is almost zero, or negative where `taken` exceeds it
        return None
    if found is None:
        return None
    rounding = 2.0 * _form(_mean(_ROUNDING * np.diag(np.abs(np.diag(K)))))  # twice a mean of two is at least each
    below = unit @ found @ unit - rounding
    return below if _is_positive(B - below) else None


def _units(measure: Array, about: float) -> tuple[Array, Array]:
    """A root of the measure's mean, with `about` added for the component about the axis, and the root's inverse."""
    values, vectors = np.linalg.eigh(_form(_mean(measure)) + about * _pair(2, 2))
    root = np.sqrt(np.maximum(values, _LIGHTEST * np.abs(values).max()))
    return (vectors * root) @ vectors.T, (vectors / root) @ vectors.T


def _largest_below(B: Array) -> Array | None:
    """(5) in the units of the measure: the form F with the largest sum of w_kk F_kk + t log det(B - F), for smaller and
    smaller t.
    """
    slope = np.einsum("aii->a", _UNCHANGED) + (_ABOUT - 1.0) * _UNCHANGED[:, 2, 2]
    numbers = _mean(B)
    numbers = numbers - _mean(np.eye(6) * (0.1 + max(0.0, float(np.linalg.eigvalsh(_form(numbers) - B)[-1]))))
    barrier = 0.1
    while barrier > _FINEST:
        for _ in range(_SLOWEST):
            inverse = np.linalg.inv(B - _form(numbers))
            gradient = slope / barrier - np.einsum("aij,ij->a", _UNCHANGED, inverse)
            step = np.linalg.solve(np.einsum("aij,bij->ab", inverse @ _UNCHANGED @ inverse, _UNCHANGED), gradient)
            decrement = float(gradient @ step)  # self-concordant function: a decrement below one never leaves the cone
            if not 0.0 <= decrement < np.inf:
                return None
            numbers = numbers + step / (1.0 + np.sqrt(decrement))
            if decrement < 0.01:
                break
        else:
            return None
        barrier *= 0.2
    return _form(numbers)


def _along_the_axis(B: Array, K: Array) -> Array | None:
    """(6): the energy minimized over velocities normal to the axis, valid for any displacement."""
    across, others = np.array([3, 4]), np.array([0, 1, 2, 5])
    free = B[np.ix_(across, across)]
    if not _is_positive(free - _ROUNDING * np.diag(np.diag(K)[across])):
        return None
    below = np.zeros((6, 6))
    coupling = B[np.ix_(others, across)]
    below[np.ix_(others, others)] = B[np.ix_(others, others)] - coupling @ np.linalg.solve(free, coupling.T)
    return below - _ROUNDING * np.diag(np.where(np.isin(np.arange(6), others), np.abs(np.diag(K)), 0.0))


def _is_positive(A: Array) -> bool:
    try:
        np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        return False
    return bool(np.all(np.isfinite(A)))
