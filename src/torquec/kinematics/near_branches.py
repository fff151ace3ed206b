"""All inverse kinematics solutions of a calibrated arm, with branch names.

The arm's poses differ from those of the nominal arm (`near_arm`) by up to d, in position relative to half the arm's
size, or in rotation [rad]. Away from singularities each branch of the nominal arm leads to one solution. Where the
least singular value is not large compared with d, branches vanish, or two of them start at the same configuration. If
the nominal arm has self-motion, several solutions remain that have no branch of their own. The search:

(1)  Newton's method from the branches of the nominal arm. A pose is settled if every branch ended in a solution of its
     own, or is `hopeless`, and the least singular values are well above d
(2)  other poses: Newton's method from the branches of neighbouring poses, `beside_distances` times d away on all sides.
     Next to a singularity, these starts spread along it
(3)  curves (`solution_curve`) through all solutions that are nearly singular, and through the configurations where (1)
     ended without meeting the pose. Solutions there come in pairs, and a curve that leads to one leads to the other
(4)  names: a branch keeps the solution that it led to, if it was the first to reach it. Each branch without a solution
     takes the nearest of the remaining ones; the rest are further solutions. Six joints have 16 solutions at most

The result of a branch without a solution is where Newton's method gave up; if it ended in the solution of another
branch, it is the nominal arm's branch. Unused places for further solutions also hold branches of the nominal arm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Indices, Mask
from torquec.kinematics.near_arm import turning
from torquec.kinematics.refinement import APART, Iteration, distance, is_met, solve_rows
from torquec.kinematics.solution_curve import Curves, solutions_along
from torquec.kinematics.tuning import TUNING

MOST_SOLUTIONS = 16
"""Most solutions with six joints (Primrose, On the input-output equation of the general 7R-mechanism, 1986)."""

HOPELESS, HELD_APART = 2.0, 0.05
"""Factor of d, and additional pose error of starts that were separated at a fold; see `hopeless`."""

NEARLY_SINGULAR, NEAR_FOLD = 1.0, 0.2
"""Factors of d and of its square root; see `nearly_singular`."""


TRACED = 0.1
"""Least singular value of a solution below which a curve is followed through it, in poses that are not settled."""


@dataclass(frozen=True)
class NearSearch:
    """Data of the search for branches of a calibrated arm."""

    iteration: Iteration
    starts: Callable[[Array, Array, Array], Array]
    """rotation (M, 3, 3), position (M, 3), near (M, n) -> q (M, branches, n) of the nominal arm"""
    curves: Curves | None
    """None for arms without curves: those with other than six joints"""
    difference: float
    """d"""
    size: float
    """Half the arm's size [m]"""
    places: int
    """Capacity: number of branches, and of further solutions"""


def solve_near(search: NearSearch, rotation: Array, position: Array, near: Array, *, every: bool) -> Array:
    """The branches and further solutions of N poses: q (N, places, n).

    Without `every` the reference `near` (N, n) is a start, too, and (2), (3) are only for poses that no start reached.
    """
    starts = search.starts(rotation, position, near)
    count, branches, n = starts.shape
    begins = starts if every else np.concatenate([starts, near[:, None]], axis=1)
    q, error = _solved(search, begins, rotation, position)
    pool = _Pool(search.iteration, rotation, position, np.zeros((count, max(search.places, begins.shape[1]), n)))
    met = is_met(search.iteration, error)
    owned = np.stack([pool.add(np.arange(count), q[:, k], met[:, k]) for k in range(q.shape[1])], axis=1)
    poses = np.repeat(np.arange(count), branches)
    least = _least(search, q[:, :branches].reshape(-1, n), rotation[poses], position[poses]).reshape(count, branches)
    missed = ~met[:, :branches] & (_scaled(search, error[:, :branches]) < hopeless(search.difference))
    ended_elsewhere = met[:, :branches] & (owned[:, :branches] < 0)
    open_ = missed | ended_elsewhere | (met[:, :branches] & (least < nearly_singular(search.difference)))
    unsettled = np.flatnonzero(open_.any(axis=1) if every else ~met.any(axis=1))
    if len(unsettled):
        _search_beside(search, pool, unsettled, near)
        if search.curves is not None:
            _search_curves(search, pool, unsettled, q[:, :branches], missed)
    # A branch that ended in the solution of another branch stays there if the two branches coincide.
    coincident = ended_elsewhere & (least < APART)
    kept = np.where(ended_elsewhere[..., None] & ~coincident[..., None], starts, q[:, :branches])
    return _named(search, pool, kept, coincident, starts, owned[:, :branches])


class _Pool:
    """Distinct solutions of every pose: q (N, room, n), of which the first `filled` (N,) are valid."""

    def __init__(self, iteration: Iteration, rotation: Array, position: Array, room: Array) -> None:
        self.iteration, self.rotation, self.position = iteration, rotation, position
        self.q = room
        self.filled = np.zeros(len(room), int)

    def add(self, poses: Indices, q: Array, met: Mask) -> Indices:
        """Add rows (M, n), one per pose, that meet the pose and are new; returns their places, -1 if not added."""
        room = self.q.shape[1]
        there = np.arange(room) < self.filled[poses][:, None]
        same = (distance(self.iteration.turning, self.q[poses], q[:, None]) < APART) & there
        new = met & ~same.any(axis=1) & (self.filled[poses] < room)
        places = np.where(new, self.filled[poses], -1)
        self.q[poses[new], places[new]] = q[new]
        self.filled[poses[new]] += 1
        return places

    def add_any(self, poses: Indices, q: Array, met: Mask) -> None:
        """`add` for any number of rows per pose, in their order."""
        order = np.argsort(poses, kind="stable")
        poses, q, met = poses[order], q[order], met[order]
        first = np.flatnonzero(np.r_[True, poses[1:] != poses[:-1]]) if len(poses) else poses
        rank = np.arange(len(poses)) - np.repeat(first, np.diff(np.r_[first, len(poses)]))
        for k in range(int(rank.max(initial=-1)) + 1):
            rows = rank == k
            self.add(poses[rows], q[rows], met[rows])


def _solved(search: NearSearch, begins: Array, rotation: Array, position: Array) -> tuple[Array, Array]:
    """q (N, k, n) and error (N, k, 2) from starts (N, k, n)."""
    count, k, n = begins.shape
    poses = np.repeat(np.arange(count), k)
    q, error = solve_rows(search.iteration, begins.reshape(-1, n), rotation[poses], position[poses])
    return q.reshape(begins.shape), error.reshape(count, k, 2)


def _search_beside(search: NearSearch, pool: _Pool, poses: Indices, near: Array) -> None:
    """Search from the branches of neighbouring poses (2)."""
    rotation, position = pool.rotation[poses], pool.position[poses]
    for turn, shift in beside(search.difference, search.size):
        starts = search.starts(turn @ rotation, position + shift, near[poses])
        q, error = _solved(search, starts, rotation, position)
        met = is_met(search.iteration, error)
        for k in range(q.shape[1]):
            pool.add(poses, q[:, k], met[:, k])


def _search_curves(search: NearSearch, pool: _Pool, poses: Indices, ended: Array, missed: Mask) -> None:
    """Search along curves (3); `ended` (N, branches, n) is where Newton's method ended."""
    assert search.curves is not None
    wide = np.zeros(len(ended), bool)
    wide[poses] = True
    where, place = np.nonzero((np.arange(pool.q.shape[1]) < pool.filled[:, None]) & wide[:, None])
    begin = pool.q[where, place]
    nearly = _least(search, begin, pool.rotation[where], pool.position[where]) < TRACED
    gave_up, branch = np.nonzero(missed & wide[:, None])
    where = np.concatenate([where[nearly], gave_up])
    begin = np.concatenate([begin[nearly], ended[gave_up, branch]])
    if not len(where):
        return
    rows, q = solutions_along(search.curves, begin, pool.rotation[where], pool.position[where])
    found = where[rows]
    q, error = solve_rows(search.iteration, q, pool.rotation[found], pool.position[found])
    pool.add_any(found, q, is_met(search.iteration, error))


def _named(search: NearSearch, pool: _Pool, kept: Array, coincident: Mask, starts: Array, owned: Indices) -> Array:
    """Assign solutions to branches and to further places (4)."""
    count, branches, _ = kept.shape
    numbers = np.arange(pool.q.shape[1])
    left = numbers < pool.filled[:, None]
    for k in range(branches):
        has = owned[:, k] >= 0
        left[has, owned[has, k]] = False
    q = np.concatenate([kept, np.take(starts, np.arange(branches, search.places) % branches, axis=1)], axis=1)
    rows = np.arange(count)
    for k in range(search.places):
        wants = left.any(axis=1)
        if k < branches:
            wants &= (owned[:, k] < 0) & ~coincident[:, k]
            apart = distance(search.iteration.turning, pool.q, starts[:, k : k + 1])
            choice = np.argmin(np.where(left, apart, np.inf), axis=1)
        else:
            choice = np.argmax(left, axis=1)
        taken = rows[wants]
        q[taken, k] = pool.q[taken, choice[wants]]
        left[taken, choice[wants]] = False
    return q


def hopeless(difference: float) -> float:
    """Pose error above which a branch is out of reach; below it, Newton's method may have stalled at a fold."""
    return HOPELESS * difference + HELD_APART


def nearly_singular(difference: float) -> float:
    """The least singular value below which (1) is not enough: near a fold it scales with the root of the difference."""
    return NEARLY_SINGULAR * difference + NEAR_FOLD * math.sqrt(difference)


def beside(difference: float, size: float) -> list[tuple[Array, Array]]:
    """Turns (3, 3) and shifts (3,) of (2): about and along the vertices of an icosahedron."""
    golden = 0.5 * (1.0 + 5.0**0.5)
    ends = [(a, b * golden) for a in (1.0, -1.0) for b in (1.0, -1.0)]
    corners = [np.roll([0.0, a, b], k) for k in range(3) for a, b in ends]
    unit = [corner / np.linalg.norm(corner) for corner in corners]
    distances = [min(share * difference, TUNING.farthest_beside) for share in TUNING.beside_distances]
    # Each turn is paired with a shift in an oblique direction: the pairs surround the pose in rotation and position.
    return [(turning(far * unit[k]), far * size * unit[(5 * k + 3) % 12]) for far in distances for k in range(12)]


def _least(search: NearSearch, q: Array, rotation: Array, position: Array) -> Array:
    """The least singular values (M,) at q (M, n)."""
    return np.full(len(q), np.inf) if search.curves is None else search.curves.start(q, rotation, position)[3]


def _scaled(search: NearSearch, error: Array) -> Array:
    """The larger of the two errors (..., 2) [m, rad], the position's relative to half the arm's size."""
    return np.asarray((error * [1.0 / search.size, 1.0]).max(axis=-1))


def branch_names(iteration: Iteration, q: Array, starts: Array, names: Sequence[str]) -> tuple[str, ...]:
    """Names of solutions (k, n): each of `starts` (b, n) names at most one, the nearest; others are `further`."""
    off = q[:, None] - starts
    turns = iteration.turning * iteration.moving
    apart = np.square(off) @ (iteration.moving - turns) - np.cos(off) @ turns
    given, open_ = [""] * len(q), list(names)
    left = min(len(q), len(open_))
    for place in apart.argsort(axis=None).tolist():
        if not left:
            break
        k, branch = divmod(place, len(names))
        if not given[k] and open_[branch]:
            given[k], open_[branch] = open_[branch], ""
            left -= 1
    further = iter(range(1, len(q) + 1))
    return tuple([name or f"further {next(further)}" for name in given])
