"""Frama-C's Eva on a C package: every function over a box of inputs, sines and cosines within their contract.

The package is copied, and in the copy
(1)  calls of the sine and cosine of four angles, in single precision of one, go to a stand-in that gives any numbers
     within [-1, 1] (`tests/codegen/test_sincos.py` proves that bound), and the real one is analyzed by itself
(2)  every divisor is handed through `pivot` (or, with its sign changed, `negative_pivot`), whose one assertion, that it
     is at least `SMALLEST_PIVOT`, Eva leaves open: these are the divisions that the robot has to answer for
"""

from __future__ import annotations

import ast
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
from tests.patience import HANGS

from torquec.codegen.verify import c_package
from torquec.codegen.verify.c_package import CFunction, CPackageText, read_c_package

BOX = {"q": 3.2, "qd": 10.0, "qdd": 100.0, "tau": 500.0}
OTHER = 1.5
SMALLEST_PIVOT = 0.01
_DIVISOR = re.compile(r"(?<=[\w\])])/(\w+(?:\[\d+\])?|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))")


@dataclass(frozen=True)
class EvaFinding:
    """What Eva said: alarms by their text, statements reached and present, divisions in the text."""

    alarms: tuple[str, ...]
    reached: int
    statements: int
    divisions: int


def analyze(directory: Path, folder: Path, functions: list[str] | None = None) -> EvaFinding:
    """Eva on the functions of those names (all of them when not given)."""
    package = read_c_package(directory)
    chosen = [f for f in package.functions if functions is None or f.name in functions]
    source, divisions = _prepared(package)
    (folder / "package.c").write_text(source)
    (folder / f"{package.prefix}.h").write_text((directory / f"{package.prefix}.h").read_text())
    (folder / "eva.c").write_text(_driver(package, chosen))
    command = [
        "frama-c",
        "-eva",
        "-eva-precision",
        "0",
        "-eva-no-results",
        "-no-unicode",
        f"-cpp-extra-args=-I{folder}",
    ]
    command.append(str(folder / "eva.c"))
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=HANGS)
    log = done.stdout + done.stderr
    (folder / "eva.log").write_text(log)
    assert done.returncode == 0, log[-2000:]
    alarms = re.findall(r"\[eva:alarm\] \S*?:(\d+): Warning: ?\n?\s*(.*)", log)
    lines = (folder / "package.c").read_text().split("\n")
    told = tuple(f"{text.strip()}: {lines[int(at) - 1].strip()[:80]}" for at, text in alarms)
    reached, statements = map(int, re.search(r"(\d+) statements reached \(out of (\d+)\)", log).groups())
    return EvaFinding(told, reached, statements, divisions)


def divisor_ranges(package: CPackageText, *, states: int = 2000) -> list[tuple[float, float]]:
    """(smallest, largest) of every divisor in the order of the text, as states of the box are seen to have them."""
    rng = np.random.default_rng(1)
    ranges: list[tuple[float, float]] = []

    def divide(a, b):
        ranges.append((float(np.min(b)), float(np.max(b))))
        return np.divide(a, b)

    with mock.patch.dict(c_package._OPERATORS, {ast.Div: divide}):
        for function in package.functions:
            given = {
                array.name: BOX.get(array.name, OTHER) * rng.uniform(-1.0, 1.0, (states, array.size))
                for array in function.inputs
            }
            c_package.evaluate_c(function, given, package.real)
    return ranges


def _prepared(package: CPackageText) -> tuple[str, int]:
    source = package.source.read_text()
    real = package.real
    name = _sincos(package)
    head, mark, body = source.partition(f"void {package.functions[0].name}(")
    # Calls in the functions alone: the definition stays before them.
    body = re.sub(rf"\b{name}_*\(", "any_sincos(", body)
    ranges = divisor_ranges(package)
    for low, high in ranges:  # evidence for the assertions: every state that was tried keeps to them
        assert low > 1.5 * SMALLEST_PIVOT or high < -1.5 * SMALLEST_PIVOT
    signs = iter(ranges)
    body, divisions = _DIVISOR.subn(
        lambda found: f"/{'pivot' if next(signs)[0] > 0.0 else 'negative_pivot'}({found.group(1)})", body
    )
    assert divisions == len(ranges)
    kind = "double" if real == "double" else "float"
    interval = f"Frama_C_{kind}_interval(-1.0, 1.0)"
    if real == "double":
        results = "const double x[4], double s[4], double c[4]"
        places = "\n".join(f"    {letter}[{k}] = {interval};" for letter in "sc" for k in range(4))
    else:
        results = f"{real} x, {real} *s, {real} *c"
        places = f"    *s = {interval};\n    *c = {interval};"
    stand_in = f"""
#include "__fc_builtin.h"
static void any_sincos({results})
{{
{places}
    (void)x;
}}
static {real} pivot({real} value)
{{
    /*@ assert value >= {SMALLEST_PIVOT}; */
    return value;
}}
static {real} negative_pivot({real} value)
{{
    /*@ assert value <= -{SMALLEST_PIVOT}; */
    return value;
}}
"""
    return f"{head}{stand_in}{mark}{body}", divisions


def _sincos(package: CPackageText) -> str:
    """The function of generated C that evaluates sines and cosines."""
    return f"{package.prefix}_sincos{4 if package.real == 'double' else 1}"


def _driver(package: CPackageText, functions: list[CFunction]) -> str:
    real = package.real
    interval = f"Frama_C_{'double' if real == 'double' else 'float'}_interval"
    lines = ['#include "package.c"']
    for number, function in enumerate(functions):
        lines.append(f"static void call_{number}(void)\n{{")
        lines += [
            f"    static {real} {array.name}[{max(array.size, 1)}];" for array in (*function.inputs, *function.outputs)
        ]
        for array in function.inputs:
            most = BOX.get(array.name, OTHER)
            lines += [f"    {array.name}[{k}] = {interval}(-{most}, {most});" for k in range(array.size)]
        arguments = ", ".join(array.name for array in (*function.inputs, *function.outputs))
        lines.append(f"    {function.name}({arguments});\n}}")
    calls = "\n".join(f"    call_{k}();" for k in range(len(functions)))
    sine = ""
    if _sincos(package) in package.source.read_text():
        if real == "double":
            given = " ".join(f"x[{k}] = {interval}(-1e6, 1e6);" for k in range(4))  # far angles too
            sine = f"    {{ double x[4], s[4], c[4]; {given} {_sincos(package)}(x, s, c); }}"
        else:
            sine = f"    {{ {real} s, c; {_sincos(package)}({interval}(-1e4, 1e4), &s, &c); }}"
    lines.append(f"void main(void)\n{{\n{calls}\n{sine}\n}}")
    return "\n".join(lines) + "\n"
