"""Equations to code and back: generated Python and C compute what the equations say."""

from __future__ import annotations

import ctypes
import importlib.util

import numpy as np
import pytest
from tests.closedform.printed import samples
from tests.codegen.c.compiler import COMPILERS, WARNINGS, build, needs_compiler

from torquec.closedform import closed_form
from torquec.closedform.equations import single_equations
from torquec.closedform.fourier import CLOVER
from torquec.closedform.layouts import Matrix, indices
from torquec.closedform.source import c_source, equation_functions, parameter_order, python_source
from torquec.dynamics import parameter_names, parameter_values
from torquec.robot.classics import load_classic

SAMPLES = samples()
NAMES = [name for name in SAMPLES if name != "nothing"]


def imported(text, folder):
    path = folder / "written.py"
    path.write_text(text, encoding="ascii")
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def inputs(chosen, function, seed=0):
    """Random arguments for a function, parameters as the robot has them."""
    rng = np.random.default_rng(seed)
    own = dict(zip(parameter_names(chosen.form.robot), parameter_values(chosen.form.robot), strict=True))
    given = {port.name: rng.uniform(-1, 1, port.shape) for port in function.inputs}
    if "parameters" in given:
        given["parameters"] = np.array([own[name] for name in parameter_order(chosen)])
    return given


def expected(chosen, matrix, given):
    """A matrix from its entries, symmetric places filled."""
    n = chosen.form.n
    own = dict(zip(parameter_names(chosen.form.robot), parameter_values(chosen.form.robot), strict=True))
    q, qd, qdd = (given.get(name, np.zeros(n)) for name in ("q", "qd", "qdd"))
    found = {}
    for entry in chosen.entries[matrix]:
        total = 0.0
        for part in entry.parts:
            value = part.value.bound(own)(q) if "parameters" in given else part.value(q)
            total += value * np.prod(qd[list(part.speeds)]) * np.prod(qdd[list(part.accelerations)])
        found[entry.index] = total
    if matrix is Matrix.B:
        pairs = [index[1:] for index in indices(n, matrix) if index[0] == 0]
        return np.array([[found.get((i, *pair), 0.0) for pair in pairs] for i in range(n)])
    shape = (n,) * len(indices(2, matrix)[0])
    result = np.zeros(shape)
    for index, value in found.items():
        result[index] = value
        if matrix in (Matrix.M, Matrix.J):
            result[index[::-1]] = value
        if matrix is Matrix.H:
            result[index[0], index[2], index[1]] = value
    return result


@pytest.mark.parametrize("name", NAMES)
def test_python_computes_what_the_equations_say(name, tmp_path):
    chosen = SAMPLES[name]
    module = imported(python_source(chosen), tmp_path)
    for function in equation_functions(chosen):
        if function.name == "V":
            continue
        given = inputs(chosen, function)
        found = getattr(module, function.name)(*given.values())
        np.testing.assert_allclose(found, expected(chosen, Matrix(function.name), given), atol=1e-11)


def test_python_takes_batches(tmp_path):
    module = imported(python_source(SAMPLES["puma560 exact"]), tmp_path)
    q = np.random.default_rng(0).uniform(-2, 2, (5, 6))
    np.testing.assert_allclose(module.M(q)[3], module.M(q[3]))


@pytest.mark.parametrize("name", ["puma560 after Clover", "odd, everything"])
def test_friction(name, tmp_path):
    chosen = SAMPLES[name]
    module = imported(python_source(chosen), tmp_path)
    qd = np.random.default_rng(1).uniform(-2, 2, chosen.form.n)
    laws = {law.joint: law.torque(list(qd)) for law in chosen.friction}
    np.testing.assert_allclose(module.V(qd), [laws.get(i, 0.0) for i in range(chosen.form.n)])


@needs_compiler
@pytest.mark.parametrize("name", NAMES)
def test_c_computes_what_python_does(name, tmp_path):
    chosen = SAMPLES[name]
    module = imported(python_source(chosen), tmp_path)
    text = c_source(chosen)
    assert '#include "' not in text
    (tmp_path / "written.c").write_text(text, encoding="ascii")
    library = tmp_path / "written.so"
    build(COMPILERS[0], "-std=c99", *WARNINGS, "-O1", "-fPIC", "-shared", tmp_path / "written.c", "-lm", "-o", library)
    loaded = ctypes.CDLL(str(library))
    prefix = next(line for line in text.splitlines() if line.startswith("void ")).split("(")[0].split()[1]
    functions = equation_functions(chosen)
    prefix = prefix.removesuffix(functions[0].name)
    for function in functions:
        given = inputs(chosen, function, seed=2)
        reference = np.asarray(getattr(module, function.name)(*given.values()))
        found = np.zeros(reference.shape)
        arrays = [*given.values(), found]
        getattr(loaded, prefix + function.name)(*(a.ctypes.data_as(ctypes.c_void_p) for a in arrays))
        np.testing.assert_allclose(found, reference, atol=1e-12 * max(1.0, np.abs(reference).max()))


def test_single_entries_are_functions_of_their_own(tmp_path):
    form = closed_form(load_classic("puma560"))
    chosen = single_equations(form, ["M[1,1]", "B[1,23]", "dtau_dqd[1,2]"], CLOVER)
    module = imported(python_source(chosen), tmp_path)
    q, qd = np.random.default_rng(3).uniform(-2, 2, (2, 6))
    (first,), (second,), (third,) = chosen.entries.values()
    assert module.M_1_1(q) == pytest.approx(float(first.at(q)))
    assert module.B_1_2_3(q) == pytest.approx(float(second.at(q)))
    assert module.dtau_dqd_1_2(q, qd) == pytest.approx(float(third.at(q, qd)))


def test_the_same_text_every_time():
    assert python_source(SAMPLES["puma560 exact"]) == python_source(samples()["puma560 exact"])
    assert c_source(SAMPLES["puma560 exact"]) == c_source(samples()["puma560 exact"])
