"""What `torquec bench` shows: one row per function and contestant."""

from __future__ import annotations

from typing import Any

from torquec.report.tables import number, table


def bench_text(document: dict[str, Any]) -> str:
    """The document of `torquec bench` as a table."""
    lines = [
        f"{document['cpu']}; " + ", ".join(f"{name} {version}" for name, version in document["versions"].items()),
        "One call from Python, nanoseconds; ratio: its time over ours, fastest rounds.",
        "",
    ]
    rows, previous = [], ""
    for row in document["rows"]:
        shown = "" if row["function"] == previous else row["function"]
        previous = row["function"]
        rows.append([shown, row["contestant"], f"{row['ns']:.0f}", f"{row['median_ns']:.0f}", f"{row['ratio']:.1f}"])
    lines.append(table(["function", "contestant", "fastest", "median", "ratio"], rows, left=2))
    if "casadi" in document["versions"]:
        lines.append("\ncasadi is this model in CasADi's virtual machine, without a C compiler.")
    lines += [f"\n{name} took no part: {reason}" for name, reason in document["absent"].items()]
    lines += [f"\n{function} is not timed: {reason}" for function, reason in document.get("refused", {}).items()]
    for item in document["disagreements"]:
        lines.append(
            f"\nCHECK FAILED: {item['contestant']} differs in {item['function']} by {number(item['difference'], 2)}"
        )
    if document["snap_effect"]:
        lines.append(
            f"\nSnapped angles change torques by up to {number(document['snap_effect'], 2)} of the largest one."
        )
    return "\n".join(lines)
