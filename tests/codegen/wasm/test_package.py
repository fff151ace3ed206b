import subprocess

import pytest
from tests.codegen.programs import every_operation
from tests.codegen.wasm.node import NODE, needs_node
from tests.patience import HANGS

from torquec.codegen.target import Target, generate_package
from torquec.codegen.wasm.package import wasm_package, write_wasm_package
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.expr.math import sqrt


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
