"""Plot of a log: positions, speeds and torques of every joint, with the rows of its findings marked.

A finding is marked in the plots of its column, or in all plots if it concerns whole rows. A finding without rows is
written above its plot.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from torquec.foundation.arrays import Array, Mask
from torquec.report.blocks import Axis, Plot
from torquec.report.figure import write_picture
from torquec.report.provenance import measured
from torquec.report.sample_curves import sampled_series, span_series
from torquec.trajectory.log import Log, LogFinding, Severity

_KINDS = {"q": Axis("position", "rad, m"), "qd": Axis("speed", "1/s"), "tau": Axis("torque", "N m, N")}
_THINNEST_MARK = 0.002  # of all rows: a narrower mark is invisible


def plot_log(log: Log, findings: Sequence[LogFinding], path: str | os.PathLike[str]) -> Path:
    """Draw a log, one row of plots per joint, and mark the rows of its findings; gives the file.

    The suffix of `path` chooses the format. Raises as `write_picture` does.
    """
    x, label = _axis(log)
    kinds = [kind for kind in _KINDS if kind != "qd" or log.qd is not None]
    name = Path(log.source).name or "log"
    plots = [_plot(log, findings, kind, j, (x, label, name)) for j in range(len(log.joints)) for kind in kinds]
    return write_picture(plots, path, title=f"{name}: {len(log)} samples", columns=len(kinds))


def _axis(log: Log) -> tuple[Array, Axis]:
    """Times where they increase, else row numbers."""
    if np.isfinite(log.t).all() and np.all(np.diff(log.t) >= 0.0):
        return log.t - log.t[0], Axis("time", "s")
    return np.arange(len(log), dtype=np.float64) + log.first_row, Axis("row")


def _plot(log: Log, findings: Sequence[LogFinding], kind: str, joint: int, over: tuple[Array, Axis, str]) -> Plot:
    x, label, name = over
    by, values = measured(f"the log {name}"), np.asarray(getattr(log, kind))[:, joint]
    known = values[np.isfinite(values)]
    ends = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    marks = []
    for word in dict.fromkeys(str(finding.kind) for finding in findings if finding.spans):  # one colour in all plots
        rows = np.zeros(len(log), dtype=bool)
        for finding in findings:
            if str(finding.kind) == word and _concerns(finding, log, kind, joint):
                rows |= _marked(finding, log)
        marks.append(span_series(word, x, rows, ends, by))
    unplaced = sorted(
        str(f.kind)
        for f in findings
        if not f.spans and f.severity is not Severity.NOTE and _concerns(f, log, kind, joint)
    )
    title = f"{log.joints[joint]}: {', '.join(dict.fromkeys(unplaced))}" if unplaced else log.joints[joint]
    curve = sampled_series("log", x, values, by)
    return Plot(title, label, _KINDS[kind], (curve, *marks))


def _concerns(finding: LogFinding, log: Log, kind: str, joint: int) -> bool:
    """Whether a finding belongs in the plot of a joint's quantity."""
    if not finding.column or finding.column == log.column("t"):
        return bool(finding.spans)
    if finding.column == kind or (finding.severity is Severity.NOTE and finding.spans):
        return True
    return log.column(kind, joint) in finding.column.split(" and ")


def _marked(finding: LogFinding, log: Log) -> Mask:
    """The rows of a finding (N,), each span wide enough to be seen."""
    rows = np.zeros(len(log), dtype=bool)
    half = max(1, round(_THINNEST_MARK * len(log)))
    for first, last in finding.spans:
        a, b = (min(max(row - log.first_row, 0), len(log) - 1) for row in (first, last))
        middle = (a + b) // 2
        rows[max(0, min(a, middle - half)) : max(b, middle + half) + 1] = True
    return rows
