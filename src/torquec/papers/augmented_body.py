"""Effective inertia and inertial power: Kang's augmented bodies, and the sum over links.

Links are mass m, centre of mass c and central inertia tensor II, in the axes of their root:

(1)  c = h / m,    II = J - m (c'c 1 - c c')              in the file's frame: a canonical origin may lie far away
(2)  in other axes:    c -> o + R c,    II -> R II R'
(3)  the trace is invariant under rotation, so II_zz = tr II - II_xx - II_yy is computed by subtraction

Sum over links (Thomas & Tesar 1982; Kang (9), (10)), work n^4. With g_k the first-order influence coefficients of c,
h_jk = w_j x g_k the second-order ones, and i, j, k joints on the path to the link:

(4)  I_ik  += m g_i . g_k + w_i . II w_k
(5)  P1_ijk += m g_i . h_jk
(6)  P2_ijk += (II w_i) . (w_j x w_k)
(7)  P3_ijk += (w_i x w_j) . II w_k

Augmented bodies (Kang, section 4), work n^3. The augmented body k is link k and everything that it carries, distal
joints locked: mass M_k, centre of mass c_k, central inertia tensor III_k. From the tips inwards, for each child b:

(8)  M = M_k + M_b,     c = c_k + (M_b / M) (c_b - c_k)                          Kang (28), with the masses
(9)  III = III_k + III_b + mu (d'd 1 - d d'),   d = c_b - c_k,   mu = M_k M_b / M
     Kang (29): moving both bodies to the common centre is one term in the distance of their centres

With g_i the first-order coefficients of c_k, the momenta due to joint k itself are enough, for i, j at or before k:

(10) p = M_k g_k,    l = III_k w_k
(11) I_ik  = g_i . p + w_i . l                                                   Kang (23), (24)
(12) P1_ijk = g_i . (w_j x p)                                                    Kang (25)
(13) P2_ijk = (III_k w_i) . (w_j x w_k)                                          Kang (26)
(14) P3_ijk = (w_i x w_j) . l                                                    Kang (27)

Only the elements that determine the others (:mod:`torquec.papers.inertial_power`) are computed. P1, P2 and P3 of the
two methods differ: augmented bodies move carried mass from P1 to P2 and P3. I* and the symmetric part of P* are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.jacobian import axis_of, chains, root_poses
from torquec.dynamics.mechanism import Grouping, Mechanism, PlacedLink, mechanism, place
from torquec.errors import RobotError
from torquec.papers.inertial_power import Elements, InertialModel
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Matrix3, Pose, Scalar, Vector3, add, cross, dot, matmul, matvec, scale, subtract


@dataclass(frozen=True)
class CentralBody:
    """Mass, centre of mass and inertia tensor about it."""

    mass: Scalar
    center: Vector3
    tensor: Matrix3


def central_bodies(robot: Robot, m: Mechanism, poses: Sequence[Pose]) -> list[CentralBody]:
    """(1)-(3) for every link; a link without mass has its centre at its origin.

    Raises `RobotError` for a link that has a first moment but no mass.
    """
    bodies = []
    for body, link, pose in zip(robot.bodies, m.links, poses, strict=True):
        own = body.inertia
        if own.m == 0.0 and any(value != 0.0 for value in own.first_moment):
            raise RobotError(
                f"body '{body.name}' of robot '{robot.name}' has a first moment but no mass, so it has no centre",
                where=robot.source,
                remedy="use mass_point_sum, which needs no centres of mass",
            )
        # Constants: only one rotation remains to be done at q.
        center = link.frame.apply(own.center_of_mass)
        tensor = turned_tensor(link.frame.rotation, own.central_tensor)
        bodies.append(CentralBody(own.m, pose.apply(center), turned_tensor(pose.rotation, tensor)))
    return bodies


def turned_tensor(r: Matrix3, tensor: Matrix3) -> Matrix3:
    """II of (2), by (3), for a symmetric tensor."""
    left = matmul(r, tensor)
    xx, xy, xz = dot(left[0], r[0]), dot(left[0], r[1]), dot(left[0], r[2])
    yy, yz = dot(left[1], r[1]), dot(left[1], r[2])
    zz = (tensor[0][0] + tensor[1][1] + tensor[2][2]) - xx - yy
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def link_sum(robot: Robot, q: Sequence[Scalar]) -> InertialModel:
    """I* and P* at q (n,), with P1, P2 and P3 of (5)-(7) as parts.

    Raises `RobotError` for a link that has a first moment but no mass: it has no centre.
    """
    m = mechanism(robot, Grouping.NONE)
    placed = place(m, q)
    poses = root_poses(m, placed)
    axes = [axis_of(pose, link.column) for pose, link in zip(poses, placed, strict=True)]
    found = Elements()
    for body, way in zip(central_bodies(robot, m, poses), chains(placed), strict=True):
        g = {i: axes[i].first(body.center) for i in way}
        w = {i: axes[i].spin for i in way}
        momentum = {i: scale(g[i], body.mass) for i in way}
        turning = {i: matvec(body.tensor, w[i]) for i in way}
        for k in way:
            inner = [i for i in way if i <= k]
            for i in inner:
                found.inertia[i, k] += dot(g[i], momentum[k]) + dot(w[i], turning[k])
            for j in inner:
                h = cross(w[j], momentum[k])
                for i in inner[:-1]:
                    found.first[i, j, k] += dot(g[i], h)
            for j in inner[:-1]:
                h = cross(w[j], w[k])
                for i in inner:
                    found.second[i, j, k] += dot(turning[i], h)
                for i in inner[: inner.index(j)]:
                    found.third[i, j, k] += dot(cross(w[i], w[j]), turning[k])
    return found.model(m)


def augmented_body(robot: Robot, q: Sequence[Scalar]) -> InertialModel:
    """I* and P* at q (n,), with P1, P2 and P3 of (12)-(14) as parts.

    Raises `RobotError` for a link that has a first moment but no mass: it has no centre.
    """
    m = mechanism(robot, Grouping.NONE)
    placed = place(m, q)
    poses = root_poses(m, placed)
    axes = [axis_of(pose, link.column) for pose, link in zip(poses, placed, strict=True)]
    found = Elements()
    bodies = augmented_bodies(placed, central_bodies(robot, m, poses))
    for k, (body, way) in enumerate(zip(bodies, chains(placed), strict=True)):
        g = {i: axes[i].first(body.center) for i in way}
        w = {i: axes[i].spin for i in way}
        before = way[:-1]
        p = scale(g[k], body.mass)
        turning = {i: matvec(body.tensor, w[i]) for i in way}
        for i in way:
            found.inertia[i, k] = dot(g[i], p) + dot(w[i], turning[k])
        for j in way:
            change = cross(w[j], p)
            for i in before:
                found.first[i, j, k] = dot(g[i], change)
        for place_of_j, j in enumerate(before):
            h = cross(w[j], w[k])
            for i in way:
                found.second[i, j, k] = dot(turning[i], h)
            for i in before[:place_of_j]:
                found.third[i, j, k] = dot(cross(w[i], w[j]), turning[k])
    return found.model(m)


def augmented_bodies(placed: Sequence[PlacedLink], bodies: Sequence[CentralBody]) -> list[CentralBody]:
    """(8) and (9) for every link."""
    augmented = list(bodies)
    for i in reversed(range(len(placed))):
        parent = placed[i].parent
        if parent != BASE:
            augmented[parent] = _joined(augmented[parent], augmented[i])
    return augmented


def _joined(a: CentralBody, b: CentralBody) -> CentralBody:
    """Both bodies joined into one (8), (9)."""
    mass = a.mass + b.mass
    if a.mass == 0.0 or b.mass == 0.0:
        # A body without mass has no centre: the other one's is taken.
        return CentralBody(mass, a.center if b.mass == 0.0 else b.center, _sum(a.tensor, b.tensor))
    share = b.mass / mass
    d = subtract(b.center, a.center)
    steiner = _steiner(d, a.mass * share)
    return CentralBody(mass, add(a.center, scale(d, share)), _sum(_sum(a.tensor, b.tensor), steiner))


def _steiner(d: Vector3, mass: Scalar) -> Matrix3:
    """mass (d'd 1 - d d')."""
    x, y, z = d
    mx, my, mz = scale(d, mass)
    xx, yy, zz = mx * x, my * y, mz * z
    xy, xz, yz = -(mx * y), -(mx * z), -(my * z)
    return ((yy + zz, xy, xz), (xy, xx + zz, yz), (xz, yz, xx + yy))


def _sum(a: Matrix3, b: Matrix3) -> Matrix3:
    return (add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2]))
