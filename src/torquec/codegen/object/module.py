"""Cross-compiled object file of several functions, with a built-in self-test.

The object is checked:

(1)  undefined symbols are arithmetic functions of compilers' own libraries only
(2)  single-precision code has no operation on doubles

The self-test compares the functions with recorded states (:mod:`torquec.codegen.recorded`). It is the function

    int name(void)      0 where every function agrees; else the number, from 1, of the first that does not

The comparison is that of the C package: the largest difference, relative to the largest recorded number. Equal
infinities, and NaN where NaN is recorded, count as no difference. Results go to static memory, not to the stack.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import llvmlite.binding as llvm
import numpy as np

from torquec.codegen.llvm_text.text import DOUBLE, FLOAT, FunctionText, Type, literal
from torquec.codegen.object.assembly import (
    double_operations,
    foreign_symbols,
    software_doubles,
    stack_of_functions,
    undefined_symbols,
)
from torquec.codegen.object.kernel import InnerFunction, emit_object_function, emit_object_sincos
from torquec.codegen.object.triple import KNOWN_TRIPLES, MachineTarget, code_generator, known_row
from torquec.codegen.precision import Precision
from torquec.codegen.recorded import RECORDED_SEED, STATES, record_states
from torquec.errors import CompileError
from torquec.expr import Function, Op, check_function
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


MOST_OBJECT_OPERATIONS = 50_000
"""Most operations in one object: LLVM's compile time grows faster than the length of a function."""

_MARK = b"written by torquec"
_ATTRIBUTES = "attributes #0 = { nounwind }"
_UNLIKELY = '!0 = !{!"branch_weights", i32 100000, i32 1}'


@dataclass(frozen=True)
class CompiledObject:
    """An object: its bytes, sizes of code and constants [bytes], stack of each function [bytes], undefined symbols."""

    code: bytes
    text_bytes: int
    constant_bytes: int
    stack: Mapping[str, int]
    needs: tuple[str, ...]


def compile_object(
    functions: Sequence[Function],
    symbols: Sequence[str],
    target: MachineTarget,
    *,
    selftest: str,
    precision: Precision = Precision.DOUBLE,
) -> CompiledObject:
    """The object that has every function under its symbol, and the self-test under `selftest`.

    Raises `CompileError` where the functions are too large, LLVM refuses them, the object would need a library, or
    single-precision code would compute with doubles.
    """
    for function in functions:
        check_function(function)
    count = sum(len(function.operations) for function in functions)
    if count > MOST_OBJECT_OPERATIONS:
        raise CompileError(
            f"{count} operations are too many for one object (at most {MOST_OBJECT_OPERATIONS})",
            remedy="choose fewer quantities",
        )
    convention = target.inner_convention
    source = object_text(functions, symbols, selftest=selftest, precision=precision, convention=convention)
    return compile_text(source, target, precision=precision)


def object_text(
    functions: Sequence[Function],
    symbols: Sequence[str],
    *,
    selftest: str,
    precision: Precision,
    convention: str = "fastcc",
) -> str:
    """The whole module as LLVM text; `convention` is the calling convention of its inner functions."""
    shape = FLOAT if precision is Precision.SINGLE else DOUBLE
    module = FunctionText(fma=False)
    sincos = InnerFunction(f"{selftest}_sincos", convention)
    bodies = [
        emit_object_function(module, function, shape, name=symbol, sincos=sincos)
        for function, symbol in zip(functions, symbols, strict=True)
    ]
    if any(step.op in (Op.SIN, Op.COS) for function in functions for step in function.operations):
        bodies.append(emit_object_sincos(module, shape, sincos))
    bodies.append(emit_selftest(module, functions, symbols, shape, name=selftest))
    # A mark by which Torquec recognizes its own objects.
    mark = f'@mark = internal constant [{len(_MARK)} x i8] c"{_MARK.decode()}"\n'
    mark += '@llvm.used = appending global [1 x ptr] [ptr @mark], section "llvm.metadata"'
    return "\n".join([*bodies, *module.declarations, mark, _ATTRIBUTES, _UNLIKELY])


def compile_text(source: str, target: MachineTarget, *, precision: Precision) -> CompiledObject:
    """The object of LLVM text, checked as :func:`compile_object` says."""
    try:
        emit = emit_machine_code if known_row(target.triple) else _emit_apart
        code, assembly = emit(source, target)
    except RuntimeError as error:
        raise CompileError(f"LLVM refused the code: {error}", remedy="report this with the function") from error
    needs = undefined_symbols(code)
    foreign = foreign_symbols(needs)
    if foreign:
        raise CompileError(
            f"the object for {target.triple} would need {', '.join(foreign)}",
            remedy="generate C for this processor (--target c)",
        )
    if precision is Precision.SINGLE:
        check_single(source, assembly, needs, target)
    sizes = _sizes(code)
    defined = re.findall(r"^define .*@([\w.$]+)\(", source, re.MULTILINE)
    stack = MappingProxyType(stack_of_functions(assembly, target.family, defined))
    return CompiledObject(code, *sizes, stack, needs)


def check_single(source: str, assembly: str, needs: tuple[str, ...], target: MachineTarget) -> None:
    """Raise `CompileError` where single-precision code computes with doubles, or where this cannot be determined."""
    found = double_operations(assembly, target.family)
    if found is None:
        raise CompileError(
            f"whether code for '{target.triple}' computes with doubles cannot be checked",
            remedy="leave out --float, or generate C (--target c --float)",
        )
    found = [*found, *software_doubles(needs), *re.findall(r"^.*\bdouble\b.*$", source, re.MULTILINE)]
    if found:
        raise CompileError(
            f"the object for {target.triple} is to compute floats, and computes with doubles: {'; '.join(found[:5])}",
            remedy="report this with the function",
        )


def emit_machine_code(source: str, target: MachineTarget) -> tuple[bytes, str]:
    """The object and the assembly text of LLVM text. Raises `RuntimeError` where LLVM refuses it."""
    machine = code_generator(target)
    return bytes(machine.emit_object(_parsed(source, target))), str(machine.emit_assembly(_parsed(source, target)))


_APART = """\
import sys
from torquec.codegen.object.module import emit_machine_code
from torquec.codegen.object.triple import MachineTarget
code, assembly = emit_machine_code(sys.stdin.read(), MachineTarget(*sys.argv[1:]))
sys.stdout.buffer.write(len(code).to_bytes(8, "little") + code + assembly.encode())
"""


def _emit_apart(source: str, target: MachineTarget) -> tuple[bytes, str]:
    """`emit_machine_code` in a child process: LLVM aborts its process for some untested processors."""
    done = subprocess.run(  # noqa: S603 - our own program, arguments as a list
        [sys.executable, "-c", _APART, target.triple, target.cpu, target.features],
        input=source.encode(),
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        raise CompileError(
            f"LLVM fails on code for '{target.triple}': {last[0][:300]}",
            remedy=f"these were tried: {', '.join(KNOWN_TRIPLES)}",
        )
    size = int.from_bytes(done.stdout[:8], "little")
    return done.stdout[8 : 8 + size], done.stdout[8 + size :].decode()


def _parsed(source: str, target: MachineTarget) -> llvm.ModuleRef:
    return llvm.parse_assembly(f'target triple = "{target.full_triple}"\nsource_filename = "torquec"\n{source}')


def _sizes(code: bytes) -> tuple[int, int]:
    """Bytes of code and of constants."""
    text, constants = 0, 0
    file = llvm.ObjectFileRef.from_data(code)
    for section in file.sections():
        name = (section.name() or b"").decode()
        if section.is_text():
            text += section.size()
        elif any(word in name for word in ("rodata", "rdata", "const", "literal")):
            constants += section.size()
    return text, constants
