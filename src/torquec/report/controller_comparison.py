"""Control laws side by side (`torquec compare --controllers`): errors, stuck joints, chatter; text, curves, section."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from torquec.report.blocks import Block, Cell, DataTable, Facts, Shown, Tone, fact, paragraph
from torquec.report.comparison import joint_gallery
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, Statement, computed
from torquec.report.sample_curves import joint_curves
from torquec.report.tables import MILLI, number, table
from torquec.report.tracking_plots import stated_unit
from torquec.robot.robot import Robot
from torquec.simulation.comparison_of_controllers import ControlledRun
from torquec.simulation.tuning import TUNING

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
    """The document as a table with a column for every law, and a sentence for everything that is wrong."""
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
    """What went wrong in the run of one law, and what to change; nothing where it went well."""
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
