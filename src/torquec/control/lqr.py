"""Linear quadratic regulator (LQR) along a trajectory: time-varying gains, one matrix per sample.

(1)  cost = sum over samples of h (x' Q x + u' R u),  x = (q - q_ref, qd - qd_ref),  u = tau - tau_ref
(2)  x_k+1 = Phi_k x_k + Psi_k u_k: the robot linearized at each sample, zero-order hold (`zero_order_hold`)
(3)  backwards:  S = (R h + Psi' P Psi)^-1 Psi' P Phi,   P <- Q h + Phi' P (Phi - Psi S)
(4)  terminal P: that of the infinite-horizon regulator at the last sample, by doubling
(5)  tau = tau_ref + S (e, ed),    e = q_ref - q,  ed = qd_ref - qd
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.control.controller import Controller, Schedule, designed_controller
from torquec.control.law_options import ControllerOptions, LawDesign, LawKind, LqrWeights
from torquec.control.model_terms import (
    FrictionAt,
    FrictionCompensation,
    added,
    errors_of,
    friction_compensation,
    rigid_torque,
)
from torquec.control.poles import zero_order_hold
from torquec.errors import RobotError
from torquec.foundation.arrays import Array
from torquec.linearization.linearize import linearize_along
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot
from torquec.trajectory import Trajectory, check_joints

_FRICTION = FrictionCompensation()
_MOST_DOUBLINGS = 60  # 2^60 samples: every stable loop has converged by then


def lqr(
    source: Robot | Model,
    trajectory: Trajectory,
    weights: LqrWeights,
    *,
    friction: FrictionCompensation | FrictionAt | str = _FRICTION,
) -> Controller:
    """The controller (5) for a trajectory with evenly spaced samples; its gains (N, n, 2n) are in `schedule`.

    Raises `ArgumentError` for weights that are not n each and for samples that are not evenly spaced.
    """
    model, loss = as_model(source), friction_compensation(friction)
    robot = model.robot
    check_joints(robot, trajectory)
    weights.check(robot.n)
    period = trajectory.period
    Q = np.diag([*weights.position, *weights.speed]) * period
    R = np.diag(weights.torque) * period
    models = linearize_along(model, trajectory.q, trajectory.qd, trajectory.qdd)
    steps = [zero_order_hold(linear.A, linear.B, period) for linear in models]
    gains = np.empty((len(models), robot.n, 2 * robot.n))
    P = stationary_cost(*steps[-1], Q, R)
    for k in reversed(range(len(models))):
        gains[k], P = riccati_step(*steps[k], Q, R, P)

    def law(**signals: Any) -> dict[str, Any]:
        tau = rigid_torque(model, signals["q_ref"], signals["qd_ref"], signals["qdd_ref"])
        e, ed = errors_of(signals)
        feedback = [sum((gain * x for gain, x in zip(row, [*e, *ed], strict=True)), 0.0) for row in signals["gains"]]
        return {"tau": added(added(tau, loss.torque(model, signals)), feedback)}

    design = LawDesign(LawKind.LQR, ControllerOptions(period=period, friction=loss, weights=weights))
    return designed_controller(model, design, law, schedule=Schedule(trajectory.t, gains))


def riccati_step(Phi: Array, Psi: Array, Q: Array, R: Array, P: Array) -> tuple[Array, Array]:
    """One backward Riccati step (3): the gains S and P of the sample before."""
    gain = np.asarray(np.linalg.solve(R + Psi.T @ P @ Psi, Psi.T @ P @ Phi), dtype=np.float64)
    before = Q + Phi.T @ P @ (Phi - Psi @ gain)
    return gain, 0.5 * (before + before.T)


def stationary_cost(Phi: npt.ArrayLike, Psi: npt.ArrayLike, Q: npt.ArrayLike, R: npt.ArrayLike) -> Array:
    """P of the infinite-horizon regulator (4): the stabilizing solution of the discrete Riccati equation.

    Structure-preserving doubling: step k has the cost of 2^k samples. Raises `RobotError` where it does not converge.

    >>> float(stationary_cost([[1.0]], [[1.0]], [[1.0]], [[1.0]])[0, 0].round(12))
    1.61803398875
    """
    a, psi = np.asarray(Phi, dtype=np.float64), np.asarray(Psi, dtype=np.float64)
    h = np.asarray(Q, dtype=np.float64)
    g = psi @ np.linalg.solve(np.asarray(R, dtype=np.float64), psi.T)
    one = np.eye(len(a))
    for _ in range(_MOST_DOUBLINGS):
        w = np.linalg.solve(one + g @ h, np.hstack([a, g]))
        left, right = w[:, : len(a)], w[:, len(a) :]
        grown = a.T @ h @ left
        g = g + a @ right @ a.T
        h, a = h + grown, a @ left
        h, g = 0.5 * (h + h.T), 0.5 * (g + g.T)
        if not np.isfinite(h).all():
            break
        if np.abs(grown).max() <= 1e-13 * np.abs(h).max():
            return h
    raise RobotError("the regulator's cost does not converge", remedy="raise the weights of errors or of torques")
