"""LLVM IR as text: types, constants and the body of one function.

It is text rather than objects: a derivative has thousands of operations, and each becomes one line.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Type:
    """LLVM type: a double (width 1) or a vector of doubles or floats, with integer and `i1` types of the same width."""

    width: int
    element: str = "double"

    def __str__(self) -> str:
        return self.element if self.width == 1 else f"<{self.width} x {self.element}>"

    @property
    def bytes(self) -> int:
        """Bytes of one number."""
        return 4 if self.element == "float" else 8

    @property
    def integers(self) -> Type:
        """The type of the bits of a value."""
        return Type(self.width, "i32" if self.element == "float" else "i64")

    @property
    def booleans(self) -> Type:
        """The type of a comparison."""
        return Type(self.width, "i1")

    @property
    def suffix(self) -> str:
        """The suffix for this type in the names of intrinsic functions."""
        bits = "f32" if self.element == "float" else "f64"
        return bits if self.width == 1 else f"v{self.width}{bits}"

    def splat(self, element: str | int) -> str:
        """A literal with every element the same."""
        return str(element) if self.width == 1 else f"splat ({self.element} {element})"


DOUBLE = Type(1)
FLOAT = Type(1, "float")


def literal(value: float, shape: Type = DOUBLE) -> str:
    """The literal of a number, all its bits kept; a float is written as the double that it equals.

    >>> literal(1.0), literal(0.5, Type(4)), literal(0.1, FLOAT)
    ('0x3FF0000000000000', 'splat (double 0x3FE0000000000000)', '0x3FB99999A0000000')
    """
    if shape.element == "float":
        value = float(np.float32(value))
    return shape.splat(f"0x{struct.pack('>d', value).hex().upper()}")


@dataclass
class FunctionText:
    """The growing body of one function. Values are numbered; blocks are named."""

    fma: bool
    lines: list[str] = field(default_factory=list)
    declarations: dict[str, None] = field(default_factory=dict)
    stack_slots: list[str] = field(default_factory=list)
    block: str = "entry"
    needs_far_sincos: bool = False
    compares: bool = False
    """Whether min and max are written as comparisons, as in C: LLVM fails for processors without such instructions."""
    _count: int = 0

    def append(self, line: str) -> None:
        """Append an instruction that gives no value."""
        self.lines.append("  " + line)

    def define(self, instruction: str) -> str:
        """Append an instruction; gives the name of its value."""
        name = f"%v{self._count}"
        self._count += 1
        self.lines.append(f"  {name} = {instruction}")
        return name

    def binary(self, operation: str, shape: Type, a: str, b: str) -> str:
        """Append a two-operand instruction."""
        return self.define(f"{operation} {shape} {a}, {b}")

    def call(self, intrinsic: str, shape: Type, *args: str) -> str:
        """Append a call of an intrinsic function whose arguments and result have one type."""
        name = f"@{intrinsic}.{shape.suffix}"
        self.declare(f"declare {shape} {name}({', '.join([str(shape)] * len(args))})")
        return self.define(f"call {shape} {name}({', '.join(f'{shape} {a}' for a in args)})")

    def multiply_add(self, shape: Type, a: str, b: str, c: str) -> str:
        """Append a*b + c: rounded once where the processor does that in one instruction, else twice."""
        if self.fma:
            return self.call("llvm.fma", shape, a, b, c)
        return self.binary("fadd", shape, self.binary("fmul", shape, a, b), c)

    def select(self, shape: Type, condition: str, yes: str, no: str) -> str:
        """Append yes where the condition (of `shape.booleans`) holds, else no."""
        return self.define(f"select {shape.booleans} {condition}, {shape} {yes}, {shape} {no}")

    def smaller(self, shape: Type, a: str, b: str) -> str:
        """Append the smaller of two values; NaN when either is."""
        return self._chosen("olt", "llvm.minimum", shape, a, b)

    def larger(self, shape: Type, a: str, b: str) -> str:
        """Append the larger of two values; NaN when either is."""
        return self._chosen("ogt", "llvm.maximum", shape, a, b)

    def _chosen(self, order: str, intrinsic: str, shape: Type, a: str, b: str) -> str:
        if not self.compares:
            return self.call(intrinsic, shape, a, b)
        first = self.define(f"fcmp {order} {shape} {a}, {b}")
        undefined = self.define(f"fcmp uno {shape} {a}, {a}")
        return self.select(shape, self.define(f"or {shape.booleans} {first}, {undefined}"), a, b)

    def negate(self, shape: Type, a: str) -> str:
        """Append -a."""
        return self.define(f"fneg {shape} {a}")

    def element_pointer(self, pointer: str, element: int | str, shape: Type = DOUBLE) -> str:
        """Append the address of an element of an array."""
        at = f"getelementptr inbounds {shape.element}, ptr {pointer}, i64 {element}"
        return self.define(at) if element != 0 else pointer

    def declare(self, declaration: str) -> None:
        """Make an external function known, once."""
        self.declarations[declaration] = None

    def stack(self, type_text: str, *, align: int = 64) -> str:
        """Append a stack allocation (alloca); gives its name."""
        name = f"%stack{len(self.stack_slots)}"
        self.stack_slots.append(f"  {name} = alloca {type_text}, align {align}")
        return name

    def new_label(self, stem: str) -> str:
        """A block name not used before."""
        self._count += 1
        return f"{stem}{self._count}"

    def start_block(self, label: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{label}:")
        self.block = label

    def finish(self, signature: str) -> str:
        """The whole function: `signature` is everything before the opening brace."""
        return "\n".join([f"{signature} {{", "entry:", *self.stack_slots, *self.lines, "}", ""])
