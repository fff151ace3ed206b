"""Inertia constants of composite bodies: what of everything a link carries does not change with the joints (Lin 1994).

With m, h, J the mass, first moment and tensor of a link about its frame's origin, and R, s the turn and place of the
next link, the recursion from the tip is, for a rotational joint i + 1,

(1)  mhat_i = m_i + mhat_{i+1}
(2)  k_i = h_i + mhat_{i+1} s + R (0, 0, k_z)                                     Lin (21)
(3)  U_i = J_i + the tensor diag(U_yy, U_yy, U_zz), first moment (0, 0, k_z) and mass mhat of i + 1, turned by R and
     moved by s (Huygens-Steiner)                                                 Lin (23)

and for a translational one k and U of i + 1 go inward whole, moved by the constant part b of s       Lin (21), (25).
What does not go inward (U_xx - U_yy, the products, k_x, k_y) varies with the joint. The scalars may be numbers or
`LinearForm`s in the link parameters over any geometry, numeric or symbolic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from torquec.spatial import Inertia, Pose, Scalar


@dataclass(frozen=True)
class LinearForm:
    """A linear combination of parameters: column -> coefficient, a number or a polynomial in the geometry."""

    coefficients: Mapping[int, Scalar] = field(default_factory=dict)

    def __add__(self, other: Scalar) -> LinearForm:
        if not isinstance(other, LinearForm):
            assert other == 0  # a form has no constant part
            return self
        total = dict(self.coefficients)
        for column, value in other.coefficients.items():
            total[column] = total[column] + value if column in total else value
        return LinearForm({column: value for column, value in total.items() if value != 0})

    __radd__ = __add__

    def __neg__(self) -> LinearForm:
        return LinearForm({column: -value for column, value in self.coefficients.items()})

    def __sub__(self, other: Scalar) -> LinearForm:
        return self.__add__(-other)

    def __rsub__(self, other: Scalar) -> LinearForm:
        return (-self).__add__(other)

    def __mul__(self, factor: Scalar) -> LinearForm:
        scaled = ((column, value * factor) for column, value in self.coefficients.items())
        return LinearForm({column: value for column, value in scaled if value != 0})

    __rmul__ = __mul__


@dataclass(frozen=True)
class ChainLink:
    """How a link stands on the one before: its pose there at joint angle zero, or with its origin at b."""

    turns: bool
    pose: Pose


def composite_constants(links: Sequence[ChainLink], inertias: Sequence[Inertia]) -> list[Inertia]:
    """mhat, k and U of every link, (1)-(3), as the mass, first moment and tensor of an `Inertia`.

    >>> arm = [ChainLink(True, Pose()), ChainLink(True, Pose(origin=(2.0, 0.0, 0.0)))]
    >>> point = Inertia(m=3.0)
    >>> composite_constants(arm, [Inertia(), point])[0].zz
    12.0
    """
    constants = list(inertias)
    for i in reversed(range(1, len(links))):
        constants[i - 1] = constants[i - 1] + _given(constants[i], links[i])
    return constants


def _given(u: Inertia, link: ChainLink) -> Inertia:
    """What a link gives to the one before it."""
    if not link.turns:
        return u.transformed(link.pose)
    return Inertia(xx=u.yy, xy=0, xz=0, yy=u.yy, yz=0, zz=u.zz, mx=0, my=0, mz=u.mz, m=u.m).transformed(link.pose)
