"""Hold error of a model: :mod:`torquec.proof.hold.held_torque_bound` of its inverse dynamics."""

from __future__ import annotations

from collections.abc import Sequence

from torquec.foundation.work import Work
from torquec.model.model import Model, as_model
from torquec.proof.hold.held_torque_bound import HoldBound, held_torque_bound
from torquec.robot.robot import Robot
from torquec.trajectory.motion_box import MotionBox


def hold_bound(
    source: Robot | Model, motions: MotionBox, *, jerk: Sequence[float] | None = None, work: Work | None = None
) -> HoldBound:
    """The bounds of a model over a box of motions with speeds and accelerations; `jerk` (n,) where it is limited.

    Under a time limit of `work` every joint has its share of the time; bounds that it cuts short are coarser.
    Raises `ArgumentError` for a box without speeds or accelerations, `RobotError` for too many joints.
    """
    model = as_model(source)
    program = model.function("inverse_dynamics")
    sums_angles = not model.kind.follows_program
    return held_torque_bound(model.robot, program, motions, sums_angles=sums_angles, jerk=jerk, work=work)
