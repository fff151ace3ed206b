"""What `torquec simulate` shows of a run, or of many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torquec.report.passed_limit_text import passed_limit_text
from torquec.report.tables import number, table


def _plant_note(document: Mapping[str, Any]) -> list[str]:
    """What moves, where it is not the robot's own exact dynamics: errors of a model do not show on the model itself."""
    if document.get("plant", "exact") == "exact":
        return []
    return [f"what moves is the {document['plant']} model itself; give the robot's file to see the exact robot move"]


def simulation_text(name: str, units: Mapping[str, str], document: Mapping[str, Any]) -> str:
    """The document of `torquec simulate` as a page; `units` of the errors by joint."""
    rows = [
        [joint, number(document["rmse"][joint], 4), number(document["max_error"][joint], 4), units[joint]]
        for joint in document["joints"]
    ]
    lines = [
        f"{document['controller']} on {name}, a sample every {document['period']:g} s",
        *_plant_note(document),
        "",
        table(["joint", "rmse", "max error", "unit"], rows),
        "",
    ]
    if "runs" in document:
        lines.append(
            f"{document['runs']} runs, {document['diverged']} of them diverged; the errors are over the others."
        )
    if "tip" in document:
        tip = document["tip"]
        lines.append(f"{tip['frame']}: rmse {number(1e3 * tip['rmse'], 4)} mm, max {number(1e3 * tip['max'], 4)} mm")
    for joint in document["saturated"]:
        when = document.get("first_saturation", {}).get(joint)
        at = "" if when is None else f", first at t = {when:.4g} s"
        lines.append(f"{joint} asked for more than its drive can give{at}: make the motion slower, or the poles.")
    for passed in document.get("passed_limits", ()):
        joint = passed["joint"]
        numbers = {key: passed[key] for key in ("time", "value", "limit")}
        lines.append(f"{passed_limit_text(joint, passed['quantity'], **numbers, unit=units[joint])}.")
    lines.append(f"{document['steps']} steps, {document['steps_per_second']:,.0f} per second")
    return "\n".join(lines)
