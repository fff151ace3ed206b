"""A rigorous bound of each joint's torque error over positions, speeds and accelerations.

The largest error that can be found is a lower bound. A proof (:mod:`torquec.proof.enclosure.branch_and_bound`) at the
tolerance comes first, where there is one; then proofs at smaller and smaller factors above the largest error, as long
as they are quick, so that the bound is never much larger than the truth. When time is over, the best bound proven by
then counts, or the sum of the amplitudes of all waves (:mod:`torquec.proof.enclosure.bernstein`).

(1)  `pursued` tries one target after the other, until a proof takes more boxes than a task should
(2)  such a proof goes on in parts (`open_parts`, `show_part`, `with_parts`): a part is some of the boxes that are open,
     and leaves boxes open in its turn when it has been at them for long. What a part gives depends on its boxes alone,
     and who works on how many parts at a time decides nothing: the result is the same to the last bit
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from torquec.errors import TimeLimitError
from torquec.foundation.arrays import Array
from torquec.foundation.work import Meter, silent
from torquec.proof.enclosure.bernstein import Range, sum_of_amplitudes
from torquec.proof.enclosure.bernstein_boxes import LEAF, OPEN, Place, Tree, dealt, open_places, with_subtrees
from torquec.proof.enclosure.branch_and_bound import Exhausted, Refutation, ShownBoxes, root_count, show_boxes
from torquec.proof.torque.torque_residual import TorqueFunctional, TorqueResidual
from torquec.trajectory.motion_box import MotionBox

FACTORS = (8.0, 3.0, 2.0, 1.5, 1.3, 1.15, 1.08, 1.04, 1.02)
"""Bounds that are tried, as multiples of the largest error found."""

_FAR, _CLOSE = 1.25, 1.15
"""A bound this far above the largest error found is worth some time, one this close only what takes little."""

_AT_ALL, _NEARER, _CLOSER, _LITTLE = 1_500_000_000, 400_000_000, 40_000_000, 4_000_000
"""Control points that a first bound may take, one after a bound that is far, a closer and a yet closer one: boxes times
the points of a box."""

_OF_A_TASK, _LEAST_BOXES = 4_000_000, 200
"""Control points, and boxes at least, after which a task leaves off (1), (2): a second or so, so that tasks that are
done at the same time end at the same time, and small robots are never done in parts."""

_PARTS = 32
"""Parts that open boxes are dealt into (2): many, for some have little to do; never a matter of how many workers there
are, for trees depend on them."""

_FLOOR = 1e-9
"""No bound is smaller than this part of the largest torque at rest: below lies the rounding of the programs."""

PUBLISHED = 1.0 + 1e-6
"""A bound is raised by this, so that proving it again in balls, whose radii count, succeeds."""


@dataclass(frozen=True)
class TorqueBound:
    """A joint's proven bound of its torque error, the largest error found, and the proof's trees.

    A bound `by_amplitudes` is one of all positions: its proof has no variables.
    """

    bound: float
    found: float
    trees: tuple[Tree, ...]
    by_amplitudes: bool = False

    @property
    def boxes(self) -> int:
        """Number of boxes in the proof."""
        return sum(len(tree) for tree in self.trees)


@dataclass(frozen=True)
class JointError:
    """A joint's torque error, and what is asked of its bound.

    The table (rows, basis, ..) is weighted, of rows that may be off by the allowance (rows,); no target is below the
    `floor`, and a bound above the `limit` is none. Without `closer`, that of the amplitudes is enough, or one at the
    limit.
    """

    n: int
    table: Array
    ranges: tuple[Range, ...]
    allowance: Array
    floor: float
    limit: float | None
    closer: bool

    @property
    def points(self) -> int:
        """Control points of a box."""
        return math.prod(self.table.shape[1:])

    def boxes(self, points: int) -> int:
        """How many boxes so many control points are."""
        return points // max(self.points, 500)


@dataclass(frozen=True)
class BoundSearch:
    """How far the search for a bound is: the largest error found, the best bound, and how many targets were tried.

    `trees` are what is shown of the next target, with open boxes; none where it has not been begun.
    """

    targets: tuple[float, ...]
    found: float
    best: TorqueBound | None
    tried: int = 0
    trees: tuple[Tree, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether `best` is the result, or there is none."""
        return self.tried >= len(self.targets)

    def ended(self, best: TorqueBound | None) -> BoundSearch:
        """The search with its result."""
        found = self.found if best is None else max(best.found, self.found)
        return replace(self, targets=(), trees=(), found=found, best=best and replace(best, found=found))


@dataclass(frozen=True)
class BoundPart:
    """Open boxes of a proof (2), and how many boxes it may have altogether."""

    error: JointError
    target: float
    places: tuple[Place, ...]
    most_boxes: int


PartOutcome = ShownBoxes | Refutation | Exhausted


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
    error = joint_error(residual, joint, motions, limit=limit, closer=closer)
    search = bound_search(error, found, known)
    while not search.is_over:
        search = pursued(error, search, meter=meter)
        while search.trees:
            shown = partial(show_part, meter=_part_of(meter, search.tried, len(search.targets)))
            search = with_parts(error, search, map(shown, open_parts(error, search)))
    return search.best


def joint_error(
    residual: TorqueResidual, joint: int, motions: MotionBox, *, limit: float | None = None, closer: bool = True
) -> JointError:
    """The error of a joint over the motions, with what is asked of its bound."""
    table, ranges, allowance = _weighted(residual, joint, motions)
    # A target must leave room for what rows may be off by.
    floor = max(_FLOOR * residual.size, 3.0 * float(allowance.sum()))
    limit = None if limit is None else limit / PUBLISHED
    return JointError(residual.n, table, tuple(ranges), allowance, floor, limit, closer)


def bound_search(error: JointError, found: float, known: TorqueBound | None = None) -> BoundSearch:
    """The search for a bound before it has begun, where an error of `found` occurs and a bound may be `known`."""
    limit = error.limit if known is None else known.bound / PUBLISHED
    targets = _targets(found, error.floor, limit)[known is not None :]
    if not error.closer and error.limit is not None:
        targets = targets[:1]
    return BoundSearch(tuple(targets), found, known)


def pursued(error: JointError, search: BoundSearch, *, meter: Meter = silent) -> BoundSearch:
    """The search once it is over, or has come to a proof that takes long (1)."""
    if not error.ranges:
        return search.ended(_constant(error, search.found))
    if not error.closer and error.limit is not None:
        with suppress(TimeLimitError):
            return search.ended(_by_amplitudes(error, search.found))
    places = [Place(root) for root in range(root_count(error.ranges))]
    while not search.is_over and not search.trees:
        target = search.targets[search.tried]
        if search.best is not None and target < search.found:
            return search.ended(search.best)
        part = BoundPart(error, target, tuple(places), _most_boxes(error, search))
        try:
            outcome = show_part(part, meter=_part_of(meter, search.tried, len(search.targets)))
        except TimeLimitError:
            return search.ended(search.best or _by_amplitudes(error, search.found))
        if isinstance(outcome, ShownBoxes):
            search = _with_trees(error, search, outcome.trees)
        else:
            search = _not_shown(error, search, outcome)
    return search


def open_parts(error: JointError, search: BoundSearch) -> list[BoundPart]:
    """The open boxes of a search in parts, in a fixed order."""
    target, most = search.targets[search.tried], _most_boxes(error, search)
    return [BoundPart(error, target, tuple(part), most) for part in dealt(open_places(search.trees), _PARTS)]


def show_part(part: BoundPart, *, meter: Meter = silent) -> PartOutcome:
    """What was shown of a part before it took long, or why there is nothing to be shown."""
    error = part.error
    return show_boxes(
        error.table,
        error.ranges,
        TorqueFunctional(error.n),
        part.target,
        part.places,
        allowance=error.allowance,
        most_boxes=min(part.most_boxes, max(_LEAST_BOXES, error.boxes(_OF_A_TASK))),
        meter=meter,
    )


def with_parts(error: JointError, search: BoundSearch, outcomes: Iterable[PartOutcome]) -> BoundSearch:
    """The search with what its parts gave, in their order. The first that shows nothing is the last one asked for."""
    shown: list[Tree] = []
    try:
        for outcome in outcomes:
            if not isinstance(outcome, ShownBoxes):
                return _not_shown(error, search, outcome)
            shown += outcome.trees
    except TimeLimitError:
        return search.ended(search.best or _by_amplitudes(error, search.found))
    return _with_trees(error, search, with_subtrees(search.trees, shown))


def _with_trees(error: JointError, search: BoundSearch, trees: tuple[Tree, ...]) -> BoundSearch:
    """The search with what is shown of its target: all of it, a part that is worth going on with, or too little."""
    if not any(OPEN in tree for tree in trees):
        best = TorqueBound(search.targets[search.tried] * PUBLISHED, search.found, trees)
        return _at_next_target(replace(search, best=best))
    if sum(map(len, trees)) <= _most_boxes(error, search):
        return replace(search, trees=trees)
    return search.ended(search.best)


def _not_shown(error: JointError, search: BoundSearch, outcome: Refutation | Exhausted) -> BoundSearch:
    """The search when its target is known to be too low, or to be out of reach: then smaller ones are, too."""
    if isinstance(outcome, Exhausted):
        return search.ended(search.best)
    found = max(search.found, outcome.value)
    if error.limit is not None and found > error.limit:
        return search.ended(None)
    return _at_next_target(replace(search, found=found))


def _at_next_target(search: BoundSearch) -> BoundSearch:
    following = replace(search, tried=search.tried + 1, trees=())
    return following.ended(following.best) if following.is_over else following


def _constant(error: JointError, found: float) -> TorqueBound | None:
    """The bound of an error that depends on no position."""
    functional = TorqueFunctional(error.n)
    constant = float(functional(error.table.reshape(len(error.table), 1), np.inf)[0])
    slack = float(functional(error.allowance[:, None], np.inf)[0])
    bound = constant + slack + error.floor  # evaluations round, and may exceed what is exactly attained
    if error.limit is not None and bound > error.limit:
        return None
    return TorqueBound(bound * PUBLISHED, found, ((LEAF,),))


def _most_boxes(error: JointError, search: BoundSearch) -> int:
    """Boxes that a proof of the next target may have."""
    return max(500, error.boxes(_budget(search.best, search.found)))


def _budget(best: TorqueBound | None, found: float) -> int:
    """Control points that the next attempt may take."""
    if best is None:
        return _AT_ALL
    target = best.bound / PUBLISHED
    return _NEARER if target > _FAR * found else _CLOSER if target > _CLOSE * found else _LITTLE


def _by_amplitudes(error: JointError, found: float) -> TorqueBound:
    """The bound by amplitudes of a table of angles; raises `TimeLimitError` where it is none."""
    whole = [sum_of_amplitudes(row, [r.variable for r in error.ranges]) for row in error.table]
    bound = sum(each for each in whole if each is not None) + float(error.allowance.sum()) + error.floor
    if None in whole or (error.limit is not None and bound > error.limit):
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
