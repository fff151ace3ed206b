"""Proven claims of certified models, the motions they cover, and the result of `torquec check`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torquec.errors import TorquecError
from torquec.report.blocks import Block, Cell, CommandLine, DataTable, Facts, Items, Shown, Tone, fact, paragraph
from torquec.report.found_documents import MODEL, PACKAGE, RUN_MANIFEST, FoundDocument, FoundFolder
from torquec.report.provenance import Number, Statement, assumed, measured, proved
from torquec.report.tables import table, upper_bound
from torquec_check.claim import Claim, capitalized

_SHOWN_CLAIMS = 12  # a certificate of coefficients has hundreds of claims, all of them in the JSON document
_ROBOT_FILES = (".urdf", ".xml")
"""Suffixes that only robot files have among the inputs of a run; .toml may also be a project or a specification."""


def check_text(document: Mapping[str, Any], path: str, claim: Claim | None = None, held: Claim | None = None) -> str:
    """The text for a document of `torquec check`: the claims if they are proven, else why they are refused."""
    if document["refused"]:
        return "\n".join(["REFUSED:", *(f"  {reason}" for reason in document["refused"])])
    rests = [f"It rests on: {text}." for text in document["assumptions"]]
    if document["kind"] == "controller":
        lines = ["No error of its loop is bounded."] if claim is None else claim.lines()
        return "\n".join([*lines, "", *rests, f"the code is that of the controller: {path}"])
    if claim is None:
        return f"every program follows from the robot; no error is claimed: the {document['kind']} {path}"
    lines = claim.lines()
    inner = [each for each in claim.bounds if each not in claim.main_bounds]
    if inner:
        rows = [[each.quantity, upper_bound(each.bound, 6), each.unit] for each in inner[:_SHOWN_CLAIMS]]
        lines += ["", table(["coefficient", "error at most", "unit"], rows)]
    if len(inner) > _SHOWN_CLAIMS:
        lines.append(f"and {len(inner) - _SHOWN_CLAIMS} more")
    lines += [*([] if held is None else ["", *held.lines()]), "", *rests]
    # A threshold states what is left out; it is not an error bound.
    asked = document["specification"] and "[coefficients]" not in document["specification"]
    met = ", and the specification in it is met" if asked else ""
    return "\n".join([*lines, f"proven again{met}: the {document['kind']} {path}  ({document['seconds']:.1f} s)"])


def certificate_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """A model with a certificate; a model without one has nothing to show here."""
    from torquec.model.certified_package import claim_of

    model = document.model
    record, robot = model.record, model.robot
    if record is None:
        return Shown(())
    package = any(other.folder == document.folder for other in folder.of_kind(PACKAGE))
    place = folder.location(document.folder if package else document.name)
    command = f"torquec check {place}"
    what = "the proof, the model and every byte of the C files" if package else "the proof and the model"
    purpose = f"This checks {what} again, with code that shares nothing with the search:"
    first = _first_of(record.content_hash, folder)
    if first is not None and first.name != document.name:
        return Shown((paragraph(f"The same certificate as that of {first.name}."), CommandLine(command, purpose)))
    claim = proved(f"the certificate in {document.name}; {command} proves it again")
    stated = assumed("the box of motions in the specification")
    whole = claim_of(robot, record)
    claims = whole.bounds
    torques: tuple[tuple[Cell, ...], ...] = tuple(
        (each.joint, Number(each.bound, claim, each.unit)) for each in claims if each.quantity == "inverse_dynamics"
    )
    others: tuple[tuple[Cell, ...], ...] = tuple(
        (each.quantity, each.joint, Number(each.bound, claim, each.unit))
        for each in claims
        if each.quantity != "inverse_dynamics"
    )
    box, rows = record.motions, list[tuple[Cell, ...]]()
    for k, joint in enumerate(robot.coordinates):
        unit = joint.position_unit
        speeds = [
            None if not limits else Number(limits[k], stated, f"{unit}/{per}")
            for limits, per in ((box.velocity, "s"), (box.acceleration, "s\N{SUPERSCRIPT TWO}"))
        ]
        ends = [None if joint.basis is None else Number(side[k], stated, unit) for side in (box.lower, box.upper)]
        rows.append((joint.name, *ends, *speeds))
    identified = " with the identified parameters" if folder.of_kind("identify") else ""
    exact = f"the exact model of {_robot_file(folder) or robot.name}{identified}"
    words = f"The model in {document.name} differs from {exact} by at most the bounds of its claim:"
    blocks: list[Block] = [paragraph(words), paragraph(Statement(f"{capitalized(whole.sentence)}.", claim))]
    if torques:
        blocks.append(DataTable(("joint", "torque error at most"), torques, "Inverse dynamics"))
    if others:
        blocks.append(DataTable(("coefficient", "joint", "error at most"), others, "Coefficients", folded=True))
    head = ("joint", "from", "to", "speed up to", "acceleration up to")
    blocks.append(DataTable(head, tuple(rows), "The box of motions"))
    blocks.append(paragraph("That the exact model is the real robot is not proven."))
    blocks.append(CommandLine(command, purpose))
    blocks.append(Facts((fact("checksum of the certificate's contents, its field sha256", record.content_hash),)))
    return Shown(tuple(blocks))


def _robot_file(folder: FoundFolder) -> str:
    """The robot file among the inputs of a run; empty unless exactly one input must be it."""
    for manifest in folder.of_kind(RUN_MANIFEST):
        try:
            names = [name for name, _ in manifest.values["inputs"].items() if name.lower().endswith(_ROBOT_FILES)]
        except TorquecError:
            continue  # the section that shows the document names the problem
        if len(names) == 1:
            return names[0]
    return ""


def _first_of(certificate: str, folder: FoundFolder) -> FoundDocument | None:
    """The first model in the folder with this certificate; runs copy a model into every package."""
    for document in folder.of_kind(MODEL):
        try:
            record = document.model.record
        except TorquecError:
            continue  # the section that shows the document names the problem
        if record is not None and record.content_hash == certificate:
            return document
    return None


def check_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec check`."""
    values = document.values
    on = measured(f"the machine that ran torquec check ({document.name})")
    refused = values["refused"].texts
    seconds = values["seconds"].shown(on, "s", 3)
    kind = values["kind"].text
    if refused:
        return Shown(
            (
                paragraph(f"The check of the {kind} refused it.", tone=Tone.BAD),
                Items(tuple(Statement(reason, on) for reason in refused)),
            )
        )
    return Shown((paragraph(f"Everything that the {kind} claims was proven again in ", seconds, ".", tone=Tone.GOOD),))
