"""The reduction of large angles, run natively; WebAssembly runs the same text."""

import ctypes
import math
from fractions import Fraction

import numpy as np
import pytest

from torquec.codegen.llvm.cpu import host_cpu
from torquec.codegen.llvm.load import LoadedObject
from torquec.codegen.llvm.module import object_code
from torquec.codegen.llvm_text.far_sincos import _arctangent_of_inverse, emit_far_one
from torquec.codegen.llvm_text.text import FunctionText

PRECISE = 1 << 1700
PI = 4 * (4 * _arctangent_of_inverse(5, PRECISE) - _arctangent_of_inverse(239, PRECISE))


@pytest.fixture(scope="module")
def far_one():
    text = FunctionText(fma=False)
    body = emit_far_one(text).replace("define internal", "define")
    loaded = LoadedObject(object_code("\n".join([body, *text.declarations]), host_cpu()), host_cpu(), {})
    call = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)(loaded.address("far_one"))

    def pair(x):
        found = np.empty(2)
        call(x, found.ctypes.data, found.ctypes.data + 8)
        return found.tolist()

    pair.loaded = loaded  # the code lives as long as this does
    return pair


def exact_pair(x):
    """(sin x, cos x) by a reduction in whole numbers; the remainder, at most pi/4, is left to the platform."""
    quarter, rest = divmod(int(Fraction(x) * PRECISE) * 2 + PI // 2, PI)
    r = float(Fraction(rest - PI // 2, 2 * PRECISE))
    s, c = math.sin(r), math.cos(r)
    return [(s, c), (c, -s), (-s, -c), (-c, s)][quarter % 4]


def test_against_whole_numbers(far_one):
    rng = np.random.default_rng(0)
    sizes = np.concatenate([10.0 ** rng.uniform(5, 308, 3000), np.pi / 2 * rng.integers(10**5, 10**14, 3000)])
    hardest = [6381956970095103 * 2.0**797, 1e22, 1.7976931348623157e308, 2.0**1023, 100000.5]
    for x in [*(sizes * rng.choice([-1.0, 1.0], len(sizes))), *hardest]:
        for found, expected in zip(far_one(x), exact_pair(x), strict=True):
            assert abs(found - expected) <= 1.5 * math.ulp(expected), x


@pytest.mark.parametrize("x", [math.inf, -math.inf, math.nan])
def test_what_is_no_angle_has_no_sine(far_one, x):
    assert all(math.isnan(value) for value in far_one(x))
