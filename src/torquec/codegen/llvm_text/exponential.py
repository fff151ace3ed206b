"""The exponential function: constants, and LLVM text of it without branches.

(1)  x is clamped to [-746, 710]: beyond, the result is 0 or infinity
(2)  k = x log2(e) rounded to the nearest integer by adding and subtracting 1.5 * 2^52
(3)  r = (x - k L1) - k L2,   L1 + L2 = ln 2,   |r| <= ln(2)/2
(4)  exp r = 1 + (r + r^2 E(r))
(5)  exp x = (exp r 2^a) 2^b,   a + b = k, each about half of it: both powers are normal numbers, and only the last
     product can be subnormal

No branch and no table: the code vectorizes as it is. NaN passes through (3) to the end.

L1 holds 41 bits, so `k L1` is exact for |k| < 2^12 and `x - k L1` is exact; with fused multiply-add, ln 2 itself serves
as L1. E (powers up to ten) is a weighted least-squares fit in 60-digit arithmetic, where each coefficient was rounded
to a double before the next ones were fitted; its error is 7e-20 of exp r. With all roundings the worst error found is
1.0 ulp, subnormal results included.

In LLVM text, k stays in the low bits of the sum of (2), so that no conversion is needed:

(6)  t = x log2(e) + 1.5 2^52,   k = t - 1.5 2^52,   bits of t = bits of 1.5 2^52 + k
(7)  r by (3); where a*b + c is rounded once, L1 is the double next to ln 2 (in floats L1 and L2 stay as they are)
(8)  2^a has the bits (a + 1023) 2^52;   a = (k + 2048)/2 - 1024 rounded down needs no signed shift
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from torquec.codegen.llvm_text.text import FunctionText, Type, literal
from torquec.codegen.sincos import ROUND, SINGLE_SINCOS

SMALLEST_EXPONENT = -746.0
"""At and below this, exp rounds to 0."""

LARGEST_EXPONENT = 710.0
"""At and above this, exp overflows to infinity."""

LOG2_E = 1.4426950408889634

LN2_PARTS = (0.693147180559663, 2.8235290563031577e-13)
"""L1 and L2 of (3)."""

_LN2_PARTS_FUSED = (0.6931471805599453, 2.3190468138462996e-17)  # L1 and L2 of (7) with fused products

EXP_COEFFICIENTS = (
    0.5,
    0.16666666666666685,
    0.041666666666666685,
    0.008333333333315955,
    0.001388888888887332,
    0.00019841269898657093,
    2.4801587349060595e-05,
    2.7557232875898035e-06,
    2.755725199229993e-07,
    2.511265401198411e-08,
    2.0921702372435563e-09,
)
"""E of (4), the constant term first."""


@dataclass(frozen=True)
class ExpTable:
    """The constants of (1)-(4) for one precision, and how its bits hold a power of two."""

    smallest: float
    largest: float
    log2_e: float
    ln2_parts: tuple[float, float]
    coefficients: tuple[float, ...]
    round: float
    mantissa_bits: int
    bias: int
    raise_by: int
    """An even number, at least -k for every k: added to k, it makes halving an unsigned shift."""


DOUBLE_EXP = ExpTable(SMALLEST_EXPONENT, LARGEST_EXPONENT, LOG2_E, LN2_PARTS, EXP_COEFFICIENTS, ROUND, 52, 1023, 2048)
"""The constants in doubles."""

SINGLE_EXP = ExpTable(
    smallest=-104.0,
    largest=89.0,
    log2_e=1.4426950216293335,
    ln2_parts=(0.693145751953125, 1.428606765330187e-06),
    coefficients=(
        0.4999999403953552,
        0.1666652113199234,
        0.041668277233839035,
        0.008368686772882938,
        0.001381982583552599,
    ),
    round=SINGLE_SINCOS.round,
    mantissa_bits=23,
    bias=127,
    raise_by=256,
)
"""The constants in floats: L1 holds 15 bits, and the fit's error is 3.1e-9 of exp r."""


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
        r = text.multiply_add(shape, k, literal(-part, shape), r)  # (7)
    rr = text.binary("fmul", shape, r, r)
    c = [literal(value, shape) for value in table.coefficients]
    inner = c[-1]
    for i in range(len(c) - 3, -1, -2):
        pair = text.multiply_add(shape, c[i + 1], r, c[i])
        inner = text.multiply_add(shape, inner, rr, pair)
    grown = text.binary("fadd", shape, text.multiply_add(shape, rr, inner, r), literal(1.0, shape))
    return _scaled(text, shape, grown, t, table)


def _scaled(text: FunctionText, shape: Type, value: str, t: str, table: ExpTable) -> str:
    """value 2^k in two steps, k from the low bits of t (8)."""
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
