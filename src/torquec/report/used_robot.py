"""Payloads, locked joints and gravity that a result was computed with, as facts of a report."""

from __future__ import annotations

from typing import Any

from torquec.report.blocks import Fact, Part, fact
from torquec.report.found_documents import MODEL, ROBOT_FILE, FoundDocument
from torquec.report.provenance import Number, Provenance, assumed
from torquec.report.result_document import ROBOT_AS_USED, as_used
from torquec.report.stored_values import StoredValue
from torquec.robot.robot import STANDARD_GRAVITY


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
    """What was changed on the robot that a result is about; empty where nothing was, or the document does not say."""
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
        mass = Number(held["mass"].number, stated, "kg")
        facts.append(fact("payload, known to the model", mass, " at (", *center[1:], f") m of {held['frame'].text}"))
    facts += [
        fact("locked joint", f"{joint} at ", Number(position.number, stated), " rad or m")
        for joint, position in values["locked"].items()
    ]
    return facts


def gravity_fact(values: StoredValue, stated: Provenance) -> Fact:
    """Gravity in the base frame."""
    pull: list[Part] = [part for value in values["gravity"].numbers for part in (", ", Number(value, stated))]
    return fact("gravity in the base frame", "(", *pull[1:], ") m/s\N{SUPERSCRIPT TWO}")
