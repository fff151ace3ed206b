"""Registers given out to values by Belady's rule, while instructions are written one by one.

(1)  A register that is needed is a free one, else that of the value whose next use is farthest away. No other choice
     makes fewer loads (L. A. Belady, A study of replacement algorithms for a virtual-storage computer, 1966).
(2)  The value that gives it up is first stored in a slot, unless memory holds it already.
(3)  Slots of values that nobody reads any more are used again.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

_NEVER = 1 << 60  # the next use of a value that nobody reads


def uses_of(reads: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """The instructions that read each value, the next one last, from the values that each instruction reads.

    Before them all stands a number that is larger than that of any instruction.

    >>> {value: uses[1:] for value, uses in uses_of([(7, 7), (8,), (7, 8)]).items()}
    {7: [2, 0], 8: [2, 1]}
    """
    uses: dict[int, list[int]] = {}
    for k in range(len(reads) - 1, -1, -1):
        for value in dict.fromkeys(reads[k]):
            uses.setdefault(value, [_NEVER]).append(k)
    return uses


class Registers:
    """Which values are in registers and which wait in slots. For each instruction in turn:

    `read` what it reads, `take` registers, `leave` the values that it is the last to read, `hold` its result, and
    `leave_slots` once it has been written: until then its operands may be in them.

    `held` is the register of each value that has one, `free` are the registers of none, the next one last; `slot_of`
    is the slot of each value that waits in one, `slots` how many there are.
    """

    def __init__(
        self,
        uses: dict[int, list[int]],
        count: int,
        *,
        store: Callable[[int, int], None],
        elsewhere: Container[int] = (),
        held: Sequence[int] = (),
        stored: Sequence[int] = (),
    ) -> None:
        """`count` registers for values with these `uses` (:func:`uses_of`), which are used up.

        `store` is called with a register and the slot that it is to be stored in. Values `elsewhere` in memory need no
        slot. At the beginning, some are `held` in the first registers and some `stored` in the first slots.
        """
        self.held = {value: k for k, value in enumerate(held)}
        self.free = list(range(count - 1, len(held) - 1, -1))
        self.slot_of = {value: k for k, value in enumerate(stored)}
        self.slots = len(stored)
        self._uses, self._store, self._elsewhere = uses, store, elsewhere
        self._free_slots: list[int] = []
        self._at = -1

    def read(self, values: Sequence[int]) -> list[int]:
        """Begin the next instruction, which reads these values; gives those that no later one reads."""
        self._at += 1
        last = []
        for value in dict.fromkeys(values):
            uses = self._uses[value]
            uses.pop()
            if uses[-1] == _NEVER:
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
        if found not in self.slot_of and found not in self._elsewhere:
            if self._free_slots:
                slot = self._free_slots.pop()
            else:
                slot, self.slots = self.slots, self.slots + 1
            self.slot_of[found] = slot
            self._store(register, slot)
        return register

    def hold(self, value: int, register: int) -> None:
        """A value is in this register now, which is free where nobody reads it."""
        if value in self._uses:
            self.held[value] = register
        else:
            self.free.append(register)

    def leave(self, values: Sequence[int]) -> None:
        """The registers of these values are free."""
        for value in values:
            if value in self.held:
                self.free.append(self.held.pop(value))

    def leave_slots(self, values: Sequence[int]) -> None:
        """The slots of these values are free."""
        for value in values:
            if value in self.slot_of:
                self._free_slots.append(self.slot_of.pop(value))
