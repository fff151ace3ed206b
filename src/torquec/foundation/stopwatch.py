"""Interleaved timing of function calls: each round times every call, so that a busy machine disturbs all alike."""

from __future__ import annotations

import statistics
import timeit
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_ROUND_SECONDS = 0.004
"""Time [s] of one call's repetitions in a round: long against the clock's resolution, short against a time slice."""


@dataclass(frozen=True)
class Timing:
    """Nanoseconds per call: the fastest round and the median one."""

    minimum: float
    median: float


def race(contestants: Mapping[str, Callable[[], object]], *, rounds: int = 25) -> dict[str, Timing]:
    """Time the calls interleaved over `rounds` rounds; gives a `Timing` by name."""
    timers = {name: timeit.Timer(call) for name, call in contestants.items()}
    repeats = {name: _repeats(timer) for name, timer in timers.items()}
    seen: dict[str, list[float]] = {name: [] for name in timers}
    for _ in range(rounds):
        for name, timer in timers.items():
            seen[name].append(timer.timeit(repeats[name]) / repeats[name] * 1e9)
    return {name: Timing(min(times), statistics.median(times)) for name, times in seen.items()}


def _repeats(timer: timeit.Timer) -> int:
    """How many calls fill a round; the best of three, since one slow run here would leave too few calls."""
    repeats = 1
    while (elapsed := min(timer.repeat(3, repeats))) < _ROUND_SECONDS / 4:
        repeats *= 4
    return max(1, round(repeats * _ROUND_SECONDS / elapsed))
