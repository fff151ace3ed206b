"""What a robot's file says as the JSON document of `torquec info`."""

from __future__ import annotations

import dataclasses
from typing import Any

from torquec.dynamics.snap_effect import snap_effect
from torquec.report.result_document import as_used
from torquec.robot.robot import Robot


def robot_facts(robot: Robot) -> dict[str, Any]:
    """Joints with their limits, masses, friction, motors, frames, payloads, snapped angles and warnings."""
    used = as_used(robot)
    return {
        "name": used["name"],
        "dof": robot.n,
        "joints": [
            {
                "name": joint.name,
                "type": joint.type.value,
                "lower": joint.limits.lower,
                "upper": joint.limits.upper,
                "velocity": joint.limits.velocity,
                "effort": joint.limits.effort,
            }
            for joint in robot.joints
        ],
        "mimic": {body.joint.name: body.joint.mimic.joint for body in robot.bodies if body.joint.mimic is not None},
        "mass": robot.mass,
        "moving_mass": robot.moving_mass,
        "masses": {body.name: float(body.inertia.m) for body in robot.bodies},
        "friction": {
            joint.name: dataclasses.asdict(joint.friction)
            for joint in robot.joints
            if any(dataclasses.astuple(joint.friction))
        },
        "motors": [
            {
                "name": motor.name,
                "rotor_inertia": motor.rotor_inertia,
                "ratios": {name: ratio for name, ratio in zip(robot.joint_names, row, strict=True) if ratio},
                "friction": dataclasses.asdict(motor.friction),
            }
            for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True)
        ],
        "gravity": used["gravity"],
        "frames": [frame.name for frame in robot.frames],
        "payload": used["payload"],
        "locked": used["locked"],
        "snaps": [dataclasses.asdict(snap) for snap in robot.canonical.snaps],
        "snap_effect": dataclasses.asdict(snap_effect(robot)),
        "warnings": [f"{warning.where}: {warning.text}" for warning in robot.warnings],
    }
