"""Kinematic influence coefficients: first and second order, of any point and of the link that carries it.

They depend on positions only; rates and accelerations enter in (1). G is (3, n) and H (n, n, 3), for the point or the
link:

(1)  velocity = G qd,      acceleration = G qdd + qd' H qd
(2)  G_k = g_k(x) for the point x, w_k for the link:  g(x) = s x (x - o), w = s rotation;  g = s, w = 0 translation
(3)  point:  H_jk = H_kj = w_j x g_k(x)     for a joint j at or before k on the way to the point
(4)  link:   H_jk = w_j x w_k,  H_kj = 0    for a joint j before k
(5)  joints that are not on the way have no influence; a mimic joint's coefficients are collected, with its
     multiplier, at the joint that it follows

Revolute joints before a prismatic joint rotate it (3); it rotates nothing itself. Kang, appendix 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.jacobian import ZERO, frame_chain
from torquec.dynamics.mechanism import Coordinate
from torquec.errors import ArgumentError
from torquec.robot.robot import Robot
from torquec.spatial import Scalar, Vector3, add, cross, scale


@dataclass(frozen=True)
class Influence:
    """First-order coefficients G, n columns of (3,), and second-order ones H, (n, n) of (3,), in base axes."""

    columns: tuple[Vector3, ...]
    second: tuple[tuple[Vector3, ...], ...]

    @property
    def first(self) -> tuple[tuple[Scalar, ...], ...]:
        """First-order coefficients G, (3, n)."""
        return tuple(tuple(column[row] for column in self.columns) for row in range(3))

    def velocity(self, qd: Sequence[Scalar]) -> Vector3:
        """Velocity G qd, (3,)."""
        total = ZERO
        for column, rate in zip(self.columns, qd, strict=True):
            total = add(total, scale(column, rate))
        return total

    def acceleration(self, qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> Vector3:
        """Acceleration G qdd + qd' H qd, (3,)."""
        total = self.velocity(qdd)
        for row, left in zip(self.second, qd, strict=True):
            for vector, right in zip(row, qd, strict=True):
                total = add(total, scale(vector, left * right))
        return total

    def joint_loads(self, vector: Vector3) -> list[Scalar]:
        """G' f, (n,): joint torques of a force at the point, or of a moment on the link."""
        return [column[0] * vector[0] + column[1] * vector[1] + column[2] * vector[2] for column in self.columns]


@dataclass(frozen=True)
class InfluenceCoefficients:
    """Influence on a point (`translation`) and on the link that carries it (`rotation`); `position` is the point."""

    position: Vector3
    translation: Influence
    rotation: Influence


def influence_coefficients(
    robot: Robot, frame: str, q: Sequence[Scalar], *, point: Vector3 = ZERO
) -> InfluenceCoefficients:
    """Equations (2)-(5) for a point, given in a named frame, at q (n,); all results in base axes.

    Raises `ArgumentError` where the robot has no such frame, or moves it by free, ball or planar joints.

    >>> from torquec.robot.classics import load_classic
    >>> arm = load_classic("planar2r")
    >>> stretched = influence_coefficients(arm, arm.frames[-1].name, [0.0, 0.0])
    >>> stretched.rotation.velocity([1.0, 2.0]) == stretched.rotation.acceleration([5.0, 6.0], [1.0, 2.0])
    True
    """
    chain = frame_chain(robot, frame, q)
    if any(size > 1 for size in chain.sizes):
        raise ArgumentError(
            f"the second-order influence coefficients of frame '{frame}' need joints with one coordinate",
            remedy="take jacobian and jacobian_derivative, which serve every joint",
        )
    position = chain.pose.apply(point)
    spins = [axis.spin for axis in chain.axes]
    firsts = [axis.first(position) for axis in chain.axes]
    return InfluenceCoefficients(
        position,
        _collected(robot.n, chain.coordinates, firsts, _second_of_point(spins, firsts)),
        _collected(robot.n, chain.coordinates, spins, _second_of_link(spins)),
    )


def _second_of_point(spins: Sequence[Vector3], firsts: Sequence[Vector3]) -> list[list[Vector3]]:
    """(3), for the joints on the way."""
    size = len(spins)
    return [[cross(spins[min(j, k)], firsts[max(j, k)]) for k in range(size)] for j in range(size)]


def _second_of_link(spins: Sequence[Vector3]) -> list[list[Vector3]]:
    """(4), for the joints on the way."""
    size = len(spins)
    return [[cross(spins[j], spins[k]) if j < k else ZERO for k in range(size)] for j in range(size)]


def _collected(
    n: int, moved: Sequence[Coordinate], firsts: Sequence[Vector3], seconds: Sequence[Sequence[Vector3]]
) -> Influence:
    """Coefficients collected at the joints of the state (5)."""
    columns: list[Vector3] = [ZERO] * n
    second: list[list[Vector3]] = [[ZERO] * n for _ in range(n)]
    for j, a in enumerate(moved):
        columns[a.index] = add(columns[a.index], scale(firsts[j], a.multiplier))
        for k, b in enumerate(moved):
            part = scale(seconds[j][k], a.multiplier * b.multiplier)
            second[a.index][b.index] = add(second[a.index][b.index], part)
    return Influence(tuple(columns), tuple(tuple(row) for row in second))
