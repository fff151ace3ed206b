"""The object package: an object file for another processor, its header, and a JSON document that describes it.

Nothing in it depends on the directory, the locale or the time: the same functions give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torquec.codegen.c.names import SCALARS, Names, package_names
from torquec.codegen.c.package import header_text
from torquec.codegen.c.source import comment
from torquec.codegen.identifiers import check_names
from torquec.codegen.object.module import CompiledObject, compile_object
from torquec.codegen.object.triple import MachineTarget, host_triple, machine_target
from torquec.codegen.precision import Precision
from torquec.codegen.statements import check_rounding
from torquec.errors import ArgumentError
from torquec.expr import Function, count_operations
from torquec.foundation.json_text import document_text

OBJECT_FORMAT = "torquec-object"

_USE = """\
Functions in {file}: machine code for {triple}, {cpu}. Link it to your program; no compiler was used. Every function \
is reentrant, without loops, allocation or state; its arrays may overlap. Units are SI and radians unless a function \
says otherwise. Arguments are arrays of {real}: inputs first, outputs last, matrices row by row.

Arithmetic is never contracted or reordered: the results are to the last bit those of the C package compiled with \
-ffp-contract=off, on every processor, where that takes no exponential, arctangent or angle beyond {largest} rad from \
a library.

Code {text_bytes} bytes, constants {constant_bytes} bytes (self-test included). {needs}

The operation counts below (subtractions and sign changes are additions; a sincos is one sine and cosine of one angle) \
are those of one call."""


def object_target(triple: str | None, cpu: str | None) -> MachineTarget:
    """The target of an object package: without a triple, the default processor for the host's triple."""
    return machine_target(triple or host_triple(), cpu)


def object_package(
    functions: Sequence[Function],
    *,
    prefix: str,
    target: MachineTarget | None = None,
    triple: str | None = None,
    cpu: str | None = None,
    description: str = "",
    notes: Mapping[str, str] | None = None,
    precision: Precision = Precision.DOUBLE,
) -> dict[str, str | bytes]:
    """`<prefix>.o` (or `.obj`), `<prefix>.h` and `<prefix>.json` by file name, for `target` or for a triple.

    Raises `ArgumentError` for a triple that LLVM does not know, `CompileError` where the object would need a library or
    compute with doubles in single precision.
    """
    target = target or object_target(triple, cpu)
    if not functions:
        raise ArgumentError("there is no function to write", remedy="name at least one quantity")
    check_names(functions)
    for function in functions:
        check_rounding(function, precision)
    names = package_names(functions, prefix, scalar=SCALARS[precision])
    selftest = names.helper("selftest")
    made = compile_object(functions, names.functions, target, selftest=selftest, precision=precision)
    file = f"{names.prefix}{target.suffix}"
    opening = "\n".join(
        [f"{prefix}: written by torquec.\n{description}".rstrip(), "", _use_text(names, made, target, file)]
    )
    texts = dict(notes or {})
    for function, symbol in zip(functions, names.functions, strict=True):
        if symbol in made.stack:
            sentence = f"Stack: {made.stack[symbol]} bytes, with all that it calls."
            texts[function.name] = f"{texts[function.name]}\n{sentence}" if function.name in texts else sentence
    order = ", ".join(f"{k} {name}" for k, name in enumerate(names.functions, start=1))
    about = comment(
        "Compares every function with recorded results. 0 when all agree, else the number of the first that does not: "
        f"{order}. Results go to static memory: one call at a time."
    )
    header = header_text(functions, names, opening, texts, more=[f"{about}\nint {selftest}(void);"])
    return {
        file: made.code,
        f"{names.prefix}.h": header,
        f"{names.prefix}.json": document_text(_document(functions, names, made, target, precision, selftest)),
    }


def _use_text(names: Names, made: CompiledObject, target: MachineTarget, file: str) -> str:
    needs = (
        f"It needs from the compiler's own library (libgcc, compiler-rt, the C run time): {', '.join(made.needs)}."
        if made.needs
        else "It needs nothing from outside: no library, no start-up code."
    )
    return _USE.format(
        file=file,
        triple=target.triple,
        cpu=target.cpu or "any processor of it",
        real=names.scalar.type,
        largest="4096" if names.scalar.type == "float" else "1e5",
        text_bytes=made.text_bytes,
        constant_bytes=made.constant_bytes,
        needs=needs,
    )


def _document(
    functions: Sequence[Function],
    names: Names,
    made: CompiledObject,
    target: MachineTarget,
    precision: Precision,
    selftest: str,
) -> dict[str, Any]:
    listed = {}
    for function, symbol in zip(functions, names.functions, strict=True):
        count = count_operations(function)
        listed[symbol] = {
            "inputs": {port.name: list(port.shape) for port in function.inputs},
            "outputs": {port.name: list(port.shape) for port in function.outputs},
            "operations": str(count),
            "stack": made.stack.get(symbol),
        }
    return {
        "format": OBJECT_FORMAT,
        "version": 1,
        "object": f"{names.prefix}{target.suffix}",
        "triple": target.triple,
        "cpu": target.cpu,
        "precision": precision.value,
        "code_bytes": made.text_bytes,
        "constant_bytes": made.constant_bytes,
        "needs": list(made.needs),
        "selftest": selftest,
        "functions": listed,
    }
