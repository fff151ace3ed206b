"""The angle of a point, or of a vector of them, as LLVM text without branches.

The method and the coefficients are those of :mod:`torquec.codegen.arctangent`, whose equations are cited.
"""

from __future__ import annotations

from torquec.codegen.arctangent import DOUBLE_ATAN, NEAR_SLOPE, SINGLE_ATAN, AtanTable
from torquec.codegen.llvm_text.text import FunctionText, Type, literal


def emit_atan2(text: FunctionText, shape: Type, y: str, x: str) -> str:
    """Append the code for the angle of (x, y); gives its name."""
    table = SINGLE_ATAN if shape.element == "float" else DOUBLE_ATAN
    a, b = text.call("llvm.fabs", shape, y), text.call("llvm.fabs", shape, x)
    zero, one = literal(0.0, shape), literal(1.0, shape)
    steep = text.define(f"fcmp ogt {shape} {a}, {b}")
    least, most = text.select(shape, steep, b, a), text.select(shape, steep, a, b)
    beyond = text.multiply_add(shape, least, literal(1.0 / NEAR_SLOPE, shape), text.negate(shape, most))
    # "Not at most": infinity minus infinity is far, and NaN goes where it is handed on.
    far = text.define(f"fcmp ugt {shape} {beyond}, {zero}")
    even = text.define(f"fcmp oeq {shape} {least}, {most}")
    u = text.select(shape, far, text.binary("fsub", shape, least, most), least)  # (1)
    v = text.select(shape, far, text.binary("fadd", shape, least, most), most)
    t = text.binary("fdiv", shape, text.select(shape, even, zero, u), text.select(shape, even, one, v))
    p = _arctangent(text, shape, t, table)
    k = text.select(shape, far, one, zero)
    k = text.select(shape, steep, text.binary("fsub", shape, literal(2.0, shape), k), k)  # (3)
    bits = _bits(text, shape, x)
    left = text.define(f"icmp slt {shape.integers} {bits}, {shape.integers.splat(0)}")
    k = text.select(shape, left, text.binary("fsub", shape, literal(4.0, shape), k), k)  # (4)
    back = text.define(f"xor {shape.booleans} {steep}, {left}")
    signed = text.select(shape, back, text.negate(shape, p), p)
    rest = text.multiply_add(shape, k, literal(table.quarter_pi_parts[1], shape), signed)
    angle = text.multiply_add(shape, k, literal(table.quarter_pi_parts[0], shape), rest)
    return text.call("llvm.copysign", shape, angle, y)


def _arctangent(text: FunctionText, shape: Type, t: str, table: AtanTable) -> str:
    """p of (2), the polynomial in pairs."""
    z = text.binary("fmul", shape, t, t)
    zz = text.binary("fmul", shape, z, z)
    c = [literal(value, shape) for value in table.coefficients]
    total = text.multiply_add(shape, c[-1], z, c[-2])
    for i in range(len(c) - 4, -1, -2):
        total = text.multiply_add(shape, total, zz, text.multiply_add(shape, c[i + 1], z, c[i]))
    return text.multiply_add(shape, text.binary("fmul", shape, t, z), total, t)


def _bits(text: FunctionText, shape: Type, value: str) -> str:
    return text.define(f"bitcast {shape} {value} to {shape.integers}")
