from __future__ import annotations

import ctypes
import gc
import threading
import tracemalloc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, every_op, inputs_of, same_bits
from tests.patience import HANGS

from torquec.codegen.llvm import CallPath, CompileOptions, compile_function
from torquec.codegen.llvm import dispatch as dispatch_file
from torquec.errors import ArgumentError


@pytest.fixture(scope="module")
def native():
    return compile_function(arm())


@pytest.fixture(scope="module")
def call(native):
    return native.call


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("count", [0, 1, 5, 2048, 9001])
def test_threads_change_nothing(call, threads, count):
    arrays = inputs_of(arm(), np.random.default_rng(count), count)
    assert same_bits(call(*arrays, threads=threads), call(*arrays))


def test_threads_by_default(call):
    native = compile_function(arm(), options=CompileOptions(threads=2))
    arrays = inputs_of(arm(), np.random.default_rng(0), 9000)
    assert same_bits(native.call(*arrays), call(*arrays))
    assert same_bits(native.call(*arrays, threads=1), call(*arrays))


@pytest.mark.parametrize("threads", [1, 2])
def test_buffers_change_nothing(call, monkeypatch, threads):
    q, qd = inputs_of(arm(), np.random.default_rng(1), 9000)
    q = q.astype(np.float32)
    expected = call(q.astype(float), np.tile(qd[0], (9000, 1)))
    monkeypatch.setattr(dispatch_file, "_BUFFER_BYTES", 4000)
    assert same_bits(call(q, qd[0], threads=threads), expected)
    wide = np.zeros((9000, 10))
    call(q[::-1], qd[0], out=wide[:, ::2], threads=threads)
    assert same_bits(np.ascontiguousarray(wide[::-1, ::2]), expected)


@pytest.mark.usefixtures("usual_garbage")
def test_converting_a_large_batch_needs_little_memory(call):
    q, qd = (a.astype(np.float32) for a in inputs_of(arm(), np.random.default_rng(2), 200_000))
    call(q[:100], qd[0])
    tracemalloc.start()
    try:
        result = call(q, qd[0])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < result.nbytes + 8_000_000


def test_an_error_in_any_thread_is_raised(monkeypatch, call):
    arrays = [a.astype(np.float32) for a in inputs_of(arm(), np.random.default_rng(3), 20_000)]
    run = dispatch_file._run_span

    def fail(kernel, rows, first, last):
        if first == bad:
            raise RuntimeError("in a thread")
        run(kernel, rows, first, last)

    monkeypatch.setattr(dispatch_file, "_run_span", fail)
    for bad in (0, 4096, 16_384):  # noqa: B007 (fail looks at it)
        with pytest.raises(RuntimeError, match="in a thread"):
            call(*arrays, threads=2)


@pytest.mark.parametrize("count", [0, 1, 7, 100, 1000])
@pytest.mark.parametrize("step", [1, 8, 13, 512])
def test_threads_that_share_rows_do_each_of_them(native, call, count, step):
    arrays = inputs_of(arm(), np.random.default_rng(count), count)
    kernel = dispatch_file.SHARED_PROTOTYPE(native._kernels.batch().shared)
    expected = call(*arrays)
    result = np.full_like(expected, np.nan)
    taken = ctypes.c_int64(0)
    pointers = [dispatch_file._pointers(group) for group in (arrays, [result])]
    with ThreadPoolExecutor(3) as pool:
        for _ in range(3):
            pool.submit(kernel, count, *pointers, ctypes.byref(taken), step)
    assert same_bits(result, expected)
    assert taken.value >= count


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_nobody_waits_for_a_thread_that_does_not_come_to_run(call, monkeypatch, dtype):
    arrays = [a.astype(dtype) for a in inputs_of(arm(), np.random.default_rng(4), 9000)]
    expected = call(*arrays)
    occupied = threading.Event()
    with ThreadPoolExecutor(1) as pool, ThreadPoolExecutor(1) as caller:
        pool.submit(occupied.wait)
        monkeypatch.setattr(dispatch_file, "_pool", lambda process: pool)
        try:
            assert same_bits(caller.submit(call, *arrays, threads=2).result(timeout=HANGS), expected)
        finally:
            occupied.set()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_thread_that_still_runs_keeps_the_code(monkeypatch, dtype):
    """Ctrl-C ends the call, not the other threads: what they run stays in memory until they are done."""
    native = compile_function(arm())
    arrays = [a.astype(dtype) for a in inputs_of(arm(), np.random.default_rng(5), 9000)]
    result = native.call(*arrays)
    code = weakref.ref(native._kernels._batches["batch"].code[-1])
    kept = []
    monkeypatch.setattr(dispatch_file, "_run_together", lambda work, threads: kept.append(work))
    late = native.call(*arrays, threads=2)
    del native
    gc.collect()
    assert code() is not None
    kept.pop()()
    gc.collect()
    assert same_bits(late, result)
    assert code() is None


GOOD = np.zeros(5)
BATCH = np.zeros((4, 5))


@pytest.fixture(scope="module", params=list(CallPath))
def any_call(request):
    return compile_function(arm(), options=CompileOptions(call_path=request.param)).call


@pytest.mark.parametrize("convert", [list, tuple, np.float32, np.int64, np.uint8, np.bool_, np.float16])
def test_real_numbers_in_any_form(any_call, convert):
    numbers = np.array([0, 1, 1, 0, 1])
    given = convert(numbers.tolist()) if convert in (list, tuple) else numbers.astype(convert)
    expected = any_call(numbers.astype(float), GOOD)
    assert same_bits(any_call(given, GOOD), expected)
    many = [given] * 3 if convert in (list, tuple) else np.stack([given] * 3)
    assert same_bits(any_call(many, np.zeros((3, 5)))[1], expected)


def test_inputs_by_name_and_in_any_order(any_call):
    q, qd = inputs_of(arm(), np.random.default_rng(0))
    assert same_bits(any_call(qd=qd, q=q), any_call(q, qd))
    assert same_bits(any_call(q, qd=qd, threads=2), any_call(q, qd))


def test_one_state_among_batches_is_the_same_in_every_row(any_call):
    q, qd = inputs_of(arm(), np.random.default_rng(1), 33)
    assert same_bits(any_call(q, qd[4]), any_call(q, np.tile(qd[4], (33, 1))))
    assert same_bits(any_call(q[5], qd), any_call(np.tile(q[5], (33, 1)), qd))


def test_a_strided_out_is_written(any_call):
    for rows in ((), (33,)):
        arrays = inputs_of(arm(), np.random.default_rng(2), *rows)
        wide = np.full((*rows, 10), 7.0)
        out = wide[..., ::2]
        assert any_call(*arrays, out=out) is out
        assert same_bits(np.ascontiguousarray(out), any_call(*arrays))
        assert (wide[..., 1::2] == 7.0).all()


MISUSE = [
    ((GOOD,), {}, "missing arguments: qd", "it takes q, qd"),
    ((), {}, "missing arguments: q, qd", "it takes q, qd"),
    ((GOOD, GOOD, GOOD), {}, "3 arguments were given", "it takes 2: q, qd"),
    ((GOOD, GOOD), {"q": GOOD}, "'q' was given twice", "by position or by name"),
    ((GOOD, GOOD), {"qdd": GOOD}, "unknown argument 'qdd'", "q, qd, out, threads"),
    ((np.zeros(4), GOOD), {}, "'q' has shape (4,)", "'q' takes an array of shape (5,), or (N, 5) for a batch"),
    ((GOOD, np.zeros((4, 6))), {}, "'qd' has shape (4, 6)", "(5,), or (N, 5)"),
    ((GOOD, np.zeros((2, 4, 5))), {}, "'qd' has shape (2, 4, 5)", "(5,), or (N, 5)"),
    ((GOOD, 1.0), {}, "'qd' has shape ()", "(5,), or (N, 5)"),
    ((BATCH, np.zeros((3, 5))), {}, "q has 4 rows, qd has 3 rows", "same number of rows"),
    ((GOOD.astype(complex), GOOD), {}, "'q' has dtype complex128", "of real numbers"),
    ((GOOD.astype(object), GOOD), {}, "'q' has dtype object", "of real numbers"),
    ((["a"] * 5, GOOD), {}, "'q' has dtype <U1", "of real numbers"),
    ((None, GOOD), {}, "'q' has dtype object", "of real numbers"),
    ((np.zeros(5, "M8[s]"), GOOD), {}, "'q' has dtype datetime64[s]", "of real numbers"),
    (([[0.0], [0.0, 1.0]], GOOD), {}, "'q' is not an array", "(5,), or (N, 5)"),
    ((GOOD, GOOD), {"out": np.zeros(4)}, "out has shape (4,)", "writeable float64 array of shape (5,) for 'tau'"),
    ((GOOD, GOOD), {"out": np.zeros((1, 5))}, "out has shape (1, 5)", "shape (5,)"),
    ((BATCH, BATCH), {"out": np.zeros((3, 5))}, "out has shape (3, 5)", "shape (4, 5)"),
    ((GOOD, GOOD), {"out": np.zeros(5, np.float32)}, "out has dtype float32", "float64"),
    ((GOOD, GOOD), {"out": [0.0] * 5}, "out is list, not an array", "float64"),
    ((GOOD, GOOD), {"out": (np.zeros(5),)}, "out is tuple, not an array", "float64"),
    ((GOOD, GOOD), {"threads": 0}, "threads is 0", "positive integer"),
    ((GOOD, GOOD), {"threads": True}, "threads is True", "positive integer"),
    ((GOOD, GOOD), {"threads": 1.5}, "threads is 1.5", "positive integer"),
]


@pytest.mark.parametrize(("args", "named", "found", "remedy"), MISUSE, ids=[row[2] for row in MISUSE])
def test_misuse_is_named(any_call, args, named, found, remedy):
    with pytest.raises(ArgumentError) as caught:
        any_call(*args, **named)
    assert found in caught.value.found
    assert remedy in caught.value.remedy
    assert caught.value.where == "arm"


def test_a_read_only_out_is_refused(any_call):
    out = np.zeros(5)
    out.flags.writeable = False
    with pytest.raises(ArgumentError, match="read-only"):
        any_call(GOOD, GOOD, out=out)
    assert not out.any()


def test_several_outputs_want_as_many_arrays():
    call = compile_function(every_op()).call
    arrays = inputs_of(every_op(), np.random.default_rng(3))
    for out in (np.zeros(3), (np.zeros(3),), [np.zeros(3)] * 3):
        with pytest.raises(ArgumentError, match="give a tuple of 2 arrays: u, V"):
            call(*arrays, out=out)
    out = [np.zeros(3), np.zeros((2, 2))]
    assert call(*arrays, out=out) is out
    assert same_bits(tuple(out), call(*arrays))
