"""`SimulationResult`: recorded motion of a run, its tool error, CSV file, and exceeded joint limits.

(1)  tool error  e(t) = |x(q_ref(t)) - x(q(t))|,   x the origin of a frame

With q the true positions at the samples t_k, and [lower, upper] and v the limits of the robot's file (a simulation has
no end stops):

(2)  range   max over k of  max(q - upper, lower - q) > 0
(3)  speed   max over k of  |qd| - v > 0

A CSV file has a row per recorded sample, joints in the header. No step begins at the last row: its torques repeat those
of the row before.

    t,q_joint1,..,qd_..,qdd_..,q_ref_..,qd_ref_..,qdd_ref_..,tau_joint1,..

Accelerations of a plant (`PlantMotion`):

(4)  the acceleration at a sample is the one just after it, under the torques that are held from then on
(5)  where friction can stick, its torque is set-valued: the acceleration is the change of speed over the next
     microsecond, divided by this time
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from torquec.expr import Function, trace
from torquec.foundation.arrays import Array
from torquec.foundation.csv_text import csv_text
from torquec.foundation.notebook_display import NotebookDisplay
from torquec.foundation.reading import to_path
from torquec.foundation.writing import write_files
from torquec.model.model import Model, as_model
from torquec.robot.robot import Joint, Robot
from torquec.simulation.native_run import NamedSource, native_function
from torquec.simulation.plant import DryFriction, Dynamics, Plant
from torquec.simulation.stick import stick_slip_step
from torquec.simulation.tuning import TUNING


@dataclass(frozen=True, eq=False)
class PlantMotion:
    """States (S, m), ordered as in `Dynamics.motion_rate`, and the torques (S, n) commanded from each state on."""

    plant: Plant
    states: Array
    torques: Array

    def acceleration(self) -> Array:
        """Accelerations (S, n), (4) and (5)."""
        key = f"acceleration {self.plant.identity}"
        native = native_function(NamedSource(key, lambda: acceleration_function(self.plant)))
        found = native.call(np.ascontiguousarray(self.states), np.ascontiguousarray(self.torques))
        return np.asarray(found, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class KnownMotion:
    """Accelerations (S, n) from another simulator."""

    accelerations: Array

    def acceleration(self) -> Array:
        """As given."""
        return self.accelerations


def acceleration_function(plant: Plant) -> Function:
    """The program (state (m,), torque (n,)) -> qdd (n,) of a plant with constant inertial parameters."""
    n, dynamics = plant.n, Dynamics(plant)

    def program(state: Any, torque: Any) -> dict[str, Any]:
        if plant.friction is not DryFriction.STICK:
            return {"qdd": dynamics.acceleration(state, torque)}
        later = stick_slip_step(dynamics, state, torque, TUNING.rate_interval)[n : 2 * n]
        return {"qdd": [(b - a) * (1.0 / TUNING.rate_interval) for a, b in zip(state[n : 2 * n], later, strict=True)]}

    return trace("acceleration", program, {"state": (plant.motion_size,), "torque": (n,)})


_ROUNDING = 1e-9  # relative tolerance of a limit: a motion that ends on it is inside


@dataclass(frozen=True, eq=False, repr=False)
class SimulationResult(NotebookDisplay):
    """Result of a simulated run. Arrays have one row per recorded sample.

    `t` (S,); `q`, `qd`, `qdd` and `q_ref`, `qd_ref`, `qdd_ref` (S, n); `tau` (S', n) the commanded torques,
    `measured` and `measured_speed` (S', n) the measurements, without the last sample. `rmse`, `max_error` (n,) over
    all samples; `saturated_samples` (n,): number of samples with a command above `efforts` (n,).
    """

    joints: tuple[str, ...]
    t: Array
    q: Array
    qd: Array
    motion: PlantMotion | KnownMotion
    q_ref: Array
    qd_ref: Array
    qdd_ref: Array
    tau: Array
    measured: Array
    measured_speed: Array
    rmse_values: Array
    max_error_values: Array
    saturated_samples: Array
    efforts: tuple[float, ...]
    steps: int
    seconds: float

    def __repr__(self) -> str:
        span = f"{len(self.joints)} joints, {self.steps} steps to {self.t[-1]:g} s"
        late = f", saturated: {', '.join(self.saturated)}" if self.saturated else ""
        return f"SimulationResult({span}, largest error {self.max_error_values.max():.3g}{late})"

    @property
    def rmse(self) -> dict[str, float]:
        """Root mean square of the tracking error by joint [rad or m]."""
        return dict(zip(self.joints, self.rmse_values.tolist(), strict=True))

    @property
    def max_error(self) -> dict[str, float]:
        """Largest tracking error by joint [rad or m]."""
        return dict(zip(self.joints, self.max_error_values.tolist(), strict=True))

    @property
    def saturated(self) -> tuple[str, ...]:
        """The joints whose drive saturated."""
        return tuple(name for name, count in zip(self.joints, self.saturated_samples, strict=True) if count > 0)

    @property
    def steps_per_second(self) -> float:
        """Control steps per second of processor time, compilation not counted."""
        return self.steps / self.seconds if self.seconds > 0.0 else 0.0

    @cached_property
    def error(self) -> Array:
        """q_ref - q at the recorded samples (S, n)."""
        return self.q_ref - self.q

    @cached_property
    def qdd(self) -> Array:
        """Accelerations (S, n) just after each recorded sample, under the torques that are held from then on."""
        return self.motion.acceleration()

    @cached_property
    def speed_error(self) -> Array:
        """qd_ref - qd at the recorded samples (S, n)."""
        return self.qd_ref - self.qd

    @cached_property
    def acceleration_error(self) -> Array:
        """qdd_ref - qdd at the recorded samples (S, n)."""
        return self.qdd_ref - self.qdd

    @cached_property
    def first_saturation(self) -> dict[str, float]:
        """Time of the first recorded saturation of each saturated joint [s]."""
        over = np.abs(self.tau) >= np.array(self.efforts)
        return {
            name: float(self.t[int(np.argmax(over[:, k]))]) for k, name in enumerate(self.joints) if over[:, k].any()
        }


def write_result(result: SimulationResult, path: str | os.PathLike[str]) -> Path:
    """Write a run as CSV; returns the path. The file is written atomically.

    Raises `ArgumentError` where it cannot be written.
    """
    target = to_path(path)
    held = result.tau[-1:] if len(result.tau) else np.zeros((1, len(result.joints)))
    columns = {name: getattr(result, name) for name in ("q", "qd", "qdd", "q_ref", "qd_ref", "qdd_ref")}
    columns["tau"] = np.concatenate([result.tau, held])
    header = ["t", *(f"{kind}_{joint}" for kind in columns for joint in result.joints)]
    write_files({target: csv_text(header, np.column_stack([result.t, *columns.values()]))}, force=True)
    return target


def tip_error(source: Robot | Model, frame: str, result: SimulationResult) -> Array:
    """Tool error (1): distances (S,) [m] at the recorded samples.

    Raises `ArgumentError` for a frame that the robot does not have.
    """
    pose = as_model(source).frame_pose(frame)
    _, wanted = pose(np.ascontiguousarray(result.q_ref))
    _, reached = pose(np.ascontiguousarray(result.q))
    return np.asarray(np.linalg.norm(wanted - reached, axis=1), dtype=np.float64)


class LimitedQuantity(StrEnum):
    """The quantity of a limit; a member's value is the word in documents."""

    POSITION = "position"
    SPEED = "speed"


@dataclass(frozen=True)
class PassedLimit:
    """A limit first exceeded at `time` [s]; `value` is the one farthest beyond it, in the joint's unit."""

    joint: str
    quantity: LimitedQuantity
    time: float
    value: float
    limit: float


def passed_limits(robot: Robot, t: Array, q: Array, qd: Array) -> tuple[PassedLimit, ...]:
    """The limits that positions and speeds (S, n) of a run exceed, joint by joint: (2), (3)."""
    return limits_passed_by(robot.joints, t, q, qd)


def limits_passed_by(joints: Sequence[Joint], t: Array, q: Array, qd: Array) -> tuple[PassedLimit, ...]:
    """The limits that these one-coordinate joints exceed, (S, n) positions and speeds in their order: (2), (3)."""
    ends = [(-joint.limits.velocity, joint.limits.velocity) for joint in joints]
    found = (*_left(joints, t, q, q), *_passed(joints, LimitedQuantity.SPEED, t, (qd, qd), ends))
    names = [joint.name for joint in joints]
    return tuple(sorted(found, key=lambda passed: names.index(passed.joint)))


def left_ranges(robot: Robot, t: Array, lowest: Array, highest: Array) -> tuple[PassedLimit, ...]:
    """The position limits exceeded by the envelope `lowest` to `highest` (S, n) of many runs: (2)."""
    return _left(robot.joints, t, lowest, highest)


def _left(joints: Sequence[Joint], t: Array, lowest: Array, highest: Array) -> tuple[PassedLimit, ...]:
    ends = [(joint.limits.lower, joint.limits.upper) for joint in joints]
    return _passed(joints, LimitedQuantity.POSITION, t, (lowest, highest), ends)


def _passed(
    joints: Sequence[Joint],
    quantity: LimitedQuantity,
    t: Array,
    band: tuple[Array, Array],
    ends: Sequence[tuple[float, float]],
) -> tuple[PassedLimit, ...]:
    """At most one for each joint: the limit that is exceeded most. Infinite limits are skipped."""
    found = []
    for k, (joint, (lower, upper)) in enumerate(zip(joints, ends, strict=True)):
        sides = []
        for values, limit, sign in ((band[0][:, k], lower, -1.0), (band[1][:, k], upper, 1.0)):
            beyond = sign * (values - limit)
            over = beyond > _ROUNDING * (1.0 + abs(limit)) if np.isfinite(limit) else np.zeros(len(t), dtype=bool)
            if over.any():
                first, worst = int(np.argmax(over)), int(np.nanargmax(beyond))
                passed = PassedLimit(joint.name, quantity, float(t[first]), float(values[worst]), limit)
                sides.append((float(beyond[worst]), passed))
        if sides:
            found.append(max(sides, key=lambda side: side[0])[1])
    return tuple(found)
