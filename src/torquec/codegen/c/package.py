"""The C package: source, header, self-test and build file, written together.

The C is C99 without loops, allocation or state; the only include is <math.h>. A function reads all its inputs before
it writes an output, so that arrays may overlap. Nothing in the text depends on the directory, the locale or the time:
the same functions give the same bytes.

The self-test compares recorded states (:mod:`torquec.codegen.recorded`) and tests the arithmetic of the compiler.
Options such as -ffast-math allow the compiler to reorder sums and to assume that no value is NaN. The sine then loses
its range reduction, and torques are wrong by any amount. Where such an option defines a macro, the file does not
compile. clang defines no macro for the single flags in -ffast-math. With clang:

(1)  pragmas revoke the permission to reorder sums (clang 11) and to replace divisions by a reciprocal (clang 18):
     results are bit-identical to those of a build without the option
(2)  the self-test, built with the same options, tests the other permissions on values unknown at compile time, and
     fails where divisions, the sign of zero, NaN or sums are not those of IEEE 754
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from torquec.codegen.c.names import DOUBLE, SCALARS, CScalar, Names, package_names
from torquec.codegen.c.source import (
    ADDITIONS,
    GUARD,
    MULTIPLICATIONS,
    comment,
    declaration,
    packed,
    shape_text,
    source_text,
)
from torquec.codegen.identifiers import c_identifier, check_names
from torquec.codegen.precision import Precision
from torquec.codegen.recorded import RECORDED_SEED, STATES, record_states
from torquec.codegen.sincos import SINGLE_SINCOS
from torquec.codegen.statements import check_rounding
from torquec.expr import Function, check_function, count_operations
from torquec.foundation.arrays import Array
from torquec.foundation.template import filled_template
from torquec_check.claim import named

_USE = """\
Every function is plain C99: no loops, no allocation, no state. It is reentrant, and its arrays may overlap. Units are \
SI and radians unless a function says otherwise. Arguments are arrays of {real}: inputs first, outputs last, matrices \
row by row.

DIR is the folder of this package, and holds nothing else. In another folder:
Compile:    cc -O3 -march=native -c DIR/{prefix}.c
Self-test:  cc -O2 DIR/{prefix}.c DIR/selftest.c -lm -o selftest && ./selftest
or both:    cmake -S DIR -B build && cmake --build build && ctest --test-dir build

Add -ffp-contract=off for results that are the same to the last bit at every optimization level; with gcc for a \
processor that has fused multiply-adds also add -fno-tree-slp-vectorize, because gcc 12 fuses there in spite of the \
first option. The file refuses -ffast-math and -ffinite-math-only: its sums keep their order, and it handles NaN.

The operation counts below (subtractions and sign changes are additions; a sincos is one sine and cosine of one angle) \
are those of one call."""


def c_package(
    functions: Sequence[Function],
    *,
    prefix: str,
    description: str = "",
    notes: Mapping[str, str] | None = None,
    precision: Precision = Precision.DOUBLE,
) -> dict[str, str]:
    """The texts of `<prefix>.c`, `<prefix>.h`, `selftest.c` and `CMakeLists.txt` by file name.

    Function `name` becomes `<prefix>_<name>`; any name is allowed and escaped where it is no C identifier.
    `description` goes to the top of the header, `notes[name]` to a function's comment; numbers are double or, with
    single precision, float. Raises `ArgumentError` when two functions have the same name, `ExpressionError` when a
    function is malformed.
    """
    scalar = SCALARS[precision]
    check_names(functions)
    for function in functions:
        check_function(function)
        check_rounding(function, precision)
    names = package_names(functions, prefix, scalar=scalar)
    heading = f"{named(prefix)}: written by torquec."
    return {
        f"{names.prefix}.c": source_text(functions, names, f"{heading} How to use it stands in {names.prefix}.h."),
        f"{names.prefix}.h": header_text(functions, names, _opening(names, heading, description), notes or {}),
        "selftest.c": selftest_text(functions, names),
        "CMakeLists.txt": filled_template("codegen/c", "CMakeLists.txt", PREFIX=names.prefix),
    }


def _fixed_cost(function: Function) -> list[str]:
    """Operation count of a call including its sines and cosines: without branches, the same at every state."""
    count = count_operations(function)
    if not count.sincos:
        return []
    mul, add = count.mul + MULTIPLICATIONS * count.sincos, count.add + ADDITIONS * count.sincos
    each = f"{MULTIPLICATIONS} mul, {ADDITIONS} add and a comparison with {SINGLE_SINCOS.largest_angle:g} rad"
    return [f"In all {mul} mul, {add} add, at every state: a sincos is {each}; larger angles take more."]


def _opening(names: Names, heading: str, description: str) -> str:
    """The text at the top of the header."""
    use = _USE.format(prefix=names.prefix, real=names.scalar.type)
    return "\n".join([f"{heading}\n{description}".rstrip(), "", use])


def header_text(
    functions: Sequence[Function], names: Names, opening: str, notes: Mapping[str, str], *, more: Sequence[str] = ()
) -> str:
    """The whole header, with `opening` above everything; `more` are declarations besides those of the functions."""
    lines = [comment(opening), ""]
    lines += [
        f"#ifndef {names.guard}",
        f"#define {names.guard}",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
    ]
    for function, name in zip(functions, names.functions, strict=True):
        ports = names.ports(function)
        text = [f"{c_identifier(function.name)}: {count_operations(function)}"]
        if names.scalar != DOUBLE:
            text += _fixed_cost(function)
        if function.name in notes:
            text.append(notes[function.name])
        text += [f"  in   {ports[port.name]}: {shape_text(port)}" for port in function.inputs]
        text += [f"  out  {ports[port.name]}: {shape_text(port)}" for port in function.outputs]
        lines += [comment("\n".join(text)), f"{declaration(function, name, ports, names.scalar)};", ""]
    for added in more:
        lines += [added, ""]
    lines += ["#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {names.guard} */", ""]
    return "\n".join(lines)


def tried_arithmetic(scalar: CScalar) -> str:
    """The C text of (2): `check_arithmetic`, which gives 0 where the arithmetic is that of IEEE 754.

    Division by multiplying with the rounded reciprocal of 49 is wrong for 5/49, 35/49 and 41/49 in either precision.
    """
    values = (5.0, 35.0, 41.0, 32.0 / scalar.epsilon, 49.0, -0.0, float("inf"))
    return filled_template(
        "codegen/c",
        "check_arithmetic.c",
        REAL=scalar.type,
        GIVEN=", ".join(map(scalar.number, values)),
        ZERO=scalar.number(0.0),
        ONE=scalar.number(1.0),
        COPYSIGN=scalar.function("copysign"),
    )


def selftest_text(functions: Sequence[Function], names: Names) -> str:
    """The whole `selftest.c`."""
    rng = np.random.default_rng(RECORDED_SEED)
    scalar = names.scalar
    head = filled_template(
        "codegen/c",
        "selftest.c",
        PREFIX=names.prefix,
        GUARD=GUARD,
        REAL=scalar.type,
        FABS=scalar.function("fabs"),
        INFINITY=scalar.infinity,
        ZERO=scalar.number(0.0),
        WIDE="" if scalar == DOUBLE else "(double)",  # printf takes doubles only
    )
    parts = [head, tried_arithmetic(scalar)]
    parts += [_check(function, name, names, rng) for function, name in zip(functions, names.functions, strict=True)]
    calls = "".join(f"    failures += check_{name}();\n" for name in names.functions)
    parts.append(
        f"int main(void)\n{{\n    int failures = check_arithmetic();\n{calls}    return (failures > 0) ? 1 : 0;\n}}\n"
    )
    return "\n".join(parts)


def _check(function: Function, name: str, names: Names, rng: np.random.Generator) -> str:
    scalar = names.scalar
    states = record_states(function, rng, epsilon=scalar.epsilon)
    ports = names.ports(function)
    sizes = {port.name: max(port.size, 1) for port in (*function.inputs, *function.outputs)}
    lines = [f"static int check_{name}(void)", "{"]
    for key, value in states.inputs.items():
        lines += _table(f"given_{ports[key]}", value.reshape(STATES, -1), sizes[key], scalar)
    for key, value in states.outputs.items():
        lines += _table(f"recorded_{ports[key]}", value.reshape(STATES, -1), sizes[key], scalar)
    lines += [f"    {scalar.type} found_{ports[port.name]}[{sizes[port.name]}];" for port in function.outputs]
    lines += [
        f"    {scalar.type} worst = {scalar.number(0.0)};",
        "    int k;",
        f"    for (k = 0; k < {STATES}; ++k) {{",
    ]
    arguments = [f"given_{ports[port.name]}[k]" for port in function.inputs]
    arguments += [f"found_{ports[port.name]}" for port in function.outputs]
    lines += packed(arguments, head=f"        {name}(", tail=");", indent="            ")
    for port in function.outputs:
        own = ports[port.name]
        error = f"difference(found_{own}, recorded_{own}[k], {port.size})"
        lines.append(f"        worst = {scalar.function('fmax')}(worst, {error});")
    tolerance = scalar.number(states.tolerance)
    lines += ["    }", f'    return report("{c_identifier(function.name)}", worst, {tolerance});', "}", ""]
    return "\n".join(lines)


def _table(name: str, rows: Array, columns: int, scalar: CScalar) -> list[str]:
    lines = [f"    static const {scalar.type} {name}[{STATES}][{columns}] = {{"]
    for row in rows:
        numbers = [scalar.number(float(value)) for value in row] or [scalar.number(0.0)]
        lines += packed(numbers, head="        {", tail="},", indent="         ")
    return [*lines, "    };"]
