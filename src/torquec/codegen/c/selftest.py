"""The C text of the self-test: the states of :mod:`torquec.codegen.recorded`, compared when it runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.codegen.c.arithmetic import GUARD, tried_arithmetic
from torquec.codegen.c.names import Names
from torquec.codegen.c.scalar import DOUBLE, CScalar
from torquec.codegen.c.source import packed
from torquec.codegen.identifiers import c_identifier
from torquec.codegen.recorded import RECORDED_SEED, STATES, record_states
from torquec.expr import Function
from torquec.foundation.arrays import Array

_HEAD = """\
/* Compares {prefix}.c with recorded results; exit status 0 when all agree. Written by torquec. */

#include "{prefix}.h"

#include <math.h>
#include <stdio.h>

{guard}
/* Largest difference of n results from the recorded ones, relative to the largest of these. */
static {real} difference(const {real} *results, const {real} *recorded, int n)
{{
    {real} largest = {zero};
    {real} worst = {zero};
    int k;
    for (k = 0; k < n; ++k) {{
        if ({fabs}(recorded[k]) > largest) {{
            largest = {fabs}(recorded[k]);
        }}
    }}
    for (k = 0; k < n; ++k) {{
        {real} error = {fabs}(results[k] - recorded[k]);
        if (results[k] == recorded[k]) {{
            error = {zero}; /* the same infinity, too */
        }}
        if ((results[k] != results[k]) && (recorded[k] != recorded[k])) {{
            error = {zero}; /* both are NaN */
        }}
        if (!(error <= worst)) {{
            worst = (error == error) ? error : {infinity};
        }}
    }}
    if ((largest > {zero}) && (worst < {infinity})) {{
        worst = worst/largest;
    }}
    return worst;
}}

static int report(const char *function, {real} error, {real} tolerance)
{{
    int failures = 0;
    const char *verdict = "ok";
    if (!(error <= tolerance)) {{
        failures = 1;
        verdict = "FAILED";
    }}
    (void)printf("%-6s %s: error %.3g, tolerance %g\\n", verdict, function, {wide}error, {wide}tolerance);
    return failures;
}}
"""


def selftest_text(functions: Sequence[Function], names: Names) -> str:
    """The whole `selftest.c`."""
    rng = np.random.default_rng(RECORDED_SEED)
    scalar = names.scalar
    head = _HEAD.format(
        prefix=names.prefix,
        guard=GUARD,
        real=scalar.type,
        fabs=scalar.function("fabs"),
        infinity=scalar.infinity,
        zero=scalar.number(0.0),
        wide="" if scalar == DOUBLE else "(double)",  # what printf takes
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
