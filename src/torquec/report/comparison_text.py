"""What `torquec compare` shows of two models."""

from __future__ import annotations

from typing import Any

from torquec.report.tables import complex_number, number, table


def comparison_text(names: tuple[str, str], document: dict[str, Any]) -> str:
    """The document of `torquec compare` as tables; `names` of the two models."""
    columns = ("max", "mean", "std", "rms", "bias")
    lines = [f"a: {names[0]} ({document['kinds']['a']})", f"b: {names[1]} ({document['kinds']['b']})", ""]
    for title, key in (
        (
            f"Torques along the motion, a - b [Nm, N]: its size, mean: bias ({document['samples']} samples)",
            "torque",
        ),
        ("Torques at random states, a - b [Nm, N]", "random"),
    ):
        if key in document:
            rows = [[joint, *(number(row[c], 4) for c in columns)] for joint, row in document[key].items()]
            lines += [title, table(["joint", *columns], rows), ""]
    lines += _tracking(document)
    pairs = zip(document["eigenvalues"]["a"], document["eigenvalues"]["b"], strict=True)
    lines += [f"Eigenvalues at t = {document['at']:.4g} s [1/s]"]
    lines += [table(["a", "b"], [[complex_number(*x), complex_number(*y)] for x, y in pairs], left=2), ""]
    rows = []
    for quantity in dict.fromkeys([*document["operations"]["a"], *document["operations"]["b"]]):
        row = [quantity]
        for side in ("a", "b"):
            count, ns = document["operations"][side].get(quantity), document["ns"][side].get(quantity)
            row += ["-", "-"] if count is None else [f"{count['mul']}/{count['add']}", f"{ns:.0f}"]
        rows.append(row)
    lines.append("Multiplications/additions, and nanoseconds of one call from Python")
    lines.append(table(["quantity", "a", "ns", "b", "ns"], rows))
    if "log" in document:
        lines += ["", *_log(document["log"])]
    return "\n".join(lines)


def _tracking(document: dict[str, Any]) -> list[str]:
    found = document["tracking"]
    lines = [
        f"Computed torque from {side} cannot be simulated: {found[side]['refused']}"
        for side in ("a", "b")
        if "refused" in found[side]
    ]
    if lines:
        return [*lines, ""]
    keys = ("rmse", "max_error", "acceleration_rmse")
    rows = [
        [joint, *(number(found[side][key][joint], 4) for key in keys for side in ("a", "b"))]
        for joint in found["a"]["rmse"]
    ]
    header = ["joint", "rmse a", "b", "max error a", "b", "acceleration rmse a", "b"]
    return ["Computed torque from each model on the same plant [rad, m; per s^2]", table(header, rows), ""]


def _log(found: dict[str, Any]) -> list[str]:
    rows = [
        [joint, *(number(found[side]["torque_rms"][joint], 4) if found[side] else "-" for side in ("a", "b"))]
        for joint in found["joints"]
    ]
    return [
        f"Along {found['file']}: each model controls itself; its torques less the measured ones, rms [Nm, N]",
        table(["joint", "a", "b"], rows),
    ]
