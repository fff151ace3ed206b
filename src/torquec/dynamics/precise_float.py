"""`PreciseFloat`: a double that carries the same value to fifty digits, for constants that cancellation spoils.

Canonical frames may stand far from a body, and moments of inertia about a far point lose digits when they are moved
back. Every operation is done twice:

(1)  in doubles: zeros, comparisons and the choices of the algorithms are those of plain doubles
(2)  in decimals of fifty digits: the value that a constant gets where (1) has lost more than two digits

In doubles, canonical frames are orthonormal, and their origins lie on the joint axis, to 1e-16 only. In fifty digits,
both hold exactly.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from decimal import Context, Decimal, localcontext
from typing import Any

from torquec.spatial import Inertia, Matrix3, Pose, Vector3, cross, dot, norm, scale, subtract

_TOLERATED_ERROR = 1e-14
"""Relative difference between (1) and (2) up to which the double is kept: a tenth of the accuracy of torques."""

_FRAME_ROUNDING = 1e-14  # rounding error of a computed frame, relative to the size of its numbers


def fifty_digits() -> AbstractContextManager[Context]:
    """The context in which (2) is computed."""
    return localcontext(Context(prec=50))


class PreciseFloat(float):
    """A double and its value to fifty digits; arithmetic with doubles and integers gives another `PreciseFloat`."""

    __slots__ = ("digits",)
    digits: Decimal

    def __new__(cls, value: float, digits: Decimal | None = None) -> PreciseFloat:
        """`digits` are those of the double itself unless given."""
        self = super().__new__(cls, value)
        self.digits = Decimal(value) if digits is None else digits
        return self

    def __add__(self, other: Any) -> PreciseFloat:
        return PreciseFloat(float(self) + float(other), self.digits + _digits(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> PreciseFloat:
        return PreciseFloat(float(self) - float(other), self.digits - _digits(other))

    def __rsub__(self, other: Any) -> PreciseFloat:
        return PreciseFloat(float(other) - float(self), _digits(other) - self.digits)

    def __mul__(self, other: Any) -> PreciseFloat:
        return PreciseFloat(float(self) * float(other), self.digits * _digits(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> PreciseFloat:
        return PreciseFloat(float(self) / float(other), self.digits / _digits(other))

    def __neg__(self) -> PreciseFloat:
        return PreciseFloat(-float(self), -self.digits)


def _digits(value: float) -> Decimal:
    return value.digits if isinstance(value, PreciseFloat) else Decimal(value)


def plain_float(value: float) -> float:
    """The double itself, or the fifty-digit value rounded where the double has lost digits; a zero stays zero.

    >>> lost = (PreciseFloat(1.0) + 1e-15) - 1.0
    >>> float(lost), plain_float(lost), plain_float(PreciseFloat(0.1) * 3.0) == 0.1 * 3.0
    (1.1102230246251565e-15, 1e-15, True)
    """
    if not isinstance(value, PreciseFloat):
        return value
    own, exact = float(value), float(value.digits)
    return own if own == 0.0 or abs(own - exact) <= _TOLERATED_ERROR * abs(exact) else exact


def precise_inertia(inertia: Inertia) -> Inertia:
    """An inertia of doubles, each exact."""
    return Inertia(*(PreciseFloat(value) for value in inertia.parameters))


def precise_frame(frame: Pose, axis: Vector3) -> Pose:
    """A body's frame seen from its canonical one, whose z is the joint's `axis` in the body's frame.

    In fifty digits the rotation is orthonormal (Gram-Schmidt, z first), and the canonical origin lies on the joint axis
    through the body's origin. Where the axis was snapped, the z of the given frame is used instead.
    """
    x, y, z = frame.origin
    across = Decimal(0) if max(abs(x), abs(y)) <= _FRAME_ROUNDING * abs(z) else None
    origin = (PreciseFloat(x, across), PreciseFloat(y, across), PreciseFloat(z))
    turned = subtract(scale(axis, 1.0 / norm(axis)), frame.rotation[2])
    along_z = axis if norm(turned) <= _FRAME_ROUNDING else frame.rotation[2]
    return Pose(_orthonormal(frame.rotation, along_z), origin)


def _orthonormal(rotation: Matrix3, axis: Vector3) -> Matrix3:
    """The doubles of a rotation, with digits whose rows are orthonormal, the last along `axis`."""
    z = _unit(_decimals(axis))
    x = _decimals(rotation[0])
    x = _unit(subtract(x, scale(z, dot(x, z))))
    rows = [
        [PreciseFloat(value, digits) for value, digits in zip(own, exact, strict=True)]
        for own, exact in zip(rotation, (x, cross(z, x), z), strict=True)
    ]
    return tuple(map(tuple, rows))  # type: ignore[return-value]


def _decimals(v: Vector3) -> Vector3:
    return (Decimal(v[0]), Decimal(v[1]), Decimal(v[2]))


def _unit(v: Vector3) -> Vector3:
    length = dot(v, v).sqrt()
    return (v[0] / length, v[1] / length, v[2] / length)
