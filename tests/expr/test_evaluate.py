"""The reference evaluator: one state, batches, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.expr import Function, Op, Operation, Port, evaluate, trace
from torquec.expr.math import sincos
from torquec.expr.ops import SEMANTICS

F = trace("f", lambda a, v, m: {"s": a * v[0], "w": [a + m[0][0], m[1][2] - v[1]], "k": [[1.0, a]]},
          {"a": (), "v": (2,), "m": (2, 3)})  # fmt: skip
INPUTS = {"a": 2.0, "v": [3.0, 4.0], "m": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]}


def test_one_state():
    out = evaluate(F, INPUTS)
    assert {name: value.tolist() for name, value in out.items()} == {"s": 6.0, "w": [3.0, 2.0], "k": [[1.0, 2.0]]}
    assert all(value.dtype == np.float64 for value in out.values())


def test_a_batch_is_its_states_one_by_one():
    generator = np.random.default_rng(1)
    batch = {"a": generator.normal(size=5), "v": generator.normal(size=(5, 2)), "m": generator.normal(size=(5, 2, 3))}
    out = evaluate(F, batch)
    assert {name: value.shape for name, value in out.items()} == {"s": (5,), "w": (5, 2), "k": (5, 1, 2)}
    for k in range(5):
        for name, value in evaluate(F, {key: array[k] for key, array in batch.items()}).items():
            assert np.array_equal(out[name][k], value)


def test_single_states_go_with_every_row_of_a_batch():
    out = evaluate(F, {**INPUTS, "a": [1.0, 2.0, 3.0]})
    assert out["s"].tolist() == [3.0, 6.0, 9.0]
    assert out["w"].tolist() == [[2.0, 2.0], [3.0, 2.0], [4.0, 2.0]]


def test_a_batch_may_be_empty():
    out = evaluate(F, {**INPUTS, "a": np.empty(0)})
    assert {name: value.shape for name, value in out.items()} == {"s": (0,), "w": (0, 2), "k": (0, 1, 2)}


def test_strided_and_integer_inputs():
    rows = np.arange(24).reshape(4, 6)[::2, ::3]
    f = trace("f", lambda x: {"y": x[0] + 10.0 * x[1]}, {"x": (2,)})
    assert evaluate(f, {"x": rows})["y"].tolist() == [30.0, 162.0]


@pytest.mark.parametrize("op", SEMANTICS)
def test_every_operation_is_evaluated(op):
    arity = SEMANTICS[op].arity
    steps = [Operation(Op.INPUT, port="x", element=k) for k in range(arity)]
    f = Function("f", (Port("x", (arity,)),), (Port("y"),), (*steps, Operation(op, tuple(range(arity)))), ((arity,),))
    x = [0.7, -0.4, 1.3][:arity]
    assert evaluate(f, {"x": x})["y"] == pytest.approx(SEMANTICS[op].on_floats(*x), rel=4e-16)


def test_what_is_not_finite_passes_in_silence(recwarn):
    f = trace("f", lambda x: {"y": [x / x, sincos(x)[0]]}, {"x": ()})
    assert np.isnan(evaluate(f, {"x": [0.0, math.inf, math.nan]})["y"][:, 0]).all()
    assert not recwarn.list


MISUSE = {
    "missing input": ({"a": 1.0, "v": [1.0, 2.0]}, "inputs a, v were given to 'f'\n  remedy: give exactly a, v, m"),
    "unknown input": ({**INPUTS, "b": 1.0}, "inputs a, v, m, b were given"),
    "wrong length": ({**INPUTS, "v": [1.0]}, "input 'v' has shape (1,)\n  remedy: give (2,), or (N, 2) for a batch"),
    "matrix for a scalar": (
        {**INPUTS, "a": [[1.0]]},
        "input 'a' has shape (1, 1)\n  remedy: give (), or (N,) for a batch",
    ),
    "two lengths": ({**INPUTS, "a": [1.0] * 3, "v": [[1.0] * 2] * 4}, "different lengths: [3, 4]"),
    "complex": ({**INPUTS, "a": np.array(1 + 2j)}, "input 'a' is not an array of real numbers (complex128)"),
    "text": ({**INPUTS, "a": "1.0"}, "input 'a' is not an array of real numbers"),
    "ragged": ({**INPUTS, "v": [[1.0], [1.0, 2.0]]}, "input 'v' is not an array of real numbers"),
}


@pytest.mark.parametrize(("inputs", "message"), MISUSE.values(), ids=MISUSE)
def test_misuse_says_what_was_expected(inputs, message):
    with pytest.raises(ArgumentError) as refused:
        evaluate(F, inputs)
    assert message in str(refused.value)
