"""What a robot's mass matrix exceeds wherever its joints are: a diagonal matrix, shown without dividing any box.

x' M(q) x - sum p_i x_i^2 is twice the kinetic energy of the robot with rotor inertias of -p_i besides its own, and
positive for all x where the smallest energy is. That is found joint by joint, from the tips (articulated bodies;
Featherstone 1983), with twists V = (angular velocity, velocity) of a link's frame, z on its axis:

(1)  K_i      energy V' K_i V of link i and all it carries, the joints beyond it moving as they like
(2)  D_i      = K_i,kk - p_i + rotor > 0, k the component along or about the axis: the pivot
(3)  B_i      = K_i - K_i,:k K_i,k: / D_i, the same with joint i moving as it likes, too
(4)  K_parent = link + sum over children of X' B_i X, X from the parent's twist to the child's, which depends on q_i

(2) and (3) grow with K_i, as minima over a motion do, so K_i may be replaced by any matrix below it. What depends on
q_i is the turn about (or shift along) the axis, and is gone where B_i is replaced by a matrix below it that such
motions do not change:

(5)  about the axis: seven numbers, those with the largest sum in parts of B_i, by Newton's method on a barrier
(6)  along the axis: the smallest energy with both velocities across the axis free

What was chosen in (5) is tested by a factorization, with far more room than rounding takes.
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
"""Taken off every diagonal in (5), as a part of the energy of its component: a thousand times what (1)-(4) round by."""

_ABOUT = 3.0
"""How much more the component about the axis counts in (5): the next joints take from it what rotors lack."""

_FINEST = 1e-4
"""How near the largest sum (5) comes, in parts of it: the seven numbers add up to six."""

_LIGHTEST = 1e-9
"""Energies in (5) are measured in those of a matrix whose smallest part is at least this part of its largest."""

_SLOWEST = 60
"""Steps for one barrier of (5), which takes five or so; more of them means that it is no problem of ours."""


def exceeds_diagonal(robot: Robot, diagonal: Sequence[float] | Array) -> bool:
    """Whether M(q) - diag(`diagonal`) (n,) is shown to be positive definite at all positions (1)-(6)."""
    return articulated_inertia_lower_bound(robot, diagonal) is not None


def articulated_inertia_lower_bound(robot: Robot, diagonal: Sequence[float] | Array) -> Array | None:
    """Numbers (n,) below the pivots (2) of M(q) - diag(`diagonal`) wherever q is, all positive; None if none are shown.

    Of a joint that others follow, the pivot is that of its own body.
    """
    rotors = np.array(robot.drives.reflected_inertia(robot.n), dtype=np.float64).reshape(robot.n, robot.n)
    rotors = np.triu(rotors) + np.triu(rotors, 1).T
    own = 2.0 * np.diag(rotors) - np.abs(rotors).sum(axis=1)  # a diagonal below the rotors' matrix
    leads = {c.index: b for b, c in reversed(list(enumerate(coordinates(robot)))) if _is_leader(robot, b)}
    bodies = [leads[index] for index in range(robot.n)]
    rotor, taken = np.zeros(len(robot.bodies)), np.zeros(len(robot.bodies))
    rotor[bodies], taken[bodies] = own, diagonal  # energies of followers are not negative, and left alone
    alone = _below(robot.canonical.links, rotor, taken=np.zeros_like(taken), measures=None)
    found = None if alone is None else _below(robot.canonical.links, rotor, taken=taken, measures=alone.free)
    return None if found is None else found.pivots[bodies]


def _is_leader(robot: Robot, body: int) -> bool:
    return robot.bodies[body].joint.mimic is None


@dataclass(frozen=True)
class _Below:
    """What is below pivots (2), and below the energies (3) of links whose joints are free."""

    pivots: Array
    free: list[Array]


def _below(
    links: Sequence[CanonicalLink], rotor: Array, *, taken: Array, measures: Sequence[Array] | None
) -> _Below | None:
    """(1)-(4) with `taken` off each pivot; sums of (5) in parts of the energies `measures`, or of their own."""
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
        # What no turn about (or shift along) the axis changes, the joint's own does not: all the rest is constant.
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
    """The twist at a point p, from that at the origin."""
    X = np.eye(6)
    X[3:, :3] = -_cross(p)
    return X


def _turned(link: CanonicalLink) -> Array:
    """A twist in the link's axes, of a turning joint at q = -theta, from that in those of the parent."""
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
"""Forms of a twist that a turn about z does not change; all others are sums of these."""

_SIZES = np.einsum("aij,aij->a", _UNCHANGED, _UNCHANGED)
"""Their squared norms; they are orthogonal."""


def _mean(B: Array) -> Array:
    """The seven numbers of B's mean over all turns about z."""
    mean: Array = np.einsum("aij,ij->a", _UNCHANGED, B) / _SIZES
    return mean


def _form(numbers: Array) -> Array:
    form: Array = np.einsum("a,aij->ij", numbers, _UNCHANGED)
    return form


def _about_the_axis(B: Array, K: Array, measure: Array) -> Array | None:
    """(5): a form below B that turns about z do not change, or None where none was found."""
    try:
        unit, inverse = _units(measure, K[2, 2])
        found = _largest_below(inverse @ B @ inverse)
    except np.linalg.LinAlgError:  # next to nothing moves, or less than nothing where more was taken than there is
        return None
    if found is None:
        return None
    rounding = 2.0 * _form(_mean(_ROUNDING * np.diag(np.abs(np.diag(K)))))  # twice a mean of two is at least each
    below = unit @ found @ unit - rounding
    return below if _is_positive(B - below) else None


def _units(measure: Array, about: float) -> tuple[Array, Array]:
    """A root of the measure's mean, to which what is `about` the axis is added, and the root's inverse."""
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
            decrement = float(gradient @ step)  # of a self-concordant function: a step below one never leaves the cone
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
    """(6): velocities across the axis as they cost least, whatever the displacement."""
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
