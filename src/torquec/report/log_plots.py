"""A picture of a log: positions, speeds and torques of every joint, what a check found marked in colour (extra `plot`).

A finding is drawn in the panels that its column names, in all panels where it concerns the rows as a whole; one without
rows is written above its panel.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from torquec.foundation.arrays import Array
from torquec.report.figure import new_figure, save_figure
from torquec.trajectory.log import Log, LogFinding, Severity

_MOST_POINTS = 4000  # more than a picture has pixels across
_MOST_SPANS = 200  # more would be one band of colour
_KINDS = {"q": "position [rad, m]", "qd": "speed [1/s]", "tau": "torque [Nm, N]"}
_COLOURS = ("#d62728", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#17becf", "#bcbd22")
_QUIET = "0.75"


def plot_log(log: Log, findings: Sequence[LogFinding], path: str | os.PathLike[str]) -> Path:
    """Draw a log, one row of panels per joint, and mark the rows of its findings; gives the file.

    The suffix of `path` chooses the format. Raises `MissingExtraError` without matplotlib, `ArgumentError` where the
    picture cannot be written.
    """
    x, label = _axis(log)
    kinds = [kind for kind in _KINDS if kind != "qd" or log.qd is not None]
    figure = new_figure(4.6 * len(kinds), 1.35 * log.n + 1.3)
    panels = figure.subplots(log.n, len(kinds), sharex=True, squeeze=False)
    colours = _colours(findings)
    shown: dict[str, Any] = {}
    for j, joint in enumerate(log.joints):
        for k, kind in enumerate(kinds):
            panel = panels[j, k]
            _curve(panel, x, np.asarray(getattr(log, kind))[:, j])
            concerned = [f for f in findings if _concerns(f, log, kind, j)]
            for finding in concerned:
                for span in _spans(panel, finding, log, x, colours[finding.kind]):
                    shown.setdefault(str(finding.kind), span)
            unplaced = sorted({str(f.kind) for f in concerned if not f.spans and f.severity is not Severity.NOTE})
            if unplaced:
                panel.set_title(", ".join(unplaced), fontsize=8, color=_COLOURS[0], loc="right", pad=2.0)
            panel.tick_params(labelsize=7)
            panel.margins(x=0.0)
            if k == 0:
                panel.set_ylabel(joint, fontsize=8)
            if j == 0:
                panel.set_title(_KINDS[kind], fontsize=9, loc="left")
    for panel in panels[-1]:
        panel.set_xlabel(label, fontsize=8)
    figure.suptitle(f"{Path(log.source).name or 'log'}: {len(log)} samples", fontsize=10)
    if shown:
        figure.legend(shown.values(), shown.keys(), loc="lower center", ncols=min(len(shown), 5), fontsize=8)
    figure.tight_layout(rect=(0.0, 0.05 if shown else 0.0, 1.0, 1.0))
    return save_figure(figure, path, dpi=110)


def _axis(log: Log) -> tuple[Array, str]:
    """Times where they rise, else numbers of rows."""
    if np.isfinite(log.t).all() and np.all(np.diff(log.t) >= 0.0):
        return log.t - log.t[0], "time [s]"
    return np.arange(len(log), dtype=np.float64) + log.first_row, "row"


def _curve(panel: Any, x: Array, values: Array) -> None:
    """All points of a short log; of a long one the smallest and the largest of every stretch."""
    if len(values) <= _MOST_POINTS:
        panel.plot(x, values, color="C0", linewidth=0.8)
        return
    size = -(-len(values) // (_MOST_POINTS // 2))
    whole = len(values) // size * size
    parts = values[:whole].reshape(-1, size)
    known = np.where(np.isfinite(parts), parts, np.nan)
    empty = np.isnan(known).all(axis=1)
    low = np.where(empty, np.nan, np.where(np.isnan(known), np.inf, known).min(axis=1))
    high = np.where(empty, np.nan, np.where(np.isnan(known), -np.inf, known).max(axis=1))
    panel.plot(np.repeat(x[:whole:size], 2), np.stack([low, high], axis=1).ravel(), color="C0", linewidth=0.8)


def _colours(findings: Sequence[LogFinding]) -> dict[str, str]:
    """Grey for notes, a colour for every other kind."""
    colours: dict[str, str] = {str(f.kind): _QUIET for f in findings if f.severity is Severity.NOTE}
    loud = dict.fromkeys(str(f.kind) for f in findings if f.severity is not Severity.NOTE)
    return colours | {kind: _COLOURS[k % len(_COLOURS)] for k, kind in enumerate(loud)}


def _concerns(finding: LogFinding, log: Log, kind: str, joint: int) -> bool:
    """Whether a finding belongs into the panel of a quantity of a joint."""
    if not finding.column or finding.column == log.column("t"):
        return bool(finding.spans)
    if finding.column == kind or (finding.severity is Severity.NOTE and finding.spans):
        return True
    return log.column(kind, joint) in finding.column.split(" and ")


def _spans(panel: Any, finding: LogFinding, log: Log, x: Array, colour: str) -> list[Any]:
    drawn = []
    thin = 0.002 * float(x[-1] - x[0])
    for first, last in finding.spans[:_MOST_SPANS]:
        a, b = (min(max(row - log.first_row, 0), len(log) - 1) for row in (first, last))
        left, right = float(x[a]), float(x[b])
        middle, half = 0.5 * (left + right), max(0.5 * (right - left), thin)
        alpha = 0.3 if finding.severity is Severity.NOTE else 0.45
        drawn.append(panel.axvspan(middle - half, middle + half, color=colour, alpha=alpha, linewidth=0.0, zorder=0))
    return drawn
