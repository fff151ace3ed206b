"""Pictures of closed loops: error profiles, torques against their limits (extra `plot`)."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.reading import to_path
from torquec.report.figure import new_figure, save_figure
from torquec.simulation.monte_carlo import MonteCarloResult
from torquec.simulation.simulation_result import SimulationResult

_LIMIT = {"color": "0.45", "linestyle": "--", "linewidth": 0.9}


def plot_errors(
    results: Mapping[str, SimulationResult],
    path: str | os.PathLike[str],
    *,
    tip: Mapping[str, Any] | None = None,
    title: str = "Tracking errors",
) -> Path:
    """One panel per joint, one curve per result; `tip` adds a panel of distances (S,) [m] by the same names.

    The suffix of `path` chooses the format. Raises `MissingExtraError` without matplotlib.
    """
    joints = _joints(results)
    panels = len(joints) + (1 if tip else 0)
    figure, axes = _panels(panels)
    for k, joint in enumerate(joints):
        for name, result in results.items():
            axes[k].plot(result.t, 1e3 * result.error[:, k], label=name, linewidth=0.9)
        axes[k].axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        _label(axes[k], joint, "error [mrad, mm]")
    if tip:
        for name, distance in tip.items():
            axes[len(joints)].plot(results[name].t, 1e3 * np.asarray(distance), label=name, linewidth=0.9)
        _label(axes[len(joints)], "tip", "distance [mm]")
    return panels_done(figure, axes, panels, title, path)


def plot_envelope(
    result: MonteCarloResult, path: str | os.PathLike[str], *, title: str = "Tracking errors of all runs"
) -> Path:
    """One panel per joint: the band that holds the errors of all runs, and their average.

    Raises `ArgumentError` where no envelope was recorded, or every run has diverged; `MissingExtraError` without
    matplotlib.
    """
    found = result.envelope
    if found is None or found.runs == 0:
        raise ArgumentError("there is no envelope to draw", remedy="run monte_carlo(..., envelope=True), stable runs")
    figure, axes = joint_panels(result.joints, "error [mrad, mm]")
    for k in range(len(result.joints)):
        low, high, average = (1e3 * values[:, k] for values in (found.lowest, found.highest, found.average))
        axes[k].fill_between(found.t, low, high, alpha=0.3, linewidth=0.0, label=f"all {found.runs} runs")
        axes[k].plot(found.t, average, linewidth=0.9, label="average")
        axes[k].axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    lost = int(np.isfinite(result.diverged).sum())
    shown = f"{title} ({lost} more diverged)" if lost else title
    return panels_done(figure, axes, len(result.joints), shown, path)


def plot_torques(
    results: Mapping[str, SimulationResult], path: str | os.PathLike[str], *, title: str = "Torques wanted, and limits"
) -> Path:
    """One panel per joint: the torques that each controller wanted, and what the drive can give.

    Limits are drawn where they are within three times of what was wanted; else they are named.
    """
    joints = _joints(results)
    figure, axes = _panels(len(joints))
    for k, joint in enumerate(joints):
        largest = 0.0
        for name, result in results.items():
            axes[k].plot(result.t[: len(result.tau)], result.tau[:, k], label=name, linewidth=0.9)
            largest = max(largest, float(np.abs(result.tau[:, k]).max(initial=0.0)))
        limit = next(iter(results.values())).efforts[k]
        shown = math.isfinite(limit) and limit <= 3.0 * largest
        if shown:
            axes[k].axhline(limit, **_LIMIT)
            axes[k].axhline(-limit, **_LIMIT)
        note = "" if shown or not math.isfinite(limit) else f" (limit {limit:g})"
        _label(axes[k], f"{joint}{note}", "torque [Nm, N]")
    return panels_done(figure, axes, len(joints), title, path)


def _joints(results: Mapping[str, SimulationResult]) -> tuple[str, ...]:
    sets = {result.joints for result in results.values()}
    if len(sets) != 1:
        raise ArgumentError("the results have different joints, or there are none", remedy="draw runs of one robot")
    return sets.pop()


def joint_panels(joints: Sequence[str], quantity: str) -> tuple[Any, list[Any]]:
    """A figure with one empty panel per joint, two side by side."""
    figure, axes = _panels(len(joints))
    for axis, joint in zip(axes, joints, strict=False):
        _label(axis, joint, quantity)
    return figure, axes


def _panels(count: int) -> tuple[Any, list[Any]]:
    columns = 2 if count > 1 else 1
    rows = math.ceil(count / columns)
    figure = new_figure(5.4 * columns, 2.1 * rows + 0.8)
    grid = figure.subplots(rows, columns, sharex=True, squeeze=False)
    return figure, list(grid.ravel())


def _label(axis: Any, name: str, quantity: str) -> None:
    axis.set_title(name, fontsize=9, loc="left")
    axis.set_ylabel(quantity, fontsize=8)
    axis.tick_params(labelsize=8)
    axis.margins(x=0.01)


def panels_done(figure: Any, axes: list[Any], used: int, title: str, path: str | os.PathLike[str]) -> Path:
    """Take away panels that are not used, add title, times and legend, and save the figure."""
    target = to_path(path)
    for axis in axes[used:]:
        axis.remove()
    for axis in axes[max(0, used - 2) : used]:
        axis.set_xlabel("time [s]", fontsize=8)
        axis.tick_params(labelbottom=True)
    figure.suptitle(title, fontsize=11)
    handles, labels = axes[0].get_legend_handles_labels()
    if len(labels) > 1:
        figure.legend(handles, labels, loc="upper right", fontsize=8, ncols=len(labels), frameon=False)
    figure.tight_layout()
    return save_figure(figure, target, dpi=130)
