"""Geometric Jacobian of a named frame, its time derivative, and the joint axes from which both are computed.

Rows 0..2 give the velocity of the frame's origin, rows 3..5 the angular velocity, both in base axes:

(1)  rotation j on the way:   column (z_j x (p - o_j), z_j),          translation:  (z_j, 0)
(2)  its derivative:          (zd_j x (p - o_j) + z_j x (pd - od_j), zd_j),          (zd_j, 0),     zd_j = w_j x z_j

z is the direction of an axis and o a point on it. Both are expressed in the axes of one reference: the robot's base, or
the link at the root of the tree that the joint belongs to. Trees with different roots share no dynamics, and in
the axes of the root, nothing depends on the root's own position (Kang's "first joint coordinate frame").
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from torquec.dynamics.closed_loops import closed_state_of, times_rates
from torquec.dynamics.frame_pose import link_poses
from torquec.dynamics.mechanism import Coordinate, Mechanism, PlacedLink, coordinates, place_links
from torquec.robot.joints import UnitTwist
from torquec.robot.robot import BASE, Robot
from torquec.spatial import IDENTITY, Pose, Scalar, Vector3, add, cross, matmul, rotation_z, scale, subtract, transpose

ZERO: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class JointAxis:
    """A joint's axis: its direction, a unit vector, and a point on it."""

    direction: Vector3
    origin: Vector3
    turns: bool

    @property
    def spin(self) -> Vector3:
        """Angular velocity of everything beyond the joint, per unit of its speed."""
        return self.direction if self.turns else ZERO

    def first(self, point: Vector3) -> Vector3:
        """Velocity of a point beyond the joint, per unit of its speed.

        >>> JointAxis((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), turns=True).first((4.0, 0.0, 5.0))
        (0.0, 3.0, 0.0)
        """
        return cross(self.direction, subtract(point, self.origin)) if self.turns else self.direction


@dataclass(frozen=True)
class FrameChain:
    """The axes that move a frame, base first, the coordinate of each, and the frame's pose, in base axes."""

    axes: tuple[JointAxis, ...]
    coordinates: tuple[Coordinate, ...]
    pose: Pose
    sizes: tuple[int, ...] = ()
    """How many of the axes each joint has, base first."""


def frame_chain(robot: Robot, frame: str, q: Sequence[Scalar]) -> FrameChain:
    """The joints between the base and a named frame at q (nq,); raises `ArgumentError` for an unknown frame."""
    named = robot.frame(frame)
    if named.body == BASE:
        return FrameChain((), (), named.pose)
    state = coordinates(robot)
    placed = place_links(robot.canonical.links, state, q)
    poses = link_poses(robot, placed, [named.body])
    way = chains(placed)[named.body]
    pose = poses[named.body] @ (robot.canonical.links[named.body].frame @ named.pose)
    axes = tuple(axis_of(poses[i], column) for i in way for column in placed[i].columns)
    moving = tuple(replace(state[i], index=state[i].index + k) for i in way for k in range(placed[i].kind.nv))
    return FrameChain(axes, moving, pose, tuple(placed[i].kind.nv for i in way))


def axis_of(pose: Pose, column: UnitTwist) -> JointAxis:
    """The axis of the joint that carries a link, from the link's canonical frame."""
    return JointAxis(column.direction(pose.rotation), pose.origin, column.turns)


def chains(placed: Sequence[PlacedLink]) -> list[tuple[int, ...]]:
    """For every link the links from its root to itself."""
    found: list[tuple[int, ...]] = []
    for i, link in enumerate(placed):
        found.append((i,) if link.parent == BASE else (*found[link.parent], i))
    return found


def root_poses(m: Mechanism, placed: Sequence[PlacedLink]) -> list[Pose]:
    """The canonical frame of every link, seen from that of the link at its root."""
    poses: list[Pose] = []
    for link, at in zip(m.links, placed, strict=True):
        if link.parent == BASE:
            poses.append(IDENTITY)
            continue
        parent = poses[link.parent]
        # Rotating about x and then z, and translating along both, costs less than one general product.
        turned = matmul(parent.rotation, link.pre.rotation)
        origin = add(parent.apply(link.pre.origin), scale(transpose(turned)[2], at.height))
        poses.append(Pose(matmul(turned, rotation_z(at.turn.c, at.turn.s)), origin))
    return poses


def jacobian(robot: Robot, frame: str, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Geometric Jacobian J(q), (6, n), of a frame, equation (1)."""
    if robot.dependent:
        state = closed_state_of(robot, q)
        return times_rates(jacobian(robot.tree, frame, state.q), state.rates)
    chain = frame_chain(robot, frame, q)
    total = _zero(robot.n)
    for axis, coordinate in zip(chain.axes, chain.coordinates, strict=True):
        _collect(total, coordinate, (axis.first(chain.pose.origin), axis.spin))
    return total


def jacobian_derivative(robot: Robot, frame: str, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[list[Scalar]]:
    """Time derivative dJ/dt of the Jacobian at (q, qd), (6, n), equation (2)."""
    if robot.dependent:
        state = closed_state_of(robot, q)
        v = state.rate(qd)
        turning = times_rates(jacobian_derivative(robot.tree, frame, state.q, v), state.rates)
        more = times_rates(jacobian(robot.tree, frame, state.q), state.rates_derivative(v))
        return [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(turning, more, strict=True)]
    chain = frame_chain(robot, frame, q)
    axes, point = chain.axes, chain.pose.origin
    # Outward: the angular velocity before each axis, and the velocity of its point.
    w: Vector3 = ZERO
    velocity: Vector3 = ZERO
    at: Vector3 = axes[0].origin if axes else point
    spins: list[Vector3] = []
    speeds: list[Vector3] = []
    moved = iter(zip(axes, chain.coordinates, strict=True))
    for size in chain.sizes:
        before = w
        for axis, coordinate in itertools.islice(moved, size):
            velocity = add(velocity, cross(before, subtract(axis.origin, at)))
            at = axis.origin
            rate = coordinate.rate(qd)
            if axis.turns:
                w = add(w, scale(axis.direction, rate))
            else:
                velocity = add(velocity, scale(axis.direction, rate))
        # A single axis is the same before and after its joint; several axes turn with the link.
        spins += [before if size == 1 else w] * size
        speeds += [velocity] * size
    point_velocity = add(velocity, cross(w, subtract(point, at)))
    total = _zero(robot.n)
    for axis, coordinate, spin, speed in zip(axes, chain.coordinates, spins, speeds, strict=True):
        zd = cross(spin, axis.direction)
        column = (zd, ZERO)
        if axis.turns:
            arm, drift = subtract(point, axis.origin), subtract(point_velocity, speed)
            column = (add(cross(zd, arm), cross(axis.direction, drift)), zd)
        _collect(total, coordinate, column)
    return total


def _zero(n: int) -> list[list[Scalar]]:
    return [[0.0] * n for _ in range(6)]


def _collect(total: list[list[Scalar]], coordinate: Coordinate, column: tuple[Vector3, Vector3]) -> None:
    """Add a joint's column at its coordinate."""
    for row, value in enumerate((*column[0], *column[1])):
        total[row][coordinate.index] = total[row][coordinate.index] + coordinate.multiplier * value
