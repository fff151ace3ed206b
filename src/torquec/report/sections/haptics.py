"""What a hand feels: the mass of a virtual object by force over acceleration, or what happened at a stiff wall."""

from __future__ import annotations

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
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, Provenance, assumed, computed, measured
from torquec.report.stored_values import StoredValue

_MILLI = 1e3  # m to mm
_PERCENT = 100.0  # parts to percent
_KG, _KG_M2 = "kg", "kg m\N{SUPERSCRIPT TWO}"


def haptics_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The result of `torquec haptic`."""
    values = document.values
    robot, experiment = values["robot"].text, values["experiment"].text
    chosen = assumed(f"the options of the experiment {document.name}")
    by = computed(f"simulation of {experiment} on {robot}: hand, sensor, object, law, drives and arm ({document.name})")
    blocks: list[Block] = [_setting(values, chosen)]
    highlights: list[Fact] = []
    if (felt := values.get("felt")) is not None:
        unit = _KG_M2 if experiment.startswith("inertia") else _KG
        blocks.append(_felt(felt, values, by, unit))
        mean, nominal = Number(felt["mean"].number, by, unit), Number(felt["nominal"].number, chosen, unit)
        highlights.append(fact(f"felt through {robot}", mean, " of ", nominal))
    if (wall := values.get("wall")) is not None:
        blocks.append(_wall(wall, by, chosen))
        highlights.append(fact("speed of the object after the wall", _share(wall["object_after_60_ms"], by)))
    blocks += [*_happened(values, by), *_region(values), *_curves(values, by, chosen)]
    return Shown(tuple(blocks), tuple(highlights), f"{experiment} on {robot}")


def _share(value: StoredValue, by: Provenance) -> Number:
    return Number(_PERCENT * value.number, by, "%", 3)


def _setting(values: StoredValue, chosen: Provenance) -> Facts:
    thing, sensor = values["object"], values["sensor"]
    real, imaginary = values["poles"].numbers
    mass, inertia = Number(thing["mass"].number, chosen, _KG), Number(thing["inertia"].number, chosen, _KG_M2)
    return Facts(
        (
            fact("virtual object", mass, ", ", inertia, f", held at {values['frame'].text}"),
            fact("haptic cycles", Number(values["rate"].number, chosen, "Hz")),
            fact(
                "poles of the law",
                Number(real, chosen),
                " \N{PLUS-MINUS SIGN} ",
                Number(imaginary, chosen),
                " j 1/s",
            ),
            fact(
                "force sensor",
                "cut-off ",
                Number(sensor["cutoff"].number, chosen, "Hz"),
                ", steps of ",
                Number(sensor["resolution"].numbers[0], chosen, "N"),
            ),
            fact("encoders", "steps of ", Number(values["encoder"].number, chosen, "rad or m")),
            fact("drives", Number(_PERCENT * values["effort"].number, chosen, "%"), " of their limits"),
        )
    )


def _felt(felt: StoredValue, values: StoredValue, by: Provenance, unit: str) -> DataTable:
    rows: list[tuple[Cell, ...]] = [
        (
            "here",
            Number(felt["mean"].number, by, unit),
            Number(felt["deviation"].number, by, unit, 3),
            Number(_PERCENT * felt["error"].number, by, "%", 2),
        )
    ]
    if (paper := felt.get("paper")) is not None:
        on = measured("Clover IV, Table II: his own arm")
        error = _PERCENT * (paper["mean"].number / felt["nominal"].number - 1.0)
        mean, deviation = Number(paper["mean"].number, on, unit), Number(paper["deviation"].number, on, unit, 3)
        rows.append(("Clover's experiment", mean, deviation, Number(error, on, "%", 2)))
    caption = "Felt, by force over acceleration"
    return DataTable(("", "mean", "standard deviation", "error of the mean"), tuple(rows), caption)


def _wall(wall: StoredValue, by: Provenance, chosen: Provenance) -> Facts:
    side = "holds in both directions" if wall["two_sided"].truth else "never pulls"
    return Facts(
        (
            fact("wall", f"stiff, critically damped; it {side}"),
            fact("speed at the impact", Number(wall["impact"].number, by, "m/s")),
            fact(
                "later than sixty milliseconds after it",
                "object ",
                _share(wall["object_after_60_ms"], by),
                " of it, tip ",
                _share(wall["tip_after_60_ms"], by),
            ),
            fact("deepest in the wall", Number(_MILLI * wall["depth"].number, by, "mm")),
        )
    )


def _happened(values: StoredValue, by: Provenance) -> list[Block]:
    found: list[Block] = []
    for word, count in values["status"].items():
        samples = Number(values["samples"].number, by)
        found.append(paragraph(f"{word}: ", Number(count.number, by), " of ", samples, " samples", tone=Tone.WARNING))
    if unrendered := values["unrendered"].texts:
        found.append(paragraph(f"This arm cannot render {', '.join(unrendered)}.", tone=Tone.WARNING))
    return found


def _region(values: StoredValue) -> list[Block]:
    by = computed("the margin of passivity along each axis, at the start posture; docs/haptics.md has the condition")
    rows: list[tuple[Cell, ...]] = []
    for standing in values["region"]:
        words = "every passive hand may hold it" if standing["inside"].truth else "some passive hand makes it unstable"
        margin, at = Number(standing["margin"].number, by, digits=3), Number(standing["frequency"].number, by, "Hz", 3)
        rows.append((standing["axis"].text, words, margin, at))
    head = ("axis", "who may hold it", "margin", "tightest at")
    return [DataTable(head, tuple(rows), "Stability with every passive hand")] if rows else []


def _curves(values: StoredValue, by: Provenance, chosen: Provenance) -> list[Block]:
    kept = values.get("curves")
    if kept is None:
        return []
    time, plots = Axis(kept["time"].text, kept["unit"].text), []
    for curve in kept["curves"]:
        t, quantity, unit = curve["t"].numbers, curve["quantity"].text, curve["unit"].text
        arm = curve.get("arm")
        series = [Series("object" if arm is not None else quantity, t, curve["object"].numbers, by)]
        if arm is not None:
            series.insert(0, Series("arm, by its encoders", t, arm.numbers, by, Style.WIDE))
        rules: tuple[LimitLine, ...] = ()
        axis = Axis(quantity, unit)
        if unit in (_KG, _KG_M2):
            nominal = values["felt"]["nominal"].number
            rules = (LimitLine("rendered", Number(nominal, chosen, unit)),)
            axis = Axis(quantity, unit, low=0.0, high=2.0 * nominal)
        plots.append(Plot(f"{quantity} {kept['direction'].text}", time, axis, tuple(series), rules))
    return [Gallery(tuple(plots), "Object and arm")]
