"""From values to places on a drawing: linear and logarithmic scales, with round numbers as their ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from torquec.report.blocks import Axis
from torquec.report.provenance import shortened

_ROOM = 0.04  # part of the range that stays free at both ends, so that no curve runs along the frame
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)  # between ticks, times a power of ten
_FAR = 20.0  # ranges: what lies farther away is as invisible there
_HUGE = 1e100  # no quantity is as large; differences and ratios of smaller ones do not overflow
_FEWEST_DECADES = 2  # with fewer of them, whole powers of ten are too few ticks


@dataclass(frozen=True)
class Scale:
    """A range of values on a range of places; `ticks` lie inside it."""

    low: float
    high: float
    start: float
    end: float
    log: bool
    ticks: tuple[float, ...]

    def place(self, value: float) -> float:
        """Where a value lies; what no logarithm is defined for lies at the beginning."""
        if self.log:
            if value <= 0.0:
                return self.start
            share = (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + min(max(share, -_FAR), _FAR) * (self.end - self.start)

    def label(self, tick: float) -> str:
        """The text of a tick."""
        return shortened(tick, 5)


def scale_of(axis: Axis, values: Iterable[float], start: float, end: float, *, most: int = 6) -> Scale:
    """The scale that shows all values, or the range that the axis states, with about `most` ticks."""
    finite = [value for value in values if abs(value) < _HUGE and (value > 1.0 / _HUGE or not axis.log)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0) if not axis.log else (0.1, 1.0)
    low, high = (axis.low if axis.low is not None else low), (axis.high if axis.high is not None else high)
    if axis.log:
        low, high = (low, high) if high > low * 1.001 else (low / 2.0, high * 2.0)
        grown = (high / low) ** _ROOM
        low, high = low / grown, high * grown
        return Scale(low, high, start, end, True, _decades(low, high, most))
    if not high > low:
        size = abs(low) or 1.0
        low, high = low - 0.5 * size, high + 0.5 * size
    room = _ROOM * (high - low)
    low, high = low - room, high + room
    return Scale(low, high, start, end, False, _round_ticks(low, high, most))


def _round_ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten.

    >>> _round_ticks(0.0, 1.0, 6)
    (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    """
    rough = (high - low) / max(1, most)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((s * power for s in _STEPS if s * power >= rough * 0.999), 10.0 * power)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return tuple(float(f"{k * step:.12g}") for k in range(first, last + 1))


def _decades(low: float, high: float, most: int) -> tuple[float, ...]:
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    stride = max(1, math.ceil((last - first + 1) / most))
    whole = tuple(10.0**k for k in range(first, last + 1, stride))
    if len(whole) > _FEWEST_DECADES:
        return whole
    fine = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1.0, 2.0, 5.0)]
    return tuple(tick for tick in fine if low <= tick <= high)
