"""`torquec realtime run`: a live view while the robot runs, a summary at the end, and the section of a report."""

from __future__ import annotations

import numpy as np

from torquec.realtime.runtime.guards import Fault, GuardMode
from torquec.realtime.runtime.run_result import RealtimeResult, RunStatus, TimeHistogram
from torquec.report.blocks import Block, Cell, DataTable, Facts, Items, Shown, Tone, fact, paragraph
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, Provenance, Statement, assumed, computed, measured
from torquec.report.stored_values import StoredValue
from torquec.report.tables import MICRO, MILLI, table

_BAR = 30  # characters of the longest bar: a row stays within sixty
_OCTAVE = 16  # bins; see `TimeHistogram`
_MOST_ROWS = 12  # of a histogram: from a microsecond to several milliseconds; fits a terminal of 24 lines
_SHOWN = ("cycles", "missed", "late", "blind")
_MODES = {
    GuardMode.RUN: "running",
    GuardMode.HOLD: "stopping: the last torque is held",
    GuardMode.RAMP: "stopping: the torque goes to zero",
    GuardMode.STOPPED: "stopped",
}
_PARTS = ("p50", "p99", "p99.9", "max")
_SIMULATED_DRIVER = "simulated"


def run_view(status: RunStatus, *, duration: float) -> str:
    """The current state of a run: rates, times, a histogram of the jitter, faults. Always the same number of lines."""
    counts = status.counts
    clamped = f"{counts['clamped_torque']} torque, {counts['clamped_rate']} rate"
    lines = [
        f"{_MODES[status.mode]}, {max(status.elapsed, 0.0):.1f} of {duration:.1f} s",
        f"rate {status.rate:.1f} of {1.0 / status.period:g} Hz   "
        + "   ".join(f"{name} {counts[name]}" for name in _SHOWN),
        f"coefficients {counts['accepted']} accepted, {counts['refused']} refused   clamped {clamped}",
        "compute " + "  ".join(f"{name} {_time(value)}" for name, value in status.compute.to_document().items()),
        f"faults: {_faults(status)}",
        "how late cycles began:",
        *_padded(histogram_rows(status.latency)),
    ]
    return "\n".join(lines)


def run_text(result: RealtimeResult) -> str:
    """The summary of a run."""
    status, counts = result.status, result.status.counts
    rows = [
        [name, *(_time(hist.percentile(share)) for share in (50.0, 99.0, 99.9)), _time(hist.largest)]
        for name, hist in (
            ("late begin (jitter)", status.latency),
            ("compute: law and guards", status.compute),
            ("cycle to cycle", status.cycle),
        )
    ]
    lines = [
        f"{result.end.value}: {counts['cycles']} cycles at {status.rate:.1f} of {1.0 / status.period:g} Hz",
        f"{counts['missed']} missed, {counts['late']} ended late, {counts['page_faults']} page faults",
        f"faults: {_faults(status)}",
        "",
        table(["", "p50", "p99", "p99.9", "max"], rows),
        "",
        "how late cycles began:",
        *histogram_rows(status.latency),
    ]
    if len(result.log) and np.isfinite(result.error).any():
        errors = np.nanmax(np.abs(result.error), axis=0)
        torques = np.abs(result.log.tau).max(axis=0)
        found = zip(result.limits.joints, errors, torques, result.limits.torque, strict=True)
        rows = [[name, f"{error:.3g}", f"{torque:.4g}", f"{limit:.4g}"] for name, error, torque, limit in found]
        lines += ["", table(["joint", "largest error", "largest torque", "limit"], rows)]
    if counts["accepted"] or counts["refused"]:
        lines.append(f"\ncoefficients: {counts['accepted']} accepted, {counts['refused']} refused")
    if counts["clamped_torque"] or counts["clamped_rate"]:
        lines.append(f"\ncycles in which torques were cut: {counts['clamped_torque']} at their limits, "
                     f"{counts['clamped_rate']} at their rates")  # fmt: skip
    if result.dropped or result.slipped:
        lines.append(
            f"\nlost on a busy machine: {result.dropped} log entries, {result.slipped} steps of the simulation"
        )
    lines += [f"\nnote: {note}" for note in result.notes]
    return "\n".join(lines) + "\n"


def histogram_rows(histogram: TimeHistogram) -> list[str]:
    """A line for every octave of time that has counts; bar lengths are proportional to the logarithm of the counts.

    Rare late cycles matter most, and linear bars would not show them.
    """
    octaves = histogram.counts.reshape(-1, _OCTAVE).sum(axis=1)
    if not octaves.any():
        return ["  nothing yet"]
    first, last = (int(k) for k in np.flatnonzero(octaves)[[0, -1]])
    first = max(first, last - _MOST_ROWS + 1)
    shown = [(k, int(octaves[k])) for k in range(first, last + 1)]
    shown[0] = (first, int(octaves[: first + 1].sum()))
    most = np.log2(1.0 + max(count for _, count in shown))
    rows = []
    for k, count in shown:
        below = 16e-9 * 2.0**k
        bar = "#" * round(_BAR * float(np.log2(1.0 + count)) / float(most))
        rows.append(f"  below {_time(below):>8}  {bar:<{_BAR}}  {count}")
    return rows


def _padded(rows: list[str]) -> list[str]:
    return [*rows, *[""] * (_MOST_ROWS - len(rows))]


def _faults(status: RunStatus) -> str:
    """Cause of the stop, and the faults after it: an arm without torque falls."""
    first = status.first_faults & ~Fault.REQUESTED
    later = status.faults & ~Fault.REQUESTED & ~first
    before_stop = ", ".join(first.words) or "none"
    return f"{before_stop} (during the stop: {', '.join(later.words)})" if later else before_stop


def _time(seconds: float) -> str:
    """A time with three digits, in a suitable unit.

    >>> _time(1.5e-6), _time(0.0203), _time(0.0)
    ('1.5 us', '20.3 ms', '0 us')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def realtime_run_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec realtime run`."""
    values, name = document.values, document.name
    on = measured(f"the machine that ran torquec realtime run ({name})")
    chosen = assumed(f"the options of the run {name}")
    law, robot, driver = (values[key].text for key in ("law", "robot", "driver"))
    cycles, missed, late = (values[key].shown(on) for key in ("cycles", "missed", "late"))
    rate = values["rate"].shown(on, "Hz")
    facts = [
        fact("what ran", f"{law} on {robot}, driver {driver}"),
        fact("rate", rate, " of ", Number(1.0 / values["period"].number, chosen, "Hz")),
        fact("cycles", cycles),
    ]
    on_time = missed.value == 0 and late.value == 0
    verdict = paragraph(missed, " cycles were missed, ", late, " ended late.", tone=_tone(on_time))
    faults = values["faults"].texts
    kept = paragraph(
        "No guard stopped the robot." if not faults else f"Guards acted: {', '.join(faults)}.", tone=_tone(not faults)
    )
    rows: list[tuple[Cell, ...]] = []
    for key, words in (
        ("latency", "how late cycles began"),
        ("compute", "law and guards"),
        ("cycle", "cycle to cycle"),
    ):
        rows.append((words, *(_microseconds(values[key][part], on) for part in _PARTS)))
    times = DataTable(("time", "half are below", "99 %", "99.9 %", "longest"), tuple(rows), "Times of the cycles")
    blocks: list[Block] = [Facts(tuple(facts)), verdict, kept, times, *_run_errors(values, driver, name)]
    if notes := values["notes"].texts:
        blocks.append(Items(tuple(Statement(note, on) for note in notes)))
    return Shown(tuple(blocks), (fact(f"{law} in real time: cycles missed", missed, " of ", cycles),))


def _tone(good: bool) -> Tone:
    return Tone.GOOD if good else Tone.WARNING


def _microseconds(value: StoredValue, on: Provenance) -> Number:
    return Number(MICRO * value.number, on, "\N{GREEK SMALL LETTER MU}s", 3)


def _run_errors(values: StoredValue, driver: str, name: str) -> list[Block]:
    """Tracking errors of the run; those of a simulated robot count as computed, not as measured."""
    words = f"the largest error in the run {name}"
    way = computed(f"{words}, of a simulated robot") if driver == _SIMULATED_DRIVER else measured(words)
    rows: list[tuple[Cell, ...]] = []
    for joint, error in values["max_error"].items():
        most = error.number_or_none
        rows.append((joint, None if most is None else Number(MILLI * most, way)))
    return [DataTable(("joint", "largest error [mrad, mm]"), tuple(rows), "Tracking errors")] if rows else []
