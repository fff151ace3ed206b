"""Operation counts of Kang's inertia I* and inertial power P* by each method, beside his printed counts.

The setting is that of Kang's section 4.2: a serial arm of n revolute joints with general geometry, everything in the
axes of the first link, all of I* (n, n) and P* (n, n, n) as results. Geometry and inertias are numbers, none of them 0,
1 or equal to another, so that nothing cancels; constant expressions are precomputed.

(1)  multiplications, steps 1-7: 51n - 87,  84n - 84,  3n^2 - 3n,  7/2 n^2 + 25/2 n,  6n^2 - 12n,
                                3n^3 - 3/2 n^2 - 7/2 n,  0
     sum  3n^3 + 11n^2 + 129n - 171                                  as printed; 1647 for n = 6
(2)  additions, steps 1-7:      39n - 66,  70n - 70,  2n^2 + 4n,  5/2 n^2 + 17/2 n,  3n^2 - 3n - 2,  2n^3 - 3n,
                                11/6 n^3 - n^2 + 2/3 n
     sum  23/6 n^3 + 13/2 n^2 + 697/6 n - 138                        691/6 is printed; 1621 for n = 6

The steps are those of the augmented bodies. The formulas are meant for n >= 2: for n = 1 steps 1, 5 and 6 are negative.
Step 7 of (2) is not a whole number for odd n.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from torquec.errors import ArgumentError
from torquec.expr import OperationCount, count_operations, trace
from torquec.papers.augmented_body import augmented_body, link_sum
from torquec.papers.inertial_power import InertialModel, mass_point_sum
from torquec.robot.joints import JointType
from torquec.robot.robot import Body, Joint, Robot
from torquec.spatial import IDENTITY, IDENTITY_ROTATION, Inertia, Pose, Scalar, rotation_x

Polynomial = tuple[Fraction, Fraction, Fraction, Fraction]
"""Coefficients of n^3, n^2, n and 1."""

Method = Callable[[Robot, Sequence[Scalar]], InertialModel]


def _polynomial(cubic: str, square: str, linear: str, constant: str) -> Polynomial:
    return Fraction(cubic), Fraction(square), Fraction(linear), Fraction(constant)


MULTIPLICATION_STEPS: tuple[Polynomial, ...] = (
    _polynomial("0", "0", "51", "-87"),
    _polynomial("0", "0", "84", "-84"),
    _polynomial("0", "3", "-3", "0"),
    _polynomial("0", "7/2", "25/2", "0"),
    _polynomial("0", "6", "-12", "0"),
    _polynomial("3", "-3/2", "-7/2", "0"),
    _polynomial("0", "0", "0", "0"),
)
"""Steps 1 to 7 of (1)."""

ADDITION_STEPS: tuple[Polynomial, ...] = (
    _polynomial("0", "0", "39", "-66"),
    _polynomial("0", "0", "70", "-70"),
    _polynomial("0", "2", "4", "0"),
    _polynomial("0", "5/2", "17/2", "0"),
    _polynomial("0", "3", "-3", "-2"),
    _polynomial("2", "0", "-3", "0"),
    _polynomial("11/6", "-1", "2/3", "0"),
)
"""Steps 1 to 7 of (2)."""


@dataclass(frozen=True)
class InfluenceCount:
    """Operations for n joints: counted for each method, and the sum of Kang's steps for the augmented bodies."""

    n: int
    link_sum: OperationCount
    augmented_body: OperationCount
    mass_point_sum: OperationCount
    printed_multiplications: Fraction
    printed_additions: Fraction


def influence_counts(largest: int = 10) -> tuple[InfluenceCount, ...]:
    """One row for each n = 1 .. `largest`.

    Raises `ArgumentError` for a `largest` below 1.
    """
    if largest < 1:
        raise ArgumentError(f"an arm of {largest} joints has no dynamics", remedy="give 1 or more joints")
    return tuple(
        InfluenceCount(
            n,
            count_method(link_sum, n),
            count_method(augmented_body, n),
            count_method(mass_point_sum, n),
            sum_of_steps(MULTIPLICATION_STEPS, n),
            sum_of_steps(ADDITION_STEPS, n),
        )
        for n in range(1, largest + 1)
    )


def sum_of_steps(steps: Sequence[Polynomial], n: int) -> Fraction:
    """Kang's formulas (1) or (2) at n.

    >>> sum_of_steps(MULTIPLICATION_STEPS, 6), sum_of_steps(ADDITION_STEPS, 6)
    (Fraction(1647, 1), Fraction(1621, 1))
    """
    return sum((step_count(step, n) for step in steps), Fraction(0))


def step_count(step: Polynomial, n: int) -> Fraction:
    """One step's formula at n."""
    cubic, square, linear, constant = step
    return ((cubic * n + square) * n + linear) * n + constant


def count_method(method: Method, n: int) -> OperationCount:
    """Operations of one evaluation of I* and P* for `generic_arm(n)`."""
    arm = generic_arm(n)

    def evaluated(q: Sequence[Scalar]) -> dict[str, Any]:
        model = method(arm, q)
        return {"inertia": model.inertia, "power": model.power}

    return count_operations(trace(f"arm_of_{n}", evaluated, {"q": (n,)}))


def generic_arm(n: int) -> Robot:
    """A serial arm of n revolute joints without any special number in its geometry or inertias."""
    numbers = (0.1 + 0.4 * math.modf(k * math.sqrt(2.0))[0] for k in range(1, 12 * n + 1))
    bodies = []
    for i in range(n):
        twist, length, offset, mass, x, y, z, product_x, product_y, product_z, slim, slender = (
            next(numbers) for _ in range(12)
        )
        across = Pose(rotation_x(math.cos(2.0 * twist), math.sin(2.0 * twist)), (length, 0.0, 0.0))
        along = Pose(IDENTITY_ROTATION, (0.0, 0.0, offset))
        tensor = (
            (2.0 + slim, 0.1 * product_x, 0.1 * product_y),
            (0.1 * product_x, 2.0 + slender, 0.1 * product_z),
            (0.1 * product_y, 0.1 * product_z, 2.0),
        )
        inertia = Inertia.from_center_of_mass(10.0 * mass, (x, y, z), tensor)
        placement = (IDENTITY if i == 0 else across) @ along
        bodies.append(Body(f"link{i + 1}", i - 1, Joint(f"joint{i + 1}", JointType.REVOLUTE, placement), inertia))
    return Robot(f"generic{n}", tuple(bodies), snap=False)
