"""Joint kinds with several coordinates, for tests alone: `JointKind` must serve quaternions and nq != nv."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.expr.math import sincos
from torquec.robot.joints import KindCoordinate, PositionBasis, UnitTwist
from torquec.spatial import Pose


class Several:
    """What kinds without a single coordinate refuse, and words that no file has."""

    has_position_limits = True
    letter = urdf = mjcf = dh = "-"

    @property
    def coordinate(self):
        raise ArgumentError(f"a joint of kind '{self.name}' has {self.nv} coordinates")

    @property
    def limited(self):
        return self

    unlimited = limited

    @property
    def motion_subspace(self):
        return tuple(each.column for each in self.coordinates)

    @property
    def nv(self):
        return len(self.coordinates)

    def z_screw(self, theta, d, q):
        raise ArgumentError(f"a joint of kind '{self.name}' is no screw about one axis")


@dataclass(frozen=True)
class Ball(Several):
    """A unit quaternion (w, x, y, z); rates are the angular velocity in the child's axes."""

    name = "ball"
    nq = 4
    neutral = (1.0, 0.0, 0.0, 0.0)
    coordinates = tuple(KindCoordinate(UnitTwist(k, turns=True), None, f"w{'xyz'[k]}") for k in range(3))

    def placement(self, axis, q):
        w, x, y, z = q
        return Pose(
            (
                (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
                (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
                (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
            )
        )

    def integrate(self, q, v):
        angle = float(np.linalg.norm(v))
        part = 0.5 if angle == 0.0 else math.sin(0.5 * angle) / angle
        return product(q, (math.cos(0.5 * angle), *(part * np.asarray(v))))

    def difference(self, q0, q1):
        w, *u = product((q0[0], *(-x for x in q0[1:])), q1)
        size = float(np.linalg.norm(u))
        return tuple((2.0 if size == 0.0 else 2.0 * math.atan2(size, w) / size) * np.array(u))

    def rate_map(self, q):
        w, x, y, z = (0.5 * each for each in q)
        return ((-x, -y, -z), (w, -z, y), (z, w, -x), (-y, x, w))


def product(p, q):
    """The product of two quaternions."""
    (a, *u), (b, *v) = p, q
    return (a * b - float(np.dot(u, v)), *(a * np.array(v) + b * np.array(u) + np.cross(u, v)))


@dataclass(frozen=True)
class Planar(Several):
    """Position (x, y, angle) in the plane across z; rates in the child's axes."""

    name = "planar"
    nq = 3
    neutral = (0.0, 0.0, 0.0)
    coordinates = (
        KindCoordinate(UnitTwist(0, turns=False), PositionBasis.POLYNOMIAL, "x"),
        KindCoordinate(UnitTwist(1, turns=False), PositionBasis.POLYNOMIAL, "y"),
        KindCoordinate(UnitTwist(2, turns=True), PositionBasis.TRIGONOMETRIC, "angle"),
    )

    def placement(self, axis, q):
        s, c = sincos(q[2])
        return Pose(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)), (q[0], q[1], 0.0))

    def integrate(self, q, v):
        along = _arc(v[2]) @ np.asarray(v[:2])
        return (*(np.asarray(q[:2]) + _turn(q[2]) @ along), q[2] + v[2])

    def difference(self, q0, q1):
        angle = q1[2] - q0[2]
        way = _turn(q0[2]).T @ (np.asarray(q1[:2]) - np.asarray(q0[:2]))
        return (*np.linalg.solve(_arc(angle), way), angle)

    def rate_map(self, q):
        s, c = sincos(q[2])
        return ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))


def _turn(angle):
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def _arc(angle):
    """The way of unit rates while they turn by an angle."""
    if angle == 0.0:
        return np.eye(2)
    s, c = math.sin(angle) / angle, (1.0 - math.cos(angle)) / angle
    return np.array([[s, -c], [c, s]])


SAMPLES = {kind.name: kind for kind in (Ball(), Planar())}
