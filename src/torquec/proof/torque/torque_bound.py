"""Rigorous bound of a joint's torque error over positions, speeds and accelerations.

The largest error found is a lower bound. Where a tolerance is stated, a proof at the tolerance comes first
(:mod:`torquec.proof.enclosure.branch_and_bound`). Proofs at decreasing factors above the largest error follow as long
as they are quick, so that the bound is close to the true maximum. When time is over, the result is the best bound
proven so far, or the sum of the amplitudes of all harmonics (:mod:`torquec.proof.enclosure.bernstein`).

(1)  `pursued` tries one target after the other, until a proof takes more boxes than a task should
(2)  such a proof continues in parts (`open_parts`, `show_part`, `with_parts`): a part is some of the open boxes, and
     leaves boxes open itself when its budget ends. The outcome of a part depends on its boxes alone: results are
     bit-identical for any number of workers
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
from torquec.proof.enclosure.fewer_angles import in_fewer_angles
from torquec.proof.torque.torque_residual import TorqueFunctional, TorqueResidual
from torquec.trajectory.motion_box import MotionBox

FACTORS = (8.0, 3.0, 2.0, 1.5, 1.3, 1.15, 1.08, 1.04, 1.02)
"""Bounds that are tried, as multiples of the largest error found."""

_FAR, _CLOSE = 1.25, 1.15
"""Ratios of bound to largest error found: above the first, tightening has a large budget, below the second a small one.
"""

_AT_ALL, _NEARER, _CLOSER, _LITTLE = 1_500_000_000, 400_000_000, 40_000_000, 4_000_000
"""Budgets of control points (boxes times points of a box): for a first bound, for the next one after a loose bound, for
a tighter and for an even tighter one."""

_OF_A_TASK, _LEAST_BOXES = 4_000_000, 200
"""Chunk size of a task (1), (2) in control points, and least number of boxes: about a second, so that parallel tasks
end together (load balancing), and small robots are never split into parts."""

_PARTS = 32
"""Number of parts of the open boxes (2): many, since their work is uneven; independent of the number of workers, since
trees depend on it."""

_FLOOR = 1e-9  # smallest bound, relative to the largest torque at rest: below it is rounding of the programs

_LEFT_OUT = 0.1  # of the floor: waves of rounding errors, without which an error depends on fewer sums of angles

PUBLISHED = 1.0 + 3e-4
"""Factor on proven bounds: the checker may spend 1e-4 of a bound on small rows, and as much on small waves."""


@dataclass(frozen=True)
class TorqueBound:
    """A joint's proven bound of its torque error, the largest error found, and the proof's trees.

    A bound `by_amplitudes` holds for all positions: its proof has no variables.
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
    """A joint's torque error, and the requirements on its bound.

    The table (rows, basis, ..) is weighted; the allowance (rows,) bounds the errors of its rows, and `left_out` the
    waves that were left out of all of them. No target is below the `floor`, and a bound above the `limit` is rejected.
    Without `closer`, a bound by amplitudes or at the limit is enough.
    """

    n: int
    table: Array
    ranges: tuple[Range, ...]
    allowance: Array
    floor: float
    limit: float | None
    closer: bool
    left_out: float = 0.0

    @property
    def points(self) -> int:
        """Control points of a box."""
        return math.prod(self.table.shape[1:])

    def boxes(self, points: int) -> int:
        """Number of boxes for a number of control points."""
        return points // max(self.points, 500)


@dataclass(frozen=True)
class BoundSearch:
    """State of the search for a bound: the largest error found, the best bound, and the number of targets tried.

    `trees` are the partial proof of the next target, with open boxes; none where it has not been started.
    """

    targets: tuple[float, ...]
    found: float
    best: TorqueBound | None
    tried: int = 0
    trees: tuple[Tree, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether the search has ended: `best` is then its result, or None."""
        return self.tried >= len(self.targets)

    def ended(self, best: TorqueBound | None) -> BoundSearch:
        """The search with its result."""
        found = self.found if best is None else max(best.found, self.found)
        return replace(self, targets=(), trees=(), found=found, best=best and replace(best, found=found))


@dataclass(frozen=True)
class BoundPart:
    """Some open boxes of a proof (2), and the box budget of the whole proof."""

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

    `found` is an error that is known to occur; a bound above the `limit` is rejected. Without `closer`, a bound by
    amplitudes or at the limit is enough. A `known` bound is the result where no tighter one is found.
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
    """The error of a joint over the motions, with the requirements on its bound."""
    table, ranges, allowance = _weighted(residual, joint, motions)
    # A target must exceed the errors of the rows.
    floor = max(_FLOOR * residual.size, 3.0 * float(allowance.sum()))
    limit = None if limit is None else limit / PUBLISHED
    fewer = in_fewer_angles(table, ranges, allowance, _LEFT_OUT * floor)
    return JointError(
        residual.n, fewer.table, tuple(fewer.ranges), fewer.allowance, floor, limit, closer, fewer.left_out
    )


def bound_search(error: JointError, found: float, known: TorqueBound | None = None) -> BoundSearch:
    """Initial state of the search for a bound, where an error of `found` occurs and a bound may be `known`."""
    limit = error.limit if known is None else known.bound / PUBLISHED
    targets = _targets(found, error.floor, limit)[known is not None :]
    if not error.closer and error.limit is not None:
        targets = targets[:1]
    return BoundSearch(tuple(targets), found, known)


def pursued(error: JointError, search: BoundSearch, *, meter: Meter = silent) -> BoundSearch:
    """The search, continued until it is over or a proof exceeds the chunk size of a task (1)."""
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
    """The boxes of a part proven within the chunk size, or the reason why its target is not provable."""
    error = part.error
    return show_boxes(
        error.table,
        error.ranges,
        TorqueFunctional(error.n),
        part.target - error.left_out,
        part.places,
        allowance=error.allowance,
        most_boxes=min(part.most_boxes, max(_LEAST_BOXES, error.boxes(_OF_A_TASK))),
        meter=meter,
    )


def with_parts(error: JointError, search: BoundSearch, outcomes: Iterable[PartOutcome]) -> BoundSearch:
    """The search with the outcomes of its parts, in their order. Outcomes after the first failure are not read."""
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
    """The search with the trees of its target: proven, worth continuing, or given up."""
    if not any(OPEN in tree for tree in trees):
        best = TorqueBound(search.targets[search.tried] * PUBLISHED, search.found, trees)
        return _at_next_target(replace(search, best=best))
    if sum(map(len, trees)) <= _most_boxes(error, search):
        return replace(search, trees=trees)
    return search.ended(search.best)


def _not_shown(error: JointError, search: BoundSearch, outcome: Refutation | Exhausted) -> BoundSearch:
    """The search after its target was refuted or found out of reach: smaller targets are then out of reach, too."""
    if isinstance(outcome, Exhausted):
        return search.ended(search.best)
    found = max(search.found, outcome.value - error.left_out)
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
    bound = constant + slack + error.left_out + error.floor  # rounded evaluations may exceed the exact value
    if error.limit is not None and bound > error.limit:
        return None
    return TorqueBound(bound * PUBLISHED, found, ((LEAF,),))


def _most_boxes(error: JointError, search: BoundSearch) -> int:
    """Budget of boxes for a proof of the next target."""
    return max(500, error.boxes(_budget(search.best, search.found)))


def _budget(best: TorqueBound | None, found: float) -> int:
    """Budget of control points for the next attempt."""
    if best is None:
        return _AT_ALL
    target = best.bound / PUBLISHED
    return _NEARER if target > _FAR * found else _CLOSER if target > _CLOSE * found else _LITTLE


def _by_amplitudes(error: JointError, found: float) -> TorqueBound:
    """The bound by amplitudes of a table of angles; raises `TimeLimitError` where it is not within the limit."""
    whole = [sum_of_amplitudes(row, [r.variable for r in error.ranges]) for row in error.table]
    more = float(error.allowance.sum()) + error.left_out + error.floor
    bound = sum(each for each in whole if each is not None) + more
    if None in whole or (error.limit is not None and bound > error.limit):
        raise TimeLimitError("the time limit is reached before a bound is proven", remedy="allow more time")
    return TorqueBound(bound * PUBLISHED, found, ((LEAF,),), by_amplitudes=True)


def _part_of(meter: Meter, attempt: int, attempts: int) -> Meter:
    """The meter of one of several proofs."""
    return lambda done, whole, note="": meter(attempt + done / whole, attempts, note)


def _targets(found: float, floor: float, limit: float | None) -> Sequence[float]:
    """Bounds to try, from the loosest to the tightest."""
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
