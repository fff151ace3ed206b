"""Detection of missing rotor inertia: joints whose torque limit is implausible for the inertia in the file.

Behind a gear, reflected rotor inertia is most of the inertia of a small joint. Without it

(1)  effort/M_kk,    M_kk the smallest inertia about the joint's own axis over its positions

is an acceleration that no drive reaches. Where it exceeds `ABSURD` and no rotor turns with the joint, rotor inertia is
missing, and controllers and simulations of the joint are unrealistic.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from torquec.dynamics.mass_matrix import mass_matrix
from torquec.errors import RobotError
from torquec.robot.configuration import integrate, neutral
from torquec.robot.inertialess import inertialess_joint_names
from torquec.robot.robot import Robot

ABSURD = 1e4
"""Limit of (1) [rad/s^2]: ten times what the fastest small arms reach."""

_CONFIGURATIONS = 20  # random ones for sampled inertias: the order of magnitude of the smallest is enough


@dataclass(frozen=True)
class RotorlessJoint:
    """A joint, its smallest own inertia [kg m^2] and the torque limit [N m] that is too much for it."""

    name: str
    inertia: float
    effort: float


def rotorless_joints(robot: Robot) -> tuple[RotorlessJoint, ...]:
    """The revolute joints for which (1) exceeds `ABSURD`; none for a robot without dynamics."""
    if robot.dependent:  # torques at independent joints also move dependent joints
        return ()
    try:
        robot.check_inertias()
    except RobotError:
        return ()
    named = set(inertialess_joint_names(robot))  # reported separately
    reflected = robot.drives.reflected_inertia(robot.n)
    limited = [
        (k, joint)
        for k, joint in enumerate(robot.coordinates)
        if joint.turns and not (joint.name in named or reflected[k][k]) and 0.0 < joint.limits.effort < math.inf
    ]
    if not limited:
        return ()
    least = _least_inertias(robot)
    return tuple(
        RotorlessJoint(joint.name, least[k], joint.limits.effort)
        for k, joint in limited
        if joint.limits.effort > ABSURD * least[k]
    )


def rotorless_text(robot: Robot) -> str:
    """Warning text about `rotorless_joints`, with the remedy; empty where there are none."""
    found = rotorless_joints(robot)
    if not found:
        return ""
    named = ", ".join(joint.name for joint in found)
    worst = max(found, key=lambda joint: joint.effort / joint.inertia)
    ratio = worst.effort / worst.inertia
    return (
        f"no rotor inertia is known, and torque limits are far too large for the links alone: {named} (the "
        f"{_rounded(worst.effort)} N m of {worst.name} would accelerate its {_rounded(worst.inertia)} kg m^2 with "
        f"{_rounded(ratio)} rad/s^2); controllers and simulations are not those of the real robot: give rotors in a "
        "drives file (torquec drives ROBOT offers some; docs/drives.md)"
    )


def _rounded(value: float) -> str:
    """
    >>> _rounded(2000.0), _rounded(4.865e-05), _rounded(41109969.2)
    ('2000', '4.9e-05', '4.1e+07')
    """
    return f"{float(f'{value:.2g}'):g}"


def _least_inertias(robot: Robot) -> list[float]:
    """The smallest diagonal entries of the mass matrix."""
    rng = np.random.default_rng(0)
    lower = [each.limits.lower if math.isfinite(each.limits.lower) else -math.pi for each in robot.coordinates]
    upper = [each.limits.upper if math.isfinite(each.limits.upper) else math.pi for each in robot.coordinates]
    found = []
    start = neutral(robot)
    for way in rng.uniform(np.minimum(lower, upper), np.maximum(lower, upper), (_CONFIGURATIONS, robot.n)).tolist():
        q = integrate(robot, start, way)
        M = mass_matrix(robot, q)
        found.append([float(M[k][k]) for k in range(robot.n)])
    return [min(column) for column in zip(*found, strict=True)]
