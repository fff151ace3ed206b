import shutil
import subprocess

import numpy as np
import pytest
from tests.codegen.programs import every_operation, random_inputs
from tests.codegen.wasm.node import needs_node, run_calls

from torquec.codegen.wasm import types_text, wrapper_text
from torquec.expr import trace

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
