"""A rigorous bound of the error of one coefficient over the workspace box, close to the error that can be found.

(1)  absolute:  |p - p*| <= bound,   relative:  |p - p*| <= bound |p|,   p the exact coefficient, p* what stands for it
(2)  relative, for the diagonal of M where p > 0:  |p - p*| - bound p <= 0 is to be shown; it is convex in (p - p*, p)
(3)  proofs (:mod:`torquec.proof.branch_and_bound`) are tried at small factors above the largest error found,
     until one succeeds; control values of the undivided box are a bound in any case
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.closedform.polynomial import Variable
from torquec.closedform.variables import ParallelGroup
from torquec.foundation.arrays import RealArray
from torquec.proof.bernstein import Range
from torquec.proof.branch_and_bound import LEAF, Exhausted, Functional, Proof, Refutation, prove
from torquec.proof.coefficient_error import CoefficientError, in_fewest_variables
from torquec.proof.coefficient_tolerance import ErrorKind
from torquec.trajectory.motion_box import MotionBox

_EFFORT = {
    1.03: 20_000_000,
    1.05: 500_000_000,
    1.1: 100_000_000,
    1.15: 300_000_000,
    1.3: 100_000_000,
    1.5: 300_000_000,
}
"""Factors above the largest error, and how many control values may be computed to prove each."""

_LAST_EFFORT = 100_000_000
"""Control values for a last proof, at the tolerance itself."""

_LEAST_BOXES, _MOST_BOXES = 1000, 200_000
"""Boxes that any proof may take, however large they are, and that none may exceed: trees are kept in files."""

_SMALLEST_PART = 1e-9
"""No relative bound is smaller than this."""

_SLACK = 1.0 + 1e-8
"""What every bound is raised by, so that proving it again in another order of sums succeeds."""


@dataclass(frozen=True)
class CoefficientBound:
    """The bound (1), the largest error found, and the proof: its variables, the degree in each, and its trees."""

    bound: float
    found: float
    variables: tuple[Variable, ...]
    degrees: tuple[int, ...]
    trees: tuple[tuple[int, ...], ...]

    @property
    def boxes(self) -> int:
        """Number of boxes in the proof."""
        return sum(len(tree) for tree in self.trees)


def coefficient_bound(
    error: CoefficientError, box: MotionBox, *, groups: Sequence[ParallelGroup] = (), limit: float | None = None
) -> CoefficientBound | None:
    """The bound of one coefficient's error over a box of joint positions, or None where it exceeds the limit.

    `groups` are the parallel joints whose angles may be added up. With a `limit`, a proof at the limit is taken
    where the small factors above the largest error take too long. A relative error of a coefficient that is not shown
    to keep its sign has no bound either.
    """
    error = in_fewest_variables(error, box, groups)
    ranges = error.ranges(box)
    found = error.largest_found(box)
    if limit is not None:
        limit /= _SLACK
        if found > limit:
            return None
    if not ranges:
        constant = _constant(error, found)
        return None if limit is not None and constant.bound > limit * _SLACK else constant
    for target, most in _targets(error, found, limit):
        bound = target
        while True:
            outcome = _attempt(error, ranges, bound, most)
            if not isinstance(outcome, Refutation):
                break
            # A corner of a box was worse than everything found before.
            found = max(found, outcome.value if error.kind is ErrorKind.ABSOLUTE else bound)
            bound = max(bound, found) * min(_EFFORT)
            if limit is not None and bound > limit:
                if found > limit:
                    return None
                break
        if isinstance(outcome, Proof):
            return CoefficientBound(_SLACK * bound, found, error.variables, error.degrees, outcome.trees)
    return None


def _targets(error: CoefficientError, found: float, limit: float | None) -> Iterator[tuple[float, int]]:
    """Bounds to try (3), with the number of boxes that each may take."""
    absolute = error.kind is ErrorKind.ABSOLUTE
    smallest = error.smallest if absolute else _SMALLEST_PART
    for factor, effort in _EFFORT.items():
        target = max(found * factor, smallest)
        if (limit is None or target < limit) and (absolute or target < 1.0):
            yield target, _boxes(error, effort)
    if limit is not None:
        yield limit, _boxes(error, _LAST_EFFORT)
    elif absolute:
        yield _SLACK * float(np.abs(error.table).sum() + error.allowance.sum()), _LEAST_BOXES


def _boxes(error: CoefficientError, control_values: int) -> int:
    return min(max(_LEAST_BOXES, control_values // error.table.size), _MOST_BOXES)


def _attempt(
    error: CoefficientError, ranges: list[Range], bound: float, most_boxes: int
) -> Proof | Refutation | Exhausted:
    absolute = error.kind is ErrorKind.ABSOLUTE
    functional: Functional = _Magnitude() if absolute else _PartOfReference(bound)
    target = bound if absolute else 0.0
    return prove(error.table, ranges, functional, target, allowance=error.allowance, most_boxes=most_boxes)


class _Magnitude:
    """|p - p*|, of a table with one row."""

    def __call__(self, control: RealArray, target: Any) -> RealArray:  # noqa: ARG002 - the protocol's
        result: RealArray = np.abs(control[0])
        return result

    def exact(self, values: RealArray) -> RealArray:
        return self(values, 0.0)


@dataclass(frozen=True)
class _PartOfReference:
    """(2), of a table with rows p - p* and -p."""

    bound: float

    def __call__(self, control: RealArray, target: Any) -> RealArray:  # noqa: ARG002 - the protocol's
        result: RealArray = np.abs(control[0]) + self.bound * control[1]
        return result

    def exact(self, values: RealArray) -> RealArray:
        return self(values, 0.0)


def _constant(error: CoefficientError, found: float) -> CoefficientBound:
    """An error that depends on no joint."""
    if error.kind is ErrorKind.ABSOLUTE:
        bound = float(np.abs(error.table).sum() + error.allowance[0])
        return CoefficientBound(max(_SLACK * bound, error.smallest), found, (), (), ((LEAF,),))
    least = float(np.abs(error.table[1]).sum()) - error.allowance[1]
    bound = (float(np.abs(error.table[0]).sum()) + error.allowance[0]) / least
    return CoefficientBound(max(_SLACK * bound, _SMALLEST_PART), found, (), (), ((LEAF,),))
