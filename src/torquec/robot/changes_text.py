"""Payloads, locked joints and gravity in words: what options change on the robot of a file.

Headers of generated code state them, so that nobody takes a model with a payload for the robot of the file.
"""

from __future__ import annotations

from torquec.robot.robot import STANDARD_GRAVITY, AttachedPayload, Robot


def changes_text(robot: Robot, *, gravity: bool = False) -> str:
    """Payloads and locked joints in words, a line each; empty for the robot of the file.

    With `gravity` also gravity where it is not the standard one, for texts that do not state it anyway.

    >>> from torquec.robot import classics, attach_payload
    >>> changes_text(attach_payload(classics.puma560(), "link6", mass=2.5))
    "Payload, part of this model: 2.5 kg at (0.0, 0.0, 0.0) m of frame 'link6'."
    """
    lines = [f"Payload, part of this model: {_payload_text(held)}." for held in robot.attached]
    if robot.locked:
        held_still = ", ".join(f"'{joint.name}' at {joint.position!r}" for joint in robot.locked)
        lines.append(f"Locked joints [rad; m for prismatic joints]: {held_still}.")
    if gravity and robot.gravity != STANDARD_GRAVITY:
        lines.append(f"Gravity ({', '.join(repr(value) for value in robot.gravity)}) m/s^2 in the base frame.")
    return "\n".join(lines)


def _payload_text(held: AttachedPayload) -> str:
    center = ", ".join(repr(value) for value in held.center)
    text = f"{held.mass!r} kg at ({center}) m of frame '{held.frame}'"
    if any(value for row in held.inertia for value in row):
        rows = ", ".join(f"({', '.join(repr(value) for value in row)})" for row in held.inertia)
        text += f", with the inertia ({rows}) kg m^2 about its centre"
    return text
