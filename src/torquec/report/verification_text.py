"""What `torquec verify-package` shows: platforms beside Python, and what the package costs."""

from __future__ import annotations

from typing import Any

from torquec.report.tables import number, table


def verification_text(document: dict[str, Any]) -> str:
    """The text for a document of `torquec verify-package`."""
    rows = []
    for row in document["platforms"]:
        if row["status"] == "missing":
            rows.append([row["name"], "MISSING", "", "", row["why"]])
            continue
        test = {True: "passes", False: "FAILS", None: "-"}[row["selftest"]]
        shown = "-" if row["difference"] is None else number(row["difference"], 3)
        equal = "bit for bit" if row["numbers"] and not row["different_numbers"] else ""
        if row["different_numbers"]:
            equal = f"{row['different_numbers']} of {row['numbers']} differ, most in {row['worst']}"
        rows.append([row["name"], row["status"].upper() if row["status"] != "agrees" else "agrees", shown, test,
                     row["why"] or equal])  # fmt: skip
    text = table(["platform", "", "difference", "self-test", ""], rows, left=2)
    parts = [f"{document['prefix']}: {len(document['functions'])} functions in {document['real']}\n", text]
    coverage = document["coverage"]
    if coverage is not None:
        reached = f"{coverage['branches_reached']} of {coverage['branches']}"
        parts.append(f"\nbranches reached: {reached}; lines: {coverage['lines_reached']} of {coverage['lines']}")
        if coverage["not_reached"]:
            parts.append(f"  not taken in lines {', '.join(map(str, coverage['not_reached'][:20]))}")
    parts.append(_costs(document))
    if document["missing"]:
        parts.append(f"\nMISSING, and so not tried: {', '.join(document['missing'])}")
    return "\n".join(part for part in parts if part)


def _costs(document: dict[str, Any]) -> str:
    sizes = [f"{name}: {size} bytes of code" for name, size in document["size"].items()]
    counts = document["instructions"] or {}
    emulated = next((row["instructions"] for row in document["platforms"] if row["instructions"]), None) or {}
    header = ["function", *(f"stack, {name}" for name in document["stack"])]
    header += ["instructions", "spread"] if counts else []
    header += ["on a Cortex-M7"] if emulated else []
    rows = []
    for name in document["functions"]:
        row = [name, *(str(stack.get(name, "-")) for stack in document["stack"].values())]
        if counts:
            row += [str(counts[name]["most"]), f"{100.0 * counts[name]['spread']:.1f} %"]
        row += [str(emulated.get(name, "-"))] if emulated else []
        rows.append(row)
    text = f"\n{table(header, rows)}" if len(header) > 1 else ""
    return "\n".join(["\n" + "; ".join(sizes), text]) if sizes else text
