"""Three-vectors and 3x3 matrices as plain tuples, over any scalar with + - *.

Tuples, not arrays: a traced run holds expression nodes in them, a batch run holds arrays of N values, and a
frozen `Robot` made of them can be hashed and compared.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

Scalar: TypeAlias = Any
"""A float, a complex number, a NumPy array of N floats, a `fractions.Fraction` or an expression node."""

Vector3: TypeAlias = tuple[Scalar, Scalar, Scalar]
Matrix3: TypeAlias = tuple[Vector3, Vector3, Vector3]


def product(a: Scalar, b: Scalar) -> Scalar:
    """a b, without touching the other factor where one is the number 0 or 1: such constants are never traced."""
    if a.__class__ is float:
        if a == 0.0:
            return 0.0
        if a == 1.0:
            return b
    if b.__class__ is float:
        if b == 0.0:
            return 0.0
        if b == 1.0:
            return a
    return a * b


def total(a: Scalar, b: Scalar) -> Scalar:
    """a + b, without touching the other term where one is the number 0."""
    if a.__class__ is float and a == 0.0:
        return b
    if b.__class__ is float and b == 0.0:
        return a
    return a + b


def difference(a: Scalar, b: Scalar) -> Scalar:
    """a - b, without touching a where b is the number 0."""
    if b.__class__ is float and b == 0.0:
        return a
    return a - b


def add(a: Vector3, b: Vector3) -> Vector3:
    """a + b."""
    return (total(a[0], b[0]), total(a[1], b[1]), total(a[2], b[2]))


def subtract(a: Vector3, b: Vector3) -> Vector3:
    """a - b."""
    return (difference(a[0], b[0]), difference(a[1], b[1]), difference(a[2], b[2]))


def scale(a: Vector3, factor: Scalar) -> Vector3:
    """factor * a.

    >>> scale((1.0, 2.0, 3.0), 2.0)
    (2.0, 4.0, 6.0)
    """
    return (product(factor, a[0]), product(factor, a[1]), product(factor, a[2]))


def dot(a: Vector3, b: Vector3) -> Scalar:
    """a . b.

    >>> dot((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    32.0
    """
    a0, a1, a2 = a
    b0, b1, b2 = b
    # Nine of ten calls are about numbers, and opening a robot makes thousands of them.
    if a0.__class__ is a1.__class__ is a2.__class__ is b0.__class__ is b1.__class__ is b2.__class__ is float:
        return a0 * b0 + a1 * b1 + a2 * b2 + 0.0  # never a negative zero
    return total(total(product(a0, b0), product(a1, b1)), product(a2, b2))


def _are_floats(a: Vector3, b: Vector3, c: Vector3) -> bool:
    a0, a1, a2 = a
    b0, b1, b2 = b
    c0, c1, c2 = c
    return (
        a0.__class__ is a1.__class__ is a2.__class__ is b0.__class__ is b1.__class__ is b2.__class__ is float
        and c0.__class__ is c1.__class__ is c2.__class__ is float
    )


def cross(a: Vector3, b: Vector3) -> Vector3:
    """a x b.

    >>> cross((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    (0.0, 0.0, 1.0)
    """
    return (
        difference(product(a[1], b[2]), product(a[2], b[1])),
        difference(product(a[2], b[0]), product(a[0], b[2])),
        difference(product(a[0], b[1]), product(a[1], b[0])),
    )


def norm(a: tuple[float, float, float]) -> float:
    """Euclidean length of a vector of floats.

    >>> norm((2.0, 3.0, 6.0))
    7.0
    """
    return math.hypot(*a)


def matvec(m: Matrix3, v: Vector3) -> Vector3:
    """m v.

    >>> matvec(((0, -1, 0), (1, 0, 0), (0, 0, 1)), (3, 4, 5))
    (-4, 3, 5)
    """
    row0, row1, row2 = m
    return (dot(row0, v), dot(row1, v), dot(row2, v))


def transpose(m: Matrix3) -> Matrix3:
    """m'."""
    return (
        (m[0][0], m[1][0], m[2][0]),
        (m[0][1], m[1][1], m[2][1]),
        (m[0][2], m[1][2], m[2][2]),
    )


def matmul(a: Matrix3, b: Matrix3) -> Matrix3:
    """a b."""
    x, y, z = transpose(b)
    (a0, a1, a2), (a3, a4, a5), (a6, a7, a8) = a
    if _are_floats(*a) and _are_floats(x, y, z):
        (x0, x1, x2), (y0, y1, y2), (z0, z1, z2) = x, y, z
        return (
            (a0 * x0 + a1 * x1 + a2 * x2 + 0.0, a0 * y0 + a1 * y1 + a2 * y2 + 0.0, a0 * z0 + a1 * z1 + a2 * z2 + 0.0),
            (a3 * x0 + a4 * x1 + a5 * x2 + 0.0, a3 * y0 + a4 * y1 + a5 * y2 + 0.0, a3 * z0 + a4 * z1 + a5 * z2 + 0.0),
            (a6 * x0 + a7 * x1 + a8 * x2 + 0.0, a6 * y0 + a7 * y1 + a8 * y2 + 0.0, a6 * z0 + a7 * z1 + a8 * z2 + 0.0),
        )
    return (
        (dot(a[0], x), dot(a[0], y), dot(a[0], z)),
        (dot(a[1], x), dot(a[1], y), dot(a[1], z)),
        (dot(a[2], x), dot(a[2], y), dot(a[2], z)),
    )
