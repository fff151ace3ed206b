"""The document of `torquec haptic` as text: apparent mass, contact, passivity region and remedy, filters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from torquec.report.tables import number, table
from torquec_check.claim import rounded_up


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
