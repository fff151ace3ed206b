"""Haptics as text and plot: the passivity region of `torquec haptic-region`, and the document of `torquec haptic`."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from torquec.foundation.arrays import Array
from torquec.haptics.cutoff_stability import CutoffStability
from torquec.haptics.haptic_region import RegionPlane, RenderedQuantity
from torquec.haptics.port_loop import RenderedImpedance
from torquec.report.blocks import Axis, LimitLine, Plot, Series, Style
from torquec.report.figure import write_picture
from torquec.report.provenance import Number, computed
from torquec.report.sample_curves import sampled_series
from torquec.report.tables import number, table
from torquec_check.claim import rounded_up

_BY = computed("the margin of passivity of the sampled loop")
_SHOWN_MEDIANS = 4.0  # shown range of the growth, in medians of its size


def haptic_region_text(document: dict[str, Any]) -> str:
    """The document of the command as text; None is written in words."""
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
    stability = "inside: passive, and stable with" if document["inside"] else "OUTSIDE: not passive, not stable with"
    lines.append(f"{stability} {hands}; tightest at {worst['frequency']:.3g} Hz, margin {worst['margin']:.3g}")
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
            stability = "unstable at every cut-off tried"
        elif edge == 0.0:
            stability = f"stable down to {study['cutoff'][0]:.3g} Hz"
        else:
            stability = f"stable above {edge:.4g} Hz ({1e3 * math.sqrt(2.0) / (2.0 * math.pi * edge):.3g} ms of lag)"
        found.append(f"with the hand of a person, {study['filter']} filter: {stability}")
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
    """Draw one plot per plane of objects, with renderable ones in colour, and one of growth against filter cut-off.

    Raises as `write_picture` does.
    """
    plots = [*(_plane_plot(plane, rendered, units) for plane in planes), _filter_plot(filters)]
    return write_picture(plots, path, title=title, columns=3)


def _plane_plot(plane: RegionPlane, rendered: RenderedImpedance, units: Mapping[str, str]) -> Plot:
    x, y, third = (_axis(plane.across, units), _axis(plane.up, units), _third(plane).value)
    value = getattr(rendered, third)
    held = f"; {third} {value:.3g} {units[third]}" if value > 0.0 else ""
    asked = [
        max(getattr(rendered, name.value), scale[0]) for name, scale in ((plane.across, plane.x), (plane.up, plane.y))
    ]
    series = [*_region(plane), Series("asked for", (asked[0],), (asked[1],), _BY, Style.CROSSES)]
    return Plot(f"coloured: stable with every hand{held}", x, y, tuple(series))


def _axis(quantity: RenderedQuantity, units: Mapping[str, str]) -> Axis:
    return Axis(f"{quantity.value} of the object", units[quantity.value], log=True)


def _third(plane: RegionPlane) -> RenderedQuantity:
    return next(name for name in RenderedQuantity if name not in (plane.across, plane.up))


def _region(plane: RegionPlane) -> list[Series]:
    """Intervals of positive passivity margin in every column of the plane; the margin's zeros bound them."""
    height = np.cbrt(np.clip(plane.margin, -1.0, 1.0))  # cube root: margins near the edge span many decades
    columns = [_stretches(height[:, k], np.log(plane.y)) for k in range(len(plane.x))]
    found = []
    for level in range(max(map(len, columns))):
        ends = [column[level] if level < len(column) else (math.nan, math.nan) for column in columns]
        low, high = (tuple(math.exp(end[k]) for end in ends) for k in (0, 1))
        found.append(Series("stable", tuple(plane.x.tolist()), high, _BY, Style.BAND, low=low))
    return found or [Series("stable", (), (), _BY, Style.BAND)]


def _stretches(height: Array, y: Array) -> list[tuple[float, float]]:
    """Intervals of y (K,) on which `height` (K,) is not negative, its zeros interpolated."""
    inside = height >= 0.0
    edges = np.flatnonzero(np.diff(np.concatenate([[0], inside.astype(int), [0]]))).reshape(-1, 2)

    def zero(a: int, b: int) -> float:
        if not 0 <= a < len(y) or not 0 <= b < len(y):
            return float(y[min(max(a, 0), len(y) - 1) if 0 <= a < len(y) else b])
        return float(y[a] + (y[b] - y[a]) * height[a] / (height[a] - height[b]))

    return [(zero(first - 1, first), zero(last - 1, last)) for first, last in edges.tolist()]


def _filter_plot(filters: Sequence[CutoffStability]) -> Plot:
    """Growth with a typical hand over cut-off; dots where every passive hand is stable."""
    series, rules = [], []
    for study in filters:
        name = f"{study.place.value} filter"
        series.append(sampled_series(name, study.cutoff, study.growth, _BY))
        if study.stable_from:
            rules.append(LimitLine(f"stable from here, {name}", Number(study.stable_from, _BY, "Hz"), vertical=True))
    for study in filters:
        good, name = study.is_passive, f"{study.place.value} filter, stable with every hand"
        cutoff, growth = (tuple(values[good].tolist()) for values in (study.cutoff, study.growth))
        series.append(Series(name, cutoff, growth, _BY, Style.POINTS))
    shown = np.concatenate([study.growth for study in filters])
    most = _SHOWN_MEDIANS * float(np.median(np.abs(shown)))  # a few large values would hide the sign change
    low, high = max(float(shown.min()), -most), min(float(shown.max()), most)
    x, y = (
        Axis("cut-off of the filter", "Hz", log=True),
        Axis("growth of the slowest motion", "1/s", low=low, high=high),
    )
    return Plot("a person holds it (dots: anybody may)", x, y, tuple(series), tuple(rules))


def haptic_text(document: Mapping[str, Any]) -> str:
    """The document of `torquec haptic` as text."""
    thing, sensor = document["object"], document["sensor"]
    title = (
        f"{document['robot']}, frame '{document['frame']}': {document['experiment']}, {number(document['rate'])} Hz, "
        f"{number(thing['mass'])} kg, {number(thing['inertia'])} kg m^2"
    )
    around = (
        f"sensor: {number(sensor['cutoff'])} Hz, resolution {number(sensor['resolution'][0])} N; encoders "
        f"{number(document['encoder'])} rad; {number(100.0 * document['effort'])} % of the effort limits; "
        f"poles {number(document['poles'][0])} +- {number(document['poles'][1])}j"
    )
    lines = [title, around, *_object_words(thing), ""]
    for felt, unit in felt_values(document):
        lines += [*_felt_lines(felt, unit, document["samples"]), ""]
    wall = document["wall"]
    if wall is not None:
        side = "two-sided" if wall["two_sided"] else "one-sided"
        later = [100.0 * wall[key] for key in ("object_after_60_ms", "tip_after_60_ms")]
        what = "second cube" if document["experiment"] == "two-cubes" else "wall"
        lines += [
            f"{what} of {number(wall['frequency'])} Hz, damping ratio {number(wall['damping_ratio'])}, {side}",
            f"impact at {number(wall['impact'])} m/s",
            f"later than 60 ms after it: object {later[0]:.2f} % of the impact's speed, tip {later[1]:.2f} %",
            f"depth: {number(1e3 * wall['depth'])} mm; largest angular speed {number(wall['turning'])} rad/s",
        ]
    for word, count in document["status"].items():
        lines.append(f"{word}: {count} samples")
    for standing in document["region"]:
        lines += [f"{standing['axis']}: {line}" for line in _standing_lines(standing)]
    for study in document["filters"]:
        lines.append(f"{study['filter']} filter, with this hand: {_stable_words(study)}")
    if document["unrendered"]:
        lines.append(f"this arm cannot render {', '.join(document['unrendered'])}")
    return "\n".join(lines)


def felt_values(document: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], str]]:
    """The apparent mass or inertia with its unit; both for combined motion."""
    first = "kg m^2" if document["experiment"].startswith("inertia") else "kg"
    return [(document[key], unit) for key, unit in (("felt", first), ("felt_turning", "kg m^2")) if document[key]]


def _object_words(thing: Mapping[str, Any]) -> list[str]:
    """Parameters of the object that differ from the experiment's own."""
    words = []
    if any(thing["offset"]):
        words.append(f"mass centre at {', '.join(number(x) for x in thing['offset'])} m of the held frame")
    if any(thing["damping"]):
        along, about = thing["damping"]
        words.append(f"damping {number(along)} N s/m, {number(about)} N m s")
    return (
        ["object: " + "; ".join([*words, *(["it has weight"] if thing["gravity"] else [])])]
        if words or thing["gravity"]
        else []
    )


def _felt_lines(felt: Mapping[str, Any], unit: str, samples: int) -> list[str]:
    value, (low, high) = felt["unbiased"]["value"], felt["unbiased"]["interval"]
    nominal = felt["nominal"]
    rows = [
        [
            "unbiased, 95 % interval",
            f"{value:.5g}",
            f"{low:.5g} to {high:.5g}",
            f"{100.0 * (value / nominal - 1.0):+.2f} %",
        ],
        [
            "force over acceleration",
            f"{felt['mean']:.4g}",
            f"+- {felt['deviation']:.2g}",
            f"{100.0 * felt['error']:+.2f} %",
        ],
    ]
    paper = felt["paper"]
    if paper is not None:
        error = 100.0 * (paper["mean"] / nominal - 1.0)
        rows.append(["Clover, Table II", number(paper["mean"]), f"+- {number(paper['deviation'])}", f"{error:+.2f} %"])
    found = [
        table([f"felt [{unit}]", "value", "spread", "error"], rows),
        f"counted: {felt['counted']} of {samples} samples",
    ]
    return [*found, *([biased_words(felt)] if felt["is_biased"] else [])]


def biased_words(felt: Mapping[str, Any]) -> str:
    """The warning where the quotient is biased."""
    off = 100.0 * (felt["mean"] / felt["unbiased"]["value"] - 1.0)
    return (
        f"warning: force over acceleration is biased by {off:+.1f} % here (noise of the force or shaking of the arm): "
        "read the unbiased value, or move the hand faster (--pace)"
    )


def _standing_lines(standing: Mapping[str, Any]) -> list[str]:
    """Place of an axis in the passivity region, and the remedy."""
    tight = f"margin {standing['margin']:.3g} at {standing['frequency']:.3g} Hz"
    if standing["inside"]:
        return [f"inside the passivity region: stable with every passive hand ({tight})"]
    return [f"outside the passivity region: some passive hand makes it unstable ({tight}); {remedy_words(standing)}"]


def remedy_words(standing: Mapping[str, Any]) -> str:
    """The remedy that brings an object into the passivity region."""
    least, about = standing["least_damping"], standing["axis"].startswith("turning")
    if least is None:
        return "no damping alone brings it inside: raise --cutoff or --rate, or render more mass"
    enough = rounded_up(least, 2)
    unit, option = ("N m s", f"0,{enough}") if about else ("N s/m", f"{enough},0")
    return f"inside from a damping of {enough} {unit} on (--damping {option})"


def _stable_words(study: Mapping[str, Any]) -> str:
    edge = study["stable_from"]
    if edge is None:
        return "unstable at every cut-off tried"
    if edge == 0.0:
        return f"stable down to {study['cutoff'][0]:.3g} Hz"
    return f"loses stability below {edge:.3g} Hz ({1e3 * math.sqrt(2.0) / (2.0 * math.pi * edge):.3g} ms of lag)"
