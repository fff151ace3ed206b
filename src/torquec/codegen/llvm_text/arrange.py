"""Instruction scheduling: groups of sines and cosines, output writes, and list scheduling of a kernel for one state.

* Sines and cosines are evaluated in groups. Group s holds every angle that needs s earlier groups, so that a robot's
  joint angles are one group, evaluated together in vectors and guarded by one branch. Angles of points are grouped
  likewise, so that those of all branches of an inverse kinematics are one group.
* Outputs are written some columns at a time, as soon as these are known.
* Apart from that, steps keep their order, which `schedule` changes for a single state.

A processor has an out-of-order window of about a hundred operations and 16 or 32 registers. In the order of an
algorithm (all velocities, all accelerations, all forces) more values are live than there are registers, and the
operations in the window wait for the same few. Between groups, `schedule` therefore takes, of the steps whose operands
exist,

(1)  the one that leaves the fewest live values: plus one for its result, minus one for every operand without a later
     use;
(2)  of these, one whose operands are ready earliest, in spans of `SPAN` cycles;
(3)  of these, the one with the longest chain of dependent operations behind it.

Only the order of operations changes: results are bit-identical. Gains are listed in `codegen/llvm/README.md`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from torquec.codegen.llvm_text.program import StepProgram, latency
from torquec.expr import Op


@dataclass(frozen=True)
class Angle:
    """A step, and the steps that are its sine and its cosine."""

    step: int
    sines: tuple[int, ...]
    cosines: tuple[int, ...]


@dataclass(frozen=True)
class AngleGroup:
    """Angles whose sines and cosines are evaluated together."""

    angles: tuple[Angle, ...]


@dataclass(frozen=True)
class PointGroup:
    """Steps that are angles of points (atan2), evaluated together."""

    steps: tuple[int, ...]


@dataclass(frozen=True)
class Write:
    """Some neighbouring elements of an output, from `first` on, and the steps that go there."""

    output: int
    first: int
    steps: tuple[int, ...]


Item: TypeAlias = int | AngleGroup | PointGroup | Write
"""One item of a schedule: a step, a group or a write."""


_GROUPED = (Op.SIN, Op.COS, Op.ATAN2)


def arrange(program: StepProgram, *, columns: int) -> list[Item]:
    """The items of a program in order, without constants and inputs, which are read where they are needed.

    Outputs are written `columns` elements at a time.

    >>> from torquec.codegen.llvm_text.program import make_program
    >>> from torquec.expr import trace
    >>> f = trace("f", lambda x: {"y": x[0] * x[1]}, {"x": (2,)})
    >>> arrange(make_program(f, fuse=True), columns=1)
    [2, Write(output=0, first=0, steps=(2,))]
    """
    placed = {k for k, step in enumerate(program.steps) if step.is_leaf or step.op in _GROUPED}
    order: list[int | AngleGroup | PointGroup] = []
    for group in _groups(program):
        for step in sorted(_ancestors(program, needs(program, group)) - placed):
            order.append(step)
            placed.add(step)
        order.append(group)
    order.extend(step for step in range(len(program.steps)) if step not in placed)
    return list(place_writes(program, order, columns))


def needs(program: StepProgram, item: Item) -> list[int]:
    """The steps whose results an item reads."""
    if isinstance(item, AngleGroup):
        return [angle.step for angle in item.angles]
    if isinstance(item, PointGroup):
        return [argument for step in item.steps for argument in program.steps[step].args]
    return list(item.steps if isinstance(item, Write) else program.steps[item].args)


def defines(item: Item) -> list[int]:
    """The steps whose results exist once an item has been done."""
    if isinstance(item, AngleGroup):
        return [step for angle in item.angles for step in (*angle.sines, *angle.cosines)]
    if isinstance(item, PointGroup):
        return list(item.steps)
    return [] if isinstance(item, Write) else [item]


def _groups(program: StepProgram) -> list[AngleGroup | PointGroup]:
    """Groups of angles and of points, by the number of earlier groups that they depend on."""
    stage: list[int] = []
    angles: dict[int, dict[int, tuple[list[int], list[int]]]] = {}
    points: dict[int, list[int]] = {}
    for k, step in enumerate(program.steps):
        needed = max((stage[a] for a in step.args), default=0)
        if step.op in (Op.SIN, Op.COS):
            sines, cosines = angles.setdefault(needed, {}).setdefault(step.args[0], ([], []))
            (sines if step.op is Op.SIN else cosines).append(k)
        elif step.op is Op.ATAN2:
            points.setdefault(needed, []).append(k)
        stage.append(needed + (step.op in _GROUPED))
    groups: list[AngleGroup | PointGroup] = []
    for number in range(max(stage, default=0)):
        if number in angles:
            pairs = angles[number].items()
            groups.append(AngleGroup(tuple(Angle(step, tuple(s), tuple(c)) for step, (s, c) in pairs)))
        if number in points:
            groups.append(PointGroup(tuple(points[number])))
    return groups


def _ancestors(program: StepProgram, steps: list[int]) -> set[int]:
    """The steps and everything that they are computed from."""
    needed: set[int] = set()
    stack = list(steps)
    while stack:
        step = stack.pop()
        if step not in needed:
            needed.add(step)
            stack.extend(program.steps[step].args)
    return needed


def place_writes(program: StepProgram, order: Iterable[Item], columns: int) -> Iterator[Item]:
    """An order without writes, with every write of `columns` elements right after the last step that it needs."""
    waiting: dict[int, list[Write]] = {}
    missing: dict[Write, int] = {}
    leaves: list[Write] = []
    for output, result in enumerate(program.results):
        for first in range(0, len(result), columns):
            write = Write(output, first, result[first : first + columns])
            computed = {step for step in write.steps if not program.steps[step].is_leaf}
            missing[write] = len(computed)
            for step in computed:
                waiting.setdefault(step, []).append(write)
            if not computed:
                leaves.append(write)
    for item in order:
        yield item
        for step in defines(item):
            for write in waiting.get(step, ()):
                missing[write] -= 1
                if not missing[write]:
                    yield write
    yield from leaves


MOST_SCHEDULED = 1000
"""Steps. Longer programs have more live values than registers in any order; the algorithm's own order is then best."""

MOST_SCHEDULED_HERE = 2000
"""The same where :mod:`torquec.codegen.x86.scalar_assembly`, which keeps this order, allocates registers."""

SPAN = 8
"""Cycles, two dependent operations: ready times are estimates and not more accurate than that."""

_CYCLES_OF_A_GROUP = 50  # sine and cosine of a vector of angles, from operand to results


def schedule(
    program: StepProgram, items: Sequence[Item], *, most: int = MOST_SCHEDULED, span: int = SPAN
) -> list[Item]:
    """The items of `arrange` in another order, outputs written element by element.

    A program of more than `most` steps keeps its order. `span` is that of (2).

    >>> from torquec.codegen.llvm_text.arrange import arrange
    >>> from torquec.codegen.llvm_text.program import make_program
    >>> from torquec.expr import trace
    >>> def algorithm(x):
    ...     quotients = [x[0] / x[1], x[0] / x[2]]
    ...     return {"y": [a * a for a in quotients]}
    >>> program = make_program(trace("f", algorithm, {"x": (3,)}), fuse=True)
    >>> for items in (arrange(program, columns=1), schedule(program, arrange(program, columns=1))):
    ...     print(*(program.steps[item].op for item in items if isinstance(item, int)))
    div div mul mul
    div mul div mul
    """
    order = [item for item in items if not isinstance(item, Write)]
    if len(order) > most:
        return list(items)
    scheduler = _Scheduler(program, order, span)
    for item in order:
        if isinstance(item, int):
            scheduler.offer(item)
        else:
            scheduler.drain()
            scheduler.pass_group(item)
    scheduler.drain()
    return list(place_writes(program, scheduler.done, 1))


class _Scheduler:
    """Collects the steps up to the next group, then takes them in the order of (1), (2), (3)."""

    def __init__(self, program: StepProgram, order: Sequence[Item], span: int) -> None:
        self._span = span
        self.done: list[Item] = []
        self._steps = program.steps
        self._program = program
        self._readers: dict[int, list[int]] = {}  # of a result: the steps that read it; a group is -1
        self._operands: dict[int, set[int]] = {}
        for item in order:
            read = {a for a in needs(program, item) if not self._steps[a].is_leaf}
            if isinstance(item, int):
                self._operands[item] = read
            for operand in read:
                self._readers.setdefault(operand, []).append(item if isinstance(item, int) else -1)
        self._uses = {operand: len(readers) for operand, readers in self._readers.items()}
        self._behind = self._chains(order)
        self._ready: dict[int, int] = {}
        self._missing: dict[int, int] = {}  # of a candidate step: operands that do not exist yet
        self._waiting: dict[int, int] = {}  # of a candidate step: change in the number of live values (1)
        self._heap: list[tuple[int, int, int, int]] = []

    def _chains(self, order: Sequence[Item]) -> dict[int, int]:
        """Cycles from the operands of a step to the end of the longest chain behind it (3)."""
        behind = {-1: _CYCLES_OF_A_GROUP}
        for item in reversed(order):
            if isinstance(item, int):
                later = max((behind[reader] for reader in self._readers.get(item, ())), default=0)
                behind[item] = later + latency(self._steps[item].op)
        return behind

    def offer(self, step: int) -> None:
        """Add a step to the candidates."""
        operands = self._operands[step]
        self._missing[step] = sum(1 for a in operands if a in self._missing)
        self._waiting[step] = (step in self._uses) - sum(1 for a in operands if self._uses[a] == 1)

    def pass_group(self, group: Item) -> None:
        """Append a group, which depends on the items before it."""
        needed = {a for a in needs(self._program, group) if not self._steps[a].is_leaf}
        for operand in needed:
            self._uses[operand] -= 1
        start = max((self._ready[a] for a in needed), default=0)
        self._ready.update(dict.fromkeys(defines(group), start + _CYCLES_OF_A_GROUP))
        self.done.append(group)

    def drain(self) -> None:
        """Schedule all candidates."""
        for step, missing in self._missing.items():
            if not missing:
                self._push(step)
        while self._heap:
            waiting, _, _, step = heapq.heappop(self._heap)
            if waiting == self._waiting.get(step):  # else a stale entry: the step is in the heap again
                self._do(step)

    def _push(self, step: int) -> None:
        start = max((self._ready[a] for a in self._operands[step]), default=0)
        heapq.heappush(self._heap, (self._waiting[step], start // self._span, -self._behind[step], step))

    def _do(self, step: int) -> None:
        self.done.append(step)
        del self._waiting[step], self._missing[step]
        operands = self._operands[step]
        start = max((self._ready[a] for a in operands), default=0)
        self._ready[step] = start + latency(self._steps[step].op)
        for operand in operands:
            self._uses[operand] -= 1
            if self._uses[operand] == 1:
                self._last_reader(operand)
        for reader in self._readers.get(step, ()):
            if reader in self._missing:
                self._missing[reader] -= 1
                if not self._missing[reader]:
                    self._push(reader)

    def _last_reader(self, operand: int) -> None:
        """One reader of this value is left: scheduling it ends the live range."""
        for reader in self._readers[operand]:
            if reader in self._waiting:
                self._waiting[reader] -= 1
                if not self._missing[reader]:
                    self._push(reader)
