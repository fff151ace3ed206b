"""Quantities of robots with closed loops, projected from those of their tree.

With q the position of the tree, which follows from the independent positions, T the map from independent rates to rates
of the tree, and Td its time derivative (:mod:`torquec.robot.loops`):

(1)  torques         tau = T' tau_tree(q, T qd, T qdd + Td qd)       virtual power: loop forces do no work
(2)  mass matrix     M = T' M_tree T
(3)  Coriolis        C = T' (C_tree T + M_tree Td):  dM/dt - 2 C is skew, as that of the tree is
(4)  values          energies and poses are those of the tree;  Jacobians  J T,  their rates  Jd T + J Td

The decorators extend a function of `dynamics` to closed loops; robots without loops pass through unchanged. A
`ClosedState` is accepted in place of the position: derivatives vary the tree's position along T.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from torquec.robot.loops.closure import ClosedState, Matrix, loop_state, project, times_vector
from torquec.robot.robot import Robot
from torquec.spatial import Scalar

P = ParamSpec("P")
R = TypeVar("R")


def loop_torques(algorithm: Callable[P, R]) -> Callable[P, R]:
    """(1) for torques (n,), and for each column of a regressor (n, p)."""
    return _on_loops(algorithm, _project)


def loop_inertias(algorithm: Callable[P, R]) -> Callable[P, R]:
    """(2) for symmetric matrices, such as the mass matrix."""
    return _on_loops(algorithm, congruent)


def loop_values(algorithm: Callable[P, R]) -> Callable[P, R]:
    """(4) for energies and poses."""
    return _on_loops(algorithm, lambda _, result: result)


def _on_loops(algorithm: Callable[P, R], finish: Callable[[ClosedState, Any], Any]) -> Callable[P, R]:
    """An algorithm of (robot, (frame,) q, qd, qdd) that runs on the tree of a robot with loops."""

    @wraps(algorithm)
    def on_loops(*arguments: P.args, **options: P.kwargs) -> R:
        robot: Any = arguments[0]
        if not robot.dependent:
            return algorithm(*arguments, **options)
        state, given = _on_tree(robot, arguments[1:])
        tree: Callable[..., Any] = algorithm
        result: R = finish(state, tree(robot.tree, *given, **options))
        return result

    return on_loops


def closed_state_of(robot: Robot, q: Any) -> ClosedState:
    """The closed state at independent positions q; a `ClosedState` is returned unchanged."""
    return q if isinstance(q, ClosedState) else loop_state(robot, q)


def congruent(state: ClosedState, matrix: Matrix) -> Matrix:
    """T' A T of a symmetric matrix, both triangles."""
    n = state.robot.n
    half = [times_vector(matrix, [row[k] for row in state.rates]) for k in range(n)]
    upper = [[_column(state, half[j], i) if i <= j else 0.0 for j in range(n)] for i in range(n)]
    return [[upper[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]


def times_rates(matrix: Matrix, rates: Matrix) -> Matrix:
    """Matrix times T."""
    columns = [times_vector(matrix, [row[k] for row in rates]) for k in range(len(rates[0]))]
    return [list(row) for row in zip(*columns, strict=True)]


def project_columns(state: ClosedState, matrix: Matrix) -> Matrix:
    """T' times a matrix."""
    columns = [project(state.rates, list(column)) for column in zip(*matrix, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]


def _on_tree(robot: Robot, arguments: tuple[Any, ...]) -> tuple[ClosedState, tuple[Any, ...]]:
    """The state and the arguments of the tree's algorithm from (frame,) q, qd, qdd of the robot."""
    lead = arguments[:1] if isinstance(arguments[0], str) else ()
    q, *rates = arguments[len(lead) :]
    state = closed_state_of(robot, q)
    given: list[Any] = [state.q]
    if rates:
        given.append(state.rate(rates[0]))
    if len(rates) > 1:
        given.append(state.acceleration(given[1], rates[1]))
    return state, (*lead, *given)


def _project(state: ClosedState, result: list[Any]) -> list[Any]:
    return project_columns(state, result) if isinstance(result[0], list) else state.project(result)


def _column(state: ClosedState, vector: list[Scalar], k: int) -> Scalar:
    return times_vector([[row[k] for row in state.rates]], vector)[0]
