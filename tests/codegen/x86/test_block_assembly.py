import re

import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, every_op, inputs_of, passthrough, random_program, same_bits

from torquec.codegen.llvm import CompileOptions, compile_function, host_cpu, plain_cpu
from torquec.codegen.llvm import module as module_file
from torquec.codegen.llvm.cpu import Cpu
from torquec.codegen.llvm_text.program import make_program
from torquec.codegen.llvm_text.text import FunctionText
from torquec.codegen.x86 import block_assembly
from torquec.expr import Op, trace
from torquec.model.quantities import trace_quantity
from torquec.robot import classics

HOST = host_cpu()
pytestmark = pytest.mark.skipif(
    not HOST.assembled_registers or HOST.width < 4, reason="not an x86 processor with AVX2 and fused operations"
)

ARITHMETIC = (Op.ADD, Op.SUB, Op.MUL, Op.MUL, Op.NEG, Op.DIV)


def call_of(function):
    return compile_function(function, options=CompileOptions(cpu=plain_cpu(4))).call


def call_by_llvm(function, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Cpu, "assembles_blocks", False)
        call = call_of(function)
        call(*(np.zeros((4, *port.shape)) for port in function.inputs))  # the batch kernel is compiled now
        return call


def text_of(function, **named):
    text = FunctionText(fma=True)
    return block_assembly.emit_assembled_block(text, make_program(function, fuse=True), name="block", **named)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives", "regressor"])
def test_quantities_of_an_arm_have_the_bits_of_llvm(name, monkeypatch):
    f = trace_quantity(classics.puma560(), name)
    assert "asm sideeffect" in text_of(f)
    arrays = inputs_of(f, np.random.default_rng(0), 203)
    assert same_bits(call_of(f)(*arrays), call_by_llvm(f, monkeypatch)(*arrays))


@pytest.mark.parametrize("registers", [6, 9, 16])
@pytest.mark.parametrize("seed", range(6))
def test_however_few_registers_there_are(seed, registers, monkeypatch):
    """What does not fit waits in memory and comes back unchanged."""
    f = random_program(seed, ops=(*ARITHMETIC, Op.SIN, Op.COS), steps=200, sizes=(9, 4))
    emit = block_assembly.emit_assembled_block
    source = text_of(f, registers=registers)
    assert {int(number) for number in re.findall(r"%[xy]mm(\d+)", source)} <= set(range(registers))
    arrays = inputs_of(f, np.random.default_rng(seed), 21)
    expected = call_by_llvm(f, monkeypatch)(*arrays)
    monkeypatch.setattr(
        module_file, "emit_assembled_block", lambda *args, **named: emit(*args, **named, registers=registers)
    )
    assert same_bits(call_of(f)(*arrays), expected)


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("angle", [1e5, 1.0000001e5, -3e7, 1e300, np.inf, np.nan])
def test_rows_beside_a_large_angle_keep_their_bits(angle, place):
    f = arm(7)
    call = call_of(f)
    arrays = inputs_of(f, np.random.default_rng(place), 12)
    before = call(*arrays)
    arrays[0][4 + place, 5] = angle
    arrays[0][4 + place, 2] = np.nan if place == 3 else 0.5  # one that is no number hides no large one
    got = call(*arrays)
    others = np.arange(12) != 4 + place
    assert same_bits(got[others], before[others])
    assert same_bits(got[4 + place], call(*(a[4 + place] for a in arrays)))


def test_special_values_go_through(monkeypatch):
    f = random_program(3, ops=ARITHMETIC, steps=80)
    call, theirs = call_of(f), call_by_llvm(f, monkeypatch)
    for value in (np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1e308):
        arrays = [np.full((5, *port.shape), value) for port in f.inputs]
        assert same_bits(call(*arrays), theirs(*arrays))


def test_without_constants(monkeypatch):
    def algorithm(x):
        values = list(x)
        for _ in range(60):
            values.append(values[-1] * values[-2] + values[-3])
        return {"y": values[20:], "z": values[-1]}

    f = trace("f", algorithm, {"x": (3,)})
    assert "[0 x <4 x double>]" in text_of(f)
    arrays = inputs_of(f, np.random.default_rng(0), 17, scale=0.5)
    assert same_bits(call_of(f)(*arrays), call_by_llvm(f, monkeypatch)(*arrays))


def test_what_is_left_to_llvm(monkeypatch):
    many = {f"x{k}": (9,) for k in range(9)}

    def products(**xs):
        x = list(xs.values())
        return {"y": [sum(x[k][i] * x[k + 1][i] for i in range(9)) for k in range(8)]}

    for f in (passthrough(5), every_op(), trace("wide", products, many)):
        assert not text_of(f)
    assert text_of(arm(1))
    monkeypatch.setattr(block_assembly, "MOST_OPERATIONS_IN_ONE", 20)
    assert not text_of(arm(7))


def test_only_for_four_doubles_with_fused_operations():
    given = [plain_cpu(width).assembles_blocks for width in (2, 4, 8) if width <= HOST.width]
    assert given == [False, True, False][: len(given)]
