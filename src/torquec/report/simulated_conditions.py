"""What was simulated, as facts of a report: the robot that moved, its load, the motion, friction and sensors."""

from __future__ import annotations

from torquec.report.blocks import Fact, Part, fact
from torquec.report.passed_limit_text import passed_limit_text
from torquec.report.provenance import Number, Provenance, assumed
from torquec.report.stored_values import StoredValue

_MILLI = 1e3  # rad to mrad, m to mm
_PERCENT = 100.0  # parts to percent
_DRY = {
    "none": "without Coulomb friction",
    "smooth": "Coulomb friction turns over smoothly near rest",
    "sign": "Coulomb friction turns over at once",
    "stick": "joints stick at rest",
}


def simulated_conditions(values: StoredValue, name: str) -> list[Fact]:
    """The facts of a result of `torquec simulate` that holds them; older ones do not."""
    given = values.get("conditions")
    if given is None:
        return []
    chosen = assumed(f"the options of the simulation {name}")
    kind = values["plant"].text
    facts = [fact("what moves", f"{given['robot'].text}, its {kind} model")]
    load: list[Part] = ["none"] if given["payload"].is_empty else load_parts(given["payload"], chosen)
    facts.append(fact("load that the controller does not know", *load))
    facts.append(fact("motion", *_motion(given["motion"], values, chosen)))
    dry = given["friction"].text
    stated = given["friction_stated"].truth
    facts.append(fact("friction", _DRY.get(dry, dry) if stated else "none: the robot's file states none"))
    if (share := given["effort"].number) != 1.0:
        facts.append(fact("torque limits of the drives", Number(_PERCENT * share, chosen, "%"), " of the file's"))
    facts.append(fact("positions are measured", *_sensors(given, chosen)))
    if (spread := values.get("spread")) is not None:
        facts.append(fact("inertias and friction scatter by", Number(_PERCENT * spread.number, chosen, "%")))
    return facts


def load_parts(payload: StoredValue, chosen: Provenance) -> list[Part]:
    """The masses of a load, each with its frame."""
    parts: list[Part] = []
    for held in payload:
        mass = Number(held["mass"].number, chosen, "kg")
        parts += [", " if parts else "", mass, f" at the frame {held['frame'].text}"]
    return parts


def limit_sentences(values: StoredValue) -> list[str]:
    """What a result of `torquec simulate` says of limits that its run passed."""
    passed = values.get("passed_limits")
    return [
        passed_limit_text(
            limit["joint"].text,
            limit["quantity"].text,
            time=limit["time"].number,
            value=limit["value"].number,
            limit=limit["limit"].number,
            unit=stated_unit(values, limit["joint"].text),
        )
        for limit in (() if passed is None else passed)
    ]


def stated_unit(values: StoredValue, joint: str) -> str:
    """The unit of a joint's positions; older documents are about rotary joints."""
    units = values.get("units")
    found = None if units is None else units.get(joint)
    return "rad" if found is None else found.text


def _motion(motion: StoredValue, values: StoredValue, chosen: Provenance) -> list[Part]:
    duration = Number(motion["duration"].number, chosen, "s")
    if file := motion["file"].text:
        return [f"{file}, ", duration]
    units = dict.fromkeys(stated_unit(values, joint) for joint in values["joints"].texts)
    start, end = (_list(motion[key].numbers, chosen) for key in ("from", "to"))
    return ["from ", *start, " to ", *end, f" {' or '.join(units)} in ", duration, ", with minimum jerk"]


def _list(numbers: tuple[float, ...], chosen: Provenance) -> list[Part]:
    parts: list[Part] = [part for number in numbers for part in (", ", Number(number, chosen))]
    return ["(", *parts[1:], ")"]


def _sensors(given: StoredValue, chosen: Provenance) -> list[Part]:
    parts: list[Part] = []
    for key, words in (("resolution", "in steps of "), ("noise", "with a noise of ")):
        if number := given[key].number:
            parts += [", " if parts else "", words, Number(_MILLI * number, chosen, "mrad or mm")]
    if late := given["delay"].number:
        parts += [", " if parts else "", Number(late, chosen), " samples late"]
    return parts or ["exactly"]
