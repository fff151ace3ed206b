"""Motions in which a simplified torque program errs most, found by trying millions of them in native code.

(1)  the error is linear in the accelerations and quadratic in the speeds: the worst motions have both at their limits,
     so positions are drawn from the box and signs at random
(2)  from the worst ones of each joint, climbs: small steps in position and changes of a sign, the best of several kept

What is found is attained, so it is a lower bound of the largest error; proofs start from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.codegen.llvm.callable import compile_function
from torquec.expr import Function, Graph, inline, trace
from torquec.foundation.arrays import Array
from torquec.trajectory.motion_box import MotionBox, sampled_motions

Errors = Callable[[Array, Array, Array], Array]
"""From positions, speeds and accelerations (N, n) each to torque errors (N, n)."""

_SAMPLES = 300_000
"""Motions tried at first: half a second of native code for a six-joint arm."""

_CHUNK = 50_000
"""Motions evaluated at once: ten megabytes of torques."""

_CLIMBERS, _TRIALS, _ROUNDS = 24, 32, 80
"""Climbs for each joint, the steps that each of them tries in a round, and the rounds."""

_FIRST_STEP, _SHRINK = 0.15, 0.93
"""The first steps in parts of a joint's range, and what they are multiplied by from round to round: after all rounds
they are a two-thousandth of the range, finer than bounds are proven."""

_FLIPS = 0.08
"""How often a trial changes the sign of a speed or an acceleration: about one in a trial of six joints."""


@dataclass(frozen=True)
class WorstMotions:
    """The largest error found of each joint (n,), and for each joint motions (n, climbers, 3, n) of large error."""

    found: Array
    states: Array


def error_program(exact: Function, simplified: Function) -> Function:
    """The program q, qd, qdd -> tau of the difference of two torque programs; what they share is computed once.

    Further inputs of the simplified one, values that are not known yet, are inputs of it, too.
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
    """The same of errors that are compiled already."""
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
