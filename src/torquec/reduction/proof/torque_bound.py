"""A rigorous bound of each joint's torque error over positions, speeds and accelerations.

The largest error that can be found is a lower bound; proofs (:mod:`torquec.reduction.proof.branch_and_bound`) are
tried at small factors above it until one succeeds, so the bound is never much larger than the truth.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.closedform.tabulate import basis_powers
from torquec.reduction.proof.bernstein import Array, Range
from torquec.reduction.proof.branch_and_bound import LEAF, Proof, Refutation, prove
from torquec.reduction.proof.torque_functional import TorqueFunctional
from torquec.reduction.proof.torque_residual import TorqueResidual

FACTORS = (1.03, 1.08, 1.15, 1.3, 1.5, 2.0)
_BUDGETS = (2_000_000, 2_000_000, 4_000_000, 6_000_000, 10_000_000, 20_000_000)
"""Control values that may be computed at each factor, per entry: boxes times the size of a box's table."""

_FLOOR = 1e-10
"""No bound is smaller than this part of the largest torque at rest: below lies the rounding of the programs."""

_SAMPLES = 20_000
_SAMPLE_VALUES = 400_000_000
_CLIMBERS = 16
_STEPS = 40


@dataclass(frozen=True)
class Motions:
    """The box of motions: ranges of the positions, largest speeds and accelerations, per joint (n,)."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    velocity: tuple[float, ...]
    acceleration: tuple[float, ...]


@dataclass(frozen=True)
class TorqueBound:
    """A joint's proven bound of its torque error, the largest error found, and the proof's trees."""

    bound: float
    found: float
    trees: tuple[tuple[int, ...], ...]

    @property
    def boxes(self) -> int:
        """Number of boxes in the proof."""
        return sum(len(tree) for tree in self.trees)


def torque_bound(
    residual: TorqueResidual, joint: int, motions: Motions, *, limit: float | None = None, known: float = 0.0
) -> TorqueBound | None:
    """The bound of one joint's torque error, or None where no proof was found within the budget.

    With a `limit`, a proof at the limit is taken where the small factors above the largest error take too long;
    `known` is an error that is known to occur.
    """
    table, ranges, allowance = _weighted(residual, joint, motions)
    functional = TorqueFunctional(residual.n)
    found = max(known, float(functional.exact(_values(table, ranges, _climb(table, ranges, functional))).max()))
    floor = _FLOOR * residual.size
    if not ranges:
        constant = float(functional(table.reshape(len(table), 1), np.inf)[0])
        slack = float(functional(allowance[:, None], np.inf)[0])
        return TorqueBound(max(constant + slack, floor), found, ((LEAF,),))
    points = int(np.prod(table.shape[1:]))
    targets = [(max(found * factor, floor), budget) for factor, budget in zip(FACTORS, _BUDGETS, strict=True)]
    if limit is not None:
        targets = [t for t in targets if t[0] < limit] + [(limit, _BUDGETS[-1])]
    for target, budget in targets:
        while True:
            most = max(2000, budget // points)
            outcome = prove(table, ranges, residual.degree, functional, target, allowance=allowance, most_boxes=most)
            if isinstance(outcome, Refutation):
                found = max(found, outcome.value)
                if limit is not None and found > limit:
                    return None
                target = max(target, found * FACTORS[0])
                continue
            break
        if isinstance(outcome, Proof):
            return TorqueBound(outcome.target, found, outcome.trees)
    return None


def worst_motions(residual: TorqueResidual, joint: int, motions: Motions) -> tuple[float, Array]:
    """The largest error found of a joint, and motions (N, 3, n) in which it is large: positions, speeds,
    accelerations.
    """
    table, ranges, _ = _weighted(residual, joint, motions)
    functional = TorqueFunctional(residual.n)
    points = _climb(table, ranges, functional)
    values = _values(table, ranges, points)
    errors = functional.exact(values)
    worst = np.zeros((len(points), 3, residual.n))
    for axis, r in enumerate(ranges):
        worst[:, 0, r.variable.joints[0][0]] = points[:, axis]
    speeds, accelerations = functional.signs(values)
    worst[:, 1] = speeds * np.array(motions.velocity)
    worst[:, 2] = accelerations * np.array(motions.acceleration)
    return float(errors.max()), worst


def sampled_motions(motions: Motions, count: int) -> Array:
    """Motions (count, 3, n): positions over the box, speeds mostly at their limits, accelerations at theirs."""
    rng = np.random.default_rng(0)
    lower, upper = np.array(motions.lower), np.array(motions.upper)
    n = len(lower)
    speeds = rng.choice([-1.0, 1.0], (count, n)) * np.array(motions.velocity)
    speeds[::3] *= rng.uniform(0.0, 1.0, speeds[::3].shape)
    accelerations = rng.choice([-1.0, 1.0], (count, n)) * np.array(motions.acceleration)
    return np.stack([rng.uniform(lower, upper, (count, n)), speeds, accelerations], axis=1)


def _weighted(residual: TorqueResidual, joint: int, motions: Motions) -> tuple[Array, list[Range], Array]:
    """The joint's table, rows weighted, without variables that nothing depends on; its ranges; allowances."""
    weights = residual.weights(motions.velocity, motions.acceleration)
    table = residual.tables[joint] * weights.reshape(-1, *([1] * len(residual.variables)))
    needed = residual.needed_joints(joint)
    ranges: list[Range] = []
    for axis in reversed(range(len(residual.variables))):
        variable = residual.variables[axis]
        index = variable.joints[0][0]
        if index in needed:
            ranges.insert(0, Range(variable, motions.lower[index], motions.upper[index]))
        else:
            table = np.take(table, 0, axis=axis + 1)
    return table, ranges, residual.dropped[joint] * weights


def _climb(table: Array, ranges: Sequence[Range], functional: TorqueFunctional) -> Array:
    """Points (N, variables) where the functional is large: the best of many, then climbs from them."""
    if not ranges:
        return np.zeros((1, 0))
    rng = np.random.default_rng(0)
    lower = np.array([r.lower for r in ranges])
    upper = np.array([r.upper for r in ranges])
    corners = np.array(list(itertools.islice(itertools.product(*zip(lower, upper, strict=True)), 512)))
    count = max(2000, min(_SAMPLES, _SAMPLE_VALUES // table.size))
    points = np.concatenate([rng.uniform(lower, upper, (count, len(ranges))), corners])
    values = functional.exact(_values(table, ranges, points))
    best = points[np.argsort(-values)[:_CLIMBERS]]
    step = 0.1 * (upper - lower)
    for _ in range(_STEPS):
        trials = np.clip(best[:, None, :] + step * rng.normal(size=(len(best), 8, len(ranges))), lower, upper)
        trials[:, 0] = best
        values = functional.exact(_values(table, ranges, trials.reshape(-1, len(ranges)))).reshape(len(best), 8)
        best = trials[np.arange(len(best)), values.argmax(axis=1)]
        step = step * 0.85
    return best


def _values(table: Array, ranges: Sequence[Range], points: Array) -> Array:
    """The polynomials of a table at points (N, variables): (entries, N)."""
    if not ranges:
        return np.repeat(table.reshape(len(table), 1), len(points), axis=1)
    result = np.empty((len(table), len(points)))
    for start in range(0, len(points), 2048):
        part = points[start : start + 2048]
        value: Array | None = None
        for axis in reversed(range(len(ranges))):
            basis = _basis(part[:, axis], ranges[axis], table.shape[axis + 1])
            if value is None:
                value = np.tensordot(table, basis, axes=(-1, 1))  # (entries, .., N)
            else:
                value = np.einsum("...bn,nb->...n", value, basis)
        assert value is not None
        result[:, start : start + 2048] = value
    return result


def _basis(x: Array, interval: Range, size: int) -> Array:
    """The basis functions of a variable at values x, (N, size)."""
    degree = size - 1 if interval.variable.prismatic else (size - 1) // 2
    powers = basis_powers(interval.variable, degree)
    if interval.variable.prismatic:
        return np.stack([x**b for _, b in powers], axis=1)
    c, s = np.cos(x), np.sin(x)
    return np.stack([c**a * s**b for a, b in powers], axis=1)
