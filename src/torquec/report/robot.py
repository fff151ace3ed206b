"""The robot as `torquec info` states it: document, text, and the section of a report."""

from __future__ import annotations

import dataclasses
from typing import Any

from torquec.dynamics.snap_effect import snap_effect
from torquec.report.blocks import Block, Cell, DataTable, Fact, Facts, Items, Part, Shown, Tone, fact, paragraph
from torquec.report.found_documents import MODEL, ROBOT_FILE, FoundDocument, FoundFolder
from torquec.report.provenance import Number, Provenance, Statement, assumed, computed
from torquec.report.result_document import ROBOT_AS_USED, as_used, result_document
from torquec.report.stored_values import StoredValue
from torquec.report.tables import MILLI, PERCENT, number, table, upper_bound
from torquec.robot.floating_base import Base, base_kind
from torquec.robot.joints import KINDS
from torquec.robot.robot import STANDARD_GRAVITY, Robot

_EXACT = "exact"


def loop_facts(robot: Robot) -> dict[str, Any]:
    """The key `loops`: loops, couplings, dependent joints, redundant equations; empty for a robot without any."""
    if robot.loops is None:
        return {"loops": []}
    record, file = robot.loops, robot.loops.file
    return {
        "loops": [dataclasses.asdict(loop) for loop in file.loops],
        "couplings": [dataclasses.asdict(coupling) for coupling in file.couplings],
        "dependent": list(robot.dependent),
        "redundant_equations": [file.equation_names[k] for k in record.redundant],
        "newton_steps": record.newton_steps,
        "range_covered": record.coverage,
    }


def robot_facts(robot: Robot) -> dict[str, Any]:
    """Joints with their limits, masses, friction, motors, frames, payloads, snapped angles and warnings."""
    used = as_used(robot)
    return {
        "name": used["name"],
        "dof": robot.n,
        "nq": robot.nq,
        "nv": robot.nv,
        "base": base_kind(robot).value,
        "joints": [
            {
                "name": joint.name,
                "type": joint.type.value,
                "lower": joint.limits.lower,
                "upper": joint.limits.upper,
                "velocity": joint.limits.velocity,
                "effort": joint.limits.effort,
            }
            for joint in robot.joints
        ],
        **loop_facts(robot),
        "mimic": {body.joint.name: body.joint.mimic.joint for body in robot.bodies if body.joint.mimic is not None},
        "mass": robot.mass,
        "moving_mass": robot.moving_mass,
        "masses": {body.name: float(body.inertia.m) for body in robot.bodies},
        "friction": {
            joint.name: dataclasses.asdict(joint.friction)
            for joint in robot.tree.joints
            if any(dataclasses.astuple(joint.friction))
        },
        "motors": [
            {
                "name": motor.name,
                "rotor_inertia": motor.rotor_inertia,
                "ratios": {name: ratio for name, ratio in zip(robot.tree.coordinate_names, row, strict=True) if ratio},
                "friction": dataclasses.asdict(motor.friction),
            }
            for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True)
        ],
        "gravity": used["gravity"],
        "frames": [frame.name for frame in robot.frames],
        "payload": used["payload"],
        "locked": used["locked"],
        "snaps": [dataclasses.asdict(snap) for snap in robot.canonical.snaps],
        "snap_effect": dataclasses.asdict(snap_effect(robot)),
        "warnings": [f"{warning.where}: {warning.text}" for warning in robot.warnings],
    }


def robot_text(document: dict[str, Any]) -> str:
    """The document of `torquec info` as a page."""
    gravity = ", ".join(number(value) for value in document["gravity"])
    kind = "" if document["kind"] == _EXACT else f" ({document['kind']} model)"
    moving = document["moving_mass"]
    moves = f", of which {number(moving)} kg move" if moving != document["mass"] else ""
    mass = f"{number(document['mass'])} kg{moves}"
    joints = f"{document['dof']} joints"
    if len(document["joints"]) != document["dof"]:
        joints = f"{len(document['joints'])} joints, {document['nq']} positions, {document['nv']} rates"
    joints += ", floating base" if document["base"] == Base.FLOATING else ""
    lines = [
        f"{document['name']}{kind}: {joints}, {mass}, gravity ({gravity}) m/s^2",
        "",
        table(
            ["joint", "type", "lower", "upper", "velocity", "effort"],
            [
                [
                    joint["name"],
                    joint["type"],
                    *(number(joint[key]) for key in ("lower", "upper", "velocity", "effort")),
                ]
                for joint in document["joints"]
            ],
            left=2,
        ),
    ]
    if document["claim"]:
        lines += ["", "Proven: the torques of this model differ from those of the exact model by at most [Nm, N]"]
        lines.append(
            table(["joint", "torque"], [[j, upper_bound(c["torque"], 6)] for j, c in document["claim"].items()])
        )
    if document["mimic"]:
        lines += ["", "Joints that follow another:"]
        lines += [f"  {name} follows {leader}" for name, leader in document["mimic"].items()]
    lines += _loops(document)
    lines += ["", "Masses [kg]", *(f"  {name}  {number(mass)}" for name, mass in document["masses"].items())]
    lines += _friction(document) + _motors(document)
    for held in document["payload"]:
        center = ", ".join(number(value) for value in held["center"])
        lines += ["", f"In the hand: {number(held['mass'])} kg at ({center}) m of frame '{held['frame']}'"]
    if document["locked"]:
        still = ", ".join(f"{name} at {number(value)}" for name, value in document["locked"].items())
        lines += ["", f"Joints held still: {still}"]
    lines += ["", f"Frames: {', '.join(document['frames']) or 'none'}"]
    lines += _snap_lines(document)
    lines += _refused(document)
    if document["warnings"]:
        lines += ["", "Warnings:", *(f"  {warning}" for warning in document["warnings"])]
    return "\n".join(lines)


def _loops(document: dict[str, Any]) -> list[str]:
    """Closed loops and couplings, with their dependent joints and redundant equations."""
    if not document.get("loops") and not document.get("couplings"):
        return []
    lines = ["", "Closed loops:"]
    lines += [f"  {loop['name']} ({loop['kind']}): {loop['frame_a']}, {loop['frame_b']}" for loop in document["loops"]]
    for each in document["couplings"]:
        names = " and ".join([each["of"], *(name for name, _ in each["more"])])
        lines.append(f"  {each['joint']} is a polynomial of {names}")
    if document["dependent"]:
        lines.append(f"  dependent joints: {', '.join(document['dependent'])}")
        covered = number(PERCENT * document["range_covered"], 3)
        lines.append(f"  {document['newton_steps']} Newton steps close them; {covered} % of the range can be reached")
    if document["redundant_equations"]:
        lines.append(f"  redundant equations: {', '.join(document['redundant_equations'])}")
    return lines


def _refused(document: dict[str, Any]) -> list[str]:
    """Rooms that do not accept the robot, grouped by reason."""
    rooms: dict[str, list[str]] = {}
    for room, reason in document["accepts"].items():
        if reason is not None:
            rooms.setdefault(reason, []).append("closed-form kinematics" if room == "kinematics" else room)
    if not rooms:
        return []
    return ["", "Not available for this robot:", *(f"  {', '.join(names)}: {why}" for why, names in rooms.items())]


def _friction(document: dict[str, Any]) -> list[str]:
    if not document["friction"]:
        return ["", "Friction of the joints: none"]
    laws = {
        joint: {word: value for word, value in law.items() if word != "further"} | dict(law["further"])
        for joint, law in document["friction"].items()
    }
    words = list(dict.fromkeys(word for law in laws.values() for word in law))
    rows = [[joint, *(number(law.get(word, 0.0)) for word in words)] for joint, law in laws.items()]
    return ["", table(["friction", *(_title(word) for word in words)], rows)]


def _title(word: str) -> str:
    """A word for friction as the head of a column."""
    sided = word.replace("_positive", " +").replace("_negative", " -")
    return sided.replace("coulomb", "Coulomb").replace("_", " ")


def _motors(document: dict[str, Any]) -> list[str]:
    lines = []
    if document["drives_file"]:
        lines += ["", f"Drives read from {document['drives_file']}"]
    rows = [
        [
            motor["name"],
            number(motor["rotor_inertia"]),
            ", ".join(f"{j} {number(r)}" for j, r in motor["ratios"].items()),
        ]
        for motor in document["motors"]
    ]
    return [*lines, "", table(["motor", "rotor inertia", "turns with (ratio)"], rows)] if rows else lines


def _snap_lines(document: dict[str, Any]) -> list[str]:
    if not document["snaps"]:
        return []
    lines = ["", "Angles taken as right angles (--no-snap keeps them):"]
    lines += [f"  {s['joint']}: {s['angle']} {s['found']!r} as {s['used']!r}" for s in document["snaps"]]
    effect = document["snap_effect"]
    moved = f"  this moves bodies by up to {number(1e3 * effect['position'], 2)} mm"
    torque = effect["torque"]
    changed = "" if torque is None else f" and changes torques by {number(100 * torque, 2)} % of the largest"
    return [*lines, moved + changed]


def robot_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The result of `torquec info`; where there is none, the robot of a model or of a robot file."""
    values = _values(document)
    name = values["name"].text
    stated = assumed(f"the robot file of {name}, as {document.name} states it")
    blocks: list[Block] = [*_pictures(folder, name)]
    moving = values.get("moving_mass")  # older documents do not have it
    mass, dof = (
        Number(values["mass"].number if moving is None else moving.number, stated, "kg"),
        values["dof"].shown(computed("counted in the robot file")),
    )
    whole: list[Part] = [mass]
    if moving is not None and moving.number != values["mass"].number:
        whole = [values["mass"].shown(stated, "kg"), ", of which ", mass, " move"]
    facts = [fact("joints that move", dof), fact("mass", *whole)]
    facts.append(gravity_fact(values, stated))
    if frames := values["frames"].texts:
        facts.append(fact("frames", ", ".join(frames)))
    facts += changed_facts(values, stated)
    blocks += [Facts(tuple(facts)), _joints(values, stated), *_drives(values, stated), *_snaps(values, stated)]
    warnings = values["warnings"].texts
    if warnings:
        listed = Items(tuple(Statement(warning, stated) for warning in warnings))
        blocks += [paragraph("What the reader of the robot file warned of:", tone=Tone.WARNING), listed]
    else:
        blocks.append(paragraph("The robot file was read without a warning.", tone=Tone.GOOD))
    return Shown(tuple(blocks), (fact("what moves", dof, " joints, ", mass),))


def _values(document: FoundDocument) -> StoredValue:
    if document.kind == "info":
        return document.values
    from torquec.robot.load import load

    robot = document.model.robot if document.kind == "model" else load(document.path)
    return StoredValue(result_document("info", robot_facts(robot), robot), document.name)


def _pictures(folder: FoundFolder, name: str) -> list[Block]:
    from torquec.report.robot_view import live_view

    model = folder.model
    if model is None or model.robot.name != name:
        return []
    return live_view(model, folder)


def _joints(values: StoredValue, stated: Provenance) -> DataTable:
    rows: list[tuple[Cell, ...]] = []
    for joint in values["joints"]:
        kind = joint["type"].text
        of = KINDS[kind].coordinate
        units = (of.position_unit, of.position_unit, of.speed_unit, of.effort_unit)
        keys = ("lower", "upper", "velocity", "effort")
        limits = [_limit(joint, key, unit, stated) for key, unit in zip(keys, units, strict=True)]
        rows.append((joint["name"].text, kind, *limits))
    head = ("joint", "type", "lowest", "highest", "speed up to", "torque or force up to")
    return DataTable(head, tuple(rows), "Joints, with the limits that the file states")


def _limit(joint: StoredValue, key: str, unit: str, stated: Provenance) -> Cell:
    found = joint.get(key)
    return "no limit" if found is None else found.shown(stated, unit)


def _drives(values: StoredValue, stated: Provenance) -> list[Block]:
    masses: list[tuple[Cell, ...]] = [(name, mass.shown(stated, "kg")) for name, mass in values["masses"].items()]
    blocks: list[Block] = [DataTable(("body", "mass"), tuple(masses), "Masses of the bodies", folded=True)]
    rows: list[tuple[Cell, ...]] = []
    for joint, law in values["friction"].items():
        for word, value in law.items():
            if isinstance(value.value, int | float) and value.value:
                rows.append((joint, word.replace("_", " "), value.shown(stated)))
    if rows:
        blocks.append(DataTable(("joint", "friction", "SI value"), tuple(rows), "Friction of the joints", folded=True))
    motors: list[tuple[Cell, ...]] = []
    for motor in values["motors"]:
        inertia = motor["rotor_inertia"].shown(stated, "kg m\N{SUPERSCRIPT TWO}")
        for joint, ratio in motor["ratios"].items():
            motors.append((motor["name"].text, inertia, joint, ratio.shown(stated)))
    if motors:
        blocks.append(
            DataTable(("motor", "rotor inertia", "turns with", "ratio"), tuple(motors), "Motors", folded=True)
        )
    return blocks


def _snaps(values: StoredValue, stated: Provenance) -> list[Block]:
    rows: list[tuple[Cell, ...]] = []
    used = assumed("angles within rounding of a right angle are snapped to it; --no-snap keeps them as written")
    for snap in values["snaps"]:
        written = snap["found"].shown(stated, "rad", 10)
        taken = snap["used"].shown(used, "rad", 10)
        moved = Number(snap["used"].number - snap["found"].number, used, "rad", 2)
        rows.append((snap["joint"].text, snap["angle"].text, written, taken, moved))
    if not rows:
        return []
    effect, by = values["snap_effect"], computed("random motions of the robot with and without the snaps")
    parts: list[Part] = ["Snapping moves bodies by up to ", Number(MILLI * effect["position"].number, by, "mm", 2)]
    if (torque := effect.get("torque")) is not None:
        parts += [" and changes torques by ", Number(PERCENT * torque.number, by, "%", 2), " of the largest"]
    head = ("joint", "angle", "as written", "as used", "difference")
    return [DataTable(head, tuple(rows), "Angles that were taken as right angles", folded=True), paragraph(*parts, ".")]


def used_robot(document: FoundDocument) -> dict[str, Any] | None:
    """The values of `as_used` for the robot of a document; None where the document does not state them."""
    if document.kind == MODEL:
        return as_used(document.model.robot)
    if document.kind == ROBOT_FILE:
        return None
    found = document.values.get(ROBOT_AS_USED)
    if found is None:
        return None
    if not isinstance(found.value, dict):
        found.refuse("is no object")
    return found.value


def used_facts(document: FoundDocument) -> list[Fact]:
    """Changes to the robot of a result; empty without changes, and for documents that do not state them."""
    used = used_robot(document)
    if used is None:
        return []
    values, stated = StoredValue(used, document.name, ROBOT_AS_USED), assumed(f"the robot that {document.name} states")
    facts = changed_facts(values, stated)
    if values["gravity"].numbers != STANDARD_GRAVITY:
        facts.append(gravity_fact(values, stated))
    return facts


def changed_facts(values: StoredValue, stated: Provenance) -> list[Fact]:
    """Payloads and locked joints."""
    facts = []
    for held in values["payload"]:
        center: list[Part] = [part for x in held["center"].numbers for part in (", ", Number(x, stated))]
        mass = held["mass"].shown(stated, "kg")
        facts.append(fact("payload, known to the model", mass, " at (", *center[1:], f") m of {held['frame'].text}"))
    facts += [
        fact("locked joint", f"{joint} at ", position.shown(stated), " rad or m")
        for joint, position in values["locked"].items()
    ]
    return facts


def gravity_fact(values: StoredValue, stated: Provenance) -> Fact:
    """Gravity in the base frame."""
    pull: list[Part] = [part for value in values["gravity"].numbers for part in (", ", Number(value, stated))]
    return fact("gravity in the base frame", "(", *pull[1:], ") m/s\N{SUPERSCRIPT TWO}")
