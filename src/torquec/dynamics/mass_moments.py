"""Mass moments of a body: mass, first and second moments about the frame's origin.

(1)  m = int dm,   h = int r dm,   E = int r r' dm          (the blocks of the pseudo-inertia)
(2)  inertia tensor  J = tr(E) 1 - E,   so   E = tr(J)/2 1 - J
(3)  turning by R:   h -> R h,   E -> R E R'
(4)  shifting by p:  E -> E + p h' + h p' + m p p',   h -> h + m p

The dynamics is shorter in E than in J: mass points on a joint axis have only m, hz and Ezz, and Ezz enters the
moment of a body in two products where the corresponding part of J needs three.
"""

from __future__ import annotations

from dataclasses import dataclass

from torquec.spatial import (
    Inertia,
    Matrix3,
    Scalar,
    Vector3,
    add,
    matmul,
    matvec,
    minus,
    product,
    scale,
    total,
    transpose,
)


@dataclass(frozen=True)
class MassMoments:
    """Second moments xx, xy, xz, yy, yz, zz; first moments x, y, z; mass m, over any scalar."""

    xx: Scalar = 0.0
    xy: Scalar = 0.0
    xz: Scalar = 0.0
    yy: Scalar = 0.0
    yz: Scalar = 0.0
    zz: Scalar = 0.0
    x: Scalar = 0.0
    y: Scalar = 0.0
    z: Scalar = 0.0
    m: Scalar = 0.0

    @staticmethod
    def of(inertia: Inertia) -> MassMoments:
        """From the inertial parameters about the same origin (2)."""
        half = 0.5 * (inertia.xx + inertia.yy + inertia.zz)
        return MassMoments(
            half - inertia.xx, -inertia.xy, -inertia.xz, half - inertia.yy, -inertia.yz, half - inertia.zz,
            inertia.mx, inertia.my, inertia.mz, inertia.m,
        )  # fmt: skip

    @staticmethod
    def build(m: Scalar, h: Vector3, e: Matrix3) -> MassMoments:
        """From mass, first moment and the symmetric second moment."""
        return MassMoments(e[0][0], e[0][1], e[0][2], e[1][1], e[1][2], e[2][2], h[0], h[1], h[2], m)

    @property
    def values(self) -> tuple[Scalar, ...]:
        """xx, xy, xz, yy, yz, zz, x, y, z, m."""
        return (self.xx, self.xy, self.xz, self.yy, self.yz, self.zz, self.x, self.y, self.z, self.m)

    @property
    def first(self) -> Vector3:
        """First moment h."""
        return (self.x, self.y, self.z)

    @property
    def second(self) -> Matrix3:
        """Second moment E as a matrix."""
        return ((self.xx, self.xy, self.xz), (self.xy, self.yy, self.yz), (self.xz, self.yz, self.zz))

    def __add__(self, other: MassMoments) -> MassMoments:
        return MassMoments(*(total(a, b) for a, b in zip(self.values, other.values, strict=True)))

    def turned(self, r: Matrix3) -> MassMoments:
        """In the axes of another frame with the same origin; r turns this frame's coordinates into that one's (3)."""
        return MassMoments.build(self.m, matvec(r, self.first), matmul(matmul(r, self.second), transpose(r)))

    def shifted(self, p: Vector3) -> MassMoments:
        """About another origin; p is this origin seen from there, in these axes (4)."""
        h, e = self.first, self.second
        mp = scale(p, self.m)

        def element(i: int, j: int) -> Scalar:
            return total(e[i][j], total(product(p[i], total(h[j], mp[j])), product(h[i], p[j])))

        moved = add(h, mp)
        return MassMoments(
            element(0, 0), element(0, 1), element(0, 2), element(1, 1), element(1, 2), element(2, 2), *moved, self.m
        )

    def turned_about_z(self, c: Scalar, s: Scalar) -> MassMoments:
        """Turned about z by the angle with that cosine and sine, in eight products for E and four for h.

        With u = s (xx - yy) + 2 c xy:  xx' = xx - s u,  yy' = yy + s u,  xy' = c u - xy.
        """
        u = total(product(s, minus(self.xx, self.yy)), product(c, total(self.xy, self.xy)))
        su = product(s, u)
        xz, yz, x, y = self.xz, self.yz, self.x, self.y
        return MassMoments(
            minus(self.xx, su),
            minus(product(c, u), self.xy),
            minus(product(c, xz), product(s, yz)),
            total(self.yy, su),
            total(product(s, xz), product(c, yz)),
            self.zz,
            minus(product(c, x), product(s, y)),
            total(product(s, x), product(c, y)),
            self.z,
            self.m,
        )
