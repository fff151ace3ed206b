"""Effective inertia I* and inertial power P* from the elements that determine them, and both by mass points.

(1)  torque_i = sum_j I*_ij qdd_j + sum_jk P*_ijk qd_j qd_k,      i the plane, j the row, k the column

P* is the sum of three arrays: P1 from the accelerations of mass centres, P2 from angular accelerations, P3 from
gyroscopic moments. With joints numbered outwards along a chain (i, j, k on one chain, zero elsewhere):

(2)  I_ij  =  I_ji                                      P2 of Kang's list
(3)  P1_ijk =  P1_ikj                                   P3
(4)  P1_ijk = -P1_kji       for j <= k < i              P4, corrected
(5)  P1_iji =  0 for j <= i,   P1_iik = 0 for k <= i    P5
(6)  P2_ijk =  0            for j >= k                  P6, corrected
(7)  P3_ijk = -P3_jik                                   P7, P8
(8)  P3_ijk =  P2_kij       for i < j, any k            P9, P10, corrected

so that P1 with i < k, j <= k, P2 with i <= k, j < k and P3 with i < j < k determine P*. (3)-(5) also hold for the
whole of a symmetric P*: torques do not change when P* is replaced by

(9)  S_ijk = (P*_ijk + P*_ikj) / 2,     the Christoffel symbols of the first kind

Kang, section 3.

Mass points: Kang's P1 alone, summed over all points of every body. A mass point has no rotation, so P* is P1 alone,
whose properties then hold for the whole array. Summed over the composite body of joint k (mass m, moments h and E about
the joint's origin), in the axes of link k, where joint i moves a point r at v_i + w_i x r per unit of its speed:

(10)  joint k:   u = z x h,  n = J z  rotation,      u = m z,  n = h x z  translation      (as in `mass_matrix`)
(11)  I_ik  = v_i . u + w_i . n
(12)  S_ijk = v_i . (w_j x u) + w_i . b_j,
       b_j = (E w_j) x z  rotation k,      h x (w_j x z)  translation k,          i before k, j at or before k
(13)  to the next link outwards, at p and turned by R:   w -> R' w,   v -> R' (v + w x p)

S is symmetric in j, k; its elements S_ijk with i < k, j <= k determine it ((3)-(5)): n (n^2 - 1) / 3 of n^3 elements,
without the three arrays and without centres of mass. (12) is (12)-(14) of `augmented_body`, made symmetric: for
symmetric E, the terms in J of P2 and of P3 (twice) add up to 2 (E w_j) . (w_k x w_i).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torquec.dynamics.composite import composite_moments
from torquec.dynamics.mass_matrix import unit_acceleration_wrench
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Mechanism, PlacedLink, mechanism, place
from torquec.robot.joints import UnitTwist
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Scalar, Vector3, add, cross, dot

Array3 = tuple[tuple[tuple[Scalar, ...], ...], ...]
Pair = tuple[int, int]
Triple = tuple[int, int, int]


@dataclass(frozen=True)
class InertialModel:
    """I* (n, n), reflected motor inertia included, and P* (n, n, n) in the order [i][j][k] of (1).

    `parts` are P1, P2 and P3, where the method has them.
    """

    inertia: tuple[tuple[Scalar, ...], ...]
    power: Array3
    parts: tuple[Array3, ...] = ()

    def torque(self, qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
        """I* qdd + qd' P* qd, (n,): inertial torques without gravity (1)."""
        result = []
        for row, plane in zip(self.inertia, self.power, strict=True):
            total: Scalar = 0.0
            for value, acceleration in zip(row, qdd, strict=True):
                total = total + value * acceleration
            for values, left in zip(plane, qd, strict=True):
                for value, right in zip(values, qd, strict=True):
                    total = total + value * (left * right)
            result.append(total)
        return result

    @property
    def symmetric_power(self) -> Array3:
        """S of (9), (n, n, n)."""
        n = range(len(self.power))
        return tuple(tuple(tuple(0.5 * (plane[j][k] + plane[k][j]) for k in n) for j in n) for plane in self.power)


def _sums() -> dict[Any, Scalar]:
    """A table whose entries start at zero."""
    return defaultdict(float)


@dataclass(frozen=True)
class Elements:
    """The elements that determine I*, P1, P2 and P3, between links: tables that a method adds to."""

    inertia: dict[Pair, Scalar] = field(default_factory=_sums)
    first: dict[Triple, Scalar] = field(default_factory=_sums)
    second: dict[Triple, Scalar] = field(default_factory=_sums)
    third: dict[Triple, Scalar] = field(default_factory=_sums)

    def model(self, m: Mechanism) -> InertialModel:
        """I* and P* from P1, P2 and P3 by (2)-(8)."""
        completed = (
            complete_first(self.first),
            complete_second(self.second, self.third),
            complete_third(self.second, self.third),
        )
        parts = tuple(collected(m, part) for part in completed)
        size = range(m.n)
        power = tuple(
            tuple(tuple(parts[0][i][j][k] + parts[1][i][j][k] + parts[2][i][j][k] for k in size) for j in size)
            for i in size
        )
        return InertialModel(collected_inertia(m, self.inertia), power, parts)


def complete_first(known: Mapping[Triple, Scalar]) -> dict[Triple, Scalar]:
    """P1, or a whole symmetric P*, from its elements with i < k, j <= k by (3)-(5).

    >>> complete_first({(0, 0, 1): 7.0, (0, 1, 1): 8.0}) == {
    ...     (0, 0, 1): 7.0, (0, 1, 0): 7.0, (1, 0, 0): -7.0, (0, 1, 1): 8.0}
    True
    """
    full: dict[Triple, Scalar] = {}
    for (i, j, k), value in known.items():
        full[i, j, k] = full[i, k, j] = value
        if j <= i:
            full[k, j, i] = full[k, i, j] = -value
    return full


def complete_second(second: Mapping[Triple, Scalar], third: Mapping[Triple, Scalar]) -> dict[Triple, Scalar]:
    """P2 from its elements with i <= k, j < k and those of P3 with i < j < k, by (6) and (8)."""
    return {**second, **{(k, i, j): value for (i, j, k), value in third.items()}}


def complete_third(second: Mapping[Triple, Scalar], third: Mapping[Triple, Scalar]) -> dict[Triple, Scalar]:
    """P3 from the same elements, by (7) and (8)."""
    upper = {**third, **{(j, k, i): value for (i, j, k), value in second.items()}}
    return {**upper, **{(j, i, k): -value for (i, j, k), value in upper.items()}}


def collected(m: Mechanism, full: Mapping[Triple, Scalar]) -> Array3:
    """An array between links as one between coordinates, (n, n, n): mimic joints add to the joint they follow."""
    total: list[list[list[Scalar]]] = [[[0.0] * m.n for _ in range(m.n)] for _ in range(m.n)]
    for (i, j, k), value in full.items():
        a, b, c = m.coordinates[i], m.coordinates[j], m.coordinates[k]
        row = total[a.index][b.index]
        row[c.index] = row[c.index] + (a.multiplier * b.multiplier * c.multiplier) * value
    return tuple(tuple(tuple(row) for row in plane) for plane in total)


def collected_inertia(m: Mechanism, known: Mapping[Pair, Scalar]) -> tuple[tuple[Scalar, ...], ...]:
    """I* (n, n) between coordinates from its elements with i <= j between links (2), with the motors' inertia."""
    total: list[list[Scalar]] = [list(row) for row in m.reflected_inertia]
    for (i, j), value in known.items():
        a, b = m.coordinates[i], m.coordinates[j]
        scaled = (a.multiplier * b.multiplier) * value
        total[a.index][b.index] = total[a.index][b.index] + scaled
        if i != j:
            total[b.index][a.index] = total[b.index][a.index] + scaled
    return tuple(tuple(row) for row in total)


Fields = dict[int, tuple[Vector3, Vector3]]
"""v and w of (10)-(13) by joint: how each joint moves the points of a link, at its origin and in its axes."""


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
    """(13) for every link: its own joint and those before it, root first."""
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
    """b_j of (12)."""
    if not column.turns:
        return cross(body.first, (w[1], -w[0], 0.0))
    return (body.xy * w[0] + body.yy * w[1] + body.yz * w[2], -(body.xx * w[0] + body.xy * w[1] + body.xz * w[2]), 0.0)
