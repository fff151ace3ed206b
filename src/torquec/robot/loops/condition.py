"""Closure and singularity of the loops at a configuration: gap, condition of J_d, branch.

(1)  The loops are closed where Newton's method from the prediction leaves no gap.
(2)  A configuration is singular where J_d is singular: there the dependent joints are no function of the independent
     ones, and near it torques grow without bound. The condition number of J_d takes lengths in units of the robot's
     size.
(3)  det J_d has one sign on a branch: another sign means that the configuration lies beyond a singular one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.robot.configuration import unit_position
from torquec.robot.loops.batch import largest_gap, loop_batch, scales
from torquec.robot.loops.closure import closed, loop_state
from torquec.robot.robot import Robot
from torquec.robot.tuning import TUNING


@dataclass(frozen=True)
class LoopCondition:
    """The loops at a configuration: largest gap with its unit and place (1), condition of J_d (2), branch (3)."""

    gap: float
    unit: str
    where: str
    condition: float
    same_branch: bool

    @property
    def is_closed(self) -> bool:
        """Whether the loops are closed (1)."""
        return self.gap < TUNING.converged_gap

    @property
    def is_singular(self) -> bool:
        """Whether J_d is singular to half of the digits (2)."""
        return not self.condition < TUNING.singular_condition

    @property
    def problem(self) -> str:
        """Why quantities are undefined at this configuration; empty where they are defined."""
        if not self.is_closed:
            return f"the loops do not close: a gap of {self.gap:.3g} {self.unit} is left at {self.where}"
        if self.is_singular:
            return f"the configuration is singular: the condition of the loop Jacobian is {self.condition:.2g}"
        return "" if self.same_branch else "the configuration lies beyond a singular one, on another branch"


def loop_condition(robot: Robot, q: Sequence[float]) -> LoopCondition:
    """The loops of a robot at the independent positions q (nq,); raises `ArgumentError` for wrong positions."""
    own = unit_position(robot, q)
    if not robot.dependent or not closed(robot).pivots:
        return LoopCondition(0.0, "m", "", 1.0, same_branch=True)
    loops, tree = closed(robot), robot.tree
    there = np.array([loop_state(robot, own).q, loops.start], dtype=np.float64)
    with np.errstate(invalid="ignore"):  # infinite angles at a singular configuration
        batch = loop_batch(tree, loops.file, there)
    solved = [r for r, _ in loops.pivots]
    chosen = np.zeros_like(batch.gaps[0])
    chosen[solved] = batch.gaps[0][solved]
    by_equation, by_rate = scales(tree, loops.file)
    blocks = (batch.rows * by_equation[:, None] * by_rate)[:, solved][:, :, [c for _, c in loops.pivots]]
    if not np.all(np.isfinite(blocks[0])):
        return LoopCondition(float("inf"), "m", f"loop '{loops.file.loops[0].name}'", float("inf"), same_branch=False)
    signs = np.sign(np.linalg.det(blocks))
    gap, unit, where = largest_gap(loops.file, chosen)
    return LoopCondition(gap, unit, where, float(np.linalg.cond(blocks[0])), bool(signs[0] == signs[1]))


def check_loops(robot: Robot, q: Sequence[float]) -> None:
    """Raise `ArgumentError`, with the reason, where the loops are open or singular at q (nq,)."""
    problem = loop_condition(robot, q).problem
    if problem:
        raise ArgumentError(
            f"robot '{robot.name}' cannot be at this position: {problem}",
            remedy="move the independent joints towards the position at which the loops were assembled "
            "(torquec.neutral), or name other joints as independent",
        )
