"""The box of motions over which a torque error is bounded, and motions drawn from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array


@dataclass(frozen=True)
class Motions:
    """The box of motions: ranges of the positions, largest speeds and accelerations, per joint (n,)."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    velocity: tuple[float, ...]
    acceleration: tuple[float, ...]


def sampled_motions(motions: Motions, count: int, *, rng: np.random.Generator | None = None) -> Array:
    """Motions (count, 3, n): positions over the box, speeds mostly at their limits, accelerations at theirs."""
    rng = rng or np.random.default_rng(0)
    lower, upper = np.array(motions.lower), np.array(motions.upper)
    n = len(lower)
    speeds = _signs(rng, (count, n)) * np.array(motions.velocity)
    speeds[::3] *= rng.uniform(0.0, 1.0, speeds[::3].shape)
    accelerations = _signs(rng, (count, n)) * np.array(motions.acceleration)
    return np.stack([rng.uniform(lower, upper, (count, n)), speeds, accelerations], axis=1)


def _signs(rng: np.random.Generator, shape: Sequence[int]) -> Array:
    return np.where(rng.random(tuple(shape)) < 0.5, -1.0, 1.0)
