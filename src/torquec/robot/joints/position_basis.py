"""Basis of the functions in which one joint position enters the dynamics: trigonometric or polynomial.

(1)  angle q:         cos(k q), sin(k q), k = 0 .. degree     2 degree + 1 functions, periodic in 2 pi
(2)  displacement q:  q^k, k = 0 .. degree                    degree + 1 functions
"""

from __future__ import annotations

from enum import StrEnum


class PositionBasis(StrEnum):
    """How entries of M, C and g depend on a joint position: (1) or (2)."""

    TRIGONOMETRIC = "trigonometric"
    POLYNOMIAL = "polynomial"

    @property
    def is_periodic(self) -> bool:
        """True where positions one turn apart are the same: (1)."""
        return self is PositionBasis.TRIGONOMETRIC

    def size(self, degree: int) -> int:
        """Number of basis functions up to a degree, and of samples that determine their coefficients.

        >>> PositionBasis.TRIGONOMETRIC.size(2), PositionBasis.POLYNOMIAL.size(2)
        (5, 3)
        """
        return 2 * degree + 1 if self.is_periodic else degree + 1

    def degree(self, size: int) -> int:
        """The degree up to which there are `size` basis functions.

        >>> PositionBasis.TRIGONOMETRIC.degree(5), PositionBasis.POLYNOMIAL.degree(3)
        (2, 2)
        """
        return (size - 1) // 2 if self.is_periodic else size - 1
