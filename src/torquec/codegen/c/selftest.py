"""The C text of the self-test: recorded inputs and outputs, compared when it runs.

The inputs are drawn from a seeded generator, the outputs come from `torquec.expr.evaluate`. What is tolerated follows
from the function: it is evaluated again with the result of every operation wrong by one unit in the last place, up or
down; a hundred times the change that this makes, relative to the largest output and rounded up to a power of ten, is
allowed (at least 1e-12).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from torquec.codegen.c.names import Names
from torquec.codegen.c.scalar import DOUBLE, CScalar
from torquec.codegen.c.source import packed
from torquec.codegen.identifiers import c_identifier
from torquec.expr import Function, Op, evaluate
from torquec.expr.ops import SEMANTICS
from torquec.foundation.arrays import Array

_STATES = 4  # enough that no function passes by accident, few enough for a microcontroller
_SEED = 20240229  # any number: the same test from the same functions
_LEAST_TOLERANCE = 1e-12  # some thousand roundings of a double: another compiler contracts and reorders

_HEAD = """\
/* Compares {prefix}.c with recorded results; exit status 0 when all agree. Written by torquec. */

#include "{prefix}.h"

#include <math.h>
#include <stdio.h>

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
        const {real} error = {fabs}(results[k] - recorded[k]);
        const int both_nan = results[k] != results[k] && recorded[k] != recorded[k];
        if (results[k] == recorded[k] || both_nan) {{
            continue;
        }}
        if (!(error <= {infinity})) {{
            return {infinity};
        }}
        if (error > worst) {{
            worst = error;
        }}
    }}
    return worst > {zero} && largest > {zero} ? worst/largest : worst;
}}

static int report(const char *function, {real} error, {real} tolerance)
{{
    const int failed = !(error <= tolerance);
    const char *verdict = failed ? "FAILED" : "ok";
    printf("%-6s %s: error %.3g, tolerance %g\\n", verdict, function, {wide}error, {wide}tolerance);
    return failed;
}}
"""


def selftest_text(functions: Sequence[Function], names: Names) -> str:
    """The whole `selftest.c`."""
    rng = np.random.default_rng(_SEED)
    scalar = names.scalar
    head = _HEAD.format(
        prefix=names.prefix,
        real=scalar.type,
        fabs=scalar.function("fabs"),
        infinity=scalar.infinity,
        zero=scalar.number(0.0),
        wide="" if scalar == DOUBLE else "(double)",  # what printf takes
    )
    parts = [head]
    parts += [_check(function, name, names, rng) for function, name in zip(functions, names.functions, strict=True)]
    calls = "".join(f"    failures += check_{name}();\n" for name in names.functions)
    parts.append(f"int main(void)\n{{\n    int failures = 0;\n{calls}    return failures ? 1 : 0;\n}}\n")
    return "\n".join(parts)


def _check(function: Function, name: str, names: Names, rng: np.random.Generator) -> str:
    inputs = {port.name: rng.uniform(-1.5, 1.5, (_STATES, *port.shape)).round(6) for port in function.inputs}
    outputs = _evaluate(function, inputs)
    scalar = names.scalar
    moved = _evaluate_badly(function, inputs, rng, scalar.epsilon)
    ports = names.ports(function)
    sizes = {port.name: max(port.size, 1) for port in (*function.inputs, *function.outputs)}
    lines = [f"static int check_{name}(void)", "{"]
    for key, value in inputs.items():
        lines += _table(f"given_{ports[key]}", value.reshape(_STATES, -1), sizes[key], scalar)
    for key, value in outputs.items():
        lines += _table(f"recorded_{ports[key]}", value.reshape(_STATES, -1), sizes[key], scalar)
    lines += [f"    {scalar.type} found_{ports[port.name]}[{sizes[port.name]}];" for port in function.outputs]
    lines += [
        f"    {scalar.type} worst = {scalar.number(0.0)};",
        "    int k;",
        f"    for (k = 0; k < {_STATES}; ++k) {{",
    ]
    arguments = [f"given_{ports[port.name]}[k]" for port in function.inputs]
    arguments += [f"found_{ports[port.name]}" for port in function.outputs]
    lines += packed(arguments, head=f"        {name}(", tail=");", indent="            ")
    for port in function.outputs:
        own = ports[port.name]
        error = f"difference(found_{own}, recorded_{own}[k], {port.size})"
        lines.append(f"        worst = {scalar.function('fmax')}(worst, {error});")
    tolerance = scalar.number(_tolerance(outputs, moved, scalar.epsilon))
    lines += ["    }", f'    return report("{c_identifier(function.name)}", worst, {tolerance});', "}", ""]
    return "\n".join(lines)


def _evaluate(function: Function, inputs: dict[str, Array]) -> dict[str, Array]:
    """Outputs for all states, also of a function without inputs."""
    outputs = evaluate(function, inputs)
    return {port.name: np.broadcast_to(outputs[port.name], (_STATES, *port.shape)) for port in function.outputs}


def _evaluate_badly(
    function: Function, inputs: dict[str, Array], rng: np.random.Generator, epsilon: float
) -> dict[str, Array]:
    """Outputs for all states, each operation wrong in its last place."""
    values: list[Any] = []
    with np.errstate(all="ignore"):
        for step in function.operations:
            if step.op is Op.CONST:
                values.append(np.full(_STATES, step.value))
            elif step.op is Op.INPUT:
                values.append(inputs[step.port].reshape(_STATES, -1)[:, step.element])
            else:
                exact = SEMANTICS[step.op].on_arrays(*(values[arg] for arg in step.args))
                values.append(exact * (1.0 + epsilon * rng.choice([-1.0, 1.0], _STATES)))
    return {
        port.name: np.array([values[k] for k in result]).reshape(-1, _STATES).T
        for port, result in zip(function.outputs, function.results, strict=True)
    }


def _tolerance(outputs: dict[str, Array], moved: dict[str, Array], epsilon: float) -> float:
    """The module's rule; states and outputs that are not finite do not count."""
    change = 0.0
    for port, value in outputs.items():
        for row, other in zip(value.reshape(_STATES, -1), moved[port].reshape(_STATES, -1), strict=True):
            if row.size and np.isfinite(row).all() and np.isfinite(other).all() and np.abs(row).max() > 0.0:
                change = max(change, float(np.abs(row - other).max() / np.abs(row).max()))
    tolerance = max(_LEAST_TOLERANCE * (epsilon / DOUBLE.epsilon), 100.0 * change)
    return float(f"1e{math.ceil(math.log10(tolerance) - 1e-9)}")


def _table(name: str, rows: Array, columns: int, scalar: CScalar) -> list[str]:
    lines = [f"    static const {scalar.type} {name}[{_STATES}][{columns}] = {{"]
    for row in rows:
        numbers = [scalar.number(float(value)) for value in row] or [scalar.number(0.0)]
        lines += packed(numbers, head="        {", tail="},", indent="         ")
    return [*lines, "    };"]
