"""`Equations`: the entries and friction laws to write down, chosen once for every output format.

They cover a whole model, some of its matrices, or single entries, all written by one rule. The friction torque V
of each joint is a function of the speeds:

(1)  V_i = f_i(qd_i) + sum over coupled motors of  T_mi f_m(sum_j T_mj qd_j)
(2)  f(v) is the sum of the friction terms (:mod:`torquec.dynamics.friction`): viscous+ v + coulomb+ for v > 0,
     viscous- v - coulomb- for v < 0, always + offset, and the further terms of the robot's file
(3)  a motor that turns with one joint alone, with viscous, Coulomb and offset friction only, adds to that joint's own
     law: r f(r v) is again (2), with viscous r^2, coulomb |r|, offset r, and the directions exchanged for r < 0. A
     motor with further terms is written like a coupled one

Joints are those of all moving bodies, as everywhere in the closed form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from torquec.closedform.closed_form import ClosedForm, rate_coordinates
from torquec.closedform.fourier import EXACT, Rule
from torquec.closedform.layouts import CHANG_LEE, CHRISTOFFEL, WHOLE, Entry, Matrix, check_index, entries, entry, unit
from torquec.closedform.polynomial import Variable
from torquec.closedform.sums import cumulative_angles
from torquec.dynamics.friction import ShaftState, direction_of, terms_of
from torquec.dynamics.friction_torque import shaft_friction
from torquec.errors import ArgumentError
from torquec.robot.friction import Friction
from torquec.robot.robot import Robot
from torquec.spatial import Scalar

_SHOWN_DIGITS = 6  # enough for a reader; files for programs have all digits
_ALL_DIGITS = 12  # for numbers that are rounded already: enough to show all their digits

_ENTRY = re.compile(r"\s*([A-Za-z_]+)\s*\[([0-9,\s]+)\]\s*")


@dataclass(frozen=True)
class Equations:
    """Entries of a closed form by matrix, friction where V is among them, and the rule by which they were written.

    `whole`: all nonzero entries of these matrices are present, not only chosen ones.
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
        """Sums of angles that occur in the entries."""
        return cumulative_angles(part.value for found in self.entries.values() for e in found for part in e.parts)

    @property
    def balance(self) -> tuple[Matrix, ...]:
        """The terms of the equation of motion that these matrices belong to: (1), (3) or (4) of `layouts`."""
        if {Matrix.J, Matrix.H, Matrix.G} & set(self.entries):
            return CHANG_LEE
        return CHRISTOFFEL if Matrix.C in self.entries else WHOLE

    @property
    def not_shown(self) -> tuple[Matrix, ...]:
        """Terms of that equation which are left out here although they need not be zero."""
        has_friction = bool(friction_laws(self.form.robot))
        terms = self.balance if self.form.closure is None else (*self.balance, Matrix.PHI)
        return tuple(m for m in terms if m not in self.entries and (m is not Matrix.V or has_friction))

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
    if matrix is Matrix.PHI:
        raise ArgumentError("loop equations are written together", remedy="use --matrix Phi")
    words = [word.strip() for word in match[2].split(",")]
    if matrix is Matrix.B and len(words) == 2 and len(words[1]) == 2:
        words = [words[0], *words[1]]
    if not all(word.isdecimal() for word in words):
        raise ArgumentError(f"'{name}' is not the name of an entry", remedy="write it as M[1,2] or g[3]")
    index = tuple(int(word) - 1 for word in words)
    check_index(n, matrix, index)
    return matrix, index


@dataclass(frozen=True)
class CoupledFriction:
    """The friction of a motor: `ratios` are (joint, T_mj) of the joints it turns with; `factor` is T_mi."""

    motor: str
    factor: float
    ratios: tuple[tuple[int, float], ...]
    law: Friction


@dataclass(frozen=True)
class JointFriction:
    """Friction of one joint (1)."""

    joint: int
    own: Friction
    coupled: tuple[CoupledFriction, ...] = ()

    def torque(self, qd: Sequence[Scalar]) -> Scalar:
        """V_i at speeds qd (n,), over any scalar; without load-dependent friction, which is no function of qd."""
        total = _at(self.own, qd[self.joint])
        for motor in self.coupled:
            speed: Scalar = 0.0
            for joint, ratio in motor.ratios:
                speed = speed + ratio * qd[joint]
            total = total + motor.factor * _at(motor.law, speed)
        return total


def friction_laws(robot: Robot) -> list[JointFriction]:
    """The laws of the joints that have friction, in joint order."""
    coordinates = rate_coordinates(robot)
    place = {each.name: i for i, each in enumerate(coordinates)}
    own = [each.joint.friction for each in coordinates]
    coupled: list[list[CoupledFriction]] = [[] for _ in own]
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        ratios = tuple((place[name], r) for name, r in zip(robot.coordinate_names, row, strict=True) if r != 0.0)
        if motor.friction == Friction():
            continue
        if len(ratios) == 1 and not motor.friction.further and not own[ratios[0][0]].value("turnover_speed"):
            ((joint, ratio),) = ratios
            own[joint] = _sum(own[joint], _reflected(motor.friction, ratio))
        else:
            for joint, ratio in ratios:
                coupled[joint].append(CoupledFriction(motor.name, ratio, ratios, motor.friction))
    return [
        JointFriction(joint, law, tuple(motors))
        for joint, (law, motors) in enumerate(zip(own, coupled, strict=True))
        if law != Friction() or motors
    ]


def friction_text(friction: Friction, *, forwards: bool, load: str) -> list[tuple[float, str]]:
    """The law of one direction as numbers times factors, with {v} for the speed; constants are summed in the last one.

    `load` is the name of the torque that the shaft carries.
    """
    constant, found = 0.0, []
    for term in terms_of(friction):
        for value, factor in term.summands(friction, forwards=forwards):
            if factor:
                found.append((value, factor.replace("{load}", load)))
            else:
                constant += value
    return [*found, (constant, "")]


def jumps_at_rest(friction: Friction) -> bool:
    """Whether the law has Coulomb friction that jumps at zero speed; it is zero at exactly zero speed."""
    return not friction.value("turnover_speed") and any(term.is_dry for term in terms_of(friction))


def _reflected(f: Friction, ratio: float) -> Friction:
    """Friction of a motor as that of its joint (3)."""
    size, square = abs(ratio), ratio * ratio
    if ratio > 0.0:
        viscous, coulomb = (f.viscous_positive, f.viscous_negative), (f.coulomb_positive, f.coulomb_negative)
    else:
        viscous, coulomb = (f.viscous_negative, f.viscous_positive), (f.coulomb_negative, f.coulomb_positive)
    return Friction(square * viscous[0], square * viscous[1], size * coulomb[0], size * coulomb[1], ratio * f.offset)


def _sum(a: Friction, b: Friction) -> Friction:
    further = dict(a.further)
    return Friction.of({**{name: value + b.value(name) for name, value in a.values.items()}, **further})


def _at(f: Friction, speed: Scalar) -> Scalar:
    """Value of a friction law at a speed (2)."""
    return shaft_friction(f, ShaftState(speed, direction_of(f, speed)))
