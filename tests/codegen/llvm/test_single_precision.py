"""Batches of floats: errors below a running bound, bits that do not depend on the place, the rules of dtypes."""

import pickle

import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, as_tuple, every_op, inputs_of, passthrough, random_program, same_bits

import torquec as tq
from torquec.codegen.llvm import CallPath, CompileOptions, compile_function, host_cpu, plain_cpu
from torquec.codegen.llvm import module as module_file
from torquec.codegen.llvm.callable import load_or_compile
from torquec.codegen.llvm_text.program import Fused, make_program
from torquec.codegen.llvm_text.sincos import SINGLE_VECTOR_ERROR
from torquec.codegen.precision import Precision
from torquec.errors import ArgumentError
from torquec.expr import Op, trace
from torquec.expr.math import sincos
from torquec.model.quantities import trace_quantity
from torquec.robot import classics

UNIT = 2.0**-24
WIDTHS = [width for width in (2, 4, 8) if width <= host_cpu().width]
BOTH = trace("both", lambda x: {"s": sincos(x)[0], "c": sincos(x)[1]}, {"x": ()})


def single(function, **named):
    return compile_function(function, options=CompileOptions(precision=Precision.SINGLE, **named)).call


@pytest.fixture(scope="module", params=WIDTHS)
def cpu(request):
    return plain_cpu(request.param)


@pytest.fixture(scope="module", params=list(CallPath))
def call(request):
    return single(arm(), call_path=request.param)


def floats(function, seed, *rows, scale=2.0):
    return [a.astype(np.float32) for a in inputs_of(function, np.random.default_rng(seed), *rows, scale=scale)]


def largest_error(call, stride):
    """Of sine and cosine, over every `stride`-th float from 2^-13 to 4096."""
    first, last = (int(np.float32(x).view(np.int32)) for x in (2.0**-13, 4096.0))
    worst = 0.0
    for start in range(first, last + 1, stride << 18):
        bits = np.arange(start, min(start + (stride << 18), last + 1), stride, dtype=np.int32)
        x = bits.view(np.float32)
        for got, exact in zip(call(x), (np.sin(x.astype(float)), np.cos(x.astype(float))), strict=True):
            worst = max(worst, float(np.abs(got - exact).max()))
    return worst


def test_the_error_of_the_sine_is_the_stated_one_at_a_sample_of_floats(cpu):
    assert 0.9 * SINGLE_VECTOR_ERROR < largest_error(single(BOTH, cpu=cpu), 1009) <= SINGLE_VECTOR_ERROR


@pytest.mark.slow
@pytest.mark.parametrize("width", sorted({WIDTHS[0], WIDTHS[-1]}))
def test_the_error_of_the_sine_is_the_stated_one_at_all_floats(width):
    assert largest_error(single(BOTH, cpu=plain_cpu(width)), 1) <= SINGLE_VECTOR_ERROR


def test_large_and_small_and_undefined_angles(cpu):
    x = np.array([4096.5, -1e5, 3e9, -1e30, 3.4e38, 1e-40, -0.0, 0.0, np.inf, np.nan] * 5, np.float32)
    with np.errstate(invalid="ignore"):
        exact = [f(x.astype(float)).astype(np.float32) for f in (np.sin, np.cos)]
    for got, expected in zip(single(BOTH, cpu=cpu)(x), exact, strict=True):
        assert np.array_equal(got, expected, equal_nan=True)


def test_angles_a_little_beyond_the_largest(cpu):
    """No other one among them sends them the long way."""
    x = np.linspace(4096.5, 9e4, 1000, dtype=np.float32)
    for got, exact in zip(single(BOTH, cpu=cpu)(x), (np.sin(x.astype(float)), np.cos(x.astype(float))), strict=True):
        assert np.array_equal(got, exact.astype(np.float32))


def bound(function, arrays, *, fuse):
    """(values in doubles, bound on the error of floats) of each output: the error is carried along step by step."""
    program = make_program(function, fuse=fuse)
    values, errors = [], []
    for step in program.steps:
        v, e = [values[a] for a in step.args], [errors[a] for a in step.args]
        if step.op is Op.CONST:
            value, error = np.float64(step.value), abs(step.value - float(np.float32(step.value)))
        elif step.op is Op.INPUT:
            rows = arrays[step.port].astype(float)
            value, error = rows.reshape(len(rows), -1)[:, step.element], 0.0
        elif step.op in (Op.SIN, Op.COS):
            value, error = (np.sin if step.op is Op.SIN else np.cos)(v[0]), e[0] + SINGLE_VECTOR_ERROR
        elif step.op is Op.NEG:
            value, error = -v[0], e[0]
        else:
            value, error = _rounded(step.op, v, e)
        values.append(value)
        errors.append(error)
    count = len(arrays[0])
    return [
        tuple(np.stack([np.broadcast_to(of[k], count) for k in result], axis=1) for of in (values, errors))
        for result in program.results
    ]


def _rounded(op, v, e):
    if isinstance(op, Fused):
        product, left = v[0] * v[1], abs(v[0]) * e[1] + abs(v[1]) * e[0] + e[0] * e[1]
        product = -product if op in (Fused.NEGATED_ADD, Fused.NEGATED_SUB) else product
        value = product - v[2] if op in (Fused.SUB, Fused.NEGATED_SUB) else product + v[2]
        error = left + e[2]
    elif op is Op.MUL:
        value, error = v[0] * v[1], abs(v[0]) * e[1] + abs(v[1]) * e[0] + e[0] * e[1]
    elif op is Op.DIV:
        value = v[0] / v[1]
        error = (e[0] + abs(value) * e[1]) / np.maximum(abs(v[1]) - e[1], 1e-300)
    else:
        value, error = (v[0] + v[1] if op is Op.ADD else v[0] - v[1]), e[0] + e[1]
    return value, error + UNIT * (abs(value) + error) + 2.0**-149


FUNCTIONS = {
    name: trace_quantity(classics.puma560(), name) for name in ("inverse_dynamics", "mass_matrix", "coriolis_matrix")
}
FUNCTIONS |= {
    f"random {k}": random_program(k, ops=(Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.SIN, Op.COS), steps=60) for k in range(4)
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors_stay_below_the_running_bound(name, cpu):
    f = FUNCTIONS[name]
    arrays = floats(f, 1, 200, scale=0.7)
    found = as_tuple(single(f, cpu=cpu)(*arrays))
    seen = 0.0
    for got, (value, error) in zip(found, bound(f, arrays, fuse=cpu.fma), strict=True):
        assert got.dtype == np.float32
        known = np.isfinite(error) & (abs(value) < 1e30)
        difference = np.abs(got.reshape(value.shape) - value)
        assert (difference <= (1 + 1e-6) * error + 1e-12 * abs(value))[known].all()
        seen = max(seen, float((difference / np.maximum(error, 1e-30))[known].max(initial=0.0)))
    assert seen > 0.01  # the bound is one of floats, and not far off


def test_every_operation(cpu):
    arrays = floats(every_op(), 2, 45)
    exact = compile_function(every_op()).call(*(a.astype(float) for a in arrays))
    for got, expected in zip(single(every_op(), cpu=cpu)(*arrays), exact, strict=True):
        assert np.allclose(got, expected, rtol=0, atol=3e-6)


@pytest.mark.parametrize("size", [*range(1, 20), 24, 33, 49])
def test_rows_of_every_length_are_read_and_written_in_place(cpu, size):
    call = single(passthrough(size), cpu=cpu)
    for count in (3, 2 * cpu.single_width + 3):
        held = np.full((count + 2, size), np.nan, np.float32)
        held[1:-1] = np.random.default_rng(size).standard_normal((count, size))
        out, out2 = np.full((count + 2, size), 7, np.float32), np.full((count + 2, 2), 7, np.float32)
        call(held[1:-1], out=(out[1:-1], out2[1:-1]))
        assert np.array_equal(out[1:-1], held[1:-1, ::-1])
        assert np.array_equal(out2[1:-1], np.column_stack([np.full(count, 4.0), held[1:-1, 0]]))
        assert (out[[0, -1]] == 7).all()
        assert (out2[[0, -1]] == 7).all()


def test_a_row_does_not_depend_on_its_place(call):
    arrays = floats(arm(), 3, 70)
    arrays[0][::7] *= 1e6
    arrays[0][3] = np.nan
    expected = call(*arrays)
    order = np.random.default_rng(3).permutation(70)
    assert same_bits(call(*(a[order] for a in arrays)), expected[order])
    for start, stop in ((1, 70), (5, 6), (5, 20), (5, 21), (69, 70), (4, 4)):
        assert same_bits(call(*(a[start:stop] for a in arrays)), expected[start:stop])
    assert same_bits(call(*(a[8] for a in arrays)), expected[8])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_and_strides_change_nothing(call, threads):
    q, qd = floats(arm(), 4, 9001)
    expected = call(q, qd)
    assert expected.dtype == np.float32
    assert same_bits(call(q, qd, threads=threads), expected)
    wide = np.zeros((9001, 10), np.float32)
    call(q[::-1], np.asfortranarray(qd)[::-1], out=wide[:, ::2], threads=threads)
    assert same_bits(np.ascontiguousarray(wide[::-1, ::2]), expected)
    assert same_bits(call(q, qd[0], threads=threads), call(q, np.tile(qd[0], (9001, 1))))


def test_an_output_may_be_an_input(call):
    q, qd = floats(arm(), 5, 100)
    expected = call(q, qd)
    for out in (q, qd):
        arrays = [a.copy() if a is not out else out for a in (q, qd)]
        held = out.copy()
        assert call(*arrays, out=out) is out
        assert same_bits(out, expected)
        out[...] = held
    both = np.concatenate([q, np.zeros((90, 5), np.float32)])  # the output begins in the last tenth of the input
    assert same_bits(call(both[:100], qd, out=both[90:]), expected)


@pytest.mark.parametrize("other", [np.float64, np.float16, np.int64, ">f4", "list", "big-endian first"])
def test_a_call_with_any_other_numbers_is_computed_in_doubles(call, other):
    q, qd = (np.round(a) + 0 for a in floats(arm(), 6, 40))  # no -0.0, which whole numbers lack
    call(q, qd)  # the kernel for floats is there
    expected = compile_function(arm()).call(q.astype(float), qd.astype(float))
    if other == "list":
        calls = [call(q, qd.tolist()), call(q.tolist(), qd)]
    elif other == "big-endian first":
        calls = [call(q.astype(">f4"), qd)]
    else:
        calls = [call(q.astype(other), qd), call(q, qd.astype(other)), call(q.astype(other), qd.astype(other))]
    for got in calls:
        assert got.dtype == np.float64
        assert same_bits(got, expected)


def test_without_single_precision_floats_are_converted():
    q, qd = floats(arm(), 7, 40)
    got = compile_function(arm()).call(q, qd)
    assert got.dtype == np.float64
    assert same_bits(got, compile_function(arm()).call(q.astype(float), qd.astype(float)))


def test_out_has_the_type_of_the_result(call):
    q, qd = floats(arm(), 8, 4)
    with pytest.raises(ArgumentError, match="out has dtype float64") as caught:
        call(q, qd, out=np.empty((4, 5)))
    assert "float32 array of shape (4, 5)" in str(caught.value)
    assert "every input is of float32" in str(caught.value)
    with pytest.raises(ArgumentError, match="out has dtype float32"):
        call(q, qd.astype(float), out=np.empty((4, 5), np.float32))


def test_several_outputs_and_scalar_ports():
    f = trace("f", lambda x, v: {"z": x * v[0], "w": [[x, v[1]]]}, {"x": (), "v": (2,)})
    call = single(f)
    x, v = np.arange(20, dtype=np.float32), np.arange(40, dtype=np.float32).reshape(20, 2)
    for _ in range(2):
        z, w = call(x, v)
        assert (z.dtype, w.dtype, w.shape) == (np.float32, np.float32, (20, 1, 2))
        assert np.array_equal(z, x * v[:, 0])
        assert np.array_equal(w[:, 0], np.column_stack([x, v[:, 1]]))


def test_a_very_large_function_runs_row_by_row(monkeypatch):
    arrays = floats(arm(), 9, 21)
    expected = single(arm())(*arrays)
    monkeypatch.setattr(module_file, "MOST_OPERATIONS_IN_VECTORS", 10)
    assert same_bits(single(arm())(*arrays), expected)


def test_from_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TORQUEC_CACHE_DIR", str(tmp_path))
    arrays, options = floats(arm(), 10, 40), CompileOptions(precision=Precision.SINGLE)
    made = load_or_compile("key", arm, options=options).call(*arrays)

    def never():
        raise AssertionError("made again")

    assert same_bits(load_or_compile("key", never, options=options).call(*arrays), made)


def test_a_model_in_single_precision():
    arm2 = tq.compile(tq.classics.planar2r(), precision="single")
    q = np.random.default_rng(0).normal(size=(50, 2)).astype(np.float32)
    torques = arm2.inverse_dynamics(q, q, q)
    assert torques.dtype == np.float32
    wide = q.astype(float)
    exact = tq.compile(tq.classics.planar2r()).inverse_dynamics(wide, wide, wide)
    assert np.abs(torques - exact).max() < 1e-5 * np.abs(exact).max()
    assert same_bits(arm2.inverse_dynamics(wide, wide, wide), exact)
    assert arm2.exact.precision is Precision.SINGLE
    assert pickle.loads(pickle.dumps(arm2)).gravity_torque(q).dtype == np.float32
    with pytest.raises(ArgumentError, match="no precision 'half'"):
        tq.compile(tq.classics.planar2r(), precision="half")
