"""Register allocation by Belady's rule with spill slots, and x86 instructions for moves and fused operations.

(1)  A value that needs a register takes a free one, else that of the value whose next use is farthest away. No other
     choice makes fewer loads (L. A. Belady, A study of replacement algorithms for a virtual-storage computer, 1966).
(2)  The evicted value is first spilled to a slot, unless memory holds it already.
(3)  Slots of dead values are reused.
(4)  One operand of an instruction may be in memory. A fused operation overwrites an operand without later uses, else a
     copy of its summand.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from torquec.codegen.llvm_text.text import literal

_NO_NEXT_USE = 1 << 60  # the next use of a dead value


def uses_of(reads: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """For each value, the instructions that read it, from the last to the next; `reads` are the operands of each one.

    Each list begins with a sentinel larger than any instruction number.

    >>> {value: uses[1:] for value, uses in uses_of([(7, 7), (8,), (7, 8)]).items()}
    {7: [2, 0], 8: [2, 1]}
    """
    uses: dict[int, list[int]] = {}
    for k in range(len(reads) - 1, -1, -1):
        for value in dict.fromkeys(reads[k]):
            uses.setdefault(value, [_NO_NEXT_USE]).append(k)
    return uses


class Registers:
    """Values in registers, and values spilled to slots.

    For each instruction in turn: `read` its operands, `take` registers, `leave` the values that no later instruction
    reads, `hold` its result. Call `leave_slots` only after the instruction has been written: until then, its operands
    may be in these slots.

    `held` is the register of each value that has one, `free` is the stack of unused registers; `slot_of` is the slot of
    each spilled value, `slots` the number of slots.
    """

    def __init__(
        self,
        uses: dict[int, list[int]],
        count: int,
        *,
        store: Callable[[int, int], None],
        in_memory: Container[int] = (),
        held: Sequence[int] = (),
        stored: Sequence[int] = (),
    ) -> None:
        """`count` registers for values with these `uses` (:func:`uses_of`), which are consumed.

        `store` is called with a register and the slot that it is to be stored in. Values `in_memory` need no slot.
        At the beginning, some values are `held` in the first registers and some `stored` in the first slots.
        """
        self.held = {value: k for k, value in enumerate(held)}
        self.free = list(range(count - 1, len(held) - 1, -1))
        self.slot_of = {value: k for k, value in enumerate(stored)}
        self.slots = len(stored)
        self._uses, self._store, self._in_memory = uses, store, in_memory
        self._free_slots: list[int] = []
        self._at = -1

    def read(self, values: Sequence[int]) -> list[int]:
        """Begin the next instruction, which reads these values; gives those that no later one reads."""
        self._at += 1
        last = []
        for value in dict.fromkeys(values):
            uses = self._uses[value]
            uses.pop()
            if uses[-1] == _NO_NEXT_USE:
                last.append(value)
        return last

    def distance(self, value: int) -> int:
        """How many instructions later a value is read again."""
        return self._uses[value][-1] - self._at

    def take(self, *, keep: Sequence[int] = ()) -> int:
        """A register, by (1) and (2); never that of a value in `keep`."""
        if self.free:
            return self.free.pop()
        farthest, found = -1, -1
        for value in self.held:
            use = self._uses[value][-1]
            if use > farthest and value not in keep:
                farthest, found = use, value
        register = self.held.pop(found)
        if found not in self.slot_of and found not in self._in_memory:
            if self._free_slots:
                slot = self._free_slots.pop()
            else:
                slot, self.slots = self.slots, self.slots + 1
            self.slot_of[found] = slot
            self._store(register, slot)
        return register

    def hold(self, value: int, register: int) -> None:
        """Put a value in this register; the register stays free where the value is never read."""
        if value in self._uses:
            self.held[value] = register
        else:
            self.free.append(register)

    def leave(self, values: Sequence[int]) -> None:
        """Free the registers of these values."""
        for value in values:
            if value in self.held:
                self.free.append(self.held.pop(value))

    def leave_slots(self, values: Sequence[int]) -> None:
        """Free the slots of these values."""
        for value in values:
            if value in self.slot_of:
                self._free_slots.append(self.slot_of.pop(value))


@dataclass(frozen=True)
class VectorKind:
    """Instruction names for one kind of value: one double (sd) or four (pd)."""

    suffix: str
    register: str
    load: str
    bytes: int


class Placement:
    """Location (register or memory) of each value while instructions are written; moves are appended to `lines` (4).

    Memory is `BYTES(ARRAY)`: slots are in the array `waiting`, constants in `constants`, other values where `_memory`
    has them.
    """

    kind: VectorKind

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.constants: list[float] = []
        self._constant_at: dict[str, str] = {}
        self._registers: Registers

    @property
    def slots(self) -> int:
        """Number of spill slots, all on the stack."""
        return self._registers.slots

    def _memory(self, value: int) -> str:
        """Address of a value that is in memory without a slot (an input, a constant); empty for all others."""
        raise NotImplementedError

    def _in_register(self, value: int, *, keep: tuple[int, ...]) -> int:
        """The register of a value, which is loaded where it has none."""
        raise NotImplementedError

    def _array(self, name: str) -> str:
        """The address of an array as an instruction has it."""
        return f"({name})"

    def _load(self, value: int, *, keep: tuple[int, ...] = ()) -> int:
        register = self._registers.take(keep=keep)
        self.lines.append(f"{self._move(value)} {self._place(value)}, {self._name(register)}")
        return register

    def _move(self, value: int) -> str:
        return "vmovapd" if value in self._registers.held else self.kind.load

    def _fused(self, name: str, a: int, b: int, c: int, *, last: list[int]) -> int:
        """(4): a*b + c, or with other signs. Instructions are named for the operands' order: first, second, third."""
        held, values, suffix = self._registers.held, (a, b, c), self.kind.suffix
        if (b in held, b in last) > (a in held, a in last):
            a, b = b, a  # first the operand that can be overwritten, else one in a register
        over_c = c in held and c in last and c not in (a, b)
        if not over_c and a in held and a in last and (b in held or c in held):
            first, second, order = (b, c, "132") if c in held else (c, b, "213")
            self.lines.append(f"{name}{order}{suffix} {self._place(first)}, {self._place(second)}, {self._place(a)}")
            return held.pop(a)
        result = held.pop(c) if over_c else self._load(c, keep=values)
        factor = self._in_register(a, keep=values)
        self.lines.append(f"{name}231{suffix} {self._place(b)}, {self._name(factor)}, {self._name(result)}")
        return result

    def _place(self, value: int) -> str:
        """The register of a value, else its memory."""
        if value in self._registers.held:
            return self._name(self._registers.held[value])
        return self._memory(value) or self._slot(self._registers.slot_of[value])

    def _constant(self, value: float) -> str:
        number = literal(value)  # zero has two signs
        if number not in self._constant_at:
            self._constant_at[number] = f"{self.kind.bytes * len(self.constants)}{self._array('constants')}"
            self.constants.append(value)
        return self._constant_at[number]

    def _store(self, register: int, slot: int) -> None:
        self.lines.append(f"{self.kind.load} {self._name(register)}, {self._slot(slot)}")

    def _slot(self, number: int) -> str:
        return f"{self.kind.bytes * number}{self._array('waiting')}"

    def _name(self, register: int) -> str:
        return f"%{self.kind.register}{register}"
