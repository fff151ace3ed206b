"""The renderable region of `torquec haptic-region`: objects stable with every passive hand, as text and picture."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from torquec.foundation.rounded_bound import rounded_up
from torquec.haptics.cutoff_stability import CutoffStability
from torquec.haptics.haptic_region import RegionPlane, RenderedQuantity
from torquec.haptics.port_loop import RenderedImpedance
from torquec.report.figure import new_figure, save_figure
from torquec.report.tables import table

_INSIDE, _EDGE, _ASKED, _LINES = "#cfe3f5", "#2c6fbb", "#c0392b", ("#2c6fbb", "#b8860b")


def haptic_region_text(document: dict[str, Any]) -> str:
    """The document of the command as text; None is said in words."""
    port, loop, worst = document["port"], document["loop"], document["worst"]
    units = document["units"]
    lines = [
        f"{document['robot']}: {document['frame']} {document['axis']}, {loop['rendering']} at {loop['rate']:g} Hz",
        "",
        table(
            ["port", "", ""],
            [
                ["mass", f"{port['mass']:.4g}", units["mass"]],
                ["damping", f"{port['damping']:.4g}", units["damping"]],
                ["dry friction", f"{port['friction']:.4g}", units["force"]],
                ["model error", rounded_up(100.0 * port["model_error"], 3), "%"],
            ],
        ),
        "",
    ]
    rows = []
    for name, asked in document["rendered"].items():
        if name not in document["intervals"]:
            continue
        found = document["intervals"][name]
        low, high = ("none", "none") if found is None else (f"{found['lower']:.4g}", _upper(found["upper"]))
        rows.append([name, f"{asked:.4g}", low, high, units[name]])
    lines += [table(["object", "asked", "from", "to", ""], rows), ""]
    hands = "every passive hand" if document["grip"] is None else "every passive hand behind the grip"
    said = "inside: passive, and stable with" if document["inside"] else "OUTSIDE: not passive, not stable with"
    lines.append(f"{said} {hands}; tightest at {worst['frequency']:.3g} Hz, margin {worst['margin']:.3g}")
    if document["destabilizing"] is not None:
        lines.append(f"destabilized by {document['destabilizing']['text']}")
    lines += _filters(document)
    encoder = document["encoder"]
    if encoder["force"] > 0.0:
        covered = (
            "friction takes it"
            if encoder["leak"] == 0.0
            else f"{encoder['leak']:.3g} {units['force']} more than friction takes"
        )
        lines.append(f"encoder counts shake the drive by {encoder['force']:.3g} {units['force']}: {covered}")
    return "\n".join(lines)


def _filters(document: dict[str, Any]) -> list[str]:
    found = []
    for study in document["filters"]:
        edge = study["stable_from"]
        if edge is None:
            said = "unstable at every cut-off tried"
        elif edge == 0.0:
            said = f"stable down to {study['cutoff'][0]:.3g} Hz"
        else:
            said = f"stable above {edge:.4g} Hz ({1e3 * math.sqrt(2.0) / (2.0 * math.pi * edge):.3g} ms of lag)"
        found.append(f"with the hand of a person, {study['filter']} filter: {said}")
    return found


def _upper(value: float | None) -> str:
    return "any" if value is None else f"{value:.4g}"


def plot_haptic_region(
    planes: Sequence[RegionPlane],
    filters: Sequence[CutoffStability],
    path: str | os.PathLike[str],
    *,
    rendered: RenderedImpedance,
    units: Mapping[str, str],
    title: str,
) -> Path:
    """A panel for every plane of objects, the renderable ones in colour, and one of growth against filter cut-off.

    Raises `MissingExtraError` without matplotlib, `ArgumentError` for a path that cannot be drawn to.
    """
    figure = new_figure(4.1 * (len(planes) + 1), 4.0)
    panels = figure.subplots(1, len(planes) + 1, squeeze=False)[0]
    for axes, plane in zip(panels, planes, strict=False):
        _plane(axes, plane, rendered, units)
    _filter_panel(panels[-1], filters)
    figure.suptitle(title, fontsize=10)
    figure.tight_layout(rect=(0.0, 0.0, 1.0, 0.97))
    return save_figure(figure, path, dpi=130)


def _plane(axes: Any, plane: RegionPlane, rendered: RenderedImpedance, units: Mapping[str, str]) -> None:
    height = np.cbrt(np.clip(plane.margin, -1.0, 1.0))  # the root: margins near the edge span many decades
    axes.contourf(plane.x, plane.y, height, levels=[0.0, 2.0], colors=[_INSIDE])
    if height.min() < 0.0 < height.max():
        axes.contour(plane.x, plane.y, height, levels=[0.0], colors=[_EDGE], linewidths=1.2)
    own = [
        max(getattr(rendered, name.value), scale[0]) for name, scale in ((plane.across, plane.x), (plane.up, plane.y))
    ]
    axes.plot(*own, "o", color=_ASKED, ms=5, label="asked for", clip_on=False)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(f"{plane.across.value} of the object [{units[plane.across.value]}]", fontsize=8)
    axes.set_ylabel(f"{plane.up.value} of the object [{units[plane.up.value]}]", fontsize=8)
    third = next(name for name in RenderedQuantity if name not in (plane.across, plane.up)).value
    value = getattr(rendered, third)
    held = f"; {third} {value:.3g} {units[third]}" if value > 0.0 else ""
    axes.set_title(f"blue: stable with every hand{held}", fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.25)
    axes.legend(fontsize=8, loc="lower right")


def _filter_panel(axes: Any, filters: Sequence[CutoffStability]) -> None:
    """Growth with a person on it over cut-off; dots where every hand is stable."""
    for study, colour in zip(filters, _LINES, strict=False):
        axes.semilogx(study.cutoff, study.growth, color=colour, lw=1.4, label=f"{study.place.value} filter")
        good = study.is_passive
        axes.semilogx(study.cutoff[good], study.growth[good], "o", color=colour, ms=4)
        if study.stable_from:
            axes.axvline(study.stable_from, color=colour, ls=":", lw=1.0)
    axes.axhline(0.0, color="#555555", lw=0.8)
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_xlabel("cut-off of the filter [Hz]", fontsize=8)
    axes.set_ylabel("growth of the slowest motion [1/s]", fontsize=8)
    axes.set_title("a person holds it (dots: anybody may)", fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.25, which="major")
    axes.legend(fontsize=8)
