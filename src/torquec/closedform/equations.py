"""`Equations`: what is to be written down, chosen once for every format.

A whole model, some of its matrices or single entries, under one rule; the printers of this room take it from here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from torquec.closedform.closed_form import ClosedForm
from torquec.closedform.friction_law import JointFriction, friction_laws
from torquec.closedform.layouts import CHANG_LEE, CHRISTOFFEL, WHOLE, Entry, Matrix, check_index, entries, entry, unit
from torquec.closedform.polynomial import Variable
from torquec.closedform.rule import EXACT, Rule
from torquec.closedform.terms import cumulative_angles
from torquec.errors import ArgumentError

_SHOWN_DIGITS = 6  # what a reader compares; files for programs have all digits
_ALL_DIGITS = 12
"""Digits of numbers that were rounded before: enough to show them as they are."""

_ENTRY = re.compile(r"\s*([A-Za-z_]+)\s*\[([0-9,\s]+)\]\s*")


@dataclass(frozen=True)
class Equations:
    """Entries of a closed form by matrix, friction where V is among them, and the rule that they were written by.

    `whole`: every entry of these matrices that is not zero is there, not just chosen ones.
    """

    form: ClosedForm
    rule: Rule
    entries: Mapping[Matrix, tuple[Entry, ...]]
    friction: tuple[JointFriction, ...]
    whole: bool = True

    @property
    def digits(self) -> int:
        """Significant digits to show."""
        return _SHOWN_DIGITS if self.rule.digits is None else _ALL_DIGITS

    @property
    def terms(self) -> dict[str, int]:
        """Number of terms by matrix (of M the upper triangle); V has none."""
        return {str(m): sum(len(e) for e in found) for m, found in self.entries.items() if m is not Matrix.V}

    @cached_property
    def angles(self) -> list[Variable]:
        """Sums of angles that the entries are written in."""
        return cumulative_angles(part.value for found in self.entries.values() for e in found for part in e.parts)

    @property
    def balance(self) -> tuple[Matrix, ...]:
        """The terms of the equation of motion that these matrices belong to: (1), (3) or (4) of the layouts."""
        if {Matrix.J, Matrix.H, Matrix.G} & set(self.entries):
            return CHANG_LEE
        return CHRISTOFFEL if Matrix.C in self.entries else WHOLE

    @property
    def not_shown(self) -> tuple[Matrix, ...]:
        """Terms of that equation which are left out here although they need not be zero."""
        has_friction = bool(friction_laws(self.form.robot))
        return tuple(m for m in self.balance if m not in self.entries and (m is not Matrix.V or has_friction))

    def unit(self, one: Entry) -> str:
        """The SI unit of an entry."""
        return unit(self.form, one.matrix, one.index)

    def common_unit(self, matrix: Matrix) -> str:
        """The unit that all entries of a matrix share, or '' where prismatic joints make them differ."""
        if matrix is Matrix.V:
            units = {unit(self.form, matrix, (law.joint,)) for law in self.friction}
        else:
            units = {self.unit(one) for one in self.entries[matrix]}
        return units.pop() if len(units) == 1 else ""


def equations(form: ClosedForm, matrices: Sequence[Matrix], rule: Rule = EXACT) -> Equations:
    """The equations of some matrices; entries that are zero are left out."""
    wanted = list(dict.fromkeys(matrices))
    found = {matrix: () if matrix is Matrix.V else tuple(entries(form, matrix, rule)) for matrix in wanted}
    return Equations(form, rule, found, tuple(friction_laws(form.robot)) if Matrix.V in wanted else ())


def single_equations(form: ClosedForm, names: Sequence[str], rule: Rule = EXACT) -> Equations:
    """The equations of entries named like 'M[1,2]', 'g[3]', 'B[1,23]' or 'V[2]'; zero entries are shown as zero.

    Raises `ArgumentError` for a name that is no entry.
    """
    found: dict[Matrix, list[Entry]] = {}
    laws: list[JointFriction] = []
    for name in names:
        matrix, index = entry_index(name, form.n)
        kept = found.setdefault(matrix, [])
        if matrix is Matrix.V:
            laws += [law for law in friction_laws(form.robot) if law.joint == index[0]]
        else:
            kept.append(entry(form, matrix, index, rule))
    return Equations(form, rule, {matrix: tuple(kept) for matrix, kept in found.items()}, tuple(laws), whole=False)


def entry_index(name: str, n: int) -> tuple[Matrix, tuple[int, ...]]:
    """The matrix and the indices, from zero, of an entry's name.

    >>> entry_index("B[1,23]", 6)
    (<Matrix.B: 'B'>, (0, 1, 2))
    """
    match = _ENTRY.fullmatch(name)
    if match is None or match[1] not in set(Matrix):
        letters = ", ".join(Matrix)
        raise ArgumentError(
            f"'{name}' is not the name of an entry", remedy=f"write it as M[1,2] or g[3]; the letters are {letters}"
        )
    matrix = Matrix(match[1])
    words = [word.strip() for word in match[2].split(",")]
    if matrix is Matrix.B and len(words) == 2 and len(words[1]) == 2:
        words = [words[0], *words[1]]
    if not all(word.isdecimal() for word in words):
        raise ArgumentError(f"'{name}' is not the name of an entry", remedy="write it as M[1,2] or g[3]")
    index = tuple(int(word) - 1 for word in words)
    check_index(n, matrix, index)
    return matrix, index
