"""Joint angles by cosine and sine: the equation of closed-form kinematics, whole turns within limits, nearest branch.

(1)  x cos q + y sin q = d   has   q = atan2(y, x) +- acos(d/A),   A = sqrt(x^2 + y^2)
(2)  with r = sqrt((A - d)(A + d)):   cos q = (x d -+ y r)/A^2,   sin q = (y d +- x r)/A^2
(3)  |d| > A: no solution; the nearest d = +-A is taken, and |d| - A is the miss
(4)  A = 0: any q; the value held so far is kept

(2) needs no trigonometric function, and no half-angle tangent, infinite at 180 degrees (Clover IV (23), A + C = 0).

Whole turns are added so that an angle is within the joint's limits and as near as possible to a reference.

(5)  q + 2 pi k,   k = round((reference - q)/2 pi)
(6)  round(x) = (x + c) - c with c = 1.5 * 2^52: adding c leaves no room for the fraction (double precision)
(7)  limits less than a turn apart admit one value at most: the value nearest to their middle, for any reference
(8)  otherwise the reference is first clamped to the limits. The value (5) is then within half a turn of it; if it
     exceeds a limit, the value one turn back is within both limits

Limits hold with a slack of `LIMIT_SLACK`, so that a joint exactly at its limit is within it.

One branch instead of all: where a closed form branches, the side nearer to the reference is taken.

(9)   of two angles, the one whose difference from the reference has the larger cosine
(10)  every other branch contains an angle that was not taken. Its squared distance from the reference is at least
      chord^2 = 2 - 2 cos of that angle's difference, whatever the whole turns
(11)  so if the squared distance of the branch taken is less than every chord^2, no other branch is nearer

`one_branch` is a context in which programs are traced; its `Choices` record the branches taken, and (10).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from torquec.expr.math import absolute, apply, atan2, maximum, minimum, select, sincos, sqrt
from torquec.expr.ops import Op
from torquec.kinematics.tuning import TUNING
from torquec.robot.robot import Limits
from torquec.spatial import Matrix3, Scalar, Vector3, add, cross, dot, scale, subtract

HOLD = 1e-12
"""Relative length below which a direction does not determine its angle: the old one is held."""

FOLD = 1e-14
"""A discriminant below this, relative to its terms, is rounding: both solutions coincide. The resulting error is of
second order: half of this value, relative to the size of the arm."""


@dataclass(frozen=True)
class JointAngle:
    """An angle by its cosine and sine."""

    c: Scalar
    s: Scalar

    @staticmethod
    def of(radians: Any) -> JointAngle:
        """The angle of a number of radians."""
        s, c = sincos(radians)
        return JointAngle(c, s)

    @property
    def radians(self) -> Scalar:
        """The angle in radians, within -pi .. pi."""
        return atan2(self.s, self.c)

    def __add__(self, other: JointAngle) -> JointAngle:
        return JointAngle(self.c * other.c - self.s * other.s, self.s * other.c + self.c * other.s)

    def __neg__(self) -> JointAngle:
        return JointAngle(self.c, -self.s)

    def signed(self, sign: float) -> JointAngle:
        """The angle, or the opposite one where `sign` is negative."""
        return self if sign > 0.0 else -self

    def turn(self, axis: Vector3, v: Vector3) -> Vector3:
        """v turned about a unit axis (Rodrigues)."""
        along = scale(axis, dot(axis, v))
        return add(add(along, scale(subtract(v, along), self.c)), scale(cross(axis, v), self.s))

    def rotation(self, axis: Vector3) -> Matrix3:
        """The rotation matrix about a unit axis."""
        columns = [self.turn(axis, e) for e in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
        return tuple(tuple(column[i] for column in columns) for i in range(3))  # type: ignore[return-value]


def select_angle(condition: Any, positive: JointAngle, negative: JointAngle) -> JointAngle:
    """`positive` where condition >= 0, else `negative`."""
    return JointAngle(select(condition, positive.c, negative.c), select(condition, positive.s, negative.s))


def direction(x: Scalar, y: Scalar, held: JointAngle, least: Scalar) -> JointAngle:
    """The angle of the vector (x, y); `held` where it is shorter than `least` (4)."""
    length = sqrt(x * x + y * y)
    per = over(1.0, length)
    return select_angle(length - least, JointAngle(x * per, y * per), held)


def smaller(a: Scalar, b: Scalar) -> Scalar:
    """The smaller of two numbers; unlike `minimum` it need not propagate NaN, and costs less."""
    return min(a, b) if isinstance(a, float) and isinstance(b, float) else select(b - a, a, b)


def larger(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two numbers, without propagating NaN either."""
    return max(a, b) if isinstance(a, float) and isinstance(b, float) else select(a - b, a, b)


def over(a: Scalar, b: Scalar) -> Scalar:
    """a/b; NaN or infinite where b is zero, on floats too."""
    return apply(Op.DIV, a, b)


def settled_root(discriminant: Scalar, largest: Scalar) -> Scalar:
    """The root of a discriminant, exactly zero where it is negative or only rounding; see `folds_apart`."""
    least = _LEAST_BEND.get()
    if least:
        return sqrt(larger(discriminant, least * largest))
    return sqrt(select(discriminant - FOLD * largest, discriminant, 0.0))


_LEAST_BEND: ContextVar[float] = ContextVar("least_bend", default=0.0)


@contextmanager
def folds_apart(share: float) -> Iterator[None]:
    """A context that traces programs in which no two branches coincide: a discriminant is at least this share of
    its terms. It makes starting points of an iteration, which must stay apart at a fold.
    """
    before = _LEAST_BEND.set(share)
    try:
        yield
    finally:
        _LEAST_BEND.reset(before)


@dataclass(frozen=True)
class TwoAngles:
    """Both solutions of (1), the one with + r first; `miss` of (3); `margin` is 0 where they coincide or are free."""

    first: JointAngle
    second: JointAngle
    miss: Scalar
    margin: Scalar


def two_angles(x: Scalar, y: Scalar, d: Scalar, held: JointAngle, unit: Scalar) -> TwoAngles:
    """The solutions of x cos q + y sin q = d (1)-(4); lengths are compared with `unit`."""
    square = x * x + y * y
    size = sqrt(square)
    reached = larger(-size, smaller(size, d))
    root = settled_root((size - d) * (size + d), square)
    clear = size - HOLD * unit
    per = over(1.0, square)
    first = JointAngle((x * reached - y * root) * per, (y * reached + x * root) * per)
    second = JointAngle((x * reached + y * root) * per, (y * reached - x * root) * per)
    margin = select(clear, smaller(over(root, size), size / unit), 0.0)
    return TwoAngles(
        select_angle(clear, first, held), select_angle(clear, second, held), larger(absolute(d) - size, 0.0), margin
    )


def two_directions(x: Scalar, y: Scalar, d: Scalar, root: Scalar, held: JointAngle, unit: Scalar) -> TwoAngles:
    """The solutions (2) for a root r that is more precise than from A^2 - d^2; the miss is left at zero.

    The numerators of (2) form a vector of length A sqrt(d^2 + r^2), even where that is not A^2.
    """
    size = sqrt(x * x + y * y)
    per = over(1.0, size * sqrt(d * d + root * root))
    clear = size - HOLD * unit
    first = JointAngle((x * d - y * root) * per, (y * d + x * root) * per)
    second = JointAngle((x * d + y * root) * per, (y * d - x * root) * per)
    margin = select(clear, smaller(over(root, size), size / unit), 0.0)
    return TwoAngles(select_angle(clear, first, held), select_angle(clear, second, held), 0.0, margin)


def elbow_root(far: Scalar, upper: Scalar, fore: Scalar, unit: Scalar) -> Scalar:
    """r of (2) for a triangle of sides far, upper, fore: x^2 + y^2 = (2 upper fore)^2, d = far^2 - upper^2 - fore^2.

    As a product of differences of lengths (Heron) it keeps its digits where the arm is folded upon itself.
    """
    longest, shortest = upper + fore, absolute(upper - fore)
    product = ((longest - far) * (longest + far)) * ((far - shortest) * (far + shortest))
    return settled_root(product, 4.0 * upper * fore * far * unit)


LIMIT_SLACK = 1e-9
"""Tolerance of joint limits [rad or m]."""

_TURN = 2.0 * math.pi  # [rad]
_ROUNDING = 1.5 * 2.0**52  # doubles there are whole numbers: adding it rounds


@dataclass(frozen=True)
class PlacedTurn:
    """A joint's value, and the margin: at least 0 where it is within the limits (and their slack)."""

    value: Scalar
    margin: Scalar


def nearest_turn(q: Scalar, limits: Limits, near: Scalar) -> PlacedTurn:
    """q plus whole turns (5): the value within the limits nearest to `near`; if none is, a value next to the limits."""
    lower, upper = limits.lower, limits.upper
    if upper - lower < _TURN - TUNING.turn_margin:
        middle = 0.5 * (lower + upper)
        value = q + _TURN * whole_turns(middle - q)
        return PlacedTurn(value, (0.5 * (upper - lower) + LIMIT_SLACK) - absolute(value - middle))  # (7)
    # The maxima are of inputs and constants alone: they are computed once for all branches.
    reference = maximum(near, lower) if lower > -math.inf else near
    reference = minimum(reference, upper) if upper < math.inf else reference
    # Half a turn away two values are equally near; the slack selects the upper one, whatever the rounding.
    value = q + _TURN * whole_turns((reference + LIMIT_SLACK) - q)
    if upper < math.inf:
        value = select((upper + LIMIT_SLACK) - value, value, value - _TURN)  # (8)
    if lower > -math.inf:
        value = select(value - (lower - LIMIT_SLACK), value, value + _TURN)
    return PlacedTurn(value, limits_margin(value, limits))


def limits_margin(q: Scalar, limits: Limits) -> Scalar:
    """At least 0 where q is within the limits (and their slack), negative elsewhere."""
    lower = q - (limits.lower - LIMIT_SLACK) if math.isfinite(limits.lower) else 1.0
    upper = (limits.upper + LIMIT_SLACK) - q if math.isfinite(limits.upper) else 1.0
    return smaller(lower, upper)


def whole_turns(angle: Scalar) -> Scalar:
    """angle/2 pi rounded to an integer (6), for less than 2^51 turns."""
    # The sum is positive: its magnitude only keeps the two constants from being folded into one, which would not round.
    return absolute(angle * (1.0 / _TURN) + _ROUNDING) - _ROUNDING


def flag(margin: Scalar, value: float) -> Scalar:
    """0 where the margin is at least 0, else `value`."""
    return select(margin, 0.0, value)


@dataclass
class Choices:
    """Choices of a traced program: for each fork whether the second side is taken, and the least chord^2 (10)."""

    second: dict[str, Scalar] = field(default_factory=dict)
    others: Scalar = 4.0

    def number(self, forks: Sequence[str]) -> Scalar:
        """The index of the branch among all branches; the first fork is the most significant."""
        total: Scalar = 0.0
        for fork in forks:
            total = 2.0 * total + self.second[fork]
        return total

    def note(self, fork: str, second: Scalar, cosine: Scalar) -> None:
        """Record a choice, and the cosine for the angle that was not taken (9)."""
        self.second[fork] = second
        self.others = smaller(self.others, 2.0 - 2.0 * cosine)


_CHOICES: ContextVar[Choices | None] = ContextVar("choices", default=None)


@contextmanager
def one_branch() -> Iterator[Choices]:
    """A context in which closed forms give one branch; the result records their choices."""
    choices = Choices()
    before = _CHOICES.set(choices)
    try:
        yield choices
    finally:
        _CHOICES.reset(before)


def current_choices() -> Choices | None:
    """Record of the choices; None while all branches are computed."""
    return _CHOICES.get()


def sides(fork: str, both: TwoAngles, near: JointAngle) -> tuple[JointAngle, ...]:
    """Both angles, or while `one_branch` lasts the one that is nearer to `near` (9)."""
    choices = _CHOICES.get()
    if choices is None:
        return both.first, both.second
    one, other = (angle.c * near.c + angle.s * near.s for angle in (both.first, both.second))
    first_is_nearer = one - other
    choices.note(fork, select(first_is_nearer, 0.0, 1.0), select(first_is_nearer, other, one))
    return (select_angle(first_is_nearer, both.first, both.second),)
