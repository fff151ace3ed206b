"""The order in which a program is executed, and what is done together.

* Sines and cosines are evaluated in groups. Group s holds every angle that needs s earlier groups, so that a robot's
  joint angles are one group, evaluated together in vectors and guarded by one branch. Angles of points are grouped
  likewise, so that those of all branches of an inverse kinematics are one group.
* Outputs are written some columns at a time, as soon as these are known.
* Apart from that, steps keep their order, which :mod:`torquec.codegen.llvm_text.schedule` changes for a single state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from torquec.codegen.llvm_text.program import StepProgram
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
"""What is done at one point: a step, a group, a write."""


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
    """What is evaluated together, by the number of earlier groups that it needs."""
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
