"""Closed-loop simulation of a plant and a controller along a trajectory, in native code; open-loop feedforward runs.

(1)  every period, at t_k:  measure, call the controller, hold its torques
(2)  errors are q_ref(t_k) - q(t_k) with the true positions, at all samples t_0 .. t_K

A trajectory is sampled at the control period; a reference with a slower rate is held (`reference_hold`).

Open-loop trajectory following (Izaguirre et al., 7.2):

(3)  tau = inverse dynamics and friction of the reference, and no feedback
(4)  the same, with gravity at the measured instead of the reference position: on-line gravity compensation

Without feedback, model and parameter errors grow freely: the runs test the model. With (4) gravity does not amplify
position errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torquec.control.controller import JOINT_REFERENCE, Controller
from torquec.control.independent_joint import feedforward_torque
from torquec.errors import ArgumentError, DivergenceError
from torquec.foundation.arrays import Array
from torquec.model.model import Model
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import check_single_coordinates
from torquec.simulation.integrators import DormandPrince, Integrator, RungeKutta4
from torquec.simulation.loop_functions import LoopState
from torquec.simulation.native_run import LoopInputs, NativeRun, Recording
from torquec.simulation.plant import DryFriction, Plant, as_plant
from torquec.simulation.plant_bodies import check_movable
from torquec.simulation.sensors import Sensors
from torquec.simulation.simulation_result import PlantMotion, SimulationResult
from torquec.simulation.stiffness import check_step, enough_substeps
from torquec.trajectory.trajectory import Trajectory

_EXACT = Sensors()


@dataclass(frozen=True)
class LoopOptions:
    """Options of a simulated loop.

    `sensors`; `integrator`: by default `RungeKutta4` with as many substeps as the plant needs, two at least; control
    `period` [s]: by default the controller's, else the trajectory's; `seed` of the noise; `record_every`: number of
    samples per recorded one; `reference_hold`: number of samples per reference. A run whose error passes
    `largest_error` [rad or m] counts as diverged, even where saturating drives keep the error finite.
    """

    sensors: Sensors = _EXACT
    integrator: Integrator | None = None
    period: float | None = None
    seed: int = 0
    record_every: int = 1
    reference_hold: int = 1
    largest_error: float = math.inf

    def __post_init__(self) -> None:
        for name, least in (("seed", 0), ("record_every", 0), ("reference_hold", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ArgumentError(f"{name} is {value!r}", remedy=f"give a whole number, {least} or more")
        if not self.largest_error > 0.0:
            raise ArgumentError(f"a largest error of {self.largest_error!r}", remedy="give a positive number")


DEFAULT_OPTIONS = LoopOptions()


def simulate(
    plant: Plant | Robot | Model,
    controller: Controller,
    trajectory: Trajectory,
    *,
    options: LoopOptions = DEFAULT_OPTIONS,
    initial_q: npt.ArrayLike | None = None,
    initial_qd: npt.ArrayLike | None = None,
) -> SimulationResult:
    """Simulate a controller on a plant along a trajectory, from its start or from `initial_q`, `initial_qd` (n,).

    The trajectory may name the joints in any order, or not at all (q1 .. qn, as motions without `joints` do). Raises
    `ArgumentError` for joints that do not match, for a period other than the controller's, for sticking friction with
    an adaptive integrator and for fixed steps that are too long for the plant; `DivergenceError`, with joint and time,
    for an unstable loop.
    """
    plant = as_plant(plant)
    run, sampled = prepared_loop(plant, controller, trajectory, options)
    start_q = sampled.q[0] if initial_q is None else _state(initial_q, plant, "initial_q")
    start_qd = sampled.qd[0] if initial_qd is None else _state(initial_qd, plant, "initial_qd")
    drives = drives_of(plant, controller, sampled, hold=options.reference_hold)
    rows = run.first_rows(start_q, start_qd, time=float(sampled.t[0]))
    recording = run.run(rows, drives, seeds=[(options.seed, 0)], every=options.record_every)
    lost = int(recording.diverged[0])
    if lost >= 0:
        raise _divergence(recording, sampled, f"no value was finite at {sampled.t[lost]:g} s", before=lost, largest=1.0)
    result = results_of(run, sampled, recording)[0]
    if result.max_error_values.max(initial=0.0) > options.largest_error:
        rest = f"it reached {result.max_error_values.max():.3g}"
        raise _divergence(recording, sampled, rest, before=len(sampled), largest=options.largest_error)
    return result


def prepared_loop(
    plant: Plant, controller: Controller, trajectory: Trajectory, options: LoopOptions
) -> tuple[NativeRun, Trajectory]:
    """The checked loop, and the trajectory at its samples."""
    check_single_coordinates(plant.robot)  # for others, `simulate_motion`
    names = plant.robot.joint_names
    if controller.joints != names:
        raise ArgumentError(
            f"the joints of the controller are {', '.join(controller.joints)}", remedy=_joints_remedy(plant, controller)
        )
    trajectory = trajectory.of_joints(names)
    period = options.period or controller.period or trajectory.period
    if controller.period is not None and abs(period - controller.period) > 1e-9 * period:
        raise ArgumentError(
            f"a control period of {period:g} s for a controller that was made for {controller.period:g} s",
            remedy="make the controller for the period of the loop",
        )
    if plant.friction is DryFriction.STICK and isinstance(options.integrator, DormandPrince):
        raise ArgumentError(
            "sticking friction does not go with adaptive steps", remedy="use RungeKutta4, or DryFriction.SMOOTH"
        )
    options.sensors.resolutions(plant.n)
    check_movable(plant.model)
    sampled = trajectory.sampled(period)
    integrator = options.integrator
    if integrator is None:
        integrator = RungeKutta4(enough_substeps(plant, sampled.q[0], period=period))
    run = NativeRun(LoopState(plant, controller, options.sensors, integrator), period)
    if isinstance(integrator, RungeKutta4):
        check_step(plant, sampled.q[0], integrator, period=period)
    return run, sampled


def _joints_remedy(plant: Plant, controller: Controller) -> str:
    """Remedy for a controller whose joints are not the plant's."""
    names = plant.robot.joint_names
    others = [name for name in names if name not in controller.joints]
    if others and set(controller.joints) < set(names):
        held = ", ".join(f"{name!r}: 0.0" for name in others)
        return f"hold the other joints of the plant: lock_joints(robot, {{{held}}})"
    return f"the plant's are {', '.join(names)}"


def drives_of(plant: Plant, controller: Controller, sampled: Trajectory, *, hold: int = 1) -> LoopInputs:
    """The references (and scheduled gains) at the samples, each held for `hold` of them.

    Joint references come first: errors are computed from them. Cartesian references of a controller follow, by the
    kinematics of the plant.
    """
    reference = JOINT_REFERENCE.rows(plant.model, sampled)
    if controller.reference != JOINT_REFERENCE:
        reference = np.concatenate([reference, controller.reference.rows(plant.model, sampled)], axis=1)
    if hold > 1:
        reference = reference[np.arange(len(reference)) // hold * hold]
    if controller.schedule is None:
        return LoopInputs(reference)
    gains = np.array([controller.schedule.at(float(t)).reshape(-1) for t in sampled.t])
    return LoopInputs(reference, gains)


def results_of(run: NativeRun, sampled: Trajectory, recording: Recording) -> list[SimulationResult]:
    """The result of every run (2)."""
    loop, steps = run.loop, len(sampled) - 1
    kept = recording.samples
    found = []
    for k in range(recording.q.shape[1]):
        row = loop.split(recording.last[k])
        final = sampled.q[-1] - recording.q[-1, k]
        squares = np.array(row["squares"]) + final**2
        found.append(
            SimulationResult(
                joints=sampled.joints,
                t=sampled.t[kept],
                q=recording.q[:, k],
                qd=recording.qd[:, k],
                motion=PlantMotion(loop.plant, recording.motion[:, k], _held(loop, recording, k)),
                q_ref=sampled.q[kept],
                qd_ref=sampled.qd[kept],
                qdd_ref=sampled.qdd[kept],
                tau=recording.wanted[:, k],
                measured=recording.seen[:, k],
                measured_speed=recording.seen_speed[:, k],
                rmse_values=np.sqrt(squares / (steps + 1)),
                max_error_values=np.maximum(row["largest"], np.abs(final)),
                saturated_samples=np.array(row["saturated"]),
                efforts=loop.plant.efforts,
                steps=steps,
                seconds=recording.seconds,
            )
        )
    return found


def _held(loop: LoopState, recording: Recording, run: int) -> Array:
    """Commanded torques (S, n) held from each recorded sample on; at the last one, those of the sample before."""
    limits = np.array(loop.plant.efforts)
    return np.vstack([np.clip(recording.wanted[:, run], -limits, limits), recording.last[run, loop.parts["torque"]]])


def _state(values: npt.ArrayLike, plant: Plant, name: str) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (plant.n,) or not np.isfinite(array).all():
        raise ArgumentError(f"'{name}' has shape {array.shape}", remedy=f"give {plant.n} finite numbers")
    return array


def _divergence(
    recording: Recording, sampled: Trajectory, rest: str, *, before: int, largest: float
) -> DivergenceError:
    """The error for a diverged run: the joint whose error exceeded `largest` first, and the time."""
    early = recording.samples < before
    error = np.abs(sampled.q[recording.samples[early]] - recording.q[early, 0])
    large = np.argwhere(error > largest)
    found = f"the simulation diverged: {rest}"
    if len(large):
        sample, joint = (int(i) for i in large[0])
        when = sampled.t[recording.samples[sample]]
        found = (
            f"the simulation diverged: the error of joint '{sampled.joints[joint]}' passed {largest:.3g} at "
            f"t = {when:g} s, and {rest}"
        )
    return DivergenceError(found, remedy="use slower poles or lower gains, sample faster, or use more substeps")


@dataclass(frozen=True)
class OpenLoopResult:
    """The two runs: (3) and (4)."""

    plain: SimulationResult
    with_online_gravity: SimulationResult


def follow_in_open_loop(
    plant: Plant | Robot | Model,
    model: Robot | Model,
    trajectory: Trajectory,
    *,
    options: LoopOptions = DEFAULT_OPTIONS,
) -> OpenLoopResult:
    """Drive the plant with the torques that `model` computes for the trajectory, (3) and (4)."""
    runs = [
        simulate(plant, feedforward_torque(model, online_gravity=online), trajectory, options=options)
        for online in (False, True)
    ]
    return OpenLoopResult(*runs)
