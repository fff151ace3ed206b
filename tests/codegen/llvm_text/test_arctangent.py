"""The native angle of a point, in vectors of every width and one by one, against 200 bits."""

from __future__ import annotations

import numpy as np
import pytest
from tests.codegen.llvm_text.test_arctangent_reference import CORNERS, POINTS, atan2_errors, atan2_reference

from torquec.codegen.llvm import CompileOptions, compile_function, host_cpu, plain_cpu
from torquec.expr import trace
from torquec.expr.math import atan2

ANGLE = trace("f", lambda y, x: {"angle": atan2(y, x)}, {"y": (), "x": ()})


@pytest.fixture(scope="module", params=[2, 4, 8, "host"])
def call(request):
    if request.param != "host" and request.param > host_cpu().width:
        pytest.skip("no such vectors here")
    cpu = host_cpu() if request.param == "host" else plain_cpu(request.param)
    return compile_function(ANGLE, options=CompileOptions(cpu=cpu)).call


def test_within_two_units(call):
    assert atan2_errors(POINTS, call(*POINTS)).max() <= 2.0


def test_zeros_infinities_and_nan(call):
    found, right = call(*CORNERS), np.arctan2(*CORNERS)
    np.testing.assert_allclose(found, right, rtol=3e-16)
    sure = ~np.isnan(right)
    np.testing.assert_array_equal(np.signbit(found[sure]), np.signbit(right[sure]))


def test_one_state_is_a_batch_of_one(call):
    points = np.concatenate([POINTS[:, ::50], CORNERS], axis=1)
    one_by_one = np.array([float(np.asarray(call(*map(float, point)))) for point in points.T])
    np.testing.assert_array_equal(one_by_one, call(*points))


def test_without_fused_products_it_is_the_reference():
    call = compile_function(ANGLE, options=CompileOptions(cpu=plain_cpu(2))).call
    points = np.concatenate([POINTS, CORNERS], axis=1)
    np.testing.assert_array_equal(call(*points), atan2_reference(*points))
