"""What `torquec check` shows: the claims with their bounds, and whether they were proven again."""

from __future__ import annotations

from typing import Any

from torquec.model.claim import box_lines
from torquec.report.tables import number, table, upper_bound
from torquec.robot.changes_text import changes_text
from torquec.robot.robot import Robot
from torquec.trajectory.motion_box import MotionBox

_SHOWN = 12
"""Claims that are shown; a certificate of coefficients has hundreds, all of them in the JSON document."""


def check_text(document: dict[str, Any], path: str, robot: Robot | None = None, box: MotionBox | None = None) -> str:
    """The text for a document of `torquec check`: claims, the robot and the box of motions that they hold for."""
    claims, slacks = document["claims"], document["slacks"]
    single = document["precision"] != "double"
    lines = []
    if claims:
        rows = []
        for claim in claims[:_SHOWN]:
            slack = slacks.get(claim["joint"] if claim["quantity"] == "inverse_dynamics" else claim["quantity"])
            shown = "-" if slack is None else number(slack, 2)
            rows.append([claim["quantity"], claim["joint"], upper_bound(claim["bound"], 6), claim["unit"], shown])
            if single:
                rows[-1].append(upper_bound(claim["rounding"], 3))
        heads = ["quantity", "joint", "error at most", "unit", "of it slack"]
        lines.append(table([*heads, "of it floats"] if single else heads, rows))
        if len(claims) > _SHOWN:
            lines.append(f"and {len(claims) - _SHOWN} more")
        if single:
            lines.append("The bounds hold for code in single precision: every rounding to floats is in them.")
        lines += ["", *_conditions(robot, box)]
    if document["refused"]:
        lines += ["REFUSED:", *(f"  {reason}" for reason in document["refused"])]
    elif claims:
        # A threshold says what is left out, and no error that could be met.
        asked = document["specification"] and "[coefficients]" not in document["specification"]
        met = ", and the specification in it is met" if asked else ""
        lines.append(f"proven again{met}: the {document['kind']} {path}  ({document['seconds']:.1f} s)")
    else:
        lines.append(f"every program follows from the robot; no error is claimed: the {document['kind']} {path}")
    return "\n".join(lines)


def _conditions(robot: Robot | None, box: MotionBox | None) -> list[str]:
    """What the claims hold for: robot with payload, locked joints and gravity, and the box of motions."""
    if robot is None or box is None:
        return []
    gravity = ", ".join(repr(value) for value in robot.gravity)
    about = [f"Claimed of {robot.name}, gravity ({gravity}) m/s^2 in the base frame, for these motions only:"]
    return [*about, *(f"  {line}" for line in box_lines(robot, box)), *changes_text(robot).splitlines(), ""]
