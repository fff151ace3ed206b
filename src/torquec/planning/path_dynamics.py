"""Dynamics along a path: the torque of every joint in terms of path acceleration and speed.

With q = q(s), v = ds/dt, x = v^2 and u = d2s/dt2:

(1)  qd = q' v,   qdd = q' u + q'' x
(2)  tau = a u + b x + f(v) + c,   a = M q',   b = M q'' + C(q, q') q',   c the torque at rest (gravity, springs)
(3)  friction f(v) is replaced by its secant through two speeds, f = f0 + d v: exact for viscous and Coulomb friction,
     which keep their sign in a cell; other terms are exact at the first speed only, which is that of the last profile
(4)  the first and last m cells of the grid, of length h, are cut at the distances h k^2/(4 m) from the end, k < 2 m:
     at constant acceleration from rest the parts take equal times

Coefficients are evaluated at the middles of cells, in one native call for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.dynamics.friction_torque import rubbing_shafts
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.model.model import Model
from torquec.planning.joint_path import JointPath
from torquec.planning.planning_limits import PlanningLimits
from torquec.planning.speed_profile import LimitRows
from torquec.planning.tuning import TUNING

CREEP = 1e-9
"""Path speed of a motion that has just begun: dry friction acts, everything else is as at rest."""

_SECANT = 0.5  # the second speed of (3), as a fraction of the first

_FEWEST = 4  # smallest number of cells of a segment
_END_CELLS = 16
"""Number of cells at either end that are cut again (4): near rest, a motion would stay long in equal cells of s."""

_DOUBLED = 2.0 ** np.arange(-10.0, 0.0)
"""Ends of the very first cells, as fractions of a cell; each doubles the distance from rest."""


@dataclass(frozen=True, eq=False)
class PathGrid:
    """A path cut into N cells: `s` (N + 1,), positions and derivatives at grid points and at middles."""

    path: JointPath
    s: Array
    at: tuple[Array, Array, Array]
    middle: tuple[Array, Array, Array]

    @property
    def cells(self) -> Array:
        """Lengths of the cells (N,)."""
        return np.diff(self.s)


def path_grid(path: JointPath, points: int) -> PathGrid:
    """The grid of a path: about `points` cells, every waypoint a grid point, finer cells at both ends."""
    if points < TUNING.fewest_points:
        raise ArgumentError(f"{points} grid points", remedy="give at least 10; 1000 suit most paths")
    counts = np.maximum(_FEWEST, np.rint(points * np.diff(path.knots) / path.length).astype(int))
    parts = [np.linspace(a, b, k + 1)[:-1] for a, b, k in zip(path.knots[:-1], path.knots[1:], counts, strict=True)]
    s = np.concatenate([*parts, [path.length]])
    share = 1 if len(counts) > 1 else 2  # one segment has both ends
    m, n = (min(_END_CELLS, int(count) // share) for count in (counts[0], counts[-1]))
    first, last = (s[1] - s[0]) * _from_rest(m), (s[-1] - s[-2]) * _from_rest(n)
    s = np.concatenate([s[:1], s[0] + first, s[m : len(s) - n], (s[-1] - last)[::-1], s[-1:]])
    return PathGrid(path, s, path.at(s), path.at(0.5 * (s[:-1] + s[1:])))


def _from_rest(m: int) -> Array:
    """Grid points (4) within the first m cells, in units of a cell."""
    inner = np.arange(1.0, 2.0 * m) ** 2 / (4.0 * m)
    return np.concatenate([_DOUBLED[inner[0] > _DOUBLED], inner])


@dataclass(frozen=True, eq=False)
class PathDynamics:
    """Coefficients (2) at the middles of a grid's cells: a, b, c (N, n); `rubs` if the robot has friction."""

    model: Model
    grid: PathGrid
    a: Array
    b: Array
    c: Array
    rubs: bool

    def friction(self, v: Array, u: Array) -> Array:
        """Friction torque (N, n) at path speed v and acceleration u (N,): total torque less (a u + b x + c)."""
        q, tangent, bend = self.grid.middle
        v, u = v[:, None], u[:, None]
        torque: Array = self.model.total_torque(q, tangent * v, tangent * u + bend * (v * v))
        return torque - (self.a * u + self.b * (v * v) + self.c)

    def secant(self, v: Array, u: Array) -> tuple[Array, Array]:
        """f0 and d of (3), (N, n) each, through the speeds v and `_SECANT` v."""
        if not self.rubs:
            return np.zeros_like(self.a), np.zeros_like(self.a)
        second = np.maximum(_SECANT * v, CREEP)
        first = np.maximum(v, 2.0 * second)
        f, g = self.friction(first, u), self.friction(second, u)
        slope = (f - g) / (first - second)[:, None]
        return f - slope * first[:, None], slope


def path_dynamics(model: Model, grid: PathGrid) -> PathDynamics:
    """The coefficients (2) of a path."""
    q, tangent, bend = grid.middle
    still = np.zeros_like(q)
    gravity = model.inverse_dynamics(q, still, still)
    a = model.inverse_dynamics(q, still, tangent) - gravity
    b = model.inverse_dynamics(q, tangent, bend) - gravity
    c = model.total_torque(q, still, still)
    return PathDynamics(model, grid, a, b, c, bool(rubbing_shafts(model.robot)))


def limit_rows(
    dynamics: PathDynamics, limits: PlanningLimits, friction: tuple[Array, Array], reserve: tuple[Array, Array, Array]
) -> LimitRows:
    """Torque and acceleration limits as rows over path acceleration and speed.

    `friction` is (3), `reserve` (N, n) is subtracted from the lower and upper torque limit and from acceleration.
    """
    used = np.isfinite(limits.effort)
    shift = dynamics.c + friction[0]
    low, high = -limits.effort + reserve[0] - shift, limits.effort - reserve[1] - shift
    # `check_at_rest` has verified that rest is feasible; a secant through higher speeds may wrongly exclude it.
    small = 1e-6 * limits.effort
    low, high = np.minimum(low, -small), np.maximum(high, small)
    parts = [np.stack([dynamics.a, dynamics.b, friction[1], low, high])[:, :, used]]
    bounded = np.isfinite(limits.acceleration)
    if bounded.any():
        _, tangent, bend = dynamics.grid.middle
        most = limits.acceleration - reserve[2]
        parts.append(np.stack([tangent, bend, np.zeros_like(bend), -most, most])[:, :, bounded])
    return LimitRows(np.concatenate(parts, axis=2))


def speed_caps(model: Model, limits: PlanningLimits, points: tuple[Array, Array, Array]) -> Array:
    """The largest x (N,) that joint speeds and the tip speed allow at points of a path."""
    q, tangent, _ = points
    with np.errstate(divide="ignore"):
        v = (limits.velocity / np.abs(tangent)).min(axis=1)
        if limits.frame is not None:
            linear = model.jacobian(limits.frame)(q)[:, :3] @ tangent[:, :, None]
            v = np.minimum(v, limits.tip_speed / np.linalg.norm(linear[:, :, 0], axis=1))
    caps: Array = np.minimum(v * v, 1e30)
    return caps
