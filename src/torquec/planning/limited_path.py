"""Path limits: `LimitedPath` (dynamics, limits, reserve of each limit in every cell), `motion_bounds` (proven ranges).

Where a motion exceeds a limit in a cell, the reserve there and in the neighbouring cells grows by the excess
(:meth:`LimitedPath.tighten`), so that the next speed profile is slower there.

Checks of feasibility: position limits, torque at rest, end speeds; errors name joint and place.

Torque, speed, acceleration and tip speed of a planned motion have proven ranges over every cell (`motion_bounds`):

(1)  In a cell of length h, theta in [-1, 1]:  q is a polynomial of degree five in theta, qd = 2/h dq/dtheta and so on;
     torques are enclosed by Taylor models (:mod:`torquec.proof.enclosure.taylor_enclosure`).
(2)  |p(theta)| is at most the largest magnitude of its parabola c0 + c1 theta + c2 theta^2, plus |c3| + ..
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from torquec.errors import ArgumentError
from torquec.expr import Function, evaluate, trace
from torquec.foundation.arrays import Array
from torquec.model.model import Model
from torquec.planning.joint_path import JointPath
from torquec.planning.path_dynamics import CREEP, PathDynamics, PathGrid, limit_rows
from torquec.planning.planning_limits import LimitingKind, PlanningLimits
from torquec.planning.speed_profile import LimitRows, SpeedProfile, largest_speeds, speed_profile
from torquec.planning.tuning import TUNING
from torquec.proof.enclosure.taylor_enclosure import TaylorModel, taylor_enclosure
from torquec.robot.robot import Robot
from torquec.trajectory.polynomial_motion import PolynomialMotion

_DEGREE = 5
_ROUNDING = 1e-14
"""Rounding error of evaluation and change of variable, relative to the sizes of a polynomial's terms."""

_TO_CENTRE = np.array([[comb(k, i) / 2.0**k for k in range(_DEGREE + 1)] for i in range(_DEGREE + 1)])
"""From powers of (t - t_k)/h to powers of theta."""


@dataclass(frozen=True, eq=False)
class MotionBounds:
    """Enclosures per cell: torques within [`torque_lower`, `torque_upper`] (N, n), largest |qd| and |qdd| (N, n).

    `tip_speed` (N,) is the largest speed of the frame's origin, zero without a frame.
    """

    torque_lower: Array
    torque_upper: Array
    speed: Array
    acceleration: Array
    tip_speed: Array


def motion_bounds(
    model: Model, motion: PolynomialMotion, frame: str | None = None, spread: Function | None = None
) -> MotionBounds:
    """The ranges (1) of a motion's cells; the torque is the model's `total_torque`, with friction and springs.

    With a `spread` (`TorqueSpread.program`) torques are those of all robots in its sets.
    """
    scale = 2.0 / np.diff(motion.breaks)[None, :, None]
    power = np.arange(_DEGREE + 1.0)[:, None, None]
    q = np.einsum("ik,kNn->iNn", _TO_CENTRE, motion.coefficients)
    sizes = np.abs(motion.coefficients).sum(axis=0)
    qd = (power * q)[1:] * scale
    qdd = (power[:_DEGREE] * qd)[1:] * scale
    slack = _ROUNDING * sizes
    states = {
        "q": _widened(q, slack),
        "qd": _widened(qd, slack * scale[0] * _DEGREE),
        "qdd": _widened(qdd, slack * scale[0] ** 2 * _DEGREE**2),
    }
    if spread is None:
        low, high = taylor_enclosure(model.function("total_torque"), states)["tau"]
    else:
        found = taylor_enclosure(spread, states)
        low, high = found["low"][0], found["high"][1]
    tip = np.zeros(len(low))
    if frame is not None:
        function = _tip_function(model, frame)
        square = taylor_enclosure(function, {name: states[name] for name in ("q", "qd")})["square"][1]
        tip = np.sqrt(square[:, 0])
    return MotionBounds(low, high, _largest(states["qd"]), _largest(states["qdd"]), tip * (1.0 + _ROUNDING))


def _widened(coefficients: Array, slack: Array) -> Array:
    """The polynomial with its rounding error added to the term of highest degree, which is bounded by its magnitude."""
    wide: Array = coefficients.copy()
    wide[-1] += np.copysign(slack, wide[-1])
    return wide


def _largest(coefficients: Array) -> Array:
    """Bound (2) on the magnitude of every polynomial."""
    count, n = coefficients.shape[1:]
    low, high = TaylorModel(
        coefficients[:3].reshape(3, -1), np.abs(coefficients[3:]).sum(axis=0).ravel() * (1.0 + _ROUNDING)
    ).range()
    return np.maximum(-low, high).reshape(count, n)


@lru_cache(maxsize=8)
def _tip_function(model: Model, frame: str) -> Function:
    """(q, qd) -> the square of the speed of the frame's origin."""

    def algorithm(q: Any, qd: Any) -> dict[str, Any]:
        rows = model.at(f"jacobian:{frame}", q)[:3]
        velocity = [sum(entry * speed for entry, speed in zip(row, qd, strict=True)) for row in rows]
        return {"square": [velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]]}

    n = model.robot.n
    return trace("tip_speed", algorithm, {"q": (n,), "qd": (n,)})


_POSITION_SLACK = 1e-9  # [rad or m], for rounding
_END_SLACK = 1e-9  # relative, for rounding

_LARGEST_STEP = 0.5  # largest increase of a reserve, as a fraction of the limit less the present reserve


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
            more = np.minimum(excess, _LARGEST_STEP * (limit - kept)) + TUNING.reserve_clearance * limit
            kept += _with_neighbours(np.where(excess > 0.0, more, 0.0))
        fast = np.maximum((bounds.speed / limits.velocity).max(axis=1), bounds.tip_speed / limits.tip_speed)
        slower = np.where(fast > 1.0, np.maximum(fast, 1.0) ** -2 - TUNING.speed_clearance, 1.0)
        self.share *= 1.0 - _with_neighbours(1.0 - slower)
        return bool(below.any() or above.any() or beyond.any() or (fast > 1.0).any())


def _with_neighbours(cells: Array) -> Array:
    """The larger of each cell's value and its neighbours'."""
    found = cells.copy()
    found[1:] = np.maximum(found[1:], cells[:-1])
    found[:-1] = np.maximum(found[:-1], cells[1:])
    return found


def check_at_rest(dynamics: PathDynamics, limits: PlanningLimits, spread: Function | None = None) -> None:
    """Raise `ArgumentError` where a joint cannot hold still or begin to move within its torque limit.

    With a `spread`, where any robot of its sets cannot.
    """
    size = len(dynamics.a)
    dry = dynamics.friction(np.full(size, CREEP), np.zeros(size)) if dynamics.rubs else np.zeros_like(dynamics.a)
    loads = [("at rest", dynamics.c), ("to begin to move", dynamics.c + dry)]
    if spread is not None:
        q, still = dynamics.grid.middle[0], np.zeros_like(dynamics.c)
        ends = evaluate(spread, {"q": q, "qd": CREEP * dynamics.grid.middle[1], "qdd": still})
        loads.append(
            ("to begin to move on some robot of the sets", np.where(-ends["low"] > ends["high"], *ends.values()))
        )
    for what, load in loads:
        over = np.abs(load) / limits.effort
        if over.max() < 1.0:
            continue
        cell, j = np.unravel_index(int(np.argmax(over)), over.shape)
        coordinate, path = dynamics.model.robot.coordinates[j], dynamics.grid.path
        s = 0.5 * (dynamics.grid.s[cell] + dynamics.grid.s[cell + 1])
        k = int(np.argmin(np.abs(path.knots - s)))
        raise ArgumentError(
            f"joint '{coordinate.name}' needs {load[cell, j]:.4g} {coordinate.effort_unit} {what}, "
            f"allowed {limits.effort[j]:.4g}",
            where=f"path at s = {s:.4g} of {path.length:.4g}, near waypoint {k + 1}",
            remedy="move the waypoint, reduce the payload, or allow a larger part of the torque",
        )


def check_path(robot: Robot, path: JointPath, speeds: tuple[float, float]) -> None:
    """Raise `ArgumentError` unless the path moves the robot's joints and the speeds at its ends are not negative."""
    numbered = tuple(f"q{k + 1}" for k in range(robot.n))
    if path.joints not in (robot.joint_names, numbered):
        raise ArgumentError(
            f"the path moves {', '.join(path.joints)}; robot '{robot.name}' has the joints "
            f"{', '.join(robot.joint_names)}",
            remedy="name the robot's joints, in joint order",
        )
    if not all(np.isfinite(speed) and speed >= 0.0 for speed in speeds):
        raise ArgumentError(f"path speeds of {speeds} at the ends", remedy="give numbers that are not negative")


def check_path_positions(robot: Robot, grid: PathGrid) -> None:
    """Raise `ArgumentError`, with joint and place, where a path leaves the joints' position limits."""
    q = np.concatenate([grid.at[0], grid.middle[0]])
    s = np.concatenate([grid.s, 0.5 * (grid.s[:-1] + grid.s[1:])])
    for j, coordinate in enumerate(robot.coordinates):
        if not coordinate.has_position_limits:
            continue
        lower, upper = coordinate.limits.lower, coordinate.limits.upper
        beyond = np.maximum(lower - q[:, j], q[:, j] - upper)
        k = int(np.argmax(beyond))
        if beyond[k] > _POSITION_SLACK:
            waypoint = int(np.argmin(np.abs(grid.path.knots - s[k]))) + 1
            raise ArgumentError(
                f"joint '{coordinate.name}' is at {q[k, j]:.6g} {coordinate.position_unit}, allowed {lower:.6g} to "
                f"{upper:.6g}",
                where=f"path at s = {s[k]:.4g} of {grid.path.length:.4g}, near waypoint {waypoint}",
                remedy="move the waypoint, or add one: splines overshoot between waypoints",
            )


def check_ends(problem: LimitedPath, profile: SpeedProfile, start: float, end: float) -> None:
    """Raise `ArgumentError` for speeds at the ends that limits do not allow, with joint and place."""
    if start > profile.controllable[0] * (1.0 + _END_SLACK):
        place, joint, kind = _unstoppable(problem, start)
        raise ArgumentError(
            f"a start speed of {start**0.5:.6g} cannot be braked: the {kind} of '{joint}' is exceeded",
            where=f"path at s = {place:.4g} of {problem.dynamics.grid.path.length:.4g}",
            remedy=f"start with at most {profile.controllable[0] ** 0.5:.6g}, or at rest",
        )
    if end > profile.x[-1] * (1.0 + _END_SLACK):
        raise ArgumentError(
            f"an end speed of {end**0.5:.6g} cannot be reached within the limits",
            where=f"path at s = {problem.dynamics.grid.path.length:.4g}",
            remedy=f"end with at most {profile.x[-1] ** 0.5:.6g}",
        )


def _unstoppable(problem: LimitedPath, start: float) -> tuple[float, str, LimitingKind]:
    """Point at which the hardest braking from a start speed first exceeds a limit, and the joint of that limit."""
    dynamics, limits = problem.dynamics, problem.limits
    rows = problem.rows.normal
    names = [coordinate.name for coordinate in dynamics.model.robot.coordinates]
    owners = [(names[j], LimitingKind.TORQUE) for j in np.flatnonzero(np.isfinite(limits.effort))]
    owners += [(names[j], LimitingKind.ACCELERATION) for j in np.flatnonzero(np.isfinite(limits.acceleration))]
    x, braked_by = start, owners[0]
    for k, h in enumerate(dynamics.grid.cells):
        s = float(dynamics.grid.s[k])
        if x > problem.caps[k]:
            slow = np.abs(dynamics.grid.at[1][k]) * x**0.5 / limits.velocity
            if slow.max() > 1.0:
                return s, names[int(np.argmax(slow))], LimitingKind.SPEED
            return s, limits.frame or "", LimitingKind.TIP_SPEED
        a, b, d, low, high = rows[:, k]
        rest = b * x + d * x**0.5
        least, most = (low - rest) / np.maximum(a, 1e-12), (high - rest) / np.maximum(a, 1e-12)
        if least.max() > most.min():
            return s, *owners[int(np.argmin(most))]
        x = max(x + 2.0 * h * least.max(), 0.0)
        braked_by = owners[int(np.argmax(least))]
    return float(dynamics.grid.s[-1]), *braked_by  # overshoots the end: limited by the joint that braked last
