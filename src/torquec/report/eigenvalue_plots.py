"""Pictures of eigenvalues and root loci, as PNG or whatever the file's ending asks for (extra `plot`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from torquec.foundation.arrays import ComplexArray
from torquec.report.figure import new_figure, save_figure

if TYPE_CHECKING:
    from torquec.control.stability_interval import RootLocus, StabilityInterval

_SIZE = (7.0, 5.0)  # inches: half a page of a report
_GREEK = {"alpha": r"$\alpha$", "beta": r"$\beta$", "gamma": r"$\gamma$"}
_FAR = 1e5  # where a locus without a limit is drawn to: its branches are straight long before


def plot_eigenvalues(groups: dict[str, ComplexArray], path: Path, *, title: str) -> Path:
    """Groups of eigenvalues [1/s] in the complex plane, each with its own marker; gives the path."""
    figure, axes = _plane(title)
    for k, (label, values) in enumerate(groups.items()):
        style = {"facecolors": "none", "edgecolors": f"C{k}"} if k % 2 else {"color": f"C{k}"}
        axes.scatter(values.real, values.imag, marker="xo+s"[k % 4], s=45, label=label, **style)
    _finish(axes, legend=True)
    return _saved(figure, path)


def plot_root_locus(locus: RootLocus, path: Path, *, title: str, interval: StabilityInterval | None = None) -> Path:
    """The branches of a root locus, coloured by the factor's value, with its stability limits in the title."""
    figure, axes = _plane(title if interval is None else f"{title}\n{_limits(interval)}")
    values = np.broadcast_to(locus.values[:, None], locus.eigenvalues.shape)
    finite = np.isfinite(locus.eigenvalues)
    for branch in range(locus.eigenvalues.shape[1]):
        axes.plot(locus.eigenvalues[:, branch].real, locus.eigenvalues[:, branch].imag, color="0.85", linewidth=0.8)
    points = axes.scatter(
        locus.eigenvalues.real[finite], locus.eigenvalues.imag[finite], c=values[finite], s=6, cmap="viridis", zorder=3
    )
    nominal = int(np.argmin(np.abs(locus.values - 1.0)))
    at = locus.eigenvalues[nominal]
    axes.scatter(at.real, at.imag, marker="x", color="C3", s=45, zorder=4, label=f"{_GREEK[locus.factor]} = 1")
    figure.colorbar(points, ax=axes, label=_GREEK[locus.factor])
    _finish(axes, legend=True)
    return _saved(figure, path)


def locus_values(interval: StabilityInterval, count: int = 401) -> Sequence[float]:
    """Values of a factor that show its stability limits, from a fifth beyond one to a fifth beyond the other.

    They are close to each other around 1, which is among them, and farther apart towards the limits.
    """
    below = min(1.0 - interval.lower, _FAR) if np.isfinite(interval.lower) else min(2.0 * interval.upper, _FAR)
    above = min(interval.upper - 1.0, _FAR) if np.isfinite(interval.upper) else max(7.0, 2.0 * below)
    if not np.isfinite(below):
        below = above
    spread = np.linspace(0.0, 1.0, count // 2 + 1) ** 3
    found = np.unique(np.concatenate([1.0 - 1.2 * below * spread, 1.0 + 1.2 * above * spread]))
    if interval.factor.value == "gamma":
        found = np.unique(np.maximum(found, 0.0))
    return [float(value) for value in found]


def _limits(interval: StabilityInterval) -> str:
    def shown(value: float) -> str:
        if not np.isfinite(value):
            return r"\infty" if value > 0 else r"-\infty"
        return f"{value:.0f}" if abs(value) >= 1000.0 else f"{value:.4g}"

    name = _GREEK[interval.factor].strip("$")
    return f"stable for ${shown(interval.lower)} < {name} < {shown(interval.upper)}$"


def _plane(title: str) -> tuple[Any, Any]:
    figure = new_figure(*_SIZE, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=11)
    axes.set_xlabel("real part [1/s]")
    axes.set_ylabel("imaginary part [1/s]")
    axes.axvline(0.0, color="0.3", linewidth=0.9)
    axes.axhline(0.0, color="0.8", linewidth=0.6)
    return figure, axes


def _finish(axes: Any, *, legend: bool) -> None:
    axes.grid(visible=True, color="0.92")
    axes.set_axisbelow(True)
    if legend:
        axes.legend(fontsize=9, loc="best")


def _saved(figure: Any, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return save_figure(figure, path, dpi=150)
