"""Elimination of the dependent rates from loop equations in a fixed order: straight-line over any scalar.

The order of pivots is chosen once, over the range of a robot (:mod:`torquec.robot.loops.independent`); entries that a
row does not have cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torquec.expr.math import apply
from torquec.expr.ops import Op
from torquec.robot.loops.equations import Row
from torquec.spatial import Scalar


class LoopElimination:
    """Factors of the equations' Jacobian by dependent rates, for any number of right-hand sides.

    >>> system = LoopElimination([{0: 2.0, 1: 1.0}, {0: 1.0, 1: 1.0}], [(0, 0), (1, 1)])
    >>> system.solve({0: 5.0, 1: 3.0})
    {1: 1.0, 0: 2.0}
    """

    def __init__(self, rows: Sequence[Row], pivots: Sequence[tuple[int, int]]) -> None:
        columns = [column for _, column in pivots]
        work = {r: {c: rows[r][c] for c in columns if c in rows[r]} for r, _ in pivots}
        self._steps: list[tuple[int, int, Scalar, Row, list[tuple[int, Scalar]]]] = []
        for k, (r, c) in enumerate(pivots):
            row = work[r]
            inverse = apply(Op.DIV, 1.0, row.pop(c, 0.0))  # infinite at a singular configuration
            factors = []
            for other, _ in pivots[k + 1 :]:
                target = work[other]
                if c in target:
                    factor = target.pop(c) * inverse
                    for column, value in row.items():
                        part = factor * value
                        target[column] = target[column] - part if column in target else -part
                    factors.append((other, factor))
            self._steps.append((r, c, inverse, row, factors))

    def solve(self, right: Mapping[int, Scalar]) -> Row:
        """The dependent values, by rate, whose sums with the rows are the right-hand sides, by equation."""
        side = dict(right)
        for r, _, _, _, factors in self._steps:
            if r in side:
                for other, factor in factors:
                    part = factor * side[r]
                    side[other] = side[other] - part if other in side else -part
        found: Row = {}
        for r, c, inverse, row, _ in reversed(self._steps):
            total = side.get(r)
            for column, value in row.items():
                if column in found:
                    part = value * found[column]
                    total = -part if total is None else total - part
            if total is not None:
                found[c] = total * inverse
        return found
