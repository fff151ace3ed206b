"""The step `check`: what the robot's file says, and the motions of the project against its limits."""

from __future__ import annotations

from torquec.dynamics.rotorless_joints import rotorless_text
from torquec.project.step import StepContext
from torquec.report.robot import robot_facts

DOCUMENT = "robot.json"


def robot_check_step(context: StepContext) -> str:
    """Write what `torquec info` prints."""
    robot = context.project.robot
    facts = robot_facts(robot)
    rotorless = rotorless_text(robot)
    facts["warnings"] += [f"{robot.source}: {rotorless}"] if rotorless else []
    context.write_document(DOCUMENT, "info", {**facts, "content_hash": robot.content_hash})
    warned = len(facts["warnings"])
    said = f", {warned} warning{'s' if warned != 1 else ''}" if warned else ""
    return f"{robot.name}: {robot.n} joints, {robot.moving_mass:.4g} kg move{said}"
