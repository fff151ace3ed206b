"""Torque error bounds of all joints as parallel tasks, and worst motions by local search.

Worst motions are found by evaluating millions of motions in native code:

(1)  the error is linear in the accelerations and quadratic in the speeds: the worst motions have both at their limits,
     so positions are drawn from the box and signs at random
(2)  climbs start at the worst motions of each joint: the best of several small position steps and sign changes is kept

Errors found are attained, so they are lower bounds of the largest error; proofs start from them.

Bounds of all joints are computed in parallel, the hardest joints first, long proofs in parts:

(3)  each joint is one task as long as its proofs are short (`pursued`). Joints whose errors use most of their tolerance
     come first: their proofs take longest, and are the first to fail
(4)  a long proof is done in parts by all workers, until it succeeds or is given up; then (3) again, with the remaining
     targets

Parts and their order do not depend on the number of workers: bounds are bit-identical.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from torquec.codegen.llvm.callable import compile_function
from torquec.expr import Function, Graph, inline, trace
from torquec.foundation.arrays import Array
from torquec.foundation.work import Meter, Work, silent
from torquec.proof.torque.torque_bound import (
    BoundSearch,
    JointError,
    TorqueBound,
    bound_search,
    joint_error,
    open_parts,
    pursued,
    show_part,
    with_parts,
)
from torquec.proof.torque.torque_residual import TorqueResidual
from torquec.trajectory.motion_box import MotionBox, sampled_motions
from torquec_check.claim import rounded_up

Errors = Callable[[Array, Array, Array], Array]
"""From positions, speeds and accelerations (N, n) each to torque errors (N, n)."""

_SAMPLES = 300_000  # motions tried at first: half a second of native code for a six-joint arm
_CHUNK = 50_000  # motions evaluated at once: ten megabytes of torques

_CLIMBERS, _TRIALS, _ROUNDS = 24, 32, 80
"""Climbs for each joint, the steps that each of them tries in a round, and the rounds."""

_FIRST_STEP, _SHRINK = 0.15, 0.93
"""First step relative to a joint's range, and its factor from round to round: the last step is a two-thousandth of the
range, finer than the accuracy of the bounds."""

_FLIPS = 0.08
"""Probability of changing the sign of each speed or acceleration: about one change in a trial of six joints."""

_IN_PARTS = "proving a torque error in parts"


@dataclass(frozen=True)
class WorstMotions:
    """The largest error found of each joint (n,), and for each joint motions (n, climbers, 3, n) of large error."""

    found: Array
    states: Array


def error_program(exact: Function, simplified: Function) -> Function:
    """The program q, qd, qdd -> tau of the difference of two torque programs; common subexpressions are shared.

    Further inputs of `simplified` (values that are not known yet) become inputs of the result.
    """

    def algorithm(**inputs: Any) -> dict[str, list[Any]]:
        graph: Graph = inputs["q"][0].graph
        whole, part = (inline(function, graph, inputs)["tau"] for function in (exact, simplified))
        return {"tau": [a - b for a, b in zip(whole, part, strict=True)]}

    return trace("torque_error", algorithm, {port.name: port.shape for port in (*exact.inputs, *simplified.inputs)})


def worst_motions(error: Function, motions: MotionBox, *, seed: int = 0, samples: int = _SAMPLES) -> WorstMotions:
    """Search for the largest error of every joint; another `seed` tries other motions."""
    return worst_motions_of(compile_function(error), motions, seed=seed, samples=samples)


def worst_motions_of(native: Errors, motions: MotionBox, *, seed: int = 0, samples: int = _SAMPLES) -> WorstMotions:
    """As `worst_motions`, for errors that are compiled already."""
    rng = np.random.default_rng(seed)
    states = _sampled(native, motions, rng, samples)
    lower, upper = np.array(motions.lower), np.array(motions.upper)
    n = len(lower)
    step = _FIRST_STEP * (upper - lower)
    shape = (n, states.shape[2], _TRIALS, n)
    own = np.arange(n)
    largest = np.zeros(shape[:2])
    trials, moves, chances = np.empty((3, *shape)), np.empty(shape), np.empty(shape)
    flips = np.empty((*shape[:3], 2, n))
    for _ in range(_ROUNDS):
        rng.standard_normal(out=moves)
        rng.random(out=chances)
        moves *= step
        moves *= chances < 0.5
        np.clip(np.add(states[0, :, :, None], moves, out=moves), lower, upper, out=trials[0])
        rng.random(out=flips)
        np.multiply(states[1:, :, :, None], np.moveaxis(np.where(flips < _FLIPS, -1.0, 1.0), 3, 0), out=trials[1:])
        trials[:, :, :, 0] = states
        errors = native(*trials.reshape(3, -1, n)).reshape(shape)[own, :, :, own]  # (n, climbers, trials)
        np.abs(errors, out=errors)
        best = errors.argmax(axis=2)
        largest = errors.max(axis=2)
        states = np.take_along_axis(trials, best[None, :, :, None, None], axis=3)[:, :, :, 0]
        step = step * _SHRINK
    return WorstMotions(largest.max(axis=1), np.moveaxis(states, 0, 2))


def _sampled(native: Errors, motions: MotionBox, rng: np.random.Generator, samples: int) -> Array:
    """The worst sampled motions of each joint, (3, n, climbers, n): positions, speeds, accelerations."""
    n = len(motions.lower)
    kept: list[list[Array]] = [[] for _ in range(n)]
    for start in range(0, samples, _CHUNK):
        part = sampled_motions(motions, min(_CHUNK, samples - start), rng=rng)
        errors = np.abs(native(*(np.ascontiguousarray(part[:, k]) for k in range(3))))
        for joint in range(n):
            count = min(_CLIMBERS, len(part))
            kept[joint].append(part[np.argpartition(-errors[:, joint], count - 1)[:count]])
    worst = []
    for joint in range(n):
        together = np.concatenate(kept[joint])
        errors = np.abs(native(*(np.ascontiguousarray(together[:, k]) for k in range(3))))[:, joint]
        worst.append(together[np.argsort(-errors)[:_CLIMBERS]])
    return np.ascontiguousarray(np.moveaxis(np.stack(worst), 2, 0))


@dataclass(frozen=True)
class BoundTask:
    """Input of a process that bounds one joint's error, with the arguments of `torque_bound`.

    The residual may have the tables of this joint alone. `search` is the state of a search that was started.
    """

    residual: TorqueResidual
    joint: int
    motions: MotionBox
    found: float
    limit: float | None
    closer: bool
    known: TorqueBound | None = None
    search: BoundSearch | None = None

    @property
    def error(self) -> JointError:
        """The joint's error, with the requirements on its bound."""
        return joint_error(self.residual, self.joint, self.motions, limit=self.limit, closer=self.closer)

    @property
    def hardness(self) -> tuple[float, int]:
        """Sort key of tasks: used part of the tolerance (3), then the amount of computation."""
        used = 0.0 if self.limit is None else self.found / self.limit if self.limit > 0.0 else np.inf
        return used, int(np.count_nonzero(self.residual.tables[self.joint]))


def torque_bounds(
    name: str, tasks: Sequence[BoundTask], joint_names: Sequence[str], work: Work
) -> Iterator[tuple[int, TorqueBound | None]]:
    """Joint and bound of every task, None where no proof was found, in a fixed order.

    `name` is the step of the work. Raises `TimeLimitError` where there is no time even for a bound by amplitudes.
    """
    left = sorted(tasks, key=lambda task: task.hardness, reverse=True)
    while left:
        searches = work.map(name, _pursued, left, metered=True, note=lambda t, s: _note(joint_names[t.joint], s))
        waiting = []
        for task, search in zip(left, searches, strict=True):
            if search.is_over:
                yield task.joint, search.best
            else:
                waiting.append(replace(task, search=search))
        left = [replace(task, search=_shown_in_parts(task, work)) for task in waiting]


def _pursued(task: BoundTask, *, meter: Meter = silent) -> BoundSearch:
    """(3)."""
    error = task.error
    return pursued(error, task.search or bound_search(error, task.found, task.known), meter=meter)


def _shown_in_parts(task: BoundTask, work: Work) -> BoundSearch:
    """(4), until the search's target is proven, refuted or given up."""
    error, search = task.error, task.search
    assert search is not None
    while search.trees:
        search = with_parts(error, search, work.map(_IN_PARTS, show_part, open_parts(error, search), metered=True))
    return search


def _note(joint: str, search: BoundSearch) -> str:
    bound = search.best
    if not search.is_over:
        return f"{joint}: this takes longer, and is done in parts"
    if bound is None:
        return f"{joint}: not proven"
    if bound.by_amplitudes:
        return f"{joint}: error at most {rounded_up(bound.bound, 4)}, by amplitudes"
    return f"{joint}: error at most {rounded_up(bound.bound, 4)}, proven with {bound.boxes} boxes"
