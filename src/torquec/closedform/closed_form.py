"""The closed form of a robot's dynamics: every coefficient as an exact trigonometric polynomial.

(1)  tau_i = sum_j M_ij(q) qdd_j + sum_jk c_ijk(q) qd_j qd_k + g_i(q)
(2)  c_ijk = 1/2 (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i)                          Christoffel symbols of the first kind
(3)  g_i = dU/dq_i

M and U are tabulated (:mod:`torquec.closedform.tabulate`), path by path through a tree: the contribution of body b to
M_ij depends only on the joints between i and b, that to U only on those between the base and b. The coordinates are
those of all moving bodies: a mimic joint is one of them, coupled when torques are collected, M -> T' M T.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from torquec.closedform.accepts import check_has_closed_form, check_size
from torquec.closedform.paths import (
    ParallelGroup,
    Path,
    gravity_function,
    height_function,
    mass_function,
    parallel_groups,
    path_variables,
    paths,
)
from torquec.closedform.polynomial import Coefficient, Linear, TrigPolynomial, Variable, constant
from torquec.closedform.tabulate import NOISE, coefficient_table, fewest_terms, grid, polynomial_from_table
from torquec.expr import Function, evaluate
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.foundation.notebook_display import NotebookDisplay
from torquec.robot.joints import KindCoordinate
from torquec.robot.robot import Joint, Robot

if TYPE_CHECKING:
    from torquec.closedform.quasi_velocities import QuasiVelocities

_CHUNK_STATES = 8192  # states per chunk: all intermediate values of a chunk are in memory

_GRAVITY_NOISE = 4e-16
"""Rounding error of a gravity torque relative to the largest one of its path, from which it propagates."""

_EQUAL_COEFFICIENTS = 1e-12  # relative difference below which two coefficients are equal up to rounding error
PAIR_NOISE = 1e-15  # rounding error of an entry M_ij relative to sqrt(M_ii M_jj), which bounds the entry


@dataclass(frozen=True)
class RateCoordinate:
    """One coordinate of a closed form: a rate of a joint; `first` is the coordinate of the joint's first rate."""

    name: str
    joint: Joint
    of_joint: KindCoordinate
    body: int
    first: int

    @property
    def is_twist(self) -> bool:
        """Whether its rate is a component of a twist in the child's axes, not the derivative of a position."""
        return self.joint.kind.nv > 1


def rate_coordinates(robot: Robot) -> tuple[RateCoordinate, ...]:
    """The coordinates of all moving bodies, mimic joints among them."""
    found: list[RateCoordinate] = []
    for b, body in enumerate(robot.bodies):
        joint, first = body.joint, len(found)
        for each in joint.kind.coordinates:
            name = f"{joint.name}_{each.suffix}" if each.suffix else joint.name
            found.append(RateCoordinate(name, joint, each, b, first))
    return tuple(found)


@dataclass(frozen=True)
class Closure:
    """Loop equations of a robot whose tree a closed form describes (:mod:`torquec.closedform.loop_equations`).

    `words` name the equations, `gaps` are zero where loops are closed, in `units`. Coordinates that are
    neither `independent` nor `dependent` are mimic joints.
    """

    words: tuple[str, ...]
    gaps: tuple[TrigPolynomial, ...]
    units: tuple[str, ...]
    independent: tuple[int, ...]
    dependent: tuple[int, ...]

    @property
    def redundant(self) -> int:
        """Number of equations that follow from the others and from couplings of mimic joints."""
        return len(self.gaps) - len(self.dependent)


@dataclass(frozen=True)
class ClosedForm(NotebookDisplay):
    """Closed form of a robot: M (n, n), g (n,) and U over the joints of all its moving bodies, with their `names`."""

    robot: Robot
    names: tuple[str, ...]
    mass: tuple[tuple[TrigPolynomial, ...], ...]
    potential: TrigPolynomial
    g: tuple[TrigPolynomial, ...]
    layout: QuasiVelocities | None = None
    """Position variables where a joint has several coordinates; None: each joint's own position."""
    closure: Closure | None = None
    """Loop equations, where this is the form of a tree whose loops are cut."""

    def __repr__(self) -> str:
        terms = sum(len(self.mass[i][j]) for i in range(self.n) for j in range(i, self.n))
        return f"ClosedForm('{self.robot.name}', {self.n} joints, M {terms} terms, g {sum(map(len, self.g))} terms)"

    @property
    def n(self) -> int:
        """Number of coordinates (mimic joints count)."""
        return len(self.names)

    @cached_property
    def coordinates(self) -> tuple[RateCoordinate, ...]:
        """Joint, name and units of every coordinate."""
        return rate_coordinates(self.robot)

    @property
    def symbols(self) -> tuple[Variable, ...]:
        """Components of gravity vectors and quaternions that entries depend on, besides joint coordinates."""
        return () if self.layout is None else self.layout.symbols

    @property
    def position_names(self) -> tuple[str, ...]:
        """Names of the position slots, the variables of the polynomials: coordinates, then symbols."""
        return (*self.names, *(variable.symbol for variable in self.symbols))

    @cached_property
    def M(self) -> PolynomialMatrix:
        """Mass matrix: `form.M[i, j]`, from zero."""
        return PolynomialMatrix(self.mass)

    @cached_property
    def _christoffel(self) -> dict[tuple[int, int, int], TrigPolynomial]:
        return {}

    def christoffel(self, i: int, j: int, k: int) -> TrigPolynomial:
        """c_ijk of (2), symmetric in j and k; indices from zero."""
        j, k = min(j, k), max(j, k)
        found = self._christoffel.get((i, j, k))
        if found is None:
            if self.layout is not None:
                found = self.layout.velocity_symbol(self.mass, i, j, k)
            else:
                parts = (self.M[i, j].differentiate(k), self.M[i, k].differentiate(j), -self.M[j, k].differentiate(i))
                found = simplified(without_noise(parts) * 0.5, self.robot)
            self._christoffel[i, j, k] = found
        return found

    def derivative(self, polynomial: TrigPolynomial, joint: int) -> TrigPolynomial:
        """The derivative by a joint's position, or along a rate that is not the derivative of a position."""
        return polynomial.differentiate(joint) if self.layout is None else self.layout.derivative(polynomial, joint)

    @property
    def terms(self) -> dict[str, int]:
        """Number of terms of M (upper triangle) and g."""
        upper = sum(len(self.M[i, j]) for i in range(self.n) for j in range(i, self.n))
        return {"M": upper, "g": sum(len(entry) for entry in self.g)}


@dataclass(frozen=True)
class PolynomialMatrix:
    """A matrix of polynomials, indexed `[i, j]` from zero."""

    rows: tuple[tuple[TrigPolynomial, ...], ...]

    def __getitem__(self, index: tuple[int, int]) -> TrigPolynomial:
        return self.rows[index[0]][index[1]]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.rows[0]) if self.rows else 0


class Coefficients(StrEnum):
    """Kind of the coefficients of a closed form."""

    NUMBERS = "numbers"
    PARAMETERS = "parameters"
    """Linear combinations of the standard parameters (`torquec.dynamics.parameter_names`): needs no inertias."""


def closed_form(robot: Robot, *, coefficients: Coefficients | str = Coefficients.NUMBERS) -> ClosedForm:
    """The closed form of a robot, coefficients as numbers or as linear combinations of its inertial parameters.

    Raises `ArgumentError` for another kind, `RobotError` for a robot without inertias when numbers are asked for, and
    where an entry would depend on too many joints to tabulate.
    """
    if chosen(Coefficients, coefficients, "kind of coefficients") is Coefficients.PARAMETERS:
        from torquec.closedform.parametric import parametric_closed_form

        return parametric_closed_form(robot)
    check_has_closed_form(robot)
    if any(body.joint.kind.nv > 1 for body in robot.bodies):
        from torquec.closedform.quasi_velocities import form_in_quasi_velocities

        return form_in_quasi_velocities(robot)
    return assembled(robot, mass_polynomials(robot), potential_polynomial(robot), gravity_polynomials(robot))


def mass_polynomials(robot: Robot) -> list[list[TrigPolynomial]]:
    """The upper triangle of M (bodies x bodies), rotors included; entries below the diagonal are empty."""
    robot.check_inertias()
    links = robot.canonical.links
    groups = parallel_groups(links)
    upper = [[TrigPolynomial()] * len(links) for _ in links]
    for path in paths(links):
        for (i, j), entry in _mass_entries(robot, path, groups).items():
            upper[i][j] = upper[i][j] + entry
    for (i, j), value in _rotor_inertias(robot).items():
        upper[i][j] = upper[i][j] + constant(value)
    return upper


def potential_polynomial(robot: Robot) -> TrigPolynomial:
    """Potential energy, from the origin of the file's base frame."""
    robot.check_inertias()
    links = robot.canonical.links
    groups = parallel_groups(links)
    potential = TrigPolynomial()
    for path in paths(links):
        potential = potential + _potential(robot, path, groups)
    return potential


def gravity_polynomials(robot: Robot) -> list[TrigPolynomial]:
    """Gravity torques of all bodies' joints, each tabulated by itself: small ones keep their digits."""
    robot.check_inertias()
    links = robot.canonical.links
    groups = parallel_groups(links)
    total = [TrigPolynomial()] * len(links)
    for path in paths(links):
        variables, _ = path_variables(robot, path.bodies, groups)
        check_size(robot, variables, 1)
        function = gravity_function(robot, path.bodies, path.own)
        table = coefficient_table(variables, sampled(function, "g", grid(variables, len(links), 1), path.bodies), 1)
        floor = _GRAVITY_NOISE * float(np.abs(table).max(initial=0.0))
        for k, b in enumerate(path.bodies):
            entry = np.where(np.abs(table[..., k]) > floor, table[..., k], 0.0)
            total[b] = total[b] + polynomial_from_table(variables, entry, 1)
    potential = potential_polynomial(robot)
    return [_aligned(entry, potential.differentiate(b)) for b, entry in enumerate(total)]


def _aligned(entry: TrigPolynomial, derivative: TrigPolynomial) -> TrigPolynomial:
    """The entry, with coefficients of dU/dq where both agree up to rounding: joints then have equal coefficients."""
    exact = derivative.terms
    return TrigPolynomial(
        {
            monomial: exact[monomial]
            if monomial in exact and abs(exact[monomial] - value) <= _EQUAL_COEFFICIENTS * abs(value)
            else value
            for monomial, value in entry
        }
    )


def assembled(
    robot: Robot,
    upper: list[list[TrigPolynomial]],
    potential: TrigPolynomial,
    gravity: Sequence[TrigPolynomial] | None = None,
) -> ClosedForm:
    """A closed form from the upper triangle of M; gravity torques are the derivatives of U unless given (3)."""
    n = len(upper)
    rows = tuple(tuple(upper[min(i, j)][max(i, j)] for j in range(n)) for i in range(n))
    names = tuple(body.joint.name for body in robot.bodies)
    torques = [potential.differentiate(i) for i in range(n)] if gravity is None else gravity
    return ClosedForm(robot, names, rows, potential, tuple(torques))


def _mass_entries(robot: Robot, path: Path, groups: Sequence[ParallelGroup]) -> dict[tuple[int, int], TrigPolynomial]:
    """Contribution of the bodies of a path to M, upper triangle, by (row, column)."""
    check_size(robot, path_variables(robot, path.bodies[1:], groups)[0], 2)  # the first row is the largest
    function = mass_function(robot, path.bodies, path.own)
    found: dict[tuple[int, int], TrigPolynomial] = {}
    size = np.ones(len(path.bodies))
    for r in reversed(range(len(path.bodies))):
        variables, axes = path_variables(robot, path.bodies[r + 1 :], groups)
        samples = sampled(function, "M", grid(variables, len(robot.bodies)), path.bodies)[:, r, r:]
        table = coefficient_table(variables, samples)
        size[r] = np.abs(table[..., 0]).max()
        for c in range(r, len(path.bodies)):
            entry = table[..., c - r]
            threshold = max(NOISE * np.abs(entry).max(), PAIR_NOISE * float(np.sqrt(size[r] * size[c])))
            chosen, best = fewest_terms(variables, axes, entry, threshold)
            best = np.where(np.abs(best) > threshold, best, 0.0)
            found[path.bodies[r], path.bodies[c]] = polynomial_from_table(chosen, best, noise=0.0)
    return found


def _potential(robot: Robot, path: Path, groups: Sequence[ParallelGroup]) -> TrigPolynomial:
    """Contribution of the bodies of a path to U."""
    variables, _ = path_variables(robot, path.bodies, groups)
    check_size(robot, variables, 1)
    heights = sampled(height_function(robot, path.bodies), "U", grid(variables, len(robot.bodies), 1), path.bodies)
    weights = np.array(
        [[*robot.bodies[b].inertia.first_moment, robot.bodies[b].inertia.m] if b in path.own else [0.0] * 4
         for b in path.bodies]
    )  # fmt: skip
    samples = np.tensordot(heights, weights, axes=2)
    table = coefficient_table(variables, samples, 1)
    return polynomial_from_table(variables, table, 1)


def sampled(function: Function, output: str, q: Array, bodies: Sequence[int]) -> Array:
    """An output of a path's function at positions of all joints, in chunks."""
    here = q[:, list(bodies)]
    return np.concatenate([evaluate(function, {"q": part})[output] for part in _chunks(here)])


def _chunks(q: Array) -> list[Array]:
    return [q[start : start + _CHUNK_STATES] for start in range(0, len(q), _CHUNK_STATES)]


def _rotor_inertias(robot: Robot) -> dict[tuple[int, int], float]:
    """Reflected rotor inertias, upper triangle, by the bodies of the joints."""
    bodies = [i for i, body in enumerate(robot.bodies) if body.joint.mimic is None]
    reflected = robot.drives.reflected_inertia(robot.n)
    return {
        (bodies[i], bodies[j]): reflected[i][j]
        for i in range(robot.n)
        for j in range(i, robot.n)
        if reflected[i][j] != 0.0
    }


def without_noise(parts: Sequence[TrigPolynomial]) -> TrigPolynomial:
    """The sum of polynomials without cancellation residues: below `NOISE` of the largest part, per parameter."""
    sizes: dict[str, float] = {}
    for part in parts:
        for coefficient in part.terms.values():
            for name, value in _numbers(coefficient):
                sizes[name] = max(sizes.get(name, 0.0), abs(value))

    def cleaned(coefficient: Coefficient) -> Coefficient:
        kept = {name: value for name, value in _numbers(coefficient) if abs(value) > NOISE * sizes[name]}
        return Linear(kept) if isinstance(coefficient, Linear) else kept.get("", 0.0)

    return sum(parts, TrigPolynomial()).mapped(cleaned)


def _numbers(coefficient: Coefficient) -> Iterable[tuple[str, float]]:
    """The numbers of a coefficient by parameter; that of a plain number is ''."""
    return coefficient.parts.items() if isinstance(coefficient, Linear) else (("", coefficient),)


def simplified(polynomial: TrigPolynomial, robot: Robot) -> TrigPolynomial:
    """The same function in the variables that give the fewest terms, terms that cancel removed."""
    bodies = polynomial.depends_on
    if not bodies:
        return polynomial
    groups = parallel_groups(robot.canonical.links)
    variables, axes = path_variables(robot, bodies, groups)
    if all(len(group) < 2 for group in axes):
        return polynomial  # every joint is its own variable: nothing to rewrite
    if any(isinstance(c, Linear) for c in polynomial.terms.values()):
        return polynomial  # parametric forms are written in cumulative angles throughout
    samples = np.asarray(polynomial(grid(variables, len(robot.bodies))))
    table = coefficient_table(variables, samples)
    threshold = NOISE * float(max(abs(c) for c in polynomial.terms.values()))
    chosen, best = fewest_terms(variables, axes, table, threshold)
    return polynomial_from_table(chosen, np.where(np.abs(best) > threshold, best, 0.0), noise=0.0)
