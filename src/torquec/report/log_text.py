"""What `torquec check-log` shows of a log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torquec.trajectory.log import LogFinding


def log_text(document: dict[str, Any], findings: Iterable[LogFinding]) -> str:
    """A log's size and what was found in it; that nothing is wrong, where nothing is (otherwise: `log_verdict`)."""
    size = f"{document['samples']} samples, {document['duration']:.3g} s at {document['rate']:.4g} Hz"
    lines = [f"{document['file']}: {size}", *(f"  {finding}" for finding in findings)]
    return "\n".join(lines if not document["clean"] else [*lines, "  no problem found"])


def log_verdict(document: dict[str, Any]) -> str:
    """Whether a log with findings can be used, in one sentence; empty where nothing is wrong with it."""
    counts = {
        severity: sum(finding["severity"] == severity for finding in document["findings"])
        for severity in ("error", "warning")
    }
    found = " and ".join(f"{count} {severity}{'s' * (count > 1)}" for severity, count in counts.items() if count)
    if not document["usable"]:
        return f"{document['file']}: not usable before its errors are corrected ({found})"
    return "" if document["clean"] else f"{document['file']}: usable with care ({found})"
