"""From a `Function` to the order and the shape in which it is evaluated; every kernel uses the same one.

Four decisions are made here:

* Sines and cosines are evaluated in groups. Group s holds every angle that needs s earlier groups, so that a robot's
  joint angles are one group, evaluated together in vectors and guarded by one branch.
* A product that is used once, by an addition, is contracted with it to a*b + c, rounded once. Where both terms of a sum
  are such products, the one that is ready later is contracted, which makes the chain of dependent operations shorter.
* Operations keep the order of the function, except that what a group needs comes before the group.
* Outputs are written some columns at a time, as soon as these are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from torquec.expr import Function, Op

_LATENCY = {Op.CONST: 0, Op.INPUT: 0, Op.ADD: 3, Op.SUB: 3, Op.MUL: 3, Op.NEG: 1, Op.DIV: 13, Op.SQRT: 21}
_OTHER_LATENCY = 20
_FUSED_LATENCY = 4
_PLACED_BY_OTHERS = (Op.CONST, Op.INPUT, Op.SIN, Op.COS)


@dataclass(frozen=True)
class Angle:
    """A value, and the values that are its sine and its cosine."""

    value: int
    sines: tuple[int, ...]
    cosines: tuple[int, ...]


@dataclass(frozen=True)
class AngleGroup:
    """Angles whose sines and cosines are evaluated together."""

    angles: tuple[Angle, ...]


@dataclass(frozen=True)
class Write:
    """Some neighbouring elements of an output, from `first` on, and the values that go there."""

    output: int
    first: int
    values: tuple[int, ...]


Item: TypeAlias = int | AngleGroup | Write


@dataclass(frozen=True)
class Arrangement:
    """`order`: what is done, in order, without constants, inputs and absorbed products, which are read where they are
    needed. `contracted`: for an addition, which of its two arguments is the product that it absorbs.
    """

    order: tuple[Item, ...]
    contracted: Mapping[int, int]

    def needs(self, function: Function, item: Item) -> list[int]:
        """The values that an item reads; an absorbed product is replaced by its factors."""
        if isinstance(item, AngleGroup):
            return [angle.value for angle in item.angles]
        if isinstance(item, Write):
            return list(item.values)
        args = list(function.operations[item].args)
        if item in self.contracted:
            args += function.operations[args.pop(self.contracted[item])].args
        return args

    def defines(self, item: Item) -> list[int]:
        """The values that exist once an item has been evaluated."""
        if isinstance(item, AngleGroup):
            return [value for angle in item.angles for value in (*angle.sines, *angle.cosines)]
        return [] if isinstance(item, Write) else [item]


def arrange(function: Function, *, contract: bool, columns: int) -> Arrangement:
    """The arrangement of a function.

    `contract` is False for a processor without a*b + c; outputs are written `columns` elements at a time.

    >>> from torquec.expr import trace
    >>> f = trace("f", lambda x: {"y": x[0] * x[1] + x[2]}, {"x": (3,)})
    >>> arrange(f, contract=True, columns=1)
    Arrangement(order=(4, Write(output=0, first=0, values=(4,))), contracted={4: 1})
    """
    contracted = _contractions(function) if contract else {}
    placed = {function.operations[k].args[position] for k, position in contracted.items()}
    placed |= {k for k, step in enumerate(function.operations) if step.op in _PLACED_BY_OTHERS}
    order: list[Item] = []
    for group in _angle_groups(function):
        for value in sorted(_ancestors(function, [angle.value for angle in group.angles]) - placed):
            order.append(value)
            placed.add(value)
        order.append(group)
    order.extend(value for value in range(len(function.operations)) if value not in placed)
    arrangement = Arrangement(tuple(order), contracted)
    return Arrangement(tuple(_with_writes(function, arrangement, columns)), contracted)


def _with_writes(function: Function, arrangement: Arrangement, columns: int) -> Iterator[Item]:
    """The order with every write right after the last value that it needs."""
    waiting: dict[int, list[Write]] = {}
    missing: dict[Write, int] = {}
    leaves: list[Write] = []
    for output, result in enumerate(function.results):
        for first in range(0, len(result), columns):
            write = Write(output, first, result[first : first + columns])
            computed = {v for v in write.values if function.operations[v].op not in (Op.CONST, Op.INPUT)}
            missing[write] = len(computed)
            for value in computed:
                waiting.setdefault(value, []).append(write)
            if not computed:
                leaves.append(write)
    for item in arrangement.order:
        yield item
        for value in arrangement.defines(item):
            for write in waiting.get(value, ()):
                missing[write] -= 1
                if not missing[write]:
                    yield write
    yield from leaves


def _ancestors(function: Function, values: list[int]) -> set[int]:
    """The values and everything that they are computed from."""
    needed: set[int] = set()
    stack = list(values)
    while stack:
        value = stack.pop()
        if value not in needed:
            needed.add(value)
            stack.extend(function.operations[value].args)
    return needed


def _angle_groups(function: Function) -> list[AngleGroup]:
    """The angles by the number of earlier groups that they need."""
    stage: list[int] = []
    groups: dict[int, dict[int, tuple[list[int], list[int]]]] = {}
    for k, step in enumerate(function.operations):
        needed = max((stage[a] for a in step.args), default=0)
        if step.op in (Op.SIN, Op.COS):
            sines, cosines = groups.setdefault(needed, {}).setdefault(step.args[0], ([], []))
            (sines if step.op is Op.SIN else cosines).append(k)
            needed += 1
        stage.append(needed)
    return [
        AngleGroup(tuple(Angle(value, tuple(s), tuple(c)) for value, (s, c) in groups[stage_number].items()))
        for stage_number in sorted(groups)
    ]


def _contractions(function: Function) -> dict[int, int]:
    """For each addition that can absorb a product, which argument it absorbs."""
    operations = function.operations
    uses = [0] * len(operations)
    for step in operations:
        for a in step.args:
            uses[a] += 1
    for result in function.results:
        for v in result:
            uses[v] += 1
    ready = [0] * len(operations)
    contracted: dict[int, int] = {}
    for k, step in enumerate(operations):
        start = max((ready[a] for a in step.args), default=0)
        ready[k] = start + _LATENCY.get(step.op, _OTHER_LATENCY)
        if step.op not in (Op.ADD, Op.SUB):
            continue
        choices = []
        for position in (0, 1):
            product, other = step.args[position], step.args[1 - position]
            if operations[product].op is Op.MUL and uses[product] == 1 and product != other:
                factors = max(ready[a] for a in operations[product].args)
                choices.append((max(factors, ready[other]) + _FUSED_LATENCY, position))
        if choices:
            ready[k], contracted[k] = min(choices)
    return contracted
