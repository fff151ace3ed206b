"""Effective inertia and inertial power from generalized augmented bodies.

The augmented body k is link k and everything that it carries, the joints beyond k held still: mass M_k, centre of mass
c_k, central inertia tensor III_k. From the tips inwards, for each child b:

(1)  M = M_k + M_b,     c = c_k + (M_b / M) (c_b - c_k)                          Kang (28), with the masses
(2)  III = III_k + III_b + mu (d'd 1 - d d'),   d = c_b - c_k,   mu = M_k M_b / M
     Kang (29): both bodies are moved to the common centre, which is one term in the distance of their centres

With g_i the first-order coefficients of c_k, the momenta due to joint k itself are enough, for i, j at or before k:

(3)  p = M_k g_k,    l = III_k w_k
(4)  I_ik  = g_i . p + w_i . l                                                   Kang (23), (24)
(5)  P1_ijk = g_i . (w_j x p)                                                    Kang (25)
(6)  P2_ijk = (III_k w_i) . (w_j x w_k)                                          Kang (26)
(7)  P3_ijk = (w_i x w_j) . l                                                    Kang (27)

The other elements follow (`inertial_power.py`). P1, P2 and P3 are not those of the sum over links:
the mass that bodies carry is moved from P1 to P2 and P3. I* and the symmetric part of P* are the same.

Kang, section 4.
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.jacobian import axis_of, chains, root_poses
from torquec.dynamics.mechanism import Grouping, PlacedLink, mechanism, place
from torquec.papers.kang.central_body import CentralBody, central_bodies
from torquec.papers.kang.inertial_power import Elements, InertialModel
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Matrix3, Scalar, Vector3, add, cross, dot, matvec, scale, subtract


def augmented_body(robot: Robot, q: Sequence[Scalar]) -> InertialModel:
    """I* and P* at q (n,), with P1, P2 and P3 of (5)-(7) as parts.

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
    """(1) and (2) for every link."""
    augmented = list(bodies)
    for i in reversed(range(len(placed))):
        parent = placed[i].parent
        if parent != BASE:
            augmented[parent] = _joined(augmented[parent], augmented[i])
    return augmented


def _joined(a: CentralBody, b: CentralBody) -> CentralBody:
    """Both as one (1), (2)."""
    mass = a.mass + b.mass
    if a.mass == 0.0 or b.mass == 0.0:
        # Only the other one has a centre to speak of.
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
