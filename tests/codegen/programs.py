"""Functions for the tests of all back ends, and the arithmetic that a back end with our own sincos must reproduce."""

from __future__ import annotations

import math
import random

import numpy as np

from torquec.codegen.sincos import sincos_reference
from torquec.expr import Function, Op, trace
from torquec.expr.math import absolute, atan2, exp, maximum, minimum, select, sincos, sqrt
from torquec.expr.ops import SEMANTICS

INPUTS = {"x": (5,), "t": (), "A": (2, 2)}


def every_operation() -> Function:
    """One function with each operation, small enough to read."""

    def algorithm(x, t, A):
        s, c = sincos(x[0] + x[1])
        s2, _ = sincos(s * t)
        return {
            "y": [s * c - 0.25, s2 / (2.0 + c), -x[2], sqrt(absolute(x[3])), exp(-absolute(x[4])), atan2(x[1], x[4])],
            "M": [[minimum(x[0], t), maximum(x[1], t)], [select(t - x[2], A[0][1], A[1][0]), -1.5]],
        }

    return trace("every_operation", algorithm, INPUTS)


def random_function(seed: int, *, size: int = 30, smooth: bool = False) -> Function:
    """A random function of every operation; `smooth`: bounded and without jumps, so that rounding stays small."""
    draw = random.Random(seed)

    def algorithm(x, t, A):
        values = [*x, t, *(element for row in A for element in row)]

        def pick():
            return draw.choice(values[-12:] if draw.random() < 0.7 else values)

        def number():
            return round(draw.uniform(-3.0, 3.0), draw.choice([0, 2, 15]))

        rows = [
            lambda: pick() + pick(),
            lambda: pick() - pick(),
            lambda: pick() * pick(),
            lambda: number() * pick(),
            lambda: number() - pick(),
            lambda: -pick(),
            lambda: sincos(pick())[0],
            lambda: sincos(pick())[1],
            lambda: pick() / (2.0 + sincos(pick())[1]),
            lambda: sqrt(absolute(pick()) + 0.5),
            lambda: exp(-absolute(pick())),
            lambda: minimum(pick(), pick()),
            lambda: maximum(pick(), number()),
            lambda: absolute(pick()),
        ]
        if not smooth:
            rows += [lambda: select(pick(), pick(), pick()), lambda: pick() / pick(), lambda: atan2(pick(), pick())]
            rows += [lambda: sqrt(pick()), lambda: exp(pick())]
        for _ in range(size):
            value = draw.choice(rows)()
            values.append(sincos(value)[0] if smooth and draw.random() < 0.3 else value)
        return {"y": values[-3:], "M": [[pick(), pick(), pick()], [number(), x[0], pick()]], "e": pick()}

    return trace(f"random_{seed}", algorithm, INPUTS)


def random_inputs(seed: int, states: int = 3) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: rng.normal(scale=2.0, size=(states, *shape)) for name, shape in INPUTS.items()}


def evaluate_exactly(function: Function, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """One state with our own sincos and the platform's exp and atan2: what generated C gives, to the last bit."""
    apply = {op: rule.on_arrays for op, rule in SEMANTICS.items()}
    apply[Op.SIN] = lambda a: sincos_reference(a)[0]
    apply[Op.COS] = lambda a: sincos_reference(a)[1]
    apply[Op.EXP] = lambda a: SEMANTICS[Op.EXP].on_floats(float(a))
    apply[Op.ATAN2] = lambda a, b: math.atan2(float(a), float(b))
    values: list[np.float64] = []
    with np.errstate(all="ignore"):
        for step in function.operations:
            if step.op is Op.CONST:
                values.append(np.float64(step.value))
            elif step.op is Op.INPUT:
                values.append(np.float64(np.reshape(inputs[step.port], -1)[step.element]))
            else:
                values.append(np.float64(apply[step.op](*(values[a] for a in step.args))))
    return {
        port.name: np.array([values[k] for k in result]).reshape(port.shape)
        for port, result in zip(function.outputs, function.results, strict=True)
    }
