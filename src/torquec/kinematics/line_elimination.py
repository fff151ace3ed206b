"""All solutions of six-joint arms of general geometry: an eliminant in the angle of one joint (Raghavan and Roth).

The joints close a loop: G_1 .. G_6 = T, T the displacement of the tool. From a hidden joint a on, in cyclic order, they
are a, b, c, g, d, e; T^-1 stands after joint 6. g leaves its own line (P, l) where it is, so that

(1)  G_a G_b G_c (P, l)  =  G_e^-1 G_d^-1 (P, l)          T within the right side

is free of g. W = (P, l, P.P, P.l, P x l, (P.P) l - 2 (P.l) P, 1) moves linearly with a line, and along a joint it is
linear in y = (1, cos q, sin q), or (1, q, q^2) of a slide:

(2)  sum L_abc y_a y_b y_c  =  sum Q_de y_d y_e           14 rows; L constant, Q linear in the parts of T
(3)  N Q_8 = 0            six rows N that cancel the eight products of y_d, y_e except 1, by Householder reflections
(4)  N (L y_a - Q_1)      six equations in the powers x_b^i x_c^j, i, j <= 2, of half-angle tangents, or slides
(5)  M(a) v = 0           these and x_b times these: 12 x 12, linear in cos a and sin a; v the powers of x_b and x_c
(6)  det M(a) = 0         of order eight in a: sixteen solutions at most

From a root: v gives x_b and x_c; the parts of W that a turn about e does not change, equal on both sides, give y_d by
least squares; then e follows, and g from the remaining rotation. Newton steps on the arm reduce the error to rounding
(`refinement`).

M. Raghavan and B. Roth, Inverse kinematics of the general 6R manipulator and related linkages, J. Mech. Design 115,
1993. Any joint may be hidden: the arm seen from its hand covers the last three. If axes meet or are parallel, some
hidden joints make M singular for every a, and others let two solutions share a root. `line_elimination` takes a hidden
joint with which neither happens on examples.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from torquec.expr.math import atan2, select, sqrt
from torquec.foundation.arrays import Array
from torquec.kinematics.angle import JointAngle, over
from torquec.kinematics.arm_geometry import ArmGeometry, ArmJoint, across, reversed_geometry
from torquec.kinematics.householder import left_null_rows
from torquec.kinematics.line_parts import (
    UNITS,
    LineParts,
    applied,
    inner,
    line_parts,
    moved_line,
    moved_parts,
    parts_of_joint,
    plain,
    sum_of_terms,
    turned,
    unchanged_by,
    value_between,
)
from torquec.kinematics.tuning import TUNING
from torquec.spatial import Matrix3, Scalar, Vector3, add, cross, dot, matmul, matvec, scale, subtract, transpose

SIZE = 12
"""Rows and columns of M (5)."""

DEGREE = 16
"""Largest number of solutions of a general arm, complex ones included."""

_HALF = ((1.0, 0.0, 1.0), (1.0, 0.0, -1.0), (0.0, 2.0, 0.0))
"""(1, cos, sin) times 1 + x^2 over (1, x, x^2), x = tan(q/2)."""


@dataclass(frozen=True)
class LineElimination:
    """The eliminant of an arm in joint `hidden`, one of the first three; with `back` for the arm seen from its hand."""

    arm: ArmGeometry
    hidden: int
    back: bool

    @property
    def place(self) -> int:
        """The hidden joint's number in the arm."""
        return 5 - self.hidden if self.back else self.hidden

    @cached_property
    def size(self) -> float:
        """Unit of length [m] of the elimination."""
        return 0.5 * self.arm.reach

    @cached_property
    def center(self) -> Vector3:
        """The origin of the elimination's coordinates [m]."""
        points = np.array([joint.point for joint in self.arm.joints])
        x, y, z = points.mean(axis=0).tolist()
        return (x, y, z)

    @cached_property
    def loop(self) -> tuple[ArmJoint, ...]:
        """a, b, c, g, d, e with lengths of order 1."""
        arm = reversed_geometry(self.arm) if self.back else self.arm
        shrunk = [
            dataclasses.replace(joint, point=scale(subtract(joint.point, self.center), 1.0 / self.size))
            for joint in arm.joints
        ]
        return tuple(shrunk[(self.hidden + k) % 6] for k in range(6))

    @cached_property
    def line(self) -> Array:
        """W of the line of g, (15,)."""
        return np.array(line_parts(self.loop[3].point, self.loop[3].axis))

    @cached_property
    def left(self) -> Array:
        """L of (4): (14, 3, 9) over y_a and the powers of x_b, x_c."""
        a, b, c = (parts_of_joint(joint) for joint in self.loop[:3])
        powers = [np.array(UNITS if joint.slides else _HALF) for joint in self.loop[1:3]]
        found = np.einsum("aij,bjk,ckl,l,bp,cq->iapq", a, b, c, self.line, *powers)[:14]
        return np.where(np.abs(found) < 1e-13, 0.0, found).reshape(14, 3, 9)

    @cached_property
    def ones(self) -> Array:
        """The function 1 of joints b and c, as coefficients (9,) over the powers of x_b, x_c."""
        b, c = ((UNITS if joint.slides else _HALF)[0] for joint in self.loop[1:3])
        return np.outer(b, c).ravel()

    @cached_property
    def _right(self) -> tuple[Array, Array]:
        """E_e and D_d: W moved by G_e^-1 and G_d^-1, (3, 15, 15) each, over y."""
        _, _, _, _, d, e = self.loop
        return parts_of_joint(e, -1.0), parts_of_joint(d, -1.0)

    def displacement(self, rotation: Any, position: Any) -> tuple[Matrix3, Vector3]:
        """T, or T^-1 of the arm seen from its hand, with lengths of order 1."""
        turn = matmul(rotation, transpose(self.arm.tool.rotation))
        moved = add(subtract(position, matvec(turn, subtract(self.arm.tool.origin, self.center))), _minus(self.center))
        shift = scale(moved, 1.0 / self.size)
        if not self.back:
            return turn, shift
        back = transpose(turn)
        return back, _minus(matvec(back, shift))

    def eliminant(self, rotation: Any, position: Any) -> list[list[list[Scalar]]]:
        """M of (5) from the pose of the frame: three matrices, over (1, cos a, sin a)."""
        return [_twice(rows) for rows in self.equations(rotation, position)]

    def equations(self, rotation: Any, position: Any) -> list[list[list[Scalar]]]:
        """Equations (4) of a pose: (3, 6, 9) over (1, cos a, sin a), rows, and the powers of x_b, x_c."""
        rows = self._right_rows(*self.displacement(rotation, position))
        across_rows = left_null_rows([[row[k] for row in rows[1:]] for k in range(14)])
        found: list[list[list[Scalar]]] = [[], [], []]
        for n in across_rows:
            parts = [
                [sum_of_terms(n[k] * float(self.left[k, a, p]) for k in range(14)) for p in range(9)] for a in range(3)
            ]
            constant = sum_of_terms(n[k] * rows[0][k] for k in range(14))
            parts[0] = [value - float(one) * constant for value, one in zip(parts[0], self.ones, strict=True)]
            for a in range(3):
                found[a].append(parts[a])
        return found

    @staticmethod
    def matrix(equations: Any, c: Scalar, s: Scalar) -> list[list[Scalar]]:
        """M at an angle given by its cosine and sine, from `equations`."""
        constant, cosine, sine = equations
        return _twice(
            [[constant[i][p] + c * cosine[i][p] + s * sine[i][p] for p in range(9)] for i in range(len(constant))]
        )

    def _right_rows(self, turn: Matrix3, shift: Vector3) -> list[LineParts]:
        """Q of (2): W of the right side over the nine products y_d y_e, 1 first."""
        e, d = self._right
        if self.hidden == 2:
            given = moved_parts(turn, shift, plain(self.line))
            steps = [applied(d[k], given) for k in range(3)]
        elif self.hidden == 1:
            steps = [moved_parts(turn, shift, plain(d[k] @ self.line)) for k in range(3)]
        else:
            steps = [plain(d[k] @ self.line) for k in range(3)]
        rows = [applied(e[m], step) for step in steps for m in range(3)]
        return [moved_parts(turn, shift, row) for row in rows] if self.hidden == 0 else rows

    def joints(self, powers: Sequence[Scalar], value: Scalar, rotation: Any, position: Any) -> list[Scalar]:
        """The arm's joints from a root `value` of (6) and v (12,) of (5)."""
        turn, shift = self.displacement(rotation, position)
        a, b, c, g, d, e = self.loop
        found = [value, _from_powers(powers, 3, b.slides), _from_powers(powers, 1, c.slides)]
        turns = [None if j.slides else JointAngle.of(q) for j, q in zip((a, b, c), found, strict=True)]
        point, along = g.point, g.axis
        for joint, angle, q in reversed(list(zip((a, b, c), turns, found, strict=True))):
            point, along = moved_line(joint, angle, q, point, along)
        if self.hidden == 0:
            back = transpose(turn)
            point, along = matvec(back, subtract(point, shift)), matvec(back, along)
        at_d, w = self._solve_fourth(turn, shift, line_parts(point, along))
        start, straight = (w[0], w[1], w[2]), (w[3], w[4], w[5])
        at_e, last = value_between(e, (point, along), (start, straight))
        u = across(g.axis)[0]
        v: Vector3 = matvec(turn, u) if self.hidden == 2 else u
        v = turned(d, at_d, v, -1.0)
        v = matvec(turn, v) if self.hidden == 1 else v
        v = v if last is None else (-last).turn(e.axis, v)
        v = matvec(turn, v) if self.hidden == 0 else v
        for joint, q in ((a, found[0]), (b, found[1]), (c, found[2])):
            v = turned(joint, q, v, -1.0)
        at_g = atan2(dot(g.axis, cross(u, v)), dot(u, v))
        loop = [*found, at_g, at_d, at_e]
        lengths = [q * self.size if j.slides else q for q, j in zip(loop, self.loop, strict=True)]
        ordered = [lengths[(k - self.hidden) % 6] for k in range(6)]
        return ordered[::-1] if self.back else ordered

    def _solve_fourth(self, turn: Matrix3, shift: Vector3, wanted: LineParts) -> tuple[Scalar, LineParts]:
        """The value of d, and W of its side of (1) before e: least squares for y_d from the parts unchanged by e."""
        e, d = self.loop[5], self.loop[4]
        parts = self._right[1]
        if self.hidden == 2:
            given = moved_parts(turn, shift, plain(self.line))
            sides = [applied(parts[k], given) for k in range(3)]
        elif self.hidden == 1:
            sides = [moved_parts(turn, shift, plain(parts[k] @ self.line)) for k in range(3)]
        else:
            sides = [plain(parts[k] @ self.line) for k in range(3)]
        rows = unchanged_by(e)
        one, x, y = (
            [sum_of_terms(float(i) * s for i, s in zip(row, side, strict=True)) for row in rows] for side in sides
        )
        aim = [sum_of_terms(float(i) * s for i, s in zip(row, wanted, strict=True)) for row in rows]
        rest = [p - q for p, q in zip(aim, one, strict=True)]
        xx, xy, yy = inner(x, x), inner(x, y), inner(y, y)
        xr, yr = inner(x, rest), inner(y, rest)
        first, second = yy * xr - xy * yr, xx * yr - xy * xr
        if d.slides:
            value: Scalar = over(first, xx * yy - xy * xy)
            weights = (value, value * value)
        else:
            value = atan2(second, first)
            length = over(1.0, sqrt(first * first + second * second))
            weights = (first * length, second * length)
        there = [p + weights[0] * q + weights[1] * r for p, q, r in zip(*sides, strict=True)]
        return value, there


def _twice(rows: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """The rows of M (5): the equations, and x_b times them."""
    return [[*row, 0.0, 0.0, 0.0] for row in rows] + [[0.0, 0.0, 0.0, *row] for row in rows]


def line_elimination(arm: ArmGeometry) -> LineElimination | None:
    """The best eliminant of an arm; None if none is regular, or if the arm does not have six joints."""
    best = max(enumerate(regular_eliminations(arm)), key=lambda row: (row[1][0], row[0]), default=None)
    return None if best is None else best[1][1]


def regular_eliminations(arm: ArmGeometry) -> list[tuple[float, LineElimination]]:
    """The regular eliminants of an arm, each with its score; empty if the arm does not have six joints."""
    if len(arm.joints) != 6:
        return []
    every = [LineElimination(arm, hidden, back) for back in (False, True) for hidden in range(3)]
    scored = [(_score(one), one) for one in every if not one.loop[0].slides and not one.loop[3].slides]
    return [row for row in scored if row[0] > TUNING.smallest_singular_value]


def _score(one: LineElimination) -> float:
    """Regularity of an eliminant: the smallest ratio, over random examples, of a singular value of M to the largest.

    At a solution the last singular value but one counts: if it vanishes, two solutions share the root. Elsewhere the
    last one counts: if it vanishes, M is always singular. Zero where a solution is not recovered from its root.
    """
    found = []
    for q, rotation, position in example_poses(one.arm, TUNING.compared_poses):
        M = np.array(one.eliminant(rotation, position), dtype=float)
        at, elsewhere = (M[0] + np.cos(x) * M[1] + np.sin(x) * M[2] for x in (q[one.place], q[one.place] + 1.0))
        _, singular, vectors = np.linalg.svd(at)
        general = np.linalg.svd(elsewhere, compute_uv=False)
        again = np.array(one.joints([float(x) for x in vectors[-1]], float(q[one.place]), rotation, position))
        off = again - q
        turning = np.array([not joint.slides for joint in one.arm.joints])
        off = np.where(turning, (off + np.pi) % (2.0 * np.pi) - np.pi, off)
        if not np.abs(off).max() < TUNING.example_error:
            return 0.0
        found.append(min(singular[-2] / singular[0], general[-1] / general[0]))
    return float(np.median(found))


def example_poses(arm: ArmGeometry, count: int) -> Iterator[tuple[Array, Matrix3, Vector3]]:
    """Random positions of six joints, the same in every run, and the poses of the tool there."""
    rng = np.random.default_rng(7)
    for _ in range(count):
        q = rng.uniform(-np.pi, np.pi, 6)
        for k, joint in enumerate(arm.joints):
            q[k] = rng.uniform(-0.5, 0.5) * arm.reach if joint.slides else q[k]
        yield q, *_forward(arm, q)


def _forward(arm: ArmGeometry, q: Array) -> tuple[Matrix3, Vector3]:
    """The pose of the tool, floats."""
    point, columns = arm.tool.origin, list(transpose(arm.tool.rotation))
    for joint, value in reversed(list(zip(arm.joints, q.tolist(), strict=True))):
        angle = None if joint.slides else JointAngle.of(value)
        point, _ = moved_line(joint, angle, value, point, joint.axis)
        columns = [column if angle is None else angle.turn(joint.axis, column) for column in columns]
    return transpose((columns[0], columns[1], columns[2])), point


def _from_powers(v: Sequence[Scalar], stride: int, slides: bool) -> Scalar:
    """x_b (`stride` 3) or x_c (1) from v, whose entries at 3 i + j are x_b^i x_c^j; the angle if the joint turns."""
    pairs = [(v[k], v[k + stride]) for k in range(SIZE) if (stride == 3 and k < 9) or (stride == 1 and k % 3 < 2)]
    low, high = sum_of_terms(p * p for p, _ in pairs), sum_of_terms(q * q for _, q in pairs)
    both = sum_of_terms(p * q for p, q in pairs)
    if slides:
        return over(both, low)
    larger = high - low
    return 2.0 * atan2(select(larger, high, both), select(larger, both, low))


def _minus(v: Vector3) -> Vector3:
    return scale(v, -1.0)
