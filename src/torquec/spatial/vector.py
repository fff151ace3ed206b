"""Three-vectors and 3x3 matrices as plain tuples, over any scalar with + - *.

Tuples, not arrays: a traced run holds expression nodes in them, a batch run holds arrays of N values, and a
frozen `Robot` made of them can be hashed and compared.

Nine of ten calls have floats only, and loading a robot makes thousands of them: such calls take a fast path. It adds
0.0 to products, so that no result is -0.0.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

Scalar: TypeAlias = Any
"""A float, a complex number, a NumPy array of N floats, a `fractions.Fraction` or an expression node."""

Vector3: TypeAlias = tuple[Scalar, Scalar, Scalar]
Matrix3: TypeAlias = tuple[Vector3, Vector3, Vector3]


def product(a: Scalar, b: Scalar) -> Scalar:
    """a b, without an operation where a factor is the number 0 or 1: such constants are never traced."""
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
    """a + b, without an operation where one term is the number 0."""
    if a.__class__ is float and a == 0.0:
        return b
    if b.__class__ is float and b == 0.0:
        return a
    return a + b


def minus(a: Scalar, b: Scalar) -> Scalar:
    """a - b, without an operation where b is the number 0."""
    if b.__class__ is float and b == 0.0:
        return a
    return a - b


def add(a: Vector3, b: Vector3) -> Vector3:
    """a + b."""
    a0, a1, a2 = a
    b0, b1, b2 = b
    if float is a0.__class__ is a1.__class__ is a2.__class__ is b0.__class__ is b1.__class__ is b2.__class__:
        return (a0 + b0, a1 + b1, a2 + b2)
    return (total(a0, b0), total(a1, b1), total(a2, b2))


def subtract(a: Vector3, b: Vector3) -> Vector3:
    """a - b."""
    a0, a1, a2 = a
    b0, b1, b2 = b
    if float is a0.__class__ is a1.__class__ is a2.__class__ is b0.__class__ is b1.__class__ is b2.__class__:
        return (a0 - b0, a1 - b1, a2 - b2)
    return (minus(a0, b0), minus(a1, b1), minus(a2, b2))


def scale(a: Vector3, factor: Scalar) -> Vector3:
    """factor * a.

    >>> scale((1.0, 2.0, 3.0), 2.0)
    (2.0, 4.0, 6.0)
    """
    a0, a1, a2 = a
    if float is factor.__class__ is a0.__class__ is a1.__class__ is a2.__class__:
        return (factor * a0 + 0.0, factor * a1 + 0.0, factor * a2 + 0.0)
    return (product(factor, a0), product(factor, a1), product(factor, a2))


def dot(a: Vector3, b: Vector3) -> Scalar:
    """a . b.

    >>> dot((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    32.0
    """
    a0, a1, a2 = a
    b0, b1, b2 = b
    if float is a0.__class__ is a1.__class__ is a2.__class__ is b0.__class__ is b1.__class__ is b2.__class__:
        return a0 * b0 + a1 * b1 + a2 * b2 + 0.0
    return total(total(product(a0, b0), product(a1, b1)), product(a2, b2))


def cross(a: Vector3, b: Vector3) -> Vector3:
    """a x b.

    >>> cross((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    (0.0, 0.0, 1.0)
    """
    a0, a1, a2 = a
    b0, b1, b2 = b
    if float is a0.__class__ is a1.__class__ is a2.__class__ is b0.__class__ is b1.__class__ is b2.__class__:
        return (a1 * b2 - a2 * b1 + 0.0, a2 * b0 - a0 * b2 + 0.0, a0 * b1 - a1 * b0 + 0.0)
    return (
        minus(product(a1, b2), product(a2, b1)),
        minus(product(a2, b0), product(a0, b2)),
        minus(product(a0, b1), product(a1, b0)),
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
    (a0, a1, a2), (a3, a4, a5), (a6, a7, a8) = m
    x, y, z = v
    if (
        float is a0.__class__ is a1.__class__ is a2.__class__ is a3.__class__ is a4.__class__ is a5.__class__
        and float is a6.__class__ is a7.__class__ is a8.__class__ is x.__class__ is y.__class__ is z.__class__
    ):
        return (a0 * x + a1 * y + a2 * z + 0.0, a3 * x + a4 * y + a5 * z + 0.0, a6 * x + a7 * y + a8 * z + 0.0)
    return (dot(row0, v), dot(row1, v), dot(row2, v))


def transpose(m: Matrix3) -> Matrix3:
    """m'."""
    (a, b, c), (d, e, f), (g, h, i) = m
    return ((a, d, g), (b, e, h), (c, f, i))


def matmul(a: Matrix3, b: Matrix3) -> Matrix3:
    """a b."""
    (a0, a1, a2), (a3, a4, a5), (a6, a7, a8) = a
    (x0, y0, z0), (x1, y1, z1), (x2, y2, z2) = b
    if (
        float is a0.__class__ is a1.__class__ is a2.__class__ is a3.__class__ is a4.__class__ is a5.__class__
        and float is a6.__class__ is a7.__class__ is a8.__class__ is x0.__class__ is x1.__class__ is x2.__class__
        and float is y0.__class__ is y1.__class__ is y2.__class__ is z0.__class__ is z1.__class__ is z2.__class__
    ):
        return (
            (a0 * x0 + a1 * x1 + a2 * x2 + 0.0, a0 * y0 + a1 * y1 + a2 * y2 + 0.0, a0 * z0 + a1 * z1 + a2 * z2 + 0.0),
            (a3 * x0 + a4 * x1 + a5 * x2 + 0.0, a3 * y0 + a4 * y1 + a5 * y2 + 0.0, a3 * z0 + a4 * z1 + a5 * z2 + 0.0),
            (a6 * x0 + a7 * x1 + a8 * x2 + 0.0, a6 * y0 + a7 * y1 + a8 * y2 + 0.0, a6 * z0 + a7 * z1 + a8 * z2 + 0.0),
        )
    x, y, z = (x0, x1, x2), (y0, y1, y2), (z0, z1, z2)
    return (
        (dot(a[0], x), dot(a[0], y), dot(a[0], z)),
        (dot(a[1], x), dot(a[1], y), dot(a[1], z)),
        (dot(a[2], x), dot(a[2], y), dot(a[2], z)),
    )
