"""Recorded states of a function: reference inputs and outputs for the self-tests in all languages.

The inputs are drawn from a seeded generator, and the outputs come from `torquec.expr.evaluate`. For the tolerance, the
function is evaluated again, with the result of every operation perturbed by one unit in the last place, up or down. The
tolerance is a hundred times the resulting change, relative to the largest output and rounded up to a power of ten (at
least 1e-12).

A function with comparisons may jump where one of them is close to a tie, because rounding then decides it. Only states
without such a jump are recorded, so the tolerance covers rounding error alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.expr import Function, Op, Operation, evaluate
from torquec.expr.ops import SEMANTICS
from torquec.foundation.arrays import Array

STATES = 4
"""Number of recorded states: enough that no function passes by accident, few enough for a microcontroller."""

RECORDED_SEED = 20240229
"""Seed of a package's random states, fixed so that the same functions give the same test."""

DOUBLE_EPSILON = float(np.finfo(float).eps)
_EXACT = (Op.NEG, Op.ABS, Op.MIN, Op.MAX, Op.SELECT)
_JUMPING = (Op.SELECT, Op.ATAN2)
_CANDIDATES = 256  # candidate states where a function may jump: enough if one in twenty is away from jumps
_PERTURBED_TRIALS = 16  # perturbed evaluations that have to agree: enough not to miss a tie by chance
_STEADY_ULPS = 1e4  # units in the last place by which rounding may change a steady result: a larger change is a jump
_WITHOUT_FRACTION = 2.0**51  # doubles beyond it have a spacing of a half or more
_LEAST_TOLERANCE = 1e-12  # some thousand roundings of a double: other compilers contract and reorder


@dataclass(frozen=True)
class RecordedStates:
    """Inputs and outputs by port, (STATES, *shape) each, and the allowed relative difference."""

    inputs: Mapping[str, Array]
    outputs: Mapping[str, Array]
    tolerance: float


def record_states(function: Function, rng: np.random.Generator, *, epsilon: float = DOUBLE_EPSILON) -> RecordedStates:
    """States of a function for a target whose numbers are spaced by `epsilon`."""
    inputs, change = _steady_states(function, rng, epsilon)
    return RecordedStates(inputs, _evaluate(function, inputs, STATES), _tolerance(change, epsilon))


def _steady_states(function: Function, rng: np.random.Generator, epsilon: float) -> tuple[dict[str, Array], float]:
    """Inputs of `STATES` states at which the function does not jump, and the change that rounding makes there."""
    jumps = any(step.op in _JUMPING for step in function.operations)
    count = _CANDIDATES if jumps else STATES
    inputs = {port.name: rng.uniform(-1.5, 1.5, (count, *port.shape)).round(6) for port in function.inputs}
    outputs = _evaluate(function, inputs, count)
    changes = np.zeros(count)
    for _ in range(_PERTURBED_TRIALS if jumps else 1):
        moved = _evaluate_badly(function, inputs, rng, epsilon, count)
        changes = np.maximum(changes, _changes(outputs, moved, count))
    # The first steady states, not the steadiest, which are often trivial ones.
    steady = np.sort(np.argsort(np.maximum(changes, _STEADY_ULPS * epsilon), kind="stable")[:STATES])
    return {name: value[steady] for name, value in inputs.items()}, float(changes[steady].max())


def _evaluate(function: Function, inputs: dict[str, Array], states: int) -> dict[str, Array]:
    """Outputs for all states, also of a function without inputs."""
    outputs = evaluate(function, inputs)
    return {port.name: np.broadcast_to(outputs[port.name], (states, *port.shape)) for port in function.outputs}


def _evaluate_badly(
    function: Function, inputs: dict[str, Array], rng: np.random.Generator, epsilon: float, states: int
) -> dict[str, Array]:
    """Outputs for all states, with every rounding operation perturbed by one unit in the last place."""
    values: list[Any] = []
    with np.errstate(all="ignore"):
        for step in function.operations:
            if step.op is Op.CONST:
                values.append(np.full(states, step.value))
            elif step.op is Op.INPUT:
                values.append(inputs[step.port].reshape(states, -1)[:, step.element])
            else:
                result = SEMANTICS[step.op].on_arrays(*(values[arg] for arg in step.args))
                if _rounds(function, step):
                    result = result * (1.0 + epsilon * rng.choice([-1.0, 1.0], states))
                values.append(result)
    return {
        port.name: np.array([values[k] for k in result]).reshape(-1, states).T
        for port, result in zip(function.outputs, function.results, strict=True)
    }


def _rounds(function: Function, step: Operation) -> bool:
    """Whether an operation rounds: not a choice, nor (x + 1.5 2^52) - 1.5 2^52, whose result is an integer."""
    constants = (function.operations[arg] for arg in step.args if function.operations[arg].op is Op.CONST)
    whole = step.op in (Op.ADD, Op.SUB) and any(abs(constant.value) >= _WITHOUT_FRACTION for constant in constants)
    return step.op not in _EXACT and not whole


def _changes(outputs: dict[str, Array], moved: dict[str, Array], states: int) -> Array:
    """The change of each state as the self-test measures it: relative to the largest output where that is not zero.

    It is infinite where a finite number becomes infinite or NaN, or the reverse.
    """
    worst = np.zeros(states)
    for port, value in outputs.items():
        if value.size == 0:
            continue
        rows, others = value.reshape(states, -1), moved[port].reshape(states, -1)
        finite = np.isfinite(rows)
        worst[(finite != np.isfinite(others)).any(axis=1)] = np.inf
        largest = np.where(finite, np.abs(rows), 0.0).max(axis=1)
        with np.errstate(all="ignore"):
            difference = np.where(finite, np.abs(rows - others), 0.0).max(axis=1)
            worst = np.maximum(worst, np.where(largest > 0.0, difference / largest, difference))
    return worst


def _tolerance(change: float, epsilon: float) -> float:
    """The tolerance by the module's rule, 1 at most: where every state jumps, no change bounds the rounding error."""
    tolerance = max(_LEAST_TOLERANCE * (epsilon / DOUBLE_EPSILON), 100.0 * change)
    return float(f"1e{math.ceil(math.log10(min(tolerance, 1.0)) - 1e-9)}")
