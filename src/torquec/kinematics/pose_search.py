"""Search for solutions of a pose over unknowns: the coordinates of a tolerance and the free joint of a redundant arm.

For every value z of the unknowns the arm's own inverse gives all branches:

(1)  z over its range (a grid, or for several unknowns points of low discrepancy, its middle and its corners): solutions
     that meet the pose within limits are compared by their cost
(2)  around the best z, finer values
(3)  where no z succeeds and z is one number, its exact intervals (`free_intervals`): narrow ones are found, too
(4)  else, and for arms that are solved numerically, damped least squares within all bounds from many starts
     (:mod:`torquec.kinematics.tolerance_search`)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from torquec.foundation.arrays import Array, Indices
from torquec.kinematics.angle import LIMIT_SLACK
from torquec.kinematics.arm_geometry import ArmJoint
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.closed_kinematics import InverseKinematics, KinematicsMethod
from torquec.kinematics.free_joint import free_intervals
from torquec.kinematics.tolerance_search import ToleranceSearch, displaced
from torquec.kinematics.tuning import TUNING

_POINTS = {KinematicsMethod.ANALYTIC: 2048, KinematicsMethod.ELIMINATION: 512, KinematicsMethod.NEAR: 256}
"""Number of points (1) for several unknowns: about 10 to 30 ms."""

_FINER, _ROUNDS = 33, 4
"""Values per round of (2), and number of rounds: each narrows the range by a factor of 16."""


_CLOSEST = 16  # points (1) from which (4) starts, those with the least errors

_BAD = int(BranchStatus.OUT_OF_LIMITS | BranchStatus.OUT_OF_REACH)
_OUT = int(BranchStatus.OUT_OF_REACH)


@dataclass(frozen=True, eq=False)
class Solutions:
    """Solutions q (K, branches, n) for K points z, status, error, and cost (K, branches), infinite out of limits."""

    names: tuple[str, ...]
    z: Array
    """(K, 7): offsets of the target, and the free joint"""
    q: Array
    status: Indices
    error: Array
    cost: Array

    @property
    def succeeds(self) -> bool:
        """Whether any solution meets the pose within limits."""
        return bool(np.isfinite(self.cost).any())

    @property
    def best(self) -> tuple[int, int]:
        """Point and branch of the least cost; of the least error where none meets the pose within limits."""
        cost = self.cost if self.succeeds else (self.status & _BAD) + self.error.sum(axis=-1)
        k, branch = np.unravel_index(int(np.argmin(cost)), cost.shape)
        return int(k), int(branch)


@dataclass(frozen=True, eq=False)
class PoseSearch:
    """One pose, its reference, the cost of a solution, ranges (7, 2) of z, and bounds (6, 2) of a tolerance."""

    ik: InverseKinematics
    rotation: Array
    position: Array
    reference: Array
    cost: Callable[[Array], Array]
    ranges: Array
    tolerance: Array | None

    @property
    def varied(self) -> Indices:
        """The unknowns: columns of z that have a range."""
        return np.flatnonzero(self.ranges[:, 0] < self.ranges[:, 1])

    @property
    def by_points(self) -> bool:
        """Whether (1) can find solutions: arms with fewer than six joints meet poses at isolated z only."""
        return self.ik.method is not KinematicsMethod.NUMERIC and len(self.ik.arm.joints) >= 6

    @property
    def decides(self) -> bool:
        """Whether a failure proves that no solution exists; see `BestPose`."""
        if self.ik.method is KinematicsMethod.NUMERIC or (self.ik.method is KinematicsMethod.NEAR and self.ik.free):
            return False
        return len(self.varied) <= 1 and (self.by_points or self.tolerance is None)

    def found(self) -> Solutions:
        """The solutions that the search (1)-(4) finds."""
        if self.tolerance is None and (not len(self.varied) or not self.by_points):
            return self.solved(self.middle[None])
        if not self.by_points:
            return self.iterated(None)
        found = self.solved(self.points())
        if found.succeeds:
            return self.refined(found)
        if len(self.varied) == 1:
            again = self.solved(self.interval_points())
            if again.succeeds:
                return self.refined(again)
        if self.tolerance is None:
            return found
        again = self.iterated(found)
        return again if again.succeeds or len(self.varied) else found

    @property
    def middle(self) -> Array:
        """z (7,) of the target itself, or of the value nearest to it, the free joint as in the reference."""
        z = np.zeros(7)
        if self.ik.closed.free is not None:
            z[6] = self.reference[self.ik.arm.joints[self.ik.closed.free].index]
        return np.clip(z, *self.ranges.T) if self.tolerance is not None else z

    def points(self) -> Array:
        """z (K, 7) of (1)."""
        varied = self.varied
        lower, upper = self.ranges[varied].T
        z = self.middle
        if len(varied) == 1:
            share = np.linspace(0.0, 1.0, TUNING.scanned_values)[:, None]
        else:
            inner = _spread(_POINTS[self.ik.method], len(varied))
            share = np.concatenate([inner, np.array(list(product((0.0, 1.0), repeat=len(varied))))])
        found = np.repeat(z[None], len(share) + 1, axis=0)
        found[1:, varied] = lower + share * (upper - lower)
        return found

    def targets(self, z: Array) -> tuple[Array, Array]:
        """Rotations (K, 3, 3) and positions (K, 3)."""
        if self.tolerance is None:
            count = len(z)
            return np.repeat(self.rotation[None], count, axis=0), np.repeat(self.position[None], count, axis=0)
        return displaced(self.rotation, self.position, z[:, :6])

    def solved(self, z: Array) -> Solutions:
        """All branches at points z (K, 7)."""
        references = np.repeat(self.reference[None], len(z), axis=0)
        if self.ik.closed.free is not None:
            references[:, self.ik.arm.joints[self.ik.closed.free].index] = z[:, 6]
        turns, places = map(np.ascontiguousarray, self.targets(z))
        q, status, error = self.ik._solved(turns, places, references)
        flags = np.asarray(status).astype(np.int64)
        cost = np.where(flags & _BAD, np.inf, self.cost(q.reshape(-1, q.shape[-1])).reshape(flags.shape))
        return Solutions(self.ik.names, z, q, flags, np.asarray(error), cost)

    def refined(self, found: Solutions) -> Solutions:
        """Solutions at finer values around the best point (2)."""
        k, branch = found.best
        varied, one = self.varied, len(self.varied) == 1
        share = np.linspace(-1.0, 1.0, _FINER)[:, None] if one else 2.0 * _spread(_FINER, len(varied)) - 1.0
        width = np.ptp(self.ranges[varied], axis=1) / (TUNING.scanned_values - 1.0 if one else 2.0)
        for _ in range(_ROUNDS if one else TUNING.box_shrinks):
            z = np.repeat(found.z[k][None], _FINER, axis=0)
            z[:, varied] = np.clip(z[:, varied] + share * width, *self.ranges[varied].T)
            finer = self.solved(z)
            at, other = finer.best
            if finer.cost[at, other] <= found.cost[k, branch]:
                found, k, branch = finer, at, other
            elif one:
                break
            width = width * (2.0 / (_FINER - 1) if one else TUNING.box_shrink)
        return found

    def interval_points(self) -> Array:
        """Middles of the intervals (3) in which any branch succeeds, (K, 7); the target itself if there are none."""
        (column,) = self.varied
        if column == 6:
            z = self.middle
            turn, place = self.targets(z[None])
            z[6] = self.ik._searched_reference(turn, place)[0, self.ik.arm.joints[self.ik.closed.free or 0].index]
            return z[None]
        limits = [joint.limits for joint in self.ik.arm.joints]
        columns = [joint.index for joint in self.ik.arm.joints]
        lower, upper = (np.array([getattr(one, side) for one in limits]) for side in ("lower", "upper"))

        def score(values: Array, _: Indices) -> Array:
            z = np.repeat(self.middle[None], len(values), axis=0)
            z[:, column] = values
            found = self.solved(z)
            q = found.q[:, :, columns]
            inside = np.minimum(q - lower, upper - q).min(axis=2, initial=np.inf) + LIMIT_SLACK
            of_branches = np.where(found.status & _OUT, -found.error.sum(axis=2), inside)
            return np.asarray(of_branches.max(axis=1))

        (runs,) = free_intervals(score, 1, *self.ranges[column])
        z = np.repeat(self.middle[None], max(len(runs), 1), axis=0)
        if runs:
            z[:, column] = np.mean(runs, axis=1)
        return z

    def iterated(self, closest: Solutions | None) -> Solutions:
        """Solutions by damped least squares (4), from the points with the least errors and from others."""
        assert self.tolerance is not None
        search = ToleranceSearch(
            self.ik.robot, self.ik.frame, self.ik.arm, self.rotation, self.position, self.tolerance
        )
        q, offsets = self.reference[None], self.middle[None, :6]
        if closest is not None:
            missed = closest.error.sum(axis=2)
            rows = np.argsort(missed.min(axis=1))[:_CLOSEST]
            q = np.concatenate([q, closest.q[rows, np.argmin(missed[rows], axis=1)]])
            offsets = np.concatenate([offsets, closest.z[rows, :6]])
        rng = np.random.default_rng(0)
        for more in (
            TUNING.further_starts[:1] if self.decides else TUNING.further_starts
        ):  # where (3) decides, only the pose error is wanted
            share = rng.uniform(size=(more, len(self.ik.arm.joints) + 6))
            if more == TUNING.further_starts[-1]:
                share = np.clip(2.0 * share - 0.5, 0.0, 1.0)
            some, displaced_by = self._starts(share)
            q, offsets = np.concatenate([q, some]), np.concatenate([offsets, displaced_by])
            found = self._finished(search, *search.solved(q, offsets))
            if found.succeeds:
                break
            q, offsets = found.q[:, 0], found.z[:, :6]
        return found

    def _starts(self, share: Array) -> tuple[Array, Array]:
        """q (K, n) and offsets (K, 6) at shares (K, joints + 6) of ranges, at most a turn or twice the arm's size."""
        q = np.repeat(self.reference[None], len(share), axis=0)
        for k, joint in enumerate(self.ik.arm.joints):
            half = self.ik.arm.reach if joint.slides else math.pi
            lower, upper = max(joint.limits.lower, -half), min(joint.limits.upper, half)
            q[:, joint.index] = lower + share[:, k] * (upper - lower)
        lower, upper = self.ranges[:6].T
        return q, lower + share[:, -6:] * (upper - lower)

    def _finished(self, search: ToleranceSearch, q: Array, offsets: Array, error: Array) -> Solutions:
        """Rows of (4) as branches of their own."""
        for joint in self.ik.arm.joints:
            if not joint.slides:
                q[:, joint.index] = _nearest_turn(q[:, joint.index], joint, self.reference[joint.index])
        met = error.max(axis=1) <= search.missed
        status = np.where(met, search.singular(q) * int(BranchStatus.SINGULAR), _OUT)
        cost = np.where(met, self.cost(q), np.inf)
        z = np.concatenate([offsets, np.zeros((len(q), 1))], axis=1)
        return Solutions(("search",), z, q[:, None], status[:, None], error[:, None], cost[:, None])


def _nearest_turn(angle: Array, joint: ArmJoint, near: float) -> Array:
    """Angles (K,) within a joint's limits, whole turns away, next to a reference."""
    turns = np.rint((near - angle) / (2.0 * math.pi))
    least = np.ceil((joint.limits.lower - angle) / (2.0 * math.pi))
    most = np.floor((joint.limits.upper - angle) / (2.0 * math.pi))
    return np.asarray(angle + 2.0 * math.pi * np.clip(turns, np.minimum(least, 0.0), np.maximum(most, 0.0)))


def _spread(count: int, size: int) -> Array:
    """Points (count, size) of low discrepancy in the unit cube: multiples of powers of a generalized golden ratio."""
    ratio = 2.0
    for _ in range(40):
        ratio = (1.0 + ratio) ** (1.0 / (size + 1))
    steps = ratio ** -np.arange(1.0, size + 1)
    return np.asarray((0.5 + np.arange(1, count + 1)[:, None] * steps) % 1.0)
