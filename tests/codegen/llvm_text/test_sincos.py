import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from tests.codegen.llvm.programs import ulp_error

from torquec.codegen.llvm import CompileOptions, compile_function, host_cpu, plain_cpu
from torquec.codegen.sincos import LARGEST_ANGLE
from torquec.expr import trace
from torquec.expr.math import sincos

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")
REDUCTION = Decimal("2e-28")


def both(x):
    s, c = sincos(x)
    return {"s": s, "c": c}


@pytest.fixture(scope="module", params=[2, 4, 8, "host"])
def call(request):
    if request.param != "host" and request.param > host_cpu().width:
        pytest.skip("no such vectors here")
    cpu = host_cpu() if request.param == "host" else plain_cpu(request.param)
    return compile_function(trace("both", both, {"x": ()}), options=CompileOptions(cpu=cpu)).call


def sine_and_cosine(x):
    """Both in 60 digits, by Taylor's series after an exact reduction."""
    with localcontext(prec=60):
        k = round(Decimal(x) / (PI / 2))
        r = Decimal(x) - k * (PI / 2)
        term, sums = Decimal(1), [Decimal(0), Decimal(0)]
        for power in range(50):
            sums[power % 2] += term if power % 4 < 2 else -term
            term *= r / (power + 1)
        c, s = sums
        return ((s, c), (c, -s), (-s, -c), (-c, s))[k % 4]


def errors(angles, call):
    """Errors of sine and cosine in ulp, those of the reduction (2e-28 at most, absolutely) left out."""
    found = call(np.asarray(angles, dtype=float))
    exact = [sine_and_cosine(float(x)) for x in angles]
    with localcontext(prec=60):
        for k, values in enumerate(found):
            yield np.array(
                [
                    max(Decimal(0), abs(Decimal(float(got)) - pair[k]) - REDUCTION) / Decimal(math.ulp(float(pair[k])))
                    for got, pair in zip(values, exact, strict=True)
                ],
                dtype=float,
            )


def test_quarter_turns(call):
    s, c = call(np.array([0.0, math.pi / 2, math.pi, -math.pi / 2, 2 * math.pi]))
    assert (s[[0, 1, 3]].tolist(), c[[0, 2, 4]].tolist()) == ([0.0, 1.0, -1.0], [1.0, -1.0, 1.0])


@pytest.mark.parametrize("size", [1.0, 10.0, 1e3, LARGEST_ANGLE])
def test_random_angles(call, size):
    angles = np.random.default_rng(1).uniform(-size, size, 1500)
    assert all(error.max() <= 1.6 for error in errors(angles, call))


def test_next_to_multiples_of_a_quarter_turn(call):
    """Where one of the two is almost zero, and where the quadrant changes."""
    k = np.concatenate([np.arange(1, 300), np.arange(63000, 63300)])
    near = [f(k * (math.pi / 4), towards) for f in (np.nextafter,) for towards in (-np.inf, np.inf)]
    angles = np.concatenate([k * (math.pi / 4), *near, -k * (math.pi / 2)])
    assert all(error.max() <= 1.6 for error in errors(angles, call))


def test_tiny_angles(call):
    angles = np.array([5e-324, 1e-310, 2.3e-308, 1e-200, 1e-17, 1e-8, 1e-5])
    s, c = call(np.concatenate([angles, -angles]))
    assert ulp_error(s[:5], angles[:5]).max() <= 1.0
    assert np.array_equal(s[7:], -s[:7])
    assert (c[:6] == 1.0).all()


def test_beyond_the_reduction_the_platform_serves(call):
    angles = np.array([100000.5, -123456.75, 1e7, 1e15, -1e22, 1e300, np.nextafter(LARGEST_ANGLE, np.inf)])
    s, c = call(angles)
    assert s.tolist() == [math.sin(x) for x in angles]
    assert c.tolist() == [math.cos(x) for x in angles]


def test_non_finite_angles_give_nan(call):
    for value in (np.nan, np.inf, -np.inf):
        s, c = call(np.array(value))
        assert np.isnan(s)
        assert np.isnan(c)


def test_a_lane_does_not_see_its_neighbours(call):
    angles = np.array([0.5, 1e9, np.nan, 0.25, np.inf, -3.0, 1e5, 2e5, 7.0])
    together = call(angles)
    alone = [call(np.array(x)) for x in angles]
    for k, values in enumerate(together):
        assert np.array_equal(values, np.array([pair[k] for pair in alone]), equal_nan=True)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7, 8, 9, 17])
def test_any_number_of_angles_in_one_state(count):
    f = trace("many", lambda x: {"s": [sincos(a)[0] for a in x], "c": [sincos(a)[1] for a in x]}, {"x": (count,)})
    angles = np.random.default_rng(count).uniform(-9, 9, count)
    angles[count // 2] = 3e6
    s, c = compile_function(f).call(angles)
    assert np.allclose(s, np.sin(angles), rtol=0, atol=3e-16)
    assert np.allclose(c, np.cos(angles), rtol=0, atol=3e-16)
