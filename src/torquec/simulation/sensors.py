"""Sensor models: noise, encoder quantisation, delay and speed by differences.

Per joint, at every sample k, with the sampling interval h:

(1)  noisy      a_k = q + noise                    normal, seeded, a new value for every sample
(2)  quantised  b_k = r round(a_k / r)             an encoder of resolution r
(3)  delayed    m_k = b_(k-d)                      d samples late
(4)  speed      w_k = (m_k - m_(k-1)) / h          where the speed is not measured itself
(5)  filtered   v_k = v_(k-1) + c (w_k - v_(k-1))  with c = 1 where there is no filter
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torquec.control.uncertainty import SpeedSource
from torquec.errors import ArgumentError
from torquec.expr.math import minimum
from torquec.foundation.choice import chosen
from torquec.spatial import Scalar

_ROUNDING_SHIFT = 1.5 * 2.0**52  # see its use: adding it rounds to whole numbers
_WHOLE_DOUBLES = 2.0**53  # end of the range in which doubles are whole numbers only


@dataclass(frozen=True)
class Sensors:
    """Sensors between the robot and its controller; the default measures exactly.

    `resolution` [rad or m], one for all joints or one per joint, zero for none; `position_noise` and `speed_noise`
    standard deviations; `delay` in samples; `filter_share` is c of (5). Raises `ArgumentError` for negative values.
    """

    resolution: float | tuple[float, ...] = 0.0
    speed: SpeedSource = SpeedSource.MEASURED
    position_noise: float = 0.0
    speed_noise: float = 0.0
    delay: int = 0
    filter_share: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "speed", chosen(SpeedSource, self.speed, "source of the speed"))
        numbers = [*np.atleast_1d(self.resolution).tolist(), self.position_noise, self.speed_noise]
        if not all(math.isfinite(value) and value >= 0.0 for value in numbers):
            raise ArgumentError("a resolution or a noise is negative or not finite", remedy="give zero or more")
        if isinstance(self.delay, bool) or not isinstance(self.delay, int) or self.delay < 0:
            raise ArgumentError(f"a delay of {self.delay!r} samples", remedy="give a whole number, zero or more")
        if not 0.0 < self.filter_share <= 1.0:
            raise ArgumentError(f"a filter share of {self.filter_share!r}", remedy="give a number above 0, up to 1")

    @property
    def is_noisy(self) -> bool:
        """Whether the loop needs random numbers, 2n per sample."""
        return self.position_noise > 0.0 or (self.speed_noise > 0.0 and self.speed is SpeedSource.MEASURED)

    def resolutions(self, n: int) -> list[float]:
        """One resolution per joint; raises `ArgumentError` for a wrong number of them."""
        values = (
            [float(value) for value in np.broadcast_to(np.atleast_1d(self.resolution), (n,)).tolist()]
            if (np.size(self.resolution) in (1, n))
            else []
        )
        if len(values) != n:
            raise ArgumentError(
                f"{np.size(self.resolution)} encoder resolutions for {n} joints", remedy="give one, or one per joint"
            )
        return values

    def memory_size(self, n: int) -> int:
        """Size of the sensors' memory: delayed positions (and speeds), the last position and speed."""
        if self.speed is SpeedSource.MEASURED:
            return 2 * n * self.delay
        return n * self.delay + 2 * n

    def first_memory(self, q: npt.ArrayLike, qd: npt.ArrayLike, *, period: float) -> list[float]:
        """Initial memory: that of a robot that reached (q, qd) at constant speed."""
        position, speed = np.asarray(q, dtype=np.float64), np.asarray(qd, dtype=np.float64)
        late = [position - period * k * speed for k in range(self.delay, 0, -1)]
        if self.speed is SpeedSource.MEASURED:
            return [float(v) for row in (*late, *([speed] * self.delay)) for v in row]
        before = position - period * (self.delay + 1) * speed
        return [float(v) for row in (*late, before, speed) for v in row]


@dataclass(frozen=True)
class Measurement:
    """Measured positions and speeds (n,), and the memory for the next sample."""

    q: list[Scalar]
    qd: list[Scalar]
    memory: list[Scalar]


def measure(
    sensors: Sensors,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    memory: Sequence[Scalar],
    *,
    noise: Sequence[Scalar] | None,
    period: float,
) -> Measurement:
    """The measurement at true positions q (n,) and speeds qd (n,); `noise` (2n,) has deviation one."""
    n = len(q)
    position, speed = list(q), list(qd)
    if noise is not None and sensors.position_noise:
        position = [value + sensors.position_noise * noise[i] for i, value in enumerate(position)]
    position = [quantised(value, step) for value, step in zip(position, sensors.resolutions(n), strict=True)]
    position, waiting = _delayed(position, memory[: n * sensors.delay])
    rest = memory[n * sensors.delay :]
    if sensors.speed is SpeedSource.MEASURED:
        if noise is not None and sensors.speed_noise:
            speed = [value + sensors.speed_noise * noise[n + i] for i, value in enumerate(speed)]
        speed, more = _delayed(speed, rest)
        return Measurement(position, speed, [*waiting, *more])
    before, last = rest[:n], rest[n:]
    raw = [(new - old) * (1.0 / period) for new, old in zip(position, before, strict=True)]
    c = sensors.filter_share
    speed = raw if c == 1.0 else [old + c * (new - old) for new, old in zip(raw, last, strict=True)]
    return Measurement(position, speed, [*waiting, *position, *speed])


def quantised(value: Scalar, resolution: float) -> Scalar:
    """The nearest multiple of the resolution (2); the value itself where the resolution is zero.

    >>> quantised(0.26, 0.1), quantised(-0.24, 0.1)
    (0.30000000000000004, -0.2)
    """
    if resolution == 0.0:
        return value
    # Doubles between 2^52 and 2^53 are whole numbers: adding rounds. The minimum keeps the sum from being rewritten.
    return resolution * (minimum(value * (1.0 / resolution) + _ROUNDING_SHIFT, _WHOLE_DOUBLES) - _ROUNDING_SHIFT)


def _delayed(new: list[Scalar], waiting: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
    """(the values that arrive now, the delayed ones), oldest first (3)."""
    n = len(new)
    line = [*waiting, *new]
    return line[:n], line[n:]
