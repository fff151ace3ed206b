"""The values of a free joint for which a branch reaches a pose within all joint limits, as intervals.

(1)  s(x) = the smallest distance of a joint to its limits where the pose is met, else minus what is missed;
     x is allowed where s(x) >= 0
(2)  s is sampled; where two samples differ in sign, bisection finds the end to `END` rad
(3)  between samples that agree, a lowest (or highest) sample is followed to the extremum by golden section, so that a
     gap (or an island) that the samples stepped over is found where s turns there once
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from torquec.foundation.arrays import Array, Indices

SAMPLES = 2048
"""Over the range of the free joint: a step is about 3 mrad for a joint that turns all around."""

END = 1e-12
"""How well the ends are known [rad or m], limits of the joints apart."""

Score: TypeAlias = Callable[[Array, Indices], Array]
"""s(x) of (1) for values (M,) and the branch that each is asked of (M,)."""

_BISECTIONS = 60  # halvings of a step: what is left is below the spacing of doubles
_SECTIONS = 45  # each leaves 0.618 of a bracket: 45 leave 4e-10 of it, where a smooth extremum is flat to rounding
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


@dataclass(frozen=True)
class FreeIntervals:
    """For every branch the intervals (lower, upper) of the joint `joint`, in order."""

    joint: str
    names: tuple[str, ...]
    intervals: tuple[tuple[tuple[float, float], ...], ...]


def free_intervals(score: Score, branches: int, lower: float, upper: float) -> list[list[tuple[float, float]]]:
    """The intervals of lower..upper in which s >= 0, for every branch (1)-(3)."""
    x = np.linspace(lower, upper, SAMPLES)
    rows = np.repeat(np.arange(branches), SAMPLES)
    s = score(np.tile(x, branches), rows).reshape(branches, SAMPLES)
    ends, tops = _extrema(score, x, s)
    found = []
    for k in range(branches):
        extra = [(at, value) for branch, at, value in zip(*ends, tops, strict=True) if branch == k]
        points = np.array(sorted([*zip(x, s[k], strict=True), *extra]))
        found.append(_runs(score, k, points))
    return found


def _extrema(score: Score, x: Array, s: Array) -> tuple[tuple[Indices, Array], Array]:
    """((branches, places), values) of extrema on the other side of zero than the samples beside them (3)."""
    allowed = s >= 0.0
    side = np.where(allowed, 1.0, -1.0)
    # Looking for the lowest point of what is allowed, and the highest of what is not.
    tops = -side * s
    middle = tops[:, 1:-1]
    same = (allowed[:, 1:-1] == allowed[:, :-2]) & (allowed[:, 1:-1] == allowed[:, 2:])
    branch, at = np.nonzero(same & (middle >= tops[:, :-2]) & (middle >= tops[:, 2:]))
    sign = -side[branch, at + 1]
    low, high = x[at], x[at + 2]
    for _ in range(_SECTIONS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        better = sign * score(left, branch) > sign * score(right, branch)
        low, high = np.where(better, low, left), np.where(better, right, high)
    place = 0.5 * (low + high)
    value = score(place, branch)
    crossed = (value >= 0.0) != allowed[branch, at + 1]
    return (branch[crossed], place[crossed]), value[crossed]


def _runs(score: Score, branch: int, points: Array) -> list[tuple[float, float]]:
    """The intervals between the changes of sign in points (x, s) of one branch (2)."""
    if not len(points):
        return []
    x, allowed = points[:, 0], points[:, 1] >= 0.0
    change = np.flatnonzero(allowed[1:] != allowed[:-1])
    low, high = x[change], x[change + 1]
    first = allowed[change]
    which = np.full(len(change), branch)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        as_first = (score(middle, which) >= 0.0) == first
        low, high = np.where(as_first, middle, low), np.where(as_first, high, middle)
    # The end that is allowed, so that it can be taken.
    ends = np.where(first, low, high)
    edges = [*([x[0]] if allowed[0] else []), *ends, *([x[-1]] if allowed[-1] else [])]
    return [(float(a), float(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
