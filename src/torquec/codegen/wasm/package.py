"""The WebAssembly package: module, JavaScript wrapper, types, and a self-test for Node and for a browser."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from torquec.codegen.identifiers import c_identifier, prefix_identifier
from torquec.codegen.recorded import RECORDED_SEED, STATES, record_states
from torquec.codegen.wasm.module import wasm_module
from torquec.codegen.wasm.wrapper import types_text, wrapper_text
from torquec.errors import ArgumentError
from torquec.expr import Function
from torquec.foundation.writing import write_package

_CHECKS = """\
/** The lines of the report, and whether every function agrees with its recorded states. */
export function check(model) {{
  const lines = [];
  let passed = true;
  for (const [name, {{ inputs, outputs, tolerance }}] of Object.entries(RECORDED)) {{
    let worst = 0;
    inputs.forEach((given, k) => {{
      const results = model[name](...given);
      const found = results instanceof Float64Array ? [results] : Object.values(results);
      found.forEach((values, port) => {{ worst = Math.max(worst, difference(values, outputs[k][port])); }});
    }});
    const agrees = worst <= tolerance;
    passed &&= agrees;
    const verdict = agrees ? "ok    " : "FAILED";
    lines.push(`${{verdict}} ${{name}}: error ${{worst.toExponential(2)}}, tolerance ${{tolerance}}`);
  }}
  return {{ lines, passed }};
}}

/** Largest difference from the recorded results, relative to the largest of these; null is what is not finite. */
function difference(values, recorded) {{
  let largest = 0;
  let worst = 0;
  recorded.forEach((value, k) => {{
    if (value === null ? !Number.isFinite(values[k]) : values[k] === value) return;
    const error = value === null ? Infinity : Math.abs(values[k] - value);
    worst = error <= Infinity ? Math.max(worst, error) : Infinity;
  }});
  for (const value of recorded) largest = Math.max(largest, Math.abs(value ?? 0));
  return worst > 0 && largest > 0 ? worst / largest : worst;
}}

const RECORDED = {recorded};
"""

_NODE = """\
// Compares {prefix}.wasm with recorded results: node selftest.mjs; exit status 0 when all agree. Written by torquec.

import {{ load }} from "./{prefix}.js";

{checks}
const {{ lines, passed }} = check(await load());
console.log(lines.join("\\n"));
process.exitCode = passed ? 0 : 1;
"""

_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'">
<title>Self-test of {prefix}</title>
<h1>Self-test of {prefix}.wasm</h1>
<pre id="report">running</pre>
<script type="module">
{wrapper}
{checks}
const bytes = Uint8Array.from(atob("{code}"), (character) => character.charCodeAt(0));
const {{ lines, passed }} = check(await load(bytes));
document.getElementById("report").textContent = lines.join("\\n");
document.title = passed ? "passed" : "FAILED";
</script>
</html>
"""


def write_wasm_package(
    functions: Sequence[Function],
    directory: Path,
    *,
    prefix: str,
    description: str = "",
    notes: Mapping[str, str] | None = None,
    force: bool = False,
) -> list[Path]:
    """Write module, wrapper, types and self-tests into `directory`; gives their paths.

    Raises `ArgumentError` when there is no function, two have one name or the directory cannot be written,
    `CompileError` when they are too large for one module.
    """
    contents = wasm_package(functions, prefix=prefix, description=description, notes=notes)
    return write_package(directory, contents, name=prefix_identifier(prefix), target="wasm", force=force)


def wasm_package(
    functions: Sequence[Function], *, prefix: str, description: str = "", notes: Mapping[str, str] | None = None
) -> dict[str, str | bytes]:
    """The contents of the package by file name."""
    if not functions:
        raise ArgumentError("there is no function to write", remedy="choose at least one quantity")
    code = wasm_module(functions, batch=True)
    name = prefix_identifier(prefix)
    wrapper = wrapper_text(functions, prefix=name, description=description)
    checks = _CHECKS.format(recorded=_recorded(functions))
    encoded = base64.b64encode(code).decode()
    return {
        f"{name}.wasm": code,
        f"{name}.js": wrapper,
        f"{name}.d.ts": types_text(functions, prefix=name, description=description, notes=notes),
        "selftest.mjs": _NODE.format(prefix=name, checks=checks),
        "selftest.html": _PAGE.format(prefix=name, wrapper=wrapper, checks=checks, code=encoded),
        "package.json": json.dumps({"name": name.lower(), "type": "module", "private": True}, indent=2) + "\n",
    }


def _recorded(functions: Sequence[Function]) -> str:
    """The recorded states as JavaScript: for every function a list of states, each a list of arrays."""
    rng = np.random.default_rng(RECORDED_SEED)
    table = {}
    for function in functions:
        states = record_states(function, rng)
        table[c_identifier(function.name)] = {
            "inputs": _rows(states.inputs),
            "outputs": _rows(states.outputs),
            "tolerance": states.tolerance,
        }
    return json.dumps(table, allow_nan=False)


def _rows(ports: Mapping[str, np.ndarray]) -> list[list[list[float | None]]]:
    return [
        [[float(value) if np.isfinite(value) else None for value in array[k].ravel()] for array in ports.values()]
        for k in range(STATES)
    ]
