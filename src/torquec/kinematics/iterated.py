"""Branches by iteration: starting points, damped Newton steps on all of them side by side, and starts again.

(1)  starting points: the branches of the tidy arm next to a calibrated one (`near_arm`), where folds are held apart;
     for an arm without a closed form, the reference and points spread over the joints' ranges
(2)  steps (`refinement`) until no row gets better, at most `STEPS`; every branch is one row of a batch
(3)  a branch that missed, or ended where another one did, starts again beside its starting point, at most
     `RESTARTS` times

A branch that still misses is the nearest pose that was found, by least squares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Indices, Mask

STEPS = 40
"""A start that converges does so in five to ten steps; the others crawl along a valley, and are given up here."""

RESTARTS = 12
"""Each finds about half of what is still missing."""

SPREADS = (0.3, 1.0, 3.0)
"""Restarts move each joint by up to these [rad, or m of a slide] about the starting point, one after the other."""

APART = 1e-5
"""Positions that differ by less than this [rad or m] in every joint are one branch, whole turns aside."""

CLOSED = 1e-12
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
    """(q, error) of the rows after the steps of (2)."""
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


def solve_branches(
    iteration: Iteration, starts: Array, rotation: Array, position: Array, *, hopeful: Mask, every: bool
) -> tuple[Array, Array]:
    """(q, error) for starts (N, branches, n) of N poses (2).

    (3) is done for those that are `hopeful` (N, branches) and, without `every`, whose pose no branch meets.
    """
    count, branches, n = starts.shape

    def rows(which: Indices, begin: Array) -> tuple[Array, Array]:
        pose = which // branches
        return solve_rows(iteration, begin, rotation[pose], position[pose])

    everything = np.arange(count * branches)
    flat = starts.reshape(-1, n)
    q, error = rows(everything, flat)
    rng = np.random.default_rng(0)  # the same starts in every run
    for again in range(RESTARTS):
        unsettled = _unsettled(iteration, q.reshape(count, branches, n), error)
        if not every:
            unsettled &= np.repeat(~_met(iteration, error).reshape(count, branches).any(axis=1), branches)
        open_ = np.flatnonzero(unsettled & hopeful.reshape(-1))
        if not len(open_):
            break
        shift = rng.uniform(-1.0, 1.0, (len(open_), n)) * SPREADS[again % len(SPREADS)] * iteration.moving
        found, missed = rows(open_, flat[open_] + shift)
        taken = _is_new(iteration, q.reshape(count, branches, n), error, open_, found)
        met, had = _met(iteration, missed), _met(iteration, error[open_])
        nearer = missed.sum(axis=1) < error[open_].sum(axis=1)
        better = (met & taken) | (~met & ~had & nearer)
        q[open_[better]], error[open_[better]] = found[better], missed[better]
    return q.reshape(starts.shape), error.reshape(count, branches, 2)


def _met(iteration: Iteration, error: Array) -> Mask:
    return np.asarray((error[:, 0] <= iteration.missed) & (error[:, 1] <= iteration.missed))


def _unsettled(iteration: Iteration, q: Array, error: Array) -> Mask:
    """(N * branches,), whether a branch misses its pose or stands where an earlier one does."""
    met = _met(iteration, error).reshape(q.shape[:2])
    bad = ~met
    for k in range(1, q.shape[1]):
        same = distance(iteration.turning, q[:, :k], q[:, k : k + 1]) < APART
        bad[:, k] |= (same & met[:, :k]).any(axis=1)
    return np.asarray(bad.reshape(-1))


def _is_new(iteration: Iteration, q: Array, error: Array, rows: Indices, found: Array) -> Mask:
    """Whether what was found for some rows is no branch that the pose has already (nor one found twice now)."""
    branches = q.shape[1]
    pose = rows // branches
    met = _met(iteration, error).reshape(q.shape[:2])
    new = ~((distance(iteration.turning, q[pose], found[:, None]) < APART) & met[pose]).any(axis=1)
    for k in range(1, len(rows)):
        for j in range(k - 1, -1, -1):
            if pose[j] != pose[k]:
                break
            new[k] &= not (new[j] and distance(iteration.turning, found[j], found[k]) < APART)
    return np.asarray(new)


def distance(turning: Array, a: Array, b: Array) -> Array:
    """The largest difference of two positions over the last axis, whole turns aside."""
    apart = a - b
    wrapped = (apart + np.pi) % (2.0 * np.pi) - np.pi
    return np.asarray(np.abs(np.where(turning > 0.0, wrapped, apart)).max(axis=-1))
