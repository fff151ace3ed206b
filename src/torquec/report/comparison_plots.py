"""Pictures of two models side by side, as Clover's Figures II 4, 6, 7 and III 8, 10 (extra `plot`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from torquec.report.closed_loop_plots import joint_panels, panels_done, plot_errors
from torquec.report.eigenvalue_plots import plot_eigenvalues
from torquec.simulation.comparison_of_models import ModelComparison

_STYLES: dict[str, dict[str, Any]] = {
    "a": {"color": "C0", "linewidth": 1.4},
    "b": {"color": "C3", "linewidth": 1.0, "linestyle": "--"},
    "measured": {"color": "0.6", "linewidth": 0.8},
}


def plot_comparison(found: ModelComparison, folder: Path, names: tuple[str, str]) -> list[Path]:
    """Draw torques and their differences, eigenvalues, responses, tracking and acceleration errors; gives the files.

    Loops that could not be closed are left out. Raises `MissingExtraError` without matplotlib.
    """
    folder.mkdir(parents=True, exist_ok=True)
    label = {side: f"{side}: {name}" for side, name in zip(("a", "b"), names, strict=True)}
    t = found.motion.t
    torques = {side: (t, facts.torques) for side, facts in found.sides.items()}
    difference = {"a - b": (t, found.a.torques - found.b.torques)}
    responses = {s: (f.response.t, 1e3 * f.response.displacement) for s, f in found.sides.items()}
    files = [
        _curves(found, torques, label, folder / "torques.png", "Torques along the motion", "torque [Nm, N]"),
        _curves(found, difference, {}, folder / "torque_differences.png", "Torques, a - b", "difference [Nm, N]"),
        plot_eigenvalues(
            {label[side]: facts.response.eigenvalues for side, facts in found.sides.items()},
            folder / "eigenvalues.png",
            title=f"Open-loop eigenvalues at t = {found.at:.3g} s",
        ),
        _curves(
            found, responses, label, folder / "linear_response.png",
            f"Linear models at t = {found.at:.3g} s after a small displacement", "displacement [mrad, mm]",
        ),
    ]  # fmt: skip
    loops = {label[side]: facts.loop for side, facts in found.sides.items() if facts.loop is not None}
    if loops:
        title = "Tracking errors of computed torque from each model"
        files.append(plot_errors(loops, folder / "tracking_errors.png", title=title))
        accelerations = {
            side: (facts.loop.t, facts.loop.qdd_ref - facts.loop.qdd)
            for side, facts in found.sides.items()
            if facts.loop is not None
        }
        title = "Acceleration errors of computed torque from each model"
        path = folder / "acceleration_errors.png"
        files.append(_curves(found, accelerations, label, path, title, "error [rad/s^2, m/s^2]"))
    if found.log is not None:
        replayed = {s: f.replayed for s, f in found.sides.items() if f.replayed is not None}
        curves = {s: (result.t[: len(result.tau)], result.tau) for s, result in replayed.items()}
        measured = {"measured": (found.log.t - found.log.t[0], found.log.tau)}
        title = "Simulated over measured torques"
        path = folder / "measured_torques.png"
        files.append(_curves(found, measured | curves, label, path, title, "torque [Nm, N]"))
    return files


def _curves(
    found: ModelComparison,
    curves: Mapping[str, tuple[Any, Any]],
    labels: Mapping[str, str],
    path: Path,
    title: str,
    quantity: str,
) -> Path:
    """One panel per joint, one curve per name: times and values (S, n)."""
    figure, axes = joint_panels(found.joints, quantity)
    for k in range(len(found.joints)):
        for name, (t, values) in curves.items():
            style = _STYLES.get(name, {"color": "0.2", "linewidth": 0.9})
            axes[k].plot(t, np.asarray(values)[:, k], label=labels.get(name, name), **style)
        axes[k].axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
    return panels_done(figure, axes, len(found.joints), title, path)
