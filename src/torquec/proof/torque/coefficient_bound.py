"""Rigorous bound of the error of one coefficient over the workspace box, close to the largest error found.

(1)  absolute:  |p - p*| <= bound,   relative:  |p - p*| <= bound |p|,   p the exact coefficient, p* its approximation
(2)  relative, for the diagonal of M where p > 0:  |p - p*| - bound p <= 0 is to be shown; it is convex in (p - p*, p)
(3)  proofs (:mod:`torquec.proof.enclosure.branch_and_bound`) are tried at small factors above the largest error found,
     until one succeeds; control values of the undivided box give a bound in any case
(4)  some errors of six and more variables have their maximum on a whole surface, which would take too many boxes: where
     a proof at the smallest factor takes too long, factors decrease from large ones until the budget ends
(5)  when time is over, the sum of the amplitudes of all harmonics is a bound (`sum_of_amplitudes`)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.closedform.paths import ParallelGroup
from torquec.closedform.polynomial import Variable
from torquec.errors import TimeLimitError
from torquec.foundation.arrays import RealArray
from torquec.foundation.work import Meter, silent
from torquec.proof.enclosure.bernstein import Range, sum_of_amplitudes
from torquec.proof.enclosure.bernstein_boxes import LEAF
from torquec.proof.enclosure.branch_and_bound import Exhausted, Functional, Proof, Refutation, prove
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.proof.torque.coefficient_error import CoefficientError, in_fewest_variables
from torquec.trajectory.motion_box import MotionBox

_EFFORT = {1.03: 20_000_000, 1.05: 500_000_000, 1.1: 100_000_000, 1.15: 300_000_000, 1.3: 100_000_000, 1.5: 300_000_000}
"""Factors above the largest error, and the budget of control values for the proof of each."""

_LAST_EFFORT = 100_000_000  # control values for a last proof, at the tolerance itself

_MANY, _MANY_EFFORT, _BOX = 6, 150_000_000, 1500
"""Least number of variables for (4), budget of control values for each of its proofs, and overhead of a box in control
values."""

_NEAR, _COMING_DOWN = 1.05, (3.0, 2.0, 1.5, 1.3, 1.2, 1.1)  # factors of (4): tried first, and decreasing afterwards

_AT_ALL, _CLOSER = 4, 10
"""Budget of a proof at the tolerance as a multiple of (4)'s, and the divisor of the budget of tighter bounds."""

_GROWS = 2.0  # least growth of the number of boxes from one factor of (4) to the next

_LEAST_BOXES, _MOST_BOXES = 1000, 200_000
"""Boxes that any proof may take, regardless of their size, and upper limit of boxes: trees are stored in files."""

_SMALLEST_PART = 1e-9  # no relative bound is smaller than this
_SLACK = 1.0 + 1e-8  # factor on every bound, so that a check with another summation order succeeds


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
    error: CoefficientError,
    box: MotionBox,
    *,
    groups: Sequence[ParallelGroup] = (),
    limit: float | None = None,
    meter: Meter = silent,
) -> CoefficientBound | None:
    """The bound of one coefficient's error over a box of joint positions, or None where it exceeds the limit.

    `groups` are the parallel joints whose angles may be summed. With a `limit`, a proof at the limit is accepted where
    small factors above the largest error take too long. A relative error has no bound unless the coefficient is proven
    not to change its sign.
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
    search = _Search(error, ranges, limit, found, meter)
    try:
        search.run()
    except TimeLimitError:
        if search.best is None:
            search.best = _by_amplitudes(error, limit, search.found)
        if search.best is None:
            raise
    return search.best


class _Search:
    """Proofs of one error at several bounds: the best so far, and the largest error found."""

    def __init__(
        self, error: CoefficientError, ranges: list[Range], limit: float | None, found: float, meter: Meter
    ) -> None:
        self.error, self.ranges, self.limit, self.found, self.meter = error, ranges, limit, found, meter
        self.best: CoefficientBound | None = None

    def run(self) -> None:
        """(3), or (4)."""
        if len(self.ranges) >= _MANY:
            self._run_many()
            return
        for target, most in _targets(self.error, self.found, self.limit):
            if self._proves(target, most) or self._is_hopeless:
                return

    def _run_many(self) -> None:
        """(4)."""
        most = min(max(_LEAST_BOXES, _MANY_EFFORT // (self.error.table.size + _BOX)), _MOST_BOXES)
        if self.limit is not None:
            # First the tolerance, which is required; tighter bounds only where they are cheap.
            if not self._proves(self.limit, min(_AT_ALL * most, _MOST_BOXES)):
                return
            most //= _CLOSER
        elif self._proves(self._target(_NEAR), most):
            return
        for factor in _COMING_DOWN:
            if not self._allows(factor):
                continue
            if self.best is not None and _GROWS * self.best.boxes > most:
                return
            if not self._proves(self._target(factor), most) and self.best is not None:
                return
        if self.best is None and self.error.kind is ErrorKind.ABSOLUTE and self.limit is None:
            self.best = _by_amplitudes(self.error, self.limit, self.found)
            if self.best is None:
                self._proves(_whole(self.error), _LEAST_BOXES)

    @property
    def _is_hopeless(self) -> bool:
        return self.limit is not None and self.found > self.limit

    def _target(self, factor: float) -> float:
        smallest = self.error.smallest if self.error.kind is ErrorKind.ABSOLUTE else _SMALLEST_PART
        return max(self.found * factor, smallest)

    def _allows(self, factor: float) -> bool:
        """Whether a proof at this factor would improve the bound."""
        known = self.limit if self.best is None else self.best.bound
        target = self._target(factor)
        relative = self.error.kind is ErrorKind.RELATIVE
        return (known is None or target < 0.98 * known) and not (relative and target >= 1.0)

    def _proves(self, target: float, most: int) -> bool:
        """Whether the target is proven, or a bound slightly above a larger error found during the search."""
        bound = target
        while True:
            outcome = _attempt(self.error, self.ranges, bound, most, self.meter)
            if not isinstance(outcome, Refutation):
                break
            # A corner of a box was worse than everything found before.
            attained = outcome.value if self.error.kind is ErrorKind.ABSOLUTE else bound
            self.found = max(self.found, attained)
            bound = max(bound, self.found) * min(_EFFORT)
            if self.limit is not None and bound > self.limit:
                return False
        if isinstance(outcome, Proof):
            error = self.error
            self.best = CoefficientBound(_SLACK * bound, self.found, error.variables, error.degrees, outcome.trees)
        return isinstance(outcome, Proof)


def _by_amplitudes(error: CoefficientError, limit: float | None, found: float) -> CoefficientBound | None:
    """(5), where it applies and is within the limit: a proof without variables."""
    whole = sum_of_amplitudes(error.table[0], error.variables)
    if error.kind is ErrorKind.RELATIVE or whole is None:
        return None
    bound = max(_SLACK * (whole + float(error.allowance[0])), error.smallest)
    if limit is not None and bound > limit * _SLACK:
        return None
    return CoefficientBound(bound, found, (), (), ((LEAF,),))


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
        yield _whole(error), _LEAST_BOXES


def _whole(error: CoefficientError) -> float:
    """A bound from the control values of the undivided box."""
    return _SLACK * float(np.abs(error.table).sum() + error.allowance.sum())


def _boxes(error: CoefficientError, control_values: int) -> int:
    return min(max(_LEAST_BOXES, control_values // error.table.size), _MOST_BOXES)


def _attempt(
    error: CoefficientError, ranges: list[Range], bound: float, most_boxes: int, meter: Meter
) -> Proof | Refutation | Exhausted:
    absolute = error.kind is ErrorKind.ABSOLUTE
    functional: Functional = Magnitude() if absolute else _PartOfReference(bound)
    target = bound if absolute else 0.0
    return prove(error.table, ranges, functional, target, allowance=error.allowance, most_boxes=most_boxes, meter=meter)


class Magnitude:
    """|p - p*|, of a table with one row."""

    def __call__(self, control: RealArray, target: Any) -> RealArray:  # noqa: ARG002 - the protocol's
        """Magnitudes (points,) of values (1, points)."""
        result: RealArray = np.abs(control[0])
        return result

    def exact(self, values: RealArray) -> RealArray:
        """The same."""
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
