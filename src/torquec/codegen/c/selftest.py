"""C text of the self-test: recorded states (:mod:`torquec.codegen.recorded`), and a check of the compiler's arithmetic.

Options such as -ffast-math allow a compiler to reorder sums and to assume that nothing is a NaN. The sine then loses
its range reduction, and torques are wrong by any amount. Where such an option defines a macro, the file does not
compile. clang defines none for the parts of -ffast-math: there

(1)  pragmas revoke the permission to reorder sums (clang 11) and to replace divisions by a reciprocal (clang 18):
     results are bit-identical to those of a build without the option
(2)  the self-test, built with the same options, tests the other permissions on values unknown at compile time, and
     fails where divisions, the sign of zero, NaN or sums are not those of IEEE 754
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.codegen.c.names import DOUBLE, CScalar, Names
from torquec.codegen.c.source import GUARD, packed
from torquec.codegen.identifiers import c_identifier
from torquec.codegen.recorded import RECORDED_SEED, STATES, record_states
from torquec.expr import Function
from torquec.foundation.arrays import Array
from torquec.foundation.template import filled_template


def tried_arithmetic(scalar: CScalar) -> str:
    """The C text of (2): `check_arithmetic`, which gives 0 where the arithmetic is that of IEEE 754.

    A reciprocal of 49, rounded, gives 5/49, 35/49 and 41/49 wrong in either precision.
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
        WIDE="" if scalar == DOUBLE else "(double)",  # what printf takes
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
