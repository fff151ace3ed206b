"""The exponential function of a double or of a vector of them, as LLVM text without branches.

The method and the coefficients are those of :mod:`torquec.codegen.exponential`. Adding 3/2 2^52 rounds to an integer
and leaves it in the low bits of the sum, which gives the power of two without a conversion. Where a*b + c is rounded
once, the first part of ln 2 is the double next to it:

(1)  t = x log2(e) + 1.5 2^52,   k = t - 1.5 2^52,   bits of t = bits of 1.5 2^52 + k
(2)  r = (x - k L1) - k L2,      L1 + L2 = ln 2
(3)  2^a has the bits (a + 1023) 2^52;   a = (k + 2048)/2 - 1024 rounded down needs no signed shift
"""

from __future__ import annotations

import struct

from torquec.codegen.exponential import (
    EXP_COEFFICIENTS,
    LARGEST_EXPONENT,
    LN2_PARTS,
    LOG2_E,
    SMALLEST_EXPONENT,
)
from torquec.codegen.llvm_text.text import FunctionText, Type, literal
from torquec.codegen.sincos import ROUND

_LN2_PARTS_FUSED = (0.6931471805599453, 2.3190468138462996e-17)
_ROUND_BITS = struct.unpack(">q", struct.pack(">d", ROUND))[0]
_BIAS = 1023
"""What a double's exponent field holds for 2^0."""


def emit_exponential(text: FunctionText, shape: Type, x: str) -> str:
    """Append the code for exp x; gives its name."""
    # These propagate NaN.
    x = text.call("llvm.maximum", shape, x, literal(SMALLEST_EXPONENT, shape))
    x = text.call("llvm.minimum", shape, x, literal(LARGEST_EXPONENT, shape))
    t = text.multiply_add(shape, x, literal(LOG2_E, shape), literal(ROUND, shape))
    k = text.binary("fadd", shape, t, literal(-ROUND, shape))
    r = x
    for part in _LN2_PARTS_FUSED if text.fma else LN2_PARTS:
        r = text.multiply_add(shape, k, literal(-part, shape), r)  # (2)
    rr = text.binary("fmul", shape, r, r)
    c = [literal(value, shape) for value in EXP_COEFFICIENTS]
    inner = c[10]
    for i in (8, 6, 4, 2, 0):
        pair = text.multiply_add(shape, c[i + 1], r, c[i])
        inner = text.multiply_add(shape, inner, rr, pair)
    grown = text.binary("fadd", shape, text.multiply_add(shape, rr, inner, r), literal(1.0, shape))
    return _scaled(text, shape, grown, t)


def _scaled(text: FunctionText, shape: Type, value: str, t: str) -> str:
    """value 2^k in two steps, k from the low bits of t (3)."""
    integers = shape.integers
    bits = text.define(f"bitcast {shape} {t} to {integers}")
    whole = text.define(f"sub {integers} {bits}, {integers.splat(_ROUND_BITS)}")
    raised = text.define(f"add {integers} {whole}, {integers.splat(2048)}")
    halved = text.define(f"lshr {integers} {raised}, {integers.splat(1)}")
    first = text.define(f"add {integers} {halved}, {integers.splat(_BIAS - 1024)}")
    rest = text.define(f"sub {integers} {whole}, {halved}")
    second = text.define(f"add {integers} {rest}, {integers.splat(_BIAS + 1024)}")
    for exponent in (first, second):
        field = text.define(f"shl {integers} {exponent}, {integers.splat(52)}")
        power = text.define(f"bitcast {integers} {field} to {shape}")
        value = text.binary("fmul", shape, value, power)
    return value
