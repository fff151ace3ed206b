"""Velocity moments of composite bodies: what the Coriolis matrix and the derivatives need beyond the mass moments.

For the particles of link i and of everything that it carries, r from the origin of link i, v relative to that
origin's velocity:

(1)  P = sum m v,     D = sum m r v'
(2)  own body:   P = w x h,    D = E [w x]'
(3)  from child c at p, whose origin moves at u = w_p x p (+ qd z, translation) relative to the parent's:
       P += m_c u + R P_c
       D += R D_c R' + p (m_c u + R P_c)' + (R h_c) u'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Coordinate, PlacedLink
from torquec.robot.robot import BASE
from torquec.spatial import Matrix3, Scalar, Vector3, add, cross, scale


@dataclass(frozen=True)
class VelocityMoments:
    """P and D of (1), in the axes of the link."""

    linear: Vector3
    moment: Matrix3


def origin_velocities(
    placed: Sequence[PlacedLink], coordinates: Sequence[Coordinate], w: Sequence[Vector3], qd: Sequence[Scalar]
) -> list[Vector3]:
    """u of (3) for every link, in the parent's axes: its origin's velocity relative to the parent's origin."""
    found: list[Vector3] = []
    for link, coordinate in zip(placed, coordinates, strict=True):
        u = (0.0, 0.0, 0.0) if link.parent == BASE else cross(w[link.parent], link.origin)
        if not link.column.turns:
            u = add(u, scale(link.turn.axis, coordinate.rate(qd)))
        found.append(u)
    return found


def velocity_moments(
    placed: Sequence[PlacedLink],
    composite: Sequence[MassMoments],
    w: Sequence[Vector3],
    u: Sequence[Vector3],
) -> list[VelocityMoments]:
    """(2) and (3) for every link, tips to base."""
    found = [_own(link.moments, spin) for link, spin in zip(placed, w, strict=True)]
    for i in reversed(range(len(placed))):
        link = placed[i]
        if link.parent == BASE:
            continue
        below, mass = found[i], composite[i]
        linear = add(link.turn.out(below.linear), scale(u[i], mass.m))
        h = link.turn.out(mass.first)
        moment = link.turn.matrix_out(below.moment)
        p, speed = link.origin, u[i]
        parent = found[link.parent]
        total = tuple(
            tuple(parent.moment[r][c] + (moment[r][c] + (p[r] * linear[c] + h[r] * speed[c])) for c in range(3))
            for r in range(3)
        )
        found[link.parent] = VelocityMoments(add(parent.linear, linear), total)  # type: ignore[arg-type]
    return found


def _own(e: MassMoments, w: Vector3) -> VelocityMoments:
    """(2)."""
    moment = tuple(cross(w, row) for row in e.second)
    return VelocityMoments(cross(w, e.first), moment)  # type: ignore[arg-type]
