"""Derivatives of inverse dynamics of robots with closed loops.

The projected torques are a function F(q, qd, qdd) of the tree's position q and of independent rates, and q moves along
T when the independent joints do, so that nothing is differentiated through Newton steps:

(1)  dtau/dq_i = (dF/dq) N(q) T,     dtau/dqd = dF/dqd,      N the rate map of the tree's joints

by differentiating the program (:mod:`torquec.expr.differentiate`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torquec.dynamics.closed_loops import closed_state_of, times_rates
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.expr.differentiate import jacobian_nodes
from torquec.expr.replay import replay
from torquec.expr.trace import trace
from torquec.robot.configuration import rate_map
from torquec.robot.loops.closure import ClosedState
from torquec.robot.robot import Robot
from torquec.spatial import Scalar


def loop_torque_derivatives(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """dtau/dq and dtau/dqd (1), (n, n) each, over any scalar."""
    nq = robot.tree.nq

    def program(**nodes: Any) -> dict[str, Any]:
        at = nodes["q"]
        state: Any = ClosedState(robot, list(at))
        torques = inverse_dynamics(robot, state, nodes["qd"], nodes["qdd"])
        rows = jacobian_nodes([0.0 * at[0] + torque for torque in torques], [*at, *nodes["qd"]])
        maps = rate_map(robot.tree, at)
        by_q = [[_row_sum(row[:nq], column) for column in maps] for row in rows]
        return {"by_q": times_rates(by_q, state.rates), "by_qd": [row[nq:] for row in rows]}

    function = trace("derivatives", program, {"q": (nq,), "qd": (robot.n,), "qdd": (robot.n,)})
    found = replay(function, {"q": closed_state_of(robot, q).q, "qd": qd, "qdd": qdd})
    return found["by_q"], found["by_qd"]


def _row_sum(row: Sequence[Scalar], column: Mapping[int, Scalar]) -> Scalar:
    total: Scalar = 0.0
    for k, value in column.items():
        total = total + row[k] * value
    return total
