"""`LimitedPath`: a path with its dynamics and limits, and how much of each limit is kept free in every cell.

Where a motion exceeds a limit in a cell, that much more is kept free there and in the cells beside it
(:meth:`LimitedPath.tighten`); the next speed profile stays below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.expr import Function
from torquec.foundation.arrays import Array
from torquec.planning.motion_bounds import MotionBounds
from torquec.planning.path_dynamics import PathDynamics, limit_rows
from torquec.planning.planning_limits import PlanningLimits
from torquec.planning.speed_profile import LimitRows, SpeedProfile, largest_speeds, speed_profile

_CLEARANCE = 1e-4
"""Part of a torque limit that a round keeps free besides what was exceeded."""

_LARGEST_STEP = 0.5  # of what is left of a limit, where enclosures are far beyond it
_SPEED_CLEARANCE = 1e-5  # the same for the square of a speed, which needs less: it hardly changes in a cell


@dataclass(eq=False)
class LimitedPath:
    """Dynamics of a path, limits, and the largest x at grid points and middles that speeds allow.

    `low`, `high`, `pull` (N, n) are kept free of the lower and upper torque limits and of accelerations; `share` (N,)
    is what is left of the largest x; `friction` are the secants in use.
    """

    dynamics: PathDynamics
    limits: PlanningLimits
    caps: Array
    middle_caps: Array
    spread: Function | None = None
    """Torques of all robots in stated sets, as `TorqueSpread.program`."""

    def __post_init__(self) -> None:
        self.low, self.high, self.pull = (np.zeros_like(self.dynamics.a) for _ in range(3))
        self.share = np.ones(len(self.middle_caps))
        self.friction = self.dynamics.secant(
            np.sqrt(np.minimum(self.middle_caps, self._frictionless())), np.zeros(len(self.share))
        )

    def _frictionless(self) -> Array:
        still = np.zeros_like(self.dynamics.a)
        return largest_speeds(limit_rows(self.dynamics, self.limits, (still, still), (still, still, still)))

    @property
    def rows(self) -> LimitRows:
        """Limits as rows over path acceleration and speed, less what is kept free."""
        return limit_rows(self.dynamics, self.limits, self.friction, (self.low, self.high, self.pull))

    def profile(self, start: float, end: float) -> SpeedProfile:
        """The fastest speed profile from x = `start` to `end`."""
        rows = self.rows
        caps = self.caps * np.minimum(np.append(self.share, 1.0), np.append(1.0, self.share))
        return speed_profile(rows, self.dynamics.grid.cells, caps, self.middle_caps * self.share, start, end)

    def follow(self, profile: SpeedProfile) -> None:
        """Secants of friction through the speeds of a profile."""
        if self.dynamics.rubs:
            self.friction = self.dynamics.secant(np.sqrt(0.5 * (profile.x[:-1] + profile.x[1:])), profile.u)

    def tighten(self, bounds: MotionBounds) -> bool:
        """Keep free what is exceeded; whether anything is."""
        limits = self.limits
        below = np.maximum(-limits.effort - bounds.torque_lower, 0.0)
        above = np.maximum(bounds.torque_upper - limits.effort, 0.0)
        beyond = np.maximum(bounds.acceleration - limits.acceleration, 0.0)
        for kept, excess, limit in (
            (self.low, below, limits.effort),
            (self.high, above, limits.effort),
            (self.pull, beyond, limits.acceleration),
        ):
            more = np.minimum(excess, _LARGEST_STEP * (limit - kept)) + _CLEARANCE * limit
            kept += _with_neighbours(np.where(excess > 0.0, more, 0.0))
        fast = np.maximum((bounds.speed / limits.velocity).max(axis=1), bounds.tip_speed / limits.tip_speed)
        slower = np.where(fast > 1.0, np.maximum(fast, 1.0) ** -2 - _SPEED_CLEARANCE, 1.0)
        self.share *= 1.0 - _with_neighbours(1.0 - slower)
        return bool(below.any() or above.any() or beyond.any() or (fast > 1.0).any())


def _with_neighbours(cells: Array) -> Array:
    """The larger of each cell's value and its neighbours'."""
    found = cells.copy()
    found[1:] = np.maximum(found[1:], cells[:-1])
    found[:-1] = np.maximum(found[:-1], cells[1:])
    return found
