"""Reading packages back, and folders that hold none."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from tests.codegen.programs import evaluate_exactly, every_operation, random_function, random_inputs

from torquec.codegen.precision import Precision
from torquec.codegen.target import generate_package
from torquec.codegen.verify.c_package import CArray, CFunction, evaluate_c, read_c_package
from torquec.errors import ArgumentError
from torquec.expr import trace


def test_functions_with_their_arrays(tmp_path):
    generate_package([every_operation()], tmp_path, prefix="my arm")
    package = read_c_package(tmp_path)
    assert (package.prefix, package.real) == ("my_arm", "double")
    function = package.functions[0]
    assert function.name == "my_arm_every_operation"
    assert function.inputs == (CArray("x", 5), CArray("t", 1), CArray("A", 4))
    assert function.outputs == (CArray("y", 6), CArray("M", 4))
    assert not any(";" in statement for statement in function.statements)


def test_folders_without_a_package(tmp_path):
    with pytest.raises(ArgumentError, match="no such folder"):
        read_c_package(tmp_path / "gone")
    (tmp_path / "a.c").write_text("int x;")
    (tmp_path / "a.h").write_text("extern int x;")
    with pytest.raises(ArgumentError, match="no C package of Torquec"):
        read_c_package(tmp_path)
    for prefix in ("p", "q"):
        for file in generate_package([every_operation()], tmp_path / prefix, prefix=prefix):
            shutil.copy(file, tmp_path)
    with pytest.raises(ArgumentError, match="more than one C package: p, q"):
        read_c_package(tmp_path)


def test_a_package_that_was_changed(tmp_path):
    generate_package([every_operation()], tmp_path, prefix="p")
    header = tmp_path / "p.h"
    text = header.read_text()
    header.write_text(text.replace("const double x[5]", "const char *x"))
    with pytest.raises(ArgumentError, match=r"has the parameter 'const char \*x'"):
        read_c_package(tmp_path)
    header.write_text(text.replace("p_every_operation(", "p_other("))
    with pytest.raises(ArgumentError, match="declared and not defined"):
        read_c_package(tmp_path)


@pytest.mark.parametrize("seed", range(6))
def test_the_text_says_what_the_function_is_bit_by_bit(tmp_path, seed):
    function = random_function(seed)
    generate_package([function], tmp_path, prefix="p")
    read = read_c_package(tmp_path).functions[0]
    inputs = random_inputs(seed)
    names = {array.name: key for array, key in zip(read.inputs, inputs, strict=True)}
    given = {own: inputs[key].reshape(3, -1) for own, key in names.items()}
    found = list(evaluate_c(read, given, "double").values())
    for k in range(3):
        exact = evaluate_exactly(function, {name: value[k] for name, value in inputs.items()})
        for values, wanted in zip(found, exact.values(), strict=True):
            # The last digits of exp and atan2 are the library's: Python's and NumPy's may differ.
            np.testing.assert_allclose(values[k], wanted.reshape(-1), rtol=1e-13, atol=0.0)


def test_floats_stay_floats(tmp_path):
    generate_package([every_operation()], tmp_path, prefix="p", precision=Precision.SINGLE)
    package = read_c_package(tmp_path)
    assert package.real == "float"
    states = {array.name: np.full((2, array.size), 0.75) for array in package.functions[0].inputs}
    found = evaluate_c(package.functions[0], states, package.real)
    assert {value.dtype for value in found.values()} == {np.dtype(np.float32)}


def test_functions_without_inputs_or_with_plain_numbers(tmp_path):
    functions = [
        trace("constant", lambda: {"y": [1.5, float("inf"), float("nan")]}, {}),
        trace("copy", lambda x: {"y": [x[1], -x[0]]}, {"x": (2,)}),
    ]
    generate_package(functions, tmp_path, prefix="p")
    constant, copy = read_c_package(tmp_path).functions
    np.testing.assert_array_equal(evaluate_c(constant, {}, "double")["y"], [[1.5, np.inf, np.nan]])
    np.testing.assert_array_equal(evaluate_c(copy, {"x": np.array([[1.0, 2.0]])}, "double")["y"], [[2.0, -1.0]])


@pytest.mark.parametrize(
    "statement",
    [
        "y[0] = __import__('os').getcwd()",
        "y[0] = (lambda: 1.0)()",
        "y[0] = x.__class__",
        "system(x)",
        "y[0] = x[0] ** 9.0",
        "y[0] = 'a'",
        "y[0] = v7",
    ],
)
def test_nothing_else_is_evaluated(statement):
    function = CFunction("f", (), (CArray("y", 1),), (statement,))
    with pytest.raises(ArgumentError, match="which Torquec does not write"):
        evaluate_c(function, {}, "double")
