"""Output of commands: JSON document or text on stdout; progress and written files on stderr."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from torquec.errors import ArgumentError, FixedBaseWarning, SnapWarning, UnitWarning
from torquec.foundation.json_text import finite_json

if TYPE_CHECKING:
    from torquec.foundation.work import StepReport

_BAR = 24  # characters of a progress bar: the name of the step and its share still fit on a line of eighty


def print_json(document: dict[str, Any]) -> None:
    """Print the document on stdout."""
    typer.echo(finite_json(document))


def print_text(text: str) -> None:
    """Print a text on stdout; characters that stdout cannot encode are escaped, as on stderr."""
    encoding = sys.stdout.encoding or "utf-8"
    typer.echo(text.encode(encoding, "backslashreplace").decode(encoding))


def progress(text: str) -> None:
    """Print progress on stderr."""
    typer.echo(text, err=True)


@contextlib.contextmanager
def told_warnings(*, strict: bool) -> Iterator[None]:
    """Print Python's warnings on stderr, each once and without source lines.

    With `strict` the first number that looks like degrees raises `ArgumentError`.
    """
    told: set[str] = set()
    with warnings.catch_warnings():
        for told_always in (UnitWarning, SnapWarning, FixedBaseWarning):
            warnings.simplefilter("always", told_always)

        def show(message: Warning | str, category: type[Warning], *_place: Any, **_more: Any) -> None:
            if strict and issubclass(category, UnitWarning):
                raise ArgumentError(str(message), remedy="correct it, or leave out --strict")
            if str(message) not in told:
                told.add(str(message))
                typer.echo(f"torquec: warning: {message}", err=True)

        warnings.showwarning = show
        yield


def step_report(say: Callable[[str], None] = progress) -> Callable[[StepReport], None]:
    """Progress of a step of `Work`: a progress bar on a terminal, else a line from time to time.

    Notes are printed as lines in both cases.
    """
    from torquec.foundation.work import text_report

    if not sys.stderr.isatty():
        return text_report(say)

    def report(news: StepReport) -> None:
        line = _bar(news)
        sys.stderr.write(f"\r\x1b[K{line}" if not news.note else "\r\x1b[K")
        if news.note:
            say(str(news))
        elif news.share == 1.0:
            sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

    return report


def _bar(news: StepReport) -> str:
    """One line: a bar if the total is known, the name of the step, its share and the time left."""
    filled = 0 if news.share is None else round(_BAR * news.share)
    bar = f"[{'#' * filled}{'.' * (_BAR - filled)}] " if news.share is not None else ""
    return f"{bar}{news}"


def tell_written(files: Iterable[Path]) -> None:
    """Name on stderr every file that was written."""
    for path in files:
        typer.echo(f"wrote {path}", err=True)
