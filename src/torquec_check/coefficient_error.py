"""The claim: every coefficient M_ij, H_ijk, g_i of the program's torques is within a bound of the robot's.

(1)  H_ijk = c_ijk, half of it for j < k (`rows` (1)). A bound of M_ij holds for M_ji too: the program need not be
     symmetric. Rounding of the program at unit rates counts in every bound of its joint
(2)  absolute: |error| <= bound,     relative: |error| <= bound times the robot's coefficient, which is then positive;
     both over boxes, with h = |error|, or h = |error| - bound coefficient <= 0
(3)  Coefficients that are not named are all within one bound of their joint: amplitudes of the error c_ijk, noise and
     rounding
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from torquec_check.balls import UP, Ball, exact
from torquec_check.boxes import Exceeds, check_below
from torquec_check.difference import Box, Difference, Progress, difference, largest
from torquec_check.document import RefusedError
from torquec_check.program import Program
from torquec_check.robot import Robot
from torquec_check.rounding import DOUBLE, Precision
from torquec_check.rows import Monomial
from torquec_check.torque_error import TorqueFunctional, machine_errors

Row = tuple[int, Monomial]


@dataclass(frozen=True)
class CoefficientClaim:
    """A bound of one coefficient: family M, H or g, its indices from zero, absolute or relative."""

    family: str
    index: tuple[int, ...]
    relative: bool
    bound: float

    @property
    def name(self) -> str:
        """'M[1,2]', 'H[1,1,2]', 'g[2]', counted from one."""
        return f"{self.family}[{','.join(str(i + 1) for i in self.index)}]"

    def rows(self) -> list[Row]:
        """The rows that it is about, by joint and monomial; M[i,j] is about two."""
        first, *rest = self.index
        if self.family == "M":
            return list({(first, (~rest[0],)), (rest[0], (~first,))})
        return [(first, tuple(rest))]


def check_coefficients(
    robot: Robot,
    program: Program,
    box: Box,
    claims: Sequence[CoefficientClaim],
    others: Sequence[float],
    progress: Progress,
) -> None:
    """Raise `RefusedError` unless every claim is proven in the positions of the box, and all coefficients without one
    are within the bound (n,) of their joint (3).
    """
    rounded, errors = unit_errors(program, box), difference(robot, program, box)
    named: set[Row] = set()
    for done, claim in enumerate(claims):
        progress("coefficients", done / len(claims))
        for row in claim.rows():
            named.add(row)
            try:
                check_claim(claim, errors, row, rounded[row[0]])
            except RefusedError as error:
                raise RefusedError(f"{claim.name}: the bound {claim.bound:.6g} is not proven: {error.found}") from None
    for joint, rows in enumerate(errors.error):
        for key, ball in rows.items():
            found = largest(ball, errors.grid) + rounded[joint] * UP
            if (joint, key) not in named and not found <= others[joint]:
                name = f"{'gMH'[len(key)]}[{','.join(str(max(k, ~k) + 1) for k in (joint, *key))}]"
                raise RefusedError(f"{name} differs from the robot's by up to {found:.6g}, and has no such bound")


def unit_errors(program: Program, box: Box, precision: Precision = DOUBLE) -> list[float]:
    """What rounding may change in the torques (n,) of unit rates."""
    ones = (1.0,) * len(box.lower)
    return machine_errors(program, replace(box, velocity=ones, acceleration=ones), precision)


def check_claim(claim: CoefficientClaim, errors: Difference, row: Row, rounding: float) -> None:
    """(2) of one row; raises `RefusedError`."""
    joint, key = row
    part = exact(0.5 if len(key) == 2 and key[0] != key[1] else 1.0)
    error, own = (rows[joint].get(key, exact(0.0)) * part for rows in (errors.error, errors.robot))
    error = Ball(error.mid, error.rad + rounding * UP)
    if claim.relative:
        check_below([error, own * exact(claim.bound)], errors.grid, _relative, 0.0)
    else:
        check_below([error], errors.grid, lambda _: TorqueFunctional(((),)), claim.bound)


def _relative(kept: Sequence[int]) -> Exceeds:
    """h = |error| - bound coefficient (2), of those of the two rows that are not left out."""
    return lambda rows, limits: (
        not np.all(sum(-row if k else np.abs(row) for k, row in zip(kept, rows, strict=True)) <= limits)
    )
