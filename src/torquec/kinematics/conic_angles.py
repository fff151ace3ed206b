"""Angles at which a quadratic form of their cosine and sine is zero: the quartic of general arms, as two lines.

(1)  f(q) = y' Q y = 0,    y = (cos q, sin q, 1),   Q (3, 3) symmetric

A solution is an intersection of a conic with the unit circle: there are up to four. Every conic Q - l J,
J = diag(1, 1, -1), goes through the same points. Let m_1 <= m_2 be the eigenvalues of the upper left block of Q, and
b = (b_1, b_2) and p the rest of Q in its principal axes. The conic degenerates where

(2)  g(l) = (m_1 - l)(m_2 - l)(p + l) - (m_2 - l) b_1^2 - (m_1 - l) b_2^2 = 0

Since g(m_1) <= 0 <= g(m_2), there is a root between m_1 and m_2. There Q - l J is a pair of real lines,

(3)  u_2 y_2 + b_2/u_2  =  +- (u_1 y_1 - b_1/u_1),    u_2 = sqrt(m_2 - l),   u_1 = sqrt(l - m_1)

each of which meets the circle in two angles (:mod:`torquec.kinematics.angle`), or misses it: then the nearest angle is
taken. Where u_1 or u_2 is small, (2) gives its quotient:  (b_1/u_1)^2 = (b_2/u_2)^2 - p - l. The least root between m_1
and m_2 is found by bisection where g rises, then by Newton's method. Newton steps on (1) bring each angle to full
accuracy.

(4)  m_1 = m_2 = m:  on the circle the form is one straight line, 2 (Q_13 cos q + Q_23 sin q) + m + p = 0; there is no
     second line
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from torquec.expr.math import absolute, atan2, select, sincos, sqrt
from torquec.kinematics.angle import JointAngle, larger, over, select_angle, smaller, two_angles
from torquec.kinematics.tuning import TUNING
from torquec.spatial import Scalar

Form: TypeAlias = Sequence[Sequence[Scalar]]
"""A symmetric matrix (3, 3) over (cos q, sin q, 1)."""

_STRAIGHT = 1e-10  # m_2 - m_1 over twice the size of Q, above which (3) is accurate enough for Newton's method
_ROOT_STEPS = 4  # Newton steps for l, after bisection
_ANGLE_STEPS = 3  # Newton steps for an angle
_NOTHING = 1e-30  # below the square of any rounding error


@dataclass(frozen=True)
class ConicAngle:
    """One of the four angles; `margin` is the form's slope there, relative to its size: 0 where two angles coincide."""

    angle: JointAngle
    margin: Scalar


def conic_angles(Q: Form, held: JointAngle) -> list[ConicAngle]:
    """The four angles of (1): two on either line of (3).

    >>> circle_at = [[0.0, 0.0, 0.5], [0.0, 0.0, 0.0], [0.5, 0.0, -0.5]]  # cos q = 1/2
    >>> [round(one.angle.radians, 6) for one in conic_angles(circle_at, JointAngle(1.0, 0.0))][2:]
    [1.047198, -1.047198]
    """
    size = sqrt(sum((entry * entry for row in Q for entry in row), start=0.0))
    per = over(1.0, size)
    Q = [[entry * per for entry in row] for row in Q]
    mean, half = 0.5 * (Q[0][0] + Q[1][1]), 0.5 * (Q[0][0] - Q[1][1])
    spread = sqrt(half * half + Q[0][1] * Q[0][1])
    s, c = sincos(0.5 * atan2(Q[0][1], half))
    m1, m2 = mean - spread, mean + spread
    b1, b2 = c * Q[1][2] - s * Q[0][2], c * Q[0][2] + s * Q[1][2]
    p = Q[2][2]
    root = _least_root(m1, m2, b1, b2, p)
    u1, u2 = sqrt(larger(root - m1, 0.0)), sqrt(larger(m2 - root, 0.0))
    sign1, sign2 = select(b1, 1.0, -1.0), select(b2, 1.0, -1.0)
    direct1, direct2 = over(b1, u1), over(b2, u2)
    from2 = sign1 * sqrt(larger(direct2 * direct2 - p - root, 0.0))
    from1 = sign2 * sqrt(larger(direct1 * direct1 + p + root, 0.0))
    # For the smaller of u_1 and u_2, b/u follows from (2), unless b/u is smaller than u: then the division is accurate.
    v1 = select(larger(u1 - u2, u1 * u1 - absolute(b1) - _NOTHING), direct1, from2)
    v2 = select(larger(u2 - u1, u2 * u2 - absolute(b2) - _NOTHING), direct2, from1)
    straight, line, nowhere = _STRAIGHT - spread, (Q[0][2], Q[1][2], -0.5 * (p + mean)), (0.0, 0.0, 1.0)  # (4)
    found = []
    for sign in (1.0, -1.0):
        # u_2 y_2 - sign u_1 y_1 = -(v_2 + sign v_1),  y_1 = c sin q - s cos q,  y_2 = c cos q + s sin q
        x, y = u2 * c + sign * u1 * s, u2 * s - sign * u1 * c
        x, y, right = (
            select(straight, one, other)
            for one, other in zip(line if sign < 0.0 else nowhere, (x, y, -(v2 + sign * v1)), strict=True)
        )
        both = two_angles(x, y, right, held, 1.0)
        found += [_polished(Q, angle, TUNING.touching_distance - both.miss) for angle in (both.first, both.second)]
    return found


def _least_root(m1: Scalar, m2: Scalar, b1: Scalar, b2: Scalar, p: Scalar) -> Scalar:
    """The least root of (2) between m_1 and m_2."""

    def g(x: Scalar) -> Scalar:
        low, high = m1 - x, m2 - x
        return low * high * (p + x) - high * b1 * b1 - low * b2 * b2

    def slope(x: Scalar) -> Scalar:
        low, high = m1 - x, m2 - x
        return low * high - (low + high) * (p + x) + b1 * b1 + b2 * b2

    # g = x^3 + (p - m_1 - m_2) x^2 + ..: where it turns, rising before `top` and after `dip`.
    third = (m1 + m2 - p) / 3.0
    square = third * third - (m1 * m2 - (m1 + m2) * p + b1 * b1 + b2 * b2) / 3.0
    turn = sqrt(larger(square, 0.0))
    top, dip = third - turn, third + turn
    # Before the top, where it is within and above zero; otherwise after the dip.
    early = smaller(g(larger(top, m1)), top - m1)
    lower = select(early, m1, larger(m1, smaller(dip, m2)))
    upper = select(early, smaller(top, m2), m2)
    for _ in range(TUNING.root_halvings):
        middle = 0.5 * (lower + upper)
        value = g(middle)
        lower, upper = select(value, lower, middle), select(value, middle, upper)
    x, width = 0.5 * (lower + upper), upper - lower
    for _ in range(_ROOT_STEPS):
        step = over(g(x), slope(x))
        # A step longer than the bracket, or NaN, is not taken.
        x = select(width - absolute(step), x - step, x)
    return x


def _polished(Q: Form, angle: JointAngle, touching: Scalar) -> ConicAngle:
    """Newton's method on (1), only where `touching` >= 0: other angles would converge to one that has its own name.

    A step that increases |f|, as where two angles coincide, is not taken.
    """
    f, slope = _value(Q, angle)
    longest = select(touching, TUNING.longest_angle_step, 0.0)
    for _ in range(_ANGLE_STEPS):
        half = 0.5 * larger(-longest, smaller(longest, over(f, slope)))
        per = over(1.0, 1.0 + half * half)  # a turn by nearly the step, exactly of length one
        tried = (-JointAngle((1.0 - half * half) * per, 2.0 * half * per)) + angle
        value, slope_there = _value(Q, tried)
        better = absolute(f) - absolute(value)
        angle = select_angle(better, tried, angle)
        f, slope = select(better, value, f), select(better, slope_there, slope)
    return ConicAngle(angle, absolute(slope))


def _value(Q: Form, angle: JointAngle) -> tuple[Scalar, Scalar]:
    """f of (1) and its slope."""
    c, s = angle.c, angle.s
    row = [Q[i][0] * c + Q[i][1] * s + Q[i][2] for i in range(3)]
    return row[0] * c + row[1] * s + row[2], 2.0 * (row[1] * c - row[0] * s)
