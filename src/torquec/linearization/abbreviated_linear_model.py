"""Abbreviated linear models (Clover's rule): closed-form M, C and K, small terms dropped after differentiation.

(1)  M, C = dtau/dqd and K = dtau/dq in multiple angles, without coefficients below the threshold, rounded; then motor
     inertias, friction and springs are added                                                    Clover II, Appendix B
(2)  the bias B [qd qd] + D [qd^2] + g, abbreviated in the same way (:mod:`torquec.simplification.coefficient_model`),
     for laws that share terms between it and (1)                                                           Appendix A
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Hashable, Iterable, Sequence
from enum import Enum
from functools import lru_cache
from typing import Any

from torquec.closedform import ClosedForm, closed_form
from torquec.closedform.fourier import CLOVER, Rule
from torquec.closedform.layouts import Entry, Matrix, entries
from torquec.closedform.shared_sums import SharedSums
from torquec.dynamics import spring_torque
from torquec.dynamics.friction_torque import has_load_friction
from torquec.errors import RobotError
from torquec.expr import Function, trace
from torquec.linearization.linearize import with_friction, with_springs
from torquec.robot.robot import Robot
from torquec.simplification.coefficient_model import abbreviated_coefficients
from torquec.spatial import Scalar

_LINEAR = {"M": Matrix.M, "C": Matrix.DTAU_DQD, "K": Matrix.DTAU_DQ}
_MOST_TERMS = {"M": 400, "C": 4000, "K": 12000}
"""Largest number of terms, counted from M on: far more than pay off, but derived in less than an hour."""


class AbbreviatedPart(Enum):
    """Parts of an abbreviated model to compute besides its mass matrix."""

    LINEAR = "C and K of (1)"
    TORQUE = "the bias (2)"


class AbbreviatedModel:
    """Abbreviated matrices and bias of a robot, shared subexpressions computed once; over any scalar.

    `parts` selects the outputs, so that they share terms. Raises `RobotError` for a robot with mimic joints or
    load-dependent friction, and where the closed form would be too large.
    """

    def __init__(
        self, robot: Robot, rule: Rule = CLOVER, *, parts: Collection[AbbreviatedPart] = (AbbreviatedPart.LINEAR,)
    ) -> None:
        self.robot, self.rule = robot, dataclasses.replace(rule, multiple_angles=True)
        if has_load_friction(robot):
            raise RobotError(
                f"friction of '{robot.name}' depends on the load, which abbreviated equations cannot include",
                where=robot.source,
                remedy="leave the rule out, or friction.load",
            )
        form = _form(robot)
        wanted: dict[Hashable, Entry] = {}
        for name, matrix in _LINEAR.items():
            if name == "M" or AbbreviatedPart.LINEAR in parts:
                wanted |= {(name, *one.index): one for one in entries(form, matrix, self.rule)}
                self._check_size(wanted.values(), name)
        if AbbreviatedPart.TORQUE in parts:
            coefficients = abbreviated_coefficients(form, self.rule)
            bias = {i: tuple(coefficients.bias((i,))) for i in range(form.n)}
            wanted |= {("bias", i): Entry(Matrix.G_TORQUE, (i,), parts) for i, parts in bias.items() if parts}
        self._sums = SharedSums(wanted)

    def at(self, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> AbbreviatedValues:
        """The values at (q, qd, qdd), (n,) each."""
        return AbbreviatedValues(self.robot, self._sums.values(q, qd, qdd), q, qd, qdd)

    def _check_size(self, found: Iterable[Entry], name: str) -> None:
        """Refuse a closed form longer than the recursion that it should shorten, before deriving the next matrix."""
        terms = sum(len(part.value.terms) for one in found for part in one.parts)
        if terms > _MOST_TERMS[name]:
            raise RobotError(
                f"the abbreviated model of '{self.robot.name}' still has {terms} terms up to {name}: it would be "
                "longer than the exact recursion",
                where=self.robot.source,
                remedy=f"raise the threshold, which is {self.rule.threshold:g}, or use the exact model",
            )


@dataclasses.dataclass(frozen=True, eq=False)
class AbbreviatedValues:
    """An abbreviated model at one point."""

    robot: Robot
    values: dict[Hashable, Scalar]
    q: Sequence[Scalar]
    qd: Sequence[Scalar]
    qdd: Sequence[Scalar]

    @property
    def M(self) -> list[list[Scalar]]:
        """Mass matrix, motors included."""
        n = range(self.robot.n)
        return [[self.values.get(("M", min(i, j), max(i, j)), 0.0) for j in n] for i in n]

    @property
    def C(self) -> list[list[Scalar]]:
        """dtau/dqd, friction included."""
        return with_friction(self.robot, self.rigid_damping, self.qd)

    @property
    def K(self) -> list[list[Scalar]]:
        """dtau/dq, springs included."""
        return with_springs(self.robot, self._matrix("K"), self.q)

    @property
    def rigid_damping(self) -> list[list[Scalar]]:
        """dtau/dqd without friction."""
        return self._matrix("C")

    @property
    def rigid_bias(self) -> list[Scalar]:
        """Velocity torques, gravity and springs, (n,)."""
        return [self.values.get(("bias", i), 0.0) + s for i, s in enumerate(spring_torque(self.robot, self.q))]

    def _matrix(self, name: str) -> list[list[Scalar]]:
        n = range(self.robot.n)
        return [[self.values.get((name, i, j), 0.0) for j in n] for i in n]


def abbreviated_linear_model(robot: Robot, rule: Rule = CLOVER) -> Function:
    """The program (q, qd, qdd) -> M, C, K of (1)."""
    model = AbbreviatedModel(robot, rule)

    def algorithm(q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> dict[str, Any]:
        here = model.at(q, qd, qdd)
        return {"M": here.M, "C": here.C, "K": here.K}

    return trace("linear_model", algorithm, dict.fromkeys(("q", "qd", "qdd"), (robot.n,)))


def torque_row(row: Sequence[Scalar], qdd: Sequence[Scalar], bias: Scalar) -> Scalar:
    """One row of M qdd + bias."""
    total = bias
    for inertia, acceleration in zip(row, qdd, strict=True):
        total = total + inertia * acceleration
    return total


@lru_cache(maxsize=8)
def _form(robot: Robot) -> ClosedForm:
    followers = [body.joint.name for body in robot.bodies if body.joint.mimic is not None]
    if followers:
        raise RobotError(
            f"robot '{robot.name}' has joints that follow others: {', '.join(followers)}",
            where=robot.source,
            remedy="use the exact linear model, which supports them",
        )
    return closed_form(robot)
