"""Rational rotations near given ones: orthogonal in exact arithmetic.

(1)  a quaternion of rationals gives a rational rotation:  R = (w^2 + ..) / (w^2 + x^2 + y^2 + z^2), entry by entry
(2)  (x, y) = (1, t) is a rational point of the circle:  cos = (1 - t^2)/(1 + t^2),  sin = 2 t/(1 + t^2)
(3)  a rational unit vector u comes from a rational point of a plane (stereographic projection), and the quaternion
     (1 + u_z, -u_y, u_x, 0) takes e_z to it
"""

from __future__ import annotations

from fractions import Fraction

from torquec.spatial import Matrix3, Vector3, cross, dot, matmul, matvec, rotation_z, scale, transpose

_SAME = 1e-12
"""Directions that differ by less are one direction."""

_IDENTITY = tuple(tuple(Fraction(int(i == j)) for j in range(3)) for i in range(3))


def is_orthogonal(rotation: Matrix3) -> bool:
    """R R' = 1 without rounding, over fractions.

    >>> is_orthogonal(((Fraction(3, 5), Fraction(-4, 5), 0), (Fraction(4, 5), Fraction(3, 5), 0), (0, 0, 1)))
    True
    """
    return bool(matmul(rotation, transpose(rotation)) == _IDENTITY)


def rational_rotation(rotation: Matrix3, nearness: float) -> Matrix3:
    """The rotation in fractions, itself where it is orthogonal without rounding, else one within `nearness` (1)."""
    given: Matrix3 = tuple(tuple(Fraction(entry) for entry in row) for row in rotation)  # type: ignore[assignment]
    if is_orthogonal(given):
        return given
    quaternion = _quaternion(rotation)
    largest = max(quaternion, key=abs)
    w, x, y, z = (simplest(component / largest, nearness / 4) for component in quaternion)
    return _from_quaternion(w, x, y, z)


def rational_angle(angle: tuple[float, float], nearness: float) -> tuple[tuple[Fraction, Fraction], bool]:
    """(cos, sin) in fractions, and whether they are the given ones (2)."""
    c, s = Fraction(angle[0]), Fraction(angle[1])
    if c * c + s * s == 1:
        return (c, s), True
    turned = rational_rotation(rotation_z(*angle), nearness)
    return (turned[0][0], turned[1][0]), False


class DirectionTable:
    """Rational unit vectors for given directions: one, or its opposite, for all that are parallel up to rounding."""

    def __init__(self, nearness: float) -> None:
        self.nearness = nearness
        self.known: list[tuple[Vector3, Vector3]] = []

    def nearest(self, direction: Vector3) -> Vector3:
        """The rational unit vector (3) that stands for a unit vector of floats."""
        for given, rational in self.known:
            if max(map(abs, cross(given, direction))) <= _SAME:
                return rational if dot(given, direction) > 0.0 else scale(rational, -1)
        found = _rational_unit_vector(direction, self.nearness)
        self.known.append((direction, found))
        return found

    def rotation(self, given: Matrix3) -> Matrix3:
        """A rational rotation near the given one, whose z axis is the one that stands for the given z axis."""
        onto = _taking_z_to(self.nearest(transpose(given)[2]))
        x = matvec(transpose(onto), transpose(given)[0])
        (c, s), _ = rational_angle((float(x[0]), float(x[1])), self.nearness)
        return matmul(onto, ((c, -s, 0), (s, c, 0), (0, 0, 1)))


def simplest(value: float, nearness: float) -> Fraction:
    """The fraction with a small denominator, tried by powers of ten, that is near enough.

    >>> simplest(0.3333333333333333, 1e-14)
    Fraction(1, 3)
    """
    bound = 1
    while True:
        candidate = Fraction(value).limit_denominator(bound)
        if abs(float(candidate) - value) <= nearness:
            return candidate
        bound *= 10


def _rational_unit_vector(u: Vector3, nearness: float) -> Vector3:
    """Stereographic projection from the pole that is farther away (3); zero components stay zero."""
    for k in range(3):
        if u[k] == 0.0:
            (a, b), _ = rational_angle((u[k - 2], u[k - 1]), nearness)
            flat = [Fraction(0)] * 3
            flat[k - 2], flat[k - 1] = a, b
            return (flat[0], flat[1], flat[2])
    side = 1 if u[2] >= 0.0 else -1
    a, b = (simplest(component / (1.0 + abs(u[2])), nearness / 4) for component in (u[0], u[1]))
    size = 1 + a * a + b * b
    return (2 * a / size, 2 * b / size, side * (1 - a * a - b * b) / size)


def _taking_z_to(u: Vector3) -> Matrix3:
    """A rational rotation with the z axis u (3); half a turn about x where u is -e_z."""
    if u[2] == -1:
        return ((Fraction(1), 0, 0), (0, Fraction(-1), 0), (0, 0, Fraction(-1)))
    return _from_quaternion(1 + u[2], -u[1], u[0], Fraction(0))


def _from_quaternion(w: Fraction, x: Fraction, y: Fraction, z: Fraction) -> Matrix3:
    """(1)."""
    size = w * w + x * x + y * y + z * z
    return (
        ((w * w + x * x - y * y - z * z) / size, 2 * (x * y - w * z) / size, 2 * (x * z + w * y) / size),
        (2 * (x * y + w * z) / size, (w * w - x * x + y * y - z * z) / size, 2 * (y * z - w * x) / size),
        (2 * (x * z - w * y) / size, 2 * (y * z + w * x) / size, (w * w - x * x - y * y + z * z) / size),
    )


def _quaternion(r: Matrix3) -> tuple[float, ...]:
    """(w, x, y, z) of a rotation of floats, up to a factor: the largest column of 4 q q'."""
    squares = (
        1 + r[0][0] + r[1][1] + r[2][2],
        1 + r[0][0] - r[1][1] - r[2][2],
        1 - r[0][0] + r[1][1] - r[2][2],
        1 - r[0][0] - r[1][1] + r[2][2],
    )
    wx, wy, wz = r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]
    xy, xz, yz = r[0][1] + r[1][0], r[0][2] + r[2][0], r[1][2] + r[2][1]
    columns = (
        (squares[0], wx, wy, wz),
        (wx, squares[1], xy, xz),
        (wy, xy, squares[2], yz),
        (wz, xz, yz, squares[3]),
    )
    return columns[max(range(4), key=lambda k: squares[k])]
