"""Sine and cosine of one angle as a function of the object itself, in double or single precision.

The equations are those of :mod:`torquec.codegen.sincos`, operation by operation those of the C package: an object and
the C, compiled without contraction, give the same bits. Larger angles are reduced by whole numbers
(:mod:`torquec.codegen.llvm_text.far_sincos`), where C calls its library.
"""

from __future__ import annotations

from dataclasses import dataclass

from torquec.codegen.llvm_text.far_sincos import emit_far_one, emit_single_far_one
from torquec.codegen.llvm_text.text import FunctionText, Type, literal
from torquec.codegen.sincos import DOUBLE_SINCOS, SINGLE_SINCOS, SincosTable

_UNLIKELY = "!prof !0"


@dataclass(frozen=True)
class InnerFunction:
    """The name of a function inside an object, and how it is called."""

    name: str
    convention: str


def emit_object_sincos(module: FunctionText, shape: Type, own: InnerFunction) -> str:
    """The text of `{real, real} name(real x)`: sine and cosine; with it, what large angles need."""
    single = shape.element == "float"
    table = SINGLE_SINCOS if single else DOUBLE_SINCOS
    text = FunctionText(fma=False, declarations=module.declarations, compares=True)
    sine, cosine = emit_plain_sincos(text, shape, table, "%x")
    size = text.call("llvm.fabs", shape, "%x")
    near = text.define(f"fcmp ole {shape} {size}, {literal(table.largest_angle, shape)}")
    # Both results of the far path come through memory: it need not be fast.
    slots = text.stack(f"[2 x {shape}]", align=8)
    text.append(f"br i1 {near}, label %join, label %far, {_UNLIKELY}")
    text.start_block("far")
    second = text.element_pointer(slots, 1, shape)
    text.append(f"call void @far_one({shape} %x, ptr {slots}, ptr {second})")
    far = [text.define(f"load {shape}, ptr {place}") for place in (slots, second)]
    text.append("br label %join")
    text.start_block("join")
    both = [
        text.define(f"phi {shape} [ {plain}, %entry ], [ {other}, %far ]")
        for plain, other in zip((sine, cosine), far, strict=True)
    ]
    pair = f"{{ {shape}, {shape} }}"
    half = text.define(f"insertvalue {pair} poison, {shape} {both[0]}, 0")
    whole = text.define(f"insertvalue {pair} {half}, {shape} {both[1]}, 1")
    text.append(f"ret {pair} {whole}")
    reduction = emit_single_far_one(module) if single else emit_far_one(module)
    return reduction + text.finish(f"define internal {own.convention} {pair} @{own.name}({shape} %x) noinline #0")


def emit_plain_sincos(text: FunctionText, shape: Type, table: SincosTable, x: str) -> tuple[str, str]:
    """Append (sin, cos) of an angle that is not large, by (1)-(4) of the reference, each operation as in C."""

    def number(value: float) -> str:
        return literal(value, shape)

    def times(a: str, b: str) -> str:
        return text.binary("fmul", shape, a, b)

    def plus(a: str, b: str) -> str:
        return text.binary("fadd", shape, a, b)

    def minus(a: str, b: str) -> str:
        return text.binary("fsub", shape, a, b)

    def whole(value: str) -> str:
        return minus(plus(value, number(table.round)), number(table.round))

    def polynomial(c: tuple[float, ...]) -> str:
        pairs = [
            plus(number(c[k]), times(number(c[k + 1]), z)) if k + 1 < len(c) else number(c[k])
            for k in range(0, len(c), 2)
        ]
        total = pairs[-1]
        for pair in reversed(pairs[:-1]):
            total = plus(pair, times(zz, total))
        return total

    t = whole(times(x, number(table.two_over_pi)))  # (1)
    r = x
    for part in table.half_pi_parts:
        r = minus(r, times(t, number(part)))  # (2)
    z = times(r, r)
    zz = times(z, z)
    sine = plus(r, times(times(r, z), polynomial(table.sine)))  # (3)
    inner = plus(number(-0.5), times(z, polynomial(table.cosine)))
    cosine = plus(number(1.0), times(z, inner))
    h = minus(t, times(number(4.0), whole(times(t, number(0.25)))))  # (4)
    size = text.call("llvm.fabs", shape, h)
    a = minus(number(1.0), size)
    b = times(h, minus(number(2.0), size))
    return plus(times(a, sine), times(b, cosine)), minus(times(a, cosine), times(b, sine))
