"""`write_report`: the results of commands in a folder as one HTML report, with the same content as JSON.

(1)  folder -> documents, recognised by their content                     (:mod:`torquec.report.found_documents`)
(2)  documents -> sections, a function for each kind of document          (`SECTIONS`)
(3)  sections -> blocks, every number with its provenance                 (:mod:`torquec.report.blocks`)
(4)  blocks -> page and its JSON twin                                     (:mod:`torquec.report.html_page`)

A command has one file in this room: the text that it prints, its section and its curves, all from its document.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from torquec import __version__
from torquec.errors import ArgumentError, TorquecError
from torquec.foundation.json_text import document_text
from torquec.foundation.reading import to_path
from torquec.foundation.writing import write_files
from torquec.report.blocks import (
    Block,
    Equation,
    Fact,
    Facts,
    ListedFile,
    LiveView,
    Picture,
    Report,
    Section,
    Shown,
    Subheading,
    Tone,
    paragraph,
)
from torquec.report.comparison import comparison_section
from torquec.report.decision import decision
from torquec.report.design import control_section
from torquec.report.equations import equations_section
from torquec.report.excitation import excitation_section
from torquec.report.found_documents import (
    CERTIFICATE,
    CONTROLLER,
    MODEL,
    PACKAGE,
    ROBOT_FILE,
    RUN_MANIFEST,
    FoundDocument,
    FoundFolder,
    find_documents,
)
from torquec.report.generated_code import code_section, execution_times_section, self_test_section, verification_section
from torquec.report.haptics import haptics_section
from torquec.report.hold_plan import hold_plan_section
from torquec.report.html_page import report_html
from torquec.report.identification import parameters_section
from torquec.report.proof import certificate_section, check_section
from torquec.report.provenance import Number, Provenance, Statement
from torquec.report.realtime_run import realtime_run_section
from torquec.report.robot import robot_section, used_facts, used_robot
from torquec.report.run import run_section
from torquec.report.simplification import simplification_section
from torquec.report.simulation import controllers_section, tracking_section
from torquec.report.time_optimal import time_optimal_section
from torquec.report.tracking_plots import tracking_overview
from torquec.report.verdict import verdict_section

REPORT_FORMAT = "torquec-report"
REPORT_VERSION = 1

PAGE = "report.html"
"""The name of the page in a folder of results."""


ROBOT = "robot"
"""The section that states payloads, locked joints and gravity itself."""


Show: TypeAlias = Callable[[FoundDocument, FoundFolder], Shown]
"""The function that shows a document of one kind in its section."""


@dataclass(frozen=True)
class SectionEntry:
    """A section: its name and title, and a function for each kind of document that it shows.

    `once`: documents of these kinds have the same content, so the first readable one is enough. `overview`: blocks
    about all documents of the section, which stand first.
    """

    name: str
    title: str
    shows: Mapping[str, Show]
    once: bool = False
    overview: Callable[[FoundFolder], tuple[Block, ...]] = lambda _folder: ()


SECTIONS = (
    SectionEntry("verdict", "Verdict", {"verdict": verdict_section}),
    SectionEntry(ROBOT, "The robot", dict.fromkeys(("info", MODEL, ROBOT_FILE), robot_section), once=True),
    SectionEntry("equations", "Equations of motion", {"equations": equations_section}),
    SectionEntry("excitation", "Exciting motion", {"excite": excitation_section}),
    SectionEntry("time-optimal", "Time-optimal motion", {"time": time_optimal_section}),
    SectionEntry("parameters", "Identified parameters", {"identify": parameters_section}),
    SectionEntry("simplification", "Simplified model", {"simplify": simplification_section}),
    SectionEntry("comparison", "Two models side by side", {"compare": comparison_section}),
    SectionEntry("controllers", "Control laws side by side", {"compare-controllers": controllers_section}),
    SectionEntry("control", "Controller", {"design": control_section}),
    SectionEntry("tracking", "Tracking", {"simulate": tracking_section}, overview=tracking_overview),
    SectionEntry("haptics", "What a hand feels", {"haptic": haptics_section}),
    SectionEntry(
        "real-time",
        "Real time",
        {"realtime plan": hold_plan_section, "plan": hold_plan_section, "realtime run": realtime_run_section},
    ),
    SectionEntry("code", "Generated code", {"generate": code_section, "selftest": self_test_section}),
    SectionEntry("verification", "Generated code on every platform", {"verify-package": verification_section}),
    SectionEntry("times", "Execution times", {"bench": execution_times_section}),
    SectionEntry("proof", "What is proved", {MODEL: certificate_section, "check": check_section}),
    SectionEntry("run", "How it was made", {RUN_MANIFEST: run_section}),
)
"""Every section, in the order of the page."""


@dataclass(frozen=True)
class WrittenReport:
    """The files of a report, and the documents in the folder that could not be shown, with reasons."""

    page: Path
    twin: Path
    problems: tuple[str, ...]


def write_report(
    folder: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    called: str = "",
    live: bool = True,
    force: bool = False,
) -> WrittenReport:
    """Write the report of a folder: the page `output` and, beside it, its twin with the ending .json.

    `called`: name of the folder in the commands that the page prints, for results that are still in a temporary folder.
    With `live` the robot moves in 3D, which takes some seconds and a megabyte.

    Raises `ArgumentError` where the folder or a place for the files is missing, where there is nothing to show, and
    without `force` for an existing file that is not Torquec's; unreadable documents are named in the page.
    """
    source, page = to_path(folder), to_path(output)
    report = folder_report(source, called=called, live=live)
    twin = page.with_suffix(".json")
    if twin == page:
        raise ArgumentError("a report is an HTML page", where=str(page), remedy="name a file that ends with .html")
    # The names of folders are bytes, and need not be UTF-8.
    text = report_html(report).encode("utf-8", "backslashreplace")
    write_files({page: text, twin: report_json(report)}, force=force)
    return WrittenReport(page, twin, report.problems)


def folder_report(folder: Path, *, called: str = "", live: bool = False) -> Report:
    """The report of a folder; raises `ArgumentError` where nothing in it can be shown."""
    found = find_documents(folder, called=called, live=live)
    sections: list[Section] = []
    highlights: list[Fact] = []
    problems = list(found.problems)
    robots: list[object] = []  # as used, each shown once
    for entry in SECTIONS:
        blocks: list[Block] = [*entry.overview(found)]
        figures: list[Fact] = []
        documents = [document for kind in entry.shows for document in found.of_kind(kind)]
        for document in documents:
            try:
                shown = entry.shows[document.kind](document, found)
                robot = used_robot(document)
                changed = [] if entry.name == ROBOT or robot in robots else used_facts(document)
            except (TorquecError, RecursionError) as error:
                reason = getattr(error, "found", "nested too deep")
                problems.append(f"{document.name}: {reason}")
                blocks.append(paragraph(f"{document.name} could not be shown: {reason}", tone=Tone.BAD))
                continue
            if not shown.blocks:
                continue
            if len(documents) > 1 and not entry.once:
                blocks.append(Subheading(shown.title or document.name))
            robots.append(robot)
            blocks += [*([Facts(tuple(changed))] if changed else []), *shown.blocks]
            figures += shown.highlights
            if entry.once:
                break
        if blocks:
            sections.append(Section(entry.name, entry.title, tuple(blocks), tuple(figures)))
            highlights += figures
    if not sections and not problems:
        raise ArgumentError(
            "this folder has no results that a report can show",
            where=str(folder),
            remedy="give a folder that identify, simplify, design or simulate wrote with -o, or keep what commands "
            "print with --json in it",
        )
    files = tuple(ListedFile(document.name, document.kind, document.sha256) for document in found.documents)
    return Report(
        _title(found),
        tuple(sections),
        tuple(highlights),
        tuple(dict.fromkeys(problems)),
        files,
        __version__,
        decision(found),
    )


def _title(found: FoundFolder) -> str:
    """The title: the robot, with the command if the folder has the results of only one; else the folder's name."""
    kinds = {document.kind for document in found.documents} - _FILE_KINDS
    commands = {_COMMANDS.get(kind, kind) for kind in kinds}
    robot = _robot_name(found)
    if not robot:
        return Path(found.called or found.path).resolve().name
    return robot if len(commands) != 1 or commands == {"info"} else f"{robot}: {commands.pop()}"


_FILE_KINDS = frozenset({MODEL, CERTIFICATE, CONTROLLER, PACKAGE, ROBOT_FILE, RUN_MANIFEST})
"""Kinds of documents that are not results of a command."""
_COMMANDS = {"compare-controllers": "compare"}
"""The command of each kind of document that has another name."""


def _robot_name(found: FoundFolder) -> str:
    """The robot's name by `torquec info`, by the folder's model, else by the results; empty where none has it."""
    named: list[tuple[FoundDocument, tuple[str, ...]]] = [(document, ("name",)) for document in found.of_kind("info")]
    if not named and found.robot is not None:
        return found.robot.name
    results = [document for document in found.documents if document.kind not in _FILE_KINDS]
    named += [(document, keys) for document in results for keys in (("robot",), ("conditions", "robot"))]
    for document, keys in named:
        try:
            return functools.reduce(lambda value, key: value[key], keys, document.values).text
        except TorquecError:
            continue  # a document without it, or a broken one, which its section names
    return ""


def report_json(report: Report) -> str:
    """The text of the file."""
    return document_text(report_document(report))


def report_document(report: Report) -> dict[str, Any]:
    """The report as JSON values, with descriptions in place of drawings."""
    return {
        "format": REPORT_FORMAT,
        "version": REPORT_VERSION,
        "written_by": f"torquec {report.version}",
        "title": report.title,
        "decision": _value(report.decision),
        "highlights": [_value(fact) for fact in report.highlights],
        "problems": list(report.problems),
        "sections": [_section(section) for section in report.sections],
        "files": [dataclasses.asdict(file) for file in report.files],
    }


def _section(section: Section) -> dict[str, Any]:
    blocks = [{"block": type(block).__name__.lower(), **_value(block)} for block in section.blocks]
    return {"name": section.name, "title": section.title, "blocks": blocks}


def _value(value: Any) -> Any:
    if isinstance(value, Number):
        return {"value": value.value, "unit": value.unit, **_value(value.provenance)}
    if isinstance(value, Statement):
        return {"text": value.text, **_value(value.provenance)}
    if isinstance(value, Provenance):
        return {"obtained": value.how.value, "from": value.source}
    if isinstance(value, Equation):
        return {"text": value.text, **_value(value.provenance)}
    if isinstance(value, Picture):
        return {"words": value.words, **_value(value.provenance)}
    if isinstance(value, LiveView):
        return {"words": value.words}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: _value(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, list | tuple):
        return [_value(item) for item in value]
    if isinstance(value, float) and value - value != 0.0:
        return None  # a gap in a curve
    return value
