"""Closed loops of `torquec simulate` and `torquec compare --controllers`: errors, torques, conditions, limits."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from torquec.report.blocks import Block, Cell, DataTable, Fact, Facts, Part, Shown, Tone, fact, paragraph
from torquec.report.comparison import joint_gallery
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, Provenance, Statement, assumed, computed
from torquec.report.sample_curves import joint_curves
from torquec.report.stored_values import StoredValue
from torquec.report.tables import MILLI, PERCENT, number, table, upper_bound
from torquec.report.tracking_plots import stated_unit, torque_gallery
from torquec.robot.robot import Robot
from torquec.simulation.comparison_of_controllers import ControlledRun
from torquec.simulation.tuning import TUNING

_SPEED = "speed"
_DRY = {
    "none": "without Coulomb friction",
    "smooth": "Coulomb friction changes sign smoothly near rest",
    "sign": "Coulomb friction changes sign at once",
    "stick": "joints stick at rest",
}


def _plant_note(document: Mapping[str, Any]) -> list[str]:
    """A note if the plant is not the exact robot: a run on the model itself cannot show the model's errors."""
    if document.get("plant", "exact") == "exact":
        return []
    return [f"what moves is the {document['plant']} model itself; give the robot's file to see the exact robot move"]


def attack_text(attack: Mapping[str, Any]) -> str:
    """How close the worst of the simulated robots came to the guarantee, in one sentence."""
    holds = "the guarantee held" if attack["ratio"] <= 1.0 else "this CONTRADICTS the guarantee; please report it"
    return (
        f"Attack: of {attack['runs']} robots in the stated sets the worst reached {100.0 * attack['ratio']:.3g} % of "
        f"its bound, at joint '{attack['joint']}' (run {attack['run']} of seed {attack['seed']}); {holds}"
    )


def simulation_text(name: str, units: Mapping[str, str], document: Mapping[str, Any]) -> str:
    """The document of `torquec simulate` as a page; `units` of the errors by joint."""
    rows = [
        [joint, number(document["rmse"][joint], 4), number(document["max_error"][joint], 4), units[joint]]
        for joint in document["joints"]
    ]
    lines = [
        f"{document['controller']} on {name}, a sample every {document['period']:g} s",
        *_plant_note(document),
        "",
        table(["joint", "rmse", "max error", "unit"], rows),
        "",
    ]
    if "runs" in document:
        lines.append(
            f"{document['runs']} runs, {document['diverged']} of them diverged; the errors are over the others."
        )
    if "tip" in document:
        tip = document["tip"]
        lines.append(f"{tip['frame']}: rmse {number(1e3 * tip['rmse'], 4)} mm, max {number(1e3 * tip['max'], 4)} mm")
    for joint in document["saturated"]:
        when = document.get("first_saturation", {}).get(joint)
        at = "" if when is None else f", first at t = {when:.4g} s"
        lines.append(f"{joint} needed more torque than its drive has{at}: make the motion slower, or the poles.")
    for passed in document.get("passed_limits", ()):
        joint = passed["joint"]
        numbers = {key: passed[key] for key in ("time", "value", "limit")}
        lines.append(f"{passed_limit_text(joint, passed['quantity'], **numbers, unit=units[joint])}.")
    lines += _observer_lines(document.get("observer"))
    if "payload_estimate" in document:
        found = document["payload_estimate"]
        low, high = (number(value, 4) for value in found["interval"])
        mass = number(found["mass"], 4)
        lines += [f"Payload in {found['frame']}, estimated: {mass} kg, {low} to {high} kg with 95 %.", ""]
    lines.append(f"{document['steps']} steps, {document['steps_per_second']:,.0f} per second")
    return "\n".join(lines)


def _observer_lines(found: Mapping[str, Any] | None) -> list[str]:
    """The external torques that a momentum observer found, its thresholds and its alarms."""
    if found is None:
        return []
    rows = [
        [joint, number(row["largest"], 4), *(upper_bound(row[key], 4) for key in ("threshold", "smallest_torque"))]
        for joint, row in found["joints"].items()
    ]
    header = ["joint", "external", "threshold", "detected from"]
    alarms = ", ".join(f"{joint} at t = {when:.4g} s" for joint, when in found["alarms"].items())
    has_limits = any(row["threshold"] is not None for row in found["joints"].values())
    alarm_line = f"Alarms: {alarms or 'none'}." if has_limits else "No thresholds, so no alarms: give --uncertainty."
    title = f"Momentum observer, bandwidth {found['bandwidth']:g} 1/s, external torques at most [Nm or N]:"
    return [title, "", table(header, rows), "", alarm_line, ""]


def passed_limit_text(joint: str, quantity: str, *, time: float, value: float, limit: float, unit: str) -> str:
    """A passed limit in words: when first, the extreme value and the limit; `unit`: that of the joint's position.

    >>> passed_limit_text("wrist", "position", time=0.25, value=-4.2742, limit=-1.83, unit="rad")
    'wrist left its range at t = 0.25 s and came to -4.274 rad; the limit is -1.83 rad'
    >>> passed_limit_text("calf", "position", time=0.0, value=0.0, limit=-0.888, unit="rad")
    'calf starts outside its range and came to 0 rad; the limit is -0.888 rad'
    >>> passed_limit_text("wrist", "speed", time=0.2, value=-15.85, limit=-4.54, unit="rad")
    'wrist was faster than its limit at t = 0.2 s and reached -15.85 rad/s; the limit is 4.54 rad/s'
    """
    if quantity == _SPEED:
        what, unit, limit = "was faster than its limit at", f"{unit}/s", abs(limit)
        return f"{joint} {what} t = {time:.4g} s and reached {value:.4g} {unit}; the limit is {limit:.4g} {unit}"
    if time <= 0.0:
        return f"{joint} starts outside its range and came to {value:.4g} {unit}; the limit is {limit:.4g} {unit}"
    return f"{joint} left its range at t = {time:.4g} s and came to {value:.4g} {unit}; the limit is {limit:.4g} {unit}"


def simulated_conditions(values: StoredValue, name: str) -> list[Fact]:
    """Facts of a result of `torquec simulate`; empty for older results, which do not have them."""
    given = values.get("conditions")
    if given is None:
        return []
    chosen = assumed(f"the options of the simulation {name}")
    kind = values["plant"].text
    facts = [fact("what moves", f"{given['robot'].text}, its {kind} model")]
    load: list[Part] = ["none"] if given["payload"].is_empty else load_parts(given["payload"], chosen)
    facts.append(fact("load that the controller's model does not include", *load))
    facts.append(fact("motion", *_motion(given["motion"], values, chosen)))
    dry = given["friction"].text
    stated = given["friction_stated"].truth
    facts.append(fact("friction", _DRY.get(dry, dry) if stated else "none: the robot's file states none"))
    if (share := given["effort"].number) != 1.0:
        facts.append(fact("torque limits of the drives", Number(PERCENT * share, chosen, "%"), " of the file's"))
    facts.append(fact("positions are measured", *_sensors(given, chosen)))
    if (spread := values.get("spread")) is not None:
        facts.append(fact("inertias and friction scatter by", Number(PERCENT * spread.number, chosen, "%")))
    return facts


def load_parts(payload: StoredValue, chosen: Provenance) -> list[Part]:
    """The masses of a load, each with its frame."""
    parts: list[Part] = []
    for held in payload:
        mass = held["mass"].shown(chosen, "kg")
        parts += [", " if parts else "", mass, f" at the frame {held['frame'].text}"]
    return parts


def limit_sentences(values: StoredValue) -> list[str]:
    """Passed limits in a result of `torquec simulate`."""
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


def _motion(motion: StoredValue, values: StoredValue, chosen: Provenance) -> list[Part]:
    duration = motion["duration"].shown(chosen, "s")
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
            parts += [", " if parts else "", words, Number(MILLI * number, chosen, "mrad or mm")]
    if late := given["delay"].number:
        parts += [", " if parts else "", Number(late, chosen), " samples late"]
    return parts or ["exactly"]


def tracking_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec simulate`: one run, or many."""
    values = document.values
    runs = values.get("runs")
    kind = values["controller"].text
    chosen = assumed(f"the options of the simulation {document.name}")
    what = "one run" if runs is None else f"{runs.number} runs with scattered parameters"
    by = computed(f"simulation of {kind}, {what} ({document.name})")
    facts = [fact("law", kind), fact("called every", Number(MILLI * values["period"].number, chosen, "ms"))]
    facts += simulated_conditions(values, document.name)
    if runs is not None:
        diverged = values["diverged"].shown(by)
        facts.append(fact("runs", runs.shown(chosen), ", of which ", diverged, " left all bounds"))
    tip = values.get("tip")
    if tip is not None:
        rms, most = (Number(MILLI * tip[key].number, by, "mm") for key in ("rmse", "max"))
        facts.append(fact(f"distance of {tip['frame'].text} from its reference", rms, " rms, ", most, " at most"))
    experiment = values.get("experiment")
    title = "" if experiment is None else experiment.text
    lost = values.get("diverged")
    if lost is not None and runs is None:
        return Shown(
            (Facts(tuple(facts)), paragraph("The loop is not stable: ", Statement(lost.text, by), tone=Tone.BAD)),
            (),
            title,
        )
    blocks: list[Block] = [Facts(tuple(facts)), _errors(values, by)]
    saturated = values["saturated"].texts
    at_limit = f"At their torque limits at times: {', '.join(saturated)}."
    words = at_limit if saturated else "No drive reached its torque limit."
    blocks += [paragraph(Statement(f"{text}.", by), tone=Tone.BAD) for text in limit_sentences(values)]
    if values.get("passed_limits") is None:
        blocks.append(paragraph("Whether the joints kept their ranges and speed limits is not in this document."))
    elif runs is not None:
        blocks.append(paragraph("Speeds of many runs are not kept: whether all kept their limits is not known."))
    blocks.append(paragraph(words, tone=Tone.WARNING if saturated else Tone.GOOD))
    still = values.get("unmoved")
    if still is not None and still.texts:
        text = f"Hardly moving: {', '.join(still.texts)}. Friction holds it, or its drive is too weak."
        blocks.append(paragraph(Statement(text, by), tone=Tone.BAD))
    blocks += torque_gallery(values, by)
    worst = [(error.number, joint) for joint, error in values["max_error"].items() if error.value is not None]
    if not worst:
        return Shown(tuple(blocks), (), title)
    most_of_all, joint = max(worst)
    largest = Number(MILLI * most_of_all, by, f"m{stated_unit(values, joint)}")
    where = f" in '{title}'" if title else "" if runs is None else " in many runs"
    label = f"largest tracking error{where}, at {joint}"
    return Shown(tuple(blocks), (fact(label, largest),), title)


def _errors(values: StoredValue, by: Provenance) -> DataTable:
    rows: list[tuple[Cell, ...]] = []
    median = values.get("median_error")
    for joint, rms in values["rmse"].items():
        unit = f"m{stated_unit(values, joint)}"
        numbers = [rms.number_or_none, values["max_error"][joint].number_or_none]
        if median is not None:
            numbers.append(median[joint].number_or_none)
        rows.append((joint, *(None if n is None else Number(MILLI * n, by, unit) for n in numbers)))
    head = ("joint", "rms error", "largest error", *(("median of the largest",) if median is not None else ()))
    return DataTable(head, tuple(rows), "Tracking errors")


_RULES = (
    f"stuck: stands for {TUNING.stuck_time:g} s with an error above {MILLI * TUNING.stuck_error:g} mrad or mm; "
    f"chatter: more than {TUNING.chatter_rate:g} sign changes of the torque about its average a second"
)


def controllers_document(robot: Robot, runs: Mapping[str, ControlledRun], *, period: float) -> dict[str, Any]:
    """The JSON document: by law its errors, gains of independent joints, stuck joints and sign changes per second."""
    units = {each.name: each.position_unit for each in robot.coordinates}
    found = {name: _run(run, units) for name, run in runs.items()}
    return {"period": period, "joints": list(robot.joint_names), "units": units, "rules": _RULES, "controllers": found}


def _run(run: ControlledRun, units: Mapping[str, str]) -> dict[str, Any]:
    options = None if run.controller.design is None else run.controller.design.options
    gains = None if options is None or options.gains is None else dataclasses.asdict(options.gains)
    if run.result is None:
        return {"refused": run.refused, "gains": gains, "findings": [f"no result: {run.refused}"]}
    return {
        "rmse": run.result.rmse,
        "max_error": run.result.max_error,
        "saturated": list(run.result.saturated),
        "stuck": {joint: dataclasses.asdict(found) for joint, found in run.stuck.items()},
        "chatter": dict(run.chatter),
        "gains": gains,
        "findings": _findings(run, run.result.saturated, units),
    }


def controllers_curves(runs: Mapping[str, ControlledRun]) -> dict[str, Any]:
    """Tracking errors of all laws by joint."""
    results = {name: run.result for name, run in runs.items() if run.result is not None}
    first = next(iter(results.values()), None)
    errors = {name: result.error for name, result in results.items()}
    return {} if first is None else {"error": joint_curves(first.joints, first.t, errors)}


def controllers_text(name: str, document: Mapping[str, Any]) -> str:
    """The document as a table with a column for every law, and a sentence for every fault."""
    laws, units = document["controllers"], document["units"]
    ran = [law for law, found in laws.items() if "refused" not in found]

    def sizes(law: str, joint: str) -> str:
        return " / ".join(number(MILLI * laws[law][key][joint], 3) for key in ("rmse", "max_error"))

    rows = [[joint, *(sizes(law, joint) for law in ran), f"m{units[joint]}"] for joint in document["joints"]]
    lines = [
        f"Control laws on {name}, a sample every {document['period']:g} s: tracking error, rms / largest",
        "",
        table(["joint", *ran, "unit"], rows),
        "",
    ]
    for law, found in laws.items():
        if found["gains"] is not None:
            gains = [f"{key} {', '.join(number(v, 3) for v in found['gains'][key])}" for key in ("position", "speed")]
            lines.append(f"{law}: gains from inertias{_REASONS[document['poles_given']]}: {'; '.join(gains)}")
        lines += [f"{law}: {sentence}" for sentence in found["findings"]]
    return "\n".join([*lines, _RULES])


_REASONS = {True: " at the start and the poles", False: " at the start, torque limits and the sampling interval"}


def _findings(run: ControlledRun, saturated: Sequence[str], units: Mapping[str, str]) -> list[str]:
    """Faults in the run of one law, with remedies; empty without a fault."""
    standing = [
        f"{joint} ({row.seconds:.2g} s, {MILLI * row.error:.3g} m{units[joint]})" for joint, row in run.stuck.items()
    ]
    shaking = [f"{joint} ({rate:.0f}/s)" for joint, rate in run.chatter.items()]
    rows = (
        ("stuck", standing, "raise the gain, add an integral (pid), or compensate friction"),
        ("chatter", shaking, "choose slower poles or a finer encoder"),
        ("torque limit reached", saturated, "make the motion slower"),
    )
    return [f"{word}: {', '.join(joints)}; {remedy}" for word, joints, remedy in rows if joints]


def controllers_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result as a section: table, findings, and the errors of all laws in one plot per joint."""
    values = document.values
    by = computed(f"simulation of every law on the same plant ({document.name})")
    laws = dict(values["controllers"].items())
    ran = [law for law, found in laws.items() if found.get("refused") is None]
    rows: list[tuple[Cell, ...]] = []
    for joint in values["joints"].texts:
        sizes = [laws[law][key][joint].number for law in ran for key in ("rmse", "max_error")]
        rows.append((joint, *(Number(MILLI * size, by, f"m{stated_unit(values, joint)}") for size in sizes)))
    head = ("joint", *(f"{law}, {word}" for law in ran for word in ("rms", "largest")))
    blocks: list[Block] = [
        Facts((fact("laws", ", ".join(laws)), fact("meaning", values["rules"].text))),
        DataTable(head, tuple(rows), "Tracking errors on the same plant"),
    ]
    for law, found in laws.items():
        blocks += [paragraph(f"{law}: ", Statement(text, by), tone=Tone.WARNING) for text in found["findings"].texts]
    labels = {law: law for law in ran}
    return Shown((*blocks, *joint_gallery(values, "error", labels, "Tracking errors of all laws", by)), ())
