"""A robot's geometry in rational numbers, so that ranks can be decided without rounding.

Doubles are rational, so lengths and gravity are taken as they are. Angles are rational where they are right angles; an
angle that is none is replaced by the nearest simple rational rotation:

(1)  q = (w, x, y, z) / largest component, each to `NEARNESS`;   R = R(q) is orthogonal in rational arithmetic
(2)  a joint's own angle is free: (cos, sin) = ((b^2 - a^2), 2 a b) / (a^2 + b^2) runs over rational points of the
     circle, whatever constant angle is added to it
(3)  a joint that follows another at a ratio k/l turns by the power k of the point whose power l is its leader's
(4)  a displacement and an angle are algebraically independent, even where one joint drives both

`exact` says whether (1) was needed for an axis (or (3) failed): if not, ranks are those of the robot itself; if so,
they are those of a robot that differs from it by `NEARNESS`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from torquec.dynamics.mechanism import Coordinate, coordinates
from torquec.reduction.standard_parameters import ParameterFrames, parameter_pose
from torquec.robot.canonical import CanonicalLink, exact_cos_sin
from torquec.robot.robot import Robot
from torquec.spatial import Matrix3, Pose, Scalar, Vector3, matmul, matvec, rotation_z, transpose

NEARNESS = 1e-14
"""How far a rational rotation may be from the one it stands for [rad]."""

_LARGEST_POWER = 12
"""Ratios of mimic joints with a larger numerator or denominator count as no ratio at all."""


@dataclass(frozen=True)
class RationalLink:
    """A canonical link in fractions: A = (rotation, origin) Rz(turn) Rz(angle)^power Tz(height + displacement).

    `angle` indexes the free angles (-1 for a prismatic joint), `coordinate` the state; joint speed is `multiplier`
    times the coordinate's. `frame_rotation` and `frame_origin` are the frame of its parameters seen from the
    canonical one.
    """

    parent: int
    prismatic: bool
    rotation: Matrix3
    origin: Vector3
    turn: tuple[Scalar, Scalar]
    height: Scalar
    coordinate: int
    multiplier: Scalar
    offset: Scalar
    angle: int
    power: int
    frame_rotation: Matrix3
    frame_origin: Vector3


@dataclass(frozen=True)
class RationalGeometry:
    """All links, gravity, the number of free angles, and what had to be approximated."""

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
    """The robot's canonical geometry in fractions, and the frames of its parameters."""
    notes: list[str] = []
    state = coordinates(robot)
    angles = _Angles(robot, state, notes)
    links = []
    for i, (link, coordinate) in enumerate(zip(robot.canonical.links, state, strict=True)):
        rotation, is_exact = rational_rotation(link.pre.rotation)
        if not is_exact:
            notes.append(f"the axis of joint '{robot.bodies[i].joint.name}' stands at no right angle")
        turn, angle, power = angles.of(i, link)
        frame = _frame(link.frame, parameter_pose(robot, i, frames))
        links.append(
            RationalLink(
                link.parent,
                link.prismatic,
                rotation,
                _vector(link.pre.origin),
                turn,
                Fraction(link.d),
                coordinate.index,
                Fraction(coordinate.multiplier),
                Fraction(coordinate.offset),
                angle,
                power,
                frame.rotation,
                frame.origin,
            )
        )
    return RationalGeometry(tuple(links), _gravity(robot), robot.n, angles.count, tuple(notes))


def _gravity(robot: Robot) -> Vector3:
    """Gravity in canonical base axes, turned by the rational rotation where that is not the given one.

    So an axis that is parallel to gravity stays so, even where the base frame is not.
    """
    rotation, is_exact = rational_rotation(robot.canonical.base.rotation)
    return _vector(robot.canonical.gravity) if is_exact else matvec(rotation, _vector(robot.gravity))


def _frame(body: Pose, parameters: Pose) -> Pose:
    """The frame of the parameters seen from the canonical one, in fractions."""
    outer = Pose(rational_rotation(body.rotation)[0], _vector(body.origin))
    return outer @ Pose(rational_rotation(parameters.rotation)[0], _vector(parameters.origin))


def rational_rotation(rotation: Matrix3) -> tuple[Matrix3, bool]:
    """The rotation in fractions, orthogonal without rounding; False where it is only near to the one given (1).

    >>> rational_rotation(((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))[1]
    True
    """
    given = _matrix(rotation)
    identity = tuple(tuple(Fraction(int(i == j)) for j in range(3)) for i in range(3))
    if matmul(given, transpose(given)) == identity:
        return given, True
    quaternion = _quaternion(rotation)
    largest = max(quaternion, key=abs)
    w, x, y, z = (_simplest(component / largest) for component in quaternion)
    size = w * w + x * x + y * y + z * z
    return (
        ((w * w + x * x - y * y - z * z) / size, 2 * (x * y - w * z) / size, 2 * (x * z + w * y) / size),
        (2 * (x * y + w * z) / size, (w * w - x * x + y * y - z * z) / size, 2 * (y * z - w * x) / size),
        (2 * (x * z - w * y) / size, 2 * (y * z + w * x) / size, (w * w - x * x - y * y + z * z) / size),
    ), False


class _Angles:
    """Which free angle turns each revolute link, (2) and (3)."""

    def __init__(self, robot: Robot, state: Sequence[Coordinate], notes: list[str]) -> None:
        self.robot = robot
        self.state = state
        self.notes = notes
        self.count = 0
        self.shared: dict[int, tuple[int, int]] = {}
        self.ratios: dict[int, list[Fraction]] = defaultdict(list)
        for link, coordinate in zip(robot.canonical.links, state, strict=True):
            if not link.prismatic:
                self.ratios[coordinate.index].append(Fraction(coordinate.multiplier))

    def of(self, i: int, link: CanonicalLink) -> tuple[tuple[Fraction, Fraction], int, int]:
        """Constant turn, free angle and power of a link."""
        coordinate = self.state[i]
        if link.prismatic:
            return self._constant(i, link.theta), -1, 0
        ratios = self.ratios[coordinate.index]
        if len(ratios) == 1:
            return (Fraction(1), Fraction(0)), self._new(), 1
        base = math.lcm(*(ratio.denominator for ratio in ratios))
        if any(abs(ratio * base) > _LARGEST_POWER or ratio == 0 for ratio in ratios):
            self.notes.append(f"joint '{self.robot.bodies[i].joint.name}' follows or leads at no simple ratio")
            return (Fraction(1), Fraction(0)), self._new(), 1
        if coordinate.index not in self.shared:
            self.shared[coordinate.index] = (self._new(), base)
        turn = self._constant(i, link.theta + coordinate.offset)
        return turn, self.shared[coordinate.index][0], int(Fraction(coordinate.multiplier) * base)

    def _new(self) -> int:
        self.count += 1
        return self.count - 1

    def _constant(self, i: int, angle: float) -> tuple[Fraction, Fraction]:
        rotation, is_exact = rational_rotation(rotation_z(*exact_cos_sin(angle)))
        if not is_exact:
            self.notes.append(f"joint '{self.robot.bodies[i].joint.name}' has a constant angle that is no right angle")
        return rotation[0][0], rotation[1][0]


def _simplest(value: float) -> Fraction:
    """The fraction with the smallest denominator, by powers of ten, that is near enough."""
    bound = 1
    while True:
        candidate = Fraction(value).limit_denominator(bound)
        if abs(float(candidate) - value) <= NEARNESS / 4:
            return candidate
        bound *= 10


def _quaternion(r: Matrix3) -> tuple[float, float, float, float]:
    """(w, x, y, z) of a rotation of floats, one column of the matrix 4 q q' by its largest diagonal entry."""
    squares = (
        1 + r[0][0] + r[1][1] + r[2][2],
        1 + r[0][0] - r[1][1] - r[2][2],
        1 - r[0][0] + r[1][1] - r[2][2],
        1 - r[0][0] - r[1][1] + r[2][2],
    )
    wx, wy, wz = r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]
    xy, xz, yz = r[0][1] + r[1][0], r[0][2] + r[2][0], r[1][2] + r[2][1]
    columns = (
        (squares[0], wx, wy, wz),
        (wx, squares[1], xy, xz),
        (wy, xy, squares[2], yz),
        (wz, xz, yz, squares[3]),
    )
    w, x, y, z = columns[max(range(4), key=lambda k: squares[k])]
    return w, x, y, z


def _vector(v: Vector3) -> Vector3:
    return (Fraction(v[0]), Fraction(v[1]), Fraction(v[2]))


def _matrix(m: Matrix3) -> Matrix3:
    return (_vector(m[0]), _vector(m[1]), _vector(m[2]))
