"""Simulation of robots with any joints (floating base too): passive, under given torques, or with joint servos.

For robots with a floating base, ball or planar joints, whose positions q (nq,) lie on a manifold:

(1)  dq/dt = N(q) v,   dv/dt as in `Plant`. RK4 steps (q, v), then every quaternion is normalised: this projects the
     step onto the manifold and keeps the integrator's order
(2)  servo: the one-coordinate joints j follow a trajectory, all others u (a floating base) are unactuated
       a_j = qdd_ref + 2 p (qd_ref - qd) + p^2 (q_ref - q)            two poles at -p
       M_uu a_u = -(bias_u + M_uj a_j),   tau_j = M_ju a_u + M_jj a_j + bias_j,   tau_u = 0
     which decouples the joints exactly (computed torque of a robot in free flight); friction is not compensated
(3)  energy T + U, and momentum A v (`centroidal_momentum_matrix`): without drives and friction the energy is constant
     and the momentum changes by the weight alone

There is no ground contact: add contact forces with `Plant(forces=...)`.
"""

from __future__ import annotations

import math
import os
import time as clock
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.codegen.llvm.repeat import LoopEnd, NativeLoop
from torquec.dynamics.joint_space_solve import factorize, solve
from torquec.errors import ArgumentError, DivergenceError
from torquec.expr import Function, trace
from torquec.foundation.arrays import Array, Indices
from torquec.foundation.csv_text import csv_text
from torquec.foundation.reading import to_path
from torquec.foundation.writing import write_files
from torquec.model.model import Model
from torquec.robot.configuration import joint_slices, neutral, normalised, unit_position
from torquec.robot.robot import Robot
from torquec.simulation.integrators import RungeKutta4, rk4_step
from torquec.simulation.native_run import NamedSource, native_function
from torquec.simulation.plant import DryFriction, Dynamics, Plant, as_plant, drive_torque
from torquec.simulation.plant_bodies import check_movable
from torquec.simulation.simulation_result import PassedLimit, limits_passed_by
from torquec.simulation.stick import stick_slip_step
from torquec.simulation.stiffness import check_step, enough_substeps
from torquec.spatial import Scalar
from torquec.trajectory.trajectory import Trajectory

_BLOCK = 4096
"""Steps per call of the native loop: some megabytes of states, for runs of any length."""


@dataclass(frozen=True, eq=False)
class MotionRun:
    """A simulated motion at the recorded samples.

    `t` (S,), `q` (S, nq), `qd` (S, nv), drive torques `tau` (S, nv), held from each sample on. `joints` are the
    one-coordinate joints; `q_ref` (S, m) are their references where they were servoed.
    """

    plant: Plant
    t: Array
    q: Array
    qd: Array
    tau: Array
    joints: tuple[str, ...]
    q_ref: Array | None
    steps: int
    seconds: float

    def __repr__(self) -> str:
        return f"MotionRun({self.plant.robot.name}, {self.steps} steps to {self.t[-1]:g} s)"

    @cached_property
    def energy(self) -> Array:
        """Kinetic and potential energy [J], (S,) (3)."""
        model = self.plant.model.exact
        return np.asarray(model.kinetic_energy(self.q, self.qd) + model.potential_energy(self.q)).reshape(-1)

    @cached_property
    def momentum(self) -> Array:
        """Linear momentum, then angular momentum about the center of mass, base axes, (S, 6) (3)."""
        matrix = self.plant.model.exact.centroidal_momentum_matrix(self.q)
        return np.asarray(np.einsum("skj,sj->sk", matrix, self.qd), dtype=np.float64)

    @cached_property
    def error(self) -> Array | None:
        """q_ref - q of the servoed joints (S, m)."""
        return None if self.q_ref is None else self.q_ref - self.q[:, list(_single(self.plant.robot).positions)]

    @cached_property
    def passed_limits(self) -> tuple[PassedLimit, ...]:
        """Limits of position and speed that one-coordinate joints exceed."""
        single, robot = _single(self.plant.robot), self.plant.robot
        kept = [joint for joint in robot.joints if joint.kind.nv == 1]
        return limits_passed_by(kept, self.t, self.q[:, list(single.positions)], self.qd[:, list(single.rates)])


@dataclass(frozen=True)
class _Single:
    """The one-coordinate joints: names, and the indices of their positions and rates."""

    names: tuple[str, ...]
    positions: tuple[int, ...]
    rates: tuple[int, ...]


def _single(robot: Robot) -> _Single:
    found = [(j.name, at.start, rates.start) for j, at, rates in joint_slices(robot) if j.kind.nv == 1]
    names, positions, rates = zip(*found, strict=True) if found else ((), (), ())
    return _Single(names, positions, rates)


def simulate_motion(
    plant: Plant | Robot | Model,
    q: npt.ArrayLike | None = None,
    qd: npt.ArrayLike | None = None,
    *,
    duration: float | None = None,
    torque: npt.ArrayLike | None = None,
    trajectory: Trajectory | None = None,
    pole: float = 20.0,
    period: float = 1e-3,
    substeps: int | None = None,
    record_every: int = 1,
) -> MotionRun:
    """Simulate a robot from q (nq,), neutral unless given, and rates qd (nv,), at rest unless given.

    `torque` (nv,), or (K, nv) at the samples, is applied unchanged. With a `trajectory` of one-coordinate joints they
    follow it with two `pole`s [1/s] (2); joints that it does not name stay where they start. `period` [s] is the time
    for which torques are held, in `substeps` steps of RK4. Raises `ArgumentError` for arrays of wrong size and steps
    that are too long, `DivergenceError` where the motion becomes infinite or NaN.
    """
    plant = as_plant(plant)
    robot = plant.robot
    check_movable(plant.model)
    start = unit_position(robot, neutral(robot) if q is None else [float(x) for x in np.asarray(q).reshape(-1)])
    speed = _rates(robot, qd, "qd")
    if not (math.isfinite(period) and period > 0.0):
        raise ArgumentError(f"a period of {period!r} s", remedy="give a positive number of seconds")
    if record_every < 1:
        raise ArgumentError(f"record_every is {record_every!r}", remedy="give a whole number, 1 or more")
    reference = None if trajectory is None else _reference(robot, trajectory, start, period, pole)
    steps = _steps(duration, period, reference)
    feed = _torques(robot, torque, steps)
    per_sample = enough_substeps(plant, start, period=period, least=1) if substeps is None else substeps
    check_step(plant, start, RungeKutta4(per_sample), period=period)
    loop = _compiled(plant, period / per_sample, per_sample, pole if reference is not None else None)
    began = clock.thread_time()
    states, log = _run(loop, plant, [*start, *speed], feed=feed, reference=reference, every=record_every)
    seconds = clock.thread_time() - began
    kept = _kept(steps, record_every)
    single = _single(robot)
    return MotionRun(
        plant,
        np.asarray(kept * period, dtype=np.float64),
        states[:, : robot.nq],
        states[:, robot.nq : robot.nq + robot.n],
        log,
        single.names,
        None if reference is None else reference[kept, : len(single.names)],
        steps,
        seconds,
    )


def servo_torque(
    model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], reference: Sequence[Scalar], pole: float
) -> list[Scalar]:
    """tau (nv,) of (2); `reference` holds positions, speeds and accelerations of the one-coordinate joints (3 m,)."""
    robot = model.robot
    single = _single(robot)
    m, others = len(single.rates), [k for k in range(robot.n) if k not in single.rates]
    mass, bias = model.at("mass_matrix", q), model.at("inverse_dynamics", q, qd, [0.0] * robot.n)
    acceleration: list[Scalar] = [0.0] * robot.n
    for k, (at, rate) in enumerate(zip(single.positions, single.rates, strict=True)):
        error, slip = reference[k] - q[at], reference[m + k] - qd[rate]
        acceleration[rate] = reference[2 * m + k] + (2.0 * pole) * slip + (pole * pole) * error
    free = [-_row(mass[u], acceleration, bias[u]) for u in others]
    for u, value in zip(others, solve(factorize([[mass[u][k] for k in others] for u in others]), free), strict=True):
        acceleration[u] = value
    return [_row(mass[k], acceleration, bias[k]) if k in single.rates else 0.0 for k in range(robot.n)]


def _row(row: Sequence[Scalar], acceleration: Sequence[Scalar], bias: Scalar) -> Scalar:
    total = bias
    for entry, value in zip(row, acceleration, strict=True):
        total = total + entry * value
    return total


def write_motion(run: MotionRun, path: str | os.PathLike[str]) -> Path:
    """Write a run as CSV: t, q by position, qd and tau by rate; returns the path. The file is written atomically."""
    robot, target = run.plant.robot, to_path(path)
    header = ["t", *(f"q_{name}" for name in robot.position_names)]
    header += [f"{kind}_{name}" for kind in ("qd", "tau") for name in robot.coordinate_names]
    write_files({target: csv_text(header, np.column_stack([run.t, run.q, run.qd, run.tau]))}, force=True)
    return target


# --- the native loop ------------------------------------------------------------------------------------------------


def _compiled(plant: Plant, h: float, substeps: int, pole: float | None) -> NativeLoop:
    """The compiled loop; a row is the state of the plant (motion_size,) and the held torques (n,)."""
    key = f"{plant.identity} {h!r} {pole!r}"
    outer = native_function(NamedSource(f"motion torques {key}", lambda: _torque_function(plant, pole)))
    inner = native_function(NamedSource(f"motion step {key}", lambda: _step_function(plant, h)))
    return NativeLoop(outer, inner, most=substeps)


def _torque_function(plant: Plant, pole: float | None) -> Function:
    size, n, m = plant.motion_size, plant.n, len(_single(plant.robot).names)

    def program(state: Any, torque: Any, reference: Any = ()) -> dict[str, Any]:
        wanted = list(torque)
        if pole is not None:
            q, qd = plant.position(state), plant.speed(state)
            held = servo_torque(plant.model, q, qd, reference, pole)
            wanted = [a + b for a, b in zip(wanted, held, strict=True)]
        given = drive_torque(plant, wanted)
        return {"next": [*state[:size], *given], "log": given}

    ports = {"state": (size + n,), "torque": (n,)} | ({} if pole is None else {"reference": (3 * m,)})
    return trace("motion_torques", program, ports)


def _step_function(plant: Plant, h: float) -> Function:
    size, n, nq = plant.motion_size, plant.n, plant.robot.nq

    def program(state: Any) -> dict[str, Any]:
        y, tau, dynamics = state[:size], state[size:], Dynamics(plant)
        if plant.friction is DryFriction.STICK:
            later = stick_slip_step(dynamics, y, tau, h)
        else:
            later = rk4_step(lambda at: dynamics.motion_rate(at, tau), y, h)
        return {"next": [*normalised(plant.robot, later[:nq]), *later[nq:], *tau]}

    return trace("motion_step", program, {"state": (size + n,)})


def _run(
    loop: NativeLoop, plant: Plant, start: Sequence[float], *, feed: Array, reference: Array | None, every: int
) -> tuple[Array, Array]:
    """The states (S, m) and torques (S, n) at the kept samples."""
    steps = len(feed)
    n, nq, size = plant.n, plant.robot.nq, plant.motion_size
    kept = _kept(steps, every)
    states, torques = np.empty((len(kept), size)), np.empty((len(kept), n))
    rows = np.zeros((min(_BLOCK, max(steps, 1)) + 1, 1, size + n))
    rows[0, 0, :size] = plant.first_motion(start[:nq], start[nq:])
    k = 0
    while k < steps:
        many = min(_BLOCK, steps - k)
        drives = [np.ascontiguousarray(feed[k : k + many, None, :])]
        if reference is not None:
            drives.append(np.ascontiguousarray(reference[k : k + many, None, :]))
        log = np.empty((many, 1, n))
        result = loop.run(rows[: many + 1], drives, log)
        if result.end is not LoopEnd.DONE:
            raise DivergenceError(
                f"the motion of '{plant.robot.name}' is not finite after step {k + result.steps}",
                remedy="take more substeps or a shorter period, or slower poles and smaller torques",
            )
        first, last = np.searchsorted(kept, [k, k + many])
        at = kept[first:last] - k
        states[first:last], torques[first:last] = rows[at, 0, :size], log[at, 0]
        rows[0] = rows[many]
        k += many
    states[-1], torques[-1] = rows[0, 0, :size], rows[0, 0, size:]
    return states, torques


def _kept(steps: int, every: int) -> Indices:
    return np.append(np.arange(0, steps, every), steps).astype(np.int64)


# --- inputs ---------------------------------------------------------------------------------------------------------


def _rates(robot: Robot, values: npt.ArrayLike | None, name: str) -> list[float]:
    found = np.zeros(robot.n) if values is None else np.asarray(values, dtype=np.float64)
    if found.shape != (robot.n,) or not np.isfinite(found).all():
        also = f"; positions have {robot.nq} (nq)" if robot.nq != robot.n else ""
        raise ArgumentError(
            f"'{name}' has shape {found.shape}", remedy=f"give {robot.n} finite numbers, one per rate (nv){also}"
        )
    return [float(value) for value in found]


def _torques(robot: Robot, values: npt.ArrayLike | None, steps: int) -> Array:
    """(K, n): constant, or as given at every sample."""
    if values is None or np.ndim(values) < 2:
        return np.tile(_rates(robot, values, "torque"), (steps, 1))
    found = np.asarray(values, dtype=np.float64)
    if found.shape != (steps, robot.n) or not np.isfinite(found).all():
        raise ArgumentError(
            f"'torque' has shape {found.shape}", remedy=f"give ({robot.n},) or ({steps}, {robot.n}) finite numbers"
        )
    return found


def _steps(duration: float | None, period: float, reference: Array | None) -> int:
    if duration is None:
        if reference is None:
            raise ArgumentError("the duration of the motion is missing", remedy="give a duration in seconds")
        return len(reference) - 1
    if not (math.isfinite(duration) and duration >= period):
        raise ArgumentError(f"a duration of {duration!r} s", remedy=f"give at least one period, {period:g} s")
    steps = round(duration / period)
    if reference is not None and steps > len(reference) - 1:
        raise ArgumentError(
            f"a duration of {duration:g} s, beyond the trajectory's {(len(reference) - 1) * period:g} s",
            remedy="leave out the duration",
        )
    return steps


def _reference(robot: Robot, trajectory: Trajectory, start: Sequence[float], period: float, pole: float) -> Array:
    """Positions, speeds and accelerations (K + 1, 3 m) of the one-coordinate joints at the samples."""
    if not (math.isfinite(pole) and pole > 0.0):
        raise ArgumentError(f"a pole of {pole!r} 1/s", remedy="give a positive number: two poles lie at minus this")
    single = _single(robot)
    unknown = [name for name in trajectory.joints if name not in single.names]
    if unknown:
        raise ArgumentError(
            f"the trajectory moves {', '.join(unknown)}",
            remedy=f"it may move the one-coordinate joints: {', '.join(single.names) or 'this robot has none'}",
        )
    sampled = trajectory.sampled(period)
    m = len(single.names)
    found = np.zeros((len(sampled.t), 3 * m))
    for k, (name, at) in enumerate(zip(single.names, single.positions, strict=True)):
        if name in trajectory.joints:
            column = trajectory.joints.index(name)
            found[:, k], found[:, m + k] = sampled.q[:, column], sampled.qd[:, column]
            found[:, 2 * m + k] = sampled.qdd[:, column]
        else:
            found[:, k] = start[at]
    return found
