"""Constants of a robot for the dynamics algorithms (`Mechanism`), and link placements at a configuration q.

(1)  Links have canonical frames (`torquec.robot.canonical`), their mass moments regrouped (`regrouping`).
(2)  Unit of length: where no joint position is a length, it is the offset L nearest to the base, across which all
     distal bodies are carried. With masses in 1/L^2, torques keep their value, and every product with L disappears.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.precise_float import PreciseFloat, fifty_digits, plain_float, precise_frame, precise_inertia
from torquec.dynamics.regrouping import regroup
from torquec.errors import ArgumentError
from torquec.robot.canonical import CanonicalLink
from torquec.robot.joints import JointKind, UnitTwist
from torquec.robot.robot import BASE, Body, Mimic, Robot
from torquec.robot.state_coordinate import check_tree
from torquec.spatial import (
    Inertia,
    Matrix3,
    Pose,
    Scalar,
    Vector3,
    add,
    matmul,
    matvec,
    minus,
    product,
    scale,
    total,
    transpose,
)

NO_MASS = MassMoments()

_EQUAL_OFFSETS = 1e-14  # relative difference below which two offsets are equal but for rounding


@dataclass(frozen=True)
class Coordinate:
    """Which elements of the state move a link: joint position = multiplier * q[index] + offset.

    A joint with several coordinates has its rates from `index` on. Its positions begin at `index + shift`, since joints
    before it may have quaternions. One that is `held` stays in its neutral position, without linear velocity.
    """

    index: int
    multiplier: float = 1.0
    offset: float = 0.0
    shift: int = 0
    held: bool = False

    def position(self, q: Sequence[Scalar]) -> Scalar:
        """The joint's own position."""
        own = q[self.index + self.shift]
        value = own if self.multiplier == 1.0 else self.multiplier * own
        return value if self.offset == 0.0 else value + self.offset

    def positions(self, q: Sequence[Scalar], nq: int) -> Sequence[Scalar]:
        """All position coordinates of a joint that has several."""
        first = self.index + self.shift
        return q[first : first + nq]

    def rate(self, qd: Sequence[Scalar]) -> Scalar:
        """The joint's own speed (or acceleration)."""
        return qd[self.index] if self.multiplier == 1.0 else self.multiplier * qd[self.index]


@dataclass(frozen=True)
class Mechanism:
    """Links in canonical frames with mass moments, gravity, the coordinate of each link, reflected motor inertia."""

    links: tuple[CanonicalLink, ...]
    moments: tuple[MassMoments, ...]
    coordinates: tuple[Coordinate, ...]
    gravity: Vector3
    reflected_inertia: tuple[tuple[float, ...], ...]
    n: int
    length: float = 1.0


class Grouping(Enum):
    """Regrouping of the mass moments before they are used."""

    NONE = "each body keeps its own"
    REGROUPED = "given to the joints that feel them"
    BALANCED = "regrouped, then balanced against the child's mass: best where accelerations are computed"


def mechanism(
    robot: Robot, grouping: Grouping = Grouping.REGROUPED, *, inertias: Sequence[Inertia] | None = None
) -> Mechanism:
    """The robot's constants; every grouping except NONE also chooses the unit of length (2).

    `inertias` replaces the bodies' inertias (in file body frames; symbols or numbers).
    """
    check_tree(robot)
    if inertias is not None:
        own = [i.transformed(link.frame) for i, link in zip(inertias, robot.canonical.links, strict=True)]
        return _grouped(robot, grouping, [MassMoments.of(inertia) for inertia in own])
    kept: dict[Grouping, Mechanism] = robot.__dict__.setdefault("_mechanisms", {})  # as `cached_property` keeps values
    if grouping not in kept:
        robot.check_inertias()
        with fifty_digits():
            links = zip(robot.bodies, robot.canonical.links, strict=True)
            result = _grouped(robot, grouping, [_precise_moments(body, link) for body, link in links])
        kept[grouping] = replace(result, moments=_plain_moments(result.moments))
    return kept[grouping]


def _grouped(robot: Robot, grouping: Grouping, own: Sequence[MassMoments]) -> Mechanism:
    tree, reflected = robot.canonical, robot.drives.reflected_inertia(robot.n)
    result = Mechanism(tree.links, tuple(own), coordinates(robot), tree.gravity, reflected, robot.n)
    if grouping is Grouping.NONE:
        return result
    moments = regroup(tree.links, own, balance=grouping is Grouping.BALANCED)
    return _in_own_length(replace(result, moments=moments))


def _precise_moments(body: Body, link: CanonicalLink) -> MassMoments:
    """Mass moments of a body about the origin of its canonical frame, with fifty digits."""
    if not any(body.inertia.parameters) or link.kind.nv > 1:
        return MassMoments.of(link.inertia)
    return MassMoments.of(precise_inertia(body.inertia).transformed(precise_frame(link.frame, body.joint.axis)))


def _plain_moments(moments: Sequence[MassMoments]) -> tuple[MassMoments, ...]:
    """Mass moments as doubles; moments that were equal as doubles stay equal."""
    known: dict[float, float] = {}

    def plain(value: Scalar) -> Scalar:
        if not isinstance(value, PreciseFloat):
            return value
        size = known.setdefault(abs(float(value)), abs(plain_float(value)))
        return math.copysign(size, value)

    return tuple(MassMoments(*map(plain, each.values)) for each in moments)


def coordinates(robot: Robot) -> tuple[Coordinate, ...]:
    """The coordinate of every body; a mimic joint has that of the joint that it follows."""
    check_tree(robot)
    index: dict[str, int] = {}
    shift: dict[str, int] = {}
    rates = positions = 0
    for joint in robot.joints:
        index[joint.name], shift[joint.name] = rates, positions - rates
        rates, positions = rates + joint.kind.nv, positions + joint.kind.nq
    found = []
    for body in robot.bodies:
        mimic = body.joint.mimic or Mimic(body.joint.name)
        held = robot.held and body.joint.kind.nv > 1
        moved = 0 if robot.held else shift[mimic.joint]
        found.append(Coordinate(index[mimic.joint], mimic.multiplier, mimic.offset, moved, held))
    return tuple(found)


def _in_own_length(m: Mechanism) -> Mechanism:
    """Measure lengths in the offset nearest to the base (2)."""
    if not all(column.turns for link in m.links for column in link.kind.motion_subspace):
        return m
    offsets = [
        abs(value) for link in m.links if link.parent != BASE for value in (*link.pre.origin, link.d) if value != 0.0
    ]
    if not offsets:
        return m
    unit = offsets[0]
    links = tuple(
        replace(
            link,
            pre=Pose(link.pre.rotation, (_ratio(x, unit), _ratio(y, unit), _ratio(z, unit))),
            d=_ratio(link.d, unit),
        )
        for link, (x, y, z) in ((link, link.pre.origin) for link in m.links)
    )
    moments = tuple(replace(e, x=e.x * unit, y=e.y * unit, z=e.z * unit, m=e.m * (unit * unit)) for e in m.moments)
    return replace(m, links=links, moments=moments, gravity=scale(m.gravity, 1.0 / unit), length=unit)


def _ratio(value: float, unit: float) -> float:
    """value/unit, exactly +-1 where they are the same offset."""
    ratio = value / unit
    return math.copysign(1.0, ratio) if abs(abs(ratio) - 1.0) < _EQUAL_OFFSETS else ratio


@dataclass(frozen=True)
class Turn:
    """A rotation pre * Rz: `out` turns the link's coordinates into the parent's, `back` the other way."""

    pre: Matrix3
    c: Scalar
    s: Scalar

    def out(self, v: Vector3) -> Vector3:
        """Parent's coordinates from the link's."""
        c, s = self.c, self.s
        x = minus(product(c, v[0]), product(s, v[1]))
        y = total(product(s, v[0]), product(c, v[1]))
        return matvec(self.pre, (x, y, v[2]))

    def back(self, v: Vector3) -> Vector3:
        """Link's coordinates from the parent's."""
        c, s = self.c, self.s
        x, y, z = matvec(transpose(self.pre), v)
        return (total(product(c, x), product(s, y)), minus(product(c, y), product(s, x)), z)

    def moments_out(self, moments: MassMoments) -> MassMoments:
        """Mass moments in the parent's axes from those in the link's."""
        about_z = moments.turned_about_z(self.c, self.s) if self._turns else moments
        return about_z.turned(self.pre)

    def matrix_out(self, d: Matrix3) -> Matrix3:
        """R D R': the part across z by sums and differences in four products, z row and column in four each."""
        c, s = self.c, self.s
        about_z = d
        if self._turns:
            (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = d
            # D = symmetric + skew: the skew part is invariant about z, the symmetric part turns as mass moments do.
            v = s * (xx - yy) + c * (xy + yx)
            sv = s * v
            cv = c * v
            about_z = (
                (xx - sv, cv - yx, c * xz - s * yz),
                (cv - xy, yy + sv, s * xz + c * yz),
                (c * zx - s * zy, s * zx + c * zy, zz),
            )
        return matmul(matmul(self.pre, about_z), transpose(self.pre))

    @property
    def axis(self) -> Vector3:
        """The link's z axis in the parent's coordinates."""
        return (self.pre[0][2], self.pre[1][2], self.pre[2][2])

    @property
    def _turns(self) -> bool:
        """Whether there is anything to turn about z."""
        return not (isinstance(self.s, float) and self.s == 0.0 and self.c == 1.0)


@dataclass(frozen=True)
class PlacedLink:
    """A link at a position q: its turn, its origin in the parent, its mass moments; `height` is that of `z_screw`."""

    parent: int
    kind: JointKind
    turn: Turn
    origin: Vector3
    moments: MassMoments = NO_MASS
    height: Scalar = 0.0

    @property
    def column(self) -> UnitTwist:
        """The motion subspace of a one-coordinate joint, in the link's axes; raises `ArgumentError` for others."""
        return self.kind.coordinate.column

    @property
    def columns(self) -> tuple[UnitTwist, ...]:
        """The motion subspace in the link's axes."""
        return self.kind.motion_subspace


def place(m: Mechanism, q: Sequence[Scalar]) -> tuple[PlacedLink, ...]:
    """All links of a mechanism at q, parents first."""
    placed = place_links(m.links, m.coordinates, q)
    return tuple(replace(link, moments=moments) for link, moments in zip(placed, m.moments, strict=True))


def check_lengths(
    kinds: Iterable[JointKind],
    state: Sequence[Coordinate],
    q: Sequence[Scalar] | None,
    *rates: Sequence[Scalar],
) -> None:
    """Raise `ArgumentError` unless a position has nq numbers, and rates have nv."""
    pairs = list(zip(kinds, state, strict=True))
    nq = max((each.index + each.shift + (kind.nv if each.held else kind.nq) for kind, each in pairs), default=0)
    nv = max((each.index + kind.nv for kind, each in pairs), default=0)
    for what, given, wanted in (("a position", q, nq), *(("rates", each, nv) for each in rates)):
        if given is not None and len(given) != wanted:
            raise ArgumentError(f"{what} of {len(given)} numbers", remedy=f"positions have {nq} (nq), rates {nv} (nv)")


def place_links(
    links: Sequence[CanonicalLink], state: Sequence[Coordinate], q: Sequence[Scalar]
) -> tuple[PlacedLink, ...]:
    """The links' geometry alone at q: kinematics needs no inertias. Raises `ArgumentError` unless q has nq numbers."""
    check_lengths((link.kind for link in links), state, q)
    placed = []
    for link, coordinate in zip(links, state, strict=True):
        if link.kind.nv > 1:
            at = link.kind.neutral if coordinate.held else coordinate.positions(q, link.kind.nq)
            inside = link.kind.motion(at)
            turn = Turn(matmul(link.pre.rotation, inside.rotation), 1.0, 0.0)
            placed.append(PlacedLink(link.parent, link.kind, turn, link.pre.apply(inside.origin)))
            continue
        c, s, height = link.kind.z_screw(link.theta, link.d, (coordinate.position(q),))
        turn = Turn(link.pre.rotation, c, s)
        origin = add(link.pre.origin, scale(turn.axis, height))
        placed.append(PlacedLink(link.parent, link.kind, turn, origin, height=height))
    return tuple(placed)
