"""The WebAssembly package: module, JavaScript wrapper, types, and a self-test for Node and for a browser.

The wrapper is an ES module without dependencies, for browsers and Node. It keeps one place in the module's memory for
every input and output; a call copies its arguments in and its results out.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence

import numpy as np

from torquec.codegen.identifiers import c_identifier, prefix_identifier
from torquec.codegen.recorded import RECORDED_SEED, STATES, record_states
from torquec.codegen.wasm.module import wasm_module
from torquec.errors import ArgumentError
from torquec.expr import Function, Port, count_operations
from torquec.foundation.template import filled_template

_ROOM = "codegen/wasm"


def wrapper_text(functions: Sequence[Function], *, prefix: str, description: str = "") -> str:
    """The ES module `<prefix>.js`."""
    table = {
        c_identifier(function.name): {
            "symbol": c_identifier(function.name),
            "inputs": [_port(port) for port in function.inputs],
            "outputs": [_port(port) for port in function.outputs],
        }
        for function in functions
    }
    first = functions[0]
    arguments = ", ".join(f"[{', '.join(['0'] * port.size)}]" for port in first.inputs)
    return filled_template(
        _ROOM,
        "wrapper.js",
        HEADING=_heading(prefix, description),
        PREFIX=prefix,
        EXAMPLE=f"model.{c_identifier(first.name)}({arguments});",
        FUNCTIONS=json.dumps(table, indent=2),
    )


def types_text(
    functions: Sequence[Function], *, prefix: str, description: str = "", notes: Mapping[str, str] | None = None
) -> str:
    """The declarations `<prefix>.d.ts`."""
    members = []
    for function in functions:
        note = (notes or {}).get(function.name, "")
        words = _plain(f"{note} {count_operations(function)}.".strip())
        inputs = ", ".join(f"{_label(port)}: Numbers" for port in function.inputs)
        if len(function.outputs) == 1:
            result = "Float64Array"
        else:
            result = "{ " + "; ".join(f"{_label(port)}: Float64Array" for port in function.outputs) + " }"
        members.append(f"  /** {words} */\n  {c_identifier(function.name)}: Callable<[{inputs}], {result}>;")
    return filled_template(_ROOM, "wrapper.d.ts", HEADING=_heading(prefix, description), MEMBERS="\n".join(members))


def _port(port: Port) -> dict[str, object]:
    return {"name": _label(port), "shape": list(port.shape)}


def _label(port: Port) -> str:
    return c_identifier(port.name)


def _heading(prefix: str, description: str) -> str:
    return "\n// ".join(_plain(line) for line in f"{prefix}: written by torquec.\n{description}".rstrip().splitlines())


def _plain(text: str) -> str:
    """Any text as part of a comment: printable ASCII, unable to end it."""
    ascii_text = text.encode("ascii", "backslashreplace").decode().replace("*/", "* /")
    return "".join(c if c.isprintable() else " " for c in ascii_text)


def wasm_package(
    functions: Sequence[Function], *, prefix: str, description: str = "", notes: Mapping[str, str] | None = None
) -> dict[str, str | bytes]:
    """Module, wrapper, types and self-tests by file name.

    Raises `ArgumentError` when there is no function or two have one name, `CompileError` when they are too large for
    one module.
    """
    if not functions:
        raise ArgumentError("there is no function to write", remedy="choose at least one quantity")
    code = wasm_module(functions, batch=True)
    name = prefix_identifier(prefix)
    wrapper = wrapper_text(functions, prefix=name, description=description)
    checks = filled_template(_ROOM, "selftest_checks.js", RECORDED=_recorded(functions))
    encoded = base64.b64encode(code).decode()
    return {
        f"{name}.wasm": code,
        f"{name}.js": wrapper,
        f"{name}.d.ts": types_text(functions, prefix=name, description=description, notes=notes),
        "selftest.mjs": filled_template(_ROOM, "selftest.mjs", PREFIX=name, CHECKS=checks),
        "selftest.html": filled_template(
            _ROOM, "selftest.html", PREFIX=name, WRAPPER=wrapper, CHECKS=checks, CODE=encoded
        ),
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
