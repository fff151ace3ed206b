"""Haptic experiments (`torquec haptic`): apparent mass by force over acceleration, or impact at a stiff wall.

Curves as in Clover's Figures IV 5 to 21: masses move along the body's y axis, inertias turn about its z axis. At the
wall, curves are along the direction to the wall, around the impact.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from torquec.foundation.arrays import AnyArray, Array
from torquec.haptics.felt_inertia import quotient_over_time, skew_part
from torquec.haptics.haptic_choices import HapticExperiment
from torquec.haptics.haptic_experiment import ExperimentResult
from torquec.haptics.virtual_object import rotation_of
from torquec.report.blocks import (
    Axis,
    Block,
    Cell,
    DataTable,
    Fact,
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
from torquec.report.provenance import Number, Provenance, assumed, computed, measured
from torquec.report.sample_curves import kept_samples, rounded_samples, sampled_series
from torquec.report.stored_values import StoredValue
from torquec.report.tables import MILLI, PERCENT
from torquec_check.claim import rounded_up

_MS_BEFORE_IMPACT, _MS_AFTER_IMPACT = -60.0, 250.0  # [ms] around an impact
_REGION_ROOM = 1.6  # height of a plot of the region, relative to its highest edge
_ARROW_HEAD = 0.06  # size of an arrow's head, in heights of the plot
_SHOWN_GROWTH = 6.0  # [1/s] around zero, where stability is lost
_BIAS_WARNING = (
    "Force over acceleration is biased here, by noise of the force or shaking of the arm: read the unbiased value, "
    "or move the hand faster."
)
_KG, _KG_M2 = "kg", "kg m\N{SUPERSCRIPT TWO}"


@dataclass(frozen=True, eq=False)
class ExperimentCurve:
    """Samples (K,) of a quantity: of the `rendered` object and, where the arm has it too, of the arm."""

    quantity: str
    unit: str
    rendered: Array
    arm: Array | None = None


@dataclass(frozen=True, eq=False)
class ExperimentCurves:
    """Curves over common times (K,) in `unit`; `direction`: the axis in words; `rows`: mask of the recording's rows."""

    rows: AnyArray
    t: Array
    time: str
    unit: str
    direction: str
    curves: tuple[ExperimentCurve, ...]


def experiment_curves(result: ExperimentResult) -> ExperimentCurves:
    """Motion, load and their quotient; at a wall velocity, acceleration and penetration."""
    return _felt_curves(result) if result.wall is None else _wall_curves(result)


def curve_samples(curves: ExperimentCurves) -> dict[str, Any]:
    """The curves for a document: few samples, with all extremes."""
    found = []
    for curve in curves.curves:
        columns = {"object": curve.rendered} | ({} if curve.arm is None else {"arm": curve.arm})
        rows = sorted(set().union(*(kept_samples(column) for column in columns.values())))
        rows = [row for row in rows if all(np.isfinite(column[row]) for column in columns.values())]
        samples = {name: rounded_samples(column[rows]) for name, column in columns.items()}
        found.append({"quantity": curve.quantity, "unit": curve.unit, "t": rounded_samples(curves.t[rows]), **samples})
    return {"time": curves.time, "unit": curves.unit, "direction": curves.direction, "curves": found}


def _felt_curves(result: ExperimentResult) -> ExperimentCurves:
    turns = result.plan.turns
    seen, state = result.measured, result.cycle.read(result.recording.cycle)
    axis = seen.rotation[0][:, 2 if turns else 1]
    if turns:
        turned = _rotations(state["orientation"])
        spin = np.einsum("kij,kj->ki", turned, state["angular_velocity"])
        moved = (
            ("angle", "rad", _turned(turned, axis), _turned(seen.rotation, axis)),
            ("angular velocity", "rad/s", spin @ axis, seen.velocity[:, 3:] @ axis),
            ("angular acceleration", "rad/s²", result.wanted[:, 3:] @ axis, seen.acceleration[:, 3:] @ axis),
        )
    else:
        start = seen.position[0]
        moved = (
            ("position", "m", (state["position"] - start) @ axis, (seen.position - start) @ axis),
            ("velocity", "m/s", state["velocity"] @ axis, seen.velocity[:, :3] @ axis),
            ("acceleration", "m/s²", result.wanted[:, :3] @ axis, seen.acceleration[:, :3] @ axis),
        )
    load, mass = (("moment", "N m"), "kg m²") if turns else (("force", "N"), "kg")
    quotient = quotient_over_time(result.load, result.acceleration)
    curves = (
        *(ExperimentCurve(*row) for row in moved),
        ExperimentCurve(*load, result.load @ axis),
        ExperimentCurve(f"{load[0]} over acceleration", mass, quotient),
    )
    t = result.recording.t
    return ExperimentCurves(np.full(len(t), True), t, "time", "s", "about z" if turns else "along y", curves)


def _wall_curves(result: ExperimentResult) -> ExperimentCurves:
    wall = result.wall
    assert wall is not None
    t = MILLI * (result.recording.t - wall.time)
    near = (t > _MS_BEFORE_IMPACT) & (t < _MS_AFTER_IMPACT)
    state, seen, x = result.cycle.read(result.recording.cycle), result.measured, wall.normal
    start = seen.position[0] @ x
    rows = (
        ("velocity", "m/s", state["velocity"] @ x, seen.velocity[:, :3] @ x),
        ("acceleration", "m/s²", result.wanted[:, :3] @ x, seen.acceleration[:, :3] @ x),
        ("penetration", "mm", MILLI * wall.approach, MILLI * (seen.position @ x - start + wall.approach[0])),
    )
    if result.experiment is HapticExperiment.TWO_CUBES:  # the depth of the rotated object is not a position of the arm
        rows = (*rows[:2], (*rows[2][:3], np.full(len(t), np.nan)))
    curves = tuple(
        ExperimentCurve(name, unit, ball[near], None if np.isnan(arm).all() else arm[near])
        for name, unit, ball, arm in rows
    )
    return ExperimentCurves(near, t[near], "time after the impact", "ms", "towards the contact", curves)


def _rotations(quaternions: Array) -> Array:
    return np.moveaxis(np.array(rotation_of(tuple(quaternions.T))), -1, 0)


def _turned(rotations: Array, axis: Array) -> Array:
    """The rotation angle about a base axis, relative to the first rotation."""
    sine = skew_part(rotations @ rotations[0].T)
    return np.arcsin(np.clip(sine @ axis, -1.0, 1.0))


def haptics_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec haptic`."""
    values = document.values
    robot, experiment = values["robot"].text, values["experiment"].text
    chosen = assumed(f"the options of the experiment {document.name}")
    by = computed(f"simulation of {experiment} on {robot}: hand, sensor, object, law, drives and arm ({document.name})")
    blocks: list[Block] = [_setting(values, chosen)]
    highlights: list[Fact] = []
    first = _KG_M2 if experiment.startswith("inertia") else _KG
    for key, unit in (("felt", first), ("felt_turning", _KG_M2)):
        if (felt := values.get(key)) is None:
            continue
        blocks.append(_felt(felt, by, unit))
        if felt["is_biased"].truth:
            blocks.append(paragraph(_BIAS_WARNING, tone=Tone.WARNING))
        value, nominal = (
            felt["unbiased"]["value"].shown(by, unit, 5),
            felt["nominal"].shown(chosen, unit),
        )
        highlights.append(fact(f"felt through {robot}", value, " of ", nominal))
    if (wall := values.get("wall")) is not None:
        blocks.append(_wall(wall, by, chosen))
        highlights.append(fact("speed of the object after the impact", _share(wall["object_after_60_ms"], by)))
    blocks += [*_happened(values, by), *_region(values)]
    if values.get("curves") is not None:
        blocks.append(Gallery(_curves(values, by, chosen), "Object and arm"))
    return Shown(tuple(blocks), tuple(highlights), f"{experiment} on {robot}")


def _share(value: StoredValue, by: Provenance) -> Number:
    return Number(PERCENT * value.number, by, "%", 3)


def _setting(values: StoredValue, chosen: Provenance) -> Facts:
    thing, sensor = values["object"], values["sensor"]
    real, imaginary = values["poles"].numbers
    mass, inertia = thing["mass"].shown(chosen, _KG), thing["inertia"].shown(chosen, _KG_M2)
    return Facts(
        (
            fact("virtual object", mass, ", ", inertia, f", held at {values['frame'].text}"),
            fact("haptic cycles", values["rate"].shown(chosen, "Hz")),
            fact(
                "poles of the law", Number(real, chosen), " \N{PLUS-MINUS SIGN} ", Number(imaginary, chosen), " j 1/s"
            ),
            fact(
                "force sensor",
                "cut-off ",
                sensor["cutoff"].shown(chosen, "Hz"),
                ", steps of ",
                Number(sensor["resolution"].numbers[0], chosen, "N"),
            ),
            fact("encoders", "steps of ", values["encoder"].shown(chosen, "rad or m")),
            fact("drives", Number(PERCENT * values["effort"].number, chosen, "%"), " of their limits"),
        )
    )


def _felt(felt: StoredValue, by: Provenance, unit: str) -> DataTable:
    nominal = felt["nominal"].number

    def error(value: float, of: Provenance) -> Number:
        return Number(PERCENT * (value / nominal - 1.0), of, "%", 2)

    value, (low, high) = felt["unbiased"]["value"].number, felt["unbiased"]["interval"].numbers
    mean, deviation = felt["mean"].number, felt["deviation"].number
    rows: list[tuple[Cell, ...]] = [
        ("unbiased", Number(value, by, unit, 5), Number(low, by, unit, 5), Number(high, by, unit, 5), error(value, by)),
        (
            "force over acceleration",
            Number(mean, by, unit),
            Number(mean - deviation, by, unit),
            Number(mean + deviation, by, unit),
            error(mean, by),
        ),
    ]
    if (paper := felt.get("paper")) is not None:
        on = measured("Clover IV, Table II: his own arm")
        mean, deviation = paper["mean"].number, paper["deviation"].number
        rows.append(
            (
                "Clover's experiment",
                Number(mean, on, unit),
                Number(mean - deviation, on, unit),
                Number(mean + deviation, on, unit),
                error(mean, on),
            )
        )
    caption = "Felt: unbiased with its 95 % interval, and by force over acceleration ± one deviation"
    return DataTable(("", "value", "from", "to", "error"), tuple(rows), caption)


def _wall(wall: StoredValue, by: Provenance, chosen: Provenance) -> Facts:
    side = "holds in both directions" if wall["two_sided"].truth else "never pulls"
    return Facts(
        (
            fact(
                "contact",
                wall["frequency"].shown(chosen, "Hz"),
                ", damping ratio ",
                wall["damping_ratio"].shown(chosen),
                f"; it {side}",
            ),
            fact("speed at the impact", wall["impact"].shown(by, "m/s")),
            fact(
                "later than sixty milliseconds after it",
                "object ",
                _share(wall["object_after_60_ms"], by),
                " of it, tip ",
                _share(wall["tip_after_60_ms"], by),
            ),
            fact("deepest inside", Number(MILLI * wall["depth"].number, by, "mm")),
            fact("largest angular speed", wall["turning"].shown(by, "rad/s", 3)),
        )
    )


def _happened(values: StoredValue, by: Provenance) -> list[Block]:
    found: list[Block] = []
    for word, count in values["status"].items():
        samples = values["samples"].shown(by)
        found.append(paragraph(f"{word}: ", count.shown(by), " of ", samples, " samples", tone=Tone.WARNING))
    if unrendered := values["unrendered"].texts:
        found.append(paragraph(f"This arm cannot render {', '.join(unrendered)}.", tone=Tone.WARNING))
    return found


def _region(values: StoredValue) -> list[Block]:
    """The object relative to each axis's passivity region, the damping to bring it inside, and growth over cut-offs."""
    by = computed("the passivity margin along each axis, at the start; docs/haptics.md has the condition")
    rows: list[tuple[Cell, ...]] = []
    for standing in values["region"]:
        is_inside = standing["inside"].truth
        words = "every passive hand" if is_inside else "some passive hand makes it unstable"
        margin, at = standing["margin"].shown(by, digits=3), standing["frequency"].shown(by, "Hz", 3)
        unit = "N m s" if standing["axis"].text.startswith("turning") else "N s/m"
        least = standing.get("least_damping")
        change: Cell = "no damping alone suffices" if least is None else least.shown(by, unit, 3)
        rows.append((standing["axis"].text, words, margin, at, standing["damping"].shown(by, unit), change))
    head = ("axis", "stable with", "margin", "tightest at", "damping", "inside from")
    found: list[Block] = [DataTable(head, tuple(rows), "Stability with every passive hand")] if rows else []
    plots = [plot for standing in values["region"] if (plot := _region_plot(standing, by)) is not None]
    if plots:
        found.append(Gallery(tuple(plots), "Passivity region: this object, and the damping that brings it inside"))
    growth = [
        Series(f"{study['filter'].text} filter", study["cutoff"].numbers, study["growth"].numbers, by)
        for study in values["filters"]
    ]
    if growth:
        most = max((abs(value) for series in growth for value in series.y), default=0.0)
        is_cut = most > 2.0 * _SHOWN_GROWTH
        shown = _SHOWN_GROWTH if is_cut else max(most, _SHOWN_GROWTH)
        axis = Axis("growth of the slowest motion", "1/s", low=-shown, high=shown)
        title = "this hand on the arm, over the filters' cut-offs: unstable above 0"
        title += " (larger growth is cut off)" if is_cut else ""
        found.append(Plot(title, Axis("cut-off", "Hz", log=True), axis, tuple(growth)))
    return found


def _region_plot(standing: StoredValue, by: Provenance) -> Plot | None:
    """Objects that are stable with every passive hand, by mass and damping; an arrow to this object's least damping."""
    edge = [tuple(row) for row in (standing.get("edge") or ())]
    if not edge:
        return None
    mass, damping, axis = standing["mass"].number, standing["damping"].number, standing["axis"].text
    turns = axis.startswith("turning")
    lower = [row[1].number for row in edge]
    top = _REGION_ROOM * max(*lower, damping)
    upper = [top if (most := row[2].number_or_none) is None else min(most, top) for row in edge]
    masses = tuple(row[0].number for row in edge)
    series = [
        Series("stable with every passive hand", masses, tuple(upper), by, Style.BAND, low=tuple(lower)),
        Series("this object", (mass,), (damping,), by, Style.CROSSES),
    ]
    least = standing.get("least_damping")
    if least is not None and not standing["inside"].truth:
        end, head = least.number, _ARROW_HEAD * top
        shaft, side = (mass, mass, mass / (1.0 + _ARROW_HEAD), mass, mass * (1.0 + _ARROW_HEAD)), end - head
        unit = "N m s" if turns else "N s/m"
        name = f"add damping: {rounded_up(end, 2)} {unit}"
        series.append(Series(name, shaft, (damping, end, side, end, side), by))
    x = Axis("inertia of the object" if turns else "mass of the object", _KG_M2 if turns else _KG, log=True)
    y = Axis("damping of the object", "N m s" if turns else "N s/m", low=0.0, high=top)
    return Plot(axis, x, y, tuple(series))


def _curves(values: StoredValue, by: Provenance, chosen: Provenance) -> tuple[Plot, ...]:
    kept = values["curves"]
    time, plots = Axis(kept["time"].text, kept["unit"].text), []
    for curve in kept["curves"]:
        t, quantity, unit = curve["t"].numbers, curve["quantity"].text, curve["unit"].text
        arm = curve.get("arm")
        series = [Series("object" if arm is not None else quantity, t, curve["object"].numbers, by)]
        if arm is not None:
            series.insert(0, Series("arm", t, arm.numbers, by, Style.WIDE))
        rules: tuple[LimitLine, ...] = ()
        axis = Axis(quantity, unit)
        if unit in (_KG, _KG_M2):
            nominal = values["felt"]["nominal"].number
            rules = (LimitLine("rendered", Number(nominal, chosen, unit)),)
            axis = Axis(quantity, unit, low=0.0, high=2.0 * nominal)
        plots.append(Plot(f"{quantity} {kept['direction'].text}", time, axis, tuple(series), rules))
    return tuple(plots)


def plot_experiment(result: ExperimentResult, document: Mapping[str, Any], path: str | os.PathLike[str]) -> Path:
    """Draw the curves of an experiment's document, and its load or joint torques; raises as `write_picture` does."""
    values = StoredValue(dict(document), "the experiment")
    by, chosen = computed("simulation of the experiment"), assumed("the options of the experiment")
    if result.wall is None:
        assert result.felt is not None
        unit = _KG_M2 if result.plan.turns else _KG
        low, high = result.felt.interval
        felt = f"felt {result.felt.unbiased:.4g} {unit} ({low:.4g} to {high:.4g})"
        title, last = f"{felt} of {result.plan.nominal:g}", _load_plot(result, by)
    else:
        shares = [f"{PERCENT * share:.1f} %" for share in (result.wall.object_speed, result.wall.tip_speed)]
        title = f"impact at {result.wall.speed:.2g} m/s: after 60 ms object {shares[0]}, tip {shares[1]}"
        last = _effort_plot(result, by)
    plots = [*_curves(values, by, chosen), last]
    return write_picture(plots, path, title=f"{result.robot.name}, {result.experiment.value}: {title}")


def _load_plot(result: ExperimentResult, by: Provenance) -> Plot:
    """Size of the load, and rendered mass times acceleration: equal where the hand feels the rendered mass."""
    load, size = (np.linalg.norm(values, axis=1) for values in (result.load, result.acceleration))
    what, unit = ("moment", "N m") if result.plan.turns else ("force", "N")
    t = result.recording.t
    series = (
        sampled_series(f"|{what}|", t, load, by),
        sampled_series("rendered inertia times |acceleration|", t, size, by, scale=result.plan.nominal),
    )
    return Plot(f"size of the {what}", Axis("time", "s"), Axis(what, unit, low=0.0), series)


def _effort_plot(result: ExperimentResult, by: Provenance) -> Plot:
    found = _wall_curves(result)
    series = []
    for k, joint in enumerate(result.cycle.joints):
        limit = result.robot.joints[k].limits.effort * result.options.effort
        series.append(sampled_series(joint, found.t, result.recording.tau[found.rows, k] / limit, by))
    y = Axis("torque over its limit", low=-1.0, high=1.0)
    return Plot("torques of the joints", Axis(found.time, found.unit), y, tuple(series))
