"""Native run of a closed loop, in blocks of steps that fit in the cache.

The loop of :mod:`torquec.codegen.llvm.repeat` runs some hundred steps per block; after each block the recorded samples
are copied out. There is no Python in a step.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from torquec.codegen.llvm import NativeFunction, load_or_compile
from torquec.codegen.llvm.repeat import LoopEnd, NativeLoop
from torquec.errors import ArgumentError, DivergenceError
from torquec.expr import Function
from torquec.foundation.arrays import Array, Indices
from torquec.simulation.integrators import DormandPrince, RungeKutta4
from torquec.simulation.loop_functions import LoopState, motion_function, sample_function
from torquec.simulation.tuning import TUNING

_BLOCK_NUMBERS = 1 << 16  # doubles of one block: half a megabyte stays in the second-level cache


@dataclass(frozen=True)
class LoopInputs:
    """Inputs by sample: reference (K + 1, 3n or more), gains (K + 1, 2n^2) or None, disturbances (K, runs, 4n + 1)."""

    reference: Array
    gains: Array | None = None
    disturbance: Array | None = None


@dataclass(frozen=True)
class Recording:
    """Recorded samples of all runs and their final rows.

    `motion` (S, runs, m) at `samples` (S,): q, qd and further integrated states; `wanted`, `seen`, `seen_speed`
    (S', runs, n): commanded torques, measured positions and speeds at the samples with a step; `last` (runs, size):
    the final rows; `diverged` (runs,): the step at which a run became infinite or NaN, or -1; `seconds` of CPU time.
    """

    samples: Indices
    motion: Array
    wanted: Array
    seen: Array
    seen_speed: Array
    last: Array
    diverged: Indices
    seconds: float

    @property
    def q(self) -> Array:
        """Positions (S, runs, n)."""
        return self.motion[:, :, : self.wanted.shape[2]]

    @property
    def qd(self) -> Array:
        """Speeds (S, runs, n)."""
        n = self.wanted.shape[2]
        return self.motion[:, :, n : 2 * n]


@dataclass(frozen=True)
class NativeRun:
    """A compiled closed loop with a sample every `period` seconds."""

    loop: LoopState
    period: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.period) and self.period > 0.0):
            raise ArgumentError(f"a sampling interval of {self.period!r} s", remedy="give a positive number of seconds")

    def compiled(self) -> NativeLoop:
        """The native loop; its functions come from the cache if they are there."""
        loop, period = self.loop, self.period
        key = f"{loop.plant.identity} {loop.integrator!r} {period!r}"
        control = f"{loop.controller.function.content_hash} {loop.sensors!r} {loop.disturbed}"
        outer = native_function(NamedSource(f"sample {key} {control}", lambda: sample_function(loop, period=period)))
        inner = native_function(
            NamedSource(f"motion {key} {dict(loop.parts)!r}", lambda: motion_function(loop, period=period))
        )
        match loop.integrator:
            case RungeKutta4(substeps=substeps):
                return NativeLoop(outer, inner, most=substeps)
            case DormandPrince(most=most):
                return NativeLoop(outer, inner, most=most, until=loop.parts["left"].start)

    def first_rows(
        self, q: npt.ArrayLike, qd: npt.ArrayLike, factors: npt.ArrayLike | None = None, *, time: float = 0.0
    ) -> Array:
        """Initial rows (runs, size) at q, qd (runs, n) and a time; `factors` as in `Plant.variation_size`."""
        loop = self.loop
        positions, speeds = (np.atleast_2d(np.asarray(value, dtype=np.float64)) for value in (q, qd))
        rows = np.zeros((len(positions), loop.size))
        for row, position, speed in zip(rows, positions, speeds, strict=True):
            row[loop.parts["motion"]] = loop.plant.first_motion(position.tolist(), speed.tolist(), time=time)
            row[loop.parts["memory"]] = loop.controller.initial_state
            row[loop.parts["sensors"]] = loop.sensors.first_memory(position, speed, period=self.period)
        rows[:, loop.parts["step"]] = min(TUNING.first_step, self.period)
        rows[:, loop.parts["factors"]] = 1.0 if factors is None else factors
        return rows

    def run(self, rows: Array, drives: LoopInputs, *, seeds: Sequence[Sequence[int]], every: int = 1) -> Recording:
        """Run K steps from rows (runs, size) for K + 1 rows of `drives`, and record one of `every` samples.

        The last sample is always recorded, with `every` zero no other. Runs that become infinite or NaN are marked, the
        others continue.
        Raises `DivergenceError` where an adaptive step size goes to zero.
        """
        loop, native = self.loop, self.compiled()
        n, runs, steps = loop.plant.n, len(rows), len(drives.reference) - 1
        keep = _kept_samples(steps, every)
        moving = loop.parts["motion"]
        motion = np.empty((len(keep), runs, loop.plant.motion_size))
        logs = np.empty((int(np.searchsorted(keep, steps)), runs, 3 * n))
        diverged = np.full(runs, -1, dtype=np.int64)
        length = max(16, min(steps, _BLOCK_NUMBERS // (runs * (loop.size + 9 * n))))
        states, log = np.empty((length + 1, runs, loop.size)), np.empty((length, runs, 3 * n))
        states[0] = rows
        generators = [np.random.default_rng(list(seed)) for seed in seeds] if loop.sensors.is_noisy else []
        native.make_ready(runs)
        began, k = time.thread_time(), 0
        while k < steps:
            many = min(length, steps - k)
            inputs = [_tiled(drives.reference[k : k + many], runs)]
            if drives.gains is not None:
                inputs.append(_tiled(drives.gains[k : k + many], runs))
            if drives.disturbance is not None:
                inputs.append(np.ascontiguousarray(drives.disturbance[k : k + many]))
            if generators:
                noise = [generator.standard_normal((many, 2 * n)) for generator in generators]
                inputs.append(np.ascontiguousarray(np.stack(noise, axis=1)))
            done = self._block(native, states[: many + 1], inputs, log[:many], rows=rows, diverged=diverged, start=k)
            first, last = np.searchsorted(keep, [k, k + done])
            at = keep[first:last] - k
            motion[first:last] = states[at][:, :, moving]
            logs[first:last] = log[at]
            states[0] = states[done]
            k += done
        motion[-1] = states[0][:, moving]
        seconds = time.thread_time() - began
        parts = (logs[:, :, :n], logs[:, :, n : 2 * n], logs[:, :, 2 * n :])
        return Recording(keep, motion, *parts, states[0].copy(), diverged, seconds)

    def _block(
        self,
        native: NativeLoop,
        states: Array,
        inputs: Sequence[Array],
        log: Array,
        *,
        rows: Array,
        diverged: Indices,
        start: int,
    ) -> int:
        """Run one block; returns the number of steps. A diverged run restarts from its first row."""
        result = native.run(states, inputs, log)
        if result.end is LoopEnd.UNFINISHED:
            raise DivergenceError(
                f"the step size went to zero at t = {(start + result.steps) * self.period:g} s",
                remedy="allow more attempts or a larger smallest step, or integrate in fixed steps (RungeKutta4)",
            )
        if result.end is LoopEnd.NOT_FINITE:
            now = states[result.steps]
            for run in np.flatnonzero(~np.isfinite(now).all(axis=1)):
                if diverged[run] < 0:
                    diverged[run] = start + result.steps
                now[run] = rows[run]
        return result.steps


@dataclass(frozen=True)
class NamedSource:
    """A function to compile, with a content key for the cache."""

    key: str
    make: Callable[[], Function] = field(compare=False)


@lru_cache(maxsize=64)
def native_function(source: NamedSource) -> NativeFunction:
    """The compiled function, from memory, else from the cache on disk, else compiled."""
    return load_or_compile(source.key, source.make)


def _kept_samples(steps: int, every: int) -> Indices:
    """Indices of the recorded samples of 0 .. steps."""
    if isinstance(every, bool) or not isinstance(every, int) or every < 0:
        raise ArgumentError(f"every {every!r} samples are to be kept", remedy="give a whole number, zero or more")
    regular = np.arange(0, steps, every) if every else np.empty(0, dtype=np.int64)
    return np.append(regular, steps).astype(np.int64)


def _tiled(rows: Array, runs: int) -> Array:
    """(k, size) as (k, runs, size), the same for every run."""
    if runs == 1:
        return rows[:, None, :]
    return np.ascontiguousarray(np.broadcast_to(rows[:, None, :], (len(rows), runs, rows.shape[1])))
