"""TOML tables with line numbers: a strict reader on `tomllib` for robot and drive files.

`tomllib` gives values without positions. `_key_lines` walks the same text once more, after `tomllib` has accepted it,
and notes the line of every key; `Table` gives checked values and refuses keys that were never read.
"""

from __future__ import annotations

import copy
import difflib
import math
import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NoReturn

from torquec.errors import RobotFileError
from torquec.foundation.reading import FileKind, parse_toml_values, read_text, to_path

KeyPath = tuple[str | int, ...]

_TOKEN = re.compile(r"""\"{3}(?:\\.|[^\\])*?\"{3,5}|'{3}.*?'{3,5}|"(?:\\.|[^"\\])*"|'[^']*'""", re.DOTALL)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}\n#]*")
_PLAIN_ARRAY = re.compile(r"\[[-+0-9.eE, \t]*\]")  # numbers on the line of their key
_PLAIN = r"""(?:[-+0-9.eE]+|true|false|"[^"\\\n=]*"|\[[-+0-9.eE, \t]*\])[ \t]*"""
_PLAIN_PAIR = re.compile(rf"([A-Za-z0-9_-]+)[ \t]*=[ \t]*{_PLAIN}(?:,[ \t]*|(?=\}}))")
_PLAIN_LINES = re.compile(
    rf"([A-Za-z0-9_-]+)[ \t]*=[ \t]*(?:{_PLAIN}|\{{[ \t]*(?P<inner>(?:{_PLAIN_PAIR.pattern})+)\}}[ \t]*)"
    r"(?:#[^\n]*)?(?:\n|\Z)"
)
"""`key = value` on a line of its own, the value plain or a table of plain ones: nearly all lines of robot files."""
_BLANK = re.compile(r"[ \t]*")
_BLANK_LINES = re.compile(r"(?:\s|#[^\n]*)*")


class Table:
    """One TOML table: typed access to its keys, each fault reported with file, line and remedy.

    `gaps` are required keys known to be missing: a placeholder stands in for them, so that the rest is read.
    """

    def __init__(
        self,
        values: dict[str, Any],
        path: KeyPath,
        lines: dict[KeyPath, int],
        file: str,
        gaps: Collection[KeyPath] = (),
    ) -> None:
        self._values = values
        self._path = path
        self._lines = lines
        self._file = file
        self._gaps = gaps
        self._asked: set[str] = set()

    def __contains__(self, key: str) -> bool:
        self._asked.add(key)  # a key that is looked up is known
        return key in self._values

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys as the file gives them."""
        return tuple(self._values)

    @property
    def label(self) -> str:
        """How messages call this table, such as `joint[2].link`; empty for the document itself."""
        text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self._path)
        return text.lstrip(".")

    def where(self, key: str | None = None) -> str:
        """`file:line` of a key, or of the table itself."""
        path = self._path if key is None else (*self._path, key)
        while path and path not in self._lines:
            path = path[:-1]
        return f"{self._file}:{self._lines.get(path, 1)}"

    def refuse(self, key: str | None, found: str, remedy: str, *, alone: bool = False) -> NoReturn:
        """Raise a `RobotFileError` at a key (or at the table, when None).

        `alone`: the value is wrong independently of the rest of the file.
        """
        path = (*self._path, *([] if key is None else [key]))
        raise KeyFaultError(found, where=self.where(key), remedy=remedy, path=path, alone=alone)

    @property
    def plain(self) -> dict[str, Any]:
        """A copy of all values, which may be changed and given to `holding`."""
        return copy.deepcopy(self._values)

    def holding(self, values: dict[str, Any], gaps: Collection[KeyPath] = ()) -> Table:
        """This table with other values; see `Table` for the gaps."""
        return Table(values, self._path, self._lines, self._file, gaps)

    def number(self, key: str, default: float | None = None) -> float:
        """A finite number, or the default, which may be infinite; required when there is no default."""
        if default is not None and key not in self._values:
            self._asked.add(key)
            return default
        return self._finite(self._value(key, default, stand_in=1.0), key)

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false."""
        value = self._value(key, default, stand_in=default)
        if not isinstance(value, bool):
            self._refuse_form(key, f"'{self._named(key)}' is {value!r}", "write true or false, without quotes")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """A string that is not empty; required when there is no default."""
        value = self._value(key, default, stand_in=GONE)
        if not isinstance(value, str) or not value.strip():
            self._refuse_form(key, f"'{self._named(key)}' is {value!r}", "give a text in quotes")
        return value

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """A list of strings that are not empty; required when there is no default."""
        value = self._value(key, default, stand_in=())
        if not isinstance(value, list | tuple) or not all(isinstance(word, str) and word.strip() for word in value):
            self._refuse_form(key, f"'{self._named(key)}' is {value!r}", 'give a list of texts: ["a", "b"]')
        return tuple(value)

    def choice(self, key: str, options: Iterable[str], default: str | None = None) -> str:
        """One of a few words; required when there is no default."""
        words = tuple(str(option) for option in options)
        value = self._value(key, default, stand_in=words[0])
        if value not in words:
            self._refuse_form(key, f"'{self._named(key)}' is {value!r}", f"use one of {', '.join(map(repr, words))}")
        return str(value)

    def vector(self, key: str, default: tuple[float, float, float] | None = None) -> tuple[float, float, float]:
        """Three finite numbers; required when there is no default."""
        value = self._value(key, default, stand_in=(1.0, 1.0, 1.0))
        if not isinstance(value, list | tuple) or len(value) != 3:
            self._refuse_form(key, f"'{self._named(key)}' is {value!r}", "give three numbers: [x, y, z]")
        x, y, z = (self._finite(element, key) for element in value)
        return (x, y, z)

    def rows(self, key: str) -> list[list[float]]:
        """A matrix: a list of rows of finite numbers; a plain list of numbers is one row. Required."""
        value = self._value(key, None, stand_in=[1.0])
        if not isinstance(value, list) or not value:
            self._refuse_form(
                key, f"'{self._named(key)}' is {value!r}", "give a list of numbers, or a list of rows of numbers"
            )
        rows = value if all(isinstance(row, list) for row in value) else [value]
        return [[self._finite(element, key) for element in row] for row in rows]

    def table(self, key: str) -> Table | None:
        """The sub-table of that key, or None where there is none."""
        self._asked.add(key)
        if key not in self._values:
            return None
        value = self._values[key]
        if not isinstance(value, dict):
            self._refuse_form(
                key, f"'{self._named(key)}' is {value!r}", f"give a table: [{self._named(key)}] or {{ key = ... }}"
            )
        return Table(value, (*self._path, key), self._lines, self._file, self._gaps)

    def is_table(self, key: str) -> bool:
        """True where the key is there and holds a table."""
        return isinstance(self._values.get(key), dict)

    def tables(self, key: str) -> list[Table]:
        """The tables of an array `[[key]]`; empty where there is none."""
        self._asked.add(key)
        value = self._values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(element, dict) for element in value):
            self._refuse_form(
                key, f"'{self._named(key)}' is not a list of tables", f"write one [[{self._named(key)}]] for each"
            )
        return [
            Table(element, (*self._path, key, index), self._lines, self._file, self._gaps)
            for index, element in enumerate(value)
            if GONE not in element
        ]

    def know(self, keys: Iterable[str]) -> None:
        """Accept these keys, whether they are read or not."""
        self._asked.update(keys)

    def finish(self, inside: Mapping[str, str] | None = None) -> None:
        """Refuse the first key that was never read: a misspelt key must not pass unnoticed.

        `inside` maps keys that users write one level too high to the tables in which they belong.
        """
        for key in self._values:
            if key not in self._asked:
                known = ", ".join(sorted(self._asked))
                near = difflib.get_close_matches(key, self._asked, n=1)
                guess = f"did you mean '{near[0]}'? " if near else ""
                remedy = f"{guess}the keys known here are: {known}"
                if inside is not None and key in inside:
                    remedy = f"it belongs in {inside[key]}: {inside[key]} = {{ {key} = ... }}"
                self._refuse_form(key, f"unknown key '{self._named(key)}'", remedy)

    def _named(self, key: str) -> str:
        return f"{self.label}.{key}" if self.label else key

    def _value(self, key: str, default: Any, *, stand_in: Any) -> Any:
        self._asked.add(key)
        if key in self._values:
            return self._values[key]
        if default is None and (*self._path, key) in self._gaps:
            return stand_in
        if default is None:
            self._refuse_form(key, f"'{self._named(key)}' is missing", f"add {key} = ...")
        return default

    def _refuse_form(self, key: str, found: str, remedy: str) -> NoReturn:
        """Raise for a key that is missing, unknown or of another type."""
        self.refuse(key, found, remedy, alone=True)

    def _finite(self, value: Any, key: str) -> float:
        # bool is an int to Python, and a TOML integer may be too large for a float.
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST:
            self._refuse_form(key, f"'{self._named(key)}' is {value!r}", "give a finite number")
        return float(value)


_LARGEST = math.nextafter(math.inf, 0.0)  # finite
GONE = "\0gone"
"""Placeholder that no file can contain: it marks a faulty table that is not read again, and replaces a missing text."""


class KeyFaultError(RobotFileError):
    """A fault of a TOML file, with the path of its key, or of the table that lacks a key.

    `alone`: it is a fault independently of the rest of the file.
    """

    def __init__(
        self, found: str, *, where: str = "", remedy: str = "", path: KeyPath = (), alone: bool = False
    ) -> None:
        super().__init__(found, where=where, remedy=remedy)
        self.path = path
        self.alone = alone


def read_toml(path: str | os.PathLike[str], kind: FileKind = FileKind.ROBOT) -> Table:
    """The document in a TOML file as a `Table`.

    Raises the kind's error when the file cannot be read or is not UTF-8, `RobotFileError` when it is not TOML.
    """
    file = to_path(path)
    return parse_toml(read_text(file, kind), str(file))


def parse_toml(text: str, file: str) -> Table:
    """The document in a TOML text as a `Table`; `file` is what messages call it.

    >>> parse_toml("gravity = 9.81", "robot.toml").number("gravity")
    9.81
    """
    text = text.replace("\r\n", "\n")
    values = parse_toml_values(text, where=file, error=RobotFileError)
    try:
        lines = _key_lines(text)
    except RecursionError:
        raise RobotFileError("nested too deep", where=f"{file}:1", remedy="flatten the arrays and tables") from None
    return Table(values, (), lines, file)


def _key_lines(text: str) -> dict[KeyPath, int]:
    """The line of every key and table of a well-formed TOML text."""
    lines: dict[KeyPath, int] = {}
    counts: dict[KeyPath, int] = {}
    line_of_offset = _line_counter(text)
    current: KeyPath = ()
    at = _skip(_BLANK_LINES, text, 0)
    while at < len(text):
        line = line_of_offset(at)
        if text[at] == "[":
            is_array = text.startswith("[[", at)
            names, at = _read_key(text, at + 1 + is_array)
            current = _resolve(names[:-1], counts)
            current = (*current, names[-1])
            lines.setdefault(current, line)
            if is_array:
                counts[current] = counts.get(current, -1) + 1
            if current in counts:
                current = (*current, counts[current])
            lines.setdefault(current, line)
            at += 1 + is_array
        elif plain := _PLAIN_LINES.match(text, at):
            path = (*current, plain[1])
            lines.setdefault(path, line)
            if plain["inner"]:  # pair by pair, each from the end of the one before: every character is scanned once
                for pair in _PLAIN_PAIR.finditer(text, plain.start("inner"), plain.end("inner") + 1):
                    lines.setdefault((*path, pair[1]), line)
            at = plain.end()
        else:
            at = _read_pair(text, at, current, lines, line_of_offset)
        at = _skip(_BLANK_LINES, text, at)
    return lines


def _line_counter(text: str) -> Callable[[int], int]:
    """A function from offset to line; offsets must not decrease, so the text is counted once."""
    seen_offset, seen_line = 0, 1

    def line_of(offset: int) -> int:
        nonlocal seen_offset, seen_line
        seen_line += text.count("\n", seen_offset, offset)
        seen_offset = offset
        return seen_line

    return line_of


def _resolve(names: list[str], counts: dict[KeyPath, int]) -> KeyPath:
    """The path of a table header; after each array of tables it holds the index of the array's last element."""
    path: KeyPath = ()
    for name in names:
        path = (*path, name)
        if path in counts:
            path = (*path, counts[path])
    return path


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _read_key(text: str, at: int) -> tuple[list[str], int]:
    """A dotted key and the offset behind it."""
    names = []
    while True:
        at = _skip(_BLANK, text, at)
        quoted = _TOKEN.match(text, at)
        match = quoted or _BARE_KEY.match(text, at)
        assert match is not None  # tomllib accepted the text
        names.append(tomllib.loads(f"k = {match[0]}")["k"] if quoted else match[0])
        at = _skip(_BLANK, text, match.end())
        if text[at] != ".":
            return names, at
        at += 1


def _read_pair(text: str, at: int, table: KeyPath, lines: dict[KeyPath, int], line_of: Callable[[int], int]) -> int:
    """Note the lines of `key = value` and of all keys inside the value; returns the offset behind the pair."""
    line = line_of(at)
    names, at = _read_key(text, at)
    path = table
    for name in names:
        path = (*path, name)
        lines.setdefault(path, line)
    return _read_value(text, _skip(_BLANK, text, at + 1), path, lines, line_of)


def _read_value(text: str, at: int, path: KeyPath, lines: dict[KeyPath, int], line_of: Callable[[int], int]) -> int:
    opening = text[at]
    if opening not in "[{":
        quoted = _TOKEN.match(text, at)
        return quoted.end() if quoted else _skip(_SCALAR, text, at)
    if plain := _PLAIN_ARRAY.match(text, at):
        return plain.end()
    closing = "]" if opening == "[" else "}"
    index = 0
    at = _skip(_BLANK_LINES, text, at + 1)
    while text[at] != closing:
        if opening == "[":
            lines.setdefault((*path, index), line_of(at))
            at = _read_value(text, at, (*path, index), lines, line_of)
        else:
            at = _read_pair(text, at, path, lines, line_of)
        index += 1
        at = _skip(_BLANK_LINES, text, at)
        at = _skip(_BLANK_LINES, text, at + 1) if text[at] == "," else at
    return at + 1
