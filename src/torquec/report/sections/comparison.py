"""Two models of one robot side by side: torques, linear models, tracking, operations and times."""

from __future__ import annotations

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
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, Provenance, Statement, computed, measured
from torquec.report.stored_values import StoredValue

_SIDES = ("a", "b")
_MILLI = 1e3  # rad to mrad, m to mm
_SIZES = ("max", "mean", "rms", "bias")


def comparison_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The result of `torquec compare`."""
    values = document.values
    labels = {side: f"{side}: {values['names'][side].text}" for side in _SIDES}
    by = computed(f"both models along one motion ({document.name})")
    facts = [fact(labels[side], f"a model of the kind {values['kinds'][side].text}") for side in _SIDES]
    samples = Number(values["samples"].number, computed("counted in the motion"))
    blocks: list[Block] = [Facts((*facts, fact("samples of the motion", samples)))]
    blocks.append(_differences(values, "torque", by, "Torques along the motion, a less b"))
    if values.get("random") is not None:
        drawn = computed(f"both models at random states ({document.name})")
        blocks.append(_differences(values, "random", drawn, "Torques at random states, a less b"))
    blocks += _curves(values, "torque", labels, "Torques along the motion", by)
    blocks += _tracking(values, labels, document.name)
    blocks.append(_eigenvalues(values, labels))
    blocks.append(_costs(values, labels, document.name))
    blocks += _beside_log(values, labels)
    worst = max(values["torque"].items(), key=lambda item: item[1]["max"].number)
    largest = Number(worst[1]["max"].number, by, _force(values, worst[0]))
    return Shown(tuple(blocks), (fact(f"torques of two models differ at most, at {worst[0]}", largest),))


def _length(values: StoredValue, joint: str) -> str:
    return values["units"][joint].text


def _force(values: StoredValue, joint: str) -> str:
    return "N" if _length(values, joint) == "m" else "N m"


def _differences(values: StoredValue, key: str, by: Provenance, caption: str) -> DataTable:
    rows: list[tuple[Cell, ...]] = []
    for joint, row in values[key].items():
        rows.append((joint, *(Number(row[size].number, by, _force(values, joint)) for size in _SIZES)))
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
            Number(_MILLI * found[side][key][joint].number, by, unit)
            for key in ("rmse", "max_error")
            for side in _SIDES
        ]
        rows.append((joint, *cells))
    head = ("joint", "rms error, a", "b", "largest error, a", "b ")
    table = DataTable(head, tuple(rows), "Tracking with computed torque from each model, on the same plant")
    return [table, *_curves(values, "error", labels, "Tracking errors", by)]


def _eigenvalues(values: StoredValue, labels: dict[str, str]) -> Plot:
    at = Number(values["at"].number, computed("an instant of the motion"), "s", 3)
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
                None if count is None else Number(count["mul"].number, counted),
                None if count is None else Number(count["add"].number, counted),
                None if time is None else Number(time.number, on, "ns", 3),
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
        rows.append((joint, *(None if rms is None else Number(rms[joint].number, by, unit) for rms in found)))
    head = ("joint", *(f"rms, {side}" for side in _SIDES))
    table = DataTable(head, tuple(rows), f"Along {file}: each model controls itself, torques less the measured ones")
    seen = measured(f"the log {file}")
    plots = _curves(values, "replayed", {"measured": "measured", **labels}, "Simulated beside measured", by, seen=seen)
    return [table, *plots]


def _curves(
    values: StoredValue,
    key: str,
    labels: dict[str, str],
    caption: str,
    by: Provenance,
    *,
    seen: Provenance | None = None,
) -> list[Block]:
    """A plot for every joint, with the curves of both models, and of what was `seen`."""
    kept = values.get("curves")
    found = None if kept is None else kept.get(key)
    if found is None:
        return []
    plots = []
    for joint, curve in found.items():
        is_error = key == "error"
        factor = _MILLI if is_error else 1.0
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
