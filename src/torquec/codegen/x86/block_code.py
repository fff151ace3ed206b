"""AVX2 instructions for a block of four states, one state per lane, before register allocation.

(1)  Rows to columns, two columns at a time: one vector holds 16 bytes of row 0 and 16 of row 2, another those of rows 1
     and 3 (the second half of each comes straight from memory). Their even lanes are the first column, the odd ones the
     second. With an odd number of columns, the last column is read together with the number after it, in the last row
     with the number before it. Outputs are written the same way, four columns in whole vectors.
(2)  Sines and cosines are those of :mod:`torquec.codegen.llvm_text.sincos`, operation by operation, interleaved for
     three angles: each constant is loaded once for all three; the values of four angles would not fit in the registers.
(3)  The squares of all angles are added up, lane by lane: where the sum exceeds the square of the largest angle, the
     states are left to the scalar kernel.
(4)  Columns are read where they are first needed, and outputs are written as soon as four neighbours are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from torquec.codegen.llvm_text.arrange import Angle, AngleGroup, Item, PointGroup, Write
from torquec.codegen.llvm_text.program import EvaluationStep, Fused, StepProgram
from torquec.codegen.llvm_text.sincos import HALF_PI_PARTS_FUSED
from torquec.codegen.llvm_text.text import literal
from torquec.codegen.sincos import DOUBLE_SINCOS
from torquec.expr import Op

WIDTH = 4
"""States of a block."""

COLUMNS = 4
"""Neighbouring output columns that are written together."""

FAR = "far"
"""The operand for the bit mask of lanes with large angles (3)."""

_ANGLES_IN_TURNS = 3  # (2)
_NOT_AT_MOST = 22  # predicate of a comparison that is true for NaN

_FUSED = {Fused.ADD: "vfmadd", Fused.SUB: "vfmsub", Fused.NEGATED_ADD: "vfnmadd", Fused.NEGATED_SUB: "vfnmsub"}
_PLAIN = {Op.ADD: "vaddpd", Op.SUB: "vsubpd", Op.MUL: "vmulpd", Op.DIV: "vdivpd"}
_COMMUTATIVE = ("vaddpd", "vmulpd")
_WRITTEN = {*_FUSED, *_PLAIN, Op.NEG}


class Form(Enum):
    """Which operands an instruction has, the result's last."""

    READ = auto()  # memory
    JOIN = auto()  # memory, a
    ONE = auto()  # a
    TWO = auto()  # b or memory, a
    EITHER = auto()  # the same, and a and b may be exchanged
    FUSED = auto()  # a*b + c: one is in the result's register, another may be in memory
    CHOICE = auto()  # the signs that select, b or memory, a
    WRITE = auto()  # a, memory


@dataclass(frozen=True)
class Instruction:
    """`values` are read and `result` is made (none where -1); `memory` is a place in an array; `half`: 16 bytes."""

    form: Form
    name: str
    values: tuple[int, ...] = ()
    result: int = -1
    immediate: int | None = None
    memory: str = ""
    half: bool = False


def is_writable(program: StepProgram, items: Sequence[Item]) -> bool:
    """Whether all items can be written in these instructions."""
    return not any(
        isinstance(item, PointGroup) or (isinstance(item, int) and program.steps[item].op not in _WRITTEN)
        for item in items
    )


class BlockCode:
    """The instructions of the items of a program, and the values that are constants."""

    def __init__(self, program: StepProgram, items: Sequence[Item]) -> None:
        self.instructions: list[Instruction] = []
        self.constants: dict[int, float] = {}
        self._left = sum(len(item.angles) for item in items if isinstance(item, AngleGroup))
        self._squares = -1
        self._program = program
        self._count = 0
        self._constant_of: dict[str, int] = {}
        self._column: dict[tuple[int, int], int] = {}
        self._value: dict[int, int] = {}
        for item in items:
            if isinstance(item, Write):
                self._write(item)
            elif isinstance(item, AngleGroup):
                for first in range(0, len(item.angles), _ANGLES_IN_TURNS):
                    self._angles(item.angles[first : first + _ANGLES_IN_TURNS])
            else:
                assert isinstance(item, int)
                self._value[item] = self._step(program.steps[item])

    def _do(
        self, form: Form, name: str, *values: int, immediate: int | None = None, memory: str = "", half: bool = False
    ) -> int:
        result = -1 if form is Form.WRITE else self._count
        self._count += 1
        self.instructions.append(Instruction(form, name, values, result, immediate, memory, half))
        return result

    def _constant(self, number: float) -> int:
        key = literal(number)  # zero has two signs
        if key not in self._constant_of:
            self._constant_of[key] = self._count
            self.constants[self._count] = number
            self._count += 1
        return self._constant_of[key]

    def _operand(self, step: int) -> int:
        leaf = self._program.steps[step]
        if leaf.op is Op.CONST:
            return self._constant(leaf.value)
        if leaf.op is Op.INPUT:
            if (leaf.port, leaf.element) not in self._column:
                self._read(leaf.port, leaf.element // 2 * 2)
            return self._column[leaf.port, leaf.element]
        return self._value[step]

    def _step(self, step: EvaluationStep) -> int:
        values = [self._operand(a) for a in step.args]
        if isinstance(step.op, Fused):
            return self._do(Form.FUSED, _FUSED[step.op], *values)
        if step.op is Op.NEG:
            return self._do(Form.EITHER, "vxorpd", values[0], self._constant(-0.0))
        name = _PLAIN[step.op]
        return self._do(Form.EITHER if name in _COMMUTATIVE else Form.TWO, name, *values)

    def _read(self, port: int, first: int) -> None:
        """Two columns, or the last one (1)."""
        m = self._program.inputs[port].size

        def rows(low: tuple[int, int], high: tuple[int, int]) -> int:
            start, end = (f"{8 * (row * m + column)}(in{port})" for row, column in (low, high))
            half = self._do(Form.READ, "vmovupd", memory=start, half=True)
            return self._do(Form.JOIN, "vinsertf128", half, immediate=1, memory=end)

        if m == 1:
            self._column[port, 0] = self._do(Form.READ, "vmovupd", memory=f"0(in{port})")
        elif first + 1 < m:
            even, odd = rows((0, first), (2, first)), rows((1, first), (3, first))
            self._column[port, first] = self._do(Form.TWO, "vunpcklpd", even, odd)
            self._column[port, first + 1] = self._do(Form.TWO, "vunpckhpd", even, odd)
        else:
            even, odd = rows((0, first), (2, first)), rows((1, first), (3, first - 1))
            self._column[port, first] = self._do(Form.TWO, "vshufpd", even, odd, immediate=0b1000)

    def _write(self, item: Write) -> None:
        """Four columns at once, the remaining ones by two and one (1)."""
        if self._program.outputs[item.output].size == 1:
            self._store("vmovupd", self._operand(item.steps[0]), item, 0, 0)
            return
        values = [self._operand(step) for step in item.steps]
        pairs = [self._pair(values[k], values[k + 1]) for k in range(0, len(values) - 1, 2)]
        if len(values) == COLUMNS:
            for row, (left, right) in enumerate(zip(*pairs, strict=True)):
                for part, immediate in ((0, 0x20), (2, 0x31)):  # the lower halves, the upper ones
                    whole = self._combined("vperm2f128", left, right, immediate)
                    self._store("vmovupd", whole, item, row + part, 0)
            return
        for k, pair in enumerate(pairs):
            for row, vector in enumerate(pair):
                self._store("vmovupd", vector, item, row, 2 * k, half=True)
                self._store("vextractf128", vector, item, row + 2, 2 * k, immediate=1)
        if len(values) % 2:
            upper = self._do(Form.ONE, "vextractf128", values[-1], immediate=1)
            for row, half in ((0, values[-1]), (2, upper)):
                self._store("vmovlpd", half, item, row, len(values) - 1, half=True)
                self._store("vmovhpd", half, item, row + 1, len(values) - 1, half=True)

    def _pair(self, a: int, b: int) -> tuple[int, int]:
        """Two columns as rows: 0 and 2, 1 and 3."""
        return self._combined("vunpcklpd", a, b), self._combined("vunpckhpd", a, b)

    def _combined(self, name: str, a: int, b: int, immediate: int | None = None) -> int:
        """Lanes of two vectors, by the instruction `name`; a constant with itself stays as it is."""
        return a if a == b and a in self.constants else self._do(Form.TWO, name, a, b, immediate=immediate)

    def _store(
        self,
        name: str,
        value: int,
        item: Write,
        row: int,
        column: int,
        *,
        immediate: int | None = None,
        half: bool = False,
    ) -> None:
        m = self._program.outputs[item.output].size
        place = f"{8 * (row * m + item.first + column)}(out{item.output})"
        self._do(Form.WRITE, name, value, immediate=immediate, memory=place, half=half)

    def _angles(self, angles: Sequence[Angle]) -> None:
        """Sines and cosines of some angles, interleaved (2), (3)."""
        x = [self._operand(angle.step) for angle in angles]
        for value in x:
            if self._squares < 0:
                self._squares = self._do(Form.EITHER, "vmulpd", value, value)
            else:
                self._squares = self._fused(value, value, self._squares)
        self._left -= len(angles)
        if not self._left:
            largest = self._constant(DOUBLE_SINCOS.largest_angle**2)
            lanes = self._do(Form.TWO, "vcmppd", self._squares, largest, immediate=_NOT_AT_MOST)
            self._do(Form.WRITE, "vmovmskpd", lanes, memory=FAR)
        for angle, (sine, cosine) in zip(angles, self._sincos(x), strict=True):
            self._value.update(dict.fromkeys(angle.sines, sine))
            self._value.update(dict.fromkeys(angle.cosines, cosine))

    def _fused(self, a: int, b: int, c: int) -> int:
        return self._do(Form.FUSED, "vfmadd", a, b, c)

    def _sincos(self, x: list[int]) -> list[tuple[int, int]]:
        table, constant, fused = DOUBLE_SINCOS, self._constant, self._fused

        def each(operation: Callable[..., int], *columns: list[int]) -> list[int]:
            return [operation(*row) for row in zip(*columns, strict=True)]

        def plain(form: Form, name: str) -> Callable[[int, int], int]:
            return lambda a, b: self._do(form, name, a, b)

        product = plain(Form.EITHER, "vmulpd")
        t = [fused(a, constant(table.two_over_pi), constant(table.round)) for a in x]
        k = [self._do(Form.EITHER, "vaddpd", a, constant(-table.round)) for a in t]
        r = x
        for part in HALF_PI_PARTS_FUSED:
            r = [fused(a, constant(-part), b) for a, b in zip(k, r, strict=True)]
        z = each(product, r, r)
        zz = each(product, z, z)

        def polynomial(c: tuple[float, ...]) -> list[int]:
            total: list[int] = []
            for i in range(len(c) - 2, -1, -2):
                pair = [fused(a, constant(c[i + 1]), constant(c[i])) for a in z]
                total = each(fused, zz, total, pair) if total else pair
            return total

        s = polynomial(table.sine)
        sine = each(fused, each(product, r, z), s, r)
        c = polynomial(table.cosine)
        parabola = [fused(a, constant(-0.5), constant(1.0)) for a in z]
        cosine = each(fused, zz, c, parabola)
        # The two last bits of t, the quadrant, become signs: the last selects sine or cosine, the other is the sine's.
        odd = [self._do(Form.ONE, "vpsllq", a, immediate=63) for a in t]
        turned = [self._do(Form.ONE, "vpsllq", a, immediate=62) for a in t]
        sign = [self._do(Form.EITHER, "vandpd", a, constant(-0.0)) for a in turned]
        flip = plain(Form.EITHER, "vxorpd")

        def choice(no: int, yes: int, signs: int) -> int:
            return self._do(Form.CHOICE, "vblendvpd", no, yes, signs)

        first = each(flip, each(choice, sine, cosine, odd), sign)
        second = each(flip, each(choice, cosine, sine, odd), each(flip, sign, odd))
        return list(zip(first, second, strict=True))
