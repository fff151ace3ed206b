"""The exponential function of a double or of a vector of them, as LLVM text without branches.

The method and the coefficients are those of :mod:`torquec.codegen.exponential`. Adding 3/2 2^52 rounds to an integer
and leaves it in the low bits of the sum, which gives the power of two without a conversion. Where a*b + c is rounded
once, the first part of ln 2 is the double next to it:

(1)  t = x log2(e) + 1.5 2^52,   k = t - 1.5 2^52,   bits of t = bits of 1.5 2^52 + k
(2)  r = (x - k L1) - k L2,      L1 + L2 = ln 2
(3)  2^a has the bits (a + 1023) 2^52;   a = (k + 2048)/2 - 1024 rounded down needs no signed shift

Floats have other numbers in all of it (`SINGLE_EXP`), and the same parts of ln 2 with and without fused products.
"""

from __future__ import annotations

import struct

from torquec.codegen.exponential import DOUBLE_EXP, SINGLE_EXP, ExpTable
from torquec.codegen.llvm_text.text import FunctionText, Type, literal

_LN2_PARTS_FUSED = (0.6931471805599453, 2.3190468138462996e-17)  # as (2) says, where products are fused


def emit_exponential(text: FunctionText, shape: Type, x: str) -> str:
    """Append the code for exp x; gives its name."""
    table = SINGLE_EXP if shape.element == "float" else DOUBLE_EXP
    # These propagate NaN.
    x = text.larger(shape, x, literal(table.smallest, shape))
    x = text.smaller(shape, x, literal(table.largest, shape))
    t = text.multiply_add(shape, x, literal(table.log2_e, shape), literal(table.round, shape))
    k = text.binary("fadd", shape, t, literal(-table.round, shape))
    r = x
    for part in _LN2_PARTS_FUSED if text.fma and table is DOUBLE_EXP else table.ln2_parts:
        r = text.multiply_add(shape, k, literal(-part, shape), r)  # (2)
    rr = text.binary("fmul", shape, r, r)
    c = [literal(value, shape) for value in table.coefficients]
    inner = c[-1]
    for i in range(len(c) - 3, -1, -2):
        pair = text.multiply_add(shape, c[i + 1], r, c[i])
        inner = text.multiply_add(shape, inner, rr, pair)
    grown = text.binary("fadd", shape, text.multiply_add(shape, rr, inner, r), literal(1.0, shape))
    return _scaled(text, shape, grown, t, table)


def _scaled(text: FunctionText, shape: Type, value: str, t: str, table: ExpTable) -> str:
    """value 2^k in two steps, k from the low bits of t (3)."""
    integers = shape.integers
    formats = (">i", ">f") if shape.element == "float" else (">q", ">d")
    round_bits = struct.unpack(formats[0], struct.pack(formats[1], table.round))[0]
    bits = text.define(f"bitcast {shape} {t} to {integers}")
    whole = text.define(f"sub {integers} {bits}, {integers.splat(round_bits)}")
    raised = text.define(f"add {integers} {whole}, {integers.splat(table.raise_by)}")
    halved = text.define(f"lshr {integers} {raised}, {integers.splat(1)}")
    first = text.define(f"add {integers} {halved}, {integers.splat(table.bias - table.raise_by // 2)}")
    rest = text.define(f"sub {integers} {whole}, {halved}")
    second = text.define(f"add {integers} {rest}, {integers.splat(table.bias + table.raise_by // 2)}")
    for exponent in (first, second):
        field = text.define(f"shl {integers} {exponent}, {integers.splat(table.mantissa_bits)}")
        power = text.define(f"bitcast {integers} {field} to {shape}")
        value = text.binary("fmul", shape, value, power)
    return value
