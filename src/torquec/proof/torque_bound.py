"""A rigorous bound of each joint's torque error over positions, speeds and accelerations.

The largest error that can be found is a lower bound. A proof (:mod:`torquec.proof.branch_and_bound`) at the
tolerance comes first, where there is one; then proofs at smaller and smaller factors above the largest error, as long
as they are quick, so that the bound is never much larger than the truth. When time is over, the best bound proven by
then counts, or the sum of the amplitudes of all waves (:mod:`torquec.proof.wave_amplitudes`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from torquec.errors import TimeLimitError
from torquec.foundation.arrays import Array
from torquec.foundation.work import Meter, silent
from torquec.proof.bernstein import Range
from torquec.proof.branch_and_bound import LEAF, Exhausted, Proof, Refutation, prove
from torquec.proof.torque_functional import TorqueFunctional
from torquec.proof.torque_residual import TorqueResidual
from torquec.proof.wave_amplitudes import sum_of_amplitudes
from torquec.trajectory.motion_box import MotionBox

FACTORS = (8.0, 3.0, 2.0, 1.5, 1.3, 1.15, 1.08, 1.04, 1.02)
"""Bounds that are tried, as multiples of the largest error found."""

_FAR, _CLOSE = 1.25, 1.15
"""A bound this far above the largest error found is worth some time, one this close only what takes little."""

_AT_ALL, _NEARER, _CLOSER, _LITTLE = 1_500_000_000, 400_000_000, 40_000_000, 4_000_000
"""Control points that a first bound may take, one after a bound that is far, a closer and a yet closer one: boxes times
the points of a box."""

_FLOOR = 1e-10
"""No bound is smaller than this part of the largest torque at rest: below lies the rounding of the programs."""

PUBLISHED = 1.0 + 1e-8
"""A bound is raised by this, so that proving it again in another order of sums succeeds."""


@dataclass(frozen=True)
class TorqueBound:
    """A joint's proven bound of its torque error, the largest error found, and the proof's trees.

    A bound `by_amplitudes` is one of all positions: its proof has no variables.
    """

    bound: float
    found: float
    trees: tuple[tuple[int, ...], ...]
    by_amplitudes: bool = False

    @property
    def boxes(self) -> int:
        """Number of boxes in the proof."""
        return sum(len(tree) for tree in self.trees)


def torque_bound(
    residual: TorqueResidual,
    joint: int,
    motions: MotionBox,
    *,
    found: float,
    limit: float | None = None,
    closer: bool = True,
    known: TorqueBound | None = None,
    meter: Meter = silent,
) -> TorqueBound | None:
    """The bound of one joint's torque error, or None where no proof was found.

    `found` is an error that is known to occur; a bound above the `limit` is none. Without `closer`, that of the
    amplitudes is enough, or one at the limit. A bound that is `known` is the result where no closer one is found.
    """
    table, ranges, allowance = _weighted(residual, joint, motions)
    functional = TorqueFunctional(residual.n)
    limit = None if limit is None else limit / PUBLISHED
    # A target must leave room for what rows may be off by.
    floor = max(_FLOOR * residual.size, 3.0 * float(allowance.sum()))
    if not ranges:
        constant = float(functional(table.reshape(len(table), 1), np.inf)[0])
        slack = float(functional(allowance[:, None], np.inf)[0])
        bound = constant + slack + floor  # evaluations round, and may exceed what is exactly attained
        return None if limit is not None and bound > limit else TorqueBound(bound * PUBLISHED, found, ((LEAF,),))
    by_amplitudes = partial(_by_amplitudes, table, ranges, float(allowance.sum()) + floor, found, limit)
    targets = _targets(found, floor, limit if known is None else known.bound / PUBLISHED)[known is not None :]
    if not closer and limit is not None:
        with suppress(TimeLimitError):
            return by_amplitudes()
        targets = targets[:1]
    points = math.prod(table.shape[1:])
    best = known
    for attempt, target in enumerate(targets):
        if best is not None and target < found:
            break
        most = max(500, _budget(best, found) // max(points, 500))
        shown = _part_of(meter, attempt, len(targets))
        try:
            outcome = prove(table, ranges, functional, target, allowance=allowance, most_boxes=most, meter=shown)
        except TimeLimitError:
            return best or by_amplitudes()
        if isinstance(outcome, Proof):
            best = TorqueBound(outcome.target * PUBLISHED, found, outcome.trees)
        elif isinstance(outcome, Refutation):
            found = max(found, outcome.value)
            if limit is not None and found > limit:
                return None
        elif isinstance(outcome, Exhausted) and best is not None:
            break
    return best and replace(best, found=max(best.found, found))


def _budget(best: TorqueBound | None, found: float) -> int:
    """Control points that the next attempt may take."""
    if best is None:
        return _AT_ALL
    target = best.bound / PUBLISHED
    return _NEARER if target > _FAR * found else _CLOSER if target > _CLOSE * found else _LITTLE


def _by_amplitudes(table: Array, ranges: Sequence[Range], off: float, found: float, limit: float | None) -> TorqueBound:
    """The bound by amplitudes of a table (rows, basis, ..) of angles; raises `TimeLimitError` where it is none."""
    whole = [sum_of_amplitudes(row, [r.variable for r in ranges]) for row in table]
    bound = sum(each for each in whole if each is not None) + off
    if None in whole or (limit is not None and bound > limit):
        raise TimeLimitError("the time limit is reached before a bound is proven", remedy="allow more time")
    return TorqueBound(bound * PUBLISHED, found, ((LEAF,),), by_amplitudes=True)


def _part_of(meter: Meter, attempt: int, attempts: int) -> Meter:
    """The meter of one of several proofs."""
    return lambda done, whole, note="": meter(attempt + done / whole, attempts, note)


def _targets(found: float, floor: float, limit: float | None) -> Sequence[float]:
    """Bounds to try, from the loosest to the closest."""
    targets = sorted({max(found * factor, floor) for factor in FACTORS}, reverse=True)
    if limit is None:
        return targets
    return [limit, *(target for target in targets if target < 0.98 * limit)]


def _weighted(residual: TorqueResidual, joint: int, motions: MotionBox) -> tuple[Array, list[Range], Array]:
    """The joint's table, rows weighted, its ranges, and its allowances."""
    weights = residual.weights(motions.velocity, motions.acceleration)
    table, variables = residual.smallest_table(joint)
    ranges = []
    for variable in variables:
        index = variable.joints[0][0]
        ranges.append(Range(variable, motions.lower[index], motions.upper[index]))
    return (
        table * weights.reshape(-1, *([1] * len(ranges))),
        ranges,
        (residual.dropped[joint] + residual.rounding) * weights,
    )
