"""Tracking errors and torques of closed loops as plots: in reports with the guaranteed tube, and as pictures.

Errors of all experiments stand in one plot per joint, on scales that joints of one unit share; the reference is zero.
With a tube, no scale exceeds `_WIDEST_SCALE` times the widest tube of its unit: curves of robots that the guarantee
does not cover then leave the frame, and the caption states it. The worst robot of a falsification (`simulate --worst`)
is a curve beside them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from torquec.errors import ArgumentError, TorquecError
from torquec.foundation.arrays import Array
from torquec.report.blocks import Axis, Block, Gallery, LimitLine, Plot, Series, Style
from torquec.report.figure import write_picture
from torquec.report.found_documents import FoundDocument, FoundFolder, guaranteed_tube
from torquec.report.provenance import Number, Provenance, assumed, computed
from torquec.report.sample_curves import envelope_curves, sampled_series
from torquec.report.stored_values import StoredValue
from torquec.report.tables import MILLI
from torquec.simulation.monte_carlo import MonteCarloResult
from torquec.simulation.simulation_result import SimulationResult

_SIMULATED = computed("simulation of the closed loop")
_TUBE = computed("the guarantee of the design, under its conditions; docs/guarantee.md has the argument")
_TIME = Axis("time", "s")
_WIDEST_SCALE = 3.0
"""Largest scale, in tube widths: with more, curves inside the tube would be invisible."""
_LIMIT_RANGE = 3.0
"""A limit is drawn up to this many times the largest command; beyond, it would flatten the curves."""


def tracking_overview(folder: FoundFolder) -> tuple[Block, ...]:
    """One plot per joint: the reference, the errors of every experiment, and the guaranteed tube where there is one."""
    experiments = []
    for document in folder.of_kind("simulate"):
        try:
            if document.values.get("samples") is not None:
                experiments.append((document, dict(document.values["samples"]["joints"].items())))
        except TorquecError:
            continue  # the section that shows the document names the problem
    joints = list(dict.fromkeys(joint for _, curves in experiments for joint in curves))
    if not joints:
        return ()
    try:
        tube = guaranteed_tube(folder)
        shown = {joint: _joint_series(joint, experiments, tube.get(joint)) for joint in joints}
        units = {joint: f"m{stated_unit(experiments[0][0].values, joint)}" for joint in joints}
    except TorquecError:
        return ()  # the section names the problem
    plots: list[Plot] = []
    beyond: dict[str, None] = {}
    for joint, series in shown.items():
        alike = [other for other in joints if units[other] == units[joint]]
        most = max((abs(value) for other in alike for one in shown[other] for value in (*one.y, *one.low)), default=0.0)
        widest = _WIDEST_SCALE * MILLI * max((tube.get(other, 0.0) for other in alike), default=0.0)
        edge = min(most, widest) if widest else most
        beyond |= {one.name: None for one in series if max(map(abs, (*one.y, *one.low)), default=0.0) > edge}
        axis = Axis("tracking error", units[joint], low=-edge or None, high=edge or None)
        plots.append(Plot(joint, _TIME, axis, series))
    title = "Tracking error of every joint, on common scales"
    return (Gallery(tuple(plots), f"{title} ({', '.join(beyond)}: leaves the frame)" if beyond else title),)


def _attack_series(joint: str, document: FoundDocument) -> list[Series]:
    """The error of the worst robot that an attack of this simulation found; empty without one."""
    attack = document.values.get("attack")
    samples = None if attack is None else attack.get("samples")
    if attack is None or samples is None:
        return []
    runs, curve = int(attack["runs"].number), samples["joints"][joint]
    by = computed(f"the worst of {runs} simulated robots in the stated sets ({document.name})")
    return [Series(f"worst of {runs} attacks", curve["t"].numbers, _thousandths(curve["error"]), by)]


def _joint_series(
    joint: str, experiments: list[tuple[FoundDocument, dict[str, StoredValue]]], bound: float | None
) -> tuple[Series, ...]:
    curves = [(document, own[joint]) for document, own in experiments if joint in own]
    last = max(curve["t"].numbers[-1] for _, curve in curves)
    series = [Series("reference", (0.0, last), (0.0, 0.0), assumed("the reference motion"), Style.FAINT)]
    if bound is not None:
        edge = MILLI * bound
        series.append(Series("guaranteed tube", (0.0, last), (edge, edge), _TUBE, Style.TUBE, low=(-edge, -edge)))
    for document, curve in curves:
        experiment = document.values.get("experiment")
        name = "error" if experiment is None else experiment.text
        by = computed(f"simulation of {document.values['controller'].text} ({document.name})")
        series += _error_series(curve, name if len(curves) > 1 or experiment is not None else "", by)
        series += _attack_series(joint, document)
    return tuple(series)


def _error_series(curve: StoredValue, name: str, by: Provenance) -> list[Series]:
    t, low = curve["t"].numbers, curve.get("low")
    if low is None:
        return [Series(name or "error", t, _thousandths(curve["error"]), by)]
    band = Series(
        f"{name}, all runs".removeprefix(", "), t, _thousandths(curve["high"]), by, Style.BAND, low=_thousandths(low)
    )
    return [band, Series(f"{name}, average".removeprefix(", "), t, _thousandths(curve["error"]), by)]


def torque_gallery(values: StoredValue, by: Provenance) -> list[Block]:
    """The torques of one experiment with their limits, folded; empty if the document has none."""
    samples = values.get("samples")
    torques = [
        _torque(joint, curve, by, stated_unit(values, joint))
        for joint, curve in (() if samples is None else samples["joints"].items())
        if curve.get("torque") is not None
    ]
    return [Gallery(tuple(torques), "Commanded torque", folded=True)] if torques else []


def stated_unit(values: StoredValue, joint: str) -> str:
    """The unit of a joint's positions; older documents are about rotary joints."""
    units = values.get("units")
    found = None if units is None else units.get(joint)
    return "rad" if found is None else found.text


def _thousandths(values: StoredValue) -> tuple[float, ...]:
    return tuple(MILLI * value for value in values.numbers)


def _torque(joint: str, curve: StoredValue, by: Provenance, unit: str) -> Plot:
    force = "N" if unit == "m" else "N m"
    wanted, limit = curve["torque"].numbers, curve.get("limit")
    is_near = limit is not None and limit.number <= _LIMIT_RANGE * max(map(abs, wanted), default=0.0)
    rules = _limits(limit.number, force) if limit is not None and is_near else ()
    series = (Series("torque", curve["torque_t"].numbers, wanted, by),)
    return Plot(joint, _TIME, Axis("torque" if force == "N m" else "force", force), series, rules)


def _limits(limit: float, unit: str = "") -> tuple[LimitLine, ...]:
    stated = assumed("the limits of the drives in the robot file")
    return tuple(LimitLine("limit", Number(sign * limit, stated, unit)) for sign in (1.0, -1.0))


def plot_errors(
    results: Mapping[str, SimulationResult],
    path: str | os.PathLike[str],
    *,
    tip: Mapping[str, Any] | None = None,
    title: str = "Tracking errors",
) -> Path:
    """One plot per joint, one curve per result; `tip` adds a plot of distances (S,) [m] by the same names.

    The suffix of `path` chooses the format. Raises as `write_picture` does.
    """
    plots = [
        Plot(
            joint,
            _TIME,
            Axis("error", "mrad, mm"),
            tuple(_error(name, r.t, r.error[:, k]) for name, r in results.items()),
        )
        for k, joint in enumerate(_joints(results))
    ]
    if tip:
        distances = tuple(_error(name, results[name].t, np.asarray(values)) for name, values in tip.items())
        plots.append(Plot("tip", _TIME, Axis("distance", "mm"), distances))
    return write_picture(plots, path, title=title)


def plot_envelope(
    result: MonteCarloResult, path: str | os.PathLike[str], *, title: str = "Tracking errors of all runs"
) -> Path:
    """One plot per joint: the band that holds the errors of all runs, and their average.

    Raises `ArgumentError` where no envelope was recorded, or every run has diverged; else as `write_picture` does.
    """
    found = result.envelope
    if found is None or found.runs == 0:
        raise ArgumentError("there is no envelope to draw", remedy="run monte_carlo(..., envelope=True), stable runs")
    document = {"samples": envelope_curves(result.joints, found)}
    curves = StoredValue(document, "the runs")["samples"]["joints"]
    lost = int(np.isfinite(result.diverged).sum())
    shown = f"{title} ({lost} more diverged)" if lost else title
    axis = Axis("tracking error", "mrad, mm")
    plots = [Plot(joint, _TIME, axis, tuple(_error_series(one, "", _SIMULATED))) for joint, one in curves.items()]
    return write_picture(plots, path, title=shown)


def plot_torques(
    results: Mapping[str, SimulationResult],
    path: str | os.PathLike[str],
    *,
    title: str = "Commanded torques, and limits",
) -> Path:
    """One plot per joint: the torques that each controller commanded, and the limits of the drives.

    A limit is drawn if it is at most three times the largest command; else the title states it.
    """
    plots = []
    for k, joint in enumerate(_joints(results)):
        series = tuple(sampled_series(name, r.t, r.tau[:, k], _SIMULATED) for name, r in results.items())
        largest = max(abs(value) for each in series for value in each.y)
        limit = next(iter(results.values())).efforts[k]
        is_near = math.isfinite(limit) and limit <= _LIMIT_RANGE * largest
        note = "" if is_near or not math.isfinite(limit) else f" (limit {limit:g})"
        plots.append(Plot(f"{joint}{note}", _TIME, Axis("torque", "N m, N"), series, _limits(limit) if is_near else ()))
    return write_picture(plots, path, title=title)


def _error(name: str, t: Array, values: Array) -> Series:
    return sampled_series(name, t, values, _SIMULATED, scale=MILLI)


def _joints(results: Mapping[str, SimulationResult]) -> tuple[str, ...]:
    sets = {result.joints for result in results.values()}
    if len(sets) != 1:
        raise ArgumentError("the results have different joints, or there are none", remedy="draw runs of one robot")
    return sets.pop()
