"""The self-test inside an object, as LLVM text: recorded states (:mod:`torquec.codegen.recorded`) and their comparison.

    int name(void)      0 where every function agrees; else the number, from 1, of the first that does not

The comparison is that of the C package: the largest difference relative to the largest recorded number, equal
infinities and NaN for NaN being no difference. Results go to static memory, not to the stack.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.codegen.llvm_text.text import FunctionText, Type, literal
from torquec.codegen.precision import Precision
from torquec.codegen.recorded import RECORDED_SEED, STATES, record_states
from torquec.expr import Function
from torquec.foundation.arrays import Array

_EPSILON = {Precision.DOUBLE: 2.0**-52, Precision.SINGLE: 2.0**-23}

_DIFFERS = """
define internal i1 @differs(ptr %found, ptr %recorded, i32 %n, {real} %tolerance) noinline #0 {{
entry:
  %empty = icmp eq i32 %n, 0
  br i1 %empty, label %equal, label %measure
measure:
  %i = phi i32 [ 0, %entry ], [ %i_next, %measure ]
  %largest = phi {real} [ 0.0, %entry ], [ %largest_next, %measure ]
  %m_at = getelementptr {real}, ptr %recorded, i32 %i
  %m = load {real}, ptr %m_at
  %m_size = call {real} @llvm.fabs.{suffix}({real} %m)
  %larger = fcmp ogt {real} %m_size, %largest
  %finite = fcmp olt {real} %m_size, {infinity}
  %takes = and i1 %larger, %finite
  %largest_next = select i1 %takes, {real} %m_size, {real} %largest
  %i_next = add i32 %i, 1
  %measured = icmp eq i32 %i_next, %n
  br i1 %measured, label %compare_all, label %measure
compare_all:
  %some = fcmp ogt {real} %largest_next, 0.0
  %scale = select i1 %some, {real} %largest_next, {real} 1.0
  %allowed = fmul {real} %scale, %tolerance
  br label %compare
compare:
  %k = phi i32 [ 0, %compare_all ], [ %k_next, %compare ]
  %bad = phi i1 [ false, %compare_all ], [ %bad_next, %compare ]
  %a_at = getelementptr {real}, ptr %found, i32 %k
  %b_at = getelementptr {real}, ptr %recorded, i32 %k
  %a = load {real}, ptr %a_at
  %b = load {real}, ptr %b_at
  %apart = fsub {real} %a, %b
  %distance = call {real} @llvm.fabs.{suffix}({real} %apart)
  %near = fcmp ole {real} %distance, %allowed
  %same = fcmp oeq {real} %a, %b
  %a_nan = fcmp uno {real} %a, %a
  %b_nan = fcmp uno {real} %b, %b
  %both_nan = and i1 %a_nan, %b_nan
  %equal_value = or i1 %same, %both_nan
  %fine = or i1 %near, %equal_value
  %wrong = xor i1 %fine, true
  %bad_next = or i1 %bad, %wrong
  %k_next = add i32 %k, 1
  %compared = icmp eq i32 %k_next, %n
  br i1 %compared, label %end, label %compare
end:
  ret i1 %bad_next
equal:
  ret i1 false
}}
"""


def emit_selftest(
    module: FunctionText, functions: Sequence[Function], symbols: Sequence[str], shape: Type, *, name: str
) -> str:
    """The text of the self-test, its tables included."""
    precision = Precision.SINGLE if shape.element == "float" else Precision.DOUBLE
    rng = np.random.default_rng(RECORDED_SEED)
    module.declare(f"declare {shape} @llvm.fabs.{shape.suffix}({shape})")
    parts = [_DIFFERS.format(real=shape, suffix=shape.suffix, infinity=literal(np.inf, shape))]
    widest = max((port.size for function in functions for port in function.outputs), default=1)
    most_outputs = max((len(function.outputs) for function in functions), default=1)
    width = max(widest, 1)
    parts.append(f"@scratch = internal global [{width * max(most_outputs, 1)} x {shape}] zeroinitializer")
    text = FunctionText(fma=False)
    verdict = "0"
    checks = []
    for number, (function, symbol) in enumerate(zip(functions, symbols, strict=True), start=1):
        states = record_states(function, rng, epsilon=_EPSILON[precision])
        tables = {}
        for kind, values in (("given", states.inputs), ("recorded", states.outputs)):
            for place, value in enumerate(values.values()):
                tables[kind, place] = f"@{kind}{number}_{place}"
                parts.append(_table(tables[kind, place], value.reshape(STATES, -1), shape))
        wrong = "false"
        for k in range(STATES):
            given = [_row(text, tables["given", i], k, port.size, shape) for i, port in enumerate(function.inputs)]
            found = [text.element_pointer("@scratch", i * width, shape) for i in range(len(function.outputs))]
            text.append(f"call void @{symbol}({', '.join(f'ptr {pointer}' for pointer in (*given, *found))})")
            for i, port in enumerate(function.outputs):
                recorded = _row(text, tables["recorded", i], k, port.size, shape)
                arguments = (
                    f"ptr {found[i]}, ptr {recorded}, i32 {port.size}, {shape} {literal(states.tolerance, shape)}"
                )
                wrong = text.define(f"or i1 {wrong}, {text.define(f'call i1 @differs({arguments})')}")
        checks.append((number, wrong))
    for number, wrong in reversed(checks):
        verdict = text.define(f"select i1 {wrong}, i32 {number}, i32 {verdict}")
    text.append(f"ret i32 {verdict}")
    return "\n".join([*parts, text.finish(f"define i32 @{name}() noinline #0")])


def _row(text: FunctionText, table: str, k: int, size: int, shape: Type) -> str:
    return text.element_pointer(table, k * max(size, 1), shape)


def _table(name: str, rows: Array, shape: Type) -> str:
    values = [value for row in rows for value in (row if len(row) else [0.0])]
    numbers = ", ".join(f"{shape} {literal(float(value), shape)}" for value in values)
    return f"{name} = internal constant [{len(values)} x {shape}] [{numbers}]"
