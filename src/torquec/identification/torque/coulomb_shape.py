"""How Coulomb friction turns over when a joint reverses: at once, over a range of speeds, or over a distance.

(1)  step:      z = sign(s)
(2)  speed:     z = tanh(s/width)
(3)  distance:  dz/dx = (sign(s) - z)/width along the way |dx|, z = 0 at the first sample (Dahl): teeth, flexsplines
                and seals bend before they slide, and what stands still keeps the torque that it stopped with

Along a way without reversals (3) has the solution z = s + (z0 - s) exp(-|x - x0|/width).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array


class Turnover(StrEnum):
    """What Coulomb friction follows at a reversal (1)-(3)."""

    STEP = "step"
    SPEED = "speed"
    DISTANCE = "distance"


@dataclass(frozen=True)
class CoulombShape:
    """A turnover and its width: a speed [rad/s or m/s] or a distance [rad or m]; none for a step."""

    turnover: Turnover = Turnover.STEP
    width: float = 0.0

    def __post_init__(self) -> None:
        if self.turnover is not Turnover.STEP and not self.width > 0.0:
            raise ArgumentError(f"a turnover of width {self.width}", remedy="give a width above zero")

    def direction(self, position: Array | None, speed: Array, *, before: tuple[Array, Array] | None = None) -> Array:
        """z (N, ...) for positions and speeds (N, ...) of shafts in the order of time; only (3) needs positions.

        `before` are position and z (...) of an earlier sample from which (3) goes on.

        >>> half = CoulombShape(Turnover.DISTANCE, 1.0 / np.log(2.0))
        >>> [round(float(z), 9) for z in half.direction(np.array([0.0, 1.0, 2.0, 1.0]), np.zeros(4))]
        [0.0, 0.5, 0.75, -0.125]
        """
        if self.turnover is Turnover.STEP:
            return np.asarray(np.sign(speed), dtype=np.float64)
        if self.turnover is Turnover.SPEED:
            return np.asarray(np.tanh(speed / self.width), dtype=np.float64)
        if position is None:
            raise ArgumentError(
                "friction that turns over a distance needs positions", remedy="give q, in order of time"
            )
        x = np.asarray(position, dtype=np.float64)
        ways = x.reshape(len(x), -1)
        first, start = (ways[0], np.zeros(ways.shape[1])) if before is None else map(np.atleast_1d, before)
        bent = [_bent(np.append(a, way), self.width, z)[1:] for way, a, z in zip(ways.T, first, start, strict=True)]
        return np.stack(bent, axis=-1).reshape(x.shape)

    def __str__(self) -> str:
        unit = {Turnover.STEP: "", Turnover.SPEED: " rad/s", Turnover.DISTANCE: " rad"}[self.turnover]
        return f"over {self.width:g}{unit}" if unit else "at once"


STEP = CoulombShape()


def _bent(position: Array, width: float, first: float) -> Array:
    """(3) from z = `first` on, way by way between reversals."""
    z = np.full(len(position), float(first))
    forward = np.diff(position) >= 0.0
    starts = np.concatenate([[0], np.flatnonzero(forward[1:] != forward[:-1]) + 1, [len(forward)]])
    for start, stop in itertools.pairwise(starts):
        if stop > start:
            side = 1.0 if forward[start] else -1.0
            way = np.abs(position[start + 1 : stop + 1] - position[start])
            z[start + 1 : stop + 1] = side + (z[start] - side) * np.exp(-way / width)
    return z
