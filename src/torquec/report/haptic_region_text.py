"""What `torquec haptic-region` shows: the port, the object, what can be rendered, filters and encoders."""

from __future__ import annotations

import math
from typing import Any

from torquec.foundation.rounded_bound import rounded_up
from torquec.report.tables import table


def haptic_region_text(document: dict[str, Any]) -> str:
    """The document of the command as text; None is said in words."""
    port, loop, worst = document["port"], document["loop"], document["worst"]
    units = document["units"]
    lines = [
        f"{document['robot']}: {document['frame']} {document['axis']}, {loop['rendering']} at {loop['rate']:g} Hz",
        "",
        table(
            ["port", "", ""],
            [
                ["mass", f"{port['mass']:.4g}", units["mass"]],
                ["damping", f"{port['damping']:.4g}", units["damping"]],
                ["dry friction", f"{port['friction']:.4g}", units["force"]],
                ["model error", rounded_up(100.0 * port["model_error"], 3), "%"],
            ],
        ),
        "",
    ]
    rows = []
    for name, asked in document["rendered"].items():
        if name not in document["intervals"]:
            continue
        found = document["intervals"][name]
        low, high = ("none", "none") if found is None else (f"{found['lower']:.4g}", _upper(found["upper"]))
        rows.append([name, f"{asked:.4g}", low, high, units[name]])
    lines += [table(["object", "asked", "from", "to", ""], rows), ""]
    hands = "every passive hand" if document["grip"] is None else "every passive hand behind the grip"
    said = "inside: passive, and stable with" if document["inside"] else "OUTSIDE: not passive, not stable with"
    lines.append(f"{said} {hands}; tightest at {worst['frequency']:.3g} Hz, margin {worst['margin']:.3g}")
    if document["destabilizing"] is not None:
        lines.append(f"destabilized by {document['destabilizing']['text']}")
    lines += _filters(document)
    encoder = document["encoder"]
    if encoder["force"] > 0.0:
        covered = (
            "friction takes it"
            if encoder["leak"] == 0.0
            else f"{encoder['leak']:.3g} {units['force']} more than friction takes"
        )
        lines.append(f"encoder counts shake the drive by {encoder['force']:.3g} {units['force']}: {covered}")
    return "\n".join(lines)


def _filters(document: dict[str, Any]) -> list[str]:
    found = []
    for study in document["filters"]:
        edge = study["stable_from"]
        if edge is None:
            said = "unstable at every cut-off tried"
        elif edge == 0.0:
            said = f"stable down to {study['cutoff'][0]:.3g} Hz"
        else:
            said = f"stable above {edge:.4g} Hz ({1e3 * math.sqrt(2.0) / (2.0 * math.pi * edge):.3g} ms of lag)"
        found.append(f"with the hand of a person, {study['filter']} filter: {said}")
    return found


def _upper(value: float | None) -> str:
    return "any" if value is None else f"{value:.4g}"
