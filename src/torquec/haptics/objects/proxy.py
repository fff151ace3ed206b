"""The god object: a point that stays outside of every obstacle while the hand's point goes in.

With a spring to the nearest surface alone, a hand that presses deep into a thin plate is pushed out on the far side.
The proxy (Zilles and Salisbury 1995) remembers on which side it was: in each cycle it moves towards the hand's point
and stops at the planes that it meets,

(1)  minimise |x - hand|^2   subject to   n_i . x >= o_i   for the planes in its way,

at most three at once. The force on the hand is then the spring between both points. Planes are faces of obstacles: a
wall has one; those of a block count only where the proxy's way crosses them inside the face.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array
from torquec.haptics.objects.contact import Block, Wall

_MOST_PLANES = 3  # three planes leave no freedom to a point
_SLACK = 1e-12  # [m]: how far inside a plane a point on it may be by rounding
_TOUCHING = 1e-9  # [m]: closer than this to a face, the proxy lies on it


@dataclass(frozen=True, eq=False)
class Face:
    """A plane n . x >= o, bounded by other planes m_j . x <= p_j."""

    normal: Array
    offset: float
    edges: Array
    limits: Array

    def in_the_way(self, start: Array, end: Array) -> float:
        """The share of the way from `start` to `end` at which it meets this face; infinite where it does not."""
        before, after = (float(self.normal @ point) - self.offset for point in (start, end))
        if before < -_TOUCHING or after >= -_SLACK:
            return np.inf
        share = max(before, 0.0) / (max(before, 0.0) - after)
        point = start + share * (end - start)
        return float(share) if (self.edges @ point <= self.limits + _TOUCHING).all() else np.inf


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
    """Where the proxy is after the hand's point has moved (1)."""
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
    """The point nearest to the hand on the planes that hold it (1): Lagrange's conditions, planes that pull let go."""
    held = list(active)
    while held:
        normals = np.array([face.normal for face in held])
        offsets = np.array([face.offset for face in held])
        pushes = np.linalg.lstsq(normals @ normals.T, offsets - normals @ hand, rcond=None)[0]
        if (pushes >= -_SLACK).all():
            nearest: Array = hand + normals.T @ pushes
            return nearest
        held.pop(int(np.argmin(pushes)))
    return hand
