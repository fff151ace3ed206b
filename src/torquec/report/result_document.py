"""What a command found, as a document that says what it is: the form in which results lie in folders for a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torquec.foundation.json_text import document_text, finite_values

RESULT_FORMAT = "torquec result 1"


def result_document(command: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a command with its format and the command's name in front; what is not finite becomes null.

    >>> result_document("info", {"dof": 6, "upper": float("inf")})
    {'format': 'torquec result 1', 'command': 'info', 'dof': 6, 'upper': None}
    """
    document: dict[str, Any] = finite_values({"format": RESULT_FORMAT, "command": command, **found})
    return document


def result_text(command: str, found: Mapping[str, Any]) -> str:
    """The same as the text of a file."""
    return document_text(result_document(command, found))
