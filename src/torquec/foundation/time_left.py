"""Remaining time of a step (ETA): reported only where two estimates agree, and never rising.

With a share s done after t seconds, and a part of it, s', after t' seconds,

(1)  by the mean of all so far, s' = 0:                        left = (t - t') (1 - s) / (s - s')
(2)  by the later half alone, s' = s/2:                        the same
(3)  by the last quarter, s' = 3 s/4:                          the same

Tasks are not alike: while (1) and (2) differ by more than a quarter neither is worth anything, and nothing is said;
from half of the step on, it is enough that (2) and (3) agree. The larger of the two is said, and from then on it counts
down by the clock, or falls where the work is faster.
Where the work turns out to be slower, it is taken back: nothing is said until less is left than was said last, so that
no estimate ever rises. The rest of a time limit is no estimate; it is said where there is no smaller one.
"""

from __future__ import annotations

from dataclasses import dataclass

_SHARE_KNOWN, _SECONDS_KNOWN = 0.1, 3.0
"""A share and a time before which (1) and (2) agree by chance."""
_MOST_IS_KNOWN = 0.5
"""The share from which on the pace of the last part is enough."""
_AGREE = 1.25
"""The largest quotient of estimates that agree."""
_SLOWER, _SLOWER_SECONDS = 1.5, 3.0
"""An estimate beyond this many times what was said, and these seconds, takes it back."""
_MARK = 0.01
"""The share after which progress is noted for (2)."""
_SMALLEST = 1.0
"""Seconds below which the time left is not worth saying."""


@dataclass(frozen=True)
class SaidLeft:
    """What is said: `seconds` left, by an estimate or, with `limit`, until the time limit ends the step."""

    seconds: float
    limit: bool = False

    def __str__(self) -> str:
        """
        >>> print(SaidLeft(12.3), "/", SaidLeft(40.0, limit=True))
        about 12 s left / at most 40 s left, its time limit
        """
        if self.limit:
            return f"at most {self.seconds:.0f} s left, its time limit"
        return f"about {self.seconds:.0f} s left"


class TimeLeft:
    """The estimates of one step; `update` is told how far it is."""

    def __init__(self) -> None:
        self._marks = [(0.0, 0.0)]
        self._end: float | None = None  # when the step ends by what was said [s since it began]
        self._last = float("inf")  # what was said last [s]

    def update(self, share: float | None, seconds: float, limit: float | None = None) -> SaidLeft | None:
        """What to say after `seconds`, with `share` of the step done and `limit` seconds left of a time limit."""
        left = None if share is None or share >= 1.0 else self._counted(share, seconds)
        said = None if left is None else SaidLeft(left)
        if limit is not None and share != 1.0 and (said is None or limit < said.seconds):
            said = SaidLeft(limit, limit=True)
        if said is None or said.seconds < _SMALLEST or said.seconds > self._last:
            return None
        self._last = said.seconds
        return said

    def _counted(self, share: float, seconds: float) -> float | None:
        """What was said less the time since, or a new estimate where it is less."""
        if share - self._marks[-1][0] >= _MARK:
            self._marks.append((share, seconds))
        if share < _SHARE_KNOWN or seconds < _SECONDS_KNOWN:
            return None
        every, half, quarter = (self._since(part * share, share, seconds) for part in (0.0, 0.5, 0.75))
        if self._end is not None:
            counted = self._end - seconds
            if min(every, half) > _SLOWER * max(counted, 0.0) + _SLOWER_SECONDS:
                self._end = None
            elif max(every, half) > counted / _AGREE:
                return counted
        pairs = [(every, half), *([(half, quarter)] if share >= _MOST_IS_KNOWN else [])]
        estimate = next((max(pair) for pair in pairs if max(pair) <= _AGREE * min(pair)), None)
        if estimate is None or estimate > self._last:
            return None
        self._end = seconds + estimate
        return estimate

    def _since(self, part: float, share: float, seconds: float) -> float:
        """(1)-(3): what is left by the pace since a part of the step was done."""
        begin, then = next(mark for mark in reversed(self._marks) if mark[0] <= part)
        return (seconds - then) * (1.0 - share) / (share - begin)
