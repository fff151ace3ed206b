"""The contract of live back ends: inputs in order, outputs in order, the numbers of `evaluate`."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from tests.codegen.programs import every_operation, random_function, random_inputs

from torquec.codegen.live import LIVE_BACK_ENDS, Live, live_function
from torquec.errors import ArgumentError, MissingExtraError
from torquec.expr import evaluate, trace

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.fixture(params=list(Live))
def library(request):
    module = pytest.importorskip(request.param.value)
    if request.param is Live.JAX:
        module.config.update("jax_enable_x64", True)
    return request.param


@pytest.mark.parametrize("function", [every_operation(), *(random_function(seed) for seed in range(5))], ids=str)
def test_the_object_computes_what_the_function_does(library, function):
    inputs = {name: values[0] for name, values in random_inputs(3).items()}
    given = {port.name: inputs[port.name] for port in function.inputs}
    found = live_function(function, library)(*given.values())
    outputs = found if len(function.outputs) > 1 else (found,)
    for value, (name, expected) in zip(outputs, evaluate(function, given).items(), strict=True):
        np.testing.assert_allclose(
            np.asarray(value).reshape(expected.shape), expected, rtol=1e-9, atol=1e-9, err_msg=name
        )


def test_one_output_is_no_tuple_and_matrices_go_by_rows(library):
    double = trace("double", lambda A: {"B": [[2.0 * x for x in row] for row in A]}, {"A": (2, 3)})
    found = np.asarray(live_function(double, library.value)(np.arange(6.0).reshape(2, 3)))
    assert found.tolist() == [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]


def test_every_library_has_a_row_and_an_extra():
    assert set(LIVE_BACK_ENDS) == set(Live)
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert all(row.extra in extras for row in LIVE_BACK_ENDS.values())


def test_an_unknown_or_missing_library_is_refused(monkeypatch):
    with pytest.raises(ArgumentError, match="fortran"):
        live_function(every_operation(), "fortran")
    for library in Live:
        monkeypatch.setitem(sys.modules, library.value, None)
        with pytest.raises(MissingExtraError, match=LIVE_BACK_ENDS[library].extra):
            live_function(every_operation(), library)


def test_importing_it_is_light():
    script = "import sys, torquec.codegen.live; print('numpy' in sys.modules, 'casadi' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "False"]
