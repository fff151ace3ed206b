from __future__ import annotations

import shutil
import subprocess
from functools import partial

import numpy as np
import pytest
from tests.codegen.programs import every_operation, random_inputs
from tests.codegen.wasm.node import NODE, needs_node, run_calls
from tests.patience import HANGS

from torquec.codegen.target import Target, generate_package
from torquec.codegen.wasm.package import types_text, wasm_package, wrapper_text
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.expr.math import sqrt

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
