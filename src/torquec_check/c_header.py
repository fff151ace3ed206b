"""Reading the header of a C package: the claim, the prototypes of NAME.c, and no other line.

The opening comment holds the canonical claim (:mod:`torquec_check.claim`) and the fixed text on use. Above each
prototype stand the name of the function, its operation counts, the fixed sentence on its quantity and its ports.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from torquec_check.c_text import CNames, CReader
from torquec_check.program import Port, Program


def check_c_header(
    header: str,
    opening: str,
    programs: Mapping[str, Program],
    prototypes: Sequence[list[str]],
    names: CNames,
    where: str,
) -> None:
    """Raise `RefusedError`, with the line, unless the header is `opening` as a comment, then the prototypes.

    The programs by the names of their quantities, in the order of the prototypes.
    """
    guard, slots = f"{names.prefix.upper()}_H_INCLUDED", {"PREFIX": names.prefix}
    reader = CReader(header, 0, where)
    reader.comment(opening, f"usage {names.real}", slots)
    reader.take(f"#ifndef {guard}", f"#define {guard}", "#ifdef __cplusplus", "extern", '"C"', "{", "#endif")
    for (quantity, program), prototype in zip(programs.items(), prototypes, strict=True):
        turns = any(step.op in ("sin", "cos") for step in program.operations)
        cost = f" {names.real}" if names.suffix and turns else ""
        reader.comment(
            f"{program.name}: #", f"note {quantity.split(':')[0]}{cost}", slots, _port_words(program, prototype)
        )
        reader.take(*prototype, ";")
    reader.take("#ifdef __cplusplus", "}", "#endif", f"#endif /* {guard} */")
    if reader.ahead:
        reader.refuse("nothing may follow")


def _port_words(program: Program, prototype: Sequence[str]) -> str:
    """What a header says of the ports: the name in C of each, which stands before a comma or the end, and its shape."""
    text = re.sub(r" \[ \d+ \]", "", " ".join(prototype[3:-1]))
    names = [part.split()[-1] for part in text.split(",")]
    ports = [("in", port) for port in program.inputs] + [("out", port) for port in program.outputs]
    return "".join(f"{way}{name}:{_shape_text(port)}" for (way, port), name in zip(ports, names, strict=False))


def _shape_text(port: Port) -> str:
    if port.shape in ((), (1,)):
        return "one number"
    return f"{port.shape[0]} numbers" if len(port.shape) == 1 else f"{' x '.join(map(str, port.shape))}, row by row"
