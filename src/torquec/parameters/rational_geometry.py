"""A robot's geometry in rational numbers with exactly orthogonal rotations, so that ranks are decided without rounding.

Rational rotations near given ones are orthogonal in exact arithmetic:

(1)  a quaternion of rationals gives a rational rotation:  R = (w^2 + ..) / (w^2 + x^2 + y^2 + z^2), entry by entry
(2)  (x, y) = (1, t) is a rational point of the circle:  cos = (1 - t^2)/(1 + t^2),  sin = 2 t/(1 + t^2)
(3)  a rational unit vector u comes from a rational point of a plane (stereographic projection), and the quaternion
     (1 + u_z, -u_y, u_x, 0) takes e_z to it

Doubles are rational, so lengths are taken as they are. Angles are rational where they are right angles. Where an axis
stands at another angle, all directions are replaced by rational ones that differ by `NEARNESS`:

(4)  a unit vector by the stereographic image of the nearest simple rational point; directions that are the same up to
     rounding, gravity included, get the same one, so that parallel axes stay parallel
(5)  a link's axes by a rotation that takes e_z to its direction, then a rational turn about it
(6)  a joint's own angle is free: (cos, sin) = ((b^2 - a^2), 2 a b) / (a^2 + b^2) runs over the rational points of the
     circle, whatever constant angle is added to it
(7)  a joint that follows another at a ratio k/l has the point z^k of the circle, where z^l is the leader's point
(8)  a displacement and an angle are algebraically independent, even where one joint drives both
(9)  a quaternion of any four numbers turns a free or ball joint (1), so that gravity has any direction behind it

`exact` is true where (4) was not needed and (7) did not fail: ranks are then those of the robot itself, else those of a
robot that differs from it by `NEARNESS`. The links' frames have their z on the joint's axis, as canonical frames do,
but their origins are those of the file's body frames: canonical ones lie far away where axes are almost parallel.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from torquec.dynamics.mechanism import Coordinate, coordinates
from torquec.parameters.standard_parameters import ParameterFrames, parameter_pose
from torquec.robot.canonical import CanonicalLink
from torquec.robot.joints import JointKind, UnitTwist
from torquec.robot.right_angle import exact_cos_sin
from torquec.robot.robot import BASE, Robot
from torquec.spatial import (
    IDENTITY_ROTATION,
    Matrix3,
    Pose,
    Scalar,
    Vector3,
    add,
    cross,
    dot,
    matmul,
    matvec,
    norm,
    rotation_z,
    scale,
    subtract,
    transpose,
)

_SAME_DIRECTION = 1e-12
"""Directions that differ by less are one direction."""

_IDENTITY = tuple(tuple(Fraction(int(i == j)) for j in range(3)) for i in range(3))

NEARNESS = 1e-14
"""Largest angle [rad] between a direction and the rational one in its place."""

_LARGEST_POWER = 12
"""Ratios of mimic joints with a larger numerator or denominator are not simple: (7) fails."""


def is_orthogonal(rotation: Matrix3) -> bool:
    """R R' = 1 without rounding, over fractions.

    >>> is_orthogonal(((Fraction(3, 5), Fraction(-4, 5), 0), (Fraction(4, 5), Fraction(3, 5), 0), (0, 0, 1)))
    True
    """
    return bool(matmul(rotation, transpose(rotation)) == _IDENTITY)


def rational_rotation(rotation: Matrix3, nearness: float) -> Matrix3:
    """The rotation in fractions, itself where it is orthogonal without rounding, else one within `nearness` (1)."""
    given: Matrix3 = tuple(tuple(Fraction(entry) for entry in row) for row in rotation)  # type: ignore[assignment]
    if is_orthogonal(given):
        return given
    quaternion = _quaternion(rotation)
    largest = max(quaternion, key=abs)
    w, x, y, z = (simplest(component / largest, nearness / 4) for component in quaternion)
    return quaternion_matrix(w, x, y, z)


def rational_angle(angle: tuple[float, float], nearness: float) -> tuple[tuple[Fraction, Fraction], bool]:
    """(cos, sin) in fractions, and whether they are the given ones (2)."""
    c, s = Fraction(angle[0]), Fraction(angle[1])
    if c * c + s * s == 1:
        return (c, s), True
    turned = rational_rotation(rotation_z(*angle), nearness)
    return (turned[0][0], turned[1][0]), False


class DirectionTable:
    """Rational unit vectors for given directions: one, or its opposite, for all that are parallel up to rounding."""

    def __init__(self, nearness: float) -> None:
        self.nearness = nearness
        self.known: list[tuple[Vector3, Vector3]] = []

    def nearest(self, direction: Vector3) -> Vector3:
        """The rational unit vector (3) that stands for a unit vector of floats."""
        for given, rational in self.known:
            if max(map(abs, cross(given, direction))) <= _SAME_DIRECTION:
                return rational if dot(given, direction) > 0.0 else scale(rational, -1)
        found = _rational_unit_vector(direction, self.nearness)
        self.known.append((direction, found))
        return found

    def rotation(self, given: Matrix3) -> Matrix3:
        """A rational rotation near the given one, with the rational z axis in place of the given one."""
        onto = _taking_z_to(self.nearest(transpose(given)[2]))
        x = matvec(transpose(onto), transpose(given)[0])
        (c, s), _ = rational_angle((float(x[0]), float(x[1])), self.nearness)
        return matmul(onto, ((c, -s, 0), (s, c, 0), (0, 0, 1)))


def simplest(value: float, nearness: float) -> Fraction:
    """A fraction within `nearness` of the value; the bound on its denominator grows by powers of ten.

    >>> simplest(0.3333333333333333, 1e-14)
    Fraction(1, 3)
    """
    bound = 1
    while True:
        candidate = Fraction(value).limit_denominator(bound)
        if abs(float(candidate) - value) <= nearness:
            return candidate
        bound *= 10


def _rational_unit_vector(u: Vector3, nearness: float) -> Vector3:
    """Stereographic projection from the pole that is farther away (3); zero components stay zero."""
    for k in range(3):
        if u[k] == 0.0:
            (a, b), _ = rational_angle((u[k - 2], u[k - 1]), nearness)
            flat = [Fraction(0)] * 3
            flat[k - 2], flat[k - 1] = a, b
            return (flat[0], flat[1], flat[2])
    side = 1 if u[2] >= 0.0 else -1
    a, b = (simplest(component / (1.0 + abs(u[2])), nearness / 4) for component in (u[0], u[1]))
    size = 1 + a * a + b * b
    return (2 * a / size, 2 * b / size, side * (1 - a * a - b * b) / size)


def _taking_z_to(u: Vector3) -> Matrix3:
    """A rational rotation with the z axis u (3); half a turn about x where u is -e_z."""
    if u[2] == -1:
        return ((Fraction(1), 0, 0), (0, Fraction(-1), 0), (0, 0, Fraction(-1)))
    return quaternion_matrix(1 + u[2], -u[1], u[0], Fraction(0))


def quaternion_matrix(w: Scalar, x: Scalar, y: Scalar, z: Scalar) -> Matrix3:
    """(1), over any field; the quaternion need not be of length one."""
    size = w * w + x * x + y * y + z * z
    return (
        ((w * w + x * x - y * y - z * z) / size, 2 * (x * y - w * z) / size, 2 * (x * z + w * y) / size),
        (2 * (x * y + w * z) / size, (w * w - x * x + y * y - z * z) / size, 2 * (y * z - w * x) / size),
        (2 * (x * z - w * y) / size, 2 * (y * z + w * x) / size, (w * w - x * x - y * y + z * z) / size),
    )


def _quaternion(r: Matrix3) -> tuple[float, ...]:
    """(w, x, y, z) of a rotation of floats, up to a factor: the largest column of 4 q q'."""
    squares = (
        1 + r[0][0] + r[1][1] + r[2][2],
        1 + r[0][0] - r[1][1] - r[2][2],
        1 - r[0][0] + r[1][1] - r[2][2],
        1 - r[0][0] - r[1][1] + r[2][2],
    )
    wx, wy, wz = r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]
    xy, xz, yz = r[0][1] + r[1][0], r[0][2] + r[2][0], r[1][2] + r[2][1]
    columns = ((squares[0], wx, wy, wz), (wx, squares[1], xy, xz), (wy, xy, squares[2], yz), (wz, xz, yz, squares[3]))
    return columns[max(range(4), key=lambda k: squares[k])]


@dataclass(frozen=True)
class RationalLink:
    """A link in fractions: its frame in its parent's is (rotation, origin) Rz(turn) Rz(angle)^power Tz(displacement).

    A joint of several coordinates, of `kind`, moves between (rotation, origin) and the link instead. `angle` indexes
    the free angles (-1 for a joint without one), `coordinate` the state; joint position is `multiplier` times the
    coordinate's plus `offset`. `frame_rotation` and `frame_origin` are the frame of the body's parameters.
    The canonical frame lies `slide` below this one on the axis, and its own offset d along it is `height`.
    """

    parent: int
    kind: JointKind
    rotation: Matrix3
    origin: Vector3
    turn: tuple[Scalar, Scalar]
    coordinate: int
    multiplier: Scalar
    offset: Scalar
    angle: int
    power: int
    frame_rotation: Matrix3
    frame_origin: Vector3
    slide: Fraction
    height: Fraction

    @property
    def column(self) -> UnitTwist:
        """The motion subspace of a one-coordinate joint."""
        return self.kind.coordinate.column


@dataclass(frozen=True)
class RationalGeometry:
    """All links, gravity, the number of free angles, and notes on approximations."""

    links: tuple[RationalLink, ...]
    gravity: Vector3
    n: int
    angles: int
    approximated: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """True where ranks are decided on the robot's own geometry."""
        return not self.approximated


def rational_geometry(robot: Robot, frames: ParameterFrames = ParameterFrames.BODY) -> RationalGeometry:
    """The robot's geometry in fractions, and the frames of its parameters."""
    notes: list[str] = []
    state = coordinates(robot)
    angles = _Angles(robot, state, notes)
    canonical = robot.canonical.links
    given = [_matrix(matmul(link.pre.rotation, angles.constant(i))) for i, link in enumerate(canonical)]
    for i, rotation in enumerate(given):
        if not is_orthogonal(rotation):
            notes.append(f"joint '{robot.bodies[i].joint.name}' is not at a right angle to its parent")
    gravity = _vector(robot.canonical.gravity)
    used = given
    if not all(is_orthogonal(rotation) for rotation in given):
        used, gravity = _rational_axes(canonical, given, robot.canonical.gravity)
    links = []
    for i, (link, coordinate) in enumerate(zip(canonical, state, strict=True)):
        turn, angle, power = angles.free(i)
        frame = _frame(link.frame, parameter_pose(robot, i, frames))
        slide = Fraction(link.frame.origin[2])
        below = Fraction(0) if link.parent == BASE else Fraction(canonical[link.parent].frame.origin[2])
        along = scale(transpose(given[i])[2], Fraction(link.d) + slide)
        links.append(
            RationalLink(
                parent=link.parent,
                kind=link.kind,
                rotation=used[i],
                origin=subtract(add(_vector(link.pre.origin), along), (0, 0, below)),
                turn=turn,
                coordinate=coordinate.index,
                multiplier=Fraction(coordinate.multiplier),
                offset=Fraction(coordinate.offset),
                angle=angle,
                power=power,
                frame_rotation=frame.rotation,
                frame_origin=subtract(frame.origin, (0, 0, slide)),
                slide=slide,
                height=Fraction(link.d),
            )
        )
    return RationalGeometry(tuple(links), gravity, robot.n, angles.count, tuple(notes))


def canonical_poses(geometry: RationalGeometry) -> list[Pose]:
    """Every link's canonical frame in its parent's, its joint at zero; for a prismatic joint without d."""
    poses = []
    for link in geometry.links:
        below = Fraction(0) if link.parent == BASE else geometry.links[link.parent].slide
        along = link.slide + (0 if link.column.turns else link.height)
        origin = add(link.origin, (0, 0, below))
        poses.append(Pose(link.rotation, subtract(origin, scale(transpose(link.rotation)[2], along))))
    return poses


def _rational_axes(
    links: Sequence[CanonicalLink], given: Sequence[Matrix3], gravity: Vector3
) -> tuple[list[Matrix3], Vector3]:
    """Rational rotations of the links in their parents, and rational gravity, by (4) and (5)."""
    table = DirectionTable(NEARNESS)
    size = norm(gravity)
    pulled = scale(table.nearest(scale(gravity, 1.0 / size)), Fraction(size)) if size else _vector(gravity)
    floats: list[Matrix3] = []
    rational: list[Matrix3] = []
    relative = []
    for link, rotation in zip(links, given, strict=True):
        own = _matrix(rotation, float)
        floats.append(own if link.parent == BASE else matmul(floats[link.parent], own))
        rational.append(table.rotation(floats[-1]))
        parent = _matrix(IDENTITY_ROTATION) if link.parent == BASE else rational[link.parent]
        relative.append(matmul(transpose(parent), rational[-1]))
    return relative, pulled


def _frame(body: Pose, parameters: Pose) -> Pose:
    """The frame of the parameters seen from the canonical one, in fractions."""
    outer = Pose(rational_rotation(body.rotation, NEARNESS), _vector(body.origin))
    return outer @ Pose(rational_rotation(parameters.rotation, NEARNESS), _vector(parameters.origin))


def _is_angle(link: CanonicalLink) -> bool:
    """Whether the position of a link's joint is one angle."""
    return link.kind.nv == 1 and link.column.turns


class _Angles:
    """The free angle of each link on a revolute joint, (6) and (7), and its constant angle."""

    def __init__(self, robot: Robot, state: Sequence[Coordinate], notes: list[str]) -> None:
        self.robot = robot
        self.state = state
        self.notes = notes
        self.count = 0
        self.shared: dict[int, int] = {}
        self.ratios: dict[int, list[Fraction]] = defaultdict(list)
        for link, coordinate in zip(robot.canonical.links, state, strict=True):
            if _is_angle(link):
                self.ratios[coordinate.index].append(Fraction(coordinate.multiplier))

    def constant(self, i: int) -> Matrix3:
        """The constant turn that counts as part of the geometry: none where the joint's angle is its own."""
        link = self.robot.canonical.links[i]
        if not _is_angle(link) or self._base(i):
            return rotation_z(*exact_cos_sin(link.theta))
        return IDENTITY_ROTATION

    def free(self, i: int) -> tuple[tuple[Fraction, Fraction], int, int]:
        """Turn by the offset of a coupling, free angle and power of a link."""
        none = (Fraction(1), Fraction(0))
        coordinate = self.state[i]
        if not _is_angle(self.robot.canonical.links[i]):
            return none, -1, 0
        base = self._base(i)
        if not base:
            if len(self.ratios[coordinate.index]) > 1:
                self.notes.append(f"joint '{self.robot.bodies[i].joint.name}' has no simple mimic ratio")
            return none, self._new(), 1
        if coordinate.index not in self.shared:
            self.shared[coordinate.index] = self._new()
        turn, is_exact = rational_angle(exact_cos_sin(coordinate.offset), NEARNESS)
        if not is_exact:
            self.notes.append(f"joint '{self.robot.bodies[i].joint.name}' has a mimic offset that is not a right angle")
        return turn, self.shared[coordinate.index], int(Fraction(coordinate.multiplier) * base)

    def _base(self, i: int) -> int:
        """l of (7) for a link whose angle is shared at simple ratios, else 0."""
        ratios = self.ratios[self.state[i].index]
        base = math.lcm(*(ratio.denominator for ratio in ratios)) if len(ratios) > 1 else 0
        is_simple = all(0 < abs(ratio * base) <= _LARGEST_POWER for ratio in ratios)
        return base if is_simple else 0

    def _new(self) -> int:
        self.count += 1
        return self.count - 1


def _vector(v: Vector3, kind: Callable[[Scalar], Scalar] = Fraction) -> Vector3:
    return (kind(v[0]), kind(v[1]), kind(v[2]))


def _matrix(m: Matrix3, kind: Callable[[Scalar], Scalar] = Fraction) -> Matrix3:
    return (_vector(m[0], kind), _vector(m[1], kind), _vector(m[2], kind))
