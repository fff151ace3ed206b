"""The C program that calls every function of a package at given states and prints the bits of all results.

One line a state, `function state bits bits ...`. Where `COUNT` is defined it reads the timer of a Cortex-M7 around a
hundred calls of each function: under `qemu -icount shift=0` an instruction takes a nanosecond and a tick 40 of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from torquec.codegen.verify.c_package import CFunction, CPackageText
from torquec.foundation.arrays import AnyArray

COUNTED_CALLS = 100
NANOSECONDS_A_TICK = 40
"""Of the timer of qemu's mps2 boards, which runs at 25 MHz."""

_HEAD = """\
#include "{prefix}.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef STATES
#define STATES {states}
#endif

typedef {real} real;
typedef {bits} bits;

static void show(const char *function, int state, const real *values, int n)
{{
    int k;
    (void)printf("%s %d", function, state);
    for (k = 0; k < n; ++k) {{
        bits word;
        (void)memcpy(&word, &values[k], sizeof word);
        (void)printf({format}, {printed});
    }}
    (void)printf("\\n");
}}

#ifdef COUNT
#define TIMER ((volatile uint32_t *)0xE000E010u)
static void count(const char *function, uint32_t before, uint32_t after)
{{
    (void)printf("count %s %lu\\n", function, (unsigned long)((before - after) & 0xFFFFFFu));
}}
#endif
"""


def driver_text(package: CPackageText, states: Mapping[str, Mapping[str, AnyArray]], count: int) -> str:
    """The program for `count` states: inputs (count, size) by name of each function."""
    single = package.real == "float"
    head = _HEAD.format(
        prefix=package.prefix,
        states=count,
        real=package.real,
        bits="uint32_t" if single else "uint64_t",
        format='" %08lx"' if single else '" %08lx%08lx"',
        printed="(unsigned long)word" if single else "(unsigned long)(word >> 32), (unsigned long)(word & 0xFFFFFFFFu)",
    )
    parts = [head]
    for number, function in enumerate(package.functions):
        parts.append(_calls(number, function, states[function.name], single=single))
    calls = "".join(f"    call_{k}();\n" for k in range(len(package.functions)))
    timer = "#ifdef COUNT\n    TIMER[1] = 0xFFFFFFu;\n    TIMER[2] = 0u;\n    TIMER[0] = 5u;\n#endif\n"
    parts.append(f"int main(void)\n{{\n{timer}{calls}    return 0;\n}}\n")
    return "\n".join(parts)


def _calls(number: int, function: CFunction, states: Mapping[str, AnyArray], *, single: bool) -> str:
    lines = [f"static void call_{number}(void)", "{"]
    for array in function.inputs:
        lines += _table(f"given_{array.name}", states[array.name], array.size, single=single)
    lines += [f"    static real found_{array.name}[{max(array.size, 1)}];" for array in function.outputs]
    arguments = [f"given_{array.name}[k]" for array in function.inputs]
    arguments += [f"found_{array.name}" for array in function.outputs]
    call = f"{function.name}({', '.join(arguments)});"
    lines += ["    int k;", "    for (k = 0; k < STATES; ++k) {", f"        {call}"]
    lines += [
        f'        show("{function.name}.{array.name}", k, found_{array.name}, {array.size});'
        for array in function.outputs
    ]
    repeated = call.replace("[k]", "[0]")
    lines += [
        "    }",
        "#ifdef COUNT",
        "    {",
        "        const uint32_t before = TIMER[2];",
        f"        for (k = 0; k < {COUNTED_CALLS}; ++k) {{",
        f"            {repeated}",
        "        }",
        f'        count("{function.name}", before, TIMER[2]);',
        "    }",
        "#endif",
        "}",
        "",
    ]
    return "\n".join(lines)


def _table(name: str, values: AnyArray, size: int, *, single: bool) -> list[str]:
    """The states as bits that C reads back exactly, NaN included, by way of a union's first member."""
    lines = [
        f"    static const union {{ {'uint32_t' if single else 'uint64_t'} bits; real value; }} bits_{name}[] = {{"
    ]
    kind = "u4" if single else "u8"
    flat = values.reshape(-1).astype("f4" if single else "f8").view(kind)
    suffix = "u" if single else "ull"
    lines += [f"        {{0x{int(word):x}{suffix}}}," for word in (flat if flat.size else [0])]
    lines += [
        "    };",
        f"    const real (*const {name})[{max(size, 1)}] = (const real (*)[{max(size, 1)}])&bits_{name}[0];",
    ]
    return lines
