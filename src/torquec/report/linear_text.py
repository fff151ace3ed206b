"""What `torquec linearize` shows of a linear model."""

from __future__ import annotations

from typing import Any

from torquec.report.tables import complex_number, number, table


def linear_text(name: str, document: dict[str, Any]) -> str:
    """The document of `torquec linearize` as tables."""
    joints = document["joints"]
    lines = [f"{name} (rad, m, s, Nm, N)"]
    for title, rows in (
        ("M, mass matrix", document["M"]),
        ("C = dtau/dqd, friction included", document["C"]),
        ("K = dtau/dq", document["K"]),
    ):
        shown = [[joint, *map(number, row)] for joint, row in zip(joints, rows, strict=True)]
        lines += ["", title, table(["", *joints], shown)]
    if "cartesian" in document:
        seen = document["cartesian"]
        for key in ("M", "C", "K"):
            rows = [[d, *map(number, row)] for d, row in zip(seen["directions"], seen[key], strict=True)]
            lines += ["", f"{key} at frame '{seen['frame']}'", table(["", *seen["directions"]], rows)]
    lines += ["", "Eigenvalues of A [1/s]"]
    lines += [f"  {complex_number(re, im)}" for re, im in document["eigenvalues"]]
    return "\n".join(lines)
