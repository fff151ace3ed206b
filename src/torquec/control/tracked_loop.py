"""`TrackedLoop`: a computed-torque loop along a motion, on an uncertain robot, with a bounded tracking error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.control.model_terms import Evaluation, FrictionAt, FrictionCompensation, friction_compensation
from torquec.control.poles import PoleArgument, error_feedback, joint_poles
from torquec.control.robust_computed_torque import RobustTerm
from torquec.control.tracking_guarantee import TrackingGuarantee, tracking_guarantee
from torquec.control.uncertainty import Uncertainty
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.model.model import Model
from torquec.proof.tracking.error_response import error_response
from torquec.robot.robot import Robot
from torquec.trajectory.trajectory import Trajectory


@dataclass(frozen=True)
class TrackedLoop:
    """A loop whose tracking error is bounded: computed torque with these poles along a motion, on uncertain robots.

    The fields are arguments of `tracking_guarantee`.
    """

    poles: PoleArgument
    trajectory: Trajectory
    period: float | None = None
    sampled: bool = False
    uncertainty: Uncertainty | None = None
    evaluation: Evaluation | str = Evaluation.MEASURED
    friction: FrictionCompensation | FrictionAt | str = FrictionAt.REFERENCE
    efforts: tuple[float, ...] | None = None
    robust: RobustTerm | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "evaluation", chosen(Evaluation, self.evaluation, "evaluation"))
        object.__setattr__(self, "friction", friction_compensation(self.friction))

    def guarantee(self, model: Robot | Model) -> TrackingGuarantee:
        """The guarantee of the loop with a model."""
        return tracking_guarantee(
            model,
            self.poles,
            self.trajectory,
            period=self.period,
            sampled=self.sampled,
            uncertainty=self.uncertainty,
            evaluation=self.evaluation,
            friction=self.friction,
            efforts=self.efforts,
            robust=self.robust,
        )

    def position_gains(self, robot: Robot) -> Array:
        """Gains (n,) [s^2] of these poles, from a constant acceleration error to the position error."""
        feedback = error_feedback(joint_poles(robot.joint_names, self.poles), period=self.period, sampled=self.sampled)
        pairs = zip(feedback.stiffness, feedback.damping, strict=True)
        return np.array([error_response(p, s).position.level for p, s in pairs])
