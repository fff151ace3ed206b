"""Identified parameters in a report: verdict, torques measured and predicted, parameters with their uncertainty."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from torquec.foundation.arrays import Array
from torquec.identification.result.prediction import Prediction
from torquec.report.blocks import (
    Axis,
    Block,
    Cell,
    DataTable,
    Facts,
    Gallery,
    Items,
    Plot,
    Series,
    Shown,
    Style,
    Subheading,
    Tone,
    fact,
    paragraph,
)
from torquec.report.figure import write_picture
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, Provenance, Statement, assumed, computed, measured
from torquec.report.sample_curves import kept_samples, span_series
from torquec.report.stored_values import StoredValue
from torquec.report.tables import PERCENT

_ZERO_RESIDUAL = 1e-9  # relative to the rms error: a smaller average is rounding error
_SIMULATED = "simulated"
"""Name in documents of the simulated log of `torquec identify ROBOT simulated`."""
_GAP_STEPS = 1.5  # sampling intervals: a longer step is a gap
_DRAWN_LOGS = 6
"""Number of logs whose torques are drawn; tables contain all logs."""


def parameters_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec identify`."""
    values = document.values
    logs = ", ".join(_file(error) for error in values["training"]) or "the given logs"
    fitted = _seen(logs, f"torques in {logs}, against the model that was fitted to them")
    crossed = _seen(logs, f"{logs}, each part predicted by a fit to the others")
    trusted = values["trusted"].truth
    error = Number(PERCENT * values["relative_error"].number, fitted, "%", 3)
    facts = [fact("error of the torques that were fitted", error)]
    headline = fact("torques in the logs are predicted with an error of", error)
    if (promised := values.get("expected_error")) is not None:
        expected = Number(PERCENT * promised.number, crossed, "%", 3)
        facts.insert(0, fact("expected error on another motion", expected))
        headline = fact("torques of another motion are predicted with an error of", expected)
    if (across := values.get("cross_validation_error")) is not None:
        facts.append(fact("error in cross-validation", Number(PERCENT * across.number, crossed, "%", 3)))
    condition = computed(f"the regressor of {logs}")
    if (number := values.get("condition")) is not None:
        facts.append(fact("condition number", number.shown(condition, digits=3)))
    facts.append(fact("method", f"{values['method'].text}, friction {values['friction'].text}"))
    buildable = values["physically_consistent"].truth
    facts.append(fact("a robot with these parameters", "is consistent" if buildable else "is NOT consistent"))
    blocks: list[Block] = [
        paragraph(
            Statement(values["verdict"].text, computed(f"parts of {logs}, predicted by fits without them")),
            tone=Tone.GOOD if trusted else Tone.WARNING,
        ),
        Facts(tuple(facts)),
        *_expected(values, logs),
        *_torques(values),
        *_errors(values),
        _parameters(values, logs),
        *_formulas(values),
        *_correlations(values, logs),
        *_elimination(values, logs),
        *_payload(values),
        *_comparison(values, logs),
        *_files(values, logs),
    ]
    if (notes := values.get("notes")) is not None and notes.texts:
        fit_notes = computed(f"what was found while {logs} was fitted")
        blocks += [Subheading("Notes"), Items(tuple(Statement(note, fit_notes) for note in notes.texts))]
    return Shown(tuple(blocks), (headline,))


def _expected(values: StoredValue, logs: str) -> list[Block]:
    """Expected error on another motion, bound of the residual, and error of each delivered file, by joint."""
    if values.get("expected") is None:
        return []
    on = _seen(logs, f"{logs}, each part predicted by a fit to the others")
    delivered = values.get("delivered")
    files = {} if delivered is None else {name: own for name, own in delivered.items() if name != "report"}
    rows: list[tuple[Cell, ...]] = []
    for joint, one in values["expected"].items():
        bound = values["residual"].get(joint)
        inside: Cell = None if bound is None else Number(max(bound["bounds"].numbers), on, digits=3)
        own = [Number(PERCENT * file[joint].number, on, "%", 3) for file in files.values()]
        share = Number(PERCENT * one["relative"].number, on, "%", 3)
        rows.append((joint, one["rms"].shown(on, digits=3), share, inside, *own))
    head = (
        "joint",
        "rms [N m, N]",
        "of its variation",
        "99 % of a block below",
        *(f"{name}, fitted" for name in files),
    )
    return [DataTable(head, tuple(rows), "Expected error on another motion")]


def _seen(logs: str, words: str) -> Provenance:
    """Provenance of a log: measured, or computed for a simulated one."""
    return computed(f"{words}; the log is a simulation") if logs == _SIMULATED else measured(words)


def _file(error: StoredValue) -> str:
    return error["file"].text.replace("\\", "/").rpartition("/")[2]


def _errors(values: StoredValue) -> list[Block]:
    rows: list[tuple[Cell, ...]] = []
    for group, words in (("training", "fitted"), ("validation", "only predicted")):
        for error in values[group]:
            on = _seen(_file(error), f"torques in {_file(error)}, {words}")
            for joint, rms in error["rmse"].items():
                parts = [error[key][joint].number for key in ("average", "std", "max", "min")]
                least = _ZERO_RESIDUAL * abs(rms.number)
                others = [Number(part if abs(part) > least else 0.0, on, digits=3) for part in parts]
                rows.append((_file(error), words, joint, rms.shown(on, digits=3), *others))
    head = ("log", "used", "joint", "rms [N m, N]", "average", "deviation", "largest", "smallest")
    return [DataTable(head, tuple(rows), "Torque errors, measured minus predicted")] if rows else []


def _torques(values: StoredValue) -> list[Block]:
    """Measured against predicted torques, a drawing for every joint of every log."""
    samples = values.get("samples")
    if samples is None:
        return []
    blocks: list[Block] = []
    logs = list(samples)
    for log in logs[:_DRAWN_LOGS]:
        name, words = _file(log), "fitted" if log["fitted"].truth else "only predicted"
        seen = _seen(name, f"torques in {name}")
        follows = computed(f"the identified model at the motion in {name}")
        difference = _seen(name, f"torques in {name} minus what the identified model gives")
        plots = []
        for joint, curve in log["joints"].items():
            t, tau, predicted = (curve[key].numbers for key in ("t", "measured", "predicted"))
            gap = tuple(a - b for a, b in zip(tau, predicted, strict=True))
            series = (
                Series("measured", t, tau, seen, Style.WIDE),
                Series("predicted", t, predicted, follows),
                Series("difference", t, gap, difference),
            )
            plots.append(Plot(joint, Axis("time", "s"), Axis("torque", curve["unit"].text), series))
        blocks.append(Gallery(tuple(plots), f"Measured and predicted torque: {name} ({words})"))
    if len(logs) > _DRAWN_LOGS:
        blocks.append(paragraph(f"Torques of {len(logs) - _DRAWN_LOGS} more logs are not drawn; the table has them."))
    return blocks


def _parameters(values: StoredValue, logs: str) -> DataTable:
    fit, spread = _seen(logs, f"fit to {logs}"), computed(f"the covariance of the fit to {logs}")
    intervals = values["confidence"]
    rows: list[tuple[Cell, ...]] = []
    for parameter in values["parameters"]:
        name = parameter["name"].text
        low, high = intervals[name].numbers
        ends = (Number(low, spread), Number(high, spread))
        significant = "yes" if parameter["significant"].truth else "no"
        value = parameter["value"].shown(fit, digits=5)
        rows.append((name, value, _deviation(parameter, spread), *ends, significant))
    head = ("parameter", "value (SI)", "deviation", "95 % from", "to", "significant")
    return DataTable(head, tuple(rows), "Parameters and their uncertainty")


def _formulas(values: StoredValue) -> list[Block]:
    rows = tuple((name, formula.text) for name, formula in values["formulas"].items())
    return (
        [DataTable(("parameter", "stands for"), rows, "What parameters with a + stand for", folded=True)]
        if rows
        else []
    )


def _elimination(values: StoredValue, logs: str) -> list[Block]:
    """Significant parameters, over trajectories (Izaguirre et al.)."""
    found = values.get("elimination")
    if found is None:
        return []
    fit = _seen(logs, f"fits to each of {logs}")
    kept, count = (found[key].shown(fit) for key in ("significant", "independent"))
    before, after = (Number(PERCENT * found["relative_error"][key].number, fit, "%", 3) for key in ("before", "after"))
    words = ("Of ", count, " parameters ", kept, " contribute 1 % of the largest torque or more; the error is ", after)
    columns = ("average", "std", "max", "min")
    rows: list[tuple[Cell, ...]] = [
        (row["name"].text, *(row[key].shown(fit, digits=5) for key in columns)) for row in found["kept"]
    ]
    table = DataTable(("parameter", "average", "deviation", "largest", "smallest"), tuple(rows))
    return [Subheading("Significant parameters"), paragraph(*words, " with them and ", before, " with all."), table]


def _comparison(values: StoredValue, logs: str) -> list[Block]:
    found = values.get("comparison")
    if found is None:
        return []
    published, fit = assumed("the table of published values that was given"), _seen(logs, f"fit to {logs}")
    rows: list[tuple[Cell, ...]] = []
    for row in found["rows"]:
        pairs = [(row["published"], published), (row["found"], fit)]
        cells = [side[key].shown(way) for side, way in pairs for key in ("value", "std")]
        rows.append((row["expression"].text, *cells, row["difference_in_std"].shown(fit, digits=2)))
    head = ("combination", "published", "deviation", "here", "deviation ", "difference in deviations")
    return [Subheading("Compared with published parameters"), DataTable(head, tuple(rows))]


def _deviation(parameter: StoredValue, spread: Provenance) -> Cell:
    found = parameter.get("std")
    return None if found is None else found.shown(spread, digits=2)


def _correlations(values: StoredValue, logs: str) -> list[Block]:
    spread = computed(f"the covariance of the fit to {logs}")
    rows: list[tuple[Cell, ...]] = [
        (*pair["parameters"].texts, pair["correlation"].shown(spread, digits=3)) for pair in values["correlations"]
    ]
    if not rows:
        return [paragraph("No two parameters are strongly correlated.")]
    head = ("parameter", "and", "correlation")
    return [DataTable(head, tuple(rows), "Strongly correlated parameters", folded=True)]


def _payload(values: StoredValue) -> list[Block]:
    payload = values.get("payload")
    if payload is None:
        return []
    on = measured("the logs of the loaded robot")
    rows: list[tuple[Cell, ...]] = []
    for parameter in payload["parameters"]:
        value: Cell = "open"
        if parameter["identified"].truth:
            value = parameter["value"].shown(on)
        rows.append((parameter["name"].text, value, _deviation(parameter, on)))
    mass = payload["mass"].shown(on, "kg")
    error = Number(PERCENT * payload["relative_error"].number, on, "%", 3)
    without = Number(PERCENT * payload["relative_error_without"].number, on, "%", 3)
    words = ("On the frame ", payload["frame"].text, ": ", mass, "; error ", error, ", ", without, " without it.")
    return [Subheading("Payload"), paragraph(*words), DataTable(("parameter", "value (SI)", "deviation"), tuple(rows))]


def _files(values: StoredValue, logs: str) -> list[Block]:
    errors = values.get("file_errors")
    if errors is None or errors.is_empty:
        return []
    on = _seen(logs, f"torques in {logs}")
    found = values.get("readers")
    readers = {} if found is None else {name: reader.text for name, reader in found.items()}
    rows = tuple(
        (name, readers.get(name, ""), Number(PERCENT * error.number, on, "%", 3)) for name, error in errors.items()
    )
    return [DataTable(("file", "read by", "error of its torques"), rows, "Errors of the written files")]


def plot_prediction(prediction: Prediction, path: str | os.PathLike[str]) -> Path:
    """Draw one plot per joint: measured and predicted torques, their difference, samples that do not count.

    Raises as `write_picture` does.
    """
    by, t = computed("the identified model"), prediction.t
    plots = []
    for j, joint in enumerate(prediction.joints):
        measured, predicted = prediction.measured[:, j], prediction.predicted[:, j]
        used = [values[prediction.used] for values in (measured, predicted, measured - predicted)]
        low, high = min(0.0, *(part.min() for part in used)), max(0.0, *(part.max() for part in used))
        series = (
            Series("measured", *_broken(t, measured), by, Style.WIDE),
            Series("predicted", *_broken(t, predicted), by),
            Series("difference", *_broken(t, measured - predicted), by),
            span_series("not used", t, ~prediction.used, (low, high), by),
        )
        axis = Axis("torque", "N m", low=low, high=high)
        plots.append(Plot(f"{joint}: rms {prediction.rmse[j]:.3g} Nm", Axis("time", "s"), axis, series))
    kind = "fitted" if prediction.fitted else "not fitted, only predicted"
    name = Path(prediction.source).name if prediction.source else "log"
    return write_picture(plots, path, title=f"{name} ({kind}): error {prediction.relative_error:.2%}", columns=1)


def _broken(t: Array, values: Array) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The samples (N,) to draw, without the last one before each gap in t (N,): no line then crosses the gap."""
    steps = np.diff(t)
    shown = values.copy()
    shown[:-1][steps > _GAP_STEPS * np.median(steps)] = np.nan
    rows = sorted({*kept_samples(values), *np.flatnonzero(np.isnan(shown)).tolist()})
    return tuple(t[rows].tolist()), tuple(shown[rows].tolist())
