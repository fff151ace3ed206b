"""The robot: its picture, what its file says of the joints, what was snapped and what was warned of."""

from __future__ import annotations

from torquec.report.blocks import Block, Cell, DataTable, Facts, Items, Part, Shown, Tone, fact, paragraph
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.live_view import live_view
from torquec.report.provenance import Number, Provenance, Statement, assumed, computed
from torquec.report.result_document import result_document
from torquec.report.robot_facts import robot_facts
from torquec.report.stored_values import StoredValue
from torquec.report.used_robot import changed_facts, gravity_fact
from torquec.robot.joints import KINDS

_MILLI = 1e3  # m to mm
_PERCENT = 100.0  # parts to percent


def robot_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The result of `torquec info`; where there is none, the robot of a model or of a robot file."""
    values = _values(document)
    name = values["name"].text
    stated = assumed(f"the robot file of {name}, as {document.name} states it")
    blocks: list[Block] = [*_pictures(folder, name)]
    moving = values.get("moving_mass")  # which older documents do not have
    mass, dof = (
        Number(values["mass"].number if moving is None else moving.number, stated, "kg"),
        Number(values["dof"].number, computed("counted in the robot file")),
    )
    whole: list[Part] = [mass]
    if moving is not None and moving.number != values["mass"].number:
        whole = [Number(values["mass"].number, stated, "kg"), ", of which ", mass, " move"]
    facts = [fact("joints that move", dof), fact("mass", *whole)]
    facts.append(gravity_fact(values, stated))
    if frames := values["frames"].texts:
        facts.append(fact("frames", ", ".join(frames)))
    facts += changed_facts(values, stated)
    blocks += [Facts(tuple(facts)), _joints(values, stated), *_drives(values, stated), *_snaps(values, stated)]
    warnings = values["warnings"].texts
    if warnings:
        told = Items(tuple(Statement(warning, stated) for warning in warnings))
        blocks += [paragraph("What the reader of the robot file warned of:", tone=Tone.WARNING), told]
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
    return "no limit" if found is None else Number(found.number, stated, unit)


def _drives(values: StoredValue, stated: Provenance) -> list[Block]:
    masses: list[tuple[Cell, ...]] = [
        (name, Number(mass.number, stated, "kg")) for name, mass in values["masses"].items()
    ]
    blocks: list[Block] = [DataTable(("body", "mass"), tuple(masses), "Masses of the bodies", folded=True)]
    rows: list[tuple[Cell, ...]] = []
    for joint, law in values["friction"].items():
        for word, value in law.items():
            if isinstance(value.value, int | float) and value.value:
                rows.append((joint, word.replace("_", " "), Number(value.number, stated)))
    if rows:
        blocks.append(DataTable(("joint", "friction", "SI value"), tuple(rows), "Friction of the joints", folded=True))
    motors: list[tuple[Cell, ...]] = []
    for motor in values["motors"]:
        inertia = Number(motor["rotor_inertia"].number, stated, "kg m\N{SUPERSCRIPT TWO}")
        for joint, ratio in motor["ratios"].items():
            motors.append((motor["name"].text, inertia, joint, Number(ratio.number, stated)))
    if motors:
        blocks.append(
            DataTable(("motor", "rotor inertia", "turns with", "ratio"), tuple(motors), "Motors", folded=True)
        )
    return blocks


def _snaps(values: StoredValue, stated: Provenance) -> list[Block]:
    rows: list[tuple[Cell, ...]] = []
    used = assumed("angles within rounding of a right angle are meant as one; --no-snap keeps them as written")
    for snap in values["snaps"]:
        written = Number(snap["found"].number, stated, "rad", 10)
        taken = Number(snap["used"].number, used, "rad", 10)
        moved = Number(snap["used"].number - snap["found"].number, used, "rad", 2)
        rows.append((snap["joint"].text, snap["angle"].text, written, taken, moved))
    if not rows:
        return []
    effect, by = values["snap_effect"], computed("random motions of the robot with and without the snaps")
    parts: list[Part] = ["Snapping moves bodies by up to ", Number(_MILLI * effect["position"].number, by, "mm", 2)]
    if (torque := effect.get("torque")) is not None:
        parts += [" and changes torques by ", Number(_PERCENT * torque.number, by, "%", 2), " of the largest"]
    head = ("joint", "angle", "as written", "as used", "difference")
    return [DataTable(head, tuple(rows), "Angles that were taken as right angles", folded=True), paragraph(*parts, ".")]
