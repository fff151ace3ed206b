"""Cartesian (operational-space) linear models: forces and displacements of a frame instead of torques and angles.

With the Jacobian J of the frame, dx = J dq the displacement and small turn of the frame in base axes, and forces that
do the same work, dtau = J' dF:

(1)  dx = J dq,    dxd = J dqd + Jd dq,    dxdd = J dqdd + 2 Jd dqd + Jdd dq                  (xd = dx/dt and so on)
(2)  dF = Mx dxdd + Cx dxd + Kx dx   with   P = J^-1,
       Mx = P' M P,    Cx = P' (C - 2 M P Jd) P,    Kx = P' (K - C P Jd - M P (Jdd - 2 Jd P Jd)) P
(3)  Jdd = d(Jd)/dq qd + d(Jd)/dqd qdd, by complex steps of the Jacobian's derivative

Li (1991), Balafoutis & Patel (1989).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from torquec.errors import ArgumentError, RobotError
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.linearization.linearize import LinearModel
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot

_LARGEST_CONDITION = 1e8  # half of the digits of a double: beyond it the configuration counts as singular
_COMPLEX_STEP = 1e-30  # complex step: no difference is taken, so no cancellation


class FrameDirection(IntEnum):
    """A row of the Jacobian: displacement along, or turn about, a base axis."""

    X = 0
    Y = 1
    Z = 2
    TURN_X = 3
    TURN_Y = 4
    TURN_Z = 5


@dataclass(frozen=True, eq=False)
class CartesianModel:
    """Mx, Cx, Kx of (2), (m, m) in the order of `directions`, and the state matrices of (dx, dxd) under dF."""

    frame: str
    directions: tuple[FrameDirection, ...]
    M: Array
    C: Array
    K: Array
    A: Array
    B: Array


def cartesian_linear_model(
    source: Robot | Model,
    model: LinearModel,
    frame: str,
    *,
    directions: Sequence[FrameDirection | str] = tuple(FrameDirection),
) -> CartesianModel:
    """The model (2) of a frame; `directions` are as many as the robot has joints, all six unless given.

    Raises `ArgumentError` for another number of directions or an unknown frame, `RobotError` where the Jacobian is
    singular.
    """
    arm = as_model(source)
    robot = arm.robot
    ways = tuple(chosen(FrameDirection, d, "direction") for d in directions)
    if len(set(ways)) != len(ways) or len(ways) != robot.n:
        raise ArgumentError(
            f"{len(set(ways))} directions for {robot.n} joints",
            where=f"robot '{robot.name}'",
            remedy=f"choose {robot.n} different ones of {', '.join(d.name for d in FrameDirection)}",
        )
    rows = [int(d) for d in ways]
    q, qd = list(model.q), list(model.qd)
    J = np.array(arm.at(f"jacobian:{frame}", q), dtype=np.float64)[rows]
    Jd = np.array(arm.at(f"jacobian_derivative:{frame}", q, qd), dtype=np.float64)[rows]
    Jdd = _second_derivative(arm, model, frame)[rows]
    P = _inverse(robot, model, frame, J)
    M = P.T @ model.M @ P
    C = P.T @ (model.C - 2.0 * model.M @ P @ Jd) @ P
    K = P.T @ (model.K - model.C @ P @ Jd - model.M @ P @ (Jdd - 2.0 * Jd @ P @ Jd)) @ P
    n = robot.n
    A = np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), -np.linalg.solve(M, np.hstack([K, C]))])
    return CartesianModel(frame, ways, M, C, K, A, np.vstack([np.zeros((n, n)), np.linalg.inv(M)]))


def _second_derivative(arm: Model, model: LinearModel, frame: str) -> Array:
    """(3): one complex step along the motion."""
    q = [complex(x, _COMPLEX_STEP * v) for x, v in zip(model.q, model.qd, strict=True)]
    qd = [complex(v, _COMPLEX_STEP * a) for v, a in zip(model.qd, model.qdd, strict=True)]
    moved = np.array(arm.at(f"jacobian_derivative:{frame}", q, qd), dtype=np.complex128)
    result: Array = np.imag(moved) / _COMPLEX_STEP
    return result


def _inverse(robot: Robot, model: LinearModel, frame: str, J: Array) -> Array:
    condition = np.linalg.cond(J)
    if not condition < _LARGEST_CONDITION:
        _, _, rows = np.linalg.svd(J)
        idle = max(zip(np.abs(rows[-1]), robot.joint_names, strict=True))[1]
        raise RobotError(
            f"the Jacobian of frame '{frame}' is singular at q = ({', '.join(f'{x:.4g}' for x in model.q)}), "
            f"condition {condition:.2g}: mostly joint '{idle}' moves without effect on the chosen directions",
            where=f"robot '{robot.name}'",
            remedy="stay away from this position, or choose other directions",
        )
    return np.asarray(np.linalg.inv(J), dtype=np.float64)
