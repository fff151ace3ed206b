"""Four-quadrant arctangent (atan2) of a point (x, y): constants, and LLVM text without branches.

(1)  m = min(|x|, |y|), M = max(|x|, |y|);   u/v = m/M, or
     (m - M)/(m + M) where m/M > 1/2, so that |u/v| <= 1/2
(2)  t = u/v, the only division;   z = t^2;   p = t + (t z) A(z)
(3)  the angle of (|x|, |y|) is k pi/4 + s p, with k = 0 or 1 and s = 1 by (1); |y| > |x| makes them 2 - k and -s
(4)  x < 0 makes them 4 - k and -s; the result has the sign of y

No branch and no table: the code vectorizes as it is. Where m = M, t is 0: this gives the origin its 0 (or pi,
where x is -0.0) and the corners at infinity their odd multiples of pi/4. NaN passes through.

pi/4 rounded to a double ends with three zero bits, so that k pi/4 is exact up to k = 4, and the rounding error of pi/4
is added to p first. A (powers up to thirteen) is a weighted least-squares fit in 300-bit arithmetic, reweighted towards
the minimax error, where each coefficient was rounded to a double before the next ones were fitted; its error is 2^-65.5
of the angle. With all roundings the worst error found in ten million points is 1.99 ulp. Coordinates beyond half the
largest double overflow in (1).
"""

from __future__ import annotations

from dataclasses import dataclass

from torquec.codegen.llvm_text.text import FunctionText, Type, literal

NEAR_SLOPE = 0.5
"""Threshold on m/M in (1): from here on m - M is exact."""

QUARTER_PI_PARTS = (0.7853981633974483, 3.061616997868383e-17)
"""pi/4 as a double, and its rounding error."""

ATAN_COEFFICIENTS = (
    -0.3333333333333333,
    0.199999999999994,
    -0.14285714285642356,
    0.11111111106646175,
    -0.09090908923894647,
    0.0769230360121905,
    -0.06666597630047406,
    0.05881524731754521,
    -0.0525596380007852,
    0.04716291948695622,
    -0.04136941336913573,
    0.032958246032730835,
    -0.020343335456302663,
    0.00687910272289096,
)
"""A of (2), the constant term first."""


@dataclass(frozen=True)
class AtanTable:
    """The constants of (2) and (3) for one precision."""

    quarter_pi_parts: tuple[float, float]
    coefficients: tuple[float, ...]


DOUBLE_ATAN = AtanTable(QUARTER_PI_PARTS, ATAN_COEFFICIENTS)
"""The constants in doubles."""

SINGLE_ATAN = AtanTable(
    quarter_pi_parts=(0.7853981256484985, 3.774894974384324e-08),
    coefficients=(
        -0.333333283662796,
        0.19999554753303528,
        -0.14273107051849365,
        0.10948410630226135,
        -0.08009076118469238,
        0.0390421524643898,
    ),
)
"""The constants in floats: the fit's error is 2.8e-10 of the angle."""


def emit_atan2(text: FunctionText, shape: Type, y: str, x: str) -> str:
    """Append the code for the angle of (x, y); gives its name."""
    table = SINGLE_ATAN if shape.element == "float" else DOUBLE_ATAN
    a, b = text.call("llvm.fabs", shape, y), text.call("llvm.fabs", shape, x)
    zero, one = literal(0.0, shape), literal(1.0, shape)
    steep = text.define(f"fcmp ogt {shape} {a}, {b}")
    least, most = text.select(shape, steep, b, a), text.select(shape, steep, a, b)
    beyond = text.multiply_add(shape, least, literal(1.0 / NEAR_SLOPE, shape), text.negate(shape, most))
    # Unordered comparison ("not at most"): infinity minus infinity counts as far, and NaN propagates.
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
