"""Pruning of a torque program: terms of its sums left out where the torques hardly change.

(1)  a sum a + b may become a, or b; what only the other term needed disappears with it
(2)  greedily: of all terms whose loss keeps the sampled error below the level, the one with most operations saved
     per error

The program stays linear in the accelerations and quadratic in the speeds, so its error can be bounded like any
other; its degree in the joints' sines and cosines may rise to three, because what cancelled in a whole sum need not
cancel in a part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.expr import Function, Graph, Op, count_operations, evaluate, trace
from torquec.expr.ops import SEMANTICS
from torquec.reduction.proof.bernstein import Array
from torquec.reduction.proof.torque_bound import Motions, sampled_motions, worst_motions
from torquec.reduction.proof.torque_residual import (
    TorqueTables,
    position_degree,
    positions_read,
    torque_residual,
    torque_tables,
)

HIGHEST_DEGREE = 3
_MOST_JOINTS = 5
_SAMPLES = 700
_LEVELS = (0.95, 0.92, 0.88, 0.8, 0.7)
_MARGIN = 0.985
"""Part of the tolerance that an error may use: the proof needs the rest."""


@dataclass(frozen=True)
class _Cut:
    """Step `step` without its argument number `lost`."""

    step: int
    lost: int


def prune(function: Function, states: Array, torques: Array, tolerance: Sequence[float], level: float) -> Function:
    """The program with terms left out, its error at the states below `level` times each joint's tolerance.

    `states` (N, 3, n) are positions, speeds and accelerations, `torques` (N, n) what they should give.
    """
    current = function
    allowed = np.asarray(tolerance, dtype=np.float64)
    while True:
        values = _run(current, states)
        here = _error(current, values, torques, allowed)
        cost = _operations(current)
        best: tuple[float, Function] | None = None
        for cut in _cuts(current):
            error = _error(current, _rerun(current, values, cut), torques, allowed)
            if error > level:
                continue
            shorter = _without(current, cut)
            saved = cost - _operations(shorter)
            score = saved / (max(error - here, 0.0) + 0.01)
            if saved > 0 and (best is None or score > best[0]) and position_degree(shorter) <= HIGHEST_DEGREE:
                best = (score, shorter)
        if best is None:
            return current
        current = best[1]


def prune_within(
    exact: Function,
    simplified: Function,
    prismatic: Sequence[bool],
    motions: Motions,
    tolerance: Sequence[float],
    *,
    progress: Callable[[str], None] | None = None,
) -> Function:
    """`simplified` pruned, its largest error against `exact`, found on the exact residual, below the tolerances.

    Where no pruned program is good enough, or too many positions are read to prove it, `simplified` itself.
    """
    joints = sorted(positions_read(exact) | positions_read(simplified))
    if len(joints) > _MOST_JOINTS:
        return simplified
    whole = torque_tables(exact, prismatic, joints, degree=HIGHEST_DEGREE)
    allowed = np.asarray(tolerance, dtype=np.float64)
    states = np.concatenate([sampled_motions(motions, _SAMPLES), _worst(whole, simplified, prismatic, motions)[1]])
    for level in _LEVELS:
        named = {name: states[:, k] for k, name in enumerate(("q", "qd", "qdd"))}
        candidate = prune(simplified, states, evaluate(exact, named)["tau"], tolerance, level)
        found, worst = _worst(whole, candidate, prismatic, motions)
        largest = float((found / allowed).max())
        if progress is not None:
            progress(f"pruned to {_operations(candidate)} operations, error {100 * largest:.1f} % of the tolerance")
        if largest <= _MARGIN:
            return candidate
        states = np.concatenate([states, worst])
    return simplified


def _worst(whole: TorqueTables, program: Function, prismatic: Sequence[bool], motions: Motions) -> tuple[Array, Array]:
    """The largest error found of each joint, and motions in which the errors are large."""
    joints = [variable.joints[0][0] for variable in whole.variables]
    residual = torque_residual(whole, torque_tables(program, prismatic, joints, degree=whole.degree))
    found = [worst_motions(residual, joint, motions) for joint in range(residual.n)]
    return np.array([value for value, _ in found]), np.concatenate([states for _, states in found])


def _operations(function: Function) -> int:
    count = count_operations(function)
    return count.mul + count.add


def _cuts(function: Function) -> list[_Cut]:
    return [
        _Cut(k, lost) for k, step in enumerate(function.operations) if step.op in (Op.ADD, Op.SUB) for lost in (0, 1)
    ]


def _run(function: Function, states: Array) -> list[Any]:
    """The value of every step at the states."""
    inputs = {name: states[:, k].T for k, name in enumerate(("q", "qd", "qdd"))}
    values: list[Any] = []
    for step in function.operations:
        if step.op is Op.CONST:
            values.append(step.value)
        elif step.op is Op.INPUT:
            values.append(inputs[step.port][step.element])
        else:
            values.append(SEMANTICS[step.op].on_arrays(*(values[a] for a in step.args)))
    return values


def _rerun(function: Function, values: list[Any], cut: _Cut) -> list[Any]:
    """The values after a cut; only what follows from it is computed again."""
    changed = list(values)
    step = function.operations[cut.step]
    kept = values[step.args[1 - cut.lost]]
    changed[cut.step] = -kept if step.op is Op.SUB and cut.lost == 0 else kept
    touched = {cut.step}
    for k in range(cut.step + 1, len(function.operations)):
        later = function.operations[k]
        if any(a in touched for a in later.args):
            touched.add(k)
            changed[k] = SEMANTICS[later.op].on_arrays(*(changed[a] for a in later.args))
    return changed


def _error(function: Function, values: list[Any], torques: Array, tolerance: Array) -> float:
    """The largest error over all states and joints, in tolerances."""
    return max(
        float(np.abs(values[k] - torques[:, i]).max()) / float(tolerance[i]) for i, k in enumerate(function.results[0])
    )


def _without(function: Function, cut: _Cut) -> Function:
    """The program after a cut, folded again."""

    def algorithm(**inputs: Any) -> dict[str, list[Any]]:
        graph: Graph = inputs["q"][0].graph
        values: list[Any] = []
        for k, step in enumerate(function.operations):
            if step.op is Op.CONST:
                values.append(graph.constant(step.value))
            elif step.op is Op.INPUT:
                values.append(inputs[step.port][step.element])
            elif k == cut.step:
                kept = values[step.args[1 - cut.lost]]
                values.append(-kept if step.op is Op.SUB and cut.lost == 0 else kept)
            else:
                values.append(graph.make(step.op, *(values[a] for a in step.args)))
        return {"tau": [values[k] for k in function.results[0]]}

    return trace(function.name, algorithm, {port.name: port.shape for port in function.inputs})
