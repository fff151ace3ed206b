"""Diagonal lower bound of a torque program's mass matrix over a box: a witness that M is positive definite.

The program (q, qd, qdd -> tau) has M_ij = dtau_i/dqdd_j. With d_i the least M_ii that was found at random positions and
l the least eigenvalue of M_ij/sqrt(d_i d_j) there, a fraction of l d is tried. It is a witness only if
:mod:`torquec_check.positive_mass` proves it.
"""

from __future__ import annotations

import numpy as np

from torquec.codegen.precision import Precision
from torquec.errors import TimeLimitError
from torquec.expr import Function, function_to_dict
from torquec.foundation.budget import Budget
from torquec.foundation.one_thread import one_thread
from torquec.proof.torque.torque_tables import torque_rows
from torquec.robot.robot import Robot
from torquec.trajectory.motion_box import MotionBox
from torquec_check.document import RefusedError
from torquec_check.positive_mass import check_positive_mass
from torquec_check.program import program_of
from torquec_check.robot import Box
from torquec_check.rounding import PRECISIONS

_SAMPLES, _PART = 2000, 0.5
"""Random positions, and the claimed fraction of the least eigenvalue found: a larger one takes more boxes."""

_MOST_VALUES = 5e7
"""Budget of control values, about ten seconds; a count instead of a time makes the result deterministic."""


def least_inertia(
    robot: Robot, program: Function, motions: MotionBox, *, precision: Precision = Precision.DOUBLE, budget: Budget
) -> tuple[float, ...]:
    """m (n,) with M - diag(m) proven positive definite in the box; empty where it is not, or the budget is exceeded."""
    lower, upper = np.array(motions.lower), np.array(motions.upper)
    positions = lower + (upper - lower) * np.random.default_rng(1).uniform(size=(_SAMPLES, robot.n))
    M = torque_rows(program, positions)[:, :, : robot.n]
    M = 0.5 * (M + M.transpose(0, 2, 1))
    diagonal = np.diagonal(M, axis1=1, axis2=2).min(axis=0)
    if not np.all(diagonal > 0.0):
        return ()
    least = float(np.linalg.eigvalsh(M / np.sqrt(np.outer(diagonal, diagonal)))[:, 0].min())
    claimed = tuple(float(x) for x in _PART * least * diagonal)
    turns = tuple(each.turns for each in robot.coordinates)
    box = Box(motions.lower, motions.upper, motions.velocity, motions.acceleration)
    try:
        with one_thread():
            own = program_of(function_to_dict(program))
            kind = PRECISIONS[precision.value]
            check_positive_mass(own, turns, box, claimed, kind, lambda _: budget.check(), _MOST_VALUES)
    except (RefusedError, TimeLimitError):
        return ()
    return claimed
