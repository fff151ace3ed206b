"""Two stages: the same values, and nothing of the early inputs left in the late functions."""

from __future__ import annotations

import numpy as np
import pytest
from tests.codegen.programs import random_function, random_inputs

from torquec.expr import Op, evaluate, trace
from torquec.expr.stages import CONSTANTS, staged


def test_products_of_early_inputs_are_prepared_once():
    f = trace("f", lambda x, p: {"y": x[0] * (p[0] * p[1] + 1.0)}, {"x": (1,), "p": (2,)})
    g = trace("g", lambda x, p: {"z": x[0] - (p[0] * p[1] + 1.0)}, {"x": (1,), "p": (2,)})
    parts = staged([f, g], {"p"})
    assert parts.prepare.output(CONSTANTS).size == 1
    made = evaluate(parts.prepare, {"p": np.array([2.0, 3.0])})[CONSTANTS]
    assert made.tolist() == [7.0]
    assert evaluate(parts.functions[1], {"x": np.array([10.0]), CONSTANTS: made})["z"] == 3.0


@pytest.mark.parametrize("seed", range(30))
def test_random_functions_keep_their_values(seed):
    functions = [random_function(seed), random_function(seed + 100)]
    for function in functions:
        early = {function.inputs[0].name}
        parts = staged([function], early)
        inputs = random_inputs(seed)
        given = {name: value for name, value in inputs.items() if name in early}
        made = evaluate(parts.prepare, given)[CONSTANTS] if given else None
        late = parts.functions[0]
        assert not any(step.op is Op.INPUT and step.port in early for step in late.operations)
        whole = evaluate(function, inputs)
        found = evaluate(late, {p.name: made if p.name == CONSTANTS else inputs[p.name] for p in late.inputs})
        for name, value in whole.items():
            np.testing.assert_allclose(found[name], value, rtol=1e-9, atol=1e-12, equal_nan=True)


def test_a_function_without_early_inputs_stays():
    f = trace("f", lambda x: {"y": x[0] + 1.0}, {"x": (1,)})
    g = trace("g", lambda p: {"y": p[0] + 1.0}, {"p": (1,)})
    assert staged([f, g], {"p"}).functions[0] is f
