"""The verdict of a run: proven and likely properties of the loop, warnings of experiments and of the plan."""

from __future__ import annotations

from collections.abc import Callable

from torquec.errors import TorquecError
from torquec.report.blocks import Block, Items, Part, Shown, Tone, paragraph
from torquec.report.found_documents import RUN_MANIFEST, FoundDocument, FoundFolder
from torquec.report.hold_plan import period_note
from torquec.report.provenance import Number, Provenance, Statement, assumed, computed, measured, proved
from torquec.report.simulation import limit_sentences, load_parts
from torquec.report.stored_values import StoredValue
from torquec.report.tables import MILLI
from torquec.report.tracking_plots import stated_unit
from torquec_check.claim import Standing

CLAIM = computed(
    "the model with its certified errors, of an exact one those of snapped angles, and the tube around the reference; "
    "no witness is stored that torquec check could prove again"
)
_WITNESS = proved("the witness in tracking_witness.json; torquec check proves it again")
_DRIVES = assumed("the drives file of the robot")
_LINEAR = computed("linear models along the motion; no proof")
_ORIGINS = {
    "tube": computed("the attempt to prove a tube around the reference"),
    "linear models": _LINEAR,
    "covariance": computed("linear models along the motion, and the covariance of the identification; no proof"),
}
"""The basis of a statement that is not proven, by the word of its document."""


def claim_basis(sentence: str) -> Provenance:
    """The basis of a bound on the tracking error, from its sentence: a witness, or the program that computed it."""
    return _WITNESS if sentence.startswith(Standing.PROVEN) else CLAIM


def verdict_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The step `verdict` of a run: its first sentence is about the proof, the others are statistics.

    Failed steps, and warnings of experiments and of the two-rate plan, are repeated here, since a reader may stop here.
    """
    values = document.values
    bounded = values.get("claim") is not None
    first, *others = values["statements"].texts or ("nothing is said",)
    stated = Statement(_sentence(first), claim_basis(first) if bounded else _ORIGINS["tube"])
    beyond = exceeded_without_disturbance(folder) if bounded else []
    blocks: list[Block] = [paragraph(stated, tone=Tone.WARNING if not bounded else Tone.PLAIN if beyond else Tone.GOOD)]
    if others:
        origins = values.get("origins")  # older documents do not have them
        words = ["linear models"] * len(others) if origins is None else list(origins.texts[1:])
        rests = [_ORIGINS.get(word, _LINEAR) for word in words]
        blocks.append(Items(tuple(Statement(text, way) for text, way in zip(others, rests, strict=True))))
    assumed = values.get("assumed")  # older documents do not have it
    drives = () if assumed is None else assumed.texts
    blocks += [paragraph(Statement(f"It rests on {text}.", _DRIVES), tone=Tone.WARNING) for text in drives]
    return Shown((*blocks, *warnings_of(folder)))


def warnings_of(folder: FoundFolder) -> list[Block]:
    """Warnings of failed steps, experiments and the two-rate plan."""
    blocks: list[Block] = []
    for kind, warnings in _WARNINGS_BY_KIND:
        for document in folder.of_kind(kind):
            try:
                blocks += warnings(document)
            except TorquecError:
                continue  # the section that shows the document names the problem
    return blocks


def _experiment(document: FoundDocument) -> list[Block]:
    """Warnings of a simulation: divergence, errors beyond the proven bound, exceeded limits, its load."""
    values = document.values
    experiment = values.get("experiment")
    name = document.name if experiment is None else f"'{experiment.text}'"
    by = computed(f"simulation of {values['controller'].text} ({document.name})")
    lost, runs = values.get("diverged"), values.get("runs")
    if lost is not None and runs is None:
        return [paragraph(f"In {name} the loop is not stable: ", Statement(lost.text, by), tone=Tone.BAD)]
    blocks: list[Block] = []
    if lost is not None and runs is not None and lost.number > 0:
        counts = (lost.shown(by), " of ", runs.shown(by))
        blocks.append(paragraph(f"In {name} ", *counts, " runs diverged.", tone=Tone.BAD))
    beyond = values.get("beyond_guarantee")
    if beyond is not None:
        tone = Tone.BAD if beyond["reasons"].is_empty else Tone.WARNING
        blocks.append(paragraph(f"In {name} ", *_beyond(values, beyond, by), tone=tone))
    failures = limit_sentences(values)
    blocks += [paragraph(f"In {name} ", Statement(f"{text}.", by), tone=Tone.BAD) for text in failures]
    given = values.get("conditions")
    if given is not None and not given["payload"].is_empty:
        load = load_parts(given["payload"], assumed(f"the options of the simulation {document.name}"))
        errors = [(error.number, joint) for joint, error in values["max_error"].items() if error.value is not None]
        if errors:
            most, joint = max(errors)
            error = Number(MILLI * most, by, f"m{stated_unit(values, joint)}")
            parts = (": its largest tracking error is ", error, f", at {joint}.")
            blocks.append(paragraph(f"{name} carries ", *load, *parts))
    return blocks


def _beyond(values: StoredValue, beyond: StoredValue, by: Provenance) -> list[Part]:
    """An error of a simulation beyond the proven one, and why, where that is known."""
    joint, reasons = beyond["joint"].text, beyond["reasons"].texts
    unit = f"m{stated_unit(values, joint)}"
    error, bound = (
        Number(MILLI * beyond["error"].number, by, unit),
        Number(MILLI * beyond["bound"].number, CLAIM, unit),
    )
    why = f"; the simulation includes {' and '.join(reasons)}, which the guarantee does not cover." if reasons else "."
    return [f"{joint} errs by ", error, ", the guaranteed bound is ", bound, why]


def exceeded_without_disturbance(folder: FoundFolder) -> list[FoundDocument]:
    """Experiments that exceed the proven error without an unknown load or another disturbance of their own.

    The guarantee then does not cover the simulated robot, which has friction.
    """
    found = []
    for document in folder.of_kind("simulate"):
        try:
            beyond = document.values.get("beyond_guarantee")
            if beyond is not None and not beyond["disturbed"].truth:
                found.append(document)
        except TorquecError:
            continue  # the section that shows the document names the problem
    return found


def _sentence(words: str) -> str:
    """The statement as a whole sentence."""
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith('.') else '.'}"


def _plan(document: FoundDocument) -> list[Block]:
    note = period_note(document.values, document.name)
    return [] if note is None else [note]


def _failures(document: FoundDocument) -> list[Block]:
    """Steps of the run that failed: their results are missing everywhere."""
    failed = [(step["name"].text, found.text) for step in document.values["steps"] if (found := step.get("failed"))]
    return [paragraph(f"The step '{name}' failed: {reason}.", tone=Tone.BAD) for name, reason in failed if reason]


def _real_time(document: FoundDocument) -> list[Block]:
    """Guards that stopped the robot, and cycles that were missed."""
    values, on = document.values, measured(f"the machine that ran torquec realtime run ({document.name})")
    faults, missed = values["faults"].texts, values["missed"].shown(on)
    blocks: list[Block] = []
    if faults:
        blocks.append(paragraph(f"In real time guards stopped the robot: {', '.join(faults)}.", tone=Tone.BAD))
    if missed.value:
        blocks.append(paragraph("In real time ", missed, " cycles were missed.", tone=Tone.WARNING))
    return blocks


def _not_ok(words: str) -> Callable[[FoundDocument], list[Block]]:
    """A function that gives these words for a document whose check failed."""
    return lambda document: [] if document.values["ok"].truth else [paragraph(words, tone=Tone.BAD)]


_WARNINGS_BY_KIND: tuple[tuple[str, Callable[[FoundDocument], list[Block]]], ...] = (
    (RUN_MANIFEST, _failures),
    ("simulate", _experiment),
    ("realtime plan", _plan),
    ("plan", _plan),
    ("realtime run", _real_time),
    ("selftest", _not_ok("A self-test of the generated code does not agree.")),
    ("verify-package", _not_ok("A platform differs from Python.")),
    ("check", _not_ok("The check of the proof refused it.")),
)
"""Kinds of other documents with the blocks of their warnings."""
