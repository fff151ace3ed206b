"""Effective inertia and inertial power from mass points: Kang's P1 alone, summed over all points of every body.

A mass point has no rotation, so nothing but P1 is left of P*, and its properties hold for the whole array. Summed over
the composite body of joint k (mass m, moments h and E about the joint's origin), in the axes of link k, where joint i
moves a point r at v_i + w_i x r per unit of its speed:

(1)  joint k:   u = z x h,  n = J z  rotation,      u = m z,  n = h x z  translation      (as in `mass_matrix`)
(2)  I_ik  = v_i . u + w_i . n
(3)  S_ijk = v_i . (w_j x u) + w_i . b_j,
       b_j = (E w_j) x z  rotation k,      h x (w_j x z)  translation k,          i before k, j at or before k
(4)  to the next link outwards, at p and turned by R:   w -> R' w,   v -> R' (v + w x p)

S is symmetric in j, k; S_ijk with i < k, j <= k are all that determine it (`inertial_power`, (3)-(5)): n (n^2 - 1) / 3
of n^3 elements, without the three arrays and without centres of mass. (3) is (5)-(7) of `augmented_body`, made
symmetric: for symmetric E, the terms in J of P2 and of P3 (twice) add up to 2 (E w_j) . (w_k x w_i).
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.composite import composite_moments
from torquec.dynamics.mass_matrix import unit_acceleration_wrench
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import PlacedLink, mechanism, place
from torquec.papers.kang.inertial_power import Elements, InertialModel, collected, collected_inertia, complete_first
from torquec.robot.joints import UnitTwist
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Scalar, Vector3, add, cross, dot

Fields = dict[int, tuple[Vector3, Vector3]]
"""v and w of (1)-(4) by joint: how each joint moves the points of a link, at its origin and in its axes."""


def mass_point_sum(robot: Robot, q: Sequence[Scalar]) -> InertialModel:
    """I* and P* = S at q (n,); P* is symmetric in its last two indices and has no parts."""
    m = mechanism(robot)
    placed = place(m, q)
    composite = composite_moments(placed)
    found = Elements()
    for k, fields in enumerate(joint_fields(placed)):
        link, body = placed[k], composite[k]
        u, n = unit_acceleration_wrench(body, link.column)
        for i, (v, w) in fields.items():
            found.inertia[i, k] = dot(v, u) + dot(w, n)
        for j, (_, spin) in fields.items():
            force, moment = cross(spin, u), _moment(body, link.column, spin)
            for i, (v, w) in fields.items():
                if i != k:
                    found.first[i, j, k] = dot(v, force) + dot(w, moment)
    return InertialModel(collected_inertia(m, found.inertia), collected(m, complete_first(found.first)))


def joint_fields(placed: Sequence[PlacedLink]) -> list[Fields]:
    """(4) for every link: its own joint and those before it, root first."""
    found: list[Fields] = []
    for k, link in enumerate(placed):
        fields: Fields = {}
        if link.parent != BASE:
            for i, (v, w) in found[link.parent].items():
                fields[i] = link.turn.back(add(v, cross(w, link.origin))), link.turn.back(w)
        fields[k] = (link.column.linear, link.column.angular)
        found.append(fields)
    return found


def _moment(body: MassMoments, column: UnitTwist, w: Vector3) -> Vector3:
    """b_j of (3)."""
    if not column.turns:
        return cross(body.first, (w[1], -w[0], 0.0))
    return (
        body.xy * w[0] + body.yy * w[1] + body.yz * w[2],
        -(body.xx * w[0] + body.xy * w[1] + body.xz * w[2]),
        0.0,
    )
