"""`torquec info ROBOT`: what the file says."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import typer

from torquec.cli.options import GravityOption, JsonOption, RobotArgument, SnapOption, StrictOption, read_robot
from torquec.cli.output import number, print_json, table

if TYPE_CHECKING:
    from torquec.robot.robot import Robot

EXAMPLE = "torquec info puma560"


def info(
    robot: RobotArgument,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Show what the file says.

    Joints, limits, mass, gravity, frames, snapped angles and warnings.
    """
    loaded = read_robot(robot, snap=snap, strict=strict, gravity=gravity)
    document = describe(loaded)
    if json:
        print_json(document)
    else:
        typer.echo(_text(document))


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
        "gravity": list(robot.gravity),
        "frames": [frame.name for frame in robot.frames],
        "snaps": [dataclasses.asdict(snap) for snap in robot.canonical.snaps],
        "snap_effect": dataclasses.asdict(snap_effect(robot)),
        "warnings": [f"{warning.where}: {warning.text}" for warning in robot.warnings],
    }


def _text(document: dict[str, Any]) -> str:
    gravity = ", ".join(number(value) for value in document["gravity"])
    lines = [
        f"{document['name']}: {document['dof']} joints, {number(document['mass'])} kg, gravity ({gravity}) m/s^2",
        "",
        table(
            ["joint", "type", "lower", "upper", "velocity", "effort"],
            [
                [
                    joint["name"],
                    joint["type"],
                    *(number(joint[key]) for key in ("lower", "upper", "velocity", "effort")),
                ]
                for joint in document["joints"]
            ],
            left=2,
        ),
    ]
    if document["mimic"]:
        lines += ["", "Joints that follow another:"]
        lines += [f"  {name} follows {leader}" for name, leader in document["mimic"].items()]
    lines += ["", f"Frames: {', '.join(document['frames']) or 'none'}"]
    if document["snaps"]:
        lines += ["", "Angles taken as right angles (--no-snap keeps them):"]
        lines += [f"  {s['joint']}: {s['angle']} {s['found']!r} as {s['used']!r}" for s in document["snaps"]]
        effect = document["snap_effect"]
        moved = f"  this moves bodies by up to {number(1e3 * effect['position'], 2)} mm"
        torque = effect["torque"]
        lines.append(
            moved if torque is None else f"{moved} and changes torques by {number(100 * torque, 2)} % of the largest"
        )
    if document["warnings"]:
        lines += ["", "Warnings:", *(f"  {warning}" for warning in document["warnings"])]
    return "\n".join(lines)
