"""Hold error: bound of the torque error of held coefficients over a box of motions, as a function of their sample age.

The background samples the motion at t0; the torque commanded at t = t0 + age uses these old coefficients. With
|q| within limits, |qd| <= v, |qdd| <= a and |qddd| <= j, and A = qdd(t), the acceleration of the synchronous task:

(1)  zeroth order:  e = integral over the age of  D = dtau/dq(q, qd, A) qd + dtau/dqd(q, qd) qdd
       D = sum B_je qd_j qdd_e + sum T_jem qd_j qd_e qd_m + sum G_j qd_j  where A = qdd,
       B_je = dM_e/dq_j + d2c/(dqd_j dqd_e),  T = dc/dq,  G = dg/dq;
       A - qdd, at most j times the remaining age, adds  sum dM_e/dq_j qd_j (A_e - qdd_e);
       without a jerk limit, A is any acceleration of the box
(2)  first order, with coefficients at the earlier time r, h = c + g, and v, a the speed and acceleration at r or s:
       e = integral over r < s of  d2M/dq2[v_r, v_s] A + d2h/dq2[v_r, v_s] + d2c/(dq dqd)([v_s, a_r] + [v_r, a_s])
                                   + d2c/dqd2[a_r, a_s]
           + dM/dq(q0)[q - q0] (A - qdd0)
(3)  in (2), v_s differs from v_r by at most a (s - r): with v_s = v_r all terms share their speeds, and the difference,
     proportional to s - r, adds a term of third order in the age
(4)  every term is a monomial in speeds and accelerations, which are within their limits, times a trigonometric
     polynomial of the positions, and :mod:`torquec.proof.enclosure.grid_bound` bounds the sums of such terms:
       zeroth(age) = age min(f_D + 1/2 age f_J, f_A),
       first(age) = 1/2 age^2 f_2 + 1/6 age^3 f_3 + age min(age f_J, 2 f_M)

(5)  at zeroth order one task publishes M and g, another one c. While one of the two samples is older than the other,
     only the part of D that belongs to it grows. So f_D and f_A are the largest of three bounds: of D, of its part due
     to M and g, and of its part due to c

In f_J, dM/dq is weighted with the jerk, in f_M with the accelerations; f_A bounds D for any A; f_3, a minor term, is a
sum of amplitudes. Without a jerk limit a first-order term 2 f_M age remains: an acceleration step acts on the inertia
at t0. Springs are included, friction is not.

The parts f of (4) at an age are the witness of a bound, which :mod:`torquec_check.hold` proves again.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from torquec.closedform.paths import cumulative_variables, parallel_groups
from torquec.closedform.polynomial import Variable
from torquec.dynamics.spring_torque import spring_stiffness
from torquec.errors import ArgumentError, RobotError
from torquec.expr import Function, function_to_dict
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Work, as_work
from torquec.proof.enclosure.grid_bound import GridAxis, Monomial, Row, along_axis, amplitudes, grid_bound
from torquec.proof.hold.hold_order import HoldOrder
from torquec.proof.torque.torque_tables import position_degrees, positions_read, torque_rows
from torquec.robot.robot import Robot
from torquec.robot.robot_document import robot_to_dict
from torquec.robot.state_coordinate import position_bases
from torquec.trajectory.motion_box import MotionBox
from torquec_check.document import RefusedError
from torquec_check.hold import bends
from torquec_check.program import torque_program
from torquec_check.robot import Box, robot_of

_LARGEST = 5**7
"""Largest grid of positions for tables: more than seven joints take gigabytes."""

_CHECKED = 19
"""Number of positions at which tables are compared with the program: prime, so that none was used to make them."""

_TABLE_ERROR = 1e-10
"""Tolerated difference of tables and program, relative to its largest coefficient."""

_SAMPLES = ("Mgc", "Mg", "c")
"""Coefficients that are sampled together (5)."""

_TRIMMED, _NOISE = 3e-4, 1e-12
"""Margins that are added to every part f, so that the checker can prove it: for terms that the checker drops, relative
to the part itself; for rounding in the checker, relative to the largest part of all joints."""

ROUNDED = 1.0 + 1e-8
"""Factor on a sum of parts, which the checker rounds up."""


@dataclass(frozen=True)
class HoldBound:
    """Hold error bound: the coefficients of (4) for every joint (n,), valid at any age.

    `coarse`: the joints whose bounds are looser because the time limit was reached.
    """

    joints: tuple[str, ...]
    drift: Array
    jerk: Array | None
    jump: Array
    free_drift: Array
    curvature: Array
    bend: Array
    coarse: tuple[str, ...] = ()

    def at(self, age: float, order: HoldOrder) -> Array:
        """The bound of every joint's torque error (n,) [N m, N] while coefficients are at most `age` [s] old (4)."""
        if not (np.isfinite(age) and age >= 0.0):
            raise ArgumentError(f"an age of {age} s", remedy="give seconds, zero or more")
        if order is HoldOrder.FIRST:
            found: Array = 0.5 * age**2 * self.curvature + age**3 / 6.0 * self.bend + age * self._turning(age)
            return ROUNDED * found
        if self.jerk is None:
            return ROUNDED * age * self.free_drift
        return ROUNDED * age * np.minimum(self.drift + 0.5 * age * self.jerk, self.free_drift)

    def _turning(self, age: float) -> Array:
        """The last part of a first-order bound (4)."""
        return self.jump * 2.0 if self.jerk is None else np.minimum(age * self.jerk, 2.0 * self.jump)

    def parts(self, age: float, order: HoldOrder) -> dict[str, dict[str, float | None]]:
        """The bound of every joint at an age, with its parts (4), by their names in a certificate."""
        bound = self.at(age, order)
        rows: list[dict[str, Any]]
        if order is HoldOrder.FIRST:
            names = ("bound", "curvature", "bend", "turning")
            columns = (bound, self.curvature, self.bend, self._turning(age))
            rows = [dict(zip(names, map(float, row), strict=True)) for row in zip(*columns, strict=True)]
        else:
            rows = []
            for i, limit in enumerate(bound):
                added = None if self.jerk is None else float(0.5 * age * self.jerk[i])
                free = added is None or self.drift[i] + added >= self.free_drift[i]
                drift = float(self.free_drift[i] if free else self.drift[i])
                rows.append({"bound": float(limit), "drift": drift, "turning": None if free else added})
        return dict(zip(self.joints, rows, strict=True))

    def longest_age(self, tolerance: Sequence[float], order: HoldOrder) -> float:
        """The longest age [s] at which no joint's bound exceeds its tolerance (n,), by bisection."""
        limit = (1.0 - 10.0 * (ROUNDED - 1.0)) * np.asarray(tolerance, dtype=np.float64)
        low, high = 0.0, 1.0
        while np.all(self.at(high, order) <= limit) and high < 1e3:
            high *= 2.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if np.all(self.at(middle, order) <= limit) else (low, middle)
        return low


def held_torque_bound(
    robot: Robot,
    program: Function,
    motions: MotionBox,
    *,
    sums_angles: bool,
    jerk: Sequence[float] | None = None,
    work: Work | None = None,
) -> HoldBound:
    """Hold error bounds of a torque program (q, qd, qdd -> tau) over a box of motions; `jerk` (n,) where it is limited.

    `sums_angles`: the program is the robot's exact one, which depends on sums of the angles of parallel joints. A time
    limit of `work` is divided among the joints; bounds that are not finished in time are looser.
    Raises `ArgumentError` for a box without speeds or accelerations, `RobotError` for too many joints.
    """
    if not motions.velocity or not motions.acceleration:
        raise ArgumentError("the box states no speeds or accelerations", remedy="give them in the specification")
    if jerk is not None and (len(jerk) != robot.n or not all(0.0 <= value < np.inf for value in jerk)):
        raise ArgumentError(f"jerks are {jerk}", remedy=f"give one number for each of the {robot.n} joints")
    rows = _Rows(robot, program, motions, sums_angles=sums_angles)
    springs = _stiffness(robot) * rows.v
    given = None if jerk is None else np.asarray(jerk, dtype=np.float64)
    bounds: dict[str, list[float]] = {key: [] for key in ("drift", "jerk", "jump", "free_drift", "curvature", "bend")}
    task, coarse = as_work(work), []
    with task.step("bounding the hold error", whole=robot.n) as step:
        for i, name in enumerate(robot.joint_names):
            step.show(i, note=name)
            budget = task.budget.share((i + 1) / robot.n)
            bound = partial(grid_bound, axes=rows.axes, budget=budget)
            bounds["drift"].append(max(bound(partial(rows.drift, i, of)) for of in _SAMPLES))
            bounds["free_drift"].append(max(bound(partial(rows.free_drift, i, of)) for of in _SAMPLES))
            bounds["jump"].append(bound(partial(rows.turning, i, rows.a)))
            if given is not None:
                bounds["jerk"].append(bound(partial(rows.turning, i, given)))
            bounds["curvature"].append(bound(partial(rows.curvature, i)))
            bounds["bend"].append(sum(float(amplitudes(row[None], rows.axes)[0]) for row in rows.bend(i)))
            if budget.is_over:
                coarse.append(name)
    bounds["bend"] = [max(pair) for pair in zip(bounds["bend"], _checked_bends(robot, program, motions), strict=True)]
    arrays = {key: np.array(values) for key, values in bounds.items()}
    arrays = {key: (1.0 + _TRIMMED) * x + _NOISE * x.max(initial=0.0) for key, x in arrays.items()}
    arrays |= {key: arrays[key] + ROUNDED * springs for key in ("drift", "free_drift")}
    limited = None if given is None else arrays["jerk"]
    del arrays["jerk"]
    return HoldBound(robot.joint_names, jerk=limited, **arrays, coarse=tuple(coarse))


def checked_box(motions: MotionBox) -> Box:
    """A box of motions as the checker has it."""
    return Box(motions.lower, motions.upper, motions.velocity, motions.acceleration)


def _checked_bends(robot: Robot, program: Function, motions: MotionBox) -> list[float]:
    """The part f_3 as the checker computes it; zero where the checker refuses the program."""
    try:
        made = torque_program(function_to_dict(program), robot.n)
        with one_thread():
            return bends(made, robot_of(robot_to_dict(robot)), checked_box(motions))
    except RefusedError:
        return [0.0] * robot.n


class _Rows:
    """The trigonometric polynomials of (1) and (2), weighted, joint by joint."""

    def __init__(self, robot: Robot, program: Function, motions: MotionBox, *, sums_angles: bool) -> None:
        self.n = robot.n
        self.v, self.a = np.array(motions.velocity), np.array(motions.acceleration)
        self.variables = _variables(robot, program, sums_angles=sums_angles)
        degrees = position_degrees(program, position_bases(robot))
        self.axes = []
        for variable in self.variables:
            joint = variable.joints[-1][0]
            self.axes.append(GridAxis(degrees[joint], variable.basis, motions.lower[joint], motions.upper[joint]))
        if math.prod(axis.size for axis in self.axes) > _LARGEST:
            raise RobotError(
                f"the torques depend on {len(self.axes)} joint positions, too many to bound the hold error",
                remedy="lock joints that hardly matter, such as those of a gripper: --lock JOINT=VALUE, or [lock] of a "
                "project",
            )
        places = [axis.points(axis.size) for axis in self.axes]
        values = np.stack([part.ravel() for part in np.meshgrid(*places, indexing="ij")], axis=1) if places else None
        q = self._positions(np.zeros((1, 0)) if values is None else values)
        table = torque_rows(program, q).reshape(*map(len, places), self.n, -1)
        for k, (axis, place) in enumerate(zip(self.axes, places, strict=True)):
            table = along_axis(np.asarray(np.linalg.inv(axis.values(place)), dtype=np.float64), table, k)
        self.tables = np.ascontiguousarray(np.moveaxis(table, (-2, -1), (0, 1)))
        self.slopes = [axis.slope() for axis in self.axes]
        self._check(program)
        self.pairs = [(e, m) for e in range(self.n) for m in range(e, self.n)]

    def inertia(self, i: int, e: int) -> Array:
        """M_ie."""
        found: Array = self.tables[i, e]
        return found

    def speed(self, i: int, e: int, m: int) -> Array:
        """Coefficient of qd_e qd_m, e <= m, in c_i."""
        found: Array = self.tables[i, self.n + self.pairs.index((min(e, m), max(e, m)))]
        return found

    def by(self, table: Array, *joints: int) -> Array | None:
        """Derivative with respect to joint positions, through all variables that contain them; None if it is zero."""
        found: Array | None = table
        for joint in joints:
            total: Array | None = None
            for k, variable in enumerate(self.variables):
                sense = dict(variable.joints).get(joint, 0)
                if sense and found is not None:
                    slope = sense * along_axis(self.slopes[k], found, k)
                    total = slope if total is None else total + slope
            found = total
        return found

    def _positions(self, values: Array) -> Array:
        """Joint positions (N, n) from values (N, variables) of the variables, each of which adds one joint."""
        q = np.zeros((len(values), self.n))
        known: set[int] = set()
        for k, variable in enumerate(self.variables):
            ((index, sense),) = (joint for joint in variable.joints if joint[0] not in known)
            before = sum((s * q[:, i] for i, s in variable.joints if i in known), np.zeros(len(values)))
            q[:, index] = sense * (values[:, k] - before)
            known.add(index)
        return q

    def _check(self, program: Function) -> None:
        """Check the tables against the program at positions that were not used to make them."""
        rng = np.random.default_rng(5)
        picked = [axis.points(_CHECKED)[rng.permutation(_CHECKED)] for axis in self.axes]
        values = np.stack(picked, axis=1) if picked else np.zeros((1, 0))
        rows = torque_rows(program, self._positions(values))
        for value, expected in zip(values, rows, strict=True):
            found = self.tables
            for axis, x in zip(self.axes, value, strict=True):
                found = np.tensordot(found, axis.values(np.array([x]))[0], axes=(2, 0))
            if np.abs(found - expected).max() > _TABLE_ERROR * (1.0 + np.abs(rows).max()):
                raise RobotError(
                    "the torques are not trigonometric polynomials of the joint positions",
                    remedy="lock joints that follow others with a gear, or bound the exact model of the robot",
                )

    def turning(self, i: int, weight: Array) -> Iterator[Row]:
        """dM_e/dq_j v_j w_e."""
        for j, e in itertools.product(range(self.n), repeat=2):
            slope = self.by(self.inertia(i, e), j)
            if slope is not None:
                yield Monomial((j,), ("A", e)), self.v[j] * weight[e] * slope

    def drift(self, i: int, of: str = "Mgc") -> Iterator[Row]:
        """D of (1), A = qdd; only the terms due to the coefficients `of` (5)."""
        for j, e in itertools.product(range(self.n), repeat=2):
            slope = self.by(self.inertia(i, e), j) if "M" in of else None
            part = self._turned(i, j, e) * float("c" in of)
            yield Monomial((j,), ("a", e)), self.v[j] * self.a[e] * (part if slope is None else part + slope)
        yield from self._at_constant_speed(i, of)

    def free_drift(self, i: int, of: str = "Mgc") -> Iterator[Row]:
        """D of (1), any A; only the terms due to the coefficients `of` (5)."""
        if "M" in of:
            yield from self.turning(i, self.a)
        for j, e in itertools.product(range(self.n), repeat=2):
            yield Monomial((j,), ("a", e)), self.v[j] * self.a[e] * self._turned(i, j, e) * float("c" in of)
        yield from self._at_constant_speed(i, of)

    def _turned(self, i: int, j: int, e: int) -> Array:
        """d2c_i/(dqd_j dqd_e)."""
        return self.speed(i, j, e) * (2.0 if j == e else 1.0)

    def _at_constant_speed(self, i: int, of: str) -> Iterator[Row]:
        """T and G of (1), equal monomials combined."""
        cubic: dict[tuple[int, ...], Array] = {}
        for (e, m), j in itertools.product(self.pairs if "c" in of else (), range(self.n)):
            _add(cubic, (j, e, m), self.by(self.speed(i, e, m), j))
        for j in range(self.n if "g" in of else 0):
            _add(cubic, (j,), self.by(self.tables[i, -1], j))
        for joints, row in cubic.items():
            yield Monomial(joints), self.v[list(joints)].prod() * row

    def curvature(self, i: int) -> Iterator[Row]:
        """The terms of (2) without A - qdd0, with the speeds of (3), equal monomials combined."""
        v, a = self.v, self.a
        for e in range(self.n):
            square: dict[tuple[int, ...], Array] = {}  # rows by product of speeds, for A_e and then for a_e
            for j, k in self.pairs:
                _add(square, (j, k), self.by(self.inertia(i, e), j, k), 1.0 if j == k else 2.0)
            for (j, k), row in square.items():
                yield Monomial((j, k), ("A", e)), v[j] * v[k] * a[e] * row
            square = {}
            for j, m in itertools.product(range(self.n), repeat=2):
                _add(square, (j, m), self.by(self._turned(i, e, m), j), 2.0)
            for (j, m), row in square.items():
                yield Monomial((j, m), ("a", e)), v[j] * v[m] * a[e] * row
        quartic: dict[tuple[int, ...], Array] = {}
        for j, k in self.pairs:
            twice = 1.0 if j == k else 2.0
            for e, m in self.pairs:
                _add(quartic, (j, k, e, m), self.by(self.speed(i, e, m), j, k), twice)
            _add(quartic, (j, k), self.by(self.tables[i, -1], j, k), twice)
        for joints, row in quartic.items():
            yield Monomial(joints), v[list(joints)].prod() * row
        for e, m in itertools.product(range(self.n), repeat=2):
            yield Monomial((e,), ("later", m), "accelerations"), a[e] * a[m] * self._turned(i, e, m)

    def bend(self, i: int) -> Iterator[Array]:
        """Contribution of v_s - v_r, at most a (s - r), to (2)."""
        v, a = self.v, self.a
        held = [(self.inertia(i, e), float(a[e])) for e in range(self.n)]
        held += [(self.speed(i, e, m), float(v[e] * v[m])) for e, m in self.pairs]
        held.append((self.tables[i, -1], 1.0))
        for (row, size), (j, k) in itertools.product(held, self.pairs):
            slope = self.by(row, j, k)
            if slope is not None:
                yield (v[j] * a[k] + (v[k] * a[j] if j != k else 0.0)) * size * slope
        for e, m, j in itertools.product(range(self.n), repeat=3):
            slope = self.by(self._turned(i, e, m), j)
            if slope is not None:
                yield a[j] * a[e] * v[m] * slope


def _add(sums: dict[tuple[int, ...], Array], joints: tuple[int, ...], row: Array | None, times: float = 1.0) -> None:
    """Add a row to that of the product of the joints' speeds, in any order; None is zero."""
    if row is not None:
        key = tuple(sorted(joints))
        sums[key] = sums[key] + times * row if key in sums else times * row


def _variables(robot: Robot, program: Function, *, sums_angles: bool) -> list[Variable]:
    """The positions that the torques depend on; for exact models, sums of the angles of parallel joints."""
    read = positions_read(program)
    bases = position_bases(robot)
    plain = [Variable(((j, 1),), bases[j]) for j in sorted(read)]
    if not sums_angles or any(body.joint.mimic for body in robot.bodies):
        return plain
    summed = [variable for variable in plain if not variable.is_angle]
    for group in parallel_groups(robot.canonical.links):
        first = next((k for k, (joint, _) in enumerate(group.joints) if joint in read), None)
        if first is not None:
            summed += cumulative_variables(group, first)
    return summed


def _stiffness(robot: Robot) -> Array:
    """Stiffness of linear springs, (n,). Raises `RobotError` for counterbalances."""
    if any(body.joint.counterbalances for body in robot.bodies):
        raise RobotError(
            "the hold error of a counterbalance is not bounded",
            remedy="compute the counterbalance in every cycle, and bound the robot without it",
        )
    return np.array([float(value) for value in spring_stiffness(robot, [0.0] * robot.n)])
