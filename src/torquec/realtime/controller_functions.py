"""What a package or a loop needs of a controller: its step and, for computed torque, the acceleration it demands."""

from __future__ import annotations

from typing import Any

from torquec.control.computed_torque import demanded_acceleration
from torquec.control.controller import Controller
from torquec.control.law_options import LawKind
from torquec.control.poles import error_feedback, joint_poles
from torquec.errors import ArgumentError
from torquec.expr import Function, trace
from torquec.model.model import Model


def controller_functions(model: Model, law: Controller) -> list[Function]:
    """The step of a controller and, for computed torque, the acceleration that it asks the synchronous task for.

    Raises `ArgumentError` for a controller of other joints.
    """
    if law.joints != model.robot.joint_names:
        raise ArgumentError(
            f"the controller is for the joints {', '.join(law.joints)}",
            remedy=f"design one for this robot, whose joints are {', '.join(model.robot.joint_names)}",
        )
    found = [law.function]
    if law.design is None or law.design.law is not LawKind.COMPUTED_TORQUE:
        return found
    options = law.design.options
    if options.rule is not None or options.poles is None:
        return found
    feedback = error_feedback(
        joint_poles(law.joints, options.poles), period=options.period, sampled=bool(options.sampled)
    )

    def algorithm(**signals: Any) -> dict[str, Any]:
        return {"qdd": demanded_acceleration(feedback, signals)}

    return [*found, trace("demanded_acceleration", algorithm, law.signals)]
