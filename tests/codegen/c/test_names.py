"""The type of numbers is one field: a package in single precision compiles, and its self-test passes."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from tests.codegen.c.compiler import build_selftest, each_compiler, run
from tests.codegen.programs import every_operation

import torquec as tq
from torquec.codegen.c.names import DOUBLE, SINGLE, package_names
from torquec.codegen.c.package import c_package
from torquec.codegen.precision import Precision
from torquec.expr import Function, Port
from torquec.foundation.writing import write_package
from torquec.model.model import compile as compile_model
from torquec.robot.classics import load_classic


@pytest.mark.parametrize("value", [0.0, -0.0, 0.1, 1e300, 5e-324, -math.pi])
def test_a_literal_reads_back(value):
    assert float(DOUBLE.number(value)) == value
    with np.errstate(over="ignore"):  # 1e300 has no single
        assert np.float32(SINGLE.number(value).removesuffix("f")) == np.float32(value)


def test_types_are_those_of_ieee():
    assert (DOUBLE.epsilon, DOUBLE.size) == (np.finfo(np.float64).eps, 8)
    assert (SINGLE.epsilon, SINGLE.size) == (np.finfo(np.float32).eps, 4)


def test_what_is_not_finite():
    assert [SINGLE.number(v) for v in (math.inf, -math.inf, math.nan)] == ["HUGE_VALF", "-HUGE_VALF", "(float)NAN"]


@each_compiler
def test_every_quantity_of_a_robot_in_single_precision(tmp_path, compiler):
    """Nothing is promoted to double on the way, and each self-test passes with the tolerance of single precision."""
    package = tq.generate(load_classic("puma560"), tmp_path, precision="single")
    assert "double" not in (tmp_path / "puma560.c").read_text() + (tmp_path / "puma560.h").read_text()
    result = run(build_selftest(tmp_path, compiler, "puma560", "-O1", "-Wdouble-promotion"))
    assert result.returncode == 0, result.stdout
    assert result.stdout.count("ok") == len(package.functions)


@each_compiler
def test_a_wrong_coefficient_does_not_pass_in_single_precision(tmp_path, compiler):
    """The tolerance is that of rounding, not of the size of the torques."""
    tq.generate(load_classic("planar2r"), tmp_path, precision="single", quantities=["inverse_dynamics"])
    source = tmp_path / "planar2r.c"
    before, function, body = source.read_text().partition("void planar2r_inverse_dynamics")
    number = next(word for word in re.findall(r"\d+\.\d+f", body) if float(word[:-1]) > 0.1)
    source.write_text(before + function + body.replace(number, f"{float(number[:-1]) * 1.01!r}f"))
    assert run(build_selftest(tmp_path, compiler, "planar2r", "-O1")).returncode == 1


@each_compiler
def test_a_package_in_single_precision_compiles_and_passes_its_self_test(tmp_path, compiler):
    """No warning of a conversion: nothing in it is a double."""
    functions = [every_operation(), compile_model(load_classic("puma560")).function("inverse_dynamics")]
    write_package(
        tmp_path, c_package(functions, prefix="arm", precision=Precision.SINGLE), name="arm", target="c", force=True
    )
    text = (tmp_path / "arm.c").read_text()
    assert "float" in text
    assert "double" not in text
    result = run(build_selftest(tmp_path, compiler, "arm", "-O2"))
    assert result.returncode == 0, result.stdout
    assert "ok" in result.stdout


def function(name: str, *ports: str) -> Function:
    return Function(name, tuple(Port(port, (1,)) for port in ports), (), (), ())


def test_plain_names_stay():
    names = package_names([function("mass_matrix", "q", "M")], "panda")
    assert names.functions == ("panda_mass_matrix",)
    assert names.ports(function("mass_matrix", "q", "M")) == {"q": "q", "M": "M"}


def test_parameters_keep_clear_of_locals_macros_and_the_guard():
    ports = ("v1", "x0", "s12", "c3", "NAN", "M_PI", "P_H_INCLUDED", "v1_", "double")
    made = package_names([], "p").ports(function("f", *ports))
    assert list(made.values()) == ["v1_", "x0_", "s12_", "c3_", "NAN_", "M_PI_", "P_H_INCLUDED_", "v1__", "double_x0_"]


def test_helpers_keep_clear_of_functions():
    assert package_names([function("sincos4")], "p").helper("sincos4") == "p_sincos4_"
    assert package_names([function("other")], "p").helper("sincos4") == "p_sincos4"
