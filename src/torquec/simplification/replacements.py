"""Replacements in a torque program: one step becomes a term, a number or a multiple of another; operations saved.

(1)  a sum a + b becomes a, or b
(2)  a step that depends on positions alone becomes a number, any other one zero
(3)  a step becomes a multiple of an earlier one: of two proportional values only one is computed

Steps that only the replaced one needed are removed (dead code). A step is replaced only by steps of no higher weight,
where a speed weighs one and an acceleration two: then no product of the program weighs more than before, and torques
stay linear in the accelerations and quadratic in the speeds, as proofs require.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.expr import Function, Op
from torquec.expr.function import SINCOS_COST
from torquec.expr.replay import rebuilt
from torquec.foundation.arrays import RealArray
from torquec.simplification.tuning import TUNING

_PORT_WEIGHT = {"q": 0, "qd": 1, "qdd": 2}


@dataclass(frozen=True)
class Replacement:
    """Step `step` becomes `factor` times step `by`, or the number `factor`; it saves `saved` operations."""

    step: int
    by: int | None
    factor: float
    saved: int

    @property
    def place(self) -> tuple[int, int | None]:
        """The replaced step and its replacement, without the factor."""
        return self.step, self.by

    def of(self, values: RealArray) -> RealArray:
        """The new value of the step, given the values (steps, N) of all."""
        return np.full_like(values[0], self.factor) if self.by is None else self.factor * values[self.by]

    def in_graph(self, values: Sequence[Any]) -> Any:
        """The new node of the step, given the nodes of those before it."""
        if self.by is None:
            return self.factor
        if abs(self.factor) == 1.0:
            return values[self.by] if self.factor > 0.0 else -values[self.by]
        return self.factor * values[self.by]


def replaced_together(program: Function, chosen: Sequence[Replacement]) -> Function:
    """The program with several of its steps replaced, folded again."""
    return rebuilt(program, replaced={one.step: one.in_graph for one in chosen})


def replacements(program: Function, values: RealArray, changes: RealArray) -> Iterator[Replacement]:
    """All replacements that save an operation, given the values (steps, N) of all steps at N motions.

    `changes` (n, steps, N) are derivatives of the torques by each step in tolerances, the weights of (3).
    """
    ledger, weights = _Ledger(program), _weights(program)
    angles = angle_steps(program)
    for k, step in enumerate(program.operations):
        if k in angles or step.op in (Op.CONST, Op.INPUT, Op.NEG):
            continue
        if step.op in (Op.ADD, Op.SUB) and step.args[0] != step.args[1]:
            for lost in (0, 1):
                sign = -1.0 if step.op is Op.SUB and lost == 0 else 1.0
                kept = step.args[1 - lost]
                yield Replacement(k, kept, sign, ledger.saved(k, kept))
        importance = np.einsum("in,in->n", changes[:, k], changes[:, k])
        whole = float(importance.sum())
        if whole == 0.0:
            continue
        number = float(importance @ values[k]) / whole if weights[k] == 0 else 0.0
        if number != 0.0 or k not in ledger.factors:
            yield Replacement(k, None, number, ledger.saved(k, None))
        if step.op in (Op.ADD, Op.SUB, Op.MUL):
            earlier = [
                j
                for j in range(k)
                if j not in angles and weights[j] <= weights[k] and program.operations[j].op is not Op.CONST
            ]
            yield from _alike(ledger, k, earlier, values, importance / changes[:, k].size)


def _alike(
    ledger: _Ledger, k: int, earlier: Sequence[int], values: RealArray, importance: RealArray
) -> Iterator[Replacement]:
    """(3), with the factor of least squares."""
    weighted = values[list(earlier)] * importance
    products = weighted @ values[k]
    squares = np.einsum("jn,jn->j", weighted, values[list(earlier)]) + 1e-30
    factors = products / squares
    left = float(importance @ values[k] ** 2) - products * factors
    close = np.flatnonzero((left <= TUNING.similar_torque_change**2) & (factors != 0.0))
    for row in close[np.argsort(left[close], kind="stable")][: TUNING.similar_values]:
        factor = float(factors[row])
        free = abs(abs(factor) - 1.0) < TUNING.rounded_factor
        saved = ledger.saved(k, earlier[row]) - (not free)
        if saved > 0:
            yield Replacement(k, earlier[row], float(np.sign(factor)) if free else factor, saved)


class _Ledger:
    """How often each step of a program is used, and how many sines and cosines are taken of each angle."""

    def __init__(self, program: Function) -> None:
        self.steps = program.operations
        self.uses = Counter(argument for step in self.steps for argument in step.args)
        self.uses.update(program.results[0])
        self.factors = {a for step in self.steps if step.op is Op.MUL for a in step.args if self.uses[a] == 1}
        """Steps used only by one product: the product is set to zero instead of the step, which saves more."""
        self.turns = Counter(step.args[0] for step in self.steps if step.op in (Op.SIN, Op.COS))

    def saved(self, k: int, by: int | None) -> int:
        """Operations saved where step `by` or a number replaces step k."""
        left = {} if by is None else {by: self.uses[by] + 1}
        saved, waiting = 0, [k]
        turns: Counter[int] = Counter()
        while waiting:
            step = self.steps[waiting.pop()]
            saved += step.op in (Op.ADD, Op.SUB, Op.MUL)
            if step.op in (Op.SIN, Op.COS):
                turns[step.args[0]] += 1
            for argument in step.args:
                left[argument] = left.get(argument, self.uses[argument]) - 1
                if left[argument] == 0:
                    waiting.append(argument)
        return saved + SINCOS_COST * sum(count == self.turns[angle] for angle, count in turns.items())


def _weights(program: Function) -> list[int]:
    """The highest weight of a product in each step."""
    weights: list[int] = []
    for step in program.operations:
        if step.op is Op.INPUT:
            weights.append(_PORT_WEIGHT[step.port])
        elif step.op is Op.MUL:
            weights.append(sum(weights[a] for a in step.args))
        else:
            weights.append(max((weights[a] for a in step.args), default=0))
    return weights


def angle_steps(program: Function) -> set[int]:
    """The arguments of sines and cosines, and the steps that lead to them, in which torques are not polynomial."""
    found: set[int] = set()
    for k in range(len(program.operations) - 1, -1, -1):
        step = program.operations[k]
        if step.op in (Op.SIN, Op.COS) or k in found:
            found.update(step.args)
    return found
