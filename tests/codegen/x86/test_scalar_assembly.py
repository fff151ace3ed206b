import re

import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, as_tuple, every_op, inputs_of, program, random_program, same_bits
from tests.codegen.llvm_text.test_scalar import interpret

from torquec.codegen.llvm import CompileOptions, compile_function, host_cpu, plain_cpu
from torquec.codegen.llvm import module as module_file
from torquec.codegen.llvm.cpu import Cpu
from torquec.codegen.llvm_text.program import make_program
from torquec.codegen.x86 import scalar_assembly
from torquec.expr import Op, trace
from torquec.expr.math import exp, sincos
from torquec.model.quantities import trace_quantity
from torquec.robot import classics

pytestmark = pytest.mark.skipif(not host_cpu().assembled_registers, reason="not an x86 processor with fused operations")

ARITHMETIC = (Op.ADD, Op.SUB, Op.MUL, Op.MUL, Op.NEG, Op.DIV)


@pytest.fixture
def written(monkeypatch):
    """The text of every module that is compiled."""
    sources = []
    compiled = module_file.object_code

    def spy(source, *args, **named):
        sources.append(source)
        return compiled(source, *args, **named)

    monkeypatch.setattr(module_file, "object_code", spy)
    return sources


def compiled_with(function, monkeypatch, registers, cpu=None):
    with monkeypatch.context() as patch:
        patch.setattr(Cpu, "assembled_registers", registers)
        return compile_function(function, options=CompileOptions(cpu=cpu)).call


@pytest.mark.parametrize("registers", [6, 9, 16, 32])
@pytest.mark.parametrize("seed", range(6))
def test_every_bit_is_the_programs(seed, registers, written, monkeypatch):
    """However few registers there are: what does not fit waits in memory and comes back unchanged."""
    if registers > host_cpu().assembled_registers:
        pytest.skip("no such processor here")
    f = random_program(seed, ops=ARITHMETIC, steps=300, sizes=(9, 4))
    call = compiled_with(f, monkeypatch, registers)
    assert "asm sideeffect" in written[0]
    named = {int(number) for number in re.findall(r"%xmm(\d+)", written[0])}
    assert named <= set(range(registers))
    arrays = inputs_of(f, np.random.default_rng(seed))
    with np.errstate(all="ignore"):
        expected = interpret(make_program(f, fuse=True), arrays)
    assert same_bits(call(*arrays), tuple(expected))


def test_operands_that_are_one_value():
    """x*x + y, x*y + x and their like, where x is needed again and where it is not."""
    rows = []
    for x, y in ((0, 1), (2, 3)):
        for first, second, third in ((x, x, y), (x, y, x), (y, x, x), (x, x, x)):
            rows += [(Op.MUL, first, second), (Op.ADD, 7 + len(rows), third)]
            rows += [(Op.MUL, 7 + len(rows) - 1, 7 + len(rows) - 1), (Op.SUB, x, 7 + len(rows))]
            rows += [(Op.MUL, 7 + len(rows) - 1, y), (Op.SUB, 7 + len(rows), 7 + len(rows) - 1)]
    rows += [(Op.NEG, len(rows) + 6), (Op.ADD, len(rows) + 6, len(rows) + 6)]
    f = program(rows, outputs=(tuple(range(7, 7 + len(rows))),))
    assert len(rows) >= scalar_assembly.FEWEST_STEPS
    for seed in range(5):
        arrays = inputs_of(f, np.random.default_rng(seed), scale=1.0)
        assert same_bits(compile_function(f).call(*arrays), interpret(make_program(f, fuse=True), arrays)[0])


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 64])
def test_neighbouring_zeros_are_written_four_at_once(count, written):
    def algorithm(x):
        values = [x[k] * x[k + 1] + x[k + 2] for k in range(48)]
        zeros = [0.0] * count
        return {"y": [*zeros, *values[:5], *zeros, 2.5, 2.5, *values[5:], *zeros], "z": zeros}

    f = trace("f", algorithm, {"x": (50,)})
    arrays = inputs_of(f, np.random.default_rng(0))
    result = compile_function(f).call(*arrays, out=(np.full(50 + 3 * count, np.nan), np.full(count, np.nan)))
    assert same_bits(result, tuple(interpret(make_program(f, fuse=True), arrays)))
    assert written[0].count("%ymm0") == 4 * (count // 4)


@pytest.mark.parametrize("width", [4, 8])
@pytest.mark.parametrize("joints", [3, 12, 25])
def test_results_of_groups_come_in_registers_and_in_memory(width, joints, written, monkeypatch):
    if width > host_cpu().width:
        pytest.skip("no such vectors here")
    f = arm(joints * 4)
    arrays = inputs_of(f, np.random.default_rng(joints))
    arrays[0][1] = 1e9  # the long way through the sine
    cpu = plain_cpu(width)
    call = compile_function(f, options=CompileOptions(cpu=cpu)).call
    assert "asm sideeffect" in written[0]
    assert same_bits(call(*arrays), compiled_with(f, monkeypatch, 0, cpu)(*arrays))


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics_derivatives", "regressor"])
def test_quantities_of_an_arm_have_the_bits_of_llvm(name, written, monkeypatch):
    f = trace_quantity(classics.puma560(), name)
    call, theirs = compile_function(f).call, compiled_with(f, monkeypatch, 0)
    assert ["asm sideeffect" in source for source in written[:2]] == [True, False]
    for seed in range(5):
        arrays = inputs_of(f, np.random.default_rng(seed))
        assert same_bits(call(*arrays), theirs(*arrays))


def test_special_values_go_through(monkeypatch):
    f = random_program(3, ops=ARITHMETIC, steps=80)
    for value in (np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1e308):
        arrays = [np.full(port.shape, value) for port in f.inputs]
        assert same_bits(compile_function(f).call(*arrays), compiled_with(f, monkeypatch, 0)(*arrays))


def test_what_is_left_to_llvm(written):
    small = arm(2)
    other = trace("other", lambda x: {"y": [exp(sum(x[k] * x[k - 1] * 0.7 for k in range(50)))]}, {"x": (50,)})
    many = {f"x{k}": (9,) for k in range(12)}

    def products(**xs):
        x = list(xs.values())
        return {"y": [sum(x[k][i] * x[k + 1][i] for i in range(9)) for k in range(11)]}

    wide = trace("wide", products, many)
    for f in (small, other, wide, every_op()):
        native = compile_function(f)
        assert "asm sideeffect" not in written[-1]
        assert all(np.isfinite(part).all() for part in as_tuple(native.call(*inputs_of(f, np.random.default_rng(0)))))


def test_inputs_and_constants_that_are_outputs_are_written(written):
    def algorithm(x):
        s, c = sincos(x[0])
        values = [s, c, x[1]]
        for _ in range(60):
            values.append(values[-1] * values[-2] + values[-3])
        return {"y": [*values, x[0], 2.5, 0.0, *values[5:9], x[1]]}

    f = trace("f", algorithm, {"x": (2,)})
    got = compile_function(f).call([0.3, 0.4])
    assert "asm sideeffect" in written[0]
    assert got[[2, 63, 64, 65, 70]].tolist() == [0.4, 0.3, 2.5, 0.0, 0.4]
    assert np.array_equal(got[66:70], got[5:9])
