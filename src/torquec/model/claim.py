"""What a certified model claims: the bound of every error, as records and in the words of a header."""

from __future__ import annotations

from dataclasses import dataclass

from torquec.model.model import Model
from torquec.proof.certificate import Certificate
from torquec.proof.coefficient_certificate import CoefficientProof
from torquec.proof.coefficient_tolerance import ErrorKind, Family
from torquec.robot.robot import Robot


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
    robot, record = model.robot, model.record
    assert record is not None
    box = record.motions
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
    lines.append("Box:")
    for k, joint in enumerate(robot.coordinates):
        angle = joint.position_unit
        text = f"  {joint.name}: position {box.lower[k]!r} to {box.upper[k]!r} {angle}"
        if box.velocity:
            text += (
                f", speed up to {box.velocity[k]!r} {angle}/s, acceleration up to {box.acceleration[k]!r} {angle}/s^2"
            )
        lines.append(text)
    if record.specification:
        lines += ["Specification that is met:", *(f"  {line}" for line in record.specification.splitlines() if line)]
    lines += [
        f"Model and certificate: {model_file}",
        "Checksums of their contents, the fields sha256 (not of the file's bytes):",
        f"  of the model        {model_hash}",
        f"  of the certificate  {record.content_hash}",
        "Check the proof, the model and every byte of these files with:  torquec check DIR",
    ]
    return "\n".join(lines)


def _unit(robot: Robot, proof: CoefficientProof) -> str:
    if proof.kind is ErrorKind.RELATIVE:
        return "relative"
    first, *others = (robot.coordinates[k] for k in proof.index)
    per = " ".join(each.position_unit for each in others)
    if proof.family is Family.G:
        return first.effort_unit
    return f"{first.effort_unit} s^2/{per}" if len(others) == 1 else f"{first.effort_unit} s^2/({per})"
