"""Disturbances of a computed-torque loop in a tube: how far the robot's acceleration is from the one that is asked for.

The robot obeys M_t qdd + h_t + f = tau with M_t = M + dM in the sets of `tracking_sets`; M, h are the document's.
The controller asks for tau = P(q^, qd^, v) + f^(qd_ref), where q^, qd^ are measured, P is within the model's stated
errors of the robot's own torques, and v = qdd_ref + u + (errors of measured speeds). The torque acts d to d + 1
intervals later. Then qdd = qdd_ref + u + w with

(1)  M_t w' = [tau(q^, qd^, v) - tau(q, qd, v)] - Y delta - dM (v - qdd_ref) + (P - tau) + (f^ - f) + (drive errors)
(2)  w = w' + (change of qdd_ref since the sample) + (errors of speeds in v). The loop has differences of e; a law that
     has them of q alone differs by the lag of those of q_ref, by c/T of its jumps, and by jumps of qd_ref
(3)  The bracket is the derivative of tau in the direction of the change since the sample, the age times a mean of
     (qd, qdd), and of the errors of q^, qd^, somewhere between both states. The mean has deviations of its own: it is
     not the speed there. Y delta is the torque of the deviations of bodies and payload at the reference's acceleration

Time is cut into cells of some sampling intervals, the last without end. Every motion within the tube, over a cell and
(d + 1) T before it, lies in a box. (1) is enclosed in affine numbers over it (`affine`), and multiplied by an
approximate inverse R of the middle of M_t before absolute values are taken:

(4)  |w'| <= |R (right side)| + D |w'|,   D >= |1 - R M_t|;   y > 0 with c + D y <= y proves M_t nonsingular, |w'| <= y
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from torquec_check.affine import Affine, Boxes, Dual
from torquec_check.claim import named
from torquec_check.document import RefusedError
from torquec_check.recursion import robot_torques
from torquec_check.reference_motion import AT_REST, Reference, Windows, windows
from torquec_check.robot import Robot
from torquec_check.rows import UNIT, UP, Array, Ball, Rows, as_ball
from torquec_check.tracking_loop import Gains, Loop, loop_gains
from torquec_check.tracking_sets import Sets

_ARITHMETIC = 1e-9
"""Rounding of the feedback and of the reference in the controller, relative to 1 + the largest acceleration."""
_WIDER = 1.0 + 1e-8
"""Of the solution of (4), so that its check, with rounding, holds."""
_MEMORY = 40.0
"""Samples times the share of a speed filter after which (1 - c)^m is below 1e-17."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What a witness is about, without its radii: errors of the model [N m, N], limits of drives, start errors (n,)."""

    robot: Robot
    model_errors: Array
    loop: Loop
    sets: Sets
    reference: Reference
    cells: tuple[tuple[int, int], ...]
    efforts: Array
    start_position: Array
    start_speed: Array

    @cached_property
    def gains(self) -> Gains:
        """The gains of the loop."""
        return loop_gains(self.loop, self.sets.noise, self.start_position + self.sets.offset, self.start_speed)

    @cached_property
    def motion(self) -> Windows:
        """The reference over every cell, from the samples whose torques act in it."""
        before = self.loop.delay + 1
        return windows(self.reference, self.loop.period, [(a - before, b) for a, b in self.cells])

    @cached_property
    def recent(self) -> list[slice]:
        """The cells that overlap the time of every one, from the samples whose torques act in it."""
        begins, ends = np.array(self.cells).T
        firsts = np.searchsorted(ends, begins - self.loop.delay - 1, side="right")
        return [slice(int(first), k + 1) for k, first in enumerate(firsts)]

    def remembered(self, values: Array) -> Array:
        """The largest values (N, n) in the memory of the speed filters: what is older counts with less than 1e-12."""
        begins, ends = np.array(self.cells).T
        memory = math.ceil(_MEMORY / min((c for c in self.loop.speed_filter if c), default=math.inf))
        firsts = np.searchsorted(ends, begins - self.loop.delay - memory)
        recent = [values[first : k + 1].max(axis=0) for k, first in enumerate(firsts.tolist())]
        return np.asarray(np.stack(recent) + 1e-12 * values.max(axis=0))

    @cached_property
    def deviations(self) -> list[list[tuple[float, float]]]:
        """Middles and half widths of what the ten parameters of every body, and of a payload, may be beyond nominal."""
        mass, first, inertia = self.sets.body_parts
        parts, bodies = [inertia] * 6 + [first] * 3 + [mass], self.robot.bodies
        found = [[(0.0, abs(x) * part * UP) for x, part in zip(b.inertia, parts, strict=True)] for b in bodies]
        return found if self.sets.payload is None else [*found, self.sets.payload.parameters()]


@dataclass(frozen=True, eq=False)
class Load:
    """R and D of (4); |X Y delta| (N, n) and |X dM| (N, n, n) for X = R (`accelerations`) and X = 1 (`torques`)."""

    R: Array
    D: Array
    accelerations: tuple[Array, Array]
    torques: tuple[Array, Array]


@dataclass(frozen=True, eq=False)
class Disturbance:
    """In every cell (N, n): W, and its parts |w'| (`own`) and `beyond`; `acting`, the right side of (1); the part of v
    due to errors of speeds; the torque of the reference; the mass matrix and the deviations from it. `asked` (3, 2, N,
    n): ends of the positions, speeds and accelerations at which the model is evaluated.
    """

    level: Array
    own: Array
    beyond: Array
    acting: Array
    in_speed: Array
    reference_torque: Array
    mass: tuple[Array, Array, Array]
    load: Load
    asked: Array


def disturbance(problem: Problem, near: Array) -> Disturbance:
    """(1) and (2) in every cell, for radii `near` (4, N, n) of its time."""
    loop, sets, motion, n = problem.loop, problem.sets, problem.motion, problem.robot.n
    fastest, lag = problem.remembered(motion.largest(2)), loop.speed_lag
    c, T = np.array(loop.speed_filter), loop.period
    rest = np.where(c > 0.0, AT_REST, 0.0)
    missed = np.where(c > 0.0, c / T * motion.jumps[0] + motion.jumps[1], 0.0)
    in_speed = np.array(loop.damping) * (sets.speed_noise + rest + missed + lag * fastest) * UP
    asked = (near[3] + in_speed) * UP
    wrong_place, wrong_speed = sets.position + sets.position_bias, sets.speed_noise + rest + 2.0 * c * sets.noise / T
    wrong_speed = wrong_speed + lag * problem.remembered(motion.largest(2) + near[2])
    (q, dq), (qd, dqd), (qdd, dqdd) = (motion.ball(order) for order in range(3))
    reach = dq + near[0] + wrong_place, dqd + near[1] + wrong_speed
    m = 7 * n + 1
    place, speed = _numbers(q, reach[0], 0, m), _numbers(qd, reach[1], n, m)
    moved, wanted = _numbers(qdd, dqdd + near[2], 2 * n, m), _numbers(qdd, dqdd + asked, 3 * n, m)
    mean = _numbers(qd, dqd + near[1], 6 * n + 1, m)
    age = _numbers(np.full((len(q), 1), (loop.delay + 0.5) * T), np.full((len(q), 1), 0.5 * T), 4 * n, m)[0]
    slips = _numbers(0.0 * q, wrong_place + 0.0 * q, 4 * n + 1, m), _numbers(0.0 * q, wrong_speed, 5 * n + 1, m)
    changed = [
        tuple(Dual.of(x, by * age + slip) for x, by, slip in zip(at, rate, wrong, strict=True))
        for at, rate, wrong in ((place, mean, slips[0]), (speed, moved, slips[1]))
    ]
    still = tuple(Dual.of(x, None) for x in wanted)
    held = _columns(robot_torques(problem.robot, Boxes(changed[0], changed[1], still)), len(q), m, slope=True)
    push = _numbers(qdd, dqdd, 2 * n, m)
    torques = robot_torques(problem.robot, Boxes(tuple(place), tuple(speed), tuple(push)))
    known = _columns([_with_rotors(row, push) for row in torques], len(q), m)
    mass = _matrix(problem.robot, _numbers(q, reach[0], 0, n), n)
    load = _loads(problem, mass, (q, qd, qdd), (*reach, dqdd))
    friction = sets.friction_error((qd - dqd - near[1], qd + dqd + near[1]), (qd - dqd, qd + dqd))
    wrong = problem.model_errors + friction + sets.drive_error
    weight, turned = load.accelerations
    right = _size(load.R, held)[..., 0] + weight + applied(turned, asked) + applied(np.abs(load.R), wrong)
    own = solved(load.D, right, problem.robot)
    jumps = (loop.delay + 1) * T * motion.largest(3) + motion.acceleration_jumps
    size = 1.0 + np.abs(qdd) + dqdd + asked
    beyond = (jumps + in_speed + _ARITHMETIC * size.max(axis=1, keepdims=True)) * UP
    one: Array = np.eye(n)[None]
    ends = np.stack([[x - r, x + r] for x, r in ((q, reach[0]), (qd, reach[1]), (qdd, dqdd + asked))])
    weight, turned = load.torques
    acting = (_size(one, held)[..., 0] + weight + applied(turned, asked) + wrong) * UP
    largest = _size(one, known)[..., 0] + problem.model_errors + sets.largest_compensation((qd - dqd, qd + dqd))
    return Disturbance((own + beyond) * UP, own, beyond, acting, in_speed, largest * UP, mass, load, ends)


def _loads(problem: Problem, mass: tuple[Array, Array, Array], at: Sequence[Array], spread: Sequence[Array]) -> Load:
    """R and D of (4), and the deviations of bodies and payload."""
    n, count, deviations = problem.robot.n, len(at[0]), problem.deviations
    spans = [(k, j, x) for k, body in enumerate(deviations) for j, x in enumerate(body) if any(x)]
    none = np.zeros((count, n)), np.zeros((count, n, n))
    if not spans:
        R = np.asarray(np.linalg.inv(mass[0]), dtype=np.float64)
        return Load(R, _defect(R, mass), none, none)
    m = 3 * n + len(spans)
    parameters = [[Rows() for _ in range(10)] for _ in deviations]
    for row, (k, j, (middle, half)) in enumerate(spans):
        lin = np.zeros((m, 1))
        lin[3 * n + row] = half
        parameters[k][j] = Rows({(): Affine(np.full(1, middle), np.zeros(1), lin=lin)})
    robot = replace(problem.robot, reflected=((),) * n)
    if problem.sets.payload is not None:
        robot = replace(robot, bodies=(*robot.bodies, problem.sets.payload.carrier))
    q, qd, qdd = (tuple(_numbers(x, r, k * n, m)) for k, (x, r) in enumerate(zip(at, spread, strict=True)))

    def moments() -> Any:
        each = iter(parameters)
        return lambda _body: next(each)

    Y = _columns(robot_torques(robot, Boxes(q, qd, qdd), moments()), count, m)
    dM = _matrix(robot, q, m, moments())
    wide = np.zeros((count, m, n, n))
    wide[:, :n] = mass[1]
    size = np.abs(mass[0]) + np.abs(dM[0]) + np.abs(wide).sum(axis=1) + np.abs(dM[1]).sum(axis=1)
    whole = mass[0] + dM[0], wide + dM[1], mass[2] + dM[2] + 4.0 * UNIT * size
    # The centre of a payload is in a ball, and its first moments too: their sum counts by its Euclidean norm.
    ball = [3 * n + row for row, (k, j, _) in enumerate(spans) if k == len(problem.robot.bodies) and 6 <= j < 9]
    R = np.asarray(np.linalg.inv(whole[0]), dtype=np.float64)
    one: Array = np.eye(n)[None]
    both = [(_size(each, Y, ball)[..., 0], _size(each, dM, ball)) for each in (R, one)]
    return Load(R, _defect(R, whole, ball), *both)


def _numbers(middle: Array, radius: Array, first: int, m: int) -> list[Affine]:
    """Columns of arrays (N, k) as affine numbers of m deviations, each with one of its own from `first` on."""
    found = []
    for k, (mid, rad) in enumerate(zip(middle.T, radius.T, strict=True)):
        lin = np.zeros((m, len(mid)))
        lin[first + k] = rad * UP
        found.append(Affine(np.ascontiguousarray(mid), np.zeros(len(mid)), lin=lin))
    return found


def _with_rotors(row: Rows, qdd: Sequence[Affine]) -> Rows:
    """A torque at these accelerations; in the recursion the rotors are coefficients of accelerations."""
    total: Any = row.get((), Fraction(0))
    for key, value in row.items():
        total = qdd[~key[0]] * value + total if key else total
    return Rows({(): total})


def _matrix(robot: Robot, q: Sequence[Affine], m: int, moments: Any = None) -> tuple[Array, Array, Array]:
    """The mass matrix over boxes, of bodies with their own or with other moments, as `_stacked`."""
    at = Boxes(tuple(q), (None,) * robot.n, None)
    rows = robot_torques(replace(robot, gravity=(0.0,) * 3), at, moments)
    return _stacked([[row.get((~j,)) for j in range(robot.n)] for row in rows], len(q[0].mid), m)


def _columns(torques: Sequence[Rows], count: int, m: int, *, slope: bool = False) -> tuple[Array, Array, Array]:
    """Torques, or their derivatives, as arrays (N, n, 1), (N, m, n, 1) and (N, n, 1)."""
    values = [row.get(()) for row in torques]
    found = [(x.slope if isinstance(x, Dual) else None) if slope else x for x in values]
    return _stacked([[x] for x in found], count, m)


def _stacked(entries: Sequence[Sequence[Any]], count: int, m: int) -> tuple[Array, Array, Array]:
    """Middles (N, r, c), lin (N, m, r, c), radii (N, r, c) of a table of numbers; None is zero."""
    shape = len(entries), len(entries[0])
    mid, lin, rad = np.zeros((count, *shape)), np.zeros((count, m, *shape)), np.zeros((count, *shape))
    for i, row in enumerate(entries):
        for j, entry in enumerate(row):
            if entry is not None:
                x: Ball = as_ball(entry)
                mid[:, i, j], rad[:, i, j] = x.mid, x.rad
                if isinstance(x, Affine):
                    lin[:, :, i, j] = x.lin.T
    return mid, lin, rad


def _size(R: Array, of: tuple[Array, Array, Array], ball: Sequence[int] = ()) -> Array:
    """The largest |R X| (N, n, c) of affine X, rounding included; deviations of `ball` have a Euclidean norm of 1."""
    return np.asarray((np.abs(R @ of[0]) + _spread(R, of, ball)) * UP)


def _spread(R: Array, of: tuple[Array, Array, Array], ball: Sequence[int]) -> Array:
    """The largest deviation of R X from R mid."""
    mid, lin, rad = of
    wide = rad + 8.0 * (R.shape[-1] + 2) * UNIT * (np.abs(mid) + np.abs(lin).sum(axis=1))
    turned = np.abs(R[:, None] @ lin)
    others = np.setdiff1d(np.arange(lin.shape[1]), np.array(ball, dtype=int))
    round_ones = np.sqrt((turned[:, list(ball)] ** 2).sum(axis=1))
    return np.asarray(turned[:, others].sum(axis=1) + round_ones + np.abs(R) @ wide)


def applied(matrix: Array, vector: Array) -> Array:
    """The product (N, n) of numbers that are not negative, or its bound."""
    return np.asarray((matrix @ vector[..., None])[..., 0] * UP)


def _defect(R: Array, mass: tuple[Array, Array, Array], ball: Sequence[int] = ()) -> Array:
    """D of (4)."""
    return np.asarray((np.abs(np.eye(R.shape[-1]) - R @ mass[0]) + _spread(R, mass, ball) + 8.0 * UNIT) * UP)


def solved(D: Array, c: Array, robot: Robot) -> Array:
    """y of (4)."""
    c = c * UP + 1e-300
    try:
        y = np.linalg.solve(np.eye(D.shape[-1]) - D * _WIDER, c[..., None] * _WIDER)[..., 0]
    except np.linalg.LinAlgError:
        y = np.full_like(c, -1.0)
    good = (y > 0.0) & ((c + np.einsum("nij,nj->ni", D, y)) * UP <= y)
    if not good.all():
        cell, joint = np.argwhere(~good)[0]
        raise RefusedError(
            f"the mass matrix may be singular in cell {cell} of the tube, at joint {named(robot.joints[joint])}",
            remedy="smaller sets, or faster poles",
        )
    return np.asarray(y)
