"""The text of a package: tokens of C with their lines, comments, and fixed texts that are known by SHA-256.

`known_texts.json` has a row for each fixed text: its SHA-256 without the names of the package in it, then the lengths
of the pieces between those names and the words that stand for them, such as PREFIX. Torquec's tests compare the table
with the writers of the packages.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import NoReturn

from torquec_check.document import RefusedError

REMEDY = "take the package from where it was made, or generate it again"

_TOKEN = re.compile(
    r"(?P<space>[ \n]+)|(?P<comment>/\*.*?\*/)|(?P<line>#[^\n]*)|(?P<number>\d[\w.]*(?:(?<=e)[+-]\d+f?)?)"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<mark>[<>]=|\"C\"|[-+*/()\[\]{}=;,?:&])",
    re.DOTALL | re.ASCII,
)
COUNTS = r"(?:\d+(?:mul|add|div|sincos|other)(?:,(?=\d))?)+"


@dataclass(frozen=True)
class CNames:
    """The C names of a package: `prefix` begins all of them; `real` is "double" or "float"."""

    prefix: str
    real: str

    @property
    def suffix(self) -> str:
        """The suffix of literals and of the functions of math.h."""
        return "f" if self.real == "float" else ""

    @property
    def calls(self) -> dict[str, tuple[str, int]]:
        """The operation and the number of arguments of each function that expressions may call."""
        library = {"sqrt": ("sqrt", 1), "exp": ("exp", 1), "atan2": ("atan2", 2), "fabs": ("abs", 1)}
        own = {f"{self.prefix}_smaller": ("min", 2), f"{self.prefix}_larger": ("max", 2)}
        return {**{f"{name}{self.suffix}": row for name, row in library.items()}, **own}


class CReader:
    """The tokens of a text with their lines; `ahead` is the next one, empty at the end."""

    def __init__(self, text: str, place: int, where: str) -> None:
        self._where, self._at = where, 0
        self._tokens: list[tuple[str, int]] = []
        self._line = 1 + text.count("\n", 0, place)
        if found := re.search(r"(\\|\?\?/)\s*[\n\r]", text[place:]):  # C joins such lines, which may end a comment
            self.refuse(f"{found.group()!r} does not belong to the subset of C that Torquec writes")
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None:
                self.refuse(f"{text[place]!r} does not belong to the subset of C that Torquec writes")
            if found.lastgroup != "space":
                self._tokens.append((found.group(), self._line))
            self._line += found.group().count("\n")
            place = found.end()

    @property
    def ahead(self) -> str:
        """The next token."""
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def next(self) -> str:
        """The next token, and the one after it becomes the next."""
        token = self.ahead
        self._line = self._tokens[min(self._at, len(self._tokens) - 1)][1] if self._tokens else 1
        self._at += 1
        return token

    def take(self, *expected: str) -> None:
        """The next tokens must be these."""
        for token in expected:
            found = self.next()
            if found != token:
                self.refuse(f"{found!r} stands where {token!r} is expected")

    def holds(self, token: str) -> bool:
        """Whether the token is in the statement that comes next."""
        rest = (self._tokens[k][0] for k in range(self._at, len(self._tokens)))
        return token in itertools.takewhile(lambda text: text != ";", rest)

    def integer(self) -> int:
        """The next token as an index."""
        token = self.next()
        if not re.fullmatch(r"0|[1-9]\d{0,8}", token, re.ASCII):
            self.refuse(f"{token!r} is no index")
        return int(token)

    def comment(self, before: str, known: str = "", slots: Mapping[str, str] | None = None, after: str = "") -> None:
        """A comment of the words `before` (`NAME: #` with counts such as `11 mul, 9 add`), a known text, `after`."""
        token = self.next()
        text, begin = squeezed(token) if token.startswith("/*") else "", squeezed(before)
        if begin.endswith(":#") and text.startswith(begin[:-1]):
            text = begin[:-1] + re.sub(COUNTS, "#", text[len(begin) - 1 :])
        place = len(begin)
        if not text.startswith(begin) or not token.startswith("/*"):
            self.refuse(f"the comment is not the expected one, which begins: {before[:200]}")
        if known:
            place = after_fixed_text(text, place, known, slots or {}, f"{self._where}, line {self._line}")
        if text[place:] != squeezed(after):
            self.refuse(f"the comment does not end as expected: {after[:200]}")

    def refuse(self, reason: str) -> NoReturn:
        """Raise `RefusedError` at the line of the last token."""
        raise RefusedError(reason, where=f"{self._where}, line {self._line}", remedy=REMEDY)


def after_fixed_text(text: str, place: int, name: str, words: Mapping[str, str], where: str) -> int:
    """The place after the known text `name`, which must begin at `place`; raises `RefusedError` where it does not.

    `words` are the names of this package by the words that stand for them.
    """
    stated, *pieces = known_texts().get(name, [""])
    begin, found, same = place, [], True
    for piece in pieces:
        if isinstance(piece, str):
            same = same and text.startswith(words[piece], place)
            place += len(words[piece])
        else:
            found.append(text[place : place + piece])
            place += piece
    if not same or hashlib.sha256("\0".join(found).encode()).hexdigest() != stated:
        words_of = f"what begins {text[begin : begin + 40]!r} is not Torquec's text '{name}'"
        raise RefusedError(words_of, where=f"{where}, line {1 + text.count(chr(10), 0, begin)}", remedy=REMEDY)
    return place


def squeezed(comment: str) -> str:
    """The words of a comment without blanks and line breaks."""
    text = re.sub(r"^ \*", "", comment.removeprefix("/*").removesuffix("*/"), flags=re.MULTILINE)
    plain = text.encode("ascii", "backslashreplace").decode()
    return "".join(c for c in plain if c.isprintable() and c not in " \\")


@cache
def known_texts() -> dict[str, list[str | int]]:
    """The table of fixed texts."""
    text = (resources.files("torquec_check") / "known_texts.json").read_text(encoding="ascii")
    found: dict[str, list[str | int]] = json.loads(text)
    return found
