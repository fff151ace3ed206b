"""The claim: every coefficient M_ij, H_ijk, g_i of the program's torques is within its own bound of the robot's.

(1)  H_ijk = c_ijk, half of it for j < k (`rows` (1)). A bound of M_ij holds for M_ji too: the program need not be
     symmetric. Rounding of the program at unit rates counts in every bound of its joint
(2)  absolute: |error| <= bound,     relative: |error| <= bound times the robot's coefficient, which is then positive;
     both over boxes, with h = |error|, or h = |error| - bound coefficient <= 0
(3)  Coefficients that are not named have bounds too: the sum of the amplitudes of their error, noise and rounding. They
     are refused where that is more than 1e-9 of the robot's own coefficient, and more than `ROUNDING` times the noise;
     and where noise and rounding, which the program makes as large as it likes, are 1e-9 of the joint's largest one
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from torquec_check.balls import Array, Ball, exact
from torquec_check.boxes import check_below
from torquec_check.difference import Box, Difference, Progress, amplitude, difference, waves_of
from torquec_check.document import RefusedError
from torquec_check.program import Program
from torquec_check.robot import Robot
from torquec_check.rounding import DOUBLE
from torquec_check.rows import Monomial
from torquec_check.torque_error import TorqueFunctional, machine_errors

Row = tuple[int, Monomial]
Ranges = Sequence[tuple[float, float]]
EXACT, ROUNDING = 1e-9, 100.0
"""(3): part of a coefficient, and multiple of noise and rounding, that an error may be which nobody names."""


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


@dataclass(frozen=True)
class RelativeFunctional:
    """h = |error| - bound coefficient (2), of those of the two rows that are not left out."""

    kept: Sequence[int]

    def exceeds(self, rows: Array, limits: Array) -> bool:
        """Whether h exceeds a limit (points,)."""
        return not np.all(self.attained(rows) <= limits)

    def attained(self, rows: Array) -> Array:
        """h (points,)."""
        signed = [-row if k else np.abs(row) for k, row in zip(self.kept, rows, strict=True)]
        return np.asarray(sum(signed))


def check_coefficients(
    robot: Robot, program: Program, box: Box, claims: Sequence[CoefficientClaim], progress: Progress
) -> Mapping[str, float]:
    """Raise `RefusedError` unless every claim is proven, and all other coefficients are exact (3), in the positions of
    the box; gives the bounds of these others by name.
    """
    ranges = list(zip(box.lower, box.upper, strict=True))
    rounded, errors = unit_errors(program, box), difference(robot, program, box)
    named: set[Row] = set()
    for done, claim in enumerate(claims):
        progress("coefficients", done / len(claims))
        for joint, key in claim.rows():
            named.add((joint, key))
            try:
                check_claim(claim, errors, (joint, key), ranges, rounded[joint])
            except RefusedError as error:
                raise RefusedError(f"{claim.name}: the bound {claim.bound:.6g} is not proven: {error.found}") from None
    return {
        _name(joint, key): _exact_to(errors, joint, key, rounded[joint])
        for joint, rows in enumerate(errors.error)
        for key in rows
        if (joint, key) not in named
    }


def unit_errors(program: Program, box: Box) -> list[float]:
    """What rounding in doubles may change in the torques (n,) of unit rates."""
    ones = (1.0,) * len(box.lower)
    return machine_errors(program, replace(box, velocity=ones, acceleration=ones), DOUBLE)


def check_claim(claim: CoefficientClaim, errors: Difference, row: Row, ranges: Ranges, rounding: float) -> None:
    """(2) of one row; raises `RefusedError`."""
    joint, key = row
    part = exact(0.5 if len(key) == 2 and key[0] != key[1] else 1.0)
    error, own = (rows[joint].get(key, exact(0.0)) * part for rows in (errors.error, errors.robot))
    error = Ball(error.mid, error.rad + rounding * (1.0 + 1e-9))
    if claim.relative:
        rows = [error, own * exact(claim.bound)]
        check_below(rows, errors.grid, ranges, RelativeFunctional, 0.0, lambda _part: None)
    else:
        check_below([error], errors.grid, ranges, lambda _: TorqueFunctional(((),)), claim.bound, lambda _part: None)


def _exact_to(errors: Difference, joint: int, key: Monomial, rounding: float) -> float:
    """The bound of a coefficient that is not named (3)."""
    waves, noise = waves_of(errors.error[joint][key], errors.grid)
    found = amplitude(waves, errors.grid.turns) + noise + rounding
    sizes = {each: float(np.abs(ball.mid).max()) for each, ball in errors.robot[joint].items()}
    if not noise + rounding <= EXACT * max(sizes.values(), default=0.0) < math.inf:
        raise RefusedError(
            f"{_name(joint, key)}: rounding may change it by {noise + rounding:.6g}, and it has no bound"
        )
    if not found <= max(EXACT * sizes.get(key, 0.0), ROUNDING * (noise + rounding)):
        raise RefusedError(f"{_name(joint, key)} differs from the robot's by up to {found:.6g}, and has no bound")
    return found


def _name(joint: int, key: Monomial) -> str:
    numbers = [joint, *(k if k >= 0 else ~k for k in key)]
    return f"{'gMH'[len(key)]}[{','.join(str(k + 1) for k in numbers)}]"
