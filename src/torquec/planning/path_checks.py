"""Feasibility checks of a path: position limits, torque at rest, end speeds; errors name joint and place."""

from __future__ import annotations

import numpy as np

from torquec.errors import ArgumentError
from torquec.expr import Function, evaluate
from torquec.planning.joint_path import JointPath
from torquec.planning.limited_path import LimitedPath
from torquec.planning.path_dynamics import CREEP, PathDynamics, PathGrid
from torquec.planning.planning_limits import LimitingKind, PlanningLimits
from torquec.planning.speed_profile import SpeedProfile
from torquec.robot.robot import Robot

_POSITION_SLACK = 1e-9  # [rad or m] of rounding
_END_SLACK = 1e-9  # relative, of rounding


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
            remedy="move the waypoint, carry less, or allow a larger part of the torque",
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
                remedy="move the waypoint, or add one: splines swing out between waypoints",
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
    """Where the hardest braking from a start speed first exceeds a limit, and whose."""
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
