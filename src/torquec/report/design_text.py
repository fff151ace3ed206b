"""What `torquec design` shows of a controller: its poles and gains, and what model errors it survives."""

from __future__ import annotations

from typing import Any

from torquec.report.guarantee_text import guarantee_text, statistics_text
from torquec.report.tables import number, table

_OPERATIONS = ("mul", "add", "div", "sincos", "other")


def design_text(name: str, document: dict[str, Any]) -> str:
    """The document of `torquec design` as a page."""
    count = ", ".join(f"{document['operations'][key]} {key}" for key in _OPERATIONS if document["operations"].get(key))
    evaluated = f"; the model is evaluated at the {document['evaluation']} state" if document["evaluation"] else ""
    lines = [f"{document['controller']} for {name}, called every {document['period']:g} s: {count}{evaluated}", ""]
    if document["poles"]:
        gains: dict[str, float] = next(iter(document["gains"].values()), {})
        rows = [
            [joint, f"{complex(*first):g}, {complex(*second):g}", *map(number, document["gains"][joint].values())]
            for joint, (first, second) in zip(document["joints"], document["poles"], strict=True)
        ]
        lines.append(table(["joint", "poles [1/s]", *gains], rows, left=2))
    if "weights" in document:
        rows = [
            [joint, *(number(w[k]) for w in document["weights"].values())] for k, joint in enumerate(document["joints"])
        ]
        lines.append(table(["weights", *document["weights"]], rows))
        lines.append("gains change with time: one matrix for every sample of the trajectory, in controller.json")
    if document["robustness"]:
        lines += ["", *_robustness(document)]
    statistics = statistics_text(document["payload"], document["covariance"])
    lines += ["", *([statistics, ""] if statistics else []), guarantee_text(document["guarantee"])]
    return "\n".join(lines)


def _robustness(document: dict[str, Any]) -> list[str]:
    when = document.get("robustness_times")
    rows = []
    for name, (lower, upper) in document["robustness"].items():
        times = [f"{t:.3g} s" for t in when[name]] if when else []
        rows.append([name, number(lower), number(upper), *times])
    header = ["factor", "above", "below", *(("reached at", "and at") if when else ())]
    legend = "alpha: stiffness, beta: damping, gamma: inertia (believed over true); - is no limit"
    return ["Stable while the model's error stays", table(header, rows), "", legend]
