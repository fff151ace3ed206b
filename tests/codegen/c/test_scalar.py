"""The type of numbers is one field: a package in single precision compiles, and its self-test passes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.codegen.c.compiler import build_selftest, each_compiler, run
from tests.codegen.programs import every_operation

from torquec.codegen.c.package import c_package
from torquec.codegen.c.scalar import DOUBLE, SINGLE
from torquec.foundation.writing import write_folder
from torquec.model.model import compile as compile_model
from torquec.robot.classics import load_classic


@pytest.mark.parametrize("value", [0.0, -0.0, 0.1, 1e300, 5e-324, -math.pi])
def test_a_literal_reads_back(value):
    assert float(DOUBLE.number(value)) == value
    assert np.float32(SINGLE.number(value).removesuffix("f")) == np.float32(value)


def test_what_is_not_finite():
    assert [SINGLE.number(v) for v in (math.inf, -math.inf, math.nan)] == ["HUGE_VALF", "-HUGE_VALF", "(float)NAN"]


@each_compiler
def test_a_package_in_single_precision_compiles_and_passes_its_self_test(tmp_path, compiler):
    """No warning of a conversion: nothing in it is a double."""
    functions = [every_operation(), compile_model(load_classic("puma560")).function("inverse_dynamics")]
    write_folder(tmp_path, c_package(functions, prefix="arm", scalar=SINGLE), force=True)
    text = (tmp_path / "arm.c").read_text()
    assert "float" in text
    assert "double" not in text
    result = run(build_selftest(tmp_path, compiler, "arm", "-O2"))
    assert result.returncode == 0, result.stdout
    assert "ok" in result.stdout
