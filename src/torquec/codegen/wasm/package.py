"""The WebAssembly package: module, JavaScript wrapper, types, and a self-test for Node and for a browser.

The wrapper is an ES module without dependencies, for browsers and Node. It keeps one place in the module's memory for
every input and output; a call copies its arguments in and its results out.

The module holds the kernels of `codegen.llvm_text` without fused operations. Function `name` is exported under its
identifier and takes addresses, inputs first, outputs last:

    name(input1, ..., output1, ...)             one state
    name_batch(N, inputs, outputs)              N states in rows; two arrays of addresses; with `batch` only

The module imports nothing, neither memory nor mathematics: sine, cosine, exponential and arctangent are its own. The
same functions give the same bytes.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import llvmlite.binding as llvm
import numpy as np

from torquec.codegen.identifiers import c_identifier, check_names, prefix_identifier
from torquec.codegen.llvm_text.batch import emit_batch, emit_block
from torquec.codegen.llvm_text.far_sincos import emit_far_one
from torquec.codegen.llvm_text.program import make_program
from torquec.codegen.llvm_text.scalar import SINCOS_OF_MANY, emit_packed, emit_short_scalar, emit_sincos_of_many
from torquec.codegen.llvm_text.sincos import FAR_SINCOS
from torquec.codegen.llvm_text.text import FunctionText, Type
from torquec.codegen.recorded import RECORDED_SEED, STATES, record_states
from torquec.codegen.wasm.link import link_module
from torquec.errors import ArgumentError, CompileError
from torquec.expr import Function, Port, check_function, count_operations
from torquec.foundation.template import filled_template

_TRIPLE = "wasm32-unknown-unknown"
_SIMD_WIDTH = 2  # doubles in a register of 128 bits
_MOST_OPERATIONS = 100_000
"""Most operations in one module: browsers limit the size of a function, and a page should load quickly."""

_UNLIKELY = '!0 = !{!"branch_weights", i32 1, i32 100000}'
_STACK_SLOT = re.compile(r"alloca \[(\d+) x (<(\d+) x double>|double|ptr)\]")
_SLOT_ALIGNMENT = 64  # alignment of `FunctionText.stack`: a slot may need as many bytes of padding
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

    Raises `ArgumentError` when there is no function or two have the same name, `CompileError` when they are too large
    for one module.
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


def wasm_module(functions: Sequence[Function], *, simd: bool = True, batch: bool = False) -> bytes:
    """The bytes of a module with these functions; with `simd`, for engines with 128-bit vectors (all since 2023).

    Raises `ArgumentError` when two functions have the same name, `CompileError` when they are too large.
    """
    check_names(functions)
    for function in functions:
        check_function(function)
    count = sum(len(function.operations) for function in functions)
    if count > _MOST_OPERATIONS:
        raise CompileError(
            f"{count} operations are too many for one WebAssembly module (at most {_MOST_OPERATIONS})",
            remedy="choose fewer quantities",
        )
    text = FunctionText(fma=False)
    bodies = [body for function in functions for body in _emit(text, function, batch=batch)]
    if any(f"@{SINCOS_OF_MANY}(" in body for body in bodies):
        bodies.append(emit_sincos_of_many(text, _SIMD_WIDTH if simd else 1))
    if text.needs_far_sincos:
        bodies += [FAR_SINCOS, emit_far_one(text)]
        text.declare("declare double @llvm.fabs.f64(double)")
    source = "\n".join([*bodies, *text.declarations, "attributes #0 = { nounwind }", _UNLIKELY])
    exports = [name for function in functions for name in exported_names(function, batch=batch)]
    return link_module(_object_code(source, simd=simd), exports=exports, stack=_stack_bytes(source))


def exported_names(function: Function, *, batch: bool) -> list[str]:
    """The names under which a module exports a function."""
    name = c_identifier(function.name)
    return [name, f"{name}_batch"] if batch else [name]


def _emit(text: FunctionText, function: Function, *, batch: bool) -> Iterator[str]:
    name = c_identifier(function.name)
    program = make_program(function, fuse=False)
    yield emit_short_scalar(text, program, name=name)
    if batch:
        packed, block = f"{name}_x0_packed", f"{name}_x0_block"  # `_x0_` stands in no identifier of a function
        yield emit_packed(program, kernel=name, name=packed)
        yield emit_block(text, program, Type(_SIMD_WIDTH), name=block)
        yield emit_batch(program, Type(_SIMD_WIDTH), name=f"{name}_batch", block=block, packed=packed)


def _stack_bytes(source: str) -> int:
    """Upper bound on the stack [bytes]: all slots of the module at once. WebAssembly keeps other values elsewhere."""
    sizes = {"ptr": 4, "double": 8}
    total = 0
    for count, kind, lanes in _STACK_SLOT.findall(source):
        total += int(count) * (8 * int(lanes) if lanes else sizes[kind]) + _SLOT_ALIGNMENT
    assert source.count("alloca") == len(_STACK_SLOT.findall(source))
    return total


def _object_code(source: str, *, simd: bool) -> bytes:
    try:
        return bytes(_target_machine(simd).emit_object(llvm.parse_assembly(source)))
    except RuntimeError as error:
        raise CompileError(f"LLVM refused the code: {error}", remedy="report this with the function") from error


@cache
def _target_machine(simd: bool) -> llvm.TargetMachine:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    features = "+simd128" if simd else ""
    machine = llvm.Target.from_triple(_TRIPLE).create_target_machine(features=features, opt=2, reloc="static")
    machine.set_asm_verbosity(False)
    return machine
