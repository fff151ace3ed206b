"""`write_report`: everything that commands left in a folder, as one HTML page and its JSON twin.

(1)  folder -> documents, recognised by what they say of themselves     (:mod:`torquec.report.found_documents`)
(2)  documents -> sections, a function each                               (:mod:`torquec.report.sections`)
(3)  sections -> blocks, every number with how it was obtained            (:mod:`torquec.report.blocks`)
(4)  blocks -> page and twin                        (:mod:`torquec.report.html_page`, :mod:`torquec.report.json_page`)

A new section is a file in `sections/` and a row of `SECTIONS`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from torquec import __version__
from torquec.errors import ArgumentError, TorquecError
from torquec.foundation.reading import to_path
from torquec.foundation.writing import write_files
from torquec.report.blocks import Block, Fact, Facts, ListedFile, Report, Section, Shown, Subheading, Tone, paragraph
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
from torquec.report.html_page import report_html
from torquec.report.json_page import report_json
from torquec.report.sections.code import code_section
from torquec.report.sections.comparison import comparison_section
from torquec.report.sections.control import control_section
from torquec.report.sections.equations import equations_section
from torquec.report.sections.excitation import excitation_section
from torquec.report.sections.execution_times import execution_times_section
from torquec.report.sections.haptics import haptics_section
from torquec.report.sections.parameters import parameters_section
from torquec.report.sections.proof import proof_section
from torquec.report.sections.real_time import real_time_section
from torquec.report.sections.robot import robot_section
from torquec.report.sections.run import run_section
from torquec.report.sections.simplification import simplification_section
from torquec.report.sections.tracking import tracking_section
from torquec.report.sections.verdict import verdict_section
from torquec.report.sections.verification import verification_section
from torquec.report.used_robot import used_facts, used_robot

PAGE = "report.html"
"""The name of the page in a folder of results."""


ROBOT = "robot"
"""The section that states payloads, locked joints and gravity itself."""


@dataclass(frozen=True)
class SectionEntry:
    """A section: its name and title, the kinds of documents that it shows, and the function that shows one.

    `once`: documents of these kinds say the same, so the first that can be read is enough.
    """

    name: str
    title: str
    kinds: tuple[str, ...]
    show: Callable[[FoundDocument, FoundFolder], Shown]
    once: bool = False


SECTIONS = (
    SectionEntry("verdict", "Verdict", ("verdict",), verdict_section),
    SectionEntry(ROBOT, "The robot", ("info", MODEL, ROBOT_FILE), robot_section, once=True),
    SectionEntry("equations", "Equations of motion", ("equations",), equations_section),
    SectionEntry("excitation", "Exciting motion", ("excite",), excitation_section),
    SectionEntry("parameters", "Identified parameters", ("identify",), parameters_section),
    SectionEntry("simplification", "Simplified model", ("simplify",), simplification_section),
    SectionEntry("comparison", "Two models side by side", ("compare",), comparison_section),
    SectionEntry("control", "Controller", ("design",), control_section),
    SectionEntry("tracking", "Tracking", ("simulate",), tracking_section),
    SectionEntry("haptics", "What a hand feels", ("haptic",), haptics_section),
    SectionEntry("real-time", "Real time", ("realtime plan", "plan", "realtime run"), real_time_section),
    SectionEntry("code", "Generated code", ("generate", "selftest"), code_section),
    SectionEntry("verification", "Generated code on every platform", ("verify-package",), verification_section),
    SectionEntry("times", "Execution times", ("bench",), execution_times_section),
    SectionEntry("proof", "What is proved", (MODEL, "check"), proof_section),
    SectionEntry("run", "How it was made", (RUN_MANIFEST,), run_section),
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

    `called` is the name of the folder in the commands that the page prints, where results are still on their way to
    their place. With `live` the robot moves in 3D, which takes some seconds and a megabyte.

    Raises `ArgumentError` where the folder or a place for the files is missing, where there is nothing to show, and
    without `force` for a file in the way that is not ours; a document that cannot be read is named in the page.
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
        blocks: list[Block] = []
        figures: list[Fact] = []
        documents = [document for kind in entry.kinds for document in found.of_kind(kind)]
        for document in documents:
            try:
                shown = entry.show(document, found)
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
            "there is nothing in this folder that a report can show",
            where=str(folder),
            remedy="give a folder that identify, simplify, design or simulate wrote with -o, or keep what commands "
            "print with --json in it",
        )
    files = tuple(ListedFile(document.name, document.kind, document.sha256) for document in found.documents)
    return Report(_title(found), tuple(sections), tuple(highlights), tuple(dict.fromkeys(problems)), files, __version__)


def _title(found: FoundFolder) -> str:
    """The robot, and the command where the folder is what one command left; its name where no robot is known."""
    commands = {document.kind for document in found.documents} - _FILE_KINDS
    robot = _robot_name(found)
    if not robot:
        return Path(found.called or found.path).resolve().name
    return robot if len(commands) != 1 or commands == {"info"} else f"{robot}: {commands.pop()}"


_FILE_KINDS = frozenset({MODEL, CERTIFICATE, CONTROLLER, PACKAGE, ROBOT_FILE, RUN_MANIFEST})
"""Kinds of documents that are no command's result."""


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
