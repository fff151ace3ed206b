"""What `torquec excite` shows: an exciting motion with its tightest limits, or how well logs excite."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from torquec.report.tables import number, table

if TYPE_CHECKING:
    from torquec.identification.excitation.log_excitation import LogExcitation

_TIGHT = 6
"""So many of the limits that are used most are shown; the document has all."""


def excitation_text(document: dict[str, Any]) -> str:
    """The document of `torquec excite` as a page."""
    kept = "every limit is kept, proved for every instant" if document["limits_kept"] else "limits are NOT kept"
    tight = sorted(document["limits"].items(), key=lambda item: -item[1])[:_TIGHT]
    known = f"{document['duration']:g} s, {len(document['parameters'])} parameters"
    condition = f"{number(document['condition'], 4)} ({number(document['unit_condition'], 4)} with unit columns)"
    lines = [
        f"{document['file']}: {known}, condition number {condition}, {kept}",
        "",
        table(["tightest limits", "used"], [[name, f"{share:.1%}"] for name, share in tight]),
    ]
    if document["assumed"]:
        lines.append(f"assumed, where the robot's file has no limits: {', '.join(document['assumed'])}")
    return "\n".join(lines)


def log_excitation_text(found: LogExcitation) -> str:
    """How well logs excite each parameter."""
    rows = [
        [
            p.name,
            number(p.value, 4),
            _percent(p.relative_deviation),
            f"{p.independence:.3f}",
            f"{p.contribution:.2%}",
            f"{p.uncertainty:.2%}" if math.isfinite(p.uncertainty) else "-",
            str(p.rating),
        ]
        for p in found.parameters
    ]
    counts = {rating: sum(p.rating == rating for p in found.parameters) for rating in ("good", "fair", "poor")}
    header = ["parameter", "value", "std", "independence", "of torque", "its std", "excited"]
    return (
        f"{table(header, rows)}\n\n{found.samples} samples, cut-off {number(found.cutoff, 3)} Hz, condition number "
        f"{number(found.condition, 4)} ({number(found.unit_condition, 4)} with unit columns)\n"
        f"{counts['good']} parameters known to 10 % (or 1 % of the torque), {counts['fair']} to 50 % (or 5 %), "
        f"{counts['poor']} worse, "
        f"{len(found.parameters) - sum(counts.values())} not excited"
    )


def _percent(relative: float) -> str:
    """A relative deviation; beyond the value itself it says no more than that."""
    return f"{relative:.1%}" if relative <= 1.0 else ">100%"
