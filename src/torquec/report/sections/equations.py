"""Equations of motion: the entries that `torquec equations` wrote down, in readable mathematics."""

from __future__ import annotations

from torquec.report.blocks import Shown
from torquec.report.equation_blocks import written_equations
from torquec.report.found_documents import FoundDocument, FoundFolder


def equations_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The result of `torquec equations --json`."""
    return Shown(tuple(written_equations(document.values)))
