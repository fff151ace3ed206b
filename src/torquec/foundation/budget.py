"""`Budget`: limits of time, memory and workers of a computation, divided among its passes.

The deadline is wall-clock time, not the time of a process, so that workers on other cores and machines read it alike.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace

from torquec.errors import ArgumentError, TimeLimitError


@dataclass(frozen=True)
class Budget:
    """What a computation may use: `seconds` from `start` [s since 1970], `memory` [bytes], `workers`; None: no limit.

    Time: searches return the best result so far when it is used up. Memory: programs whose proof and check need larger
    tables are not searched for (:mod:`torquec.simplification.degree_limit`). Workers: so many tasks of an executor run
    at a time.

    >>> Budget().is_over, Budget(1.0, start=0.0).is_over, Budget(10.0, start=0.0).share(0.5).until
    (False, True, 5.0)
    """

    seconds: float | None = None
    memory: int | None = None
    workers: int | None = None
    start: float = field(default_factory=lambda: time.time())  # noqa: PLW0108 - tests stop the clock

    @staticmethod
    def after(seconds: float | None, *, memory: int | None = None, workers: int | None = None) -> Budget:
        """The budget that a user states, from now on; raises `ArgumentError` for what is not positive."""
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
        """Until this part of the whole time, counted from its start; a part above 1 is a later deadline."""
        return self if self.seconds is None else replace(self, seconds=part * self.seconds)

    def share_of_rest(self, part: float) -> Budget:
        """This part of the remaining time, from now on."""
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
