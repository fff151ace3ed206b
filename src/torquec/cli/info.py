"""`torquec info ROBOT`: what the file says."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.source import ModelSource, is_model_file

if TYPE_CHECKING:
    from torquec.model.model import Model
    from torquec.robot.robot import Robot


@dataclass(frozen=True, kw_only=True)
class InfoOptions(CommandOptions):
    """None of its own."""


@command("info", InfoOptions, example="torquec info puma560")
def info(model: Model, options: InfoOptions) -> Outcome:
    """Show what the file says.

    Joints, limits, masses, friction, motors, gravity, frames, snapped angles and warnings; of a model also its kind
    and what is proven of it.
    """
    from torquec.report.robot_text import robot_text

    document = {
        **describe(model.robot),
        "kind": model.kind.value,
        "claim": _claim(model),
        "drives_file": _drives_file(options.source),
    }
    return Outcome(document, robot_text(document))


def describe(robot: Robot) -> dict[str, Any]:
    """The robot as the JSON document of `torquec info`."""
    from torquec.dynamics.snap_effect import snap_effect

    return {
        "name": robot.name,
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
        "gravity": list(robot.gravity),
        "frames": [frame.name for frame in robot.frames],
        "payload": [
            {"name": held.name, "frame": held.frame, "mass": held.mass, "center": list(held.center)}
            for held in robot.attached
        ],
        "locked": {joint.name: joint.position for joint in robot.locked},
        "snaps": [dataclasses.asdict(snap) for snap in robot.canonical.snaps],
        "snap_effect": dataclasses.asdict(snap_effect(robot)),
        "warnings": [f"{warning.where}: {warning.text}" for warning in robot.warnings],
    }


def _claim(model: Model) -> dict[str, Any]:
    """What is proven of the model: torque errors by joint; empty where nothing is."""
    proofs = getattr(model.record, "joints", None) or {}
    return {joint: {"torque": proof.bound} for joint, proof in proofs.items()}


def _drives_file(source: ModelSource) -> str | None:
    """The side file that was read with the robot's."""
    from torquec.robot.load import drives_beside

    found = None if is_model_file(source.argument) else drives_beside(Path(source.argument))
    return None if found is None else str(found)
