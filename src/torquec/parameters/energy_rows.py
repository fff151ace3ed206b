"""Energy and power regressor: rows with the row space of the torque regressor, without accelerations.

tau = M(q) qdd + c + g(q) + F(qd) is linear in the parameters, and combinations identifiable from tau are identifiable
from M, g and F: c follows from M (Lin 1994, Theorems 2 and 3). For random q and speeds u, y, the single number

(1)  2 T(q, u) + u . g(q) + u . F(y) = u' M u + u . (g + F)

is linear in the parameters, too. Its parts have different degrees in u, so it identifies the same combinations, and p
or a few more samples give a matrix W with the row space of the regressor. With w, v the angular velocity and the
velocity of the origin of a body at joint speeds u, and gravity a, all in the body's axes, the columns are

(2)  Ixx  w_x^2     Ixy  2 w_x w_y  ..     h  2 v x w - a x w     m  v . v - a . v
(3)  rotor  (t . u)^2         friction  (t . u) phi(t . y)

The same code runs on fractions, on residues modulo a prime and on batches of doubles, selected by `Arithmetic`.
"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import flint
import numpy as np

from torquec.dynamics.friction_regressor import FrictionColumns
from torquec.dynamics.friction_torque import friction_shafts
from torquec.foundation.arrays import Array
from torquec.parameters.rational_geometry import RationalGeometry, RationalLink, quaternion_matrix
from torquec.parameters.standard_parameters import StandardParameterKind, StandardParameters
from torquec.robot.robot import BASE, Robot
from torquec.spatial import (
    PARAMETER_NAMES,
    Matrix3,
    Scalar,
    Vector3,
    add,
    cross,
    dot,
    matmul,
    matvec,
    rotation_z,
    scale,
    subtract,
    transpose,
)

MORE = 16
"""Samples beyond the number of columns."""

PRIME = 2**61 - 1


class Arithmetic(ABC):
    """Number type of the entries of W, and random numbers of that type: the same `seed` gives the same numbers."""

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)  # noqa: S311 (samples, no secrets)

    @abstractmethod
    def lift(self, value: Fraction) -> Scalar:
        """A constant."""

    @abstractmethod
    def number(self) -> Scalar:
        """A random number."""

    def shaft(self, row: Sequence[Fraction], y: Sequence[Any]) -> tuple[Scalar, Scalar]:
        """Speed t . y of a shaft and its sign."""
        speed = sum((ratio * value for ratio, value in zip(row, y, strict=True)), Fraction(0))
        return self.lift(speed), 1 if speed >= 0 else -1

    def speeds(self, n: int) -> list[Any]:
        """Random speeds y (n,) for friction, which needs their signs."""
        return [self.random.choice((-1, 1)) * self.random.randint(1, 10**6) for _ in range(n)]

    def point(self) -> tuple[Scalar, Scalar]:
        """A random point (cos, sin) of the unit circle."""
        a, b = self.number(), self.number()
        size = a * a + b * b
        return (b * b - a * a) / size, (2 * a * b) / size


class Rationals(Arithmetic):
    """Fractions, exact; small random numbers keep them short."""

    def lift(self, value: Fraction) -> Scalar:
        """The same fraction in flint's numbers."""
        return flint.fmpq(value.numerator, value.denominator)

    def number(self) -> Scalar:
        """An integer of either sign, never zero."""
        return flint.fmpq(self.random.choice((-1, 1)) * self.random.randint(1, 60))


class Residues(Arithmetic):
    """Integers modulo a prime near 2^61: exact but for a chance of about 1e-15 that a random minor vanishes."""

    def lift(self, value: Fraction) -> Scalar:
        """Numerator over denominator."""
        return flint.nmod(value.numerator % PRIME, PRIME) / flint.nmod(value.denominator % PRIME, PRIME)

    def number(self) -> Scalar:
        """Any residue but zero."""
        return flint.nmod(self.random.randrange(1, PRIME), PRIME)


class Reals(Arithmetic):
    """Real numbers to the precision that flint works with, for coefficients where fractions would grow too long."""

    def lift(self, value: Fraction) -> Scalar:
        """The fraction, rounded."""
        return flint.arb(flint.fmpq(value.numerator, value.denominator))

    def number(self) -> Scalar:
        """An integer of either sign, never zero."""
        return flint.arb(self.random.choice((-1, 1)) * self.random.randint(1, 10**6))


class Doubles(Arithmetic):
    """Batches of doubles, one element per sample."""

    def __init__(self, size: int, seed: int = 0) -> None:
        super().__init__(seed)
        self.generator = np.random.default_rng(seed)
        self.size = size

    def lift(self, value: Fraction) -> Scalar:
        """The nearest double."""
        return float(value)

    def number(self) -> Scalar:
        """Samples (N,) of a normal distribution."""
        return self.generator.normal(size=self.size)

    def shaft(self, row: Sequence[Fraction], y: Sequence[Any]) -> tuple[Scalar, Scalar]:
        """Speeds (N,) and their signs."""
        speed = sum((float(ratio) * value for ratio, value in zip(row, y, strict=True)), np.zeros(self.size))
        return speed, np.where(speed >= 0.0, 1.0, -1.0)

    def speeds(self, n: int) -> list[Any]:
        """Random speeds, (N,) for each joint."""
        return [self.number() for _ in range(n)]


def rational_rows(robot: Robot, geometry: RationalGeometry, parameters: StandardParameters) -> flint.fmpq_mat:
    """W over the rationals, (p + MORE, p)."""
    sample = _Sampler(robot, geometry, parameters, Rationals())
    return flint.fmpq_mat([sample.row() for _ in range(len(parameters) + MORE)])


def residue_rows(robot: Robot, geometry: RationalGeometry, parameters: StandardParameters) -> flint.nmod_mat:
    """W modulo a large prime, (p + MORE, p): its rank is that of the regressor, or with a negligible chance less."""
    sample = _Sampler(robot, geometry, parameters, Residues())
    p = len(parameters)
    entries = [int(entry) for _ in range(p + MORE) for entry in sample.row()]
    return flint.nmod_mat(p + MORE, p, entries, PRIME)


def real_rows(robot: Robot, geometry: RationalGeometry, parameters: StandardParameters, count: int) -> flint.arb_mat:
    """W in real numbers of the current precision, (count, p)."""
    sample = _Sampler(robot, geometry, parameters, Reals())
    return flint.arb_mat(count, len(parameters), [entry for _ in range(count) for entry in sample.row()])


def double_rows(robot: Robot, geometry: RationalGeometry, parameters: StandardParameters) -> Array:
    """W in doubles, (2 p + MORE, p)."""
    size = 2 * len(parameters) + MORE
    rows = np.empty((size, len(parameters)))
    for k, entry in enumerate(_Sampler(robot, geometry, parameters, Doubles(size)).row()):
        rows[:, k] = entry
    return rows


def natural_sizes(w: Array, parameters: StandardParameters) -> Array:
    """The length that a column of W in doubles would have if nothing cancelled: the largest of its kind, (p,).

    Kinds are tensors, first moments, masses; every rotor and friction parameter is a kind of its own. All first moments
    cancel where bodies only slide along the axis about which they turn. Tensors multiply products of angular
    velocities, masses products of velocities, and first moments one of each. The size of first moments is therefore at
    least the geometric mean of the other two.
    """
    sizes = np.linalg.norm(w, axis=0)
    width = len(PARAMETER_NAMES)
    inertial = parameters.kinds.count(StandardParameterKind.INERTIAL)
    kinds = np.array([0 if name.startswith("I") else len(name) for name in PARAMETER_NAMES] * (inertial // width))
    for kind in set(kinds.tolist()):
        same = np.flatnonzero(kinds == kind)
        sizes[same] = sizes[same].max()
    if inertial:
        tensor, moment, mass = (float(sizes[np.flatnonzero(kinds == kind)].max()) for kind in (0, 2, 1))
        sizes[np.flatnonzero(kinds == 2)] = max(moment, math.sqrt(tensor * mass))
    return np.asarray(sizes, dtype=np.float64)


@dataclass(frozen=True)
class _Body:
    """Motion of a body for (2), in its canonical axes: w, v and gravity."""

    w: Vector3
    v: Vector3
    a: Vector3


class _Sampler:
    """Rows (1) of one robot in one arithmetic, its constants lifted once (into the fields of `RationalLink`)."""

    def __init__(
        self, robot: Robot, geometry: RationalGeometry, parameters: StandardParameters, field: Arithmetic
    ) -> None:
        self.field = field
        self.n = geometry.n
        self.angles = geometry.angles
        self.friction = parameters.friction
        self.links = [_lifted_link(field, link) for link in geometry.links]
        self.gravity = _lifted_vector(field, geometry.gravity)
        self.motors = [_lifted_row(field, row) for row in (robot.drives.transmission if parameters.motors else ())]
        shafts = friction_shafts(robot) if parameters.friction.parameters else ()
        self.shafts = [(_lifted_row(field, shaft.row), [Fraction(ratio) for ratio in shaft.row]) for shaft in shafts]

    def row(self) -> list[Scalar]:
        """One sample of (1), or one batch of them."""
        field = self.field
        u = [field.number() for _ in range(self.n)]
        displacements = [field.number() for _ in range(self.n)]
        points = [field.point() for _ in range(self.angles)]
        base = _Body((0, 0, 0), (0, 0, 0), self.gravity)
        bodies: list[_Body] = []
        entries: list[Scalar] = []
        for link in self.links:
            parent = base if link.parent == BASE else bodies[link.parent]
            k = link.coordinate
            if link.kind.nv > 1:
                bodies.append(_moved(link, parent, u[k : k + link.kind.nv], field))
            else:
                bodies.append(_carried(link, parent, u[k], displacements[k], points))
            entries += _columns(link, bodies[-1])
        for row in self.motors:
            speed = _along(row, u)
            entries.append(speed * speed)
        return entries + self._friction(u)

    def _friction(self, u: Sequence[Scalar]) -> list[Scalar]:
        """Friction columns of (3)."""
        entries: list[Scalar] = []
        y = self.field.speeds(len(u)) if self.shafts else []
        half = self.field.lift(Fraction(1, 2))
        for row, ratios in self.shafts:
            speed, sign = self.field.shaft(ratios, y)
            forth, back = half * (1 + sign), half * (1 - sign)
            if self.friction is FrictionColumns.DIRECTIONAL:
                functions: tuple[Scalar, ...] = (forth * speed, back * speed, forth, -back)
            else:
                functions = (speed, sign, 1)[: len(self.friction.parameters)]
            power = _along(row, u)
            entries += [power * phi for phi in functions]
        return entries


def _carried(
    link: RationalLink, parent: _Body, u: Scalar, displacement: Scalar, points: Sequence[tuple[Scalar, Scalar]]
) -> _Body:
    """A body's motion from its parent's."""
    c, s = link.turn
    rate = link.multiplier * u
    columns = transpose(link.rotation)
    origin = link.origin
    if not link.column.turns:
        origin = add(origin, scale(columns[2], link.multiplier * displacement + link.offset))
    for _ in range(abs(link.power)):
        cosine, sine = points[link.angle]
        sine = sine if link.power > 0 else -sine
        c, s = c * cosine - s * sine, s * cosine + c * sine

    def back(v: Vector3) -> Vector3:
        x, y, z = matvec(columns, v)
        return (c * x + s * y, c * y - s * x, z)

    w, v = back(parent.w), back(add(parent.v, cross(parent.w, origin)))
    if link.column.turns:
        w = (w[0], w[1], w[2] + rate)
    else:
        v = (v[0], v[1], v[2] + rate)
    return _Body(w, v, back(parent.a))


def _moved(link: RationalLink, parent: _Body, u: Sequence[Scalar], field: Arithmetic) -> _Body:
    """A body on a joint of several coordinates: turned and displaced at random, then its own rates added."""
    kind, origin, rotation = link.kind, link.origin, link.rotation
    for column in kind.motion_subspace:
        if not column.turns:
            origin = add(origin, scale(column.direction(link.rotation), field.number()))
    if sum(column.turns for column in kind.motion_subspace) > 1:
        rotation = matmul(rotation, quaternion_matrix(*(field.number() for _ in range(4))))
    else:
        rotation = matmul(rotation, rotation_z(*field.point()))
    back = transpose(rotation)
    w, v = list(matvec(back, parent.w)), list(matvec(back, add(parent.v, cross(parent.w, origin))))
    for column, rate in zip(kind.motion_subspace, u, strict=True):
        own = w if column.turns else v
        own[column.axis] = own[column.axis] + rate
    return _Body((w[0], w[1], w[2]), (v[0], v[1], v[2]), matvec(back, parent.a))


def _columns(link: RationalLink, body: _Body) -> tuple[Scalar, ...]:
    """(2) in the frame of the body's parameters, in the order of `PARAMETER_NAMES`."""
    turn = transpose(link.frame_rotation)
    w, a = matvec(turn, body.w), matvec(turn, body.a)
    v = matvec(turn, add(body.v, cross(body.w, link.frame_origin)))
    wx, wy, wz = w
    first = cross(subtract(scale(v, 2), a), w)
    return (
        wx * wx, 2 * wx * wy, 2 * wx * wz, wy * wy, 2 * wy * wz, wz * wz, *first, dot(subtract(v, a), v),
    )  # fmt: skip


Ratios = tuple[tuple[int, Scalar], ...]
"""A row of a transmission without its zeros."""


def _along(row: Ratios, u: Sequence[Scalar]) -> Scalar:
    """t . u."""
    return sum((ratio * u[k] for k, ratio in row), 0 * u[0])


def _lifted_row(field: Arithmetic, row: Sequence[float]) -> Ratios:
    return tuple((k, field.lift(Fraction(ratio))) for k, ratio in enumerate(row) if ratio != 0.0)


def _lifted_link(field: Arithmetic, link: RationalLink) -> RationalLink:
    return replace(
        link,
        rotation=_lifted(field, link.rotation),
        origin=_lifted_vector(field, link.origin),
        turn=(field.lift(link.turn[0]), field.lift(link.turn[1])),
        multiplier=field.lift(link.multiplier),
        offset=field.lift(link.offset),
        frame_rotation=_lifted(field, link.frame_rotation),
        frame_origin=_lifted_vector(field, link.frame_origin),
    )


def _lifted_vector(field: Arithmetic, v: Vector3) -> Vector3:
    return (field.lift(v[0]), field.lift(v[1]), field.lift(v[2]))


def _lifted(field: Arithmetic, m: Matrix3) -> Matrix3:
    return (_lifted_vector(field, m[0]), _lifted_vector(field, m[1]), _lifted_vector(field, m[2]))
