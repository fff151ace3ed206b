"""The NumPy module against `evaluate`: the same operations, so the same bits."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.codegen.programs import every_operation, random_function, random_inputs

from torquec.codegen.numpy import numpy_module, python_identifier
from torquec.codegen.target import Target, generate_package
from torquec.expr import evaluate, trace

write_numpy_module = partial(generate_package, target=Target.NUMPY)


def load(directory, functions, prefix="module"):
    (path,) = write_numpy_module(functions, directory, prefix=prefix)
    spec = importlib.util.spec_from_file_location("generated", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_golden_text(golden):
    text = numpy_module([every_operation()], prefix="small", description="All.", notes={"every_operation": "SI."})
    golden("numpy/small.py.txt", text)


def test_known_answer(tmp_path):
    module = load(tmp_path, [trace("f", lambda x: {"y": [x[0] * x[1], 7.0], "z": x[0]}, {"x": (2,)})])
    y, z = module.f([3.0, 4.0])
    assert y.tolist() == [12.0, 7.0]
    assert z == 3.0
    y, z = module.f([[3.0, 4.0], [1.0, 2.0]])
    assert y.tolist() == [[12.0, 7.0], [2.0, 7.0]]
    assert z.tolist() == [3.0, 1.0]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_same_bits_as_evaluate(tmp_path_factory, seed):
    function = random_function(seed)
    call = getattr(load(tmp_path_factory.mktemp("module"), [function]), function.name)
    batch = random_inputs(seed, states=4)
    state = {name: value[0] for name, value in batch.items()}
    for inputs in (batch, state, batch | {"t": state["t"]}):
        for found, expected in zip(call(**inputs), evaluate(function, inputs).values(), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_needs_nothing_but_numpy(tmp_path):
    write_numpy_module([every_operation()], tmp_path, prefix="arm")
    script = "import sys; import arm; print([m for m in sys.modules if 'torquec' in m])"
    result = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_wrong_shapes_are_refused(tmp_path):
    module = load(tmp_path, [every_operation()])
    inputs = random_inputs(0)
    with pytest.raises(ValueError, match=r"x has shape \(3, 2\), expected \(5,\) or \(N, \.\.\.\)"):
        module.every_operation(**(inputs | {"x": np.zeros((3, 2))}))
    with pytest.raises(ValueError, match="batches of different lengths"):
        module.every_operation(**(inputs | {"t": np.zeros(2)}))


def test_hostile_names_and_texts(tmp_path):
    hostile = ['"""; import os', "lambda", "np", "v1", "a b", "\\", "für", "_rows", "None"]
    functions = [
        trace(name, lambda **given: {"out": [sum(a[0] for a in given.values())]}, {name: (1,)}) for name in hostile
    ]
    write_numpy_module(functions, tmp_path, prefix="../x", description='"""\\', notes=dict.fromkeys(hostile, '"""'))
    path, _ = sorted(tmp_path.iterdir(), reverse=True)
    spec = importlib.util.spec_from_file_location("generated", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in hostile:
        assert getattr(module, python_identifier(name))([2.0]).tolist() == [2.0]


def test_functions_without_inputs(tmp_path):
    assert load(tmp_path, [trace("f", lambda: {"y": [1.0, 2.0]}, {})]).f().tolist() == [1.0, 2.0]
