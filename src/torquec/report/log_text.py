"""What `torquec check-log` shows of a log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torquec.trajectory.log import LogFinding


def log_text(document: dict[str, Any], findings: Iterable[LogFinding]) -> str:
    """A log's size, what was found in it, and whether it can be used."""
    size = f"{document['samples']} samples, {document['duration']:.3g} s at {document['rate']:.4g} Hz"
    lines = [f"{document['file']}: {size}", *(f"  {finding}" for finding in findings)]
    if not document["usable"]:
        lines.append("  this log cannot serve before its errors are mended")
    elif not document["clean"]:
        lines.append("  usable, but look at the warnings")
    else:
        lines.append("  no problem found")
    return "\n".join(lines)
