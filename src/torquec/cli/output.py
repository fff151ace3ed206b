"""What commands print: one JSON document, or plain text with aligned tables; progress goes to stderr."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import typer


def print_json(document: dict[str, Any]) -> None:
    """Print the document on stdout."""
    typer.echo(json_text(document))


def json_text(document: dict[str, Any]) -> str:
    """The document as text; numbers that are not finite become null (JSON has none)."""
    return json.dumps(_finite(document), indent=2, ensure_ascii=False, allow_nan=False)


def progress(text: str) -> None:
    """Say on stderr what is being done."""
    typer.echo(text, err=True)


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """Aligned columns, the first `left` ones to the left and the others to the right.

    >>> print(table(["joint", "Nm"], [["elbow", "1.5"], ["w", "-10"]]))
      joint   Nm
      elbow  1.5
      w      -10
    """
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  "
        + "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def number(value: float, digits: int = 6) -> str:
    """A number for a table, with `digits` significant digits; '-' where there is none.

    >>> number(0.1234567891), number(float("inf"))
    ('0.123457', '-')
    """
    return f"{value + 0.0:.{digits}g}" if math.isfinite(value) else "-"


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
