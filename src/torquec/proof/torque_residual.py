"""What a simplified program leaves out: the difference of two torque programs, taken apart into its coefficients.

Both programs compute tau(q, qd, qdd) = M qdd + c(q, qd, qd) + g with c a quadratic form in qd. Their difference has
the same form, and evaluations at unit speeds and accelerations take it apart at each position:

(1)  dg = d(q, 0, 0),   dM_j = d(q, 0, e_j) - dg,   dc_jj = d(q, e_j, 0) - dg,   2 dc_jk = d(q, e_j + e_k, 0) - dc_jj
     - dc_kk - dg
(2)  each of these is a trigonometric polynomial of degree two in every joint that the programs read: a grid of
     positions determines it (:mod:`torquec.closedform.tabulate`)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.closedform.polynomial import Variable
from torquec.closedform.tabulate import LARGEST_GRID, Degree, basis_powers, coefficient_table, grid, grid_size
from torquec.codegen.llvm.callable import compile_function
from torquec.errors import RobotError
from torquec.expr import Function, Op, evaluate
from torquec.foundation.arrays import Array
from torquec.proof.bernstein import basis_degree

HIGHEST_DEGREE = 3
"""In the sine and cosine, or displacement, of any joint: boxes of a higher degree have more control points than a proof
can manage."""

_TURN = 12
"""Values along one joint from which the degree is read."""

_NOISE = 2e-14
"""Coefficients of the difference this small, relative to the largest torque on the grid, are taken as zero; what was
taken away is kept as `dropped`, and counts in every bound."""


_ROUNDING = 2e-13
"""Part of the largest torque at rest that a row may be off by, for each variable three times as much."""


@dataclass(frozen=True)
class TorqueResidual:
    """Coefficient tables of the difference of two programs.

    `tables[i]` belongs to joint i: (n + n(n+1)/2 + 1, basis, ..) with rows dM_ij, then dc_ijk for j <= k (twice for
    j < k), then dg_i, over the basis {1, C, S, S^2, C S} (or {1, q, q^2}) of each variable. `dropped[i]` bounds what
    rounding noise was removed from each row.
    """

    variables: tuple[Variable, ...]
    tables: tuple[Array, ...]
    dropped: tuple[Array, ...]
    n: int
    size: float
    degree: Degree

    @property
    def rounding(self) -> float:
        """What every row may be off by: more than the checker allows for the rounding of both programs.

        The checker's allowance grows with the number of variables as its grid's Lebesgue constant, two to each power.
        """
        return _ROUNDING * 3.0 ** len(self.variables) * self.size

    def smallest_table(self, joint: int) -> tuple[Array, tuple[Variable, ...]]:
        """A joint's table over the variables that its error depends on, each of no higher degree than it has."""
        table = self.tables[joint]
        kept: list[Variable] = []
        for axis in reversed(range(len(self.variables))):
            variable = self.variables[axis]
            highest = basis_degree(variable, table.shape[axis + 1])
            sizes = [1, *(len(basis_powers(variable, degree)) for degree in range(1, highest + 1))]
            size = next(s for s in sizes if not np.any(np.take(table, range(s, sizes[-1]), axis=axis + 1)))
            if size == 1:
                table = np.take(table, 0, axis=axis + 1)
            else:
                table = np.take(table, range(size), axis=axis + 1)
                kept.insert(0, variable)
        return table, tuple(kept)

    def dependence(self, joint: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The joints whose positions a joint's error depends on, and its degrees in them."""
        table, variables = self.smallest_table(joint)
        sizes = zip(variables, table.shape[1:], strict=True)
        return tuple(v.joints[0][0] for v in variables), tuple(basis_degree(v, size) for v, size in sizes)

    def weights(self, velocity: Sequence[float], acceleration: Sequence[float]) -> Array:
        """What each row is multiplied by: the largest accelerations, products of speeds, one for gravity."""
        speeds = [velocity[j] * velocity[k] for j in range(self.n) for k in range(j, self.n)]
        return np.array([*acceleration, *speeds, 1.0])


@dataclass(frozen=True)
class TorqueTables:
    """The coefficients of a torque program on the product basis: (basis, .., joint, row), and its largest torque at
    rest.
    """

    variables: tuple[Variable, ...]
    table: Array
    size: float
    degree: Degree


def torque_tables(
    function: Function, prismatic: Sequence[bool], joints: Sequence[int] | None = None, *, degree: Degree = 2
) -> TorqueTables:
    """The tables of a program with inputs q, qd, qdd (n,) and output tau (n,), by (1) and (2).

    `prismatic` says which joints translate, `joints` which positions to tabulate over (those that it reads). Raises
    `RobotError` where these are too many.
    """
    highest = degree if isinstance(degree, int) else max(degree, default=0)
    if highest > HIGHEST_DEGREE:
        raise RobotError(
            f"the torques are of degree {highest} in the sine and cosine of a joint: bounds are proven up to degree "
            f"{HIGHEST_DEGREE}",
            remedy="lock joints that follow others with a gear, or keep terms of lower degree",
        )
    n = function.input("q").size
    chosen = sorted(positions_read(function)) if joints is None else sorted(joints)
    variables = tuple(Variable(((j, 1),), prismatic[j]) for j in chosen)
    if grid_size(variables, degree) > LARGEST_GRID:
        raise RobotError(
            f"the torques depend on {len(variables)} joint positions, too many to prove a bound on their error",
            remedy="simplify a robot of at most nine joints, or lock some of them",
        )
    positions = grid(variables, n, degree)
    zero, unit = np.zeros(n), np.eye(n)

    native = compile_function(function)

    def torque(qd: Array, qdd: Array) -> Array:
        shape = positions.shape
        result: Array = native(positions, np.array(np.broadcast_to(qd, shape)), np.array(np.broadcast_to(qdd, shape)))
        return result

    at_rest = torque(zero, zero)
    rows = [torque(zero, unit[j]) - at_rest for j in range(n)]
    squares = [torque(unit[j], zero) - at_rest for j in range(n)]
    for j in range(n):
        rows.append(squares[j])
        rows += [torque(unit[j] + unit[k], zero) - squares[j] - squares[k] - at_rest for k in range(j + 1, n)]
    rows.append(at_rest)
    table = coefficient_table(variables, np.stack(rows, axis=-1), degree)
    return TorqueTables(variables, table, float(np.abs(at_rest).max()), degree)


def torque_residual(exact: TorqueTables, simplified: TorqueTables) -> TorqueResidual:
    """The difference of two programs' tables over the same variables."""
    table = exact.table - simplified.table
    n = table.shape[-2]
    noise = np.abs(table) < _NOISE * max(exact.size, 1.0)
    removed = np.where(noise, np.abs(table), 0.0)
    table = np.where(noise, 0.0, table)
    return TorqueResidual(
        exact.variables,
        tuple(np.ascontiguousarray(np.moveaxis(table[..., i, :], -1, 0)) for i in range(n)),
        tuple(removed[..., i, :].reshape(-1, table.shape[-1]).sum(axis=0) for i in range(n)),
        n,
        max(exact.size, 1.0),
        exact.degree,
    )


def positions_read(function: Function) -> set[int]:
    """Which elements of q a program reads."""
    return {step.element for step in function.operations if step.op is Op.INPUT and step.port == "q"}


def position_degrees(function: Function, prismatic: Sequence[bool]) -> tuple[int, ...]:
    """The degree of a torque program in the sine and cosine, or displacement, of every joint (n,), at least two.

    Torques along each joint's turn, at random values of everything else, have no harmonics above it. What cancels for
    these cancels always (a polynomial that is zero at a random point is zero); the proof's checker looks again.
    """
    n = function.input("q").size
    joints = sorted(positions_read(function))
    rng = np.random.default_rng(11)
    turns = 2.0 * np.pi * np.arange(_TURN) / _TURN
    slides = np.cos(np.pi * (np.arange(_TURN) + 0.5) / _TURN)
    q, qd, qdd = (np.repeat(rng.uniform(-2.0, 2.0, (len(joints), 1, n)), _TURN, axis=1) for _ in range(3))
    for row, joint in enumerate(joints):
        q[row, :, joint] = slides if prismatic[joint] else turns
    state = {name: x.reshape(-1, n) for name, x in (("q", q), ("qd", qd), ("qdd", qdd))}
    torques = evaluate(function, state)["tau"].reshape(len(joints), _TURN, n)
    found = [2] * n
    for row, joint in enumerate(joints):
        size = np.abs(torques[row]).max() + 1e-300
        if prismatic[joint]:
            content = np.abs(np.polynomial.chebyshev.chebvander(slides, _TURN - 1).T @ torques[row]) * (2.0 / _TURN)
        else:
            content = np.abs(np.fft.rfft(torques[row], axis=0)) * (2.0 / _TURN)
        present = np.flatnonzero((content > 1e-11 * size).any(axis=1))
        found[joint] = max(2, int(present.max(initial=0)))
    return tuple(found)
