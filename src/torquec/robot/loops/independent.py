"""Independent coordinates: which rates of the tree the loop equations determine, chosen by conditioning over a range.

(1)  Positions with closed loops are collected by walks along the null space of the Jacobian, from the start.
(2)  Gaussian elimination at all positions at once. The pivot is the entry with the largest minimum magnitude over the
     positions. Among pivots nearly as good, the joint farthest from the base is taken, so that joints at the base stay
     independent. Joints that are driven, or that mimic joints follow, become dependent only if no other joint can.
(3)  A row that vanishes at every position follows from the others: its equation is redundant.
(4)  The pivots of the chosen equations and rates are put into an order that keeps the system sparse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import RobotFileError
from torquec.foundation.arrays import Array
from torquec.robot.loops.batch import limits, loop_batch, moved_batch, scales
from torquec.robot.loops.closed_loops import LoopFile
from torquec.robot.robot import Robot
from torquec.robot.tuning import TUNING


@dataclass(frozen=True)
class DependentChoice:
    """Pivots as (equation, rate), redundant equations, and the positions (N, nq) that were sampled."""

    pivots: tuple[tuple[int, int], ...]
    redundant: tuple[int, ...]
    positions: Array


def choose_dependent(
    tree: Robot, file: LoopFile, start: Array, *, nearly: float = TUNING.tied_pivots
) -> DependentChoice:
    """The choice of dependent rates (1)-(4); a pivot is nearly as good (2) above the share `nearly` of the best.

    Raises `RobotFileError` where the joints that the file names cannot be independent.
    """
    positions = closed_positions(tree, file, start)
    by_equation, by_rate = scales(tree, file)
    rows = loop_batch(tree, file, positions).rows * by_equation[:, None] * by_rate
    kept = {coordinate.name for coordinate in tree.coordinates if coordinate.joint.name in file.independent}
    asked = [k for k, coordinate in enumerate(tree.coordinates) if coordinate.name in kept]
    pivots: list[tuple[int, int]] = []
    left = list(range(rows.shape[1]))
    size = max(float(np.abs(rows).max(initial=0.0)), TUNING.smallest_row)
    for columns in _tiers(tree, file, asked):
        while left:
            found = _best_pivot(rows, left, [k for k in columns if k not in {c for _, c in pivots}], size, nearly)
            if found is None:
                break
            r, c = found
            pivots.append(found)
            left.remove(r)
            with np.errstate(divide="ignore", invalid="ignore"):
                factors = rows[:, left, c] / rows[:, r, c][:, None]
            rows[:, left, :] -= np.nan_to_num(factors)[..., None] * rows[:, r, :][:, None, :]
    tied = [k for k in left if np.abs(rows[:, k]).max() > TUNING.zero_entry * size]
    if tied:
        names = [tree.coordinates[k].name for k in asked if np.abs(rows[:, tied, k]).max() > TUNING.zero_entry * size]
        raise RobotFileError(
            f"joints {', '.join(names)} cannot be independent of each other: {file.equation_names[tied[0]]} ties them",
            where=tree.source,
            remedy="name fewer joints in 'independent', or others",
        )
    return DependentChoice(_sparse_order(tree, file, positions, pivots), tuple(sorted(left)), positions)


def _sparse_order(
    tree: Robot, file: LoopFile, positions: Array, pivots: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """The same equations and rates in a stable order that fills in few zeros (4), after Markowitz."""
    by_equation, by_rate = scales(tree, file)
    rows = loop_batch(tree, file, positions).rows * by_equation[:, None] * by_rate
    left, columns = [r for r, _ in pivots], [c for _, c in pivots]
    order: list[tuple[int, int]] = []
    while left:
        block = np.abs(rows[:, left][:, :, columns])
        largest = block.max(axis=2, keepdims=True)
        score = (block / np.where(largest > 0.0, largest, 1.0)).min(axis=0)
        there = block.max(axis=0) > 1e-12
        cost = np.outer(there.sum(axis=1) - 1, there.sum(axis=0) - 1)
        good = there & (score >= min(TUNING.stable_pivot, float(score.max())))
        i, j = min(zip(*np.nonzero(good), strict=True), key=lambda at: (cost[at], -score[at]))
        r, c = left.pop(int(i)), columns.pop(int(j))
        order.append((r, c))
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = rows[:, left, c] / rows[:, r, c][:, None]
        rows[:, left, :] -= np.nan_to_num(factors)[..., None] * rows[:, r, :][:, None, :]
    return tuple(order)


def _tiers(tree: Robot, file: LoopFile, asked: Sequence[int]) -> list[list[int]]:
    """Growing lists of rates that may become dependent: passive joints, then with motors, then with driven joints."""
    leaders = {body.joint.mimic.joint for body in tree.bodies if body.joint.mimic is not None} | set(file.driven)
    leading = {k for k, coordinate in enumerate(tree.coordinates) if coordinate.joint.name in leaders}
    geared = {k for row in tree.drives.transmission for k, ratio in enumerate(row) if ratio != 0.0}
    every = [k for k in range(tree.n) if k not in asked]
    return [[k for k in every if k not in leading | geared], [k for k in every if k not in leading], every]


def _best_pivot(
    rows: Array, left: Sequence[int], columns: Sequence[int], size: float, nearly: float
) -> tuple[int, int] | None:
    """The pivot (2) as (equation, rate); None where every entry vanishes."""
    if not columns:
        return None
    entries = np.abs(rows[:, left][:, :, columns])
    score = entries.min(axis=0)
    if score.max() <= TUNING.zero_entry * size:
        score = np.quantile(entries, 0.2, axis=0)
    if score.max() <= TUNING.zero_entry * size:
        return None
    r, c = max(
        ((i, j) for i in range(len(left)) for j in range(len(columns)) if score[i, j] >= nearly * score.max()),
        key=lambda at: (columns[at[1]], score[at]),
    )
    return left[r], columns[c]


def closed_positions(tree: Robot, file: LoopFile, start: Array) -> Array:
    """Positions (N, nq of the tree) with closed loops, on walks from the start within joint limits (1)."""
    by_equation, by_rate = scales(tree, file)
    lower, upper = limits(tree)
    rng = np.random.default_rng(1)
    q = np.tile(start, (TUNING.walks, 1))
    for _ in range(TUNING.walk_steps):
        rows = loop_batch(tree, file, q).rows * by_equation[:, None] * by_rate
        back = np.linalg.pinv(rows, rcond=TUNING.zero_entry)
        drawn = rng.normal(size=(TUNING.walks, tree.n))
        free = drawn - (back @ (rows @ drawn[..., None]))[..., 0]
        step = free * (TUNING.walk_stride / np.maximum(np.abs(free).max(axis=1), 1e-9))[:, None]
        tried = moved_batch(tree, q, step * by_rate)
        for _ in range(3):
            batch = loop_batch(tree, file, tried)
            back = np.linalg.pinv(batch.rows * by_equation[:, None] * by_rate, rcond=TUNING.zero_entry)
            step = -(back @ (batch.gaps * by_equation)[..., None])[..., 0]
            tried = moved_batch(tree, tried, np.clip(step, -TUNING.walk_stride, TUNING.walk_stride) * by_rate)
        gaps = np.abs(loop_batch(tree, file, tried).gaps).max(axis=1)
        inside = np.all((tried >= lower) & (tried <= upper), axis=1) & (gaps < 1e-6)
        q = np.where(inside[:, None], tried, q)
    return np.concatenate([start[None], q])
