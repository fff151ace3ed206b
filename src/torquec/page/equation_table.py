"""The closed form of a model as the page's script reads it: terms of M, g and, of a simplified model, c.

A term is [coefficient, code, ..], code = 16 * variable + 8 * (power of its cosine) + (power of its sine, or of a
displacement). A variable is a sum of coordinates; a coordinate is multiplier * q[joint] + offset. Of the robot's own
equations c is not written: it follows from M, and the script differentiates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.closedform.closed_form import ClosedForm, closed_form
from torquec.closedform.layouts import Matrix
from torquec.closedform.paths import parallel_groups, path_variables, paths
from torquec.closedform.polynomial import TrigPolynomial, Variable
from torquec.closedform.sums import subscript
from torquec.closedform.tabulate import grid_size
from torquec.errors import ArgumentError, RobotError
from torquec.model.model import Model
from torquec.robot.robot import Mimic, Robot
from torquec.robot.state_coordinate import position_bases
from torquec.simplification.torque_coefficients import torque_coefficients

_MOST_TERMS = 12_000
"""Largest number of terms: about half a megabyte of the page; the Panda has 3300."""

_MOST_ENTRIES = 600_000
"""Largest number of table entries of a closed form: a few seconds, seven revolute joints and two fingers."""

_MOST_POWER = 7  # of a sine or a displacement in a code; closed forms have two, simplified ones three

Term = list[float]


@dataclass(frozen=True)
class JointCoordinate:
    """multiplier * q[joint] + offset."""

    joint: int
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class EquationTable:
    """Terms of M (n x n by rows; of a symmetric one only the upper triangle is filled), g and c (None: from M)."""

    coordinates: tuple[JointCoordinate, ...]
    variables: tuple[Variable, ...]
    symmetric: bool
    mass: tuple[list[Term], ...]
    gravity: tuple[list[Term], ...]
    velocity: tuple[tuple[tuple[int, int, int], list[Term]], ...] | None


def equation_table(model: Model) -> EquationTable:
    """The table; raises `RobotError` where the equations are too long for a page or cannot be written down."""
    return _of_program(model) if model.kind.follows_program else _of_robot(model.robot)


def joint_coordinates(robot: Robot) -> tuple[JointCoordinate, ...]:
    """The coordinate of every body's joint: its own, or that of the joint which it follows; -1 for a dependent one."""
    found = []
    for body in robot.bodies:
        mimic = body.joint.mimic or Mimic(body.joint.name)
        index = -1 if mimic.joint in robot.dependent else robot.joint_index(mimic.joint)
        found.append(JointCoordinate(index, mimic.multiplier, mimic.offset))
    return tuple(found)


class _Codes:
    """Variables in the order in which terms use them."""

    def __init__(self) -> None:
        self.numbers: dict[Variable, int] = {}
        self.count = 0

    def terms(self, polynomial: TrigPolynomial) -> list[Term]:
        self.count += len(polynomial)
        if self.count > _MOST_TERMS:
            raise RobotError(
                f"the equations have more than {_MOST_TERMS} terms",
                remedy="write those of single entries with 'torquec equations'",
            )
        return [[float(coefficient), *(self._code(*f) for f in monomial)] for monomial, coefficient in polynomial]

    def _code(self, variable: Variable, cosine: int, power: int) -> int:
        if power > _MOST_POWER:
            raise RobotError("the equations have powers that a page does not show")
        return 16 * self.numbers.setdefault(variable, len(self.numbers)) + 8 * cosine + power


def _check_size(robot: Robot) -> None:
    """Refuse equations that would be too long before deriving them, by the number of table entries."""
    position_bases(robot)
    groups = parallel_groups(robot.canonical.links)
    entries = sum(grid_size(path_variables(robot, path.bodies, groups)[0]) for path in paths(robot.canonical.links))
    if entries > _MOST_ENTRIES:
        raise RobotError(
            "with so many joints in series they are too long for a page",
            remedy="write those of single entries with 'torquec equations'",
        )


def _of_robot(robot: Robot) -> EquationTable:
    _check_size(robot)
    form, n = closed_form(robot), robot.n
    coordinates = joint_coordinates(robot)
    codes = _Codes()
    owners = [[b for b, c in enumerate(coordinates) if c.joint == joint] for joint in range(n)]
    mass = [
        codes.terms(_collected(form, coordinates, owners[i], owners[j])) if i <= j else []
        for i in range(n)
        for j in range(n)
    ]
    gravity = []
    for joint in range(n):
        total = TrigPolynomial()
        for b in owners[joint]:
            total = total + form.g[b] * coordinates[b].multiplier
        gravity.append(codes.terms(total))
    return EquationTable(coordinates, tuple(codes.numbers), True, tuple(mass), tuple(gravity), None)


def _collected(
    form: ClosedForm, coordinates: Sequence[JointCoordinate], rows: Sequence[int], columns: Sequence[int]
) -> TrigPolynomial:
    """An entry of T' M T: the sum over the bodies that follow the two joints."""
    total = TrigPolynomial()
    for a in rows:
        for b in columns:
            total = total + form.M[a, b] * (coordinates[a].multiplier * coordinates[b].multiplier)
    return total


def _of_program(model: Model) -> EquationTable:
    try:
        found = torque_coefficients(model.robot, model.function("inverse_dynamics"))
    except ArgumentError as error:
        raise RobotError(error.found, remedy=error.remedy) from None
    n, codes = model.robot.n, _Codes()
    none = TrigPolynomial()
    mass = [codes.terms(found.entries.get((Matrix.M, (i, j)), none)) for i in range(n) for j in range(n)]
    gravity = [codes.terms(found.entries.get((Matrix.G_TORQUE, (i,)), none)) for i in range(n)]
    velocity = []
    for (matrix, index), polynomial in found.entries.items():
        if matrix in (Matrix.B, Matrix.D):
            i, j, k = index if len(index) == 3 else (*index, index[1])
            velocity.append(((i, j, k), codes.terms(polynomial)))
    coordinates = tuple(JointCoordinate(joint) for joint in range(n))
    return EquationTable(coordinates, tuple(codes.numbers), False, tuple(mass), tuple(gravity), tuple(velocity))


def variable_label(variable: Variable) -> str:
    """The subscript of a variable's sine and cosine, as formulas show it.

    >>> variable_label(Variable(((1, 1), (2, -1))))
    '2\N{MINUS SIGN}3'
    """
    return subscript(variable.joints).replace("m", "\N{MINUS SIGN}").replace("_", ",")
