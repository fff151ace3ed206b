import math

import numpy as np
import pytest
from tests.codegen.programs import every_operation, random_function, random_inputs
from tests.codegen.wasm.node import needs_node, run_calls

from torquec.codegen.wasm import module as module_file
from torquec.codegen.wasm.module import exported_names, wasm_module
from torquec.errors import ArgumentError, CompileError
from torquec.expr import evaluate, trace
from torquec.expr.math import sincos


def angles_of(n):
    def algorithm(x):
        pairs = [sincos(x[k]) for k in range(n)]
        return {"s": [s for s, _ in pairs], "c": [c for _, c in pairs]}

    return trace("angles", algorithm, {"x": (n,)})


def close(found, expected, tolerance):
    scale = max(1.0, np.abs(expected[np.isfinite(expected)]).max(initial=0.0))
    np.testing.assert_allclose(found / scale, np.ravel(expected) / scale, rtol=0, atol=tolerance)


@needs_node
@pytest.mark.parametrize("simd", [False, True])
def test_every_operation_and_random_functions(simd):
    functions = [every_operation(), *(random_function(seed, smooth=True) for seed in range(12))]
    given = random_inputs(7, states=4)
    calls = [(f.name, [given[port.name][k] for port in f.inputs]) for f in functions for k in range(4)]
    results = iter(run_calls(functions, calls, simd=simd))
    for function in functions:
        expected = evaluate(function, given)
        for k in range(4):
            for port, found in zip(function.outputs, next(results), strict=True):
                close(found, expected[port.name][k], 1e-13)


@needs_node
def test_angles_of_any_size():
    """Infinite angles, and those next to multiples of pi/2, where a reduction that drops bits shows it."""
    turns = [math.pi / 2 * k for k in (63663, 63664, 1e6, 12345678, 2**40 + 1)]
    exact = {6381956970095103 * 2.0**797: -4.687165924254628e-19}  # its cosine to 1600 bits; libm's may be wrong
    sizes = [0.0, -0.0, 1e-300, 3.0, 99999.9, 100000.1, -1e6, 1e10, 1e22, -1.7976931348623157e308, *turns, *exact]
    angles = [*sizes, math.inf, -math.inf, math.nan, *(-x for x in turns)]
    function = angles_of(len(angles))
    ((sines, cosines),) = run_calls([function], [("angles", [angles])])
    for x, s, c in zip(angles, sines, cosines, strict=True):
        if math.isfinite(x):
            assert abs(s - math.sin(x)) <= 2 * math.ulp(math.sin(x))
            assert abs(c - exact.get(x, math.cos(x))) <= 2 * math.ulp(exact.get(x, math.cos(x)))
        else:
            assert math.isnan(s + c)


@needs_node
def test_a_batch_gives_its_rows_bit_by_bit():
    functions = [every_operation(), random_function(3, smooth=True)]
    given = random_inputs(1, states=7)
    calls = [(f.name, [given[port.name][k] for port in f.inputs]) for f in functions for k in range(7)]
    calls += [(f"{f.name}.batch", [n, *(given[p.name][:n] for p in f.inputs)]) for f in functions for n in (7, 1, 0)]
    results = run_calls(functions, calls, batch=True)
    for i, function in enumerate(functions):
        rows = results[7 * i : 7 * i + 7]
        for n, batch in zip((7, 1, 0), results[14 + 3 * i : 17 + 3 * i], strict=True):
            for k in range(len(function.outputs)):
                expected = [x for row in rows[:n] for x in row[k]]
                assert batch[k].tobytes() == np.array(expected, dtype=float).tobytes()


@needs_node
def test_a_large_batch_grows_the_memory():
    function = angles_of(2)
    x = np.random.default_rng(0).uniform(-3, 3, (20_000, 2))
    ((sines, _),) = run_calls([function], [("angles.batch", [len(x), x])], batch=True)
    np.testing.assert_allclose(sines.reshape(-1, 2), np.sin(x), atol=1e-15)


def test_the_same_functions_give_the_same_bytes():
    functions = [random_function(seed) for seed in range(3)]
    assert wasm_module(functions, batch=True) == wasm_module(functions, batch=True)


def test_one_name_twice_is_refused():
    with pytest.raises(ArgumentError, match="every_operation"):
        wasm_module([every_operation(), every_operation()])


def test_too_many_operations_are_refused(monkeypatch):
    monkeypatch.setattr(module_file, "_MOST_OPERATIONS", 10)
    with pytest.raises(CompileError, match="too many"):
        wasm_module([every_operation()])


def test_names_are_identifiers():
    function = trace("mass-matrix", lambda x: {"y": x[0]}, {"x": (1,)})
    assert exported_names(function, batch=True) == ["mass_x2d_matrix", "mass_x2d_matrix_batch"]
