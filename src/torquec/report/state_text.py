"""What `torquec eval` shows of a state: torques, the mass matrix, frames with their influence coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torquec.report.tables import number, table, upper_bound

_COLUMNS = (
    ("tau", "tau"),
    ("gravity", "gravity"),
    ("velocity", "velocity_torque"),
    ("friction", "friction"),
    ("total", "total"),
)
_AXES = ("x", "y", "z")


def state_text(name: str, state: Mapping[str, Sequence[float]], document: Mapping[str, Any]) -> str:
    """The document of `torquec eval` as tables; `state` holds q, qd and qdd."""
    columns: list[tuple[str, Any]] = [
        *state.items(),
        *((title, document[key]) for title, key in _COLUMNS),
        *([("qdd of --tau", document["qdd"])] if "qdd" in document else []),
    ]
    joints = document["joints"]
    rows = [[joint, *(number(values[k]) for _, values in columns)] for k, joint in enumerate(joints)]
    lines = [
        f"{name} (rad, m, s, Nm, N)",
        "",
        table(["joint", *(title for title, _ in columns)], rows),
        "",
        "Mass matrix",
        table(["", *joints], [[n, *map(number, row)] for n, row in zip(joints, document["M"], strict=True)]),
    ]
    if "proven" in document:
        lines += ["", "What is proven", *(_proven(key, said) for key, said in document["proven"].items())]
    for frame, found in document.get("frames", {}).items():
        lines += ["", *_frame(frame, found, joints)]
    return "\n".join(lines)


def _proven(key: str, said: Mapping[str, Any]) -> str:
    bounds = ""
    if said["bounds"]:
        rows = (", ".join(upper_bound(value, 3) for value in row) for row in said["bounds"])
        bounds = f" [{'; '.join(rows)}]"
    return f"  {key}: {said['standing']}{bounds} ({said['text']})"


def _frame(frame: str, found: Mapping[str, Any], joints: Sequence[str]) -> list[str]:
    origin = ", ".join(number(value) for value in found["origin"])
    lines = [f"Frame '{frame}': origin ({origin}) m, rotation by rows"]
    lines += [f"  {'  '.join(number(value).rjust(10) for value in row)}" for row in found["rotation"]]
    for title, key in (("Velocity of the origin", "translation"), ("Angular velocity", "rotation")):
        part = found["influence"][key]
        rows = [[axis, *map(number, row)] for axis, row in zip(_AXES, part["first"], strict=True)]
        lines += ["", f"{title}: first-order influence coefficients G, base axes", table(["", *joints], rows)]
        second = [
            [f"{first}, {other}", *map(number, vector)]
            for first, row in zip(joints, part["second"], strict=True)
            for other, vector in zip(joints, row, strict=True)
            if any(number(value) != "0" for value in vector)
        ]
        if second:
            lines += [f"{title}: second-order coefficients H that are not zero", table(["joints", *_AXES], second)]
    return lines
