"""Proof by interval arithmetic that a mass matrix is nonsingular everywhere in a box of positions.

On a box with centre c and half widths r, with V, W triangular such that V M(c) W is about the identity:

(1)  |V M(q) W - I| <= B = |V M(c) W - I| + sum_k r_k |V [dM/dq_k] W|,   [.] enclosed over the box    (mean value form)
(2)  if some v > 0 has B v < v, V M W and all its trailing blocks are H-matrices, hence nonsingular
(3)  V upper, W lower triangular: trailing blocks of M are then nonsingular too, as elimination from the tips without
     pivoting needs (`dynamics.joint_space_solve`)

A box that fails is halved across the joint that adds most to B. A box that is undecided at the smallest width, or when
the budget is spent, is reported: its M may be singular. Positions that M does not depend on are not divided.

Where an eighth of the budget is not enough and no box reaches the smallest width, M may still be proven positive
definite: by its distance to the robot's exact M, without boxes (`is_near_enough`), or with far fewer boxes for many
joints (:mod:`torquec.proof.inertia.positive_mass_matrix`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from torquec.expr import Function
from torquec.expr.differentiate import differentiate
from torquec.expr.ops import Op
from torquec.foundation.arrays import Array, Mask
from torquec.proof.enclosure.enclose import enclose
from torquec.proof.inertia.positive_mass_matrix import is_near_enough, is_positive_everywhere
from torquec.robot.robot import Robot

_STEPS = 30_000_000  # budget, boxes times operations of dM/dq: about ten seconds
_AT_ONCE = 2048  # boxes in one batch: fills the vector unit, and memory stays small
_NARROW = 1e-3
"""Half width [rad or m] below which an undecided box is not halved: M is singular or nearly singular there."""
_SLACK = 1e-9  # margin in (2) for the rounding errors of B and of B v, which are some thousand units of 1e-16
_POWER_STEPS = 8  # an approximate eigenvector is enough: the bound holds for any v


@dataclass(frozen=True)
class MassMatrixRegularity:
    """Whether M is proven nonsingular everywhere; else `where` is a box of positions in which it may be singular.

    `boxes`: number of boxes examined; `where` holds lower and upper ends (n,), and `is_point` says that it is too
    small to be divided.
    """

    shown: bool
    boxes: int
    where: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    is_point: bool = False


def mass_matrix_regularity(
    mass_matrix: Function,
    lower: Sequence[float],
    upper: Sequence[float],
    *,
    robot: Robot | None = None,
    budget: int | None = None,
) -> MassMatrixRegularity:
    """Nonsingularity (1)-(3) of M (n, n), a program q -> M, for positions between `lower` and `upper` (n,), all finite.

    `robot` says which joints are prismatic; without it positive definiteness is not tried. `budget`: limit of boxes; by
    default as many as take some seconds.
    """
    return _regularity(mass_matrix, tuple(lower), tuple(upper), robot, budget)


@lru_cache(maxsize=64)  # saving, loading, control design and generation each ask again
def _regularity(
    mass_matrix: Function, lower: tuple[float, ...], upper: tuple[float, ...], robot: Robot | None, budget: int | None
) -> MassMatrixRegularity:
    slopes = differentiate(mass_matrix, "M", "q")
    most = _STEPS // (1 + len(slopes.operations)) if budget is None else budget
    if robot is not None:
        found = _by_boxes(mass_matrix, slopes, lower, upper, most // 8)
        if found.shown or found.is_point:
            return found
        ways = (is_near_enough, is_positive_everywhere)
        if any(way(robot, mass_matrix, lower, upper) for way in ways):
            return MassMatrixRegularity(True, found.boxes)
    return _by_boxes(mass_matrix, slopes, lower, upper, most)


def _by_boxes(
    mass_matrix: Function, slopes: Function, lower: Sequence[float], upper: Sequence[float], most: int
) -> MassMatrixRegularity:
    """(1)-(3)."""
    low, high = np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)
    read = sorted({step.element for step in mass_matrix.operations if step.op is Op.INPUT})
    centers, halves = 0.5 * (low + high)[None], 0.5 * (high - low)[None]
    looked_at = 0
    while len(centers):
        looked_at += min(len(centers), _AT_ONCE)
        here, width = centers[-_AT_ONCE:], halves[-_AT_ONCE:]
        centers, halves = centers[:-_AT_ONCE], halves[:-_AT_ONCE]
        regular, shares = _regular(mass_matrix, slopes, here, width, read)
        here, width, shares = here[~regular], width[~regular], shares[~regular]
        if not len(here):
            continue
        tiny = np.all(width[:, read] < _NARROW, axis=1) if read else np.ones(len(here), dtype=bool)
        if tiny.any() or looked_at + len(centers) > most:
            worst = int(np.argmax(tiny))
            ends = here[worst] - width[worst], here[worst] + width[worst]
            box = (tuple(ends[0].tolist()), tuple(ends[1].tolist()))
            return MassMatrixRegularity(False, looked_at, box, bool(tiny.any()))
        split = np.argmax(shares, axis=1)
        rows = np.arange(len(here))
        width = width.copy()
        width[rows, split] *= 0.5
        step = np.zeros_like(width)
        step[rows, split] = width[rows, split]
        centers = np.concatenate([centers, here - step, here + step])
        halves = np.concatenate([halves, width, width])
    return MassMatrixRegularity(True, looked_at)


def _regular(
    mass_matrix: Function, slopes: Function, centers: Array, halves: Array, read: list[int]
) -> tuple[Mask, Array]:
    """Which boxes pass (2), and how much of B each joint adds."""
    low, high = enclose(mass_matrix, {"q": centers}, {"q": centers})["M"]
    M = 0.5 * (low + high)
    # A little wider than the halves: centre +- half must cover the box in spite of rounding.
    reach = halves * (1.0 + 1e-12) + 1e-12
    below, above = enclose(slopes, {"q": centers - reach}, {"q": centers + reach})["dM_dq"]
    with np.errstate(all="ignore"):
        V, W = _factors(M)
        size = np.abs(V) @ (high - low + 1e-15 * np.abs(M)) @ np.abs(W)
        B = np.abs(V @ M @ W - np.eye(M.shape[1])) + size
        shares = np.zeros_like(halves)
        for k in read:
            middle, radius = 0.5 * (above[..., k] + below[..., k]), 0.5 * (above[..., k] - below[..., k])
            part = (np.abs(V @ middle @ W) + np.abs(V) @ radius @ np.abs(W)) * reach[:, k, None, None]
            shares[:, k] = part.sum(axis=(1, 2))
            B = B + part
        v = np.ones((len(M), M.shape[1], 1))
        for _ in range(_POWER_STEPS):
            v = B @ v
            v = v / v.max(axis=1, keepdims=True) + 1e-3
        passes = np.all(B @ v < (1.0 - _SLACK) * v, axis=(1, 2))  # (2); false where anything is not a number
    shares = np.where(np.isfinite(shares), shares, halves * 1e300)
    return passes, np.where(halves > 0.0, shares, -1.0)


def _factors(M: Array) -> tuple[Array, Array]:
    """V upper and W lower triangular with V M W about the identity: elimination from the last row (3)."""
    n = M.shape[1]
    a = M.copy()
    V, W = (np.broadcast_to(np.eye(n), M.shape).copy() for _ in range(2))
    for k in reversed(range(n)):
        pivot = a[:, k, k][:, None, None]
        column, row = a[:, :k, k : k + 1] / pivot, a[:, k : k + 1, :k] / pivot
        a[:, :k, :k] -= column @ a[:, k : k + 1, :k]
        V[:, :k, :] -= column * V[:, k : k + 1, :]
        W[:, :, :k] -= W[:, :, k : k + 1] * row
        scale = np.sqrt(np.abs(pivot))
        V[:, k : k + 1, :] /= np.sign(pivot) * scale
        W[:, :, k : k + 1] /= scale
    return V, W
