"""The CasADi function against `evaluate`."""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.codegen.programs import every_operation, random_function, random_inputs

from torquec.codegen.casadi import casadi_function
from torquec.codegen.target import Target, generate_package
from torquec.errors import ExpressionError, MissingExtraError
from torquec.expr import Function, differentiate, evaluate, trace
from torquec.expr.math import sincos

write_casadi_functions = partial(generate_package, target=Target.CASADI)

casadi = pytest.importorskip("casadi")


def compare(function: Function, built, inputs):
    found = built(*inputs.values())
    for value, (name, expected) in zip(found, evaluate(function, inputs).items(), strict=True):
        np.testing.assert_allclose(
            np.array(value).reshape(expected.shape), expected, rtol=1e-9, atol=1e-9, err_msg=name
        )


def test_known_answer():
    f = casadi_function(
        trace("f", lambda A, x: {"y": [A[0][0] * x[0] + A[0][1] * x[1], A[1][2]]}, {"A": (2, 3), "x": (2,)})
    )
    assert np.array(f(np.arange(6.0).reshape(2, 3), [5.0, 7.0])).ravel().tolist() == [7.0, 5.0]


def test_names_and_shapes():
    built = casadi_function(every_operation())
    assert built.name() == "every_operation"
    assert (built.name_in(), built.name_out()) == (["x", "t", "A"], ["y", "M"])
    assert [built.size_in(k) for k in range(3)] == [(5, 1), (1, 1), (2, 2)]
    assert built.size_out("M") == (2, 2)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_agrees_with_evaluate(seed):
    function = random_function(seed, smooth=True)
    built = casadi_function(function)
    for k in range(3):
        compare(function, built, {name: value[k] for name, value in random_inputs(seed).items()})


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_every_operation(sign):
    function = every_operation()
    inputs = {name: sign * value[0] for name, value in random_inputs(1).items()}
    compare(function, casadi_function(function), inputs)


def test_derivatives_agree_with_ours():
    function = trace("f", lambda x: {"y": [sincos(x[0] * x[1])[0], x[0] / (2.0 + sincos(x[1])[1])]}, {"x": (2,)})
    x = casadi.SX.sym("x", 2)
    jacobian = casadi.Function("J", [x], [casadi.jacobian(casadi_function(function)(x), x)])
    ours = evaluate(differentiate(function, "y", "x"), {"x": [0.3, -1.2]})["dy_dx"]
    np.testing.assert_allclose(np.array(jacobian([0.3, -1.2])), ours, rtol=1e-13)


def test_saved_files_load(tmp_path):
    function = every_operation()
    path, text = write_casadi_functions([function], tmp_path, prefix="my arm", description="Of a robot.")
    assert text.read_text().startswith("my arm: written by torquec.\nOf a robot.\n")
    assert path.name == "my_arm_every_operation.casadi"
    compare(function, casadi.Function.load(str(path)), {name: value[0] for name, value in random_inputs(2).items()})


@pytest.mark.parametrize("name", ["jac", "null", "hess", "a__b", "_a", "double", '"; system("', "for", "über"])
def test_any_name_is_taken(name):
    built = casadi_function(trace(name, lambda **given: {"out": [given[name][0] * 2.0]}, {name: (1,)}))
    assert float(built(4.0)) == 8.0


def test_empty_outputs():
    built = casadi_function(trace("f", lambda q: {"y": [], "z": [q[0]]}, {"q": (1,)}, shapes={"y": (0,)}))
    assert built.size_out("y") == (0, 1)


def test_three_axes_are_refused():
    with pytest.raises(ExpressionError, match="3 axes"):
        casadi_function(trace("f", lambda q: {"y": [[[q[0]]]]}, {"q": (1,)}))


def test_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(MissingExtraError, match=r"torquec\[casadi\]"):
        casadi_function(every_operation())
