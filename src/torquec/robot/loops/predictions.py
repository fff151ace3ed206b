"""Predictions of dependent joints: polynomials fitted to positions that are tracked from the start over a range.

(1)  range of an independent joint: its limits; without limits half a turn or the robot's size to each side of the start
(2)  tracking: many positions of the independent joints at once, each on a straight line from the start, by tangent
     steps and Newton's method. A sign change of det J_d is a singular configuration: another branch lies beyond it
(3)  fit: least squares over all positions reached; a fit that is linear up to rounding is the exact relation
(4)  number of Newton steps: as many as close the loops at nearly all positions reached, from the fitted guess
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array
from torquec.robot.loops.batch import LoopBatch, loop_batch, moved_batch, scales
from torquec.robot.loops.closed_loops import LoopFile, LoopPrediction
from torquec.robot.loops.equations import joint_places
from torquec.robot.loops.independent import DependentChoice
from torquec.robot.robot import Robot
from torquec.robot.tuning import TUNING

_DEGREES = {1: 8, 2: 6, 3: 4, 4: 3, 5: 2, 6: 2}  # degree of a prediction by the number of its inputs; one for more


@dataclass(frozen=True)
class Tracked:
    """Positions (N, nq of the tree) reached (2), the displacements (N, nv) from the start, and the ranges (1)."""

    start: Array
    positions: Array
    displacements: Array
    ranges: tuple[tuple[int, float, float], ...]
    coverage: float

    @classmethod
    def nothing(cls, start: Array) -> Tracked:
        """The result for a mechanism with nothing to track."""
        return cls(start, start[None], np.zeros((1, 0)), (), 1.0)


def influences(tree: Robot, file: LoopFile, choice: DependentChoice) -> dict[int, tuple[int, ...]]:
    """For every dependent rate the independent rates that it depends on."""
    by_equation, by_rate = scales(tree, file)
    rows = loop_batch(tree, file, choice.positions).rows * by_equation[:, None] * by_rate
    equations, dependent = (list(each) for each in zip(*choice.pivots, strict=True))
    others = [k for k in range(tree.n) if k not in dependent]
    solved = np.linalg.pinv(rows[:, equations][:, :, dependent], rcond=1e-9) @ rows[:, equations][:, :, others]
    large = np.abs(solved).max(axis=0) > 1e-8
    return {rate: tuple(np.array(others)[large[k]].tolist()) for k, rate in enumerate(dependent)}


def track(tree: Robot, file: LoopFile, choice: DependentChoice, start: Array, inputs: Sequence[int]) -> Tracked:
    """Track the loops (2) over the ranges (1) of the independent rates `inputs`."""
    ranges = tuple(_range(tree, start, rate) for rate in inputs)
    at = {place.rate: place.position for place in joint_places(tree)}
    first = start[[at[rate] for rate in inputs]]
    targets = np.array([center for _, center, _ in ranges]) + np.array([half for _, _, half in ranges]) * _spread(
        len(inputs)
    )
    q = np.tile(start, (len(targets), 1))
    equations, dependent = (list(each) for each in zip(*choice.pivots, strict=True))
    by_equation, by_rate = scales(tree, file)
    alive = np.ones(len(targets), dtype=bool)
    reference = _start_sign(tree, file, start, equations, dependent)
    for k in range(1, TUNING.sampling_steps + 1):
        step = np.zeros((len(targets), tree.n))
        step[:, list(inputs)] = (targets - first) / TUNING.sampling_steps
        batch = loop_batch(tree, file, q)
        step[:, dependent] = -_solved(batch, equations, dependent, (batch.rows @ step[..., None])[..., 0])
        q = np.where(alive[:, None], moved_batch(tree, q, step), q)
        for _ in range(4 if k == TUNING.sampling_steps else 2):
            batch = loop_batch(tree, file, q)
            step = np.zeros((len(targets), tree.n))
            step[:, dependent] = -_solved(batch, equations, dependent, batch.gaps)
            q = np.where(alive[:, None], moved_batch(tree, q, step), q)
        batch = loop_batch(tree, file, q)
        scaled = (batch.rows * by_equation[:, None] * by_rate)[:, equations][:, :, dependent]
        now = np.sign(np.linalg.det(scaled))
        alive &= (now == reference) & (np.abs(batch.gaps[:, equations]).max(axis=1) < 1e-8)
        alive &= np.linalg.cond(scaled) < TUNING.sampled_condition
    alive &= np.abs(batch.gaps[:, equations]).max(axis=1) < 1e-11
    reached = q[alive]
    if len(reached) and not alive.all():
        ranges = tuple(_span(rate, reached[:, at[rate]]) for rate in inputs)
    away = (
        np.stack([difference_rates(tree, start, each) for each in reached]) if len(reached) else np.zeros((0, tree.n))
    )
    return Tracked(start, reached, away, ranges, float(np.mean(alive)))


def fit(
    tree: Robot, tracked: Tracked, inputs_of: dict[int, tuple[int, ...]], *, more: int = 0
) -> tuple[LoopPrediction, ...]:
    """The fitted prediction (3) of every dependent rate; `more` raises the usual degree of the polynomials."""
    start = tracked.start
    at = {place.rate: place.position for place in joint_places(tree)}
    spans = {rate: (center, half) for rate, center, half in tracked.ranges}
    found = []
    for rate, inputs in inputs_of.items():
        values = tracked.displacements[:, rate]
        away = tracked.positions[:, [at[k] for k in inputs]] - start[[at[k] for k in inputs]]
        slopes = np.linalg.lstsq(away, values, rcond=None)[0] if inputs else np.zeros(0)
        if not inputs or np.abs(values - away @ slopes).max(initial=0.0) < TUNING.linear_fit_error:
            linear = tuple(tuple(int(i == j) for j in range(len(inputs))) for i in range(len(inputs)))
            found.append(LoopPrediction(rate, inputs, linear, tuple(map(_rounded, slopes)), exact=True))
            continue
        periodic = tuple(_is_periodic(tree, k) and tracked.coverage == 1.0 for k in inputs)
        columns = [
            tracked.positions[:, at[k]] if turns else (tracked.positions[:, at[k]] - spans[k][0]) / spans[k][1]
            for k, turns in zip(inputs, periodic, strict=True)
        ]
        powers = _exponents(periodic, max(len(values) // 3, 1), more)
        features = np.stack([_term(columns, periodic, exponents) for exponents in powers], axis=1)
        wound = away * np.array(periodic)
        slopes = np.linalg.lstsq(np.concatenate([wound, features], axis=1), values, rcond=1e-12)[0][: len(inputs)]
        windings = tuple(int(np.rint(slope)) if turns else 0 for slope, turns in zip(slopes, periodic, strict=True))
        coefficients = np.linalg.lstsq(features, values - wound @ np.array(windings), rcond=1e-12)[0]
        short = tuple(float(f"{c:.6g}") for c in coefficients)  # a guess: more digits would not make it better
        found.append(LoopPrediction(rate, inputs, powers, short, periodic, windings))
    return tuple(found)


def _is_periodic(tree: Robot, rate: int) -> bool:
    """Whether the joint is continuous: it turns without limits."""
    coordinate = tree.coordinates[rate]
    bounds = coordinate.joint.limits
    return coordinate.turns and not (math.isfinite(bounds.lower) or math.isfinite(bounds.upper))


def _exponents(periodic: tuple[bool, ...], most: int, more: int) -> tuple[tuple[int, ...], ...]:
    """Exponents of the polynomial with the highest total degree that has at most `most` terms."""
    for degree in range(_DEGREES.get(len(periodic), 1) + more, -1, -1):
        ranges = [range(2 * degree + 1 if turns else degree + 1) for turns in periodic]
        found = tuple(each for each in itertools.product(*ranges) if _degree(each, periodic) <= degree)
        if len(found) <= most:
            return found
    return ((0,) * len(periodic),)


def _degree(exponents: Sequence[int], periodic: Sequence[bool]) -> int:
    return sum((each + 1) // 2 if turns else each for each, turns in zip(exponents, periodic, strict=True))


def _term(columns: Sequence[Array], periodic: Sequence[bool], exponents: Sequence[int]) -> Array:
    """The product of one function of each input; for periodic ones 1, cos q, sin q, cos 2q, ..."""
    product = np.ones(len(columns[0]))
    for column, turns, exponent in zip(columns, periodic, exponents, strict=True):
        if turns and exponent:
            product = product * (np.cos if exponent % 2 else np.sin)((exponent + 1) // 2 * column)
        elif exponent:
            product = product * column**exponent
    return product


def difference_rates(tree: Robot, start: Array, q: Array) -> Array:
    """The displacements (nv,) that lead from the start to q, joint by joint."""
    found: list[float] = []
    k = 0
    for joint in tree.joints:
        at = slice(k, k + joint.kind.nq)
        found += [float(x) for x in joint.kind.difference([float(x) for x in start[at]], [float(x) for x in q[at]])]
        k += joint.kind.nq
    return np.array(found)


def as_guess(exact: LoopPrediction, tracked: Tracked, tree: Robot) -> LoopPrediction:
    """A linear relation as a polynomial from which Newton steps start."""
    at = {place.rate: place.position for place in joint_places(tree)}
    spans = {rate: (center, half) for rate, center, half in tracked.ranges}
    pairs = list(zip(exact.inputs, exact.coefficients, strict=True))
    constant = sum(slope * (spans[rate][0] - float(tracked.start[at[rate]])) for rate, slope in pairs)
    no_input, n = (0,) * len(exact.inputs), len(exact.inputs)
    slopes = tuple(slope * spans[rate][1] for rate, slope in pairs)
    return LoopPrediction(
        exact.rate, exact.inputs, (no_input, *exact.powers), (constant, *slopes), (False,) * n, (0,) * n
    )


def newton_steps(
    tree: Robot, file: LoopFile, pivots: Sequence[tuple[int, int]], guessed: Array, tracked: Tracked
) -> tuple[int, float]:
    """The number of steps (4) from guesses (N, nq), and the fraction of guesses that end at the tracked positions."""
    if not pivots:
        return 0, 1.0
    equations, dependent = (list(each) for each in zip(*pivots, strict=True))
    q, k = guessed, 0
    with np.errstate(all="ignore"):
        for k in range(TUNING.newton_steps + 1):
            batch = loop_batch(tree, file, q)
            apart = np.nan_to_num(np.abs(q - tracked.positions).max(axis=1), nan=np.inf)
            landed = apart < 1e-6
            tight = np.abs(batch.gaps[landed][:, equations]).max(initial=0.0) < TUNING.sampled_gap
            if k == TUNING.newton_steps or (tight and landed.mean() > TUNING.converged_share):
                break
            step = np.zeros((len(q), tree.n))
            step[:, dependent] = -_solved(batch, equations, dependent, batch.gaps, longest=np.inf)
            q = moved_batch(tree, q, step)
    if tracked.coverage < 1.0:  # singular configurations in the range: convergence between samples may be slower
        k = min(k + TUNING.extra_steps, TUNING.newton_steps)
    return k, float(landed.mean())


def _solved(
    batch: LoopBatch, equations: list[int], dependent: list[int], right: Array, *, longest: float = 1.0
) -> Array:
    """J_d^-1 right, (N, d), each at most `longest`; zero where J_d is singular."""
    matrix = batch.rows[:, equations][:, :, dependent]
    bad = ~(np.abs(np.linalg.det(matrix)) > 1e-300)
    matrix[bad] = np.eye(len(dependent))
    solved = np.linalg.solve(matrix, right[:, equations][..., None])[..., 0]
    solved[bad] = 0.0
    limited: Array = np.clip(np.nan_to_num(solved), -longest, longest)
    return limited


def _start_sign(tree: Robot, file: LoopFile, start: Array, equations: list[int], dependent: list[int]) -> float:
    by_equation, by_rate = scales(tree, file)
    rows = loop_batch(tree, file, start[None]).rows * by_equation[:, None] * by_rate
    return float(np.sign(np.linalg.det(rows[0][np.ix_(equations, dependent)])))


def _range(tree: Robot, start: Array, rate: int) -> tuple[int, float, float]:
    """The range (1) of an independent joint, as (rate, center, half width)."""
    coordinate = tree.coordinates[rate]
    at = {place.rate: place.position for place in joint_places(tree)}
    reach = math.pi if coordinate.turns else float(scales(tree, LoopFile())[1][rate])
    here, bounds = float(start[at[rate]]), coordinate.joint.limits
    lower, upper = max(bounds.lower, here - reach), min(bounds.upper, here + reach)
    half = max(0.5 * (upper - lower), 1e-3)
    return rate, 0.5 * (lower + upper), half


def _span(rate: int, values: Array) -> tuple[int, float, float]:
    """The range of the positions reached."""
    lower, upper = float(values.min()), float(values.max())
    return rate, 0.5 * (lower + upper), max(0.5 * (upper - lower), 1e-3)


def _spread(n: int) -> Array:
    """Points (N, n) spread evenly over [-1, 1]^n: a Halton sequence and the corners of small boxes."""
    points = (
        np.stack([_van_der_corput(TUNING.sampled_positions, base) for base in _primes(n)], axis=1)
        if n
        else np.zeros((1, 0))
    )
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=n))) if 0 < n <= 6 else np.zeros((0, n))
    return np.concatenate([2.0 * points - 1.0, corners])


def _van_der_corput(count: int, base: int) -> Array:
    found = np.zeros(count)
    for k in range(count):
        number, weight = k + 1, 1.0 / base
        while number:
            found[k] += weight * (number % base)
            number, weight = number // base, weight / base
    return found


def _primes(n: int) -> list[int]:
    found: list[int] = []
    number = 2
    while len(found) < n:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


def _rounded(slope: float) -> float:
    """A slope of a linear relation; made exact if it is a multiple of 1/12 up to rounding, as in parallelograms."""
    twelfths = round(12.0 * slope)
    return twelfths / 12.0 if abs(slope - twelfths / 12.0) < 1e-9 else float(slope)
