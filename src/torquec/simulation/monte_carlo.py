"""Monte Carlo simulation of a closed loop: robustness of a controller to random parameter mismatch.

(1)  every body's inertial parameters are multiplied by a factor, every joint's friction by another; normally
     distributed around one with the deviations of `Spread`, never below a tenth
(2)  initial positions are random, sensor noise is drawn anew in every run

One plant is compiled with the factors as inputs; runs fill SIMD lanes and go in groups to a `Work`. The result of run k
does not depend on the number of runs and workers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from torquec.control.controller import Controller
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Mask
from torquec.foundation.work import Work, as_work
from torquec.model.model import Model
from torquec.robot.robot import Robot
from torquec.simulation.closed_loop import DEFAULT_OPTIONS, LoopOptions, drives_of, prepared_loop
from torquec.simulation.native_run import NativeRun, Recording
from torquec.simulation.plant import Plant, as_plant
from torquec.simulation.tuning import TUNING
from torquec.trajectory.trajectory import Trajectory


@dataclass(frozen=True)
class Spread:
    """Standard deviations: of inertias and friction (relative), of initial positions [rad or m]."""

    inertia: float = 0.0
    friction: float = 0.0
    position: float = 0.0

    def __post_init__(self) -> None:
        if not all(math.isfinite(v) and v >= 0.0 for v in (self.inertia, self.friction, self.position)):
            raise ArgumentError("a deviation is negative or not finite", remedy="give zero or more")


@dataclass(frozen=True, eq=False)
class ErrorEnvelope:
    """Errors q_ref - q of the `runs` that did not diverge: t (S,), `lowest`, `highest` and `average` (S, n)."""

    t: Array
    lowest: Array
    highest: Array
    average: Array
    runs: int

    def merged(self, other: ErrorEnvelope) -> ErrorEnvelope:
        """The envelope of the runs of both."""
        runs = self.runs + other.runs
        share = other.runs / max(runs, 1)
        return ErrorEnvelope(
            self.t,
            np.fmin(self.lowest, other.lowest),
            np.fmax(self.highest, other.highest),
            np.nan_to_num(self.average) * (1.0 - share) + np.nan_to_num(other.average) * share,
            runs,
        )


@dataclass(frozen=True, eq=False)
class MonteCarloResult:
    """Results of all runs of a Monte Carlo simulation, a row per run.

    `rmse`, `max_error` (runs, n), `saturated` (runs, n) samples; `factors` (runs, bodies + n); `diverged` (runs,): the
    time [s] at which a run became infinite or NaN, nan for runs that did not. Errors of diverged runs are nan, too.
    `envelope`: if requested.
    """

    joints: tuple[str, ...]
    rmse: Array
    max_error: Array
    saturated: Array
    factors: Array
    diverged: Array
    steps: int
    seconds: float
    envelope: ErrorEnvelope | None = None

    @property
    def steps_per_second(self) -> float:
        """Control steps of all runs per second of processor time."""
        return len(self.rmse) * self.steps / self.seconds if self.seconds > 0.0 else 0.0


@dataclass(frozen=True)
class _Runs:
    """A chunk of runs for a worker."""

    plant: Plant
    controller: Controller
    trajectory: Trajectory
    options: LoopOptions
    spread: Spread
    runs: range
    envelope: bool


def monte_carlo(
    plant: Plant | Robot | Model,
    controller: Controller,
    trajectory: Trajectory,
    *,
    runs: int,
    spread: Spread,
    options: LoopOptions = DEFAULT_OPTIONS,
    envelope: bool = False,
    work: Work | None = None,
    executor: Executor | None = None,
) -> MonteCarloResult:
    """Run the loop `runs` times, (1) and (2), in groups distributed by `work`, or by a `Work` with the `executor`.

    With `envelope`, errors are recorded every `options.record_every` samples and their envelope is kept.

    Raises `ArgumentError` as `simulate` does, for a plant without bodies whose inertias could vary, and for a number of
    runs that is not positive.
    """
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < 1:
        raise ArgumentError(f"{runs!r} runs", remedy="give a positive whole number")
    varied = replace(as_plant(plant), varies=True)
    quiet = replace(options, record_every=max(options.record_every, 1) if envelope else 0)
    prepared_loop(varied, controller, trajectory, quiet)  # raises before workers start
    # The chunks depend on the number of runs alone, so that the result does not depend on the workers.
    size = TUNING.runs_per_call * min(
        TUNING.calls_per_task, max(1, runs // (TUNING.runs_per_call * TUNING.fewest_tasks))
    )
    tasks = [
        _Runs(varied, controller, trajectory, quiet, spread, range(first, min(first + size, runs)), envelope)
        for first in range(0, runs, size)
    ]
    results = as_work(work, executor=executor).map("simulating scattered robots", _run_task, tasks)
    return _joined(list(results))


def _run_task(task: _Runs) -> MonteCarloResult:
    run, sampled = prepared_loop(task.plant, task.controller, task.trajectory, task.options)
    groups = (task.runs[k : k + TUNING.runs_per_call] for k in range(0, len(task.runs), TUNING.runs_per_call))
    return _joined([_run_group(replace(task, runs=runs), run, sampled) for runs in groups])


def _run_group(group: _Runs, run: NativeRun, sampled: Trajectory) -> MonteCarloResult:
    plant, options, spread = group.plant, group.options, group.spread
    n, bodies = plant.n, len(plant.robot.bodies)
    factors, starts = np.empty((len(group.runs), bodies + n)), np.empty((len(group.runs), n))
    for row, number in enumerate(group.runs):
        generator = np.random.default_rng([options.seed, number, 1])
        deviation = np.concatenate([np.full(bodies, spread.inertia), np.full(n, spread.friction)])
        factors[row] = np.maximum(TUNING.least_factor, 1.0 + deviation * generator.standard_normal(bodies + n))
        starts[row] = sampled.q[0] + spread.position * generator.standard_normal(n)
    speeds = np.broadcast_to(sampled.qd[0], starts.shape)
    drives = drives_of(plant, group.controller, sampled, hold=options.reference_hold)
    seeds = [(options.seed, number) for number in group.runs]
    rows = run.first_rows(starts, speeds, factors, time=float(sampled.t[0]))
    recording = run.run(rows, drives, seeds=seeds, every=options.record_every)
    parts, steps = run.loop.parts, len(sampled) - 1
    final = sampled.q[-1] - recording.q[-1]
    lost = recording.diverged >= 0
    rmse = np.sqrt((recording.last[:, parts["squares"]] + final**2) / (steps + 1))
    worst = np.maximum(recording.last[:, parts["largest"]], np.abs(final))
    rmse[lost], worst[lost] = np.nan, np.nan
    ended = np.where(lost, sampled.t[0] + recording.diverged * run.period, np.nan)
    saturated = recording.last[:, parts["saturated"]]
    envelope = _envelope(sampled, recording, ~lost) if group.envelope else None
    return MonteCarloResult(sampled.joints, rmse, worst, saturated, factors, ended, steps, recording.seconds, envelope)


def _envelope(sampled: Trajectory, recording: Recording, stable: Mask) -> ErrorEnvelope:
    """The envelope of the errors of the stable runs; NaN where there is none."""
    kept = recording.samples
    errors = sampled.q[kept][:, None, :] - recording.q[:, stable]
    if not stable.any():
        errors = np.full((len(kept), 1, recording.q.shape[2]), np.nan)
    ends = errors.min(axis=1), errors.max(axis=1)
    return ErrorEnvelope(sampled.t[kept], *ends, errors.mean(axis=1), int(stable.sum()))


def _joined(results: Sequence[MonteCarloResult]) -> MonteCarloResult:
    def stacked(name: str) -> Array:
        return np.concatenate([getattr(result, name) for result in results])

    envelopes = [result.envelope for result in results]
    return MonteCarloResult(
        results[0].joints,
        stacked("rmse"),
        stacked("max_error"),
        stacked("saturated"),
        stacked("factors"),
        stacked("diverged"),
        results[0].steps,
        sum(result.seconds for result in results),
        None if None in envelopes else reduce(ErrorEnvelope.merged, (one for one in envelopes if one is not None)),
    )
