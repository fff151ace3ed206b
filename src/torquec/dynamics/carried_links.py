"""Link frames that do not rotate with their joint: no rotation of vectors between links with parallel axes.

The Newton-Euler recursion holds in any axes. A carried link is expressed in the axes that it has with its joint at
zero; its constants are rotated instead, by the angle phi between the link and these axes:

(1)  moments in these axes:  h -> Rz(phi) h,   E -> Rz(phi) E Rz(phi)';   the origin of a child:  p -> Rz(phi) p
(2)  child with a parallel axis, carried as well:  phi_c = q_c + phi, or q_c - phi where the axis points the other way:
     no vector is rotated between the two, and sines and cosines are those of sums of angles
(3)  any other child:  R = Rz(phi) pre Rz(q_c), one turn for the whole group

This rotates constants with many zeros instead of motions and forces without zeros. In a group right after the first
joint, the angular velocity has one component only. A body of revolution at the tip is invariant: its joint's sine
and cosine are not needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Mechanism, PlacedLink, Turn, place
from torquec.robot.canonical import CanonicalLink
from torquec.robot.right_angle import cos_sin_of
from torquec.robot.robot import BASE
from torquec.spatial import IDENTITY_ROTATION, Matrix3, Scalar, Vector3, rotation_x

_FLIPPED: Matrix3 = rotation_x(-1.0, 0.0)


@dataclass(frozen=True)
class _Lead:
    """phi of a carried link: variable and constant part, cosine and sine."""

    variable: Scalar
    constant: float

    @property
    def cos_sin(self) -> tuple[Scalar, Scalar]:
        return cos_sin_of(self.variable, self.constant)

    def before(self, link: CanonicalLink, position: Scalar) -> _Lead:
        """phi of a child with a parallel axis (2)."""
        if _sense(link) > 0.0:
            return _Lead(self.variable + position, self.constant + link.theta)
        return _Lead(position - self.variable, link.theta - self.constant)


@dataclass(frozen=True)
class LedTurn(Turn):
    """A rotation Rz(phi) pre Rz (3), by the cosine and sine of phi."""

    lead: tuple[Scalar, Scalar] = (1.0, 0.0)

    def out(self, v: Vector3) -> Vector3:
        """Parent's coordinates from the link's."""
        return self._led.out(super().out(v))

    def back(self, v: Vector3) -> Vector3:
        """Link's coordinates from the parent's."""
        return super().back(self._led.back(v))

    def moments_out(self, moments: MassMoments) -> MassMoments:
        """Mass moments in the parent's axes from those in the link's."""
        return self._led.moments_out(super().moments_out(moments))

    def matrix_out(self, d: Matrix3) -> Matrix3:
        """A matrix D in the parent's axes: R D R'."""
        return self._led.matrix_out(super().matrix_out(d))

    @property
    def axis(self) -> Vector3:
        """The link's z axis in the parent's coordinates."""
        return self._led.out(super().axis)

    @property
    def _led(self) -> Turn:
        return Turn(IDENTITY_ROTATION, *self.lead)


def carried_links(m: Mechanism) -> frozenset[int]:
    """Links worth carrying: those that rotate about parallel axes, and bodies of revolution at tips."""
    parents = {link.parent for link in m.links}
    found = set()
    for i, (link, moments) in enumerate(zip(m.links, m.moments, strict=True)):
        if link.kind.nv > 1 or not link.column.turns:
            continue
        above = m.links[link.parent] if link.parent != BASE else None
        if above is not None and above.kind.nv == 1 and above.column.turns and _sense(link) != 0.0:
            found |= {i, link.parent}
        if i not in parents and _is_round(moments):
            found.add(i)
    return frozenset(found)


def placed_links(m: Mechanism, q: Sequence[Scalar], *, carried: bool) -> tuple[PlacedLink, ...]:
    """All links of a mechanism at q, each in its own axes; with `carried`, those of `carried_links` are carried."""
    return _place_carried(m, q) if carried else place(m, q)


def _place_carried(m: Mechanism, q: Sequence[Scalar]) -> tuple[PlacedLink, ...]:
    carried = carried_links(m)
    leads: dict[int, _Lead] = {}
    placed = []
    for i, (link, coordinate, usual) in enumerate(zip(m.links, m.coordinates, place(m, q), strict=True)):
        lead = leads.get(link.parent)
        turn, origin, moments = usual.turn, usual.origin, usual.moments
        if lead is not None:
            origin = Turn(IDENTITY_ROTATION, *lead.cos_sin).out(origin)  # (1)
        if i in carried:
            position = coordinate.position(q)
            parallel = lead is not None and _sense(link) != 0.0
            own = lead.before(link, position) if lead is not None and parallel else _Lead(position, link.theta)
            leads[i] = own
            moments = _turned(moments, own)
            turn = replace(turn, c=1.0, s=0.0)
            lead = None if parallel else lead
        if lead is not None:
            turn = LedTurn(turn.pre, turn.c, turn.s, lead.cos_sin)
        placed.append(replace(usual, turn=turn, origin=origin, moments=moments))
    return tuple(placed)


def _turned(moments: MassMoments, lead: _Lead) -> MassMoments:
    """(1); a body of revolution stays unchanged, and its angle is not evaluated."""
    return moments if _is_round(moments) else moments.turned_about_z(*lead.cos_sin)


def _is_round(moments: MassMoments) -> bool:
    """Whether turning about z changes nothing."""
    sideways = (moments.xy, moments.xz, moments.yz, moments.x, moments.y)
    numbers = all(isinstance(value, float) for value in (*sideways, moments.xx, moments.yy))
    return numbers and moments.xx == moments.yy and not any(sideways)


def _sense(link: CanonicalLink) -> float:
    """1 or -1 for a revolute joint whose axis is parallel or antiparallel to its parent's, else 0."""
    if link.kind.nv > 1 or not link.column.turns or link.pre.rotation not in (IDENTITY_ROTATION, _FLIPPED):
        return 0.0
    sense: float = link.pre.rotation[2][2]
    return sense
