"""What `torquec ik` shows: a column per branch, with what is missed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torquec.report.tables import number, table


def arm_pose_text(name: str, document: Mapping[str, Any]) -> str:
    """The document of `torquec ik` as a table."""
    branches = document["branches"]
    rows = [[joint, *(number(branch["q"][k]) for branch in branches)] for k, joint in enumerate(document["joints"])]
    for key, title in (("qd", "speed of"), ("qdd", "acceleration of")):
        if branches[0][key] is not None:
            rows += [
                [f"{title} {joint}", *(number(branch[key][k]) for branch in branches)]
                for k, joint in enumerate(document["joints"])
            ]
    heads = [str(k + 1) for k in range(len(branches))]
    lines = [f"{name}, frame '{document['frame']}': {document['method']}, {document['family']} (rad, m, s)"]
    target = document["target"]
    position, quaternion = (", ".join(map(number, target[key])) for key in ("position", "quaternion"))
    lines += [f"target: position ({position}), quaternion ({quaternion})", ""]
    lines += [table(["joint", *heads], rows), ""]
    for head, branch in zip(heads, branches, strict=True):
        missed = ""
        if "out of reach" in branch["status"]:
            error = branch["error"]
            missed = f", misses {number(error['position'])} m and {number(error['rotation'])} rad"
        mark = "  <- nearest" if branch["name"] == document["nearest"] else ""
        lines.append(f"{head}  {branch['name']}: {', '.join(branch['status'])}{missed}{mark}")
    return "\n".join(lines)
