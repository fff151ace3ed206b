"""Recorded states of a function: what a self-test in any language compares its results with.

The inputs are drawn from a seeded generator, the outputs come from `torquec.expr.evaluate`. What is tolerated follows
from the function: it is evaluated again with the result of every operation wrong by one unit in the last place, up or
down; a hundred times the change that this makes, relative to the largest output and rounded up to a power of ten, is
allowed (at least 1e-12).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.expr import Function, Op, evaluate
from torquec.expr.ops import SEMANTICS
from torquec.foundation.arrays import Array

STATES = 4
"""Enough that no function passes by accident, few enough for a microcontroller."""

RECORDED_SEED = 20240229
"""Of the generator that a package draws its states from: any number, the same test from the same functions."""

DOUBLE_EPSILON = float(np.finfo(float).eps)
_LEAST_TOLERANCE = 1e-12  # some thousand roundings of a double: another compiler contracts and reorders


@dataclass(frozen=True)
class RecordedStates:
    """Inputs and outputs by port, (STATES, *shape) each, and the relative difference that is allowed."""

    inputs: Mapping[str, Array]
    outputs: Mapping[str, Array]
    tolerance: float


def record_states(function: Function, rng: np.random.Generator, *, epsilon: float = DOUBLE_EPSILON) -> RecordedStates:
    """States of a function for a target whose numbers are spaced by `epsilon`."""
    inputs = {port.name: rng.uniform(-1.5, 1.5, (STATES, *port.shape)).round(6) for port in function.inputs}
    outputs = _evaluate(function, inputs)
    moved = _evaluate_badly(function, inputs, rng, epsilon)
    return RecordedStates(inputs, outputs, _tolerance(outputs, moved, epsilon))


def _evaluate(function: Function, inputs: dict[str, Array]) -> dict[str, Array]:
    """Outputs for all states, also of a function without inputs."""
    outputs = evaluate(function, inputs)
    return {port.name: np.broadcast_to(outputs[port.name], (STATES, *port.shape)) for port in function.outputs}


def _evaluate_badly(
    function: Function, inputs: dict[str, Array], rng: np.random.Generator, epsilon: float
) -> dict[str, Array]:
    """Outputs for all states, each operation wrong in its last place."""
    values: list[Any] = []
    with np.errstate(all="ignore"):
        for step in function.operations:
            if step.op is Op.CONST:
                values.append(np.full(STATES, step.value))
            elif step.op is Op.INPUT:
                values.append(inputs[step.port].reshape(STATES, -1)[:, step.element])
            else:
                exact = SEMANTICS[step.op].on_arrays(*(values[arg] for arg in step.args))
                values.append(exact * (1.0 + epsilon * rng.choice([-1.0, 1.0], STATES)))
    return {
        port.name: np.array([values[k] for k in result]).reshape(-1, STATES).T
        for port, result in zip(function.outputs, function.results, strict=True)
    }


def _tolerance(outputs: dict[str, Array], moved: dict[str, Array], epsilon: float) -> float:
    """The module's rule; states and outputs that are not finite do not count."""
    change = 0.0
    for port, value in outputs.items():
        for row, other in zip(value.reshape(STATES, -1), moved[port].reshape(STATES, -1), strict=True):
            if row.size and np.isfinite(row).all() and np.isfinite(other).all() and np.abs(row).max() > 0.0:
                change = max(change, float(np.abs(row - other).max() / np.abs(row).max()))
    tolerance = max(_LEAST_TOLERANCE * (epsilon / DOUBLE_EPSILON), 100.0 * change)
    return float(f"1e{math.ceil(math.log10(tolerance) - 1e-9)}")
