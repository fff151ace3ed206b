"""The side file `NAME.loops.toml`: closed loops that a robot file cannot express (docs/closed-loops.md)."""

from __future__ import annotations

from pathlib import Path

from torquec.foundation.reading import FileKind
from torquec.robot.loops.closed_loops import Coupling, LoopConstraint, LoopFile, LoopKind
from torquec.robot.toml import Table, read_toml

LOOPS_SUFFIX = ".loops.toml"


def read_loops(path: Path) -> LoopFile:
    """The loops of a side file; raises `RobotFileError`, with the line, for unknown keys and wrong values."""
    document = read_toml(path, FileKind.LOOPS)
    loops = tuple(_loop(entry, k) for k, entry in enumerate(document.tables("loop"), start=1))
    couplings = tuple(_coupling(entry) for entry in document.tables("coupling"))
    independent = document.texts("independent", ())
    start: list[tuple[str, float]] = []
    table = document.table("start")
    if table is not None:
        start = [(name, table.number(name)) for name in table.keys]
    document.finish()
    names = [loop.name for loop in loops]
    for name in names:
        if names.count(name) > 1:
            document.refuse("loop", f"two loops are called '{name}'", "give every loop its own name")
    if not loops and not couplings:
        document.refuse(None, "the file has no loop and no coupling", "add a [[loop]] or a [[coupling]], or remove it")
    return LoopFile(loops, couplings, independent, tuple(start))


def _loop(entry: Table, number: int) -> LoopConstraint:
    kind = LoopKind(entry.choice("kind", LoopKind, LoopKind.POINT))
    loop = LoopConstraint(entry.text("name", f"loop {number}"), entry.text("frame_a"), entry.text("frame_b"), kind)
    entry.finish()
    return loop


def _coupling(entry: Table) -> Coupling:
    joint, of = entry.text("joint"), entry.text("of")
    rows = entry.rows("polynomial")
    if len(rows) != 1 or len(rows[0]) > _MOST_COEFFICIENTS:
        entry.refuse("polynomial", "the polynomial is not a short list of numbers", "give [c0, c1, c2, ...]")
    if joint == of:
        entry.refuse("of", f"joint '{joint}' is coupled to itself", "name two joints")
    entry.finish()
    return Coupling(joint, of, tuple(rows[0]))


_MOST_COEFFICIENTS = 12
"""Of a polynomial coupling: higher powers only magnify rounding."""
