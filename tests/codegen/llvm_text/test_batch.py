import re

import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, as_tuple, every_op, inputs_of, passthrough, random_program, same_bits

from torquec.codegen.llvm import CompileOptions, compile_function, host_cpu, plain_cpu
from torquec.codegen.llvm import module as module_file
from torquec.codegen.llvm_text import batch as batch_file
from torquec.codegen.llvm_text.program import make_program
from torquec.codegen.llvm_text.text import FunctionText, Type
from torquec.codegen.precision import Precision
from torquec.expr import trace

WIDTHS = [width for width in (2, 4, 8) if width <= host_cpu().width]


@pytest.fixture(params=WIDTHS)
def options(request):
    return CompileOptions(cpu=plain_cpu(request.param))


def row_by_row(native, arrays, count):
    """The batch by the scalar kernel."""
    rows = [as_tuple(native.call(*(array[i] for array in arrays))) for i in range(count)]
    return tuple(np.stack(column) for column in zip(*rows, strict=True))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 100])
def test_a_batch_is_its_rows_bit_by_bit(options, count):
    native = compile_function(every_op(), options=options)
    arrays = inputs_of(every_op(), np.random.default_rng(count), count)
    got = native.call(*arrays)
    assert [g.shape for g in got] == [(count, 3), (count, 2, 2)]
    if count:
        assert same_bits(got, row_by_row(native, arrays, count))


@pytest.mark.parametrize("size", [*range(1, 20), 24, 33, 49])
def test_rows_of_every_length_are_read_and_written_in_place(options, size):
    native = compile_function(passthrough(size), options=options)
    count = 2 * options.cpu.width + 3
    # Rows stand between guards: an access that leaves the array would show.
    held = np.full((count + 2, size), np.nan)
    held[1:-1] = np.random.default_rng(size).standard_normal((count, size))
    out, out2 = np.full((count + 2, size), 7.0), np.full((count + 2, 2), 7.0)
    native.call(held[1:-1], out=(out[1:-1], out2[1:-1]))
    assert np.array_equal(out[1:-1], held[1:-1, ::-1])
    assert np.array_equal(out2[1:-1], np.column_stack([np.full(count, 4.0), held[1:-1, 0]]))
    assert (out[[0, -1]] == 7.0).all()
    assert (out2[[0, -1]] == 7.0).all()


def test_a_row_does_not_depend_on_its_place(options):
    """Also next to rows that take the slow way through the sine."""
    native = compile_function(arm(), options=options)
    rng = np.random.default_rng(3)
    arrays = inputs_of(arm(), rng, 60)
    arrays[0][::7] *= 1e8
    arrays[0][3] = np.nan
    arrays[0][4] = np.inf
    expected = native.call(*arrays)
    order = rng.permutation(60)
    assert same_bits(native.call(*(a[order] for a in arrays)), expected[order])
    for start in range(1, 12):
        assert same_bits(native.call(*(a[start:] for a in arrays)), expected[start:])


@pytest.mark.parametrize("seed", range(8))
def test_random_programs(options, seed):
    f = random_program(seed, steps=60, sizes=(4, 9))
    native = compile_function(f, options=options)
    arrays = inputs_of(f, np.random.default_rng(seed), 21)
    assert same_bits(native.call(*arrays), row_by_row(native, arrays, 21))


def test_a_very_large_function_runs_row_by_row(monkeypatch):
    monkeypatch.setattr(module_file, "MOST_OPERATIONS_IN_VECTORS", 10)
    native = compile_function(arm())
    arrays = inputs_of(arm(), np.random.default_rng(0), 13)
    assert same_bits(native.call(*arrays), row_by_row(native, arrays, 13))
    assert native.call(*(a[:0] for a in arrays)).shape == (0, 5)


def test_scalar_ports_and_no_inputs(options):
    f = trace("f", lambda x, v: {"z": x * v[0], "w": [[x, v[1]]]}, {"x": (), "v": (2,)})
    native = compile_function(f, options=options)
    z, w = native.call(np.array(3.0), np.array([4.0, 5.0]))
    assert (z.shape, w.shape, float(z), w.tolist()) == ((), (1, 2), 12.0, [[3.0, 5.0]])
    z, w = native.call(np.arange(11.0), np.ones((11, 2)))
    assert np.array_equal(z, np.arange(11.0))
    assert w.shape == (11, 1, 2)
    constant = compile_function(trace("k", lambda: {"y": [1.0, 2.0]}, {}), options=options)
    assert constant.call().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("precision", list(Precision))
def test_fetching_ahead_changes_nothing(precision, monkeypatch):
    options = CompileOptions(precision=precision)
    kind = np.float32 if precision is Precision.SINGLE else np.float64
    arrays = [a.astype(kind) for a in inputs_of(arm(), np.random.default_rng(5), 10_000)]
    held = compile_function(arm(), options=options).call
    sources = []
    compiled = module_file.object_code
    monkeypatch.setattr(module_file, "object_code", lambda *args, **named: sources.append(args[0]) or compiled(*args))
    monkeypatch.setattr(batch_file, "_CACHE_BYTES", 1)
    always = compile_function(arm(), options=options).call
    for threads in (1, 2):
        assert same_bits(always(*arrays, threads=threads), held(*arrays))
    # Inputs for reading, outputs for writing.
    fetched = re.findall(r"llvm.prefetch.p0\(ptr %v\d+, i32 (\d)", sources[-1])
    assert fetched == sorted(fetched)
    assert set(fetched) == {"0", "1"}


def test_with_few_registers_steps_wait_less_and_give_the_same():
    def text(function, **named):
        module = FunctionText(fma=True)
        return batch_file.emit_block(module, make_program(function, fuse=True), Type(8, "float"), name="block", **named)

    assert text(arm(), few_registers=True) != text(arm())
    divided = trace("f", lambda x: {"y": [x[0] / x[1], x[1] * x[2], x[0] / x[2]]}, {"x": (3,)})
    assert text(divided, few_registers=True) == text(divided)


@pytest.mark.skipif(host_cpu().width < 4 or not host_cpu().fma, reason="no AVX2 here")
def test_floats_round_alike_in_every_order(monkeypatch):
    arrays = [a.astype(np.float32) for a in inputs_of(arm(7), np.random.default_rng(1), 50)]
    options = CompileOptions(cpu=plain_cpu(4), precision=Precision.SINGLE)
    got = compile_function(arm(7), options=options).call(*arrays)
    monkeypatch.setattr(batch_file, "_MOST_SCHEDULED", 0)
    assert same_bits(got, compile_function(arm(7), options=options).call(*arrays))
