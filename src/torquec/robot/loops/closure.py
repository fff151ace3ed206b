"""Dependent joints as functions of the independent ones, over any scalar: positions, rates, accelerations.

With the positions q_i of the independent joints, e the gaps of the chosen equations and J_i, J_d their Jacobian:

(1)  positions:      first guess from the predictions, then a fixed number of Newton steps  q_d <- q_d - J_d^-1 e
(2)  rates:          v = T v_i,   T = (1; -J_d^-1 J_i)
(3)  accelerations:  vd = T vd_i + b(v, v),   b(v, u) = (0; -J_d^-1 bias(v, u)),  bias bilinear in v, u (`equations`)
(4)  rate of T:      column k of Td is b(v, column k of T)

Dependent rates are eliminated as straight-line code, in an order of pivots that is chosen once for the whole range of a
robot (:mod:`torquec.robot.loops.independent`). Entries that a row does not have cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from torquec.expr.math import absolute, apply, maximum, sincos
from torquec.expr.ops import Op
from torquec.robot.configuration import check_position
from torquec.robot.loops.closed_loops import ClosedLoops, LoopPrediction
from torquec.robot.loops.equations import LoopEquation, Row, joint_places, loop_equations
from torquec.robot.robot import Robot
from torquec.robot.tuning import TUNING
from torquec.spatial import Scalar

Matrix = list[list[Scalar]]


@dataclass(frozen=True)
class ClosedState:
    """A position q (nq of the tree) at which the loops are closed, and the maps of rates there."""

    robot: Robot
    q: list[Scalar]

    @cached_property
    def rates(self) -> Matrix:
        """T (nv of the tree, n) of (2)."""
        tree, loops = self.robot.tree, closed(self.robot)
        found: Matrix = [[0.0] * self.robot.n for _ in range(tree.n)]
        rows = [equation.row for equation in self._equations]
        for k, column in enumerate(independent_rates(self.robot)):
            found[column][k] = 1.0
            for guess in loops.predictions:
                if guess.exact and column in guess.inputs:
                    found[guess.rate][k] = guess.coefficients[guess.inputs.index(column)]
            right = {r: -rows[r][column] for r, _ in loops.pivots if column in rows[r]}
            for rate, value in self._system.solve(right).items():
                found[rate][k] = value
        return found

    def rate(self, qd: Sequence[Scalar]) -> list[Scalar]:
        """Rates of the tree (2)."""
        return times_vector(self.rates, qd)

    def bias(self, v: Sequence[Scalar], u: Sequence[Scalar]) -> list[Scalar]:
        """b(v, u) of (3) for rates v, u of the tree."""
        loops = closed(self.robot)
        equations = loop_equations(self.robot.tree, loops.file, self.q, (v, u))
        found: list[Scalar] = [0.0] * len(v)
        for rate, value in self._system.solve({r: -equations[r].bias for r, _ in loops.pivots}).items():
            found[rate] = value
        return found

    def acceleration(self, v: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
        """Accelerations of the tree (3) at its rates v."""
        return [own + more for own, more in zip(times_vector(self.rates, qdd), self.bias(v, v), strict=True)]

    def rates_derivative(self, v: Sequence[Scalar]) -> Matrix:
        """Td (nv of the tree, n) at rates v of the tree (4)."""
        columns = [self.bias(v, [row[k] for row in self.rates]) for k in range(self.robot.n)]
        return [list(row) for row in zip(*columns, strict=True)]

    def project(self, effort: Sequence[Scalar]) -> list[Scalar]:
        """Generalized forces T' f of the independent rates, from the forces f of the tree's rates."""
        return project(self.rates, effort)

    def gaps(self) -> list[Scalar]:
        """The gaps of all equations, redundant ones too."""
        return [equation.gap for equation in self._equations]

    @cached_property
    def _equations(self) -> list[LoopEquation]:
        return loop_equations(self.robot.tree, closed(self.robot).file, self.q)

    @cached_property
    def _system(self) -> LoopElimination:
        return LoopElimination([equation.row for equation in self._equations], closed(self.robot).pivots)


def loop_state(robot: Robot, q: Sequence[Scalar]) -> ClosedState:
    """The tree's position (1) at the positions q (nq) of the independent joints."""
    check_position(robot, q)
    loops, tree = closed(robot), robot.tree
    guessed: list[Scalar] = list(loops.start)
    given, k = iter(q), 0
    moves: dict[int, Scalar] = {}
    for joint in tree.joints:
        if joint.name not in loops.dependent:
            guessed[k : k + joint.kind.nq] = [next(given) for _ in range(joint.kind.nq)]
        k += joint.kind.nq
    at = _rate_positions(tree)
    for guess in loops.predictions:
        moves[guess.rate] = (_linear if guess.exact else _polynomial)(guess, loops, guessed, at)
    found = moved(tree, guessed, moves)
    for _ in range(loops.newton_steps):
        equations = loop_equations(tree, loops.file, found)
        system = LoopElimination([equation.row for equation in equations], loops.pivots)
        step = system.solve({r: -equations[r].gap for r, _ in loops.pivots})
        found = moved(tree, found, step)
    return ClosedState(robot, found)


def closed(robot: Robot) -> ClosedLoops:
    """The loops of a robot that has closed loops."""
    assert robot.loops is not None
    return robot.loops


def independent_rates(robot: Robot) -> list[int]:
    """Indices of the independent rates among those of the tree."""
    loops, k = closed(robot), 0
    found: list[int] = []
    for joint in robot.tree.joints:
        if joint.name not in loops.dependent:
            found += range(k, k + joint.kind.nv)
        k += joint.kind.nv
    return found


def moved(tree: Robot, q: Sequence[Scalar], step: Row) -> list[Scalar]:
    """The tree's position after displacements of some rates; other joints stay as they are."""
    found, position, rate = list(q), 0, 0
    for joint in tree.joints:
        kind = joint.kind
        own = [step.get(rate + k) for k in range(kind.nv)]
        if any(each is not None for each in own):
            at = slice(position, position + kind.nq)
            found[at] = kind.integrate(q[at], [0.0 if each is None else each for each in own])
        position, rate = position + kind.nq, rate + kind.nv
    return found


def times_vector(matrix: Matrix, vector: Sequence[Scalar]) -> list[Scalar]:
    """Matrix times vector; zeros and ones of the matrix cost nothing."""
    return [_sum(row, vector) for row in matrix]


def project(matrix: Matrix, vector: Sequence[Scalar]) -> list[Scalar]:
    """Transposed matrix times vector."""
    return [_sum([row[k] for row in matrix], vector) for k in range(len(matrix[0]))]


def _sum(row: Sequence[Scalar], vector: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for a, b in zip(row, vector, strict=True):
        if isinstance(a, float):
            if a == 0.0:
                continue
            part = b if a == 1.0 else a * b
        else:
            part = a * b
        total = part if isinstance(total, float) and total == 0.0 else total + part
    return total


def _rate_positions(tree: Robot) -> dict[int, int]:
    """Index in q of each one-coordinate joint's position, by its rate."""
    places = joint_places(tree)
    own = zip(tree.bodies, places, strict=True)
    return {place.rate: place.position for body, place in own if body.joint.kind.nv == 1 and body.joint.mimic is None}


def _linear(guess: LoopPrediction, loops: ClosedLoops, q: Sequence[Scalar], at: dict[int, int]) -> Scalar:
    """An exact prediction: slopes times displacements of its inputs from the start."""
    total: Scalar = -sum(c * loops.start[at[rate]] for rate, c in zip(guess.inputs, guess.coefficients, strict=True))
    for rate, slope in zip(guess.inputs, guess.coefficients, strict=True):
        total = total + slope * q[at[rate]]
    return total


def _polynomial(guess: LoopPrediction, loops: ClosedLoops, q: Sequence[Scalar], at: dict[int, int]) -> Scalar:
    spans = {rate: (center, half) for rate, center, half in loops.ranges}
    turning = {rate for rate, turns in zip(guess.inputs, guess.periodic, strict=True) if turns}
    powers: dict[tuple[int, int], Scalar] = {}
    for rate in guess.inputs:
        if rate in turning:
            powers[rate, 0], powers[rate, -1] = 1.0, 0.0
            powers[rate, 2], powers[rate, 1] = sincos(q[at[rate]])
        else:
            powers[rate, 1] = (q[at[rate]] - spans[rate][0]) * (1.0 / spans[rate][1])

    def power(rate: int, exponent: int) -> Scalar:
        if (rate, exponent) not in powers:
            if rate in turning:  # cos (k+1)q = 2 cos q cos kq - cos (k-1)q, and so the sine
                before = exponent - 4 if exponent > 3 else (0 if exponent == 3 else -1)
                powers[rate, exponent] = (2.0 * powers[rate, 1]) * power(rate, exponent - 2) - power(rate, before)
            else:
                powers[rate, exponent] = power(rate, exponent - 1) * powers[rate, 1]
        return powers[rate, exponent]

    total: Scalar = 0.0
    for rate, winding in zip(guess.inputs, guess.windings, strict=True):
        if winding:
            total = total + winding * (q[at[rate]] - loops.start[at[rate]])
    for exponents, coefficient in zip(guess.powers, guess.coefficients, strict=True):
        term: Scalar = coefficient
        for rate, exponent in zip(guess.inputs, exponents, strict=True):
            if exponent:
                term = term * power(rate, exponent)
        total = total + term
    return total


@dataclass(frozen=True)
class LoopClosure:
    """Solution of the loop equations: positions (nq of the tree) of all joints, and the largest remaining gap [m, rad].

    A gap within rounding error is given as `TUNING.closed_gap`.
    """

    positions: list[Scalar]
    gap: Scalar


def loop_closure(robot: Robot, q: Sequence[Scalar]) -> LoopClosure:
    """All joint positions at the independent positions q (nq,), and the largest gap of the equations that were solved.

    A gap above rounding means that the Newton steps did not converge: the loops cannot close at q, or q lies beyond a
    singular configuration. A robot without loops has its own positions and no gap.
    """
    if not robot.dependent:
        return LoopClosure(list(q), 0.0 * q[0] + TUNING.closed_gap)
    state = loop_state(robot, q)
    solved = closed(robot).pivots
    gaps = state.gaps()
    largest: Scalar = TUNING.closed_gap
    for r, _ in solved:
        largest = maximum(largest, absolute(gaps[r]))
    return LoopClosure(state.q, largest)


def closed_at(robot: Robot) -> tuple[tuple[str, float], ...]:
    """Names and assembled positions of all joints with one coordinate that follow no other joint."""
    loops, found, k = closed(robot), [], 0
    for joint in robot.tree.joints:
        if joint.kind.nv == 1 and loops.start:
            found.append((joint.name, loops.start[k]))
        k += joint.kind.nq
    return tuple(found)


class LoopElimination:
    """Factors of the equations' Jacobian by dependent rates, for any number of right-hand sides.

    >>> system = LoopElimination([{0: 2.0, 1: 1.0}, {0: 1.0, 1: 1.0}], [(0, 0), (1, 1)])
    >>> system.solve({0: 5.0, 1: 3.0})
    {1: 1.0, 0: 2.0}
    """

    def __init__(self, rows: Sequence[Row], pivots: Sequence[tuple[int, int]]) -> None:
        columns = [column for _, column in pivots]
        work = {r: {c: rows[r][c] for c in columns if c in rows[r]} for r, _ in pivots}
        self._steps: list[tuple[int, int, Scalar, Row, list[tuple[int, Scalar]]]] = []
        for k, (r, c) in enumerate(pivots):
            row = work[r]
            inverse = apply(Op.DIV, 1.0, row.pop(c, 0.0))  # infinite at a singular configuration
            factors = []
            for other, _ in pivots[k + 1 :]:
                target = work[other]
                if c in target:
                    factor = target.pop(c) * inverse
                    for column, value in row.items():
                        part = factor * value
                        target[column] = target[column] - part if column in target else -part
                    factors.append((other, factor))
            self._steps.append((r, c, inverse, row, factors))

    def solve(self, right: Mapping[int, Scalar]) -> Row:
        """The dependent values, by rate, that solve the rows for right-hand sides given by equation."""
        side = dict(right)
        for r, _, _, _, factors in self._steps:
            if r in side:
                for other, factor in factors:
                    part = factor * side[r]
                    side[other] = side[other] - part if other in side else -part
        found: Row = {}
        for r, c, inverse, row, _ in reversed(self._steps):
            total = side.get(r)
            for column, value in row.items():
                if column in found:
                    part = value * found[column]
                    total = -part if total is None else total - part
            if total is not None:
                found[c] = total * inverse
        return found
