"""Contact of a virtual object with walls, boxes and spheres: penalty forces, plastic impact, proxy (god object).

An obstacle is given by its signed distance s(p) from a point p and the direction n(p) away from it. A body touches it
with points, each the centre of a ball of radius r (0 for a corner). At depth z = r - s > 0 and speed u = n . v away
from the obstacle, the force along n is

(1)  k z - c u                 two-sided: the damper also holds a body that leaves, while it is inside
(2)  max(0, k z - c u)         one-sided: contact never pulls

and zero outside. For a mass m, k = m (2 pi f)^2 and c = 2 m (2 pi f) ratio (Clover IV, section V: 10 kg, 25 Hz,
critically damped give 246,740 N/m and 3141.6 N s/m). One-sided and critically damped, a body rebounds from every impact
with e^-2 = 13.5 % of its speed: the force (2) ends at k z = c u, while the body still moves.

A plastic impact (3) removes the approaching speed instantly, by an impulse along n:

(3)  j = max(0, -u) / (n . n/m + n . (I^-1 (a x n) x a)),   a from the mass centre to the point

All of it is written over any scalar, without branches, so that it can be traced into the step of the object.

God object: with a spring to the nearest surface alone, a hand that presses deep into a thin plate is pushed out on the
far side. The proxy (Zilles and Salisbury 1995) stays on its side: in each cycle it moves towards the hand's
point and stops at the planes that it meets,

(4)  minimise |x - hand|^2   subject to   n_i . x >= o_i   for the planes in its way,

at most three at once. The force on the hand is then that of the spring between proxy and hand. Planes are faces of
obstacles: a wall has one; those of a block count only where the proxy's path crosses them inside the face.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product as every_pair
from typing import NamedTuple, Protocol

import numpy as np

from torquec.errors import ArgumentError
from torquec.expr.math import absolute, maximum, select, sqrt
from torquec.foundation.arrays import Array
from torquec.haptics.tuning import TUNING
from torquec.haptics.virtual_object import (
    Field,
    ObjectParameters,
    ObjectState,
    ObjectWrench,
    over_mass,
    rotation_of,
    solve_inertia,
)
from torquec.spatial import Matrix3, Scalar, Vector3, add, cross, dot, matvec, scale, subtract, transpose

_ROOT_FLOOR = 1e-150  # added under a square root against division by zero: far below any length


class Clearance(NamedTuple):
    """Signed distance of a point from an obstacle [m], negative inside, and the unit direction away from it."""

    distance: Scalar
    away: Vector3


class Obstacle(Protocol):
    """Interface of an obstacle: a signed distance."""

    def clearance(self, point: Vector3) -> Clearance:
        """Signed distance and normal at a point, in base axes."""


@dataclass(frozen=True)
class Wall:
    """The half space normal . p <= offset; `normal` is a unit vector that points to the free side."""

    normal: Vector3
    offset: float

    def __post_init__(self) -> None:
        if not abs(math.hypot(*self.normal) - 1.0) <= TUNING.unit_tolerance or not math.isfinite(self.offset):
            raise ArgumentError(f"a wall has the normal {self.normal}", remedy="give a unit vector and a finite offset")

    def clearance(self, point: Vector3) -> Clearance:
        """See `Obstacle`."""
        return Clearance(dot(self.normal, point) - self.offset, self.normal)


@dataclass(frozen=True)
class Ball:
    """A sphere [m]."""

    centre: Vector3
    radius: float

    def __post_init__(self) -> None:
        _check_sizes("ball", (self.radius,), self.centre)

    def clearance(self, point: Vector3) -> Clearance:
        """See `Obstacle`; at the very centre there is no direction, and it is the zero vector."""
        apart = subtract(point, self.centre)
        length = sqrt(dot(apart, apart) + _ROOT_FLOOR)
        return Clearance(length - self.radius, scale(apart, 1.0 / length))


@dataclass(frozen=True)
class Block:
    """A box: `half` sizes along its own axes [m], the columns of `rotation`."""

    centre: Vector3
    half: Vector3
    rotation: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        _check_sizes("block", self.half, self.centre)

    def clearance(self, point: Vector3) -> Clearance:
        """See `Obstacle`; inside, the nearest face is the way out."""
        own = matvec(transpose(self.rotation), subtract(point, self.centre))
        beyond = tuple(absolute(x) - h for x, h in zip(own, self.half, strict=True))
        sign = tuple(select(x, 1.0, -1.0) for x in own)
        outside = tuple(maximum(x, 0.0) for x in beyond)
        length = sqrt(sum((x * x for x in outside[1:]), outside[0] * outside[0]) + _ROOT_FLOOR)
        deepest = maximum(maximum(beyond[0], beyond[1]), beyond[2])
        face = (
            select(beyond[0] - deepest, 1.0, 0.0),
            select(beyond[0] - deepest, 0.0, select(beyond[1] - deepest, 1.0, 0.0)),
            select(beyond[0] - deepest, 0.0, select(beyond[1] - deepest, 0.0, 1.0)),
        )
        # `deepest` is positive outside only; select takes its first value from 0 on.
        away = tuple(s * select(deepest, x / length, f) for s, x, f in zip(sign, outside, face, strict=True))
        return Clearance(select(deepest, length, deepest), matvec(self.rotation, (away[0], away[1], away[2])))


@dataclass(frozen=True)
class SpringDamper:
    """The law (1), or (2) where not `two_sided`: stiffness [N/m], damping [N s/m]."""

    stiffness: float
    damping: float
    two_sided: bool = True

    def __post_init__(self) -> None:
        if not (0.0 < self.stiffness < math.inf and 0.0 <= self.damping < math.inf):
            raise ArgumentError(
                f"a contact with {self.stiffness} N/m and {self.damping} N s/m",
                remedy="give a positive stiffness and a damping from 0 on, both finite",
            )

    @classmethod
    def tuned(cls, mass: float, frequency: float, *, ratio: float = 1.0, two_sided: bool = True) -> SpringDamper:
        """The law that gives a mass [kg] this natural frequency [Hz] and damping ratio.

        >>> law = SpringDamper.tuned(10.0, 25.0)
        >>> round(law.stiffness), round(law.damping, 1)
        (246740, 3141.6)
        """
        if not (0.0 < mass < math.inf and 0.0 < frequency < math.inf):
            raise ArgumentError(f"a contact for {mass} kg at {frequency} Hz", remedy="give positive, finite numbers")
        turns = 2.0 * math.pi * frequency
        return cls(mass * turns**2, 2.0 * mass * turns * ratio, two_sided)

    def force(self, depth: Scalar, speed: Scalar) -> Scalar:
        """The force away from the obstacle at a depth [m] and a speed away from it [m/s]."""
        pushed = self.stiffness * depth - self.damping * speed
        return select(-depth, 0.0, pushed if self.two_sided else maximum(pushed, 0.0))


class TouchPoint(NamedTuple):
    """A contact point of a body: seen from the mass centre in body axes [m], and the radius around it [m]."""

    place: Vector3
    radius: float = 0.0


def block_corners(half: Vector3) -> tuple[TouchPoint, ...]:
    """The corners of a box around the mass centre, `half` sizes along the body axes [m]."""
    x, y, z = half
    return tuple(TouchPoint((a * x, b * y, c * z)) for a, b, c in every_pair((-1.0, 1.0), repeat=3))


def contact_field(points: Sequence[TouchPoint], obstacles: Sequence[Obstacle], law: SpringDamper) -> Field:
    """The contact force of all obstacles on all points, as a field of `object_step`."""

    def field(state: ObjectState) -> ObjectWrench:
        rotation = rotation_of(state.orientation)
        force: Vector3 = (0.0, 0.0, 0.0)
        moment: Vector3 = (0.0, 0.0, 0.0)
        for point in points:
            arm = matvec(rotation, point.place)
            velocity = add(state.velocity, matvec(rotation, cross(state.angular_velocity, point.place)))
            for obstacle in obstacles:
                near = obstacle.clearance(add(state.position, arm))
                pushed = law.force(point.radius - near.distance, dot(near.away, velocity))
                push = scale(near.away, pushed)
                force, moment = add(force, push), add(moment, cross(arm, push))
        return ObjectWrench(force, moment)

    return field


def corner_field(half: Vector3, block: Block, law: SpringDamper) -> Field:
    """The force of a fixed block's corners on a body that is a box of `half` sizes [m] around its mass centre."""
    own = Block((0.0, 0.0, 0.0), half)
    turned = [matvec(block.rotation, corner.place) for corner in block_corners(block.half)]
    corners = [add(block.centre, corner) for corner in turned]

    def field(state: ObjectState) -> ObjectWrench:
        rotation = rotation_of(state.orientation)
        back = transpose(rotation)
        force: Vector3 = (0.0, 0.0, 0.0)
        moment: Vector3 = (0.0, 0.0, 0.0)
        for corner in corners:
            arm = subtract(corner, state.position)
            near = own.clearance(matvec(back, arm))
            away = matvec(rotation, near.away)
            velocity = add(state.velocity, cross(matvec(rotation, state.angular_velocity), arm))
            push = scale(away, -law.force(-near.distance, -dot(away, velocity)))
            force, moment = add(force, push), add(moment, cross(arm, push))
        return ObjectWrench(force, moment)

    return field


def plastic_impact(
    body: ObjectParameters, state: ObjectState, points: Sequence[TouchPoint], obstacles: Sequence[Obstacle]
) -> ObjectState:
    """The state after a plastic impact (3) at every point that is inside an obstacle and approaches it, in turn."""
    rotation = rotation_of(state.orientation)
    back = transpose(rotation)
    for point in points:
        arm = matvec(rotation, point.place)
        for obstacle in obstacles:
            near = obstacle.clearance(add(state.position, arm))
            velocity = add(state.velocity, matvec(rotation, cross(state.angular_velocity, point.place)))
            turned = solve_inertia(body.inertia, matvec(back, cross(arm, near.away)))
            shown = dot(near.away, over_mass(body, near.away)) + dot(near.away, cross(matvec(rotation, turned), arm))
            impulse = maximum(-dot(near.away, velocity), 0.0) / shown
            impulse = select(near.distance - point.radius, 0.0, impulse)
            state = state._replace(
                velocity=add(state.velocity, scale(over_mass(body, near.away), impulse)),
                angular_velocity=add(state.angular_velocity, scale(turned, impulse)),
            )
    return state


def _check_sizes(what: str, sizes: Sequence[float], centre: Vector3) -> None:
    if not all(0.0 < size < math.inf for size in sizes) or not all(math.isfinite(x) for x in centre):
        raise ArgumentError(f"a {what} of size {tuple(sizes)} at {centre}", remedy="give positive, finite sizes")


_MOST_PLANES = 3  # three planes fix a point


@dataclass(frozen=True, eq=False)
class Face:
    """A plane n . x >= o, bounded by other planes m_j . x <= p_j."""

    normal: Array
    offset: float
    edges: Array
    limits: Array

    def in_the_way(self, start: Array, end: Array) -> float:
        """The fraction of the path from `start` to `end` at which it meets this face; infinite where it does not."""
        before, after = (float(self.normal @ point) - self.offset for point in (start, end))
        if before < -TUNING.touching_distance or after >= -TUNING.plane_slack:
            return np.inf
        share = max(before, 0.0) / (max(before, 0.0) - after)
        point = start + share * (end - start)
        return float(share) if (self.edges @ point <= self.limits + TUNING.touching_distance).all() else np.inf


def obstacle_faces(obstacles: Sequence[Wall | Block]) -> list[Face]:
    """The faces of walls and blocks."""
    faces = []
    for obstacle in obstacles:
        if isinstance(obstacle, Wall):
            faces.append(Face(np.array(obstacle.normal), obstacle.offset, np.zeros((0, 3)), np.zeros(0)))
            continue
        axes: Array = np.array(obstacle.rotation).T
        centre, half = np.array(obstacle.centre), np.array(obstacle.half)
        for k in range(3):
            others = [i for i in range(3) if i != k]
            edges = np.concatenate([axes[others], -axes[others]])
            limits = np.concatenate([axes[others] @ centre + half[others], -(axes[others] @ centre) + half[others]])
            faces += [
                Face(sign * axes[k], float(sign * axes[k] @ centre + half[k]), edges, limits) for sign in (1.0, -1.0)
            ]
    return faces


def moved_proxy(proxy: Array, hand: Array, faces: Sequence[Face]) -> Array:
    """The new position of the proxy after the hand's point has moved (4)."""
    place: Array = np.array(proxy, dtype=float)
    active: list[Face] = []
    goal: Array = np.array(hand, dtype=float)
    for _ in range(_MOST_PLANES + 1):
        shares = [np.inf if face in active else face.in_the_way(place, goal) for face in faces]
        nearest = int(np.argmin(shares)) if shares else -1
        if nearest < 0 or shares[nearest] == np.inf:
            return goal
        place = place + shares[nearest] * (goal - place)
        active.append(faces[nearest])
        if len(active) > _MOST_PLANES:
            return place
        goal = _nearest_point(np.array(hand, dtype=float), active)
    return place


def _nearest_point(hand: Array, active: Sequence[Face]) -> Array:
    """The point nearest to the hand on the active planes (4): planes with a negative multiplier are released."""
    held = list(active)
    while held:
        normals = np.array([face.normal for face in held])
        offsets = np.array([face.offset for face in held])
        pushes = np.linalg.lstsq(normals @ normals.T, offsets - normals @ hand, rcond=None)[0]
        if (pushes >= -TUNING.plane_slack).all():
            nearest: Array = hand + normals.T @ pushes
            return nearest
        held.pop(int(np.argmin(pushes)))
    return hand
