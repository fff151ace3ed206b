"""Path following near singularities: curves in joint space through the solutions of a pose.

With e(q) and A of :mod:`torquec.kinematics.refinement`, six joints that move, and a direction b (6,) of poses:

(1)  e(q) = g b       a curve in (q, g): of the six equations all but the part along b are met
(2)  solutions of the pose are the points with g = 0
(3)  b = u, with A v = s u, s the least singular value: where the arm is nearly singular, g stays small along the curve

A calibrated arm next to a fold of the nominal one has two solutions, one, or none. Where the nominal arm has
self-motion (a straight wrist), the calibrated arm has a few isolated solutions, up to twelve in all. Newton's method
from a branch of the nominal arm ends in one of them. They all lie on the curve (1), which stays smooth where solutions
merge:

(4)  B = (A b),   step = B'(BB')^-1 (e - g b)                      back to the curve, by the shortest way
(5)  tangent: B t = 0,   t := t - B'(BB')^-1 B t from the previous tangent, which keeps the direction

(Rheinboldt, Numerical Analysis of Parametrized Nonlinear Equations, 1986, chapters 4 and 5.)

Path following on many poses side by side, from a point (q, g) of a curve:

(6)  predict h along the tangent, correct `CORRECTIONS` times; h shrinks where that does not end on the curve or the
     curve turned by more than `LARGEST_TURN`, and grows otherwise
(7)  between two points where g changes its sign is a solution; where g comes near to zero and leaves again there may
     be two: h gets smaller until that is clear
(8)  a curve ends where it is closed, where |g| exceeds the bound of `Curves`, after `CURVE_STEPS`, or after
     `CROSSINGS` solutions
(9)  a solution between two points is enclosed by false position in h, `ENCLOSING` times
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.jacobian import jacobian
from torquec.expr.math import sqrt
from torquec.foundation.arrays import Array, Indices, Mask
from torquec.kinematics.angle import over
from torquec.kinematics.arm_geometry import ArmGeometry, ArmJoint
from torquec.kinematics.refinement import FLOOR, SymmetricFactors, pose_error
from torquec.robot.robot import Robot
from torquec.spatial import Scalar, scale

_POWERS = 4  # inverse iterations for (3), each of which brings it nearer by (s_5/s_6)^2

_FIRST = (0.43, -0.71, 0.59, 0.83, -0.37, 0.67)
"""Start vector of the inverse iterations: orthogonal to no vector of round numbers."""


def curve_start(robot: Robot, frame: str, arm: ArmGeometry, moving: Sequence[ArmJoint]) -> Any:
    """The algorithm q (n,), rotation (3, 3), position (3,) -> border (6,), tangent (n + 1,), gap (), least ().

    `border` is u of (3), `tangent` is (v, 0), `gap` is u . e and `least` is s.
    """

    def algorithm(q: Any, rotation: Any, position: Any) -> dict[str, Any]:
        columns, error = _columns_and_error(_Arm(robot, frame, arm, moving), q, rotation, position)
        rows = [list(row) for row in zip(*columns, strict=True)]
        u = _least_vector(rows)
        v = _least_vector(columns)
        image = [_dot(row, v) for row in rows]
        tangent: list[Scalar] = [0.0] * (robot.n + 1)
        for joint, value in zip(moving, v, strict=True):
            tangent[joint.index] = value
        return {"border": u, "tangent": tangent, "gap": _dot(u, error), "least": sqrt(_dot(image, image))}

    return algorithm


def curve_step(robot: Robot, frame: str, arm: ArmGeometry, moving: Sequence[ArmJoint]) -> Any:
    """The algorithm point (n + 1,), tangent (n + 1,), border (6,), rotation, position -> moved, along, missed ().

    `point` is (q, g); `moved` is nearer to the curve (4), `along` the tangent at `point` (5), and `missed` the residual
    of (1) at `point`, before the step.
    """

    def algorithm(point: Any, tangent: Any, border: Any, rotation: Any, position: Any) -> dict[str, Any]:
        n = robot.n
        columns, error = _columns_and_error(_Arm(robot, frame, arm, moving), point, rotation, position)
        wide = [*columns, list(border)]
        places = [*(joint.index for joint in moving), n]
        rest = [e - point[n] * b for e, b in zip(error, border, strict=True)]
        factors = SymmetricFactors([list(row) for row in zip(*wide, strict=True)], FLOOR)
        back = factors.solve(rest)
        forward = [tangent[place] for place in places]
        image = [sum((wide[k][row] * forward[k] for k in range(7)), start=0.0) for row in range(6)]
        off = factors.solve(image)
        moved, along = list(point), [0.0 * value for value in tangent]
        for k, place in enumerate(places):
            moved[place] = point[place] + _dot(wide[k], back)
            along[place] = forward[k] - _dot(wide[k], off)
        size = over(1.0, sqrt(_dot(along, along)))
        return {"moved": moved, "along": [size * value for value in along], "missed": sqrt(_dot(rest, rest))}

    return algorithm


@dataclass(frozen=True)
class _Arm:
    robot: Robot
    frame: str
    arm: ArmGeometry
    moving: Sequence[ArmJoint]


def _columns_and_error(of: _Arm, q: Any, rotation: Any, position: Any) -> tuple[list[list[Scalar]], list[Scalar]]:
    """A by columns and e."""
    per = 2.0 / of.arm.reach
    state = [q[k] for k in range(of.robot.n)]
    off, turn = pose_error(frame_pose(of.robot, of.frame, state), rotation, position)
    full = jacobian(of.robot, of.frame, state)
    weights = [per] * 3 + [1.0] * 3
    columns = [[full[row][joint.index] * weights[row] for row in range(6)] for joint in of.moving]
    return columns, [*scale(off, per), *turn]


def _least_vector(rows: list[list[Scalar]]) -> list[Scalar]:
    """The unit vector x for which the sum of rows times x is least (3)."""
    factors = SymmetricFactors(rows, FLOOR)
    x: list[Scalar] = list(_FIRST)
    for _ in range(_POWERS):
        x = factors.solve(x)
        size = over(1.0, sqrt(_dot(x, x)))
        x = [size * value for value in x]
    return x


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a[1:], b[1:], strict=True)), start=a[0] * b[0])


CORRECTIONS = 3
"""Corrections per step (6), each of which squares the error."""
CURVE_STEPS = 100
"""Largest number of steps along a curve: a closed curve of a straight wrist takes about 60."""
CROSSINGS = 8
ENCLOSING = 8
FIRST_STEP = 0.005
LARGEST_STEP = 0.2
"""Largest step, of all joints together [rad, or m of a slide]."""
LEAST_STEP = 1e-6
LARGEST_TURN = 0.9
"""The least cosine between neighbouring tangents."""
ON_CURVE = 1e-9
"""Largest error before the last correction, which squares it."""
CLOSE_LOOK = 1e-3
"""Step length below which (7) asks for no smaller steps."""


@dataclass(frozen=True)
class Curves:
    """Programs of curves, and the bound on |g|."""

    start: Callable[[Array, Array, Array], tuple[Array, Array, Array, Array]]
    """q (M, n), rotation, position -> border (M, 6), tangent (M, n + 1), gap (M,), least singular value (M,)"""
    step: Callable[[Array, Array, Array, Array, Array], tuple[Array, Array, Array]]
    """point (M, n + 1), tangent, border, rotation, position -> moved, along (M, n + 1), missed (M,)"""
    turning: Array
    """(n,), 1 for joints that turn, 0 for slides"""
    widest: float
    """The largest |g|"""


@dataclass(frozen=True)
class _Given:
    """Constants along curves: b (M, 6) and the poses."""

    border: Array
    rotation: Array
    position: Array

    def of(self, rows: Indices | Mask) -> _Given:
        """The constants of some rows."""
        return _Given(self.border[rows], self.rotation[rows], self.position[rows])


@dataclass(frozen=True)
class _Passed:
    """Parts of curves that contain a solution: row, first point, tangent there, step length, and g at both ends."""

    rows: Indices
    point: Array
    tangent: Array
    step: Array
    before: Array
    after: Array


def solutions_along(curves: Curves, q: Array, rotation: Array, position: Array) -> tuple[Indices, Array]:
    """(rows, q): configurations next to the solutions on the curves through q (M, n), both ways, and their rows."""
    border, tangent, gap, _ = curves.start(q, rotation, position)
    given = _Given(border, rotation, position)
    point = np.concatenate([q, gap[:, None]], axis=1)
    point, tangent, _ = _corrected(curves, point, tangent, given)
    rows, found = [], []
    open_ = np.arange(len(q))
    for way in (1.0, -1.0):
        which, crossed, closed = _followed(curves, point[open_], way * tangent[open_], given.of(open_))
        rows.append(open_[which])
        found.append(crossed)
        open_ = open_[~closed]
        if not len(open_):
            break
    return np.concatenate(rows), np.concatenate(found)


def _followed(curves: Curves, point: Array, tangent: Array, given: _Given) -> tuple[Indices, Array, Mask]:
    """Rows and positions of the solutions that curves cross in one direction, and which curves are closed."""
    n = len(curves.turning)
    first, first_tangent = point.copy(), tangent.copy()
    point, tangent = point.copy(), tangent.copy()
    step = np.full(len(point), FIRST_STEP)
    begins_met = np.abs(point[:, n]) < ON_CURVE
    side = np.where(begins_met, np.sign(tangent[:, n]), np.sign(point[:, n]))
    taken, crossed = np.zeros(len(point), int), np.zeros(len(point), int)
    closed = np.zeros(len(point), bool)
    brackets: list[tuple[Array, ...]] = []
    active = np.arange(len(point))
    for _ in range(CURVE_STEPS):
        z, t, h = point[active], tangent[active], step[active]
        trial, along, missed = _corrected(curves, z + h[:, None] * t, t, given.of(active))
        g, slope, had, sign = trial[:, n], along[:, n], t[:, n], side[active]
        ok = (missed < ON_CURVE) & ((along * t).sum(axis=1) > LARGEST_TURN)
        ok &= np.linalg.norm(trial - z, axis=1) < 1.5 * h
        crosses = g * sign < 0.0
        # The first step from a solution must not pass the next one: both ends would enclose the one it came from.
        ok &= ~(crosses & begins_met[active] & (taken[active] == 0) & (h > 2.0 * LEAST_STEP))
        least = _least_between(z[:, n] * sign, g * sign, had * sign * h, slope * sign * h)
        unclear = ~crosses & (had * sign < 0.0) & (slope * sign > 0.0)
        unclear &= least < 0.25 * np.minimum(np.abs(z[:, n]), np.abs(g))
        ok &= ~(unclear & (h > CLOSE_LOOK))
        seen = ok & crosses
        brackets.append((active[seen], z[seen], t[seen], h[seen], z[seen][:, n], g[seen]))
        side[active[seen]] *= -1.0
        near = ok & unclear
        brackets.append((active[near], z[near], t[near], h[near], z[near][:, n], g[near]))
        crossed[active[seen | near]] += 1
        done = active[ok]
        point[done], tangent[done] = trial[ok], along[ok]
        taken[done] += 1
        step[active] = np.where(ok, np.minimum(1.6 * h, LARGEST_STEP), 0.4 * h)
        back = _apart(curves, trial, first[active]) < 0.75 * h
        back &= ((along * first_tangent[active]).sum(axis=1) > 0.8) & (taken[active] > 8) & ok
        closed[active[back]] = True
        ends = back | (ok & (np.abs(g) > curves.widest)) | (step[active] < LEAST_STEP)
        ends |= crossed[active] == CROSSINGS
        active = active[~ends]
        if not len(active):
            break
    passed = _Passed(*(np.concatenate(part) for part in zip(*brackets, strict=True)))
    return passed.rows, _enclosed(curves, passed, given.of(passed.rows))[:, :n], closed


def _corrected(curves: Curves, trial: Array, tangent: Array, given: _Given) -> tuple[Array, Array, Array]:
    """The correction of (6): point, tangent there and the residual before the last step."""
    along, missed = tangent, np.full(len(trial), np.inf)
    for _ in range(CORRECTIONS):
        trial, along, missed = curves.step(trial, tangent, given.border, given.rotation, given.position)
    return trial, along, missed


def _enclosed(curves: Curves, passed: _Passed, given: _Given) -> Array:
    """Points next to g = 0 by false position (9), by bisection where g has one sign at both ends."""
    low, high = np.zeros(len(passed.rows)), passed.step
    below, above = passed.before, passed.after
    best = passed.point
    if not len(best):
        return best
    for _ in range(ENCLOSING):
        changes = below * above < 0.0
        share = np.where(changes, below / np.where(changes, below - above, 1.0), 0.5)
        at = low + share * (high - low)
        best, _, _ = _corrected(curves, passed.point + at[:, None] * passed.tangent, passed.tangent, given)
        g = best[:, -1]
        left = g * below > 0.0
        # Illinois variant: g of an end that stays is halved, so that both ends move.
        low, high = np.where(left, at, low), np.where(left, high, at)
        below, above = np.where(left, g, 0.5 * below), np.where(left, 0.5 * above, g)
    return best


def _least_between(a: Array, b: Array, slope_a: Array, slope_b: Array) -> Array:
    """The least value of the cubic with these ends and slopes on 0..1, over nine inner points."""
    s = np.linspace(0.1, 0.9, 9)[:, None]
    cubic = a * (1 + 2 * s) * (1 - s) ** 2 + slope_a * s * (1 - s) ** 2
    cubic += b * s**2 * (3 - 2 * s) - slope_b * s**2 * (1 - s)
    return np.asarray(cubic.min(axis=0))


def _apart(curves: Curves, a: Array, b: Array) -> Array:
    """Distances of points, whole turns aside."""
    apart = a - b
    n = len(curves.turning)
    wrapped = (apart[:, :n] + np.pi) % (2.0 * np.pi) - np.pi
    apart[:, :n] = np.where(curves.turning > 0.0, wrapped, apart[:, :n])
    return np.asarray(np.linalg.norm(apart, axis=1))
