"""Six-axis force/torque sensor model: range, resolution, low-pass filter and noise.

(1)  y'' + 2 z w y' + w^2 y = w^2 u       a low-pass of second order for each of six channels, w = 2 pi cut-off
(2)  measured = r round(clip(y + noise, +-range)/r),   noise normal, a new value for every sample

(1) is stepped exactly for an input that is held over a step, so that it runs at the fine steps of the plant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.expr.math import maximum, minimum
from torquec.foundation.arrays import Array
from torquec.simulation.sensors import quantised
from torquec.spatial import Scalar

CHANNELS = 6
_SERIES_TERMS = 24  # of the exponential series of a matrix of norm below one half: truncation below rounding


@dataclass(frozen=True)
class ForceSensor:
    """Six channels, three forces [N] and three moments [N m]; the default is the ATI Gamma of Clover IV.

    From the paper: `limits` and `resolution`. Chosen here: the filter's `cutoff` [Hz] with `ratio` z (100 Hz,
    Butterworth), and a `noise` whose standard deviation is one step of resolution. An infinite cut-off means no filter.
    """

    limits: tuple[float, ...] = (133.0, 133.0, 266.0, 11.3, 11.3, 11.3)
    resolution: tuple[float, ...] = (0.11, 0.11, 0.22, 0.006, 0.006, 0.006)
    noise: tuple[float, ...] = (0.11, 0.11, 0.22, 0.006, 0.006, 0.006)
    cutoff: float = 100.0
    ratio: float = math.sqrt(0.5)

    def __post_init__(self) -> None:
        for name in ("limits", "resolution", "noise"):
            values = getattr(self, name)
            if len(values) != CHANNELS or not all(value >= 0.0 for value in values):
                raise ArgumentError(f"the {name} of a force sensor: {values}", remedy="give six numbers, zero or more")
        if not (self.cutoff > 0.0 and self.ratio > 0.0):
            raise ArgumentError(
                f"a filter of {self.cutoff} Hz with the damping ratio {self.ratio}", remedy="give positive numbers"
            )

    @property
    def memory_size(self) -> int:
        """Size of the filter's state: value and rate of every channel."""
        return 2 * CHANNELS

    def filtered(self, memory: Sequence[Scalar], wrench: Sequence[Scalar], h: float) -> list[Scalar]:
        """The filter's memory after a step h [s] with the wrench (6,) held (1)."""
        if math.isinf(self.cutoff):
            return [*wrench, *memory[CHANNELS:]]
        (a, b), (c, d), (p, q) = _transition(2.0 * math.pi * self.cutoff, self.ratio, h)
        values, rates = memory[:CHANNELS], memory[CHANNELS:]
        new = [a * y + b * v + p * u for y, v, u in zip(values, rates, wrench, strict=True)]
        return [*new, *(c * y + d * v + q * u for y, v, u in zip(values, rates, wrench, strict=True))]

    def measured(self, memory: Sequence[Scalar], noise: Sequence[Scalar] | None) -> list[Scalar]:
        """The measurement (6,), equation (2); `noise` (6,) has deviation one."""
        read: list[Scalar] = []
        for k in range(CHANNELS):
            value = memory[k]
            if noise is not None and self.noise[k]:
                value = value + self.noise[k] * noise[k]
            most = self.limits[k]
            if not math.isinf(most):
                value = minimum(most, maximum(-most, value))
            read.append(quantised(value, self.resolution[k]))
        return read


PERFECT_SENSOR = ForceSensor((math.inf,) * 6, (0.0,) * 6, (0.0,) * 6, math.inf)
"""A sensor that measures exactly."""


def _transition(w: float, z: float, h: float) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]:
    """State rows and input column of the exact step of (1): exp of the matrix with the input as a third state."""
    A: Array = np.array([[0.0, 1.0, 0.0], [-w * w, -2.0 * z * w, w * w], [0.0, 0.0, 0.0]]) * h
    scale = np.diag([1.0, w, 1.0])  # rates in units of w: the norm is that of w h
    B = np.linalg.inv(scale) @ A @ scale
    halvings = max(0, math.ceil(math.log2(max(float(np.abs(B).sum()), 1e-300))) + 1)
    B = B / 2.0**halvings
    term, total = np.eye(3), np.eye(3)
    for k in range(1, _SERIES_TERMS):
        term = term @ B / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    E = scale @ total @ np.linalg.inv(scale)
    (a, b, p), (c, d, q) = ((float(x) for x in row) for row in E[:2])
    return (a, b), (c, d), (p, q)
