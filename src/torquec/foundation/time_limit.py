"""`TimeLimit`: until when a search may go on; whoever searches asks it, and stops with the best that it has.

The end is a time of the clock, not of a process, so that workers on other cores and machines read it alike.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from torquec.errors import ArgumentError, TimeLimitError


@dataclass(frozen=True)
class TimeLimit:
    """A search that began at `start` and must end at `until` [s since 1970]; by default it never must.

    >>> TimeLimit().is_over, TimeLimit(0.0, 1.0).is_over, TimeLimit(0.0, 10.0).part(0.5).until
    (False, True, 5.0)
    """

    start: float = 0.0
    until: float = math.inf

    @staticmethod
    def after(seconds: float | None) -> TimeLimit:
        """The limit `seconds` from now, none for None; raises `ArgumentError` for what is no positive time."""
        if seconds is None:
            return TimeLimit()
        if not 0.0 < seconds < math.inf:
            raise ArgumentError(f"a time limit of {seconds} s", remedy="give a positive number of seconds")
        now = time.time()
        return TimeLimit(now, now + seconds)

    @property
    def is_stated(self) -> bool:
        """Whether there is an end at all."""
        return self.until < math.inf

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        return self.is_stated and time.time() >= self.until

    @property
    def left(self) -> float:
        """Seconds until the end, none once it is over."""
        return max(self.until - time.time(), 0.0)

    def part(self, share: float) -> TimeLimit:
        """The limit of a part of the work: this share of the whole time, from its beginning."""
        return TimeLimit(self.start, self.start + share * (self.until - self.start)) if self.is_stated else self

    def of_the_rest(self, share: float) -> TimeLimit:
        """The limit of what begins now: this share of the time that is left."""
        now = time.time()
        return TimeLimit(now, now + share * max(self.until - now, 0.0)) if self.is_stated else self

    def check(self) -> None:
        """Raise `TimeLimitError` where the time is used up."""
        if self.is_over:
            raise TimeLimitError(
                f"the time limit of {self.until - self.start:.3g} s is reached", remedy="allow more time"
            )
