import ctypes
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.codegen.llvm.programs import EXACT_OPS, arm, as_tuple, every_op, program, random_program

from torquec.codegen.llvm import CompileOptions, compile_function, host_cpu, plain_cpu
from torquec.codegen.llvm_text.program import Fused, make_program
from torquec.expr import Op, evaluate
from torquec.expr.ops import SEMANTICS

POINTER = ctypes.POINTER(ctypes.c_double)


def evaluated(function, arrays):
    named = {port.name: array for port, array in zip(function.inputs, arrays, strict=True)}
    return tuple(evaluate(function, named)[port.name] for port in function.outputs)


def test_a_product_and_a_sum():
    f = program([(Op.MUL, 0, 1), (Op.ADD, 7, 2), (Op.SUB, 2, 7)], outputs=((8, 9),))
    assert compile_function(f).call([3.0, 4.0, 5.0], [0.0, 0.0]).tolist() == [17.0, -7.0]


def test_the_kernel_has_the_c_signature_and_writes_only_its_outputs():
    native = compile_function(arm(3))
    kernel = ctypes.CFUNCTYPE(None, *[POINTER] * 3)(native.address)
    q, qd, tau = np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 3.0]), np.full(5, np.nan)
    kernel(*(a.ctypes.data_as(POINTER) for a in (q, qd, tau[1:])))
    assert np.array_equal(tau[1:4], native.call(q, qd))
    assert np.isnan(tau[[0, 4]]).all()


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_exact_arithmetic_is_exact(data):
    """On integers nothing rounds, so contraction, signs and selection must be exactly right."""
    known, rows = 7, []
    for _ in range(data.draw(st.integers(1, 14))):
        op = data.draw(st.sampled_from(EXACT_OPS))
        rows.append((op, *(data.draw(st.integers(0, known - 1)) for _ in range(SEMANTICS[op].arity))))
        known += 1
    f = program(rows, outputs=(tuple(range(known)),))
    values = [np.array(data.draw(st.lists(st.integers(-6, 6), min_size=n, max_size=n)), dtype=float) for n in (3, 2)]
    expected = evaluated(f, values)[0]
    assume(np.abs(expected).max() < 2.0**50)
    for cpu in (host_cpu(), plain_cpu(2)):
        got = compile_function(f, options=CompileOptions(cpu=cpu)).call(*values)
        assert np.array_equal(got, expected)


def interpret(program, arrays):
    """The steps of a program one by one, a fused one rounded once."""
    values = []
    for step in program.steps:
        args = [values[a] for a in step.args]
        if step.op is Op.CONST:
            values.append(np.float64(step.value))
        elif step.op is Op.INPUT:
            values.append(arrays[step.port][step.element])
        elif isinstance(step.op, Fused):
            values.append(fused(step.op, *args))
        else:
            with np.errstate(all="ignore"):
                values.append(SEMANTICS[step.op].on_arrays(*args))
    return [np.array([values[v] for v in result]) for result in program.results]


def fused(op, a, b, c):
    if not np.isfinite([a, b, c]).all():
        product, c = (-a * b if op in (Fused.NEGATED_ADD, Fused.NEGATED_SUB) else a * b), np.float64(c)
        return product - c if op in (Fused.SUB, Fused.NEGATED_SUB) else product + c
    product = Fraction(float(a)) * Fraction(float(b))
    product = -product if op in (Fused.NEGATED_ADD, Fused.NEGATED_SUB) else product
    total = product - Fraction(float(c)) if op in (Fused.SUB, Fused.NEGATED_SUB) else product + Fraction(float(c))
    try:
        return np.float64(float(total))
    except OverflowError:
        return np.float64(np.inf if total > 0 else -np.inf)


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("fuse", [True, False])
def test_every_bit_is_the_programs(seed, fuse):
    """Apart from sine, cosine, exponential and arctangent, LLVM changes no rounding."""
    cpu = host_cpu() if fuse else plain_cpu(2)
    if cpu.fma is not fuse:
        pytest.skip("no such processor here")
    f = random_program(seed, ops=tuple(op for op in SEMANTICS if op not in (Op.SIN, Op.COS, Op.EXP, Op.ATAN2)))
    arrays = [np.random.default_rng(seed).standard_normal(port.shape) for port in f.inputs]
    expected = interpret(make_program(f, fuse=fuse), arrays)
    got = as_tuple(compile_function(f, options=CompileOptions(cpu=cpu)).call(*arrays))
    assert all(np.array_equal(g, e, equal_nan=True) for g, e in zip(got, expected, strict=True))


@pytest.mark.parametrize("width", [2, 4, 8])
def test_every_operation(width):
    if width > host_cpu().width:
        pytest.skip("no such vectors here")
    f = every_op()
    native = compile_function(f, options=CompileOptions(cpu=plain_cpu(width)))
    rng = np.random.default_rng(width)
    for _ in range(50):
        arrays = [3.0 * rng.standard_normal(port.shape) for port in f.inputs]
        for got, expected in zip(native.call(*arrays), evaluated(f, arrays), strict=True):
            assert np.allclose(got, expected, rtol=0, atol=4e-15)


def test_nan_goes_through():
    f = every_op()
    native = compile_function(f)
    for k in range(5):
        flat = np.array([0.5, 0.6, 0.7, 0.8, 0.9])
        flat[k] = np.nan
        arrays = [flat[:3].copy(), flat[3:].copy()]
        for got, expected in zip(native.call(*arrays), evaluated(f, arrays), strict=True):
            assert np.array_equal(np.isnan(got), np.isnan(expected))


def test_a_comparison_with_nan_selects_the_second():
    f = program([(Op.SELECT, 0, 1, 2)], outputs=((7,),))
    call = compile_function(f).call
    assert call([np.nan, 1.0, 2.0], [0.0, 0.0]).tolist() == [2.0]
    assert call([-0.0, 1.0, 2.0], [0.0, 0.0]).tolist() == [1.0]
