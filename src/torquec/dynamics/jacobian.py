"""Geometric Jacobian of a named frame and its time derivative, in base axes.

Rows 0..2 give the velocity of the frame's origin, rows 3..5 the angular velocity, both in base axes:

(1)  rotation j on the way:   column (z_j x (p - o_j), z_j),          translation:  (z_j, 0)
(2)  its derivative:          (zd_j x (p - o_j) + z_j x (pd - od_j), zd_j),          (zd_j, 0),     zd_j = w_j x z_j
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.frame_pose import link_poses
from torquec.dynamics.mechanism import Coordinate, coordinates, place_links
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Scalar, Vector3, add, cross, scale, subtract

ZERO: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class _Axis:
    """A joint on the way from the base to the frame: its axis and a point of it, in base axes, and its coordinate."""

    z: Vector3
    origin: Vector3
    turns: bool
    coordinate: Coordinate


def jacobian(robot: Robot, frame: str, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """J(q), (6, n), equation (1)."""
    axes, point = _axes(robot, frame, q)
    total = _zero(robot.n)
    for axis in axes:
        column = (cross(axis.z, subtract(point, axis.origin)), axis.z) if axis.turns else (axis.z, ZERO)
        _collect(total, axis.coordinate, column)
    return total


def jacobian_derivative(robot: Robot, frame: str, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[list[Scalar]]:
    """dJ/dt at (q, qd), (6, n), equation (2)."""
    axes, point = _axes(robot, frame, q)
    # Outward: angular velocity before and velocity of each axis' point.
    w: Vector3 = ZERO
    velocity: Vector3 = ZERO
    at: Vector3 = axes[0].origin if axes else point
    spins, speeds = [], []
    for axis in axes:
        velocity = add(velocity, cross(w, subtract(axis.origin, at)))
        at = axis.origin
        rate = axis.coordinate.rate(qd)
        spins.append(w)
        if axis.turns:
            w = add(w, scale(axis.z, rate))
        else:
            velocity = add(velocity, scale(axis.z, rate))
        speeds.append(velocity)
    point_velocity = add(velocity, cross(w, subtract(point, at)))
    total = _zero(robot.n)
    for axis, spin, speed in zip(axes, spins, speeds, strict=True):
        zd = cross(spin, axis.z)
        if axis.turns:
            arm, drift = subtract(point, axis.origin), subtract(point_velocity, speed)
            column = (add(cross(zd, arm), cross(axis.z, drift)), zd)
        else:
            column = (zd, ZERO)
        _collect(total, axis.coordinate, column)
    return total


def _axes(robot: Robot, frame: str, q: Sequence[Scalar]) -> tuple[list[_Axis], Vector3]:
    """The joints that move the frame, base first, and the frame's origin, in base axes."""
    named = robot.frame(frame)
    if named.body == BASE:
        return [], named.pose.origin
    state = coordinates(robot)
    placed = place_links(robot.canonical.links, state, q)
    poses = link_poses(robot, placed, [named.body])
    pose = poses[named.body] @ (robot.canonical.links[named.body].frame @ named.pose)
    way, i = [], named.body
    while i != BASE:
        way.append(i)
        i = placed[i].parent
    axes = [
        _Axis(placed[i].column.direction(poses[i].rotation), poses[i].origin, placed[i].column.turns, state[i])
        for i in reversed(way)
    ]
    return axes, pose.origin


def _zero(n: int) -> list[list[Scalar]]:
    return [[0.0] * n for _ in range(6)]


def _collect(total: list[list[Scalar]], coordinate: Coordinate, column: tuple[Vector3, Vector3]) -> None:
    """Add a joint's column at its coordinate."""
    for row, value in enumerate((*column[0], *column[1])):
        total[row][coordinate.index] = total[row][coordinate.index] + coordinate.multiplier * value
