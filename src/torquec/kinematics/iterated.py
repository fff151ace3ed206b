"""Damped Newton steps on many rows side by side: every row a start of its own.

(1)  steps (`refinement`) until a row is met to `CLOSED`, at most `STEPS`; the best of them is kept

A row that still misses is near the nearest pose that was found, by least squares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Mask

STEPS = 40
"""A start that converges does so in five to ten steps; the others crawl along a valley, and are given up here."""

APART = 1e-5
"""Positions that differ by less than this [rad or m] in every joint are one branch, whole turns aside."""

CLOSED = 1e-13
"""A row whose error [m, rad] is below this needs no further step."""


@dataclass(frozen=True)
class Iteration:
    """What is iterated: one step on rows, and which joints turn."""

    step: Callable[[Array, Array, Array], tuple[Array, Array]]
    """q (M, n), rotation (M, 3, 3), position (M, 3) -> q (M, n) and the error (M, 2) before the step."""
    turning: Array
    """(n,), 1 for joints that turn, 0 for slides"""
    moving: Array
    """(n,), 1 for joints that the iteration moves"""
    missed: float
    """Of the position [m]: more than this is out of reach."""


def solve_rows(iteration: Iteration, q: Array, rotation: Array, position: Array) -> tuple[Array, Array]:
    """(q, error) of the rows after the steps of (1)."""
    q, best, error = q.copy(), q.copy(), np.full((len(q), 2), np.inf)
    active = np.arange(len(q))
    for _ in range(STEPS):
        new, before = iteration.step(q[active], rotation[active], position[active])
        better = before.sum(axis=1) < error[active].sum(axis=1)
        best[active[better]], error[active[better]] = q[active[better]], before[better]
        q[active] = new
        active = active[before.max(axis=1) > CLOSED]
        if not len(active):
            break
    return best, error


def is_met(iteration: Iteration, error: Array) -> Mask:
    """Whether errors (..., 2) are within what counts as met."""
    return np.asarray(error.max(axis=-1) <= iteration.missed)


def distance(turning: Array, a: Array, b: Array) -> Array:
    """The largest difference of two positions over the last axis, whole turns aside."""
    apart = a - b
    wrapped = (apart + np.pi) % (2.0 * np.pi) - np.pi
    return np.asarray(np.abs(np.where(turning > 0.0, wrapped, apart)).max(axis=-1))
