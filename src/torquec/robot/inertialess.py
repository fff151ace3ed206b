"""Joints that move nothing with inertia: a massless gripper jaw, or a point mass on its own axis.

The mass matrix has a zero on its diagonal at such a joint, in every configuration, and forward dynamics does not exist.
A joint that carries nothing at all is a mistake in the file. A joint whose load lies on its axis (the last joint of
many published arms) still has inverse dynamics.

(1)  M_kk = s_k' I_k s_k,   I_k the composite inertia of everything that joint k carries, s_k its axis
(2)  M is positive semidefinite: an independent joint and its mimics together have no inertia if (1) is zero for each
"""

from __future__ import annotations

import math

from torquec.robot.robot import BASE, Body, Robot
from torquec.robot.tuning import TUNING
from torquec.spatial import Inertia, Pose, dot, matvec, transpose


def massless_joints(robot: Robot) -> tuple[str, ...]:
    """The independent joints that carry only bodies without inertia and turn no rotor, as "joint 'a' (body 'b')"."""
    return tuple(map(_text, _idle_bodies(robot, [any(composite.parameters) for composite in _composites(robot)])))


def inertialess_joints(robot: Robot) -> tuple[str, ...]:
    """The independent joints for which (1) is zero and which turn no rotor, as "joint 'a' (body 'b')".

    Checked at one configuration without symmetry: a zero there is a zero everywhere.
    """
    return tuple(map(_text, _inertialess(robot)))


def inertialess_joint_names(robot: Robot) -> tuple[str, ...]:
    """The names of `inertialess_joints`."""
    return tuple(body.joint.name for body in _inertialess(robot))


def _text(body: Body) -> str:
    return f"joint '{body.joint.name}' (body '{body.name}')"


def _inertialess(robot: Robot) -> tuple[Body, ...]:
    pairs = zip(robot.bodies, _composites(robot), strict=True)
    return _idle_bodies(robot, [_has_inertia(body, composite) for body, composite in pairs])


def _idle_bodies(robot: Robot, has_inertia: list[bool]) -> tuple[Body, ...]:
    """Bodies of independent joints at which neither the group (2) nor a rotor has inertia."""
    reflected = _reflected_diagonal(robot)
    moved = dict.fromkeys(robot.joint_names, False)
    for body, has in zip(robot.bodies, has_inertia, strict=True):
        master = body.joint.name if body.joint.mimic is None else body.joint.mimic.joint
        moved[master] = moved[master] or has
    return tuple(
        body
        for body in robot.bodies
        if body.joint.mimic is None and not moved[body.joint.name] and reflected[body.joint.name] == 0.0
    )


def _reflected_diagonal(robot: Robot) -> dict[str, float]:
    """Contribution of the rotors to each diagonal entry of the mass matrix."""
    total = dict.fromkeys(robot.joint_names, 0.0)
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        for coordinate, ratio in zip(robot.coordinates, row, strict=True):
            total[coordinate.joint.name] += ratio * ratio * motor.rotor_inertia
    return total


def _composites(robot: Robot) -> list[Inertia]:
    """Composite inertias: each body with everything that it carries, about the body's own frame."""
    composites = [body.inertia for body in robot.bodies]
    for index in range(len(robot.bodies) - 1, -1, -1):
        body = robot.bodies[index]
        if body.parent != BASE:
            pose = body.joint.placement @ _motion(body, index)
            composites[body.parent] = composites[body.parent] + composites[index].transformed(pose)
    return composites


def _motion(body: Body, index: int) -> Pose:
    """The body's frame in its joint frame, at a position that differs from joint to joint."""
    kind, rate = body.joint.kind, 0.6 + math.sqrt(2.0 + index) % 0.7
    return kind.placement(body.joint.axis, kind.integrate(kind.neutral, (rate,) * kind.nv))


def _has_inertia(body: Body, composite: Inertia) -> bool:
    """Whether (1) exceeds its rounding error."""
    axes = (body.joint.axis,) * 3 if body.joint.kind.nv == 1 else transpose(body.joint.kind.axes(body.joint.axis))
    least = TUNING.zero_moment * (composite.xx + composite.yy + composite.zz)
    return all(
        bool(
            dot(axes[column.axis], matvec(composite.tensor, axes[column.axis])) > least
            if column.turns
            else composite.m > 0.0
        )
        for column in body.joint.kind.motion_subspace
    )
