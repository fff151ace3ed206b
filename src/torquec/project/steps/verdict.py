"""The step `verdict`: what the certificate, the motion and the covariance say of the loop, in sentences.

What is proven comes first: the tracking error with the conditions that it holds under. Statistics follow: narrow
stability limits of linear models along the motion, and the parameters that an identification leaves possible.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from torquec.control.tracking_guarantee import guarantee_sentence
from torquec.project.design_study import DOCUMENT as DESIGNED
from torquec.project.step import DESIGN, StepContext
from torquec.report.design import narrow_limits

DOCUMENT = "verdict.json"


class Origin(StrEnum):
    """What a sentence rests on; a member's value is the word in the document."""

    TUBE = "tube"
    LINEAR = "linear models"
    COVARIANCE = "covariance"


def verdict_step(context: StepContext) -> str:
    """Say what the documents of the design prove, and what they only make likely."""
    found = context.read_document(DESIGN, DESIGNED)
    said = verdict_statements(found)
    proven = bool(found["guarantee"].get("valid"))
    statements, origins = [text for text, _ in said], [origin.value for _, origin in said]
    context.write_document(DOCUMENT, "verdict", {"proven": proven, "statements": statements, "origins": origins})
    return statements[0]


def verdict_statements(found: Mapping[str, Any]) -> list[tuple[str, Origin]]:
    """A sentence for each promise in the document of a design, and what it rests on."""
    guarantee, covariance = found["guarantee"], found["covariance"]
    said = [(guarantee_sentence(guarantee), Origin.TUBE)]
    said += [(text, Origin.LINEAR) for text in narrow_limits(found.get("robustness", {}))]
    if "stable" in covariance:
        answer = "all of them" if covariance["stable"] else "not all of them"
        text = f"of the parameters that the logs leave possible ({covariance['level']:g}), {answer} are stable"
        said.append((text, Origin.COVARIANCE))
    return said
