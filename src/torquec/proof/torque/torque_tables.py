"""Coefficient tables of a torque program (M, c, g) over the positions that it reads.

The program computes tau(q, qd, qdd) = M qdd + c(q, qd, qd) + g with c a quadratic form in qd. Evaluations at unit
speeds and accelerations separate the coefficients at each position:

(1)  g = tau(q, 0, 0),   M_j = tau(q, 0, e_j) - g,   c_jj = tau(q, e_j, 0) - g,
     2 c_jk = tau(q, e_j + e_k, 0) - c_jj - c_kk - g
     in rows: M_ij, then c_ijk for j <= k (twice for j < k), then g_i
(2)  each of these is a trigonometric polynomial of degree two in every joint that the program reads, three where terms
     were left out: a grid of positions determines it (:mod:`torquec.closedform.tabulate`)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from torquec.closedform.polynomial import Variable
from torquec.closedform.tabulate import LARGEST_GRID, Degree, coefficient_table, grid, grid_size
from torquec.errors import RobotError
from torquec.expr import Function, Op, evaluate
from torquec.expr.math import apply
from torquec.expr.replay import Replacement, replayed_steps
from torquec.foundation.arrays import Array
from torquec.robot.joints import PositionBasis

if TYPE_CHECKING:
    from torquec.codegen.llvm.callable import NativeFunction

HIGHEST_DEGREE = 6
"""Highest accepted degree in the sine and cosine, or displacement, of any joint. A joint that another one in series
follows with a multiplier of two has it. At higher degrees, boxes have too many control points for a proof."""

_TURN = 32  # samples along one joint that determine the degree: enough to resolve those of multipliers up to seven

_TURNS = 2.0 * np.pi * np.arange(_TURN) / _TURN
_SLIDES = np.cos(np.pi * (np.arange(_TURN) + 0.5) / _TURN)

_PRESENT = 1e-11  # threshold of a harmonic, relative to the largest torque: smaller ones are rounding errors


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
    function: Function, bases: Sequence[PositionBasis], joints: Sequence[int] | None = None, *, degree: Degree = 2
) -> TorqueTables:
    """The tables of a program with inputs q, qd, qdd (n,) and output tau (n,), by (1) and (2).

    `bases` are those of the joint positions (n,); `joints` are those to tabulate over, by default all that the program
    reads. Raises `RobotError` where these are too many.
    """
    variables, positions = _grid_of(function, bases, joints, degree)
    rows = torque_rows(function, positions)
    table = coefficient_table(variables, rows, degree)
    return TorqueTables(variables, table, float(np.abs(rows[..., -1]).max()), degree)


def tables_of_zero(function: Function, bases: Sequence[PositionBasis], *, degree: Degree = 2) -> TorqueTables:
    """Tables of a program minus itself: zero, with its largest torque at rest. Raises as `torque_tables`."""
    variables, positions = _grid_of(function, bases, None, degree)
    still = np.zeros_like(positions)
    at_rest: Array = _native(function)(positions, still, still)
    n = positions.shape[1]
    table = np.zeros((*(1 for _ in variables), n, n + n * (n + 1) // 2 + 1))
    return TorqueTables(variables, table, float(np.abs(at_rest).max()), degree)


def _grid_of(
    function: Function, bases: Sequence[PositionBasis], joints: Sequence[int] | None, degree: Degree
) -> tuple[tuple[Variable, ...], Array]:
    """The variables of a program's tables, and the grid of positions (N, n) that determines them."""
    highest = degree if isinstance(degree, int) else max(degree, default=0)
    if highest > HIGHEST_DEGREE:
        raise RobotError(
            f"the torques are of degree {highest} in the sine and cosine of a joint: bounds are proven up to degree "
            f"{HIGHEST_DEGREE}",
            remedy="lock joints that follow others with a gear, or keep terms of lower degree",
        )
    n = function.input("q").size
    chosen = sorted(positions_read(function)) if joints is None else sorted(joints)
    variables = tuple(Variable(((j, 1),), bases[j]) for j in chosen)
    check_grid(variables, degree)
    return variables, grid(variables, n, degree)


def check_grid(variables: Sequence[Variable], degree: Degree) -> None:
    """Raise `RobotError` where torques of these variables have too large a table."""
    if grid_size(variables, degree) > LARGEST_GRID:
        raise RobotError(
            f"the torques depend on {len(variables)} joint positions, too many to prove a bound on their error",
            remedy="lock joints that hardly matter, such as those of a gripper: --lock JOINT=VALUE, or [lock] of a "
            "project",
        )


def torque_rows(function: Function, q: Array) -> Array:
    """The coefficients (1) of a torque program at positions (N, n): (N, joint, row), rows as in the tables."""
    n = q.shape[1]
    zero, unit = np.zeros(n), np.eye(n)
    native = _native(function)

    def torque(qd: Array, qdd: Array) -> Array:
        result: Array = native(q, np.array(np.broadcast_to(qd, q.shape)), np.array(np.broadcast_to(qdd, q.shape)))
        return result

    at_rest = torque(zero, zero)
    rows = [torque(zero, unit[j]) - at_rest for j in range(n)]
    squares = [torque(unit[j], zero) - at_rest for j in range(n)]
    for j in range(n):
        rows.append(squares[j])
        rows += [torque(unit[j] + unit[k], zero) - squares[j] - squares[k] - at_rest for k in range(j + 1, n)]
    rows.append(at_rest)
    return np.stack(rows, axis=-1)


@lru_cache(
    maxsize=4
)  # a proof, the check before it and the count of terms after it share their programs: each is compiled once
def _native(function: Function) -> NativeFunction:
    from torquec.codegen.llvm.callable import compile_function  # `accepts` needs no compiler

    return compile_function(function)


def positions_read(function: Function) -> set[int]:
    """Which elements of q a program reads."""
    return {step.element for step in function.operations if step.op is Op.INPUT and step.port == "q"}


def position_degrees(function: Function, bases: Sequence[PositionBasis], *, least: int = 2) -> tuple[int, ...]:
    """The degree of a torque program in the sine and cosine, or displacement, of every joint (n,), `least` or more.

    It is the highest harmonic of the torques along each joint, at random values of everything else. A harmonic that
    vanishes there vanishes everywhere (a polynomial that is zero at a random point is zero); the checker verifies it.
    """
    torques = evaluate(function, _along_joints(function, bases))["tau"]
    return tuple(_degrees(function, bases, torques[None], least)[0].tolist())


def degrees_of_replacements(
    function: Function, bases: Sequence[PositionBasis], replaced: Sequence[Mapping[int, Replacement]]
) -> tuple[tuple[int, ...], ...]:
    """The degrees, two or more, of a program with some steps replaced, for many choices at once.

    Faster than building the programs: every choice is one row in the values of a step.
    """
    state = _along_joints(function, bases)
    shape = (len(replaced), len(state["q"]))
    by_step: dict[int, list[int]] = {}
    for row, choice in enumerate(replaced):
        for k in choice:
            by_step.setdefault(k, []).append(row)

    def with_rows(k: int, rows: Sequence[int]) -> Replacement:
        step = function.operations[k]

        def value(values: list[Any]) -> Array:
            own = np.array(np.broadcast_to(apply(step.op, *[values[a] for a in step.args]), shape))
            for row in rows:
                own[row] = replaced[row][k](_Row(values, row))
            return own

        return value

    inputs = {name: list(x.T) for name, x in state.items()}
    values = replayed_steps(function, inputs, replaced={k: with_rows(k, rows) for k, rows in by_step.items()})
    torques = np.stack([np.broadcast_to(values[k], shape) for k in function.results[0]], axis=-1)
    return tuple(map(tuple, _degrees(function, bases, torques, 2).tolist()))


@dataclass(frozen=True)
class _Row:
    """Values of the steps for one of many choices."""

    values: Sequence[Any]
    row: int

    def __getitem__(self, k: int) -> Any:
        value = self.values[k]
        return value[self.row] if isinstance(value, np.ndarray) and value.ndim == 2 else value


def degrees_of_changes(
    function: Function, bases: Sequence[PositionBasis], changes: Sequence[Mapping[int, float]]
) -> tuple[tuple[int, ...], ...]:
    """The degrees, two or more, of a program with other constants, for many choices of these at once."""
    state = _along_joints(function, bases)
    changed = {k for change in changes for k in change}
    constants = {
        k: np.array([change.get(k, function.operations[k].value) for change in changes])[:, None] for k in changed
    }
    values = replayed_steps(function, {name: list(x.T) for name, x in state.items()}, constants=constants)
    shape = (len(changes), len(state["q"]))
    torques = np.stack([np.broadcast_to(values[k], shape) for k in function.results[0]], axis=-1)
    return tuple(map(tuple, _degrees(function, bases, torques, 2).tolist()))


def _along_joints(function: Function, bases: Sequence[PositionBasis]) -> dict[str, Array]:
    """Motions (joints * _TURN, n) along every joint that is read, at random values of everything else."""
    n = function.input("q").size
    joints = sorted(positions_read(function))
    rng = np.random.default_rng(11)
    q, qd, qdd = (np.repeat(rng.uniform(-2.0, 2.0, (len(joints), 1, n)), _TURN, axis=1) for _ in range(3))
    for row, joint in enumerate(joints):
        q[row, :, joint] = _TURNS if bases[joint].is_periodic else _SLIDES
    return {name: x.reshape(-1, n) for name, x in (("q", q), ("qd", qd), ("qdd", qdd))}


def _degrees(function: Function, bases: Sequence[PositionBasis], torques: Array, least: int) -> Array:
    """The degrees (choices, n) of torques (choices, joints * _TURN, n) at these motions."""
    joints = sorted(positions_read(function))
    choices, _, n = torques.shape
    along = torques.reshape(choices, len(joints), _TURN, n)
    found = np.full((choices, n), least)
    orders = np.arange(_TURN)
    for row, joint in enumerate(joints):
        size = np.abs(along[:, row]).max(axis=(1, 2)) + 1e-300
        if bases[joint].is_periodic:
            waves = np.abs(np.fft.rfft(along[:, row], axis=1))
        else:
            waves = np.abs(np.polynomial.chebyshev.chebvander(_SLIDES, _TURN - 1).T @ along[:, row])
        content = waves * (2.0 / _TURN)
        present = (content > _PRESENT * size[:, None, None]).any(axis=2)
        highest = np.where(present, orders[: present.shape[1]], 0).max(axis=1)
        found[:, joint] = np.maximum(found[:, joint], highest)
    return found
