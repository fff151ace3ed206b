"""The JSON twin of a report: everything that the page shows, for machines; each number with how it was obtained."""

from __future__ import annotations

import dataclasses
from typing import Any

from torquec.foundation.json_text import document_text
from torquec.report.blocks import Equation, LiveView, Picture, Report, Section
from torquec.report.provenance import Number, Provenance, Statement

REPORT_FORMAT = "torquec-report"
REPORT_VERSION = 1


def report_json(report: Report) -> str:
    """The text of the file."""
    return document_text(report_document(report))


def report_document(report: Report) -> dict[str, Any]:
    """The report as JSON values; drawings stand in it as words."""
    return {
        "format": REPORT_FORMAT,
        "version": REPORT_VERSION,
        "written_by": f"torquec {report.version}",
        "title": report.title,
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
