"""Rescaling of a program's values: units in which more constants are one, and need no multiplication.

A step may compute its value in another unit, if later steps account for it:

(1)  a set S of steps computes its values times u. A constant that multiplies at the boundary of S absorbs u or 1/u;
     where a sum has terms on both sides of the boundary, those on the other side are added up and multiplied once
(2)  with u = 1/c for a constant c whose product is in S and whose argument is not, that product disappears
(3)  the S with the fewest sums across its boundary is one side of a minimum cut. The cut separates the product to be
     removed from all values with fixed units: inputs, their sines and cosines, and results

The torques are the same up to rounding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from torquec.errors import MissingExtraError
from torquec.expr import Function, Op, operation_cost
from torquec.expr.replay import rebuilt
from torquec.simplification.tuning import TUNING

_NEVER = 10_000  # capacity of an edge that no cut goes through: more than the sums of any robot's program


def rescaled(program: Function) -> Function:
    """The program in the units with fewest operations, found greedily, one unit after the other."""
    best = program
    while True:
        units = _Units(best)
        trial = next(
            (t for t in map(units.applied, units.proposals()) if operation_cost(t) < operation_cost(best)), None
        )
        if trial is None:
            return best
        best = trial


@dataclass(frozen=True)
class _Proposal:
    """A unit, the steps that are measured in it, and the multiplications that this saves."""

    unit: float
    steps: frozenset[int]
    saved: int


@dataclass(frozen=True)
class _Units:
    """A program, its products with constants and its sums."""

    program: Function

    @cached_property
    def products(self) -> dict[int, tuple[float, int]]:
        """By step: the constant and the other factor of every product with a constant."""
        steps, found = self.program.operations, {}
        for k, step in enumerate(steps):
            if step.op is Op.MUL:
                for constant, other in (step.args, step.args[::-1]):
                    if steps[constant].op is Op.CONST and steps[other].op is not Op.CONST:
                        found[k] = (steps[constant].value, other)
        return found

    @cached_property
    def sums(self) -> dict[int, list[tuple[float, int]]]:
        """By step: the terms, with signs, of every sum that is no part of a larger one."""
        steps = self.program.operations
        uses = Counter(a for step in steps for a in step.args)
        uses.update(k for result in self.program.results for k in result)
        inner = {
            a
            for step in steps
            if step.op in (Op.ADD, Op.SUB, Op.NEG)
            for a in step.args
            if uses[a] == 1 and steps[a].op in (Op.ADD, Op.SUB, Op.NEG)
        }

        def terms(k: int, sign: float) -> Iterator[tuple[float, int]]:
            step = steps[k]
            signs = {Op.ADD: (1.0, 1.0), Op.SUB: (1.0, -1.0), Op.NEG: (-1.0,)}[step.op]
            for a, own in zip(step.args, signs, strict=True):
                if a in inner:
                    yield from terms(a, sign * own)
                else:
                    yield sign * own, a

        outer = [k for k, step in enumerate(steps) if step.op in (Op.ADD, Op.SUB, Op.NEG) and k not in inner]
        return {k: list(terms(k, 1.0)) for k in outer}

    def proposals(self) -> list[_Proposal]:
        """Units that save something, those that save most first (2), (3)."""
        found = []
        for k, (constant, _) in self.products.items():
            unit = 1.0 / abs(constant)
            sides, border = self._least_borders(k)
            for steps in sides:
                gone = sum(self._is_one(self._factor(p, unit, steps)) for p in self.products)
                if gone > border:
                    found.append(_Proposal(unit, steps, gone - border))
        return sorted(found, key=lambda proposal: -proposal.saved)

    @staticmethod
    def _is_one(factor: float) -> bool:
        return abs(abs(factor) - 1.0) < TUNING.unit_coefficient

    def _factor(self, k: int, unit: float, steps: frozenset[int]) -> float:
        """New constant of a product (1)."""
        constant, other = self.products[k]
        return float(constant * unit ** ((k in steps) - (other in steps)))

    def _least_borders(self, wanted: int) -> tuple[list[frozenset[int]], int]:
        """The smallest and the largest set of (3), and how many sums and products are across their borders."""
        try:
            from scipy.sparse import csr_array
            from scipy.sparse.csgraph import breadth_first_order, maximum_flow
        except ImportError:
            raise MissingExtraError("scipy", "optimize", "choosing units of a simplified model") from None
        steps = self.program.operations
        source, sink = len(steps), len(steps) + 1
        nodes = len(steps) + 2
        capacity: Counter[tuple[int, int]] = Counter()
        for k, step in enumerate(steps):
            if step.op in (Op.INPUT, Op.SIN, Op.COS):
                capacity[k, sink] = _NEVER
            elif step.op is Op.MUL and k not in self.products:
                carrier = self._carrier(k)
                capacity[carrier, k] += 1
                capacity[k, carrier] += 1
        for k, terms in self.sums.items():
            above, below = nodes, nodes + 1  # a cut sum costs once, however many of its terms are on the other side
            nodes += 2
            capacity[above, k] = capacity[k, below] = 1
            for _, a in terms:
                if steps[a].op is not Op.CONST:
                    capacity[a, above] = capacity[below, a] = _NEVER
        for k in {k for result in self.program.results for k in result}:
            capacity[k, sink] = _NEVER
        capacity[source, wanted] = capacity[self.products[wanted][1], sink] = _NEVER
        rows, columns = (np.array(side, dtype=np.int32) for side in zip(*capacity, strict=True))
        values = np.array(list(capacity.values()), dtype=np.int32)
        graph = csr_array((values, (rows, columns)), shape=(nodes, nodes))
        flow = maximum_flow(graph, source, sink)
        left = graph - flow.flow
        left.data[left.data < 0] = 0
        left.eliminate_zeros()
        smallest = set(breadth_first_order(left, source, return_predecessors=False).tolist())
        others = set(breadth_first_order(left.T.tocsr(), sink, return_predecessors=False).tolist())
        turned = [k for k, step in enumerate(steps) if step.op is not Op.CONST]
        sides = [frozenset(k for k in turned if k in smallest), frozenset(k for k in turned if k not in others)]
        return sides, int(flow.flow_value)

    def _carrier(self, k: int) -> int:
        """The factor that passes its unit on to a product of two steps: not a sine or cosine."""
        a, b = self.program.operations[k].args
        return b if self.program.operations[a].op in (Op.SIN, Op.COS, Op.INPUT) else a

    def applied(self, proposal: _Proposal) -> Function:
        """The program with some steps measured in a unit (1)."""
        unit, chosen = proposal.unit, proposal.steps

        def step_value(values: list[Any], k: int) -> Any:
            inside = k in chosen
            if k in self.products:
                factor = self._factor(k, unit, chosen)
                return (round(factor) if self._is_one(factor) else factor) * values[self.products[k][1]]
            if k in self.sums:
                here = [(sign, a) for sign, a in self.sums[k] if (a in chosen) == inside]
                there = [(sign, a) for sign, a in self.sums[k] if (a in chosen) != inside]
                parts = [_added([(sign, values[a]) for sign, a in here])] if here else []
                if there:
                    parts.append(unit ** (1 if inside else -1) * _added([(sign, values[a]) for sign, a in there]))
                return sum(parts[1:], parts[0])
            a, b = self.program.operations[k].args
            power = inside - (a in chosen) - (b in chosen)
            product = values[a] * values[b]
            return product if power == 0 else unit**power * product

        touched = [
            k
            for k, step in enumerate(self.program.operations)
            if k in self.products or k in self.sums or (step.op is Op.MUL and chosen.intersection((k, *step.args)))
        ]
        return rebuilt(
            self.program,
            replaced={k: lambda values, k=k: step_value(values, k) for k in touched},  # type: ignore[misc]
        )


def _added(terms: list[tuple[float, Any]]) -> Any:
    """A sum of terms with signs, a positive term first."""
    (sign, total), *rest = sorted(terms, key=lambda term: -term[0])
    total = total if sign > 0.0 else -total
    for sign, term in rest:
        total = total + term if sign > 0.0 else total - term
    return total
