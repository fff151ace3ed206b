"""Configurations of a robot: neutral position, integration and difference on the manifold, random positions.

A configuration q (nq,) holds the positions of all independent joints, v (nv,) their rates. Quaternions (w, x, y, z)
have length 1. Rates are those of the child body, in the child's own axes (:mod:`torquec.robot.joints`).

(1)  integrate(q, v):      every joint follows its part of v for one unit of time
(2)  difference(q0, q1):   the v that leads from q0 to q1
(3)  rate map N(q):        dq/dt = N(q) v
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from torquec.errors import ArgumentError
from torquec.expr.math import sqrt
from torquec.foundation.arrays import Array
from torquec.robot.robot import Joint, Robot
from torquec.robot.tuning import TUNING
from torquec.spatial import Scalar

_ANY_ANGLE = math.pi
_ANY_LENGTH = 1.0  # m, where a joint has no limits


def neutral(robot: Robot) -> list[float]:
    """The position (nq,) at which every body's frame coincides with its joint frame: zeros and unit quaternions.

    For a robot with closed loops it is the position at which the loops were assembled.

    >>> from torquec.robot import classics
    >>> neutral(classics.planar2r())
    [0.0, 0.0]
    """
    if robot.loops is not None and robot.dependent:
        return [
            robot.loops.start[k]
            for _, at, _ in joint_slices(robot.tree, robot.dependent)
            for k in range(at.start, at.stop)
        ]
    return [value for joint in robot.joints for value in joint.kind.neutral]


def integrate(robot: Robot, q: Sequence[Scalar], v: Sequence[Scalar], *, time: float = 1.0) -> list[Scalar]:
    """The position (nq,) after following the constant rates v (nv,) for a time [s] from q (nq,) (1)."""
    check_position(robot, q)
    check_quaternions(robot, q)
    check_rates(robot, v)
    moved = v if time == 1.0 else [time * rate for rate in v]
    return [x for joint, at, rates in joint_slices(robot) for x in joint.kind.integrate(q[at], moved[rates])]


def difference(robot: Robot, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> list[Scalar]:
    """The rates (nv,) that lead from q0 to q1, (nq,) each, in one unit of time (2)."""
    for q in (q0, q1):
        check_position(robot, q)
        check_quaternions(robot, q)
    return [x for joint, at, _ in joint_slices(robot) for x in joint.kind.difference(q0[at], q1[at])]


def random_position(robot: Robot, generator: np.random.Generator | int = 0) -> Array:
    """A random position (nq,): uniform over rotations and within limits; without limits half a turn or 1 m each way."""
    rng = np.random.default_rng(generator)
    return np.array([x for joint in robot.joints for x in _random_joint(joint, rng)], dtype=np.float64)


def rate_map(robot: Robot, q: Sequence[Scalar]) -> list[dict[int, Scalar]]:
    """N(q) of (3) by columns: for every rate, its nonzero entries by index in q."""
    columns: list[dict[int, Scalar]] = [{} for _ in range(robot.nv)]
    for joint, at, rates in joint_slices(robot):
        for i, row in zip(range(at.start, at.stop), joint.kind.rate_map(q[at]), strict=True):
            for j, value in zip(range(rates.start, rates.stop), row, strict=True):
                if not _is_zero(value):
                    columns[j][i] = value
    return columns


def position_rates(robot: Robot, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """dq/dt (nq,) at rates v (nv,) (3)."""
    found: list[Scalar] = []
    for joint, at, rates in joint_slices(robot):
        if joint.kind.nv == 1:
            found.append(v[rates.start])
            continue
        for row in joint.kind.rate_map(q[at]):
            parts = [entry * rate for entry, rate in zip(row, v[rates], strict=True) if not _is_zero(entry)]
            found.append(functools.reduce(operator.add, parts) if parts else 0.0)
    return found


def normalised(robot: Robot, q: Sequence[Scalar]) -> list[Scalar]:
    """The position (nq,) with its quaternions normalised, to remove integration drift; over any scalar."""
    found = list(q)
    for joint, at, _ in joint_slices(robot):
        if joint.kind.nq > joint.kind.nv:
            w, x, y, z = found[at.stop - 4 : at.stop]
            inverse = 1.0 / sqrt((w * w + x * x) + (y * y + z * z))
            found[at.stop - 4 : at.stop] = [value * inverse for value in (w, x, y, z)]
    return found


def _is_zero(value: Scalar) -> bool:
    return isinstance(value, float) and value == 0.0


def unit_position(robot: Robot, q: Sequence[float]) -> list[float]:
    """The position with its quaternions normalised; raises `ArgumentError` where one is not nearly of length 1."""
    check_position(robot, q)
    found = [float(value) for value in q]
    check_quaternions(robot, found)
    for joint, at, _ in joint_slices(robot):
        if joint.kind.nq > joint.kind.nv:
            quaternion = slice(at.stop - 4, at.stop)
            length = math.hypot(*found[quaternion])
            found[quaternion] = [value / length for value in found[quaternion]]
    return found


def check_quaternions(robot: Robot, q: Sequence[Scalar]) -> None:
    """Raise `ArgumentError` where a quaternion of numbers is not nearly of length 1; symbols and batches pass."""
    for joint, at, _ in joint_slices(robot):
        if joint.kind.nq > joint.kind.nv:
            quaternion = [value for value in q[at.stop - 4 : at.stop] if isinstance(value, float | int)]
            length = math.hypot(*quaternion)
            if len(quaternion) == 4 and not abs(length - 1.0) <= TUNING.quaternion_tolerance:
                raise ArgumentError(
                    f"the quaternion of joint '{joint.name}' has length {length:g}",
                    remedy="give a unit quaternion (w, x, y, z)",
                )


def check_position(robot: Robot, q: Sequence[Scalar]) -> None:
    """Raise `ArgumentError` unless q has nq elements."""
    if len(q) != robot.nq:
        asked = f"{robot.nq} numbers (nq)" + (f"; rates have {robot.nv} (nv)" if robot.nq != robot.nv else "")
        raise ArgumentError(f"a position of {len(q)} numbers", remedy=f"positions of '{robot.name}' have {asked}")


def check_rates(robot: Robot, v: Sequence[Scalar]) -> None:
    """Raise `ArgumentError` unless v has nv elements."""
    if len(v) != robot.nv:
        asked = f"{robot.nv} numbers (nv)" + (f"; positions have {robot.nq} (nq)" if robot.nq != robot.nv else "")
        raise ArgumentError(f"rates of {len(v)} numbers", remedy=f"rates of '{robot.name}' have {asked}")


def joint_slices(robot: Robot, without: Collection[str] = ()) -> Iterator[tuple[Joint, slice, slice]]:
    """Every independent joint except those in `without`, with its slices of q and of v."""
    q = v = 0
    for joint in robot.joints:
        if joint.name not in without:
            yield joint, slice(q, q + joint.kind.nq), slice(v, v + joint.kind.nv)
        q, v = q + joint.kind.nq, v + joint.kind.nv


def _random_joint(joint: Joint, rng: np.random.Generator) -> list[float]:
    kind = joint.kind
    if kind.nv == 1:
        reach = _ANY_ANGLE if kind.coordinate.turns else _ANY_LENGTH
        lower = joint.limits.lower if math.isfinite(joint.limits.lower) else -reach
        upper = joint.limits.upper if math.isfinite(joint.limits.upper) else reach
        return [float(rng.uniform(min(lower, upper), max(lower, upper)))]
    if kind.nq == kind.nv:
        reaches = [_ANY_ANGLE if each.turns else _ANY_LENGTH for each in kind.coordinates]
        return [float(rng.uniform(-reach, reach)) for reach in reaches]
    origin = rng.uniform(-_ANY_LENGTH, _ANY_LENGTH, kind.nq - 4)
    quaternion = rng.normal(size=4)
    return [*map(float, origin), *map(float, quaternion / np.linalg.norm(quaternion))]
