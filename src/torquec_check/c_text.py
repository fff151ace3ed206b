"""The text of a package: comments, fixed texts, and pieces up to a mark, each with its line.

`known_texts.json` holds the texts that every package has, with PREFIX for the package's name: includes, kernels of sine
and cosine, the build file, and words of comments. Torquec's tests compare the table with the writers of the packages.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources
from typing import NoReturn

from torquec_check.document import RefusedError

REMEDY = "take the package from where it was made, or generate it again"
COUNTS = r"(?:\d+ (?:mul|add|div|sincos|other)(?:,(?=\d))?)+"
"""Operation counts in a comment, such as `11 mul, 9 add`, as `squeezed` gives them."""


class CText:
    """A text that is read from its beginning; blanks are spaces and line breaks."""

    def __init__(self, text: str, where: str) -> None:
        self._text, self._where, self._place = text, where, 0
        if found := re.search(r"(\\|\?\?/)\s*[\n\r]|[^\n -~]", text):  # lines that C joins; what screens hide
            self._place = found.start()
            self.refuse(f"{found.group()!r} does not belong to the subset of C that Torquec writes")

    @property
    def at_end(self) -> bool:
        """Whether nothing but blanks is left."""
        return self.goes_on_with("") and self._place == len(self._text)

    def goes_on_with(self, expected: str) -> bool:
        """Whether this comes next, after blanks."""
        while self._text[self._place : self._place + 1] in ("\n", " "):
            self._place += 1
        return self._text.startswith(expected, self._place)

    def take(self, expected: str) -> None:
        """The text goes on with this."""
        if not self.goes_on_with(expected):
            self.refuse(f"{self._text[self._place :][:40]!r} stands where {expected[:60]!r} is expected")
        self._place += len(expected)

    def until(self, mark: str) -> str:
        """What comes before the next mark; the text goes on after the mark."""
        end = self._text.find(mark, self._place)
        if end < 0:
            self.refuse(f"{mark!r} is expected")
        found, self._place = self._text[self._place : end], end + len(mark)
        return found

    def comment(self, words: str, known: str = "") -> None:
        """A comment of these words, then of known ones, in which # stands for operation counts."""
        self.take("/*")
        expected = COUNTS.join(re.escape(squeezed(f"{words} {known}")).rsplit(r"\#", known.count("#")))
        if not re.fullmatch(expected, squeezed(self.until("*/"))):
            self.refuse(f"the comment is not the expected one, which begins: {words[:200]}")

    def refuse(self, reason: str) -> NoReturn:
        """Raise `RefusedError` at the line that was read last."""
        line = 1 + self._text.count("\n", 0, self._place)
        raise RefusedError(reason, where=f"{self._where}, line {line}", remedy=REMEDY)


def squeezed(comment: str) -> str:
    """The words of a comment, without stars that begin lines; blanks count between letters, digits and .+-# only."""
    plain = re.sub(r"^ \*", "", comment, flags=re.MULTILINE).encode("ascii", "backslashreplace").decode()
    return re.sub(r"(?<![\w.+#-]) | (?![\w.+#-])", "", re.sub(r"(?:\\*(?:[^!-~]|$))+", " ", plain))


@cache
def _known_texts() -> dict[str, str]:
    found: dict[str, str] = json.loads((resources.files("torquec_check") / "known_texts.json").read_text("ascii"))
    return found


def known_text(name: str, prefix: str) -> str:
    """A text of the table, for the package with this name; raises `RefusedError` for another one."""
    if name not in _known_texts():
        raise RefusedError(f"Torquec has no text '{name[:60]}'", remedy=REMEDY)
    return _known_texts()[name].replace("PREFIX", prefix)
