"""What `torquec haptic` shows of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torquec.report.tables import number, table


def haptic_text(document: Mapping[str, Any]) -> str:
    """The document of `torquec haptic` as text."""
    thing, sensor = document["object"], document["sensor"]
    title = (
        f"{document['robot']}, frame '{document['frame']}': {document['experiment']}, {number(document['rate'])} Hz, "
        f"{number(thing['mass'])} kg, {number(thing['inertia'])} kg m^2"
    )
    around = (
        f"sensor: {number(sensor['cutoff'])} Hz, resolution {number(sensor['resolution'][0])} N; encoders "
        f"{number(document['encoder'])} rad; {number(100.0 * document['effort'])} % of the effort limits; "
        f"poles {number(document['poles'][0])} +- {number(document['poles'][1])}j"
    )
    lines = [title, around, ""]
    felt, wall = document["felt"], document["wall"]
    if felt is not None:
        unit = "kg m^2" if document["experiment"].startswith("inertia") else "kg"
        heads = ["", f"mean [{unit}]", "deviation", "error"]
        rows = [["felt here", number(felt["mean"]), number(felt["deviation"]), f"{100.0 * felt['error']:+.2f} %"]]
        paper = felt["paper"]
        if paper is not None:
            error = 100.0 * (paper["mean"] / felt["nominal"] - 1.0)
            rows.append(["Clover, Table II", number(paper["mean"]), number(paper["deviation"]), f"{error:+.2f} %"])
        counted = f"counted: {felt['counted']} of {document['samples']} samples"
        in_phase = f"felt in phase with the intended motion: {number(felt['in_phase'])} {unit}"
        lines += [table(heads, rows), "", f"{counted}; {in_phase}"]
    if wall is not None:
        side = "two-sided" if wall["two_sided"] else "one-sided"
        later = [100.0 * wall[key] for key in ("object_after_60_ms", "tip_after_60_ms")]
        lines += [
            f"wall of 25 Hz, critically damped, {side}; impact at {number(wall['impact'])} m/s",
            f"later than 60 ms after it: object {later[0]:.2f} % of the impact's speed, tip {later[1]:.2f} %",
            f"depth: {number(1e3 * wall['depth'])} mm",
        ]
    for word, count in document["status"].items():
        lines.append(f"{word}: {count} samples")
    for standing in document["region"]:
        side = "inside" if standing["inside"] else "outside"
        tight = f"margin {number(standing['margin'])} at {number(standing['frequency'])} Hz"
        lines.append(f"{standing['axis']}: {side} of what every passive hand may hold ({tight})")
    if document["unrendered"]:
        lines.append(f"this arm cannot render {', '.join(document['unrendered'])}")
    return "\n".join(lines)
