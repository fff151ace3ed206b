import ctypes
import gc
import threading
import tracemalloc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, inputs_of, same_bits
from tests.patience import HANGS

from torquec.codegen.llvm import CompileOptions, compile_function
from torquec.codegen.llvm import rows as rows_file


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
    monkeypatch.setattr(rows_file, "_BUFFER_BYTES", 4000)
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
    run = rows_file._run_span

    def fail(kernel, rows, first, last):
        if first == bad:
            raise RuntimeError("in a thread")
        run(kernel, rows, first, last)

    monkeypatch.setattr(rows_file, "_run_span", fail)
    for bad in (0, 4096, 16_384):  # noqa: B007 (fail looks at it)
        with pytest.raises(RuntimeError, match="in a thread"):
            call(*arrays, threads=2)


@pytest.mark.parametrize("count", [0, 1, 7, 100, 1000])
@pytest.mark.parametrize("step", [1, 8, 13, 512])
def test_threads_that_share_rows_do_each_of_them(native, call, count, step):
    arrays = inputs_of(arm(), np.random.default_rng(count), count)
    kernel = rows_file.SHARED_PROTOTYPE(native._kernels.batch().shared)
    expected = call(*arrays)
    result = np.full_like(expected, np.nan)
    taken = ctypes.c_int64(0)
    pointers = [rows_file._pointers(group) for group in (arrays, [result])]
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
        monkeypatch.setattr(rows_file, "_pool", lambda process: pool)
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
    code = weakref.ref(native._kernels._batch_object)
    kept = []
    monkeypatch.setattr(rows_file, "_run_together", lambda work, threads: kept.append(work))
    late = native.call(*arrays, threads=2)
    del native
    gc.collect()
    assert code() is not None
    kept.pop()()
    gc.collect()
    assert same_bits(late, result)
    assert code() is None
