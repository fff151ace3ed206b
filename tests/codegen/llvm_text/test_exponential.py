"""The native exponential function, in vectors of every width and one by one, against 60 digits."""

from __future__ import annotations

import numpy as np
import pytest
from tests.codegen.llvm_text.test_exponential_reference import exp_errors, exp_reference

from torquec.codegen.llvm import CompileOptions, compile_function, host_cpu, plain_cpu
from torquec.expr import trace
from torquec.expr.math import exp


@pytest.fixture(scope="module", params=[2, 4, 8, "host"])
def call(request):
    if request.param != "host" and request.param > host_cpu().width:
        pytest.skip("no such vectors here")
    cpu = host_cpu() if request.param == "host" else plain_cpu(request.param)
    return compile_function(trace("f", lambda x: {"y": exp(x)}, {"x": ()}), options=CompileOptions(cpu=cpu)).call


SCALES = (1e-9, 0.1, 3.0, 50.0, 709.0)
EXPONENTS = np.concatenate([np.random.default_rng(k).uniform(-s, s, 400) for k, s in enumerate(SCALES)])
SMALL = np.random.default_rng(9).uniform(-745.1, -708.4, 400)
ENDS = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 709.78, 709.79, 1e300, -745.13, -745.14, -1e300, 5e-324])


def test_within_one_unit_in_the_last_place(call):
    for x in (EXPONENTS, SMALL):
        assert exp_errors(x, call(x)).max() <= 1.0


def test_zero_infinity_and_nan(call):
    with np.errstate(over="ignore", under="ignore"):
        np.testing.assert_allclose(call(ENDS), np.exp(ENDS), rtol=3e-16)


def test_one_state_is_a_batch_of_one(call):
    x = np.concatenate([EXPONENTS[::40], SMALL[::40], ENDS])
    one_by_one = np.array([float(np.asarray(call(float(value)))) for value in x])
    np.testing.assert_array_equal(one_by_one, call(x))


def test_without_fused_products_it_is_the_reference():
    call = compile_function(
        trace("f", lambda x: {"y": exp(x)}, {"x": ()}), options=CompileOptions(cpu=plain_cpu(2))
    ).call
    x = np.concatenate([EXPONENTS, SMALL, ENDS])
    np.testing.assert_array_equal(call(x), exp_reference(x))
