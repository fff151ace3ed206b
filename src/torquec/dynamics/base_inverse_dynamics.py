"""Inverse dynamics in base parameters: torques from q, qd, qdd and beta, by the recursion, not by the regressor.

(1)  phi = E beta      standard parameters that give the same torques; those that are dropped or grouped are zero in it
(2)  tau of the recursive Newton-Euler algorithm with phi, plus rotors  t phi (t . qdd)  and friction  t phi f(t . qd)

Because most of phi is zero, the recursion needs fewer operations than with the bodies' own ten parameters each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torquec.dynamics.base_regressor import check_expansion
from torquec.dynamics.friction_regressor import FrictionColumns, friction_regressor
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.mechanism import mechanism, place
from torquec.dynamics.motion import motions
from torquec.robot.robot import Robot
from torquec.spatial import PARAMETER_NAMES, Inertia, Scalar


def base_inverse_dynamics(
    robot: Robot,
    expansion: Sequence[Sequence[float]],
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    beta: Sequence[Scalar],
    *,
    friction: FrictionColumns = FrictionColumns.NONE,
) -> list[Scalar]:
    """Torques (n,) for base parameters beta (b,); `expansion` (p, b) as for `base_regressor`.

    With the robot's own values this is its inverse dynamics; with friction columns it is that plus friction.
    """
    width = len(PARAMETER_NAMES)
    rubbing = friction_regressor(robot, qd, friction)
    bodies, motors = width * len(robot.bodies), len(robot.drives.motors)
    phi = expanded_parameters(robot, expansion, beta, columns=len(rubbing[0]) if rubbing else 0)
    inertias = [Inertia(*phi[width * i : width * (i + 1)]) for i in range(len(robot.bodies))]
    # Rotors are among the parameters here.
    m = replace(mechanism(robot, inertias=inertias), reflected_inertia=())
    placed = place(m, q)
    tau = joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, qd, qdd), qdd)
    for k, row in enumerate(robot.drives.transmission):
        shaft: Scalar = 0.0
        for ratio, acceleration in zip(row, qdd, strict=True):
            if ratio != 0.0:
                shaft = shaft + ratio * acceleration
        for index, ratio in enumerate(row):
            if ratio != 0.0:
                tau[index] = tau[index] + ratio * (phi[bodies + k] * shaft)
    for index, columns in enumerate(rubbing):
        for value, function in zip(phi[bodies + motors :], columns, strict=True):
            tau[index] = tau[index] + value * function
    return tau


def expanded_parameters(
    robot: Robot, expansion: Sequence[Sequence[float]], beta: Sequence[Scalar], *, columns: int = 0
) -> list[Scalar]:
    """phi = E beta (1): ten per body, then rotor inertias, then as many friction parameters as there are `columns`."""
    check_expansion(robot, expansion, len(PARAMETER_NAMES) * len(robot.bodies) + len(robot.drives.motors) + columns)
    return [_combined(row, beta) for row in expansion]


def _combined(row: Sequence[float], beta: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for value, parameter in zip(row, beta, strict=True):
        if value != 0.0:
            total = total + (parameter if value == 1.0 else value * parameter)
    return total
