"""Search for the largest hold error: random motions of a box, then local search from the worst.

(1)  motion of constant jerk about its middle: qdd = y + z s,  qd = x + y s + 1/2 z s^2,  q its integral,  s in +-age/2,
     with |x| <= v - a age/2, |y| <= a - j age/2, |z| <= j: it stays in the box of speeds and accelerations
(2)  without a limit of jerk: constant acceleration y until the cycle that the error is evaluated in, which has another
     acceleration A, |A| <= a
(3)  the error is the exact torque at the end minus that of the synchronous task with coefficients from the beginning

The errors found do occur: they are lower bounds of the worst hold error.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.codegen.llvm import compile_function
from torquec.expr import Function, trace
from torquec.expr.differentiate import directional_nodes
from torquec.expr.ops import Op
from torquec.foundation.arrays import Array
from torquec.model.model import Model, as_model
from torquec.realtime.tuning import TUNING
from torquec.robot.robot import Robot
from torquec.trajectory.motion_box import MotionBox


@dataclass(frozen=True)
class FoundErrors:
    """The largest errors found (n,) of zeroth and first order [N m, N]."""

    zeroth: Array
    first: Array


def hold_error_function(model: Model) -> Function:
    """The program of (3): q0, qd0, qdd0 of the background, q, qd, qdd of the cycle -> zeroth, first (n,)."""
    n = model.robot.n

    def algorithm(**x: Any) -> dict[str, Any]:
        graph = x["q"][0].graph

        def torque(q: Any, qd: Any, qdd: Any) -> list[Any]:
            rigid, springs = model.at("inverse_dynamics", q, qd, qdd), model.at("spring_torque", q)
            return [graph.make(Op.ADD, a, b) for a, b in zip(rigid, springs, strict=True)]

        now, held = torque(x["q"], x["qd"], x["qdd"]), torque(x["q0"], x["qd0"], x["qdd"])
        before = torque(x["q0"], x["qd0"], x["qdd0"])
        change = [b - a for name in ("q", "qd") for a, b in zip(x[f"{name}0"], x[name], strict=True)]
        slopes = directional_nodes(before, [*x["q0"], *x["qd0"]], change)
        zeroth = [a - b for a, b in zip(now, held, strict=True)]
        return {"zeroth": zeroth, "first": [a - b for a, b in zip(zeroth, slopes, strict=True)]}

    names = ("q0", "qd0", "qdd0", "q", "qd", "qdd")
    return trace("hold_error", algorithm, dict.fromkeys(names, (n,)))


def search_hold_error(
    source: Robot | Model,
    motions: MotionBox,
    age: float,
    *,
    jerk: Sequence[float] | None = None,
    seed: int = 0,
    samples: int = TUNING.hold_samples,
) -> FoundErrors:
    """The largest errors found at a sample age [s]; another `seed` tries other motions."""
    model = as_model(source)
    n = model.robot.n
    native = compile_function(hold_error_function(model))
    rng = np.random.default_rng(seed)
    maker = _Motions(motions, age, jerk)

    def errors(parameters: Array) -> Array:
        zeroth, first = native(*maker.states(parameters))
        sizes: Array = np.abs(np.stack([zeroth, first], axis=1))  # (N, order, n)
        return sizes

    tried = rng.uniform(-1.3, 1.3, (samples, maker.size)).clip(-1.0, 1.0)
    # Errors are nearly linear in each speed and acceleration: half of the motions have all of them at their ends.
    tried[::2, n:] = np.where(tried[::2, n:] < 0.0, -1.0, 1.0)
    sizes = errors(tried)
    best = np.zeros((2, n))
    for order in range(2):
        for joint in range(n):
            start = tried[np.argsort(sizes[:, order, joint])[-TUNING.hold_climbers :]]
            best[order, joint] = _climb(start, lambda u, o=order, i=joint: errors(u)[:, o, i], rng)
    return FoundErrors(best[0], best[1])


def _climb(start: Array, value: Any, rng: np.random.Generator) -> float:
    at, step = start.copy(), TUNING.hold_first_step
    height = value(at)
    for _ in range(TUNING.hold_rounds):
        trials = at[:, None, :] + step * rng.normal(size=(len(at), TUNING.hold_trials, at.shape[1])) * (
            rng.uniform(size=(len(at), TUNING.hold_trials, at.shape[1])) < 0.3  # a few parameters at a time
        )
        ends = rng.uniform(size=trials.shape) < TUNING.hold_flip_probability / 3.0
        trials = np.where(ends, rng.choice([-1.0, 1.0], size=trials.shape), trials).clip(-1.0, 1.0)
        found = value(trials.reshape(-1, at.shape[1])).reshape(len(at), TUNING.hold_trials)
        k = found.argmax(axis=1)
        better = found[np.arange(len(at)), k] > height
        at[better] = trials[np.arange(len(at)), k][better]
        height = np.maximum(height, found.max(axis=1))
        step *= TUNING.hold_step_shrink
    for step, k in itertools.product(TUNING.hold_sweeps, range(at.shape[1])):
        for move in (-1.0, 1.0, at[:, k] - step, at[:, k] + step):
            trial = at.copy()
            trial[:, k] = np.clip(move, -1.0, 1.0)
            found = value(trial)
            at[found > height] = trial[found > height]
            height = np.maximum(height, found)
    return float(height.max())


class _Motions:
    """Map from parameters within +-1 to the states at the beginning and at the end of (1) or (2)."""

    def __init__(self, motions: MotionBox, age: float, jerk: Sequence[float] | None) -> None:
        self.age, self.n = age, len(motions)
        self.lower, self.upper = np.array(motions.lower), np.array(motions.upper)
        self.v, self.a = np.array(motions.velocity), np.array(motions.acceleration)
        self.j = None if jerk is None else np.minimum(np.array(jerk), 2.0 * self.a / age)
        self.size = 4 * self.n

    def states(self, u: Array) -> tuple[Array, ...]:
        """q0, qd0, qdd0, q, qd, qdd, (N, n) each."""
        n, half = self.n, 0.5 * self.age
        q = 0.5 * (self.lower + self.upper) + 0.5 * (self.upper - self.lower) * u[:, :n]
        x = np.maximum(self.v - self.a * half, 0.0) * u[:, n : 2 * n]
        last = u[:, 3 * n :]
        if self.j is None:
            y, z = np.minimum(self.a, self.v / half) * u[:, 2 * n : 3 * n], np.zeros_like(q)
        else:
            z = np.minimum(self.j, self.v / half**2) * last
            y = np.maximum(np.minimum(self.a, self.v / half) - self.j * half, 0.0) * u[:, 2 * n : 3 * n]

        def at(s: float) -> tuple[Array, Array, Array]:
            return q + x * s + y * (s**2 / 2.0) + z * (s**3 / 6.0), x + y * s + z * (s**2 / 2.0), y + z * s

        before, after = at(-half), at(half)
        end = self.a * last if self.j is None else after[2]
        return tuple(np.ascontiguousarray(part) for part in (*before, after[0], after[1], end))
