"""Time-optimal motions of `torquec time`: duration, torques against limits, and which limit is reached when."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.report.blocks import (
    Axis,
    Block,
    DataTable,
    Facts,
    Gallery,
    LimitLine,
    Plot,
    Series,
    Shown,
    Style,
    Tone,
    fact,
    paragraph,
)
from torquec.report.figure import write_picture
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, assumed, computed
from torquec.report.sample_curves import kept_samples, rounded_samples
from torquec.report.stored_values import StoredValue
from torquec.report.tables import number, table

if TYPE_CHECKING:
    from torquec.model.model import Model
    from torquec.planning.time_optimal import TimeOptimalMotion

_TIME = Axis("time", "s")
_STATED = assumed("the robot file and the options of the command")
_ALONG = computed("the model's torque along the motion")
_PROVEN = computed("Taylor models of the torque over every cell of the motion")
_HALF_BAR = 0.35  # of a row: half the height of a bar
_KEPT = "every limit is kept, proven between the rows of the file too"
_NOT_KEPT = "NOT proven to keep every limit"


def time_optimal_text(document: dict[str, Any]) -> str:
    """The document of `torquec time` as a page."""
    kept = _KEPT if document["proven"] else _NOT_KEPT
    limits = document["limits"]["effort"]
    margins = [[joint, number(limits[joint]), number(value)] for joint, value in document["torque_margin"].items()]
    shares = _shares(document["limiting"], document["duration"])
    return "\n".join(
        [
            f"{document['file']}: {document['duration']:.6g} s through {document['waypoints']} waypoints, {kept}",
            "",
            table(["limit reached", "for [s]", "of the time"], [[name, *rest] for name, *rest in shares]),
            "",
            table(["joint", "torque limit", "margin"], margins),
        ]
    )


def _shares(limiting: Sequence[dict[str, Any]], duration: float) -> list[tuple[str, str, str]]:
    """How long the motion runs at each limit, longest first."""
    total: dict[str, float] = {}
    for span in limiting:
        name = f"{span['kind']} of {span['joint']}"
        total[name] = total.get(name, 0.0) + span["to"] - span["from"]
    longest = sorted(total.items(), key=lambda item: -item[1])
    return [(name, number(length, 4), f"{length / duration:.1%}") for name, length in longest]


def time_optimal_curves(model: Model, found: TimeOptimalMotion) -> dict[str, Any]:
    """Torques of every joint over time, with limits, as a document keeps them."""
    motion = found.trajectory
    tau = model.total_torque(motion.q, motion.qd, motion.qdd)
    joints = {}
    for j, coordinate in enumerate(model.robot.coordinates):
        rows, limit = kept_samples(tau[:, j]), float(found.limits.effort[j])
        joints[coordinate.name] = {
            "unit": coordinate.effort_unit,
            "t": rounded_samples(motion.t[rows]),
            "torque": rounded_samples(tau[rows, j]),
            "limit": limit if math.isfinite(limit) else None,
        }
    return {"joints": joints}


def plot_time_optimal(model: Model, found: TimeOptimalMotion, path: str | os.PathLike[str]) -> Path:
    """Draw torques against limits, and which limit is reached over time; raises as `write_picture` does."""
    curves = StoredValue(time_optimal_curves(model, found), str(path))
    spans = [{"from": one.start, "to": one.end, "joint": one.joint, "kind": one.kind.value} for one in found.limiting]
    kept = _KEPT if found.proven else _NOT_KEPT
    names = [coordinate.name for coordinate in model.robot.coordinates]
    plots = [*_torque_plots(curves), _limiting_plot(spans, names)]
    return write_picture(plots, path, title=f"{model.robot.name}: {found.duration:.4g} s, {kept}")


def _torque_plots(curves: StoredValue) -> list[Plot]:
    plots = []
    for joint, curve in curves["joints"].items():
        unit, limit = curve["unit"].text, curve.get("limit")
        rules = (
            ()
            if limit is None
            else tuple(LimitLine("limit", Number(sign * limit.number, _STATED, unit)) for sign in (1.0, -1.0))
        )
        series = (Series("torque", curve["t"].numbers, curve["torque"].numbers, _ALONG),)
        plots.append(Plot(joint, _TIME, Axis("torque" if unit != "N" else "force", unit), series, rules))
    return plots


def _limiting_plot(spans: Sequence[dict[str, Any]], names: Sequence[str]) -> Plot:
    """A bar for every span, in the row of its joint; the row of a tip speed is zero."""
    series = []
    for kind in dict.fromkeys(span["kind"] for span in spans):
        own = [span for span in spans if span["kind"] == kind]
        x = [value for span in own for value in (span["from"], span["to"], math.nan)]
        rows = [names.index(span["joint"]) + 1.0 if span["joint"] in names else 0.0 for span in own]
        high = [value for row in rows for value in (row + _HALF_BAR, row + _HALF_BAR, math.nan)]
        low = [value for row in rows for value in (row - _HALF_BAR, row - _HALF_BAR, math.nan)]
        series.append(Series(kind, tuple(x), tuple(high), _PROVEN, Style.BAND, low=tuple(low)))
    axis = Axis("joint number", low=0.0, high=len(names) + 1.0)
    return Plot("Which limit is reached", _TIME, axis, tuple(series))


def time_optimal_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec time`."""
    values = document.values
    proven = values["proven"].truth
    duration = values["duration"].shown(computed(f"time-optimal speed along the path ({document.name})"), "s", 6)
    by = _PROVEN if proven else computed("enclosures of the torque, of which some exceed a limit")
    limits = dict(values["limits"]["effort"].items())
    rows = tuple(
        (joint, limits[joint].shown(_STATED), margin.shown(by, digits=3))
        for joint, margin in values["torque_margin"].items()
    )
    spans = [
        {"from": one["from"].number, "to": one["to"].number, "joint": one["joint"].text, "kind": one["kind"].text}
        for one in values["limiting"]
    ]
    curves = values["curves"]
    names = [joint for joint, _ in curves["joints"].items()]
    words = f"{_KEPT[0].upper()}{_KEPT[1:]}." if proven else f"{_NOT_KEPT}: do not run this motion."
    blocks: tuple[Block, ...] = (
        Facts((fact("duration", duration), fact("motion", f"in {values['file'].text}"))),
        paragraph(words, tone=Tone.GOOD if proven else Tone.BAD),
        Gallery(tuple(_torque_plots(curves)), "Torques against their limits"),
        _limiting_plot(spans, names),
        DataTable(("joint", "torque limit", "margin, at least"), rows, "Margins of torque", folded=True),
    )
    return Shown(blocks, (fact("fastest motion along the path", duration),))
