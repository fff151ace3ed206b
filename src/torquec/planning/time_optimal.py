"""Time-optimal motion along a path within torque, speed, acceleration and tip-speed limits, proven between grid points.

(1)  The largest speed profile on a grid (:mod:`torquec.planning.speed_profile`) has a constant path acceleration in
     every cell and meets the limits at the middles of cells.
(2)  At grid points the accelerations of both cells are averaged by the other's length, so that acceleration is
     continuous; between grid points it is linear in s, and the time of a cell is
     h 2/(v + v') g(z),  z = h (u' - u)/(v + v')^2,  g(z) = artanh(sqrt z)/sqrt z  (arctan where z < 0)
(3)  In every cell the motion is the polynomial of degree five with the position, speed and acceleration of both ends,
     as a trajectory file with these rows is interpolated. Torques, speeds, accelerations are enclosed in every cell.
(4)  Where an enclosure exceeds a limit, the excess is added to the reserve there, and (1) is solved again. Samples
     guide the first rounds, enclosures the last. If cells still exceed a limit, a motion from rest to rest is slowed
     down as a whole.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from torquec.foundation.arrays import Array
from torquec.model.model import Model, as_model
from torquec.planning.joint_path import JointPath, joint_path
from torquec.planning.limited_path import (
    LimitedPath,
    MotionBounds,
    check_at_rest,
    check_ends,
    check_path,
    check_path_positions,
    motion_bounds,
)
from torquec.planning.path_dynamics import PathGrid, path_dynamics, path_grid, speed_caps
from torquec.planning.planning_limits import LimitingKind, PlanningLimits, planning_limits
from torquec.planning.speed_profile import SpeedProfile
from torquec.planning.torque_spread import StatedSets
from torquec.planning.tuning import TUNING
from torquec.robot.robot import Robot
from torquec.trajectory.polynomial_motion import PolynomialMotion, polynomial_motion
from torquec.trajectory.trajectory import Trajectory

_SAMPLED_ROUNDS = 4
"""Largest number of rounds (4) guided by samples, which cost a tenth of enclosures; fewer if no limit is exceeded."""


_FEW_CELLS = 4  # a limit that is active in fewer cells is not reported
_INSTANTS = np.array([0.0, 0.25, 0.5, 0.75])  # samples of a cell


@dataclass(frozen=True)
class LimitingSpan:
    """A time span [s] in which the motion runs closest to this limit; `joint` is the frame's name for a tip speed."""

    start: float
    end: float
    joint: str
    kind: LimitingKind


@dataclass(frozen=True, eq=False)
class TimeOptimalMotion:
    """The fastest motion found, with its proven bounds.

    `trajectory` has a row per grid point and the polynomials between them; a file with these rows is the same motion.
    `bounds` are proven ranges over every cell between two rows, to compare with `limits`. `torque_margin` (n,) is the
    smallest distance of a torque to its limit; `limiting` lists the active limit over time. If `proven`, every limit is
    kept at every instant.
    """

    trajectory: Trajectory
    limits: PlanningLimits
    bounds: MotionBounds
    path: JointPath
    s: Array
    limiting: tuple[LimitingSpan, ...]
    proven: bool

    def __repr__(self) -> str:
        state = "proven" if self.proven else "not proven"
        return f"TimeOptimalMotion({self.duration:.6g} s, {len(self.trajectory)} rows, {state})"

    @property
    def duration(self) -> float:
        """Duration of the motion [s]."""
        return self.trajectory.duration

    @property
    def torque_margin(self) -> Array:
        """Smallest distance of each joint's torque to its limit (n,), infinite for a joint without a limit."""
        margin: Array = self.limits.effort - np.maximum(self.bounds.torque_upper, -self.bounds.torque_lower).max(axis=0)
        return margin


def time_optimal(
    source: Robot | Model,
    path: JointPath | npt.ArrayLike,
    *,
    effort_share: npt.ArrayLike = 1.0,
    torque_reserve: npt.ArrayLike = 0.0,
    velocity_share: npt.ArrayLike = 1.0,
    acceleration: npt.ArrayLike | None = None,
    tip_speed: float | None = None,
    frame: str | None = None,
    start_speed: float = 0.0,
    end_speed: float = 0.0,
    points: int = 1000,
    uncertainty: StatedSets | None = None,
) -> TimeOptimalMotion:
    """The fastest motion of a model along a path, or along the spline through waypoints (m, n).

    Torques are the model's `total_torque`: bodies, rotors, payload, friction, springs. Limits are those of the robot's
    file (see `planning_limits`). `start_speed` and `end_speed` are ds/dt, s the distance along the waypoints in joint
    space; `points` is the number of grid cells. With an `uncertainty`, every robot in its sets that does this motion
    keeps the torque limits; errors of sensors and delays need a `torque_reserve`. Raises `ArgumentError`, with joint
    and place, for a path with a cusp or beyond position limits, for a torque at rest beyond its limit and for speeds at
    the ends that limits do not allow.

    >>> from torquec.robot import classics
    >>> found = time_optimal(classics.puma560(), [[0, -1.5, 1.5, 0, 0, 0], [1, -1, 1, 0.5, 1, 1]], points=100)
    >>> found.proven, bool((found.torque_margin >= 0.0).all())
    (True, True)
    """
    model = as_model(source)
    robot = model.robot
    limits = planning_limits(
        robot,
        effort_share=effort_share,
        torque_reserve=torque_reserve,
        velocity_share=velocity_share,
        acceleration=acceleration,
        tip_speed=tip_speed,
        frame=frame,
    )
    given = path if isinstance(path, JointPath) else joint_path(path, joints=robot.joint_names)
    check_path(robot, given, (start_speed, end_speed))
    grid = path_grid(given, points)
    check_path_positions(robot, grid)
    dynamics = path_dynamics(model, grid)
    spread = None if uncertainty is None else uncertainty.torque_spread(robot).program(model)
    check_at_rest(dynamics, limits, spread)
    at, middle = (speed_caps(model, limits, where) for where in (grid.at, grid.middle))
    problem = LimitedPath(dynamics, limits, at, middle, spread)
    return _solved(problem, start_speed**2, end_speed**2)


def _solved(problem: LimitedPath, start: float, end: float) -> TimeOptimalMotion:
    """The motion after the rounds of (4)."""
    model, frame, grid = problem.dynamics.model, problem.limits.frame, problem.dynamics.grid
    sampled, k, proven = problem.spread is None, 0, False
    while True:
        profile = problem.profile(start, end)
        if k == 0:
            check_ends(problem, profile, start, end)
        trajectory = _trajectory(model.robot, grid, profile)
        bounds = _sampled_bounds(model, trajectory, frame) if sampled else _bounds(problem, trajectory)
        exceeded = problem.tighten(bounds)
        proven = not exceeded and not sampled
        k += 1
        if proven or k == TUNING.tightening_rounds:
            break
        sampled = sampled and exceeded and k < _SAMPLED_ROUNDS
        if k < TUNING.secant_rounds:
            problem.follow(profile)
    if not proven and start == end == 0.0:
        trajectory, bounds, proven = _slowed(problem, trajectory, bounds)
    limiting = _limiting(model.robot, problem.limits, bounds, trajectory.t)
    return TimeOptimalMotion(trajectory, problem.limits, bounds, grid.path, grid.s, limiting, proven)


def _trajectory(robot: Robot, grid: PathGrid, profile: SpeedProfile) -> Trajectory:
    """The trajectory (2), (3) of a speed profile."""
    h, u = grid.cells, profile.u
    part = h[:-1] / (h[:-1] + h[1:])
    nodes = np.concatenate([u[:1], part * u[:-1] + (1.0 - part) * u[1:], u[-1:]])
    x = profile.x.copy()
    x[1:-1] += h[1:] * part * np.diff(u)
    # Where braking and accelerating cells meet near standstill, averaging may slow too much: keep half of x at least.
    x[1:-1] = np.maximum(x[1:-1], 0.5 * profile.x[1:-1])
    v = np.sqrt(x)
    speeds = v[:-1] + v[1:]
    z = np.clip(h * np.diff(nodes) / speeds**2, None, TUNING.largest_z)
    root = np.sqrt(np.abs(z))
    with np.errstate(all="ignore"):
        curved = np.where(z > 0.0, np.arctanh(root), np.arctan(root)) / root
    times = 2.0 * h / speeds * np.where(np.abs(z) < TUNING.small_z, 1.0 + z / 3.0, curved)
    t = np.concatenate([[0.0], np.cumsum(times)])
    q, tangent, bend = grid.at
    qd, qdd = tangent * v[:, None], tangent * nodes[:, None] + bend * x[:, None]
    return Trajectory(robot.joint_names, t, q, qd, qdd, polynomial_motion(t, q, qd, qdd))


def _bounds(problem: LimitedPath, trajectory: Trajectory) -> MotionBounds:
    assert isinstance(trajectory.motion, PolynomialMotion)
    return motion_bounds(problem.dynamics.model, trajectory.motion, problem.limits.frame, problem.spread)


def _sampled_bounds(model: Model, trajectory: Trajectory, frame: str | None) -> MotionBounds:
    """Ranges over a few samples of every cell: fast, but not enclosures."""
    assert trajectory.motion is not None
    steps = np.diff(trajectory.t)
    times = np.append((trajectory.t[:-1, None] + steps[:, None] * _INSTANTS).ravel(), trajectory.t[-1])
    state = trajectory.motion.at(times)
    tip = np.zeros((len(times), 1))
    if frame is not None:
        linear = model.jacobian(frame)(state.q)[:, :3] @ state.qd[:, :, None]
        tip = np.linalg.norm(linear[:, :, 0], axis=1)[:, None]

    def cells(values: Array) -> Array:
        """(N, instants and the next cell's first, columns)."""
        inner = values[:-1].reshape(len(steps), len(_INSTANTS), -1)
        after = values[len(_INSTANTS) :: len(_INSTANTS), None]
        return np.concatenate([inner, after], axis=1)

    torque = cells(model.total_torque(state.q, state.qd, state.qdd))
    speed, acceleration, fastest = (cells(np.abs(values)).max(axis=1) for values in (state.qd, state.qdd, tip))
    return MotionBounds(torque.min(axis=1), torque.max(axis=1), speed, acceleration, fastest[:, 0])


def _slowed(
    problem: LimitedPath, trajectory: Trajectory, bounds: MotionBounds
) -> tuple[Trajectory, MotionBounds, bool]:
    """The whole motion slowed down until every limit is proven; unchanged where that does not help."""
    fresh = replace(problem)
    slow = trajectory
    for _ in range(TUNING.slow_downs):
        t, qd, qdd = slow.t * TUNING.slow_down, slow.qd / TUNING.slow_down, slow.qdd / TUNING.slow_down**2
        slow = Trajectory(slow.joints, t, slow.q, qd, qdd, polynomial_motion(t, slow.q, qd, qdd))
        found = _bounds(problem, slow)
        if not fresh.tighten(found):
            return slow, found, True
    return trajectory, bounds, False


def _limiting(robot: Robot, limits: PlanningLimits, bounds: MotionBounds, t: Array) -> tuple[LimitingSpan, ...]:
    """The most used limit of every cell, merged over neighbours; short spans are merged into the previous one."""
    torque = np.maximum(bounds.torque_upper, -bounds.torque_lower) / limits.effort
    used = [torque, bounds.speed / limits.velocity, bounds.acceleration / limits.acceleration]
    used.append((bounds.tip_speed / limits.tip_speed)[:, None])
    names = [coordinate.name for coordinate in robot.coordinates]
    labels = [(name, kind) for kind in list(LimitingKind)[:3] for name in names]
    labels.append((limits.frame or "", LimitingKind.TIP_SPEED))
    most = np.argmax(np.concatenate(used, axis=1), axis=1)
    edges = [0, *(np.flatnonzero(np.diff(most)) + 1).tolist(), len(most)]
    spans: list[list[int]] = []
    for first, last in itertools.pairwise(edges):
        if spans and (last - first < _FEW_CELLS or most[first] == spans[-1][2]):
            spans[-1][1] = last
        else:
            spans.append([first, last, int(most[first])])
    return tuple(LimitingSpan(float(t[a]), float(t[b]), *labels[k]) for a, b, k in spans)
