"""The canonical claim of a certified model (:class:`torquec_check.claim.Claim`), and the header of generated code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torquec.codegen.precision import Precision
from torquec.model.model import Model
from torquec.proof.torque.certificate import Certificate
from torquec.robot.payload import changes_text
from torquec.robot.robot import Robot
from torquec.robot.robot_document import robot_to_dict
from torquec_check.claim import Bound, Claim, certificate_claim, code_lines


def claim_of(robot: Robot, record: Certificate) -> Claim:
    """The claim of a certificate about a robot, from the same documents that the checker reads."""
    return certificate_claim(record.to_dict(), robot_to_dict(robot))


def bounds_of(robot: Robot, record: Certificate | None) -> tuple[Bound, ...]:
    """All bounds of a certificate; none without one."""
    return () if record is None else claim_of(robot, record).bounds


def code_text(
    model: Model,
    document: Mapping[str, Any] | None,
    file: str,
    *,
    precision: Precision = Precision.DOUBLE,
    quantities: Sequence[str] = (),
) -> str:
    """Header comment of generated code: the claim, or that nothing is claimed; robot and joints.

    `document` is that of a certified model, stored in `file` beside the code.
    """
    if document is not None and model.record is not None:
        return "\n".join(code_lines(claim_of(model.robot, model.record), document, file, precision.value, quantities))
    simplified = (
        f"SIMPLIFIED, NOT CERTIFIED: this is not the exact dynamics of {model.robot.name} ({model.kind} model), and no "
        "error of it is proven."
    )
    described = _robot_text(model.robot)
    return f"{simplified}\n\n{described}" if model.kind.is_simplified else described


def _robot_text(robot: Robot) -> str:
    """The robot of a model as text: joints, gravity, payloads and locked joints."""
    gravity = ", ".join(repr(value) for value in robot.gravity)
    about = (
        f"Dynamics of {robot.name}: {robot.n} joints in the order {', '.join(robot.joint_names)}. "
        f"SI units, radians; gravity ({gravity}) m/s^2 in the base frame."
    )
    return "\n".join(part for part in (about, changes_text(robot)) if part)
