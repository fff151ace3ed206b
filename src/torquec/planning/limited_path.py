"""`LimitedPath`: a path with its dynamics, its limits and the reserve kept of each limit in every cell.

Where a motion exceeds a limit in a cell, the reserve there and in the neighbouring cells grows by the excess
(:meth:`LimitedPath.tighten`), so that the next speed profile is slower there.
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
"""Fraction of a torque limit by which a round increases the reserve in addition to the excess."""

_LARGEST_STEP = 0.5  # largest increase of a reserve, as a fraction of the limit less the present reserve
_SPEED_CLEARANCE = 1e-5  # as _CLEARANCE, for squared speeds, which need less: they hardly change in a cell


@dataclass(eq=False)
class LimitedPath:
    """Dynamics of a path, limits, and the largest x = v^2 at grid points and middles that speed limits allow.

    `low`, `high`, `pull` (N, n) are the reserves of the lower and upper torque limits and of accelerations; `share`
    (N,) is the factor on the largest x; `friction` are the secants in use.
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
        """Limits, less the reserves, as linear rows over path acceleration and speed."""
        return limit_rows(self.dynamics, self.limits, self.friction, (self.low, self.high, self.pull))

    def profile(self, start: float, end: float) -> SpeedProfile:
        """The fastest speed profile from x = `start` to `end`."""
        rows = self.rows
        caps = self.caps * np.minimum(np.append(self.share, 1.0), np.append(1.0, self.share))
        return speed_profile(rows, self.dynamics.grid.cells, caps, self.middle_caps * self.share, start, end)

    def follow(self, profile: SpeedProfile) -> None:
        """Update the friction secants to the speeds of a profile."""
        if self.dynamics.rubs:
            self.friction = self.dynamics.secant(np.sqrt(0.5 * (profile.x[:-1] + profile.x[1:])), profile.u)

    def tighten(self, bounds: MotionBounds) -> bool:
        """Increase the reserves by the excess over each limit; returns whether any limit is exceeded."""
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
