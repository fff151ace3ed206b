"""Motions that tell the parameters apart: finite Fourier series within a robot's limits, by search.

(1)  qd_j = sum_k a_jk cos(k w t) + b_jk sin(k w t) with sum_k a_jk = 0 and sum_k k b_jk = 0: starts and ends at rest
(2)  every vector of numbers stands for a motion within position, speed and acceleration limits: the series is scaled to
     the tightest of them, and its centre lies where there is room; motions beyond torque limits are refused
(3)  sought is the smallest condition number of the base regressor, or the largest log det of A' A (D-optimality): the
     best of many random starts is improved by steps whose size follows their success (one fifth rule)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.errors import ArgumentError, SpecificationError
from torquec.identification.extras import one_thread
from torquec.model.model import Model, compile
from torquec.robot.robot import JointType, Robot
from torquec.trajectory.fourier_motion import FourierMotion, fourier_motion
from torquec.trajectory.limits import limit_violations
from torquec.trajectory.trajectory import Array, Trajectory

_ROOM = 0.95
"""Of every limit: how much a motion may use."""
_POINTS = 120
_STARTS = 60
_FREE_RANGE = math.pi
_FREE_SPEED = 2.0


class Criterion(StrEnum):
    """What is optimised (3)."""

    CONDITION = "condition"
    DETERMINANT = "determinant"


@dataclass(frozen=True)
class ExcitationOptions:
    """`duration` [s] of one period, `harmonics` of it, largest `acceleration` [rad/s^2 or m/s^2], tries and seed."""

    duration: float = 10.0
    harmonics: int = 5
    acceleration: float = math.inf
    criterion: Criterion = Criterion.CONDITION
    evaluations: int = 3000
    seed: int = 0
    period: float = 0.005


@dataclass(frozen=True, eq=False)
class Excitation:
    """The motion, the condition numbers of its regressor (plain, unit columns), and whether it keeps every limit."""

    trajectory: Trajectory
    condition: float
    unit_condition: float
    limits_kept: bool


_DEFAULT = ExcitationOptions()


def excitation(robot: Robot, *, options: ExcitationOptions = _DEFAULT) -> Excitation:
    """A motion that excites the base parameters of a robot.

    Raises `ArgumentError` for options that cannot be, `SpecificationError` where no start keeps the torque limits.
    """
    if options.harmonics < 2 or options.duration <= 0.0 or options.evaluations < 1 or options.acceleration <= 0.0:
        raise ArgumentError(
            "an excitation has at least two harmonics, one evaluation, a positive duration and acceleration",
            remedy="change the options",
        )
    model = compile(robot)
    rng = np.random.default_rng(options.seed)
    size = robot.n * (2 * options.harmonics + 2)
    with one_thread():
        starts = [rng.normal(size=size) for _ in range(min(_STARTS, options.evaluations))]
        costs = [_cost(robot, model, start, options) for start in starts]
        best = int(np.argmin(costs))
        z, cost, step = starts[best], costs[best], 0.3
        if not np.isfinite(cost):
            raise SpecificationError(
                f"no motion of {options.duration:g} s keeps the torque limits of '{robot.name}'",
                remedy="give a longer duration or a smaller acceleration",
            )
        for _ in range(options.evaluations - len(starts)):
            moved = z + step * rng.normal(size=size) * (rng.uniform(size=size) < 0.3)
            tried = _cost(robot, model, moved, options)
            better = tried < cost
            step = min(1.0, step * (1.5 if better else 0.9036))
            step = max(step, 0.01)
            if better:
                z, cost = moved, tried
    motion = _motion(robot, z, options)
    trajectory = fourier_motion(
        motion.offset,
        motion.cosines,
        motion.sines,
        base_period=options.duration,
        joints=robot.joint_names,
        period=options.period,
    )
    plain, unit = regressor_conditions(model, trajectory.q, trajectory.qd, trajectory.qdd)
    violations = limit_violations(robot, trajectory, efforts=True)
    return Excitation(trajectory, plain, unit, not violations)


def regressor_conditions(model: Model, q: Array, qd: Array, qdd: Array) -> tuple[float, float]:
    """Condition numbers of the base regressor over a motion: columns as they are, and with unit norms."""
    rows = np.asarray(model.base_regressor(q, qd, qdd))
    triangle = np.linalg.qr(rows.reshape(-1, rows.shape[2]), mode="r")
    norms = np.linalg.norm(triangle, axis=0)
    return float(np.linalg.cond(triangle)), float(np.linalg.cond(triangle / np.maximum(norms, 1e-300)))


def _cost(robot: Robot, model: Model, z: Array, options: ExcitationOptions) -> float:
    """(3), infinite beyond torque limits."""
    state = _motion(robot, z, options).at(np.linspace(0.0, options.duration, _POINTS, endpoint=False))
    efforts = np.array([joint.limits.effort for joint in robot.joints])
    if np.isfinite(efforts).any():
        torque = np.asarray(model.total_torque(state.q, state.qd, state.qdd))
        if np.any(np.abs(torque) > _ROOM * efforts):
            return math.inf
    rows = np.asarray(model.base_regressor(state.q, state.qd, state.qdd))
    flat = rows.reshape(-1, rows.shape[2])
    values = np.linalg.eigvalsh(flat.T @ flat)
    if values[0] <= 0.0:
        return 1e300
    if options.criterion is Criterion.DETERMINANT:
        return float(-np.log(values).sum())
    return float(np.log(values[-1] / values[0]))


def _motion(robot: Robot, z: Array, options: ExcitationOptions) -> FourierMotion:
    """(1), (2)."""
    m = options.harmonics
    rate = 2.0 * math.pi / options.duration
    numbers = np.arange(1, m + 1)
    table = z.reshape(robot.n, 2 * m + 2)
    a, b = table[:, :m].copy(), table[:, m : 2 * m].copy()
    a -= a.mean(axis=1, keepdims=True)
    b -= (b @ numbers)[:, None] * numbers / float(numbers @ numbers)
    series = FourierMotion(np.zeros(robot.n), a, b, rate, options.duration)
    state = series.at(np.linspace(0.0, options.duration, 400))
    offset = np.zeros(robot.n)
    for j, joint in enumerate(robot.joints):
        low, high = state.q[:, j].min(), state.q[:, j].max()
        lower, upper = joint.limits.lower, joint.limits.upper
        if joint.type is JointType.CONTINUOUS or not math.isfinite(upper - lower):
            lower, upper = -_FREE_RANGE, _FREE_RANGE
        middle, half = 0.5 * (lower + upper), 0.5 * _ROOM * (upper - lower)
        speed = joint.limits.velocity if math.isfinite(joint.limits.velocity) else _FREE_SPEED
        share = 1.0 / (1.0 + math.exp(-(table[j, -2] + 2.0)))
        scale = (
            min(
                2.0 * half / max(high - low, 1e-12),
                _ROOM * speed / max(float(np.abs(state.qd[:, j]).max()), 1e-12),
                _ROOM * options.acceleration / max(float(np.abs(state.qdd[:, j]).max()), 1e-12),
            )
            * share
        )
        a[j] *= scale
        b[j] *= scale
        room = half - 0.5 * scale * (high - low)
        offset[j] = middle - 0.5 * scale * (low + high) + math.tanh(table[j, -1]) * max(room, 0.0)
    return FourierMotion(offset, a, b, rate, options.duration)
