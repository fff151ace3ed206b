"""Two models of one robot side by side (`torquec compare`): torques, eigenvalues, tracking, operations, times."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from torquec.foundation.arrays import Array
from torquec.report.blocks import (
    Axis,
    Block,
    Cell,
    DataTable,
    Facts,
    Gallery,
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
from torquec.report.provenance import Number, Provenance, Statement, computed, measured
from torquec.report.sample_curves import joint_curves, sampled_series
from torquec.report.stored_values import StoredValue
from torquec.report.tables import MILLI, complex_number, number, table
from torquec.report.tracking_plots import plot_errors
from torquec.simulation.comparison_of_models import ModelComparison, ModelFacts

_SIDES = ("a", "b")
_SIZES = ("max", "mean", "rms", "bias")


def comparison_text(names: tuple[str, str], document: dict[str, Any]) -> str:
    """The document of `torquec compare` as tables; `names` of the two models."""
    columns = ("max", "mean", "std", "rms", "bias")
    lines = [f"a: {names[0]} ({document['kinds']['a']})", f"b: {names[1]} ({document['kinds']['b']})", ""]
    for title, key in (
        (f"Torques along the motion, a - b [Nm, N]: its size, mean: bias ({document['samples']} samples)", "torque"),
        ("Torques at random states, a - b [Nm, N]", "random"),
    ):
        if key in document:
            rows = [[joint, *(number(row[c], 4) for c in columns)] for joint, row in document[key].items()]
            lines += [title, table(["joint", *columns], rows), ""]
    lines += _tracking_lines(document)
    pairs = zip(document["eigenvalues"]["a"], document["eigenvalues"]["b"], strict=True)
    lines += [f"Eigenvalues at t = {document['at']:.4g} s [1/s]"]
    lines += [table(["a", "b"], [[complex_number(*x), complex_number(*y)] for x, y in pairs], left=2), ""]
    rows = []
    for quantity in dict.fromkeys([*document["operations"]["a"], *document["operations"]["b"]]):
        row = [quantity]
        for side in ("a", "b"):
            count, ns = document["operations"][side].get(quantity), document["ns"][side].get(quantity)
            row += ["-", "-"] if count is None else [f"{count['mul']}/{count['add']}", f"{ns:.0f}"]
        rows.append(row)
    lines.append("Multiplications/additions, and nanoseconds of one call from Python")
    lines.append(table(["quantity", "a", "ns", "b", "ns"], rows))
    if "log" in document:
        lines += ["", *_log(document["log"])]
    return "\n".join(lines)


def _tracking_lines(document: dict[str, Any]) -> list[str]:
    found = document["tracking"]
    lines = [
        f"Computed torque from {side} cannot be simulated: {found[side]['refused']}"
        for side in ("a", "b")
        if "refused" in found[side]
    ]
    if lines:
        return [*lines, ""]
    keys = ("rmse", "max_error", "acceleration_rmse")
    rows = [
        [joint, *(number(found[side][key][joint], 4) for key in keys for side in ("a", "b"))]
        for joint in found["a"]["rmse"]
    ]
    header = ["joint", "rmse a", "b", "max error a", "b", "acceleration rmse a", "b"]
    return ["Computed torque from each model on the same plant [rad, m; per s^2]", table(header, rows), ""]


def _log(found: dict[str, Any]) -> list[str]:
    rows = [
        [joint, *(number(found[side]["torque_rms"][joint], 4) if found[side] else "-" for side in ("a", "b"))]
        for joint in found["joints"]
    ]
    return [
        f"Along {found['file']}: each model controls itself; its torques less the measured ones, rms [Nm, N]",
        table(["joint", "a", "b"], rows),
    ]


def comparison_curves(found: ModelComparison) -> dict[str, Any]:
    """Curves by joint: `torque` along the motion, `error` if both loops run, `replayed` torques beside a log's."""
    sides = found.sides
    curves = {
        "torque": joint_curves(found.joints, found.motion.t, {side: facts.torques for side, facts in sides.items()})
    }
    loops = {side: facts.loop for side, facts in sides.items() if facts.loop is not None}
    if len(loops) == len(sides):
        t = next(iter(loops.values())).t
        curves["error"] = joint_curves(found.joints, t, {side: loop.error for side, loop in loops.items()})
    replayed = {side: facts.replayed for side, facts in sides.items() if facts.replayed is not None}
    if found.log is not None and replayed:
        loop, log = next(iter(replayed.values())), found.log
        t = loop.t[: len(loop.tau)]
        seen = [np.interp(t, log.t - log.t[0], log.tau[:, k]) for k in range(log.n)]
        torques = {"measured": np.column_stack(seen)} | {side: each.tau for side, each in replayed.items()}
        curves["replayed"] = joint_curves(found.joints, t, torques)
    return curves


def comparison_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec compare`."""
    values = document.values
    labels = {side: f"{side}: {values['names'][side].text}" for side in _SIDES}
    by = computed(f"both models along one motion ({document.name})")
    facts = [fact(labels[side], f"a model of the kind {values['kinds'][side].text}") for side in _SIDES]
    samples = values["samples"].shown(computed("counted in the motion"))
    blocks: list[Block] = [Facts((*facts, fact("samples of the motion", samples)))]
    blocks.append(_differences(values, "torque", by, "Torques along the motion, a - b"))
    if values.get("random") is not None:
        drawn = computed(f"both models at random states ({document.name})")
        blocks.append(_differences(values, "random", drawn, "Torques at random states, a - b"))
    blocks += joint_gallery(values, "torque", labels, "Torques along the motion", by)
    blocks += _tracking(values, labels, document.name)
    blocks.append(_eigenvalues(values, labels))
    blocks.append(_costs(values, labels, document.name))
    blocks += _beside_log(values, labels)
    worst = max(values["torque"].items(), key=lambda item: item[1]["max"].number)
    largest = worst[1]["max"].shown(by, _force(values, worst[0]))
    return Shown(tuple(blocks), (fact(f"torques of two models differ at most, at {worst[0]}", largest),))


def _length(values: StoredValue, joint: str) -> str:
    return values["units"][joint].text


def _force(values: StoredValue, joint: str) -> str:
    return "N" if _length(values, joint) == "m" else "N m"


def _differences(values: StoredValue, key: str, by: Provenance, caption: str) -> DataTable:
    rows: list[tuple[Cell, ...]] = []
    for joint, row in values[key].items():
        rows.append((joint, *(row[size].shown(by, _force(values, joint)) for size in _SIZES)))
    return DataTable(("joint", "largest", "mean size", "rms", "mean"), tuple(rows), caption)


def _tracking(values: StoredValue, labels: dict[str, str], name: str) -> list[Block]:
    by = computed(f"simulation: computed torque from each model, on the same plant ({name})")
    found = values["tracking"]
    refused: list[Block] = [
        paragraph(
            f"Computed torque from {labels[side]} cannot be simulated: ", Statement(why.text, by), tone=Tone.WARNING
        )
        for side in _SIDES
        if (why := found[side].get("refused")) is not None
    ]
    if refused:
        return refused
    rows: list[tuple[Cell, ...]] = []
    for joint in values["joints"].texts:
        unit = f"m{_length(values, joint)}"
        cells = [
            Number(MILLI * found[side][key][joint].number, by, unit) for key in ("rmse", "max_error") for side in _SIDES
        ]
        rows.append((joint, *cells))
    head = ("joint", "rms error, a", "b", "largest error, a", "b ")
    table = DataTable(head, tuple(rows), "Tracking with computed torque from each model, on the same plant")
    return [table, *joint_gallery(values, "error", labels, "Tracking errors", by)]


def _eigenvalues(values: StoredValue, labels: dict[str, str]) -> Plot:
    at = values["at"].shown(computed("an instant of the motion"), "s", 3)
    series = []
    for side, style in zip(_SIDES, (Style.POINTS, Style.CROSSES), strict=True):
        pairs = [pair.numbers for pair in values["eigenvalues"][side]]
        x, y = tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
        series.append(Series(labels[side], x, y, computed(f"the linear model of {side} at t = {at}"), style))
    return Plot(
        "Eigenvalues of the linear models", Axis("real part", "1/s"), Axis("imaginary part", "1/s"), tuple(series)
    )


def _costs(values: StoredValue, labels: dict[str, str], name: str) -> DataTable:
    counted, on = computed("counted in the programs"), measured(f"the machine that ran torquec compare ({name})")
    operations, times = values["operations"], values["ns"]
    rows: list[tuple[Cell, ...]] = []
    quantities = dict.fromkeys(quantity for side in _SIDES for quantity, _ in operations[side].items())
    for quantity in quantities:
        cells: list[Cell] = []
        for side in _SIDES:
            count, time = operations[side].get(quantity), times[side].get(quantity)
            cells += [
                None if count is None else count["mul"].shown(counted),
                None if count is None else count["add"].shown(counted),
                None if time is None else time.shown(on, "ns", 3),
            ]
        rows.append((quantity.replace("_", " "), *cells))
    head = (
        "quantity",
        "multiplications, a",
        "additions, a",
        "call, a",
        "multiplications, b",
        "additions, b",
        "call, b",
    )
    return DataTable(
        head, tuple(rows), f"Operations, and the time of one call from Python ({' and '.join(labels.values())})"
    )


def _beside_log(values: StoredValue, labels: dict[str, str]) -> list[Block]:
    log = values.get("log")
    if log is None:
        return []
    file = log["file"].text
    by = computed(f"simulated torques less those measured in {file}")
    rows: list[tuple[Cell, ...]] = []
    for joint in log["joints"].texts:
        unit = _force(values, joint)
        found = [log[side].get("torque_rms") for side in _SIDES]
        rows.append((joint, *(None if rms is None else rms[joint].shown(by, unit) for rms in found)))
    head = ("joint", *(f"rms, {side}" for side in _SIDES))
    table = DataTable(head, tuple(rows), f"Along {file}: each model controls itself, torques less the measured ones")
    seen = measured(f"the log {file}")
    plots = joint_gallery(
        values, "replayed", {"measured": "measured", **labels}, "Simulated beside measured", by, seen=seen
    )
    return [table, *plots]


def joint_gallery(
    values: StoredValue,
    key: str,
    labels: dict[str, str],
    caption: str,
    by: Provenance,
    *,
    seen: Provenance | None = None,
) -> list[Block]:
    """A plot for every joint, with the curves of all `labels`, and the measured curves `seen`."""
    kept = values.get("curves")
    found = None if kept is None else kept.get(key)
    if found is None:
        return []
    plots = []
    for joint, curve in found.items():
        is_error = key == "error"
        factor = MILLI if is_error else 1.0
        axis = Axis("error", f"m{_length(values, joint)}") if is_error else Axis("torque", _force(values, joint))
        series = [
            Series(
                label,
                curve["t"].numbers,
                tuple(factor * value for value in column.numbers),
                by if seen is None or name != "measured" else seen,
                Style.FAINT if name == "measured" else Style.LINE,
            )
            for name, label in labels.items()
            if (column := curve.get(name)) is not None
        ]
        plots.append(Plot(joint, Axis("time", "s"), axis, tuple(series)))
    return [Gallery(tuple(plots), caption)]


def plot_comparison(found: ModelComparison, folder: Path, names: tuple[str, str]) -> list[Path]:
    """Draw torques and their differences, eigenvalues, responses, tracking and acceleration errors; gives the files.

    As Clover's Figures II 4, 6, 7 and III 8, 10. Loops that could not be simulated are left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    t, at = found.motion.t, f"at t = {found.at:.3g} s"
    sides = {f"{side}: {name}": facts for (side, facts), name in zip(found.sides.items(), names, strict=True)}
    torque = Axis("torque", "N m, N")
    files = [
        _picture(found, folder / "torques.png", "Torques along the motion", torque,
                 {name: (t, facts.torques) for name, facts in sides.items()}),
        _picture(found, folder / "torque_differences.png", "Torques, a - b", Axis("difference", "N m, N"),
                 {"a - b": (t, found.a.torques - found.b.torques)}),
        _eigenvalue_picture(sides, folder / "eigenvalues.png", f"Open-loop eigenvalues {at}"),
        _picture(found, folder / "linear_response.png", f"Linear models {at} after a small displacement",
                 Axis("displacement", "mrad, mm"),
                 {name: (f.response.t, MILLI * f.response.displacement) for name, f in sides.items()}),
    ]  # fmt: skip
    loops = {name: facts.loop for name, facts in sides.items() if facts.loop is not None}
    if loops:
        title = "errors of computed torque from each model"
        accelerations = {name: (loop.t, loop.qdd_ref - loop.qdd) for name, loop in loops.items()}
        files.append(plot_errors(loops, folder / "tracking_errors.png", title=f"Tracking {title}"))
        axis, path = (
            Axis("error", "rad/s\N{SUPERSCRIPT TWO}, m/s\N{SUPERSCRIPT TWO}"),
            folder / "acceleration_errors.png",
        )
        files.append(_picture(found, path, f"Acceleration {title}", axis, accelerations))
    if found.log is not None:
        curves = {"measured": (found.log.t - found.log.t[0], found.log.tau)}
        curves |= {
            name: (facts.replayed.t, facts.replayed.tau) for name, facts in sides.items() if facts.replayed is not None
        }
        path = folder / "measured_torques.png"
        files.append(_picture(found, path, "Simulated over measured torques", torque, curves))
    return files


def _picture(
    found: ModelComparison, path: Path, title: str, axis: Axis, curves: Mapping[str, tuple[Array, Array]]
) -> Path:
    """One plot per joint, one curve per name: times and values (S, n)."""
    by = computed("both models along one motion")
    styles = {"measured": Style.WIDE}
    plots = []
    for k, joint in enumerate(found.joints):
        series = tuple(
            sampled_series(name, t, values[:, k], by, style=styles.get(name, Style.LINE))
            for name, (t, values) in curves.items()
        )
        plots.append(Plot(joint, Axis("time", "s"), axis, series))
    return write_picture(plots, path, title=title)


def _eigenvalue_picture(sides: Mapping[str, ModelFacts], path: Path, title: str) -> Path:
    by, styles = computed("the linear models"), (Style.POINTS, Style.CROSSES)
    series = [
        Series(name, tuple(roots.real.tolist()), tuple(roots.imag.tolist()), by, style)
        for (name, roots), style in zip(
            ((name, facts.response.eigenvalues) for name, facts in sides.items()), styles, strict=True
        )
    ]
    plot = Plot(title, Axis("real part", "1/s"), Axis("imaginary part", "1/s"), tuple(series))
    return write_picture([plot], path, title=title)
