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
from torquec.foundation.template import filled_template

_EPSILON = {Precision.DOUBLE: 2.0**-52, Precision.SINGLE: 2.0**-23}


def emit_selftest(
    module: FunctionText, functions: Sequence[Function], symbols: Sequence[str], shape: Type, *, name: str
) -> str:
    """The text of the self-test, its tables included."""
    precision = Precision.SINGLE if shape.element == "float" else Precision.DOUBLE
    rng = np.random.default_rng(RECORDED_SEED)
    module.declare(f"declare {shape} @llvm.fabs.{shape.suffix}({shape})")
    parts = [_differs(shape)]
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


def _differs(shape: Type) -> str:
    infinity = literal(np.inf, shape)
    return filled_template("codegen/object", "differs.ll", REAL=shape, SUFFIX=shape.suffix, INFINITY=infinity)


def _row(text: FunctionText, table: str, k: int, size: int, shape: Type) -> str:
    return text.element_pointer(table, k * max(size, 1), shape)


def _table(name: str, rows: Array, shape: Type) -> str:
    values = [value for row in rows for value in (row if len(row) else [0.0])]
    numbers = ", ".join(f"{shape} {literal(float(value), shape)}" for value in values)
    return f"{name} = internal constant [{len(values)} x {shape}] [{numbers}]"
