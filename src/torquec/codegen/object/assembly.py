"""What the assembly text of an object says: double operations in what claims to compute floats, and the stack.

LLVM writes this text from the same instructions as the object. Moves of 64 bits are no double operations: a processor
may save two floats in one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

_DOUBLE_OPERATIONS: Mapping[str, str] = MappingProxyType(
    {
        "arm": r"v(?!mov|ldr|str|ldm|stm|push|pop)\w+(?:\.\w+)*\.f64\b",
        "aarch64": r"(?:f(?!mov|csel)\w+|[su]cvtf)\s+(?:[dv]\d+(?:\.2d)?\b|\w+,\s*d\d)",
        "riscv": r"f\w+(?:\.\w+)*\.d\b",
        "x86": r"v?(?:(?:add|sub|mul|div|sqrt|min|max|cmp\w*|u?comi|round)(?:sd|pd)|cvt\w*(?:sd|pd)\w*"
        r"|fn?m(?:add|sub)\w*(?:sd|pd)|f(?:add|sub|mul|div|sqrt|ld)[lt]\b)",
    }
)
"""Instructions that compute with doubles, by family."""

_SOFTWARE_DOUBLE = re.compile(
    r"__aeabi_(?:d\w+|c[dr]\w+|\w+2d)"
    r"|__(?:add|sub|mul|div|neg|extend|trunc|fix|float|cmp|eq|ne|lt|le|gt|ge|unord|pow)\w*df\w*"
    r"|sqrt|fm(?:in|ax)(?:imum)?(?:_num)?"
)
"""Functions of compilers' libraries that compute with doubles."""

_SOFTWARE = re.compile(r"__aeabi_(?!mem|unwind)\w+|__\w+[sdt]f\w*|__\w+[sd]i[23]?|_fltused|__chkstk|sqrtf?")
"""What compilers' own libraries bring: arithmetic that a processor lacks, and what Windows asks of every program."""

_CALL = re.compile(
    r"^\s+(?:bl|blx|b|call|callq|calll|jal|jmp|tail)\s+_?([A-Za-z][\w.$]*?)(?:@PLT|@plt)?\s*$", re.MULTILINE
)


def double_operations(assembly: str, family: str) -> list[str] | None:
    """The instructions that compute with doubles; None for a family whose instructions are not known here."""
    pattern = _DOUBLE_OPERATIONS.get(family)
    if pattern is None:
        return None
    return [" ".join(found.group().split()) for found in re.finditer(rf"^\s+{pattern}.*$", assembly, re.MULTILINE)]


def software_doubles(symbols: tuple[str, ...]) -> list[str]:
    """Those of the names that are software arithmetic of doubles.

    >>> software_doubles(("__aeabi_dadd", "__aeabi_fadd", "__extendsfdf2", "sqrtf"))
    ['__aeabi_dadd', '__extendsfdf2']
    """
    return [name for name in symbols if _SOFTWARE_DOUBLE.fullmatch(name)]


def foreign_symbols(symbols: tuple[str, ...]) -> list[str]:
    """Those of the names that no compiler's own library has.

    >>> foreign_symbols(("__aeabi_fadd", "sinf", "malloc"))
    ['sinf', 'malloc']
    """
    return [name for name in symbols if not _SOFTWARE.fullmatch(name)]


def stack_of_functions(assembly: str, family: str, functions: Sequence[str]) -> dict[str, int]:
    """Bytes of stack of the functions with all of them that they call, as far as their frames can be read."""
    label = re.compile(rf"^_?({'|'.join(map(re.escape, functions))}):", re.MULTILINE)
    starts = [(found.group(1), found.start()) for found in label.finditer(assembly)]
    ends = [start for _, start in starts[1:]] + [len(assembly)]
    bodies = {name: assembly[start:end] for (name, start), end in zip(starts, ends, strict=True)}
    frames = {name: _frame(body, family) for name, body in bodies.items()}
    calls = {name: {callee for callee in _CALL.findall(body) if callee in bodies} for name, body in bodies.items()}
    totals: dict[str, int] = {}

    def total(name: str, above: frozenset[str]) -> int | None:
        own = frames[name]
        if own is None or name in above:
            return None
        inner = [total(callee, above | {name}) for callee in calls[name]]
        return None if None in inner else own + max((size for size in inner if size is not None), default=0)

    for name in bodies:
        size = total(name, frozenset())
        if size is not None:
            totals[name] = size
    return totals


def _frame(body: str, family: str) -> int | None:
    """Bytes of one frame; None where the stack pointer is moved in a way that is not read here."""
    readers = {"arm": _arm_frame, "aarch64": _aarch64_frame, "riscv": _riscv_frame, "x86": _x86_frame}
    return readers[family](body) if family in readers else None


def _registers(listed: str) -> int:
    """How many registers a list such as `r4, r5, d8-d11` has."""
    count = 0
    for part in listed.split(","):
        ends = re.findall(r"\d+", part)
        count += int(ends[1]) - int(ends[0]) + 1 if "-" in part and len(ends) == 2 else 1
    return count


def _arm_frame(body: str) -> int | None:
    if re.search(r"^\s+(?:sub|mov|add)(?:\.w|s)?\s+sp, (?:sp, )?r\d", body, re.MULTILINE):
        return None
    total = sum(4 * _registers(group) for group in re.findall(r"^\s+push(?:\.w)?\s+\{([^}]*)\}", body, re.MULTILINE))
    for group in re.findall(r"^\s+vpush\s+\{([^}]*)\}", body, re.MULTILINE):
        total += (8 if "d" in group else 4) * _registers(group)
    return total + sum(map(int, re.findall(r"^\s+sub(?:\.w|w)?\s+sp, (?:sp, )?#(\d+)", body, re.MULTILINE)))


def _aarch64_frame(body: str) -> int | None:
    if re.search(r"^\s+(?:sub|mov)\s+sp, (?:sp, )?x\d", body, re.MULTILINE):
        return None
    total = sum(map(int, re.findall(r"\[sp, #-(\d+)\]!", body)))
    for size, shift in re.findall(r"^\s+sub\s+sp, sp, #(\d+)(?:, lsl #(\d+))?", body, re.MULTILINE):
        total += int(size) << int(shift or 0)
    return total


def _riscv_frame(body: str) -> int | None:
    if re.search(r"^\s+sub\s+sp, sp,", body, re.MULTILINE):
        return None
    return sum(map(int, re.findall(r"^\s+(?:c\.)?addi(?:16sp)?\s+sp, sp, -(\d+)", body, re.MULTILINE)))


def _x86_frame(body: str) -> int | None:
    if re.search(r"^\s+subq\s+%r\w+, %rsp", body, re.MULTILINE):
        return None
    pushed = len(re.findall(r"^\s+push[ql]?\s", body, re.MULTILINE))
    return 8 + 8 * pushed + sum(map(int, re.findall(r"^\s+subq\s+\$(\d+), %rsp", body, re.MULTILINE)))
