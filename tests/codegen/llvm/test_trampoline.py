import gc
import inspect
import sys
import threading
import weakref

import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, every_op, inputs_of, same_bits

from torquec.codegen.llvm import CallPath, CompileOptions, compile_function, trampoline
from torquec.codegen.llvm import callable as callable_file
from torquec.errors import ArgumentError
from torquec.expr import trace

pytestmark = pytest.mark.skipif(bool(trampoline.find_obstacle()), reason=f"no trampoline: {trampoline.find_obstacle()}")


@pytest.fixture(scope="module")
def arm_call():
    call = compile_function(arm()).call
    call(*inputs_of(arm(), np.random.default_rng(0), 2))  # the batch kernel joins
    return call


@pytest.fixture(scope="module")
def pair_call():
    call = compile_function(every_op()).call
    call(*inputs_of(every_op(), np.random.default_rng(0), 2))
    return call


@pytest.fixture
def no_way_out(monkeypatch):
    """A function whose patient way always fails: what returns came by the fast one."""

    def refuse(*args, **named):
        raise AssertionError("left the fast path")

    class Refusing(callable_file.Dispatcher):
        __call__ = refuse

    monkeypatch.setattr(callable_file, "Dispatcher", Refusing)
    native = compile_function(every_op())
    _ = native.batch_address
    return native.call


def test_it_is_a_builtin_with_a_signature(arm_call):
    assert inspect.isbuiltin(arm_call)
    assert arm_call.__name__ == "arm"
    assert str(inspect.signature(arm_call)) == "(q, qd, *, out=None, threads=None)"
    assert "tau (5,)" in arm_call.__doc__


@pytest.mark.parametrize("rows", [(), (1,), (13,), (0,)])
def test_the_common_calls_take_the_fast_path(no_way_out, rows):
    arrays = inputs_of(every_op(), np.random.default_rng(1), *rows)
    u, V = no_way_out(*arrays)
    assert (u.shape, V.shape) == ((*rows, 3), (*rows, 2, 2))
    out = (np.empty_like(u), np.empty_like(V))
    assert no_way_out(*arrays, out=out) is out
    assert same_bits(out, (u, V))
    assert same_bits(no_way_out(*arrays, out=None), (u, V))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda a: a.tolist(),
        lambda a: a.astype(np.float32).astype(float).astype(">f8"),
        lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
        lambda a: a.view(np.recarray),
        lambda a: np.frombuffer(b"x" + a.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(a.shape),
        lambda a: np.asfortranarray(np.stack([a, a]))[0],
    ],
    ids=["list", "big-endian", "strided", "subclass", "unaligned", "fortran"],
)
@pytest.mark.parametrize("rows", [(), (11,)])
def test_uncommon_arrays_leave_the_fast_path_and_give_the_same(no_way_out, pair_call, spoil, rows):
    arrays = inputs_of(every_op(), np.random.default_rng(2), *rows)
    arrays = [a.astype(np.float32).astype(float) for a in arrays]
    expected = pair_call(*arrays)
    spoilt = [spoil(arrays[0]), arrays[1]]
    assert same_bits(pair_call(*spoilt), expected)
    with pytest.raises(AssertionError, match="left the fast path"):
        no_way_out(*spoilt)


def test_out_over_an_input_gives_the_right_answer(arm_call):
    for rows in ((), (20,)):
        q, qd = inputs_of(arm(), np.random.default_rng(3), *rows)
        expected = arm_call(q, qd)
        assert arm_call(q, qd, out=q) is q
        assert same_bits(q, expected)
        held = np.zeros(q.size + 2)
        shifted = held[2:].reshape(q.shape)
        shifted[...] = qd
        q, _ = inputs_of(arm(), np.random.default_rng(3), *rows)
        target = held[:-2].reshape(q.shape)
        assert same_bits(arm_call(q, shifted, out=target), expected)


def test_outputs_over_each_other_are_refused(pair_call):
    arrays = inputs_of(every_op(), np.random.default_rng(3))
    held = np.zeros(6)
    with pytest.raises(ArgumentError, match="overlap"):
        pair_call(*arrays, out=(held[:3], held[2:].reshape(2, 2)))


def test_references_are_neither_lost_nor_kept(arm_call, pair_call):
    q, qd = inputs_of(arm(), np.random.default_rng(4))
    Q, Qd = inputs_of(arm(), np.random.default_rng(4), 9)
    a, b = inputs_of(every_op(), np.random.default_rng(4))
    tau, taus, pair = np.empty(5), np.empty((9, 5)), (np.empty(3), np.empty((2, 2)))
    watched = [q, qd, Q, Qd, a, b, tau, taus, pair, *pair, None, "out", arm_call, pair_call]

    def all_ways():
        arm_call(q, qd)
        arm_call(q, qd, out=tau)
        arm_call(q, qd, out=None)
        arm_call(q=q, qd=qd)
        arm_call(Q, Qd)
        arm_call(Q, Qd, out=taus)
        arm_call(q, Qd, threads=2)
        pair_call(a, b)
        pair_call(a, b, out=pair)
        for bad in ((q,), (q, "x"), (q, qd, q), (q, Q[:2, :3])):
            with pytest.raises(ArgumentError):
                arm_call(*bad)

    all_ways()
    gc.collect()
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(300):
        all_ways()
    gc.collect()
    after = [sys.getrefcount(x) for x in watched]
    assert max(abs(y - x) for x, y in zip(before, after, strict=True)) < 100


def test_results_own_one_reference(arm_call, pair_call):
    tau = arm_call(*inputs_of(arm(), np.random.default_rng(5)))
    pair = pair_call(*inputs_of(every_op(), np.random.default_rng(5)))
    known, holder = np.empty(5), (np.empty(3),)
    counts = [sys.getrefcount(x) for x in (tau, known)] + [sys.getrefcount(x[0]) for x in (pair, holder)]
    assert counts[0] == counts[1]
    assert counts[2] == counts[3]
    assert (tau.flags.owndata, tau.flags.writeable, type(tau)) == (True, True, np.ndarray)


@pytest.mark.usefixtures("usual_garbage")
def test_memory_does_not_grow(pair_call):
    tracemalloc = pytest.importorskip("tracemalloc")
    arrays = inputs_of(every_op(), np.random.default_rng(6), 50)
    tracemalloc.start()
    try:
        for _ in range(50):
            pair_call(*arrays)
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(2000):
            pair_call(*arrays)
        assert tracemalloc.get_traced_memory()[0] - before < 100_000
    finally:
        tracemalloc.stop()


def test_the_code_lives_as_long_as_the_call_and_no_longer():
    native = compile_function(arm())
    call = native.call
    kernels = weakref.ref(native._kernels)
    del native
    gc.collect()
    arrays = inputs_of(arm(), np.random.default_rng(7))
    assert call(*arrays).shape == (5,)
    del call
    gc.collect()
    assert kernels() is None


def test_the_inside_of_a_call_is_out_of_reach(arm_call):
    """What a built-in shows of itself is an opaque capsule: writing a word of the record would be a crash."""
    inside = arm_call.__self__
    assert type(inside).__name__ == "PyCapsule"
    assert not hasattr(inside, "__dict__")
    assert {name for name in dir(inside) if not name.startswith("__")} == set()
    with pytest.raises(TypeError):
        memoryview(inside)
    with pytest.raises(AttributeError):
        arm_call.__self__ = np.zeros(3)


def test_many_calls_come_and_go():
    """Each capsule gives back what it owns, once."""
    function = compile_function(arm())
    alive = []
    for _ in range(50):
        call = compile_function(trace("f", lambda x: {"y": [x[0] + 1.0]}, {"x": (1,)})).call
        assert call(np.ones(1))[0] == 2.0
        alive.append(weakref.ref(call))
    del call
    gc.collect()
    assert not any(ref() for ref in alive)
    assert function.call(*inputs_of(arm(), np.random.default_rng(1))).shape == (5,)


def test_exceptions_come_through(arm_call):
    class Odd:
        def __array__(self, dtype=None, copy=None):
            raise KeyError("from inside")

    with pytest.raises(KeyError, match="from inside"):
        arm_call(Odd(), np.zeros(5))


def test_a_failed_allocation_is_an_exception():
    # No memory is behind the rows of the input; the outputs would need 32 TB.
    call = compile_function(trace("wide", lambda x: {"y": [x] * 8, "z": [x] * 8}, {"x": ()})).call
    call(np.zeros(1))
    rows = np.lib.stride_tricks.as_strided(np.zeros(1), (2**39,), (0,))
    with pytest.raises(MemoryError):
        call(rows)


def test_the_gil_is_released_during_a_batch(arm_call):
    """With switching off, another thread runs during the batch only if the batch lets it."""
    Q = inputs_of(arm(), np.random.default_rng(8), 40_000)
    previous = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    try:
        for _ in range(200):
            started, finished = threading.Event(), []

            def work(started=started, finished=finished):
                started.set()
                arm_call(*Q)
                finished.append(True)

            thread = threading.Thread(target=work)
            thread.start()
            started.wait()
            seen = bool(finished)
            thread.join()
            if not seen:
                return
        pytest.fail("no other thread ever ran during a batch")
    finally:
        sys.setswitchinterval(previous)


def test_calls_from_many_threads(arm_call):
    arrays = inputs_of(arm(), np.random.default_rng(9), 64)
    expected = arm_call(*arrays)
    wrong = []

    def work():
        for k in range(200):
            one = arm_call(arrays[0][k % 64], arrays[1][k % 64])
            wrong.append(not same_bits(arm_call(*arrays), expected) or not same_bits(one, expected[k % 64]))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wrong) == 800
    assert not any(wrong)


@pytest.mark.parametrize("path", ["option", "obstacle"])
def test_where_there_is_no_trampoline_ctypes_serves(monkeypatch, arm_call, path):
    options = CompileOptions(call_path=CallPath.CTYPES) if path == "option" else CompileOptions()
    if path == "obstacle":
        monkeypatch.setattr(callable_file, "find_obstacle", lambda: "pretended")
    native = compile_function(arm(), options=options)
    assert not inspect.isbuiltin(native.call)
    for rows in ((), (20,)):
        arrays = inputs_of(arm(), np.random.default_rng(10), *rows)
        assert same_bits(native.call(*arrays), arm_call(*arrays))
        out = np.empty((*rows, 5))
        assert native(*arrays, out=out) is out
        assert same_bits(out, arm_call(*arrays))


@pytest.mark.parametrize(
    ("target", "name", "value", "word"),
    [
        (sys.implementation, "name", "pypy", "pypy"),
        (trampoline, "_KNOWN_NUMPY_ABI", (), "unknown binary interface"),
        (trampoline, "_NUMPY_ARRAY_TYPE", 3, "out of reach"),
    ],
)
def test_obstacles_are_found(monkeypatch, target, name, value, word):
    monkeypatch.setattr(target, name, value)
    assert word in trampoline.find_obstacle.__wrapped__()
