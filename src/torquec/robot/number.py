"""Numbers as robot files write them: plain decimal, finite, nothing around them.

Python's `float` takes "nan", "infinity" and "1_000", C's `atof` takes "1abc" and reads "1,5" as 1: all of these are
refused here.
"""

from __future__ import annotations

import math
import re

from torquec.errors import RobotFileError

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""Matches without backtracking: an invalid number of a million digits is refused at once."""


def plain_number(text: str) -> float | None:
    """The finite number written in `text`, None for anything else.

    >>> plain_number("2.5"), plain_number("nan"), plain_number("1_000")
    (2.5, None, None)
    """
    stripped = text.strip(" \t\r\n")
    value = float(stripped) if _NUMBER.fullmatch(stripped) else math.nan
    return value if math.isfinite(value) else None


def parse_number(text: str, *, what: str, where: str) -> float:
    """The finite number written in `text`; raises `RobotFileError`, naming `what` and `where`, for anything else.

    >>> parse_number(" -1.5e-3 ", what="mass", where="arm.urdf:3")
    -0.0015
    """
    value = plain_number(text)
    if value is None:
        raise RobotFileError(
            f'{what} is "{_shorten(text)}", which is not a finite number', where=where, remedy=_remedy(text.strip())
        )
    return value


def parse_vector(text: str, *, what: str, where: str) -> tuple[float, float, float]:
    """Three finite numbers separated by blanks; raises `RobotFileError` for anything else.

    >>> parse_vector("0 0.5 -1", what="axis", where="arm.urdf:3")
    (0.0, 0.5, -1.0)
    """
    words = text.split()
    if len(words) != 3:
        raise RobotFileError(
            f'{what} is "{_shorten(text)}": {len(words)} values where 3 are expected',
            where=where,
            remedy='write three numbers separated by blanks, as in "0 0 1"',
        )
    x, y, z = (parse_number(word, what=what, where=where) for word in words)
    return (x, y, z)


def _remedy(text: str) -> str:
    if "$" in text:
        return "this looks like xacro: expand it first with 'xacro robot.urdf.xacro > robot.urdf'"
    if "," in text:
        return "write a decimal point, not a comma"
    return 'write a plain decimal number such as "0.25" or "1e-3"'


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
