"""Abbreviated models: the equations of motion after Clover's rule, small terms dropped and the others rounded.

(1)  tau = M qdd + B [qd qd] + D [qd^2] + g in multiple angles, without coefficients below the threshold    Clover II,
     Appendix A; motor inertias are kept whole

No error is proven; `simplify` with a threshold in its specification proves the error of every coefficient.
"""

from __future__ import annotations

import dataclasses
from types import MappingProxyType

from torquec.closedform import closed_form
from torquec.closedform.layouts import CLOVER, Matrix, Rule, entries
from torquec.errors import RobotError
from torquec.model.kinds import ModelKind
from torquec.model.model import Model
from torquec.proof.torque.certify_coefficients import check_independent
from torquec.robot.robot import Robot
from torquec.simplification.coefficient_model import abbreviated_coefficients

_MOST_TERMS = 400
"""Terms of M: many more than pay off, but no hour of work."""


def abbreviated_model(robot: Robot, rule: Rule = CLOVER, *, threads: int = 1) -> Model:
    """The model (1) of a robot. Friction and springs are the robot's own.

    Raises `RobotError` for a robot whose joints follow each other, and where the equations would be longer than the
    exact recursion.

    >>> from torquec.robot import classics
    >>> abbreviated_model(classics.planar2r()).kind.value
    'abbreviated'
    """
    check_independent(robot)
    form, written = closed_form(robot), dataclasses.replace(rule, multiple_angles=True)
    terms = sum(len(part.value.terms) for entry in entries(form, Matrix.M, written) for part in entry.parts)
    if terms > _MOST_TERMS:
        raise RobotError(
            f"the abbreviated mass matrix of '{robot.name}' still has {terms} terms: the model would be longer than "
            "the exact recursion",
            where=robot.source,
            remedy=f"raise the threshold, which is {rule.threshold:g}, or use the exact model",
        )
    programs = abbreviated_coefficients(form, written).programs()
    return Model(robot, MappingProxyType(programs), threads=threads, kind=ModelKind.ABBREVIATED)
