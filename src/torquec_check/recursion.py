"""The robot's own torques: recursive Newton-Euler inverse dynamics of a tree, in balls on a grid of joint positions.

Vectors are in the axes of their body, at its origin; p is the joint's origin in the parent's frame, E turns the body's
axes into the parent's, a is the axis, theta (or d) the joint's position, h = m c and J the moments about the origin:

(1)  E = R (a a' + (1 - a a') cos theta + [a]x sin theta),       sliding:  E = R,  p = o + R a d
(2)  w = E'w_p + a thetad,    wd = E'wd_p + a thetadd + E'w_p x a thetad,                sliding:  without theta
(3)  v = E'(v_p + wd_p x p + w_p x (w_p x p)),                   sliding:  + 2 w x a dd + a ddd
(4)  f = m v + wd x h + w x (w x h),      n = J wd + w x J w + h x v        the base has v = -gravity
(5)  f_p += E f,   n_p += E n + p x E f,      tau = a'n,   sliding:  tau = a'f       (Luh, Walker & Paul 1980)
A joint that follows another one by theta = k q + b counts k times in the torque of q; rotors add T' diag(I) T qdd.

(6)  R is the rotation next to the written matrix A, its orthogonal polar factor (Higham 1986): X = A, then
     X <- X (3 - X'X)/2, whose distance from R is squared in every step. It is 1e-9 at first, 1e-72 after three.
(7)  Degrees. M = sum over bodies of J' diag(m, J) J is quadratic in the position of every joint (in cos, sin, or d),
     and so are the c_ijk, sums of its derivatives (Christoffel); g is linear. A position k q + b counts |k| times in
     the degree of q, a displacement once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import flint
import numpy as np

from torquec_check.robot import Body, Robot
from torquec_check.rows import Rows, as_ball, ball_of, point_degrees

_POLAR, _rows = flint.arb(0, 1e-50), functools.partial(np.array, dtype=object)
"""What is left of (6), and more; vectors and matrices of rows, with the arithmetic of NumPy's arrays of objects."""


def robot_degrees(robot: Robot) -> tuple[int, ...]:
    """Degrees (n,) of the coefficients of a robot's torques in the joint positions (7); 0 where none depends on one."""
    degrees = [0] * robot.n
    for body in robot.bodies:
        degrees[body.coordinate] += 2 * abs(round(body.multiplier)) if body.turns else 2
    found = point_degrees(robot.turns, lambda grid: robot_torques(robot, grid))
    return tuple(degree if by_operations else 0 for degree, by_operations in zip(degrees, found, strict=True))


def robot_torques(robot: Robot, grid: Any, moments: Callable[[Body], Any] | None = None) -> list[Rows]:
    """The torques (n,) of a robot as polynomials in the rates, on a grid; `moments` replace those of the bodies."""
    base = (_vector((0.0, 0.0, 0.0)), _vector((0.0, 0.0, 0.0)), -_vector(robot.gravity))
    motions: list[tuple[Any, Any, Any]] = []
    frames, wrenches = [], []
    for body in robot.bodies:
        w_p, wd_p, v_p = motions[body.parent] if body.parent >= 0 else base
        scale = grid.constant(Fraction(body.multiplier))
        q, rate, push = (grid.input(port, body.coordinate) * scale for port in ("q", "qd", "qdd"))
        turn, p, a = _frame(body, grid, q + grid.constant(Fraction(body.offset)))
        w, wd = turn.T @ w_p, turn.T @ wd_p
        v = turn.T @ (v_p + _cross(wd_p, p) + _cross(w_p, _cross(w_p, p)))
        if body.turns:
            w, wd = w + a * rate, wd + a * push + _cross(w, a * rate)
        else:
            v = v + _cross(w, a * (rate + rate)) + a * push
        xx, xy, xz, yy, yz, zz, *first, mass = _vector(body.inertia) if moments is None else moments(body)
        tensor, h = _rows([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), _rows(first)
        f = v * mass + _cross(wd, h) + _cross(w, _cross(w, h))
        wrenches.append((f, tensor @ wd + _cross(w, tensor @ w) + _cross(h, v)))
        motions.append((w, wd, v))
        frames.append((turn, p, a * scale))
    tau = [Rows({(~j,): as_ball(x) for j, x in enumerate(row) if x}) for row in robot.reflected]
    for body, (turn, p, a) in zip(reversed(robot.bodies), reversed(frames), strict=True):
        f, moment = wrenches.pop()
        tau[body.coordinate] = tau[body.coordinate] + a @ (moment if body.turns else f)
        if body.parent >= 0:
            f_p, moment_p = wrenches[body.parent]
            f, moment = turn @ f, turn @ moment
            wrenches[body.parent] = (f_p + f, moment_p + moment + _cross(p, f))
    return tau


def _frame(body: Body, grid: Any, position: Rows) -> tuple[Any, Any, Any]:
    """E and p of (1), and the axis, as arrays of rows."""
    rotation, written = _rotation(body.rotation), flint.arb_mat([[x] for x in body.axis])
    a = written / (written.transpose() * written)[0, 0].sqrt()
    axis, p = _constants(a)[:, 0], _vector(body.origin)
    if not body.turns:
        return _constants(rotation), p + _constants(rotation * a)[:, 0] * position, axis
    x, y, z = a.entries()
    along, cross = a * a.transpose(), flint.arb_mat([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    fixed, even, odd = (_constants(rotation * part) for part in (along, flint.arb_mat(3, 3, 1) - along, cross))
    return fixed + even * grid.wave("cos", position) + odd * grid.wave("sin", position), p, axis


def _rotation(written: Sequence[Sequence[float]]) -> Any:
    """(6); a matrix that is a rotation exactly stays as it is, and zeros of its block structure stay zero."""
    x, one = flint.arb_mat([list(row) for row in written]), flint.arb_mat(3, 3, 1)
    if all(entry == 0 for entry in (x.transpose() * x - one).entries()):
        return x
    for _ in range(3):
        x = x * (3 * one - x.transpose() * x) / 2
    return flint.arb_mat(3, 3, [entry if entry == 0 else entry + _POLAR for entry in x.entries()])


def _constants(matrix: Any) -> Any:
    """A matrix of Arb as rows; entries that are zero have no terms."""
    return _rows([[Rows({} if x == 0 else {(): ball_of(x)}) for x in row] for row in matrix.table()])


def _vector(values: Sequence[float]) -> Any:
    return _constants(flint.arb_mat([[x] for x in values]))[:, 0]


def _cross(a: Any, b: Any) -> Any:
    return _rows([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
