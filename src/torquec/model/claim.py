"""What a certified model claims: the bound of every error, as records and in the words of a header."""

from __future__ import annotations

from dataclasses import dataclass

from torquec.model.model import Model
from torquec.proof.torque.certificate import Certificate
from torquec.proof.torque.coefficient_certificate import CoefficientProof
from torquec.proof.torque.coefficient_tolerance import ErrorKind, Family
from torquec.robot.robot import Robot
from torquec.simplification.specification_text import stated_specification
from torquec.trajectory.motion_box import MotionBox


@dataclass(frozen=True)
class Claim:
    """An error of `quantity` (inverse_dynamics, or a coefficient such as M[1,2]) at a joint is at most `bound`.

    `rounding` is the part of it that stands for computing in less than doubles.
    """

    quantity: str
    joint: str
    bound: float
    unit: str
    rounding: float = 0.0


def claims_of(robot: Robot, record: Certificate | None) -> tuple[Claim, ...]:
    """All bounds of a certificate; none without one."""
    if record is None:
        return ()
    rounding = {} if record.rounding is None else record.rounding.joints
    torques = [
        Claim(
            "inverse_dynamics",
            joint.name,
            record.joints[joint.name].bound,
            joint.effort_unit,
            rounding.get(joint.name, 0.0),
        )
        for joint in robot.coordinates
        if joint.name in record.joints
    ]
    inner = {} if record.coefficients is None else record.coefficients.coefficients
    coefficients = [
        Claim(name, robot.joints[proof.index[0]].name, proof.bound, _unit(robot, proof))
        for name, proof in inner.items()
    ]
    return (*torques, *coefficients)


def claim_text(model: Model, model_file: str, model_hash: str, condition: str = "") -> str:
    """The claim of a certified model in words: errors, box, specification, checksums, and how to check them.

    `model_hash` is the field `sha256` of the model's document: of its contents, not of the bytes of a file. `condition`
    is what else must be said of the errors, right below them.
    """
    assert model.record is not None
    lines = [
        *_proven_lines(model.robot, model.record, condition),
        f"Model and certificate: {model_file}",
        "Checksums of their contents, the fields sha256 (not of the file's bytes):",
        f"  of the model        {model_hash}",
        f"  of the certificate  {model.record.content_hash}",
        "Check the proof, the model and every byte of these files with:  torquec check DIR",
    ]
    return "\n".join(lines)


def simplified_text(model: Model) -> str:
    """What code without its model beside it states: the claim of a certified model, or that nothing is certified.

    Empty for a model that is not simplified.
    """
    if model.record is not None:
        certificate = f"Certificate of the model that this code was generated from: sha256 {model.record.content_hash}"
        checked = "Check the proof and the model with:  torquec check MODEL.tq.json. This code itself is not checked."
        return "\n".join([*_proven_lines(model.robot, model.record, ""), certificate, checked])
    if not model.kind.is_simplified:
        return ""
    return (
        f"SIMPLIFIED, NOT CERTIFIED: this is not the exact dynamics of {model.robot.name} ({model.kind} model), and no "
        "error of it is proven."
    )


def _proven_lines(robot: Robot, record: Certificate, condition: str) -> list[str]:
    """Errors, box and specification."""
    lines = [f"SIMPLIFIED: this is not the exact dynamics of {robot.name}. Proven, for all motions of the box below:"]
    torques = [claim for claim in claims_of(robot, record) if claim.quantity == "inverse_dynamics"]
    for claim in torques:
        rounding = "" if record.rounding is None else f", of which rounding to floats is {claim.rounding!r}"
        lines.append(f"  torque error of {claim.joint}: at most {claim.bound!r} {claim.unit}{rounding}")
    if record.rounding is not None:
        lines.append(
            "These errors hold in single precision: the rounding of inputs, constants, sines, cosines and of every "
            "operation of inverse_dynamics is counted, whether compilers fuse operations or not, as long as they "
            "compute floats as floats (FLT_EVAL_METHOD is 0). They hold in double precision, too."
        )
    if record.coefficients is not None:
        proofs = record.coefficients.coefficients
        about = "of these functions" if record.coefficients.program == record.program else "of a second program"
        lines.append(
            f"  the errors of {len(proofs)} coefficients {about}, each within its own bound (see the certificate); "
            "all others are exact"
        )
    if condition:
        lines.append(condition)
    lines += ["Box:", *(f"  {line}" for line in box_lines(robot, record.motions))]
    stated = stated_specification(robot, record)
    if stated:
        lines += ["Specification that is met:", *(f"  {line}" for line in stated.splitlines() if line)]
    return lines


def box_lines(robot: Robot, box: MotionBox) -> list[str]:
    """The box of a claim, a line for each joint: range of positions, largest speed and acceleration where limited."""
    lines = []
    for k, joint in enumerate(robot.coordinates):
        angle = joint.position_unit
        text = f"{joint.name}: position {box.lower[k]!r} to {box.upper[k]!r} {angle}"
        if box.velocity:
            text += (
                f", speed up to {box.velocity[k]!r} {angle}/s, acceleration up to {box.acceleration[k]!r} {angle}/s^2"
            )
        lines.append(text)
    return lines


def _unit(robot: Robot, proof: CoefficientProof) -> str:
    if proof.kind is ErrorKind.RELATIVE:
        return "relative"
    first, *others = (robot.coordinates[k] for k in proof.index)
    per = " ".join(each.position_unit for each in others)
    if proof.family is Family.G:
        return first.effort_unit
    return f"{first.effort_unit} s^2/{per}" if len(others) == 1 else f"{first.effort_unit} s^2/({per})"
