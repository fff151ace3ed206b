"""`FollowedProgram`: what a simplified model serves, all from one program of inverse dynamics, and what it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from torquec.errors import RefusedQuantityError
from torquec.expr import Function
from torquec.model.kinds import ModelKind
from torquec.model.model_parameters import ModelParameters
from torquec.model.program_quantities import FOLLOWS, followed_function
from torquec.model.torque_program import TorqueProgram
from torquec.robot.robot import Robot
from torquec.trajectory.motion_box import MotionBox, joint_box

if TYPE_CHECKING:
    from torquec.proof.inertia.nonsingular_mass_matrix import MassMatrixRegularity
    from torquec.proof.torque.certificate import Certificate

_PARTS = ("mass_matrix", "gravity_torque", "velocity_torque", "coriolis_matrix")
"""Programs of a model that compute parts of its inverse dynamics more shortly than what is derived."""

_BASE_QUANTITIES = ("base_regressor", "base_inverse_dynamics")
"""What a model in base parameters has, and no other that follows a program."""


def box_of(robot: Robot, record: Certificate | None) -> MotionBox:
    """The box that a model is about: its certificate's, else the limits of the robot's joints.

    Raises `RobotError` for a prismatic joint without limits.
    """
    return joint_box(robot) if record is None else record.motions


@dataclass(frozen=True, eq=False)
class FollowedProgram:
    """The part of a `Model` that follows a program; its fields are the model's."""

    robot: Robot
    kind: ModelKind
    functions: Mapping[str, Function]
    record: Certificate | None
    parameters: ModelParameters | None
    assumed_regular: bool

    @cached_property
    def program(self) -> TorqueProgram:
        """P, with the parts of it that the model has programs for."""
        own = MappingProxyType({name: self.functions[name] for name in _PARTS if name in self.functions})
        return TorqueProgram(self.robot, self.functions["inverse_dynamics"], own)

    def makes(self, quantity: str) -> bool:
        """Whether the quantity is made from P or refused; what is left is the robot's own."""
        name = quantity.partition(":")[0]
        row = FOLLOWS[name]
        return row.algorithm is not None or (bool(row.refusal) and not self._has_base(name))

    def refusal(self, quantity: str) -> str:
        """Why there is no such quantity; empty where there is."""
        row = FOLLOWS[quantity.partition(":")[0]]
        if row.refusal and not self._has_base(quantity):
            return row.refusal
        if not row.needs_inverse or self.assumed_regular or self.regularity.shown:
            return ""
        assert self.regularity.where is not None
        ends = ", ".join(
            f"{name} from {low:.4g} to {high:.4g}"
            for name, low, high in zip(self.robot.joint_names, *self.regularity.where, strict=True)
        )
        return f"M could not be shown to have an inverse everywhere in the box; it may be singular with {ends}"

    def function(self, quantity: str) -> Function:
        """The straight-line program of a quantity; raises `RefusedQuantityError` where there is none."""
        self.check_had(quantity)
        return followed_function(self.program, quantity)

    def check_had(self, quantity: str) -> None:
        """Raise `RefusedQuantityError` where there is no such quantity."""
        reason = self.refusal(quantity)
        if not reason:
            return
        needs_inverse = FOLLOWS[quantity.partition(":")[0]].needs_inverse
        anyway = (
            "; or allow smaller torque errors in the specification ([specification] in a project); "
            "or, at your own risk, take model.assuming_regular_mass_matrix()"
            if needs_inverse
            else ""
        )
        raise RefusedQuantityError(
            f"a model of the kind '{self.kind}' has no {quantity}: {reason}",
            where=self.robot.source,
            remedy=f"ask for the exact one by name, model.exact{anyway}",
        )

    @cached_property
    def regularity(self) -> MassMatrixRegularity:
        """Whether M has an inverse at every position of the box."""
        from torquec.proof.inertia.nonsingular_mass_matrix import MassMatrixRegularity, mass_matrix_regularity

        if self._is_robots_own:
            self.robot.check_forward_dynamics()
            return MassMatrixRegularity(True, 0)
        box = box_of(self.robot, self.record)
        return mass_matrix_regularity(self.program.mass_matrix, box.lower, box.upper, robot=self.robot)

    def content_key(self, quantity: str) -> str:
        """What the compiled code of a quantity depends on besides the robot."""
        served = " ".join(f"{name}={self.functions[name].content_hash}" for name in sorted(self.functions))
        key = f"follows {self.kind} {served}"
        if FOLLOWS[quantity.partition(":")[0]].needs_inverse:
            # What was compiled for one box, or on trust, must not stand in where it would be refused.
            key += f" {box_of(self.robot, self.record).positions} {self.assumed_regular}"
        return key

    @property
    def _is_robots_own(self) -> bool:
        """Whether M is the robot's, as kinetic energy makes it: then it has an inverse if the robot's has."""
        if self.kind is not ModelKind.BASE_PARAMETERS or self.parameters is None:
            return False
        from torquec.model.base_parameter_model import are_own_values

        return are_own_values(self.robot, self.parameters)

    def _has_base(self, quantity: str) -> bool:
        return self.kind is ModelKind.BASE_PARAMETERS and quantity in _BASE_QUANTITIES
