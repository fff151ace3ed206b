"""Closed loops of a robot: which frames coincide, which joints follow, and how the dependent joints are computed.

The bodies of a robot are a tree. A loop ties a frame of one branch to a frame of another:

(1)  point:     the origins coincide                                        3 equations
(2)  axis:      the origins coincide, the z axes are parallel               5 equations (the loop closes in a hinge)
(3)  weld:      both frames coincide                                        6 equations
(4)  coupling:  q_joint = c_0 + c_1 q_of + c_2 q_of^2 + ... + sum a_k q_k   1 equation

Each independent equation makes one coordinate of the tree dependent (:mod:`torquec.robot.loops.independent`). A robot's
state holds the independent joints alone.

The side file `NAME.loops.toml` holds loops that a robot file cannot express (docs/closed-loops.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from torquec.foundation.arrays import Array
from torquec.foundation.reading import FileKind
from torquec.robot.toml import Table, read_toml

LOOPS_SUFFIX = ".loops.toml"

_MOST_COEFFICIENTS = 12  # of a polynomial coupling: higher powers only magnify rounding


class LoopKind(StrEnum):
    """Features that coincide where a loop closes."""

    POINT = "point"
    AXIS = "axis"
    WELD = "weld"

    @property
    def equations(self) -> tuple[str, ...]:
        """One word for each equation: translations along, then rotations about axes of the first frame."""
        return ("x", "y", "z", "about x", "about y", "about z")[: {"point": 3, "axis": 5, "weld": 6}[self]]

    def rotation_gaps(self, turned: Callable[[int, int], Any]) -> list[Any]:
        """Gaps of the equations about axes, from elements (row, column) of R_A' R_B over any scalar."""
        if self is LoopKind.AXIS:
            return [-turned(1, 2), turned(0, 2)]
        skew = ((2, 1), (0, 2), (1, 0)) if self is LoopKind.WELD else ()
        return [0.5 * (turned(i, j) - turned(j, i)) for i, j in skew]

    def is_turned_over(self, turned: Array) -> bool:
        """Whether frames with R_A' R_B (3, 3) are closed half a turn apart, where the gaps vanish as well."""
        cosine = turned[2, 2] if self is LoopKind.AXIS else np.trace(turned)
        return self is not LoopKind.POINT and bool(cosine < 0.0)


@dataclass(frozen=True)
class LoopConstraint:
    """A loop: two named frames, and which of their features coincide (`kind`)."""

    name: str
    frame_a: str
    frame_b: str
    kind: LoopKind = LoopKind.POINT


@dataclass(frozen=True)
class Coupling:
    """Equation (4): the position of a joint as a polynomial of another joint's, constant term first.

    `more` are further joints, each with its factor.
    """

    joint: str
    of: str
    polynomial: tuple[float, ...]
    more: tuple[tuple[str, float], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all its joints."""
        return (self.joint, self.of, *(name for name, _ in self.more))


@dataclass(frozen=True)
class LoopFile:
    """The loops of a robot as a file gives them.

    `independent` names joints that must be independent, `driven` joints that should be if possible. `start` gives
    positions of single joints near which the loops close: they select one of several assembly modes.
    """

    loops: tuple[LoopConstraint, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    independent: tuple[str, ...] = ()
    start: tuple[tuple[str, float], ...] = ()
    driven: tuple[str, ...] = ()

    @property
    def equation_names(self) -> tuple[str, ...]:
        """Every equation in words, loops first."""
        closed = [f"{word} of loop '{loop.name}'" for loop in self.loops for word in loop.kind.equations]
        return (*closed, *(f"coupling of joint '{each.joint}'" for each in self.couplings))


@dataclass(frozen=True)
class LoopPrediction:
    """First guess of a dependent rate's displacement from the start: a polynomial of independent positions.

    `rate` and `inputs` count rates of the tree. With t = (q - center)/half of each input, the displacement is the sum
    of coefficient times the product of powers of t. A `periodic` input, a continuous joint, has 1, cos q, sin q,
    cos 2q, ... in place of powers; the dependent joint makes `windings` turns per turn of the input. Where `exact`, the
    prediction is the displacement itself: coefficients times displacements of the inputs.
    """

    rate: int
    inputs: tuple[int, ...]
    powers: tuple[tuple[int, ...], ...]
    coefficients: tuple[float, ...]
    periodic: tuple[bool, ...] = ()
    windings: tuple[int, ...] = ()
    exact: bool = False


@dataclass(frozen=True)
class ClosedLoops:
    """The loops of a robot with everything that computes its dependent joints.

    `dependent` are the names of the dependent joints, `start` (nq of the tree) a position at which the loops are
    closed. `pivots` are pairs of an equation and the rate of the tree that it determines, in the order of elimination;
    `redundant` equations follow from the others. `ranges` gives center and half width for the inputs of predictions.
    `newton_steps` is the number of steps from the predictions to closed loops. `coverage` is the fraction of the
    independent joints' range that can be reached from the start without crossing a singular configuration.
    """

    file: LoopFile
    dependent: tuple[str, ...]
    start: tuple[float, ...]
    pivots: tuple[tuple[int, int], ...]
    redundant: tuple[int, ...]
    ranges: tuple[tuple[int, float, float], ...]
    predictions: tuple[LoopPrediction, ...]
    newton_steps: int
    coverage: float


def unresolved(file: LoopFile) -> ClosedLoops:
    """Loops that a reader has found and that are not closed yet: the robot is still its tree."""
    return ClosedLoops(file, (), (), (), (), (), (), 0, 0.0)


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
