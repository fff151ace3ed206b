"""Positions, rates, accelerations and torques in the conventions of Pinocchio and of MuJoCo.

| joint | here | Pinocchio | MuJoCo |
|---|---|---|---|
| quaternion | (w, x, y, z) | (x, y, z, w) | (w, x, y, z) |
| planar | (x, y, angle) | (x, y, cos, sin) | - |
| continuous | angle | (cos, sin) | angle |
| free, rates | velocity, angular velocity, both in the child's axes | the same | velocity in the world's axes |

With R the rotation of a free body, u its velocity in its own axes and w its angular velocity, MuJoCo has

(1)  velocity R u,     acceleration R (ud + w x u),     force R f;     the angular parts are the same
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.robot.configuration import check_position, check_quaternions, check_rates, joint_slices
from torquec.robot.joints import JointType
from torquec.robot.robot import Joint, Robot
from torquec.spatial import unit_quaternion_rotation

T = TypeVar("T")

_UNLIMITED = (JointType.CONTINUOUS, JointType.PLANAR)  # kinds whose angle Pinocchio holds as cosine and sine


def to_pinocchio(
    robot: Robot, q: Sequence[float], v: Sequence[float], *, joints: Sequence[str] | None = None
) -> tuple[Array, Array]:
    """q and v in Pinocchio's conventions; v may also be a torque or an acceleration.

    `joints` lists the joint names in Pinocchio's order, `list(model.names)[1:]`, if that order differs.
    """
    parts = {joint.name: (_pinocchio_position(joint, q[at]), v[rates]) for joint, at, rates in _joints(robot, q, v)}
    return _in_order(robot, parts, joints)


def from_pinocchio(
    robot: Robot, q: Sequence[float], v: Sequence[float], *, joints: Sequence[str] | None = None
) -> tuple[Array, Array]:
    """The inverse of `to_pinocchio`; angles come back within half a turn of zero."""
    own = {joint.name: joint for joint in robot.joints}
    order = [_named(robot, own, name) for name in joints or robot.joint_names]
    sizes = [joint.kind.nq + (joint.type in _UNLIMITED) for joint in order]
    if (len(q), len(v)) != (sum(sizes), robot.nv):
        raise ArgumentError(
            f"{len(q)} positions and {len(v)} rates",
            remedy=f"give {sum(sizes)} positions and {robot.nv} rates of '{robot.name}', as Pinocchio has them",
        )
    parts, at, rates = {}, 0, 0
    for joint, size in zip(order, sizes, strict=True):
        parts[joint.name] = (_own_position(joint, q[at : at + size]), v[rates : rates + joint.kind.nv])
        at, rates = at + size, rates + joint.kind.nv
    found = _in_order(robot, parts, None)
    check_quaternions(robot, found[0].tolist())
    return found


def to_mujoco(robot: Robot, q: Sequence[float], v: Sequence[float]) -> tuple[Array, Array]:
    """q and v in MuJoCo's conventions (1); v may also be a torque."""
    return np.array(q, dtype=np.float64), _turned(robot, q, v, lambda rotation, u: rotation @ u)


def from_mujoco(robot: Robot, q: Sequence[float], v: Sequence[float]) -> tuple[Array, Array]:
    """The inverse of `to_mujoco`."""
    return np.array(q, dtype=np.float64), _turned(robot, q, v, lambda rotation, u: rotation.T @ u)


def acceleration_to_mujoco(robot: Robot, q: Sequence[float], v: Sequence[float], a: Sequence[float]) -> Array:
    """Accelerations (nv,) converted to MuJoCo's conventions (1); q and v are in those of this package."""
    return _turned(robot, q, _with_spin(robot, v, a, 1.0).tolist(), lambda rotation, u: rotation @ u)


def acceleration_from_mujoco(robot: Robot, q: Sequence[float], v: Sequence[float], a: Sequence[float]) -> Array:
    """The inverse of `acceleration_to_mujoco`; q and v are in the conventions of this package."""
    return _with_spin(robot, v, _turned(robot, q, a, lambda rotation, u: rotation.T @ u).tolist(), -1.0)


def _joints(robot: Robot, q: Sequence[float], v: Sequence[float]) -> list[tuple[Joint, slice, slice]]:
    check_position(robot, q)
    check_quaternions(robot, q)
    check_rates(robot, v)
    return list(joint_slices(robot))


def _pinocchio_position(joint: Joint, q: Sequence[float]) -> list[float]:
    if joint.type in _UNLIMITED:
        return [*q[:-1], math.cos(q[-1]), math.sin(q[-1])]
    if joint.kind.nq > joint.kind.nv:
        return [*q[:-4], *q[-3:], q[-4]]
    return list(q)


def _own_position(joint: Joint, q: Sequence[float]) -> list[float]:
    if joint.type in _UNLIMITED:
        return [*q[:-2], math.atan2(q[-1], q[-2])]
    if joint.kind.nq > joint.kind.nv:
        return [*q[:-4], q[-1], *q[-4:-1]]
    return list(q)


def _in_order(
    robot: Robot, parts: dict[str, tuple[list[float], Sequence[float]]], joints: Sequence[str] | None
) -> tuple[Array, Array]:
    order = [_named(robot, parts, name) for name in joints or robot.joint_names]
    q, v = ([x for part in order for x in part[k]] for k in (0, 1))
    return np.array(q, dtype=np.float64), np.array(v, dtype=np.float64)


def _named(robot: Robot, known: Mapping[str, T], name: str) -> T:
    if name not in known:
        raise ArgumentError(f"'{robot.name}' has no joint '{name}'", remedy=f"its joints are {', '.join(known)}")
    return known[name]


def _turned(robot: Robot, q: Sequence[float], v: Sequence[float], turn: Callable[[Array, Array], Array]) -> Array:
    """v with the linear part of every free joint turned."""
    found = np.array(v, dtype=np.float64)
    for joint, at, rates in _joints(robot, q, v):
        if joint.type is JointType.FREE:
            rotation = np.array(unit_quaternion_rotation(q[at][3:]), dtype=np.float64)
            linear = slice(rates.start, rates.start + 3)
            found[linear] = turn(rotation, found[linear])
    return found


def _with_spin(robot: Robot, v: Sequence[float], a: Sequence[float], sign: float) -> Array:
    """a + sign w x u at every free joint."""
    found = np.array(a, dtype=np.float64)
    for joint, _, rates in joint_slices(robot):
        if joint.type is JointType.FREE:
            u, w = np.array(v[rates][:3]), np.array(v[rates][3:])
            found[rates.start : rates.start + 3] += sign * np.cross(w, u)
    return found
