from __future__ import annotations

import math
import shutil
import subprocess
from functools import partial

import numpy as np
import pytest
from tests.codegen.programs import every_operation, random_function, random_inputs
from tests.codegen.wasm.node import NODE, needs_node, run_calls
from tests.patience import HANGS

from torquec.codegen.target import Target, generate_package
from torquec.codegen.wasm import package as package_file
from torquec.codegen.wasm.package import exported_names, types_text, wasm_module, wasm_package, wrapper_text
from torquec.errors import ArgumentError, CompileError
from torquec.expr import evaluate, trace
from torquec.expr.math import sincos, sqrt

write_wasm_package = partial(generate_package, target=Target.WASM)

TWO = trace("two", lambda q: {"y": q[0] * 2.0}, {"q": (2,)})


@needs_node
def test_wrong_arguments_are_refused_by_name():
    results = run_calls(
        [TWO],
        [
            ("two", [[1.0]]),
            ("two", []),
            ("two", [[1.0, 2.0], [3.0]]),
            ("two.batch", [3, [1.0, 2.0]]),
            ("two.batch", [-1, [1.0, 2.0]]),
        ],
        batch=True,
    )
    assert results[0] == "TypeError: q has 1 numbers, expected 2"
    assert results[1] == "TypeError: 1 arrays are needed, not 0"
    assert results[2] == "TypeError: 1 arrays are needed, not 2"
    assert results[3] == "TypeError: q has 2 numbers, expected 6"
    assert results[4] == "TypeError: count is a whole number from 0 on"


@needs_node
def test_results_stay_after_the_next_call_and_after_memory_has_grown():
    given = random_inputs(0, states=1)
    arguments = [given[port.name][0] for port in every_operation().inputs]
    calls = [("two", [[1.0, 2.0]]), ("two.batch", [20_000, np.ones(40_000)]), ("two", [[3.0, 2.0]])]
    first, batch, again, _ = run_calls([TWO, every_operation()], [*calls, ("every_operation", arguments)], batch=True)
    assert [first[0], again[0]] == [[2.0], [6.0]]
    assert batch[0].tolist() == [2.0] * 20_000


def test_hostile_names_stay_names():
    function = trace("a*/ alert(1)", lambda x: {"y": x[0]}, {"x": (1,)})
    text = wrapper_text([function], prefix="p", description="*/ </script>\nnew line\x00")
    assert "alert(1)" not in text
    assert "\x00" not in text
    assert "// new line" in text
    assert "*/ <" not in types_text([function], prefix="p", description="*/ <")


def test_types_name_inputs_and_outputs():
    text = types_text([TWO, every_operation()], prefix="p", notes={"two": "Twice."})
    assert "two: Callable<[q: Numbers], Float64Array>;" in text
    assert "/** Twice. 1 mul, 0 add. */" in text
    assert "{ y: Float64Array; M: Float64Array }>" in text


@pytest.mark.skipif(shutil.which("tsc") is None, reason="no tsc on the PATH")
def test_types_compile(tmp_path):
    (tmp_path / "p.d.ts").write_text(types_text([TWO], prefix="p"))
    subprocess.run(["tsc", "--noEmit", "--strict", str(tmp_path / "p.d.ts")], check=True)


def selftest(folder):
    return subprocess.run(
        [NODE, "selftest.mjs"], cwd=folder, capture_output=True, text=True, check=False, timeout=HANGS
    )


@needs_node
def test_the_self_test_passes_and_a_changed_constant_fails_it(tmp_path):
    files = write_wasm_package([every_operation()], tmp_path / "good", prefix="my arm")
    assert [file.name for file in files] == [
        "my_arm.wasm",
        "my_arm.js",
        "my_arm.d.ts",
        "selftest.mjs",
        "selftest.html",
        "package.json",
    ]
    done = selftest(tmp_path / "good")
    assert done.returncode == 0, done
    assert done.stdout.startswith("ok     every_operation")
    path = tmp_path / "good" / "my_arm.wasm"
    quarter, other = bytes.fromhex("44000000000000d03f"), bytes.fromhex("44000000000000d83f")
    code = path.read_bytes()
    minus = bytes.fromhex("44000000000000d0bf")
    assert quarter in code or minus in code
    path.write_bytes(code.replace(quarter, other).replace(minus, other))
    done = selftest(tmp_path / "good")
    assert done.returncode == 1
    assert "FAILED" in done.stdout


@needs_node
def test_results_that_are_not_finite_are_recorded(tmp_path):
    function = trace("root", lambda x: {"y": [sqrt(x[0] - 10.0), x[0] / (x[0] - x[0] * 1.0)]}, {"x": (1,)})
    write_wasm_package([function], tmp_path, prefix="p")
    done = selftest(tmp_path)
    assert done.returncode == 0, done


def test_the_page_is_one_file():
    page = str(wasm_package([every_operation()], prefix="p")["selftest.html"])
    assert "src=" not in page
    assert "default-src 'none'" in page


def test_no_function_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match="no function"):
        generate_package([], tmp_path, prefix="p", target=Target.WASM)


def test_the_same_functions_give_the_same_bytes():
    assert wasm_package([every_operation()], prefix="p") == wasm_package([every_operation()], prefix="p")


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


def test_the_same_functions_give_the_same_module():
    functions = [random_function(seed) for seed in range(3)]
    assert wasm_module(functions, batch=True) == wasm_module(functions, batch=True)


def test_one_name_twice_is_refused():
    with pytest.raises(ArgumentError, match="every_operation"):
        wasm_module([every_operation(), every_operation()])


def test_too_many_operations_are_refused(monkeypatch):
    monkeypatch.setattr(package_file, "_MOST_OPERATIONS", 10)
    with pytest.raises(CompileError, match="too many"):
        wasm_module([every_operation()])


def test_names_are_identifiers():
    function = trace("mass-matrix", lambda x: {"y": x[0]}, {"x": (1,)})
    assert exported_names(function, batch=True) == ["mass_x2d_matrix", "mass_x2d_matrix_batch"]
