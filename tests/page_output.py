"""Printed results on pages: compare a text on a page with the text that its command prints, and renew it.

Lines are compared without their indentation, and runs of blanks count as one. `...` stands for any text of a line, and
on a line of its own for any number of lines: timings, paths and other figures of one machine. A whole number has to be
the same; a number with a decimal point may differ by 0.1 % or by one unit of its last printed digit, whichever is more.
A page can state another tolerance, which then holds for whole numbers as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

WILDCARD = "..."
DECIMALS_WITHIN = 1e-3
"""Relative tolerance of numbers with a decimal point; covers the last digits, in which processors differ."""

NUMBER = r"(?<![\w.])[-+−]?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?"
_TOKEN = re.compile(rf"({re.escape(WILDCARD)})|({NUMBER})|(\s+)")


def agree(printed: str, actual: str, *, within: float | None = None) -> bool:
    """Whether two numbers, as text, are the same but for the tolerance."""
    first, second = (float(text.replace(",", "").replace("−", "-")) for text in (printed, actual))
    digits, _, exponent = printed.lower().partition("e")
    decimals = digits.partition(".")[2]
    if within is None and not decimals and not exponent:
        return first == second
    unit = 1.0001 * 10.0 ** (int(exponent or 0) - len(decimals)) if decimals or exponent else 0.0
    allowed = (DECIMALS_WITHIN if within is None else within) * max(abs(first), abs(second))
    return abs(first - second) <= max(allowed, unit)


def difference(printed: str, actual: str, *, within: float | None = None) -> str:
    """Why the text on a page is not what was printed; "" where it is."""
    there = _lines(actual)
    if _places(_segments(printed), there, lambda line, real: _same(line, real, within)) is not None:
        return ""
    return "\n".join(["the page has", *_lines(printed), "and the command prints", *there])


def renewed(printed: str, actual: str, *, within: float | None = None) -> str:
    """The real lines, with wildcards where the page has them; lines that agree stay as the page has them."""
    there, segments = _lines(actual), _segments(printed)
    places = _places(segments, there, _alike)
    if places is None and len(segments) == 1:
        known = segments[0]
        return _joined(
            [next((_renewed_line(k, line, within) for k in known if _alike(k, line)), line) for line in there]
        )
    if places is None:
        raise ValueError(f"lines beside {WILDCARD!r} are not among those printed: write this block by hand\n{actual}")
    lines: list[str] = []
    for k, (segment, place) in enumerate(zip(segments, places, strict=True)):
        lines += [WILDCARD] * (k > 0)
        lines += [_renewed_line(line, there[place + row], within) for row, line in enumerate(segment)]
    return _joined(lines)


def _lines(text: str) -> list[str]:
    """The lines of a text without blank ones at either end."""
    return [line.rstrip() for line in text.strip("\n").rstrip().split("\n")] if text.strip() else []


def _joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _segments(printed: str) -> list[list[str]]:
    """The lines between wildcards that are lines of their own."""
    segments: list[list[str]] = [[]]
    for line in _lines(printed):
        if line.strip() == WILDCARD:
            segments.append([])
        else:
            segments[-1].append(line)
    return segments


def _places(segments, there, same) -> list[int] | None:
    """Where each segment stands among the real lines: the first at the beginning, the last at the end; or None."""
    places, begin = [], 0
    for k, segment in enumerate(segments):
        last = len(there) - len(segment)
        candidates = range(1) if k == 0 else range(begin, last + 1)
        if k == len(segments) - 1:
            candidates = range(last, last + 1) if last in candidates else range(0)
        place = next((at for at in candidates if _fits(segment, there[at : at + len(segment)], same)), None)
        if place is None:
            return None
        places.append(place)
        begin = place + len(segment)
    return places


def _fits(segment: Sequence[str], real: Sequence[str], same) -> bool:
    return len(segment) == len(real) and all(same(line, other) for line, other in zip(segment, real, strict=True))


def _match(line: str, real: str) -> tuple[re.Match[str] | None, list[str | None]]:
    """A line of a page against a real one, any number against a number; and its numbers in order, None for `...`."""
    parts, groups, end = [], [], 0
    for token in _TOKEN.finditer(line.strip()):
        parts.append(re.escape(line.strip()[end : token.start()]))
        end = token.end()
        if token[3]:
            parts.append(r"\s+")
            continue
        parts.append("(.*?)" if token[1] else f"({NUMBER})")
        groups.append(token[2])
    parts.append(re.escape(line.strip()[end:]))
    return re.fullmatch("".join(parts), real.strip()), groups


def _alike(line: str, real: str) -> bool:
    """Whether a real line is that of the page but for numbers."""
    return _match(line, real)[0] is not None


def _same(line: str, real: str, within: float | None) -> bool:
    found, groups = _match(line, real)
    if found is None:
        return False
    pairs = zip(groups, found.groups(), strict=True)
    return all(agree(number, other, within=within) for number, other in pairs if number is not None)


def _renewed_line(line: str, real: str, within: float | None) -> str:
    """The real line with the page's wildcards; the page's own line where it agrees."""
    if _same(line, real, within):
        return line
    found, groups = _match(line, real)
    text, offset = real, len(real) - len(real.lstrip())
    for k in reversed(range(len(groups))):
        if groups[k] is None:
            begin, end = (offset + at for at in found.span(k + 1))
            text = text[:begin] + WILDCARD + text[end:]
    return text
