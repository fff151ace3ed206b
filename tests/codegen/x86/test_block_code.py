"""Instructions are carried out one by one on values that have names, so that no processor is needed."""

import re
from fractions import Fraction

import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, every_op, inputs_of, passthrough, random_program, same_bits
from tests.codegen.llvm_text.test_scalar import interpret

from torquec.codegen.llvm import compile_function, host_cpu
from torquec.codegen.llvm_text.arrange import arrange
from torquec.codegen.llvm_text.program import make_program
from torquec.codegen.x86.block_code import COLUMNS, FAR, WIDTH, BlockCode, Form, is_writable
from torquec.expr import Op, trace

ARITHMETIC = (Op.ADD, Op.SUB, Op.MUL, Op.MUL, Op.NEG, Op.DIV)
SIGNS = {"vfmadd": (1, 1), "vfmsub": (1, -1), "vfnmadd": (-1, 1), "vfnmsub": (-1, -1)}


def fused(name, a, b, c):
    product, summand = SIGNS[name]
    return [float(product * Fraction(x) * Fraction(y) + summand * Fraction(z)) for x, y, z in zip(a, b, c, strict=True)]


def bits(vector):
    return np.asarray(vector, dtype=float).view(np.uint64)


PLAIN = {
    "vaddpd": lambda a, b: a + b,
    "vsubpd": lambda a, b: a - b,
    "vmulpd": lambda a, b: a * b,
    "vdivpd": lambda a, b: a / b,
    "vxorpd": lambda a, b: (bits(a) ^ bits(b)).view(float),
    "vandpd": lambda a, b: (bits(a) & bits(b)).view(float),
    "vunpcklpd": lambda a, b: np.array([a[0], b[0], a[2], b[2]]),
    "vunpckhpd": lambda a, b: np.array([a[1], b[1], a[3], b[3]]),
}
WITH_IMMEDIATE = {
    ("vshufpd", 8): lambda a, b: np.array([a[0], b[0], a[2], b[3]]),
    ("vperm2f128", 0x20): lambda a, b: np.concatenate([a[:2], b[:2]]),
    ("vperm2f128", 0x31): lambda a, b: np.concatenate([a[2:], b[2:]]),
    ("vcmppd", 22): lambda a, b: ~(a <= b),
}


def carried_out(code, inputs, outputs):
    """Fill the outputs, arrays of four rows; gives the lanes that are far."""
    values = {value: np.full(WIDTH, number) for value, number in code.constants.items()}
    arrays = {f"in{k}": array.ravel() for k, array in enumerate(inputs)}
    arrays |= {f"out{k}": array.ravel() for k, array in enumerate(outputs)}
    far = None
    for instruction in code.instructions:
        read = [values[value] for value in instruction.values]
        name, immediate = instruction.name, instruction.immediate
        at = re.fullmatch(r"(\d+)\((\w+)\)", instruction.memory)
        if at:
            array, first = arrays[at[2]], int(at[1]) // 8
            assert first >= 0
            assert first + (WIDTH if name == "vmovupd" and not instruction.half else 1) <= array.size
        if instruction.form is Form.FUSED:
            result = np.array(fused(name, *read))
        elif instruction.form is Form.READ:
            count = 2 if instruction.half else WIDTH
            result = np.concatenate([array[first : first + count], np.full(WIDTH - count, np.nan)])
            assert len(result) == WIDTH
        elif instruction.form is Form.JOIN:
            result = np.concatenate([read[0][:2], array[first : first + 2]])
            assert len(result) == WIDTH
        elif instruction.form is Form.CHOICE:
            result = np.where(np.signbit(read[2]), read[1], read[0])
        elif instruction.form is Form.ONE:
            result = (
                np.roll(read[0], 2) if name == "vextractf128" else (bits(read[0]) << np.uint64(immediate)).view(float)
            )
        elif instruction.memory == FAR:
            far = read[0].astype(bool)
            continue
        elif instruction.form is Form.WRITE:
            vector = read[0]
            part = {
                "vmovupd": vector[:2] if instruction.half else vector,
                "vextractf128": vector[2:],
                "vmovlpd": vector[:1],
                "vmovhpd": vector[1:2],
            }[name]
            array[first : first + len(part)] = part
            continue
        else:
            result = (PLAIN[name] if immediate is None else WITH_IMMEDIATE[name, immediate])(*read)
        values[instruction.result] = result
    return far


def by_instructions(function, inputs, *, fuse=True):
    program = make_program(function, fuse=fuse)
    outputs = [np.full((WIDTH, port.size), 7.0) for port in program.outputs]
    far = carried_out(BlockCode(program, arrange(program, columns=COLUMNS)), inputs, outputs)
    return outputs, far


@pytest.mark.parametrize("size", range(1, 14))
def test_rows_of_every_length(size):
    x = np.random.default_rng(size).standard_normal((WIDTH, size))
    (y, z), far = by_instructions(passthrough(size), [x])
    assert np.array_equal(y, x[:, ::-1])
    assert np.array_equal(z, np.column_stack([np.full(WIDTH, 4.0), x[:, 0]]))
    assert far is None


@pytest.mark.parametrize("seed", range(6))
def test_arithmetic_is_that_of_the_program(seed):
    f = random_program(seed, ops=ARITHMETIC[:-1], steps=40, sizes=(5, 2))
    arrays = [np.round(a) for a in inputs_of(f, np.random.default_rng(seed), WIDTH, scale=1.0)]
    outputs, _ = by_instructions(f, arrays)
    for row in range(WIDTH):
        expected = interpret(make_program(f, fuse=True), [a[row] for a in arrays])
        # A fused zero has no sign here: fractions have none.
        assert all(np.array_equal(got[row], want) for got, want in zip(outputs, expected, strict=True))


@pytest.mark.skipif(not host_cpu().fma, reason="rounds otherwise")
@pytest.mark.parametrize("joints", range(1, 9))
def test_sines_have_the_bits_of_the_scalar_kernel(joints):
    f = arm(joints)
    arrays = inputs_of(f, np.random.default_rng(joints), WIDTH, scale=50.0)
    (tau,), far = by_instructions(f, arrays)
    assert same_bits(tau, np.stack([compile_function(f).call(*(a[row] for a in arrays)) for row in range(WIDTH)]))
    assert not far.any()


def test_lanes_with_a_large_angle_are_far():
    q = np.zeros((WIDTH, 3))
    q[1, 2], q[2] = 1.00001e5, 5e4
    assert by_instructions(arm(3), [q, q])[1].tolist() == [False, True, False, False]


def test_what_cannot_be_written():
    for f, writable in ((arm(), True), (every_op(), False), (passthrough(3), True)):
        program = make_program(f, fuse=True)
        assert is_writable(program, arrange(program, columns=COLUMNS)) is writable


def test_constants_in_all_columns_are_written_as_they_are():
    f = trace("f", lambda x: {"y": [0.0, 0.0, 0.0, 0.0, x[0], 2.5, 0.0, 0.0]}, {"x": (1,)})
    program = make_program(f, fuse=True)
    names = [i.name for i in BlockCode(program, arrange(program, columns=COLUMNS)).instructions]
    assert names.count("vunpcklpd") < 3
    x = np.arange(4.0).reshape(WIDTH, 1)
    (y,), _ = by_instructions(f, [x])
    assert same_bits(y, np.array([[0.0, 0.0, 0.0, 0.0, v, 2.5, 0.0, 0.0] for v in x[:, 0]]))
