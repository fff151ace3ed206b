"""One function leads to every target."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.codegen.programs import every_operation

from torquec.codegen.target import BACK_ENDS, Target, generate_package
from torquec.errors import ArgumentError

WRITTEN = {
    Target.C: ["arm.c", "arm.h", "selftest.c", "CMakeLists.txt"],
    Target.RUST: ["Cargo.toml", "src/lib.rs", "tests/recorded.rs"],
    Target.NUMPY: ["arm.py"],
    Target.CASADI: ["arm_every_operation.casadi", "arm.casadi.txt"],
    Target.WASM: ["arm.wasm", "arm.js", "arm.d.ts", "selftest.mjs", "selftest.html", "package.json"],
    Target.OBJECT: ["arm.obj" if sys.platform == "win32" else "arm.o", "arm.h", "arm.json"],
}


@pytest.mark.parametrize("target", Target)
def test_writes_the_documented_files(tmp_path, target):
    if target is Target.CASADI:
        pytest.importorskip("casadi")
    files = generate_package([every_operation()], str(tmp_path / "out"), prefix="arm", target=target)
    assert [path.relative_to(tmp_path / "out").as_posix() for path in files] == WRITTEN[target]
    stated = [name.replace("PREFIX", "arm").replace("FUNCTION", "every_operation") for name in BACK_ENDS[target].files]
    assert [name.replace("arm.obj", "arm.o") for name in WRITTEN[target]] == stated
    assert all(path.stat().st_size for path in files)


def test_a_processor_is_for_objects_only(tmp_path):
    with pytest.raises(ArgumentError, match="NumPy is not written for a processor"):
        generate_package([every_operation()], tmp_path, prefix="p", target=Target.NUMPY, triple="aarch64-linux-gnu")


def test_words_are_targets():
    assert [Target(word) for word in ("c", "rust", "numpy", "casadi", "wasm", "object")] == list(Target)


def test_importing_it_is_light():
    script = "import sys, torquec.codegen.target; print('numpy' in sys.modules, 'casadi' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "False"]
