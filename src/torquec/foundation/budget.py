"""`Budget`: limits of time, memory and workers of a computation, divided among its passes.

The deadline is wall-clock time, not the time of a process, so that workers on other cores and machines read it alike.

The remaining time of a step (ETA) is reported only where two estimates agree, and never rises. With a share s done
after t seconds, and a part of it, s', after t' seconds,

(1)  by the mean of all so far, s' = 0:                        left = (t - t') (1 - s) / (s - s')
(2)  by the later half alone, s' = s/2:                        the same
(3)  by the last quarter, s' = 3 s/4:                          the same

Tasks take different times: while (1) and (2) differ by more than a quarter, no estimate is reported; from half of the
step on, it is enough that (2) and (3) agree. The larger of the two is reported; then it counts down by the clock, or
falls where the work is faster. Where the work is slower, the estimate is withdrawn until it is below the last one
reported, so that no estimate ever rises. The remaining time of a time limit is reported where no estimate is smaller.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace

from torquec.errors import ArgumentError, TimeLimitError

_FIRST_SHARE, _FIRST_SECONDS = 0.1, 3.0  # share and time [s] before which (1) and (2) may agree by chance
_RELIABLE_SHARE = 0.5  # share from which on agreement of (2) and (3) is enough
_AGREEING_RATIO = 1.25  # largest ratio of two estimates that agree
_OVERRUN_FACTOR, _OVERRUN_SECONDS = 1.5, 3.0
"""The reported time is withdrawn where new estimates exceed it by this factor plus these seconds."""
_SAMPLE_SHARE = 0.01  # share between two progress samples for (2), (3)
_SHORTEST_REPORTED = 1.0  # remaining time [s] below which nothing is reported


@dataclass(frozen=True)
class Budget:
    """Limits of a computation: `seconds` from `start` [s since 1970], `memory` [bytes], `workers`; None: no limit.

    Time: when it is used up, searches return the best result so far. Memory: programs whose proof and check need larger
    tables are not searched for (:mod:`torquec.simplification.degree_limit`). Workers: the number of tasks of an
    executor that run at a time.

    >>> Budget().is_over, Budget(1.0, start=0.0).is_over, Budget(10.0, start=0.0).share(0.5).until
    (False, True, 5.0)
    """

    seconds: float | None = None
    memory: int | None = None
    workers: int | None = None
    start: float = field(default_factory=lambda: time.time())  # noqa: PLW0108 - tests stop the clock

    @staticmethod
    def after(seconds: float | None, *, memory: int | None = None, workers: int | None = None) -> Budget:
        """A budget that starts now; raises `ArgumentError` for limits that are not positive."""
        stated = {"time limit": (seconds, "seconds"), "memory limit": (memory, "bytes"), "pool": (workers, "workers")}
        for name, (value, unit) in stated.items():
            if value is not None and not 0.0 < value < math.inf:
                raise ArgumentError(f"a {name} of {value} {unit}", remedy=f"give a positive number of {unit}")
        return Budget(seconds, memory, workers)

    @property
    def is_timed(self) -> bool:
        """Whether there is a deadline."""
        return self.seconds is not None

    @property
    def until(self) -> float:
        """The deadline [s since 1970], infinite without a time limit."""
        return math.inf if self.seconds is None else self.start + self.seconds

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        return self.is_timed and time.time() >= self.until

    @property
    def remaining(self) -> float:
        """Seconds until the deadline, none once it is over."""
        return max(self.until - time.time(), 0.0)

    @property
    def untimed(self) -> Budget:
        """The same memory and workers without a deadline, for steps that must finish even after it."""
        return replace(self, seconds=None)

    def share(self, part: float) -> Budget:
        """The budget with this part of the whole time, from the same start; a part above 1 gives a later deadline."""
        return self if self.seconds is None else replace(self, seconds=part * self.seconds)

    def share_of_rest(self, part: float) -> Budget:
        """A budget of this part of the remaining time, from now on."""
        return self if self.seconds is None else replace(self, seconds=part * self.remaining, start=time.time())

    def within(self, other: Budget) -> Budget:
        """The tighter of both: the earlier deadline, less memory, fewer workers."""
        sooner = min(other, self, key=lambda budget: budget.until)
        return replace(sooner, memory=_least(self.memory, other.memory), workers=_least(self.workers, other.workers))

    def check(self) -> None:
        """Raise `TimeLimitError` where the time is used up."""
        if self.is_over:
            raise TimeLimitError(f"the time limit of {self.seconds:.3g} s is reached", remedy="allow more time")


def _least(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)


@dataclass(frozen=True)
class SaidLeft:
    """Reported remaining time [s]: an estimate or, with `limit`, the time until the time limit ends the step."""

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
    """Remaining-time estimator (ETA) of one step; `update` takes its progress."""

    def __init__(self) -> None:
        self._marks = [(0.0, 0.0)]
        self._end: float | None = None  # reported end of the step [s since it began]
        self._last = float("inf")  # last reported remaining time [s]

    def update(self, share: float | None, seconds: float, limit: float | None = None) -> SaidLeft | None:
        """The report after `seconds`, with `share` of the step done and `limit` seconds left of a time limit."""
        left = None if share is None or share >= 1.0 else self._counted(share, seconds)
        time_left = None if left is None else SaidLeft(left)
        if limit is not None and share != 1.0 and (time_left is None or limit < time_left.seconds):
            time_left = SaidLeft(limit, limit=True)
        if time_left is None or time_left.seconds < _SHORTEST_REPORTED or time_left.seconds > self._last:
            return None
        self._last = time_left.seconds
        return time_left

    def _counted(self, share: float, seconds: float) -> float | None:
        """The last report minus the time since, or a new estimate where that is smaller."""
        if share - self._marks[-1][0] >= _SAMPLE_SHARE:
            self._marks.append((share, seconds))
        if share < _FIRST_SHARE or seconds < _FIRST_SECONDS:
            return None
        every, half, quarter = (self._since(part * share, share, seconds) for part in (0.0, 0.5, 0.75))
        if self._end is not None:
            counted = self._end - seconds
            if min(every, half) > _OVERRUN_FACTOR * max(counted, 0.0) + _OVERRUN_SECONDS:
                self._end = None
            elif max(every, half) > counted / _AGREEING_RATIO:
                return counted
        pairs = [(every, half), *([(half, quarter)] if share >= _RELIABLE_SHARE else [])]
        estimate = next((max(pair) for pair in pairs if max(pair) <= _AGREEING_RATIO * min(pair)), None)
        if estimate is None or estimate > self._last:
            return None
        self._end = seconds + estimate
        return estimate

    def _since(self, part: float, share: float, seconds: float) -> float:
        """Remaining time (1)-(3) by the pace since a part of the step was done."""
        begin, then = next(mark for mark in reversed(self._marks) if mark[0] <= part)
        return (seconds - then) * (1.0 - share) / (share - begin)
