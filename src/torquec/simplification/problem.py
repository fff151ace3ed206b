"""Input and result of simplification: `SimplificationProblem` for every strategy, `Simplified` with its proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from torquec.codegen.precision import Precision
from torquec.expr import Function, operation_cost
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work
from torquec.proof.torque.certificate import Certificate
from torquec.robot.joints import PositionBasis
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import position_bases
from torquec.simplification.coefficient_model import CoefficientModel
from torquec.trajectory.motion_box import MotionBox


@dataclass(frozen=True)
class SimplificationProblem:
    """A robot, the `exact` program of its inverse dynamics, the box of motions, and the torque tolerances.

    `tolerance` (n,) [N m, N] is one error for each independent joint; `work` has the worker processes and progress
    reports; `precision` is that of the code whose errors are proven. `on_proven`, if given, is called with every
    certificate that is cheaper than those before it. `budget` is that of search and proof; `checked_by` also
    includes the check of the certificate, if there is one.
    """

    robot: Robot
    exact: Function
    motions: MotionBox
    tolerance: tuple[float, ...]
    work: Work = field(default_factory=Work, compare=False, repr=False)
    precision: Precision = Precision.DOUBLE
    on_proven: Callable[[Certificate], None] | None = field(default=None, compare=False, repr=False)
    budget: Budget = field(default_factory=Budget, compare=False, repr=False)
    checked_by: Budget = field(default_factory=Budget, compare=False, repr=False)

    @property
    def bases(self) -> tuple[PositionBasis, ...]:
        """Basis of the closed form in every joint position, (n,)."""
        return position_bases(self.robot)

    @property
    def has_mimic_joints(self) -> bool:
        """Whether there are mimic joints; their closed form is not a function of the independent joints alone."""
        return any(body.joint.mimic is not None for body in self.robot.bodies)

    def within(self, parts: Sequence[float]) -> SimplificationProblem:
        """The same problem with a part (n,) of each tolerance."""
        return replace(self, tolerance=tuple(p * t for p, t in zip(parts, self.tolerance, strict=True)))


@dataclass(frozen=True)
class Simplified:
    """The certificate of inverse dynamics, and the coefficients M, c and g where they are simplified, too.

    The coefficients are those that `certificate.coefficients` is about; `checked` is true once the proof is checked
    with independent code.
    """

    certificate: Certificate
    coefficients: CoefficientModel | None = None
    checked: bool = False

    @property
    def cost(self) -> int:
        """The price of the certified program."""
        return operation_cost(self.certificate.program)
