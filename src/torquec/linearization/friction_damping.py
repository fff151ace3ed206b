"""What friction adds to a linear model: the slopes of its torques by the speeds.

(1)  sum over shafts of  t' f'(t . qd) t,   f' the slope of the shaft's friction terms, t its row
(2)  friction that depends on the load follows the rigid-body torque tau: with P = d(friction)/dtau (`load_gain`), every
     derivative of the rigid-body torque becomes (1 + P) times itself

Dry friction that turns at once has no slope; where a speed changes its sign, a linear model does not hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.friction import terms_of
from torquec.dynamics.friction_torque import load_gain
from torquec.dynamics.shafts import rubbing_shafts
from torquec.robot.robot import Robot
from torquec.spatial import Scalar, product, total


def friction_damping(robot: Robot, qd: Sequence[Scalar], *, load: Sequence[Scalar] | None = None) -> list[list[Scalar]]:
    """d(friction torque)/dqd, (n, n), at the speeds qd (n,) (1); `load` (n,) are the rigid-body torques."""
    slopes: list[list[Scalar]] = [[0.0] * robot.n for _ in range(robot.n)]
    for shaft in rubbing_shafts(robot):
        state = shaft.state(qd, load)
        slope: Scalar = 0.0
        for term in terms_of(shaft.friction):
            slope = total(slope, term.slope(shaft.friction, state))
        for i, left in enumerate(shaft.row):
            for j, right in enumerate(shaft.row):
                slopes[i][j] = total(slopes[i][j], product(left * right, slope))
    return slopes


def with_load_friction(
    robot: Robot, qd: Sequence[Scalar], rigid: Sequence[Scalar], matrices: Sequence[Sequence[Sequence[Scalar]]]
) -> list[list[list[Scalar]]]:
    """Derivatives (n, n) of the rigid-body torque (n,) with what load-dependent friction adds to each (2)."""
    gain = load_gain(robot, qd, rigid)
    found = []
    for matrix in matrices:
        rows = [list(row) for row in matrix]
        for i, factors in enumerate(gain):
            for k, factor in enumerate(factors):
                rows[i] = [total(own, product(factor, other)) for own, other in zip(rows[i], matrix[k], strict=True)]
        found.append(rows)
    return found
