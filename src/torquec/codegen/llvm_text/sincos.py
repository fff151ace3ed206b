"""Sine and cosine of a vector of angles, as LLVM text without branches.

The method and the coefficients are those of :mod:`torquec.codegen.sincos`. Two steps differ. Adding 3/2 2^52 rounds to
an integer and leaves it in the low bits of the sum, which gives the quadrant without a conversion. With fused
multiply-add, two parts of pi/2 are enough for the range reduction (floats: the same with 2^23):

(1)  t = x (2/pi) + 1.5 2^52,   k = t - 1.5 2^52,   quadrant = the last two bits of t
(2)  r = (x - k P1) - k P2,     P1 + P2 = pi/2 to 107 bits
(3)  cos r = (1 - z/2) + z^2 C(z)

`x - k P1` is then exact wherever its leading bits cancel, so that the reduction adds less than 2e-28 to the error. The
chain of dependent operations in (3) is one shorter than in 1 + z (-1/2 + z C(z)). The worst error found is 1.5 ulp, and
`SINGLE_VECTOR_ERROR` in floats. Angles beyond the table's largest and infinite ones go, element by element, to another
function (the platform's, or :mod:`torquec.codegen.llvm_text.far_sincos`); that path is kept out of line.
"""

from __future__ import annotations

from torquec.codegen.llvm_text.text import FunctionText, Type, literal
from torquec.codegen.sincos import DOUBLE_SINCOS, LARGEST_ANGLE, SINGLE_SINCOS, SincosTable
from torquec.foundation.template import filled_template, package_text

HALF_PI_PARTS_FUSED = (1.5707963267948966, 6.123233995736766e-17)  # pi/2 to 106 bits: fused products keep all digits
_SINGLE_HALF_PI_PARTS_FUSED = (1.5707963705062866, -4.371138828673793e-08)  # pi/2 to 49 bits

SINGLE_VECTOR_ERROR = 9.39e-8
"""Largest absolute error of sine and cosine in floats for |x| <= 4096, measured at every float from 2^-13 on: 9.326e-8
with fused products, 9.381e-8 without."""


def _table(shape: Type) -> SincosTable:
    return SINGLE_SINCOS if shape.element == "float" else DOUBLE_SINCOS


def emit_sincos(text: FunctionText, x: str, shape: Type) -> tuple[str, str]:
    """Append the code for (sin x, cos x) with |x| at most the table's largest; gives the names of the two."""
    table = _table(shape)
    fused = _SINGLE_HALF_PI_PARTS_FUSED if table is SINGLE_SINCOS else HALF_PI_PARTS_FUSED
    t = text.multiply_add(shape, x, literal(table.two_over_pi, shape), literal(table.round, shape))
    k = text.binary("fadd", shape, t, literal(-table.round, shape))
    r = x
    for part in fused if text.fma else table.half_pi_parts:
        r = text.multiply_add(shape, k, literal(-part, shape), r)  # (2)
    z = text.binary("fmul", shape, r, r)
    zz = text.binary("fmul", shape, z, z)
    rz = text.binary("fmul", shape, r, z)
    sine = text.multiply_add(shape, rz, _polynomial(text, shape, table.sine, z, zz), r)
    parabola = text.multiply_add(shape, z, literal(-0.5, shape), literal(1.0, shape))
    cosine = text.multiply_add(shape, zz, _polynomial(text, shape, table.cosine, z, zz), parabola)
    return _turn(text, shape, t, sine, cosine)


def _polynomial(text: FunctionText, shape: Type, c: tuple[float, ...], z: str, zz: str) -> str:
    """c0 + c1 z + ... by second-order Horner (pairs of terms): half the dependency depth of Horner's scheme."""
    numbers = [literal(value, shape) for value in c]
    pairs = [
        text.multiply_add(shape, numbers[i + 1], z, numbers[i]) if i + 1 < len(c) else numbers[i]
        for i in range(0, len(c), 2)
    ]
    total = pairs[-1]
    for pair in reversed(pairs[:-1]):
        total = text.multiply_add(shape, zz, total, pair)
    return total


def _turn(text: FunctionText, shape: Type, t: str, sine: str, cosine: str) -> tuple[str, str]:
    """Swap and sign by the quadrant in the last two bits of t."""
    integers = shape.integers
    bits = text.define(f"bitcast {shape} {t} to {integers}")
    odd = text.define(f"and {integers} {bits}, {integers.splat(1)}")
    is_odd = text.define(f"icmp ne {integers} {odd}, {integers.splat(0)}")
    turned = (
        text.define(f"select {shape.booleans} {is_odd}, {shape} {cosine}, {shape} {sine}"),
        text.define(f"select {shape.booleans} {is_odd}, {shape} {sine}, {shape} {cosine}"),
    )
    lowest = 8 * shape.bytes - 2  # bit position of the quadrant's last bit; its first bit is then the sign bit
    quadrant = text.define(f"shl {integers} {bits}, {integers.splat(lowest)}")
    next_quadrant = text.define(f"add {integers} {quadrant}, {integers.splat(2**lowest)}")
    return _flip(text, shape, turned[0], quadrant), _flip(text, shape, turned[1], next_quadrant)


def _flip(text: FunctionText, shape: Type, value: str, signs: str) -> str:
    """The value, negated where the highest bit of `signs` is set."""
    integers = shape.integers
    sign = text.define(f"and {integers} {signs}, {integers.splat(-(2 ** (8 * shape.bytes - 1)))}")
    plain = text.define(f"bitcast {shape} {value} to {integers}")
    flipped = text.define(f"xor {integers} {plain}, {sign}")
    return text.define(f"bitcast {integers} {flipped} to {shape}")


def emit_guarded_sincos(text: FunctionText, angles: list[str], shape: Type) -> list[tuple[str, str]]:
    """(sin, cos) of each of the vectors of angles, any size of angle; one branch guards them all."""
    pairs = [emit_sincos(text, x, shape) for x in angles]
    far = _any_far(text, angles, shape)
    here, cold, join = text.block, text.new_label("far"), text.new_label("near")
    text.append(f"br i1 {far}, label %{cold}, label %{join}, !prof !0")
    text.start_block(cold)
    repaired = [_call_cold(text, shape, x, *pair) for x, pair in zip(angles, pairs, strict=True)]
    text.append(f"br label %{join}")
    text.start_block(join)
    return [
        (
            text.define(f"phi {shape} [ {near[0]}, %{here} ], [ {cold_pair[0]}, %{cold} ]"),
            text.define(f"phi {shape} [ {near[1]}, %{here} ], [ {cold_pair[1]}, %{cold} ]"),
        )
        for near, cold_pair in zip(pairs, repaired, strict=True)
    ]


def _any_far(text: FunctionText, angles: list[str], shape: Type) -> str:
    """Whether, in any lane, the sum of squared angles exceeds the square of the table's largest, or an angle is NaN.

    One operation for each vector. The test holds for every angle that is too large and for few others, whose results
    the out-of-line code keeps. A NaN must not hide a large angle in the same lane.
    """
    total = text.binary("fmul", shape, angles[0], angles[0])
    for x in angles[1:]:
        total = text.multiply_add(shape, x, x, total)
    far = text.define(f"fcmp ugt {shape} {total}, {literal(_table(shape).largest_angle ** 2, shape)}")
    if shape.width == 1:
        return far
    text.declare(f"declare i1 @llvm.vector.reduce.or.v{shape.width}i1({shape.booleans})")
    return text.define(f"call i1 @llvm.vector.reduce.or.v{shape.width}i1({shape.booleans} {far})")


def _call_cold(text: FunctionText, shape: Type, x: str, sine: str, cosine: str) -> tuple[str, str]:
    """(sin, cos) with the elements of too large angles replaced, through memory: this path need not be fast."""
    vectors = text.stack(f"[3 x {shape}]")
    slots = [text.define(f"getelementptr {shape}, ptr {vectors}, i64 {i}") for i in range(3)]
    for slot, value in zip(slots, (x, sine, cosine), strict=True):
        text.append(f"store {shape} {value}, ptr {slot}")
    text.append(f"call void @far_sincos(ptr {slots[0]}, ptr {slots[1]}, ptr {slots[2]}, i64 {shape.width})")
    text.needs_far_sincos = True
    return text.define(f"load {shape}, ptr {slots[1]}"), text.define(f"load {shape}, ptr {slots[2]}")


FAR_SINCOS = filled_template("codegen/llvm_text", "far_sincos.ll", LARGEST=literal(LARGEST_ANGLE))
"""Replaces the pairs of large angles; each back end supplies `@far_one`, which computes one pair."""

SINGLE_FAR_SINCOS = filled_template(
    "codegen/llvm_text", "single_far_sincos.ll", LARGEST=literal(SINGLE_SINCOS.largest_angle)
)
"""The same for floats, whose pairs are computed in double precision and rounded."""

LIBRARY_FAR_ONE = package_text("codegen/llvm_text", "library_far_one.ll")
"""One pair by the platform's functions, whose addresses are in slots."""
