"""CSV logs with commas, semicolons, tabs or blanks, read in blocks by compiled parsers.

(1)  the header is the first line that does not begin with # or %. If that line holds numbers, the header is the last
     comment before it, without its # or %
(2)  row k is line k + first_line: an empty line is a row without numbers
(3)  a block is parsed by pyarrow where it is installed (several times faster), else by numpy; both round correctly,
     so the numbers are the same. A block that they refuse is parsed line by line, to report what is wrong.
(4)  the last line counts as cut off, and is left out, where it ends without a line feed and has fewer columns than the
     header, half a number, or clearly fewer digits than the lines before it

A missing header and a cut last line are findings of the log, not errors of the reader.
"""

from __future__ import annotations

import importlib
import io
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.trajectory.log import LogFinding, Pathology, Severity
from torquec.trajectory.tables.log_table import MOST_COLUMNS

_BLOCK = 1 << 23
"""Bytes of a block: eight megabytes are parsed in a fraction of a second."""
_MISSING = ("", "nan", "-nan", "inf", "-inf", "na", "null", "none")
_REMEDY = "give one number per column (an empty one is taken as missing)"
_LAST_LINES = 20  # enough to see how many decimals a column always has

_LONGEST_LINE = 10_000_000
"""Most bytes of each of the first lines, so that a file without line ends is not read whole."""


class CsvTable:
    """A CSV file; `assumed` names its columns where it has no header. Raises `ArgumentError` with the line."""

    holds = ""

    def __init__(self, source: Path, assumed: dict[int, tuple[str, ...]]) -> None:
        self._source = source
        self._held: tuple[Array, list[LogFinding]] | None = None
        top = self._top()
        skipped = 0
        while skipped < len(top) and (top[skipped].lstrip().startswith(("#", "%")) or not top[skipped].strip()):
            skipped += 1
        comments, rest = top[:skipped], top[skipped:]
        if not rest:
            raise ArgumentError("the file has no rows", where=str(source), remedy="record a motion")
        first = rest[0]
        self._comma = next((sign for sign in (";", ",", "\t") if sign in first), None)
        self._decimal_comma = self._comma == ";" and "," in rest[-1]
        words = self._words(first)
        if len(words) > MOST_COLUMNS:
            where = f"{source}:{skipped + 1}"
            raise ArgumentError(f"{len(words)} columns", where=where, remedy=f"keep at most {MOST_COLUMNS} of them")
        header, self.first_line, found = words, skipped + 2, []
        if all(self._is_number(word) for word in words):
            last = next((line for line in reversed(comments) if line.strip()), "")
            commented = self._words(last.lstrip("#% \t"))
            header, self.first_line = (commented if len(commented) == len(words) else []), skipped + 1
            if not header:
                header = list(self._assumed(assumed, len(words)))
                text = f"the first line holds numbers; the columns are taken to be {header[0]} .. {header[-1]}"
                remedy = "write the names of the columns into the first line"
                found.append(
                    LogFinding(
                        Pathology.MISSING_HEADER, Severity.WARNING, text, spans=((0, 0),), remedy=remedy, first_line=1
                    )
                )
        if len(rest) < 2 and self.first_line == skipped + 2:
            raise ArgumentError("the file has no rows", where=str(source), remedy="record a motion")
        twice = next((word for word, count in Counter(header).items() if count > 1), None)
        if twice is not None:
            raise ArgumentError(
                f"column '{twice}' appears twice",
                where=f"{source}:{self.first_line - 1}",
                remedy="name each column once",
            )
        rows = [self._words(line) for line in rest[self.first_line - 1 - skipped :][:2]]
        texts = {k for k in range(len(header)) if rows and all(self._is_text(row, k) for row in rows)}
        if texts:
            names = ", ".join(header[k] for k in sorted(texts))
            found.append(LogFinding(Pathology.LEFT_OUT, Severity.NOTE, f"columns of words are left out: {names}"))
        self._width = len(header)
        self._kept = [k for k in range(len(header)) if k not in texts]
        self.names = tuple(header[k] for k in self._kept)
        self.findings = tuple(found)

    def blocks(self, found: list[LogFinding]) -> Iterator[Array]:
        """Rows (m, columns), missing values as NaN; a cut last line (4) is reported in `found`."""
        row = 0
        pending = b""
        try:
            with self._source.open("rb") as file:
                for _ in range(self.first_line - 1):
                    file.readline()
                while data := file.read(_BLOCK):
                    data = pending + data
                    end = data.rfind(b"\n") + 1
                    pending = data[end:]
                    if end:
                        values = self._parsed(data[:end], row, found)
                        row += len(values)
                        yield values
        except OSError as error:
            raise self._unreadable(error) from error
        if pending.strip():
            last = self._last(self._plain(pending), row, found)
            if last is not None:
                yield last

    def _parsed(self, data: bytes, row: int, found: list[LogFinding]) -> Array:
        """(3); the first block is cached: it is needed twice, for the units and for the numbers."""
        if row == 0 and self._held is not None:
            found += self._held[1]
            return self._held[0]
        met: list[LogFinding] = []
        data = self._plain(data)
        count = data.count(b"\n")
        values = self._by_arrow(data)
        if values is None or len(values) != count:
            values = self._by_numpy(data)
        if values is None or len(values) != count:
            values = self._line_by_line(data, row, met)
        if row == 0:
            self._held = (values, met)
        found += met
        return values

    def _plain(self, data: bytes) -> bytes:
        """The data with line feeds as line ends and points as decimal marks."""
        data = data.replace(b"\r\n", b"\n") if b"\r" in data else data
        return data.replace(b",", b".") if self._decimal_comma else data

    @cached_property
    def _arrow(self) -> Any:
        try:
            return importlib.import_module("pyarrow.csv")
        except ImportError:
            return None

    def _by_arrow(self, data: bytes) -> Array | None:
        if self._arrow is None or self._comma is None:
            return None
        csv = self._arrow
        names = [f"c{k}" for k in range(self._width)]
        try:
            table = csv.read_csv(
                io.BytesIO(data),
                read_options=csv.ReadOptions(column_names=names, use_threads=False, block_size=2 * _BLOCK + len(data)),
                parse_options=csv.ParseOptions(delimiter=self._comma, quote_char=False, ignore_empty_lines=False),
                convert_options=csv.ConvertOptions(
                    include_columns=[names[k] for k in self._kept],
                    column_types=dict.fromkeys(names, "float64"),
                    null_values=["", "NA", "null", "None"],
                ),
            )
            values = np.column_stack([column.to_numpy() for column in table.columns])
        except (ValueError, TypeError, KeyError):
            return None
        return _finite_or_nan(values)

    def _by_numpy(self, data: bytes) -> Array | None:
        comma = (self._comma or " ").encode()
        if self._comma is not None and any(sign in data for sign in (2 * comma, comma + b"\n", b"\n" + comma)):
            data = re.sub(rb"(?m)(^|(?<=" + comma + rb"))(?=" + comma + rb"|$)", b"nan", data[:-1])
        try:
            values = np.loadtxt(
                io.StringIO(data.decode("ascii")), delimiter=self._comma, ndmin=2, comments=None, usecols=self._kept
            )
            plain = self._comma is None or data.count(comma) == len(values) * (self._width - 1)
            return _finite_or_nan(values) if plain else None
        except ValueError:
            return None

    def _line_by_line(self, data: bytes, row: int, found: list[LogFinding]) -> Array:
        """A block parsed line by line (slow); raises `ArgumentError` with the line and the column."""
        rows = []
        text = self._decoded(data)
        end = len(text.rstrip())
        lines = text[:-1].split("\n")
        passed = 0
        for k, line in enumerate(lines):
            words = self._words(line)
            passed += len(line) + 1
            if not line.strip():
                rows.append([np.nan] * len(self._kept))
                continue
            where = f"{self._source}:{row + k + self.first_line}"
            if len(words) != self._width:
                if passed > end and row + k > 0 and len(words) < self._width and self._at_end(row + k):
                    found.append(self._cut(row + k, len(words)))
                    break
                raise ArgumentError(
                    f"{len(words)} values where there are {self._width} columns", where=where, remedy=_REMEDY
                )
            bad = [c for c in self._kept if not self._is_number(words[c]) and words[c].lower() not in _MISSING]
            if bad:
                name = self.names[self._kept.index(bad[0])]
                raise ArgumentError(
                    f"column '{name}' holds '{words[bad[0]][:40]}', which is not a number", where=where, remedy=_REMEDY
                )
            rows.append([float(words[c]) if self._is_number(words[c]) else np.nan for c in self._kept])
        return np.array(rows, dtype=np.float64).reshape(-1, len(self._kept))

    def _last(self, data: bytes, row: int, found: list[LogFinding]) -> Array | None:
        """(4): the line after the last line feed."""
        words = self._words(self._decoded(data))
        whole = len(words) == self._width and all(
            self._is_number(words[c]) or words[c].lower() in _MISSING for c in self._kept
        )
        if not whole or (row > 0 and _decimals(words[-1]) + 1 < self._fewest_decimals()):
            if row == 0:
                raise ArgumentError(
                    f"{len(words)} values where there are {self._width} columns, or text that is not a number",
                    where=f"{self._source}:{self.first_line}",
                    remedy=_REMEDY,
                )
            found.append(self._cut(row, len(words)))
            return None
        return np.array([[float(words[c]) if self._is_number(words[c]) else np.nan for c in self._kept]])

    def _cut(self, row: int, count: int) -> LogFinding:
        what = f"{count} of {self._width} values" if count < self._width else "half a number at its end"
        return LogFinding(
            Pathology.CUT_LINE,
            Severity.WARNING,
            f"the last line has {what}, and is left out",
            spans=((row, row),),
            remedy="end the recording before the file is copied",
            first_line=self.first_line,
        )

    def _fewest_decimals(self) -> int:
        """Fewest decimals of the last column, in the lines before the last one."""
        with self._source.open("rb") as file:
            file.seek(max(0, self._source.stat().st_size - 65536))
            text = self._plain(file.read()).decode("utf-8", errors="replace")
        lines = text.split("\n")[1:-1][-_LAST_LINES:]
        return min((_decimals(self._words(line)[-1]) for line in lines if line.strip()), default=0)

    def _at_end(self, row: int) -> bool:
        """Whether the row is the last line of the file."""
        with self._source.open("rb") as file:
            for _ in range(row + self.first_line):
                file.readline()
            return not file.read().strip()

    def _top(self) -> list[str]:
        """The first lines of the file, up to the third one that is neither empty nor a comment."""
        lines: list[str] = []
        try:
            with self._source.open("rb") as file:
                plain = 0
                while line := file.readline(_LONGEST_LINE):
                    if len(line) == _LONGEST_LINE:
                        where = f"{self._source}:{len(lines) + 1}"
                        raise ArgumentError("the line has no end", where=where, remedy="give a table of numbers")
                    lines.append(self._decoded(line, first=not lines).rstrip("\r\n"))
                    plain += bool(line.strip()) and not line.lstrip().startswith((b"#", b"%"))
                    if plain == 3 or len(lines) > 1000:
                        break
        except OSError as error:
            raise self._unreadable(error) from error
        return lines

    def _decoded(self, data: bytes, *, first: bool = False) -> str:
        try:
            return data.decode("utf-8-sig" if first else "utf-8")
        except UnicodeDecodeError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> ArgumentError:
        return ArgumentError(f"cannot be read: {error}", where=str(self._source), remedy="give a CSV file in UTF-8")

    def _words(self, line: str) -> list[str]:
        words = line.split(self._comma) if self._comma is not None else line.split()
        return [word.strip().strip('"') for word in words]

    def _is_number(self, word: str) -> bool:
        if not word.isascii() or "_" in word:
            return False  # Python's float() accepts digits of all scripts, and 1_000
        try:
            value = float(word.replace(",", ".") if self._decimal_comma else word)
        except ValueError:
            return False
        return bool(np.isfinite(value))

    def _is_text(self, row: list[str], k: int) -> bool:
        return k < len(row) and row[k].lower() not in _MISSING and not self._is_number(row[k])

    def _assumed(self, assumed: dict[int, tuple[str, ...]], width: int) -> tuple[str, ...]:
        if width not in assumed:
            raise ArgumentError(
                f"there is no header, and {width} columns are neither t, q, tau nor t, q, dq, tau of some joints",
                where=f"{self._source}:1",
                remedy="write the names of the columns into the first line",
            )
        return assumed[width]


def _finite_or_nan(values: Array) -> Array:
    """Values that are not finite are missing."""
    return values if np.isfinite(values).all() else np.where(np.isfinite(values), values, np.nan)


def _decimals(word: str) -> int:
    """Digits after the point.

    >>> _decimals("0.125"), _decimals("-3")
    (3, 0)
    """
    mantissa = re.split("[eE]", word)[0]
    return len(mantissa.partition(".")[2])
