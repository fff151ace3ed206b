"""A specification is met: each of its requirements follows from a bound that is proven; any other one is refused.

(1)  torque_error: the joint's torque bound is not larger
(2)  control, with the motor's data (Chang & Lee, section III): the loop has the stiffness k = J w^2/4 of a joint
     inertia J with the structural resonance w, and a damping within 1 -+ delta where M_ii is right to 2 delta of it.
     Steady-state errors e keep (20)-(22), e_b the torque bound of the joint:

       step, ramp:  e_b <= k e,        parabolic:  e_b <= k e - 2 delta max M_ii

     so that M_ii <= (k e - e_b)/(2 delta) is proven over the box, for the robot's own M_ii
(3)  ranges, speeds, accelerations and precision are those of the certificate
(4)  [coefficients] threshold says how the program was made. It requires bounds of coefficients, whatever these are
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

from torquec_check.boxes import check_below
from torquec_check.certificate import Certificate
from torquec_check.document import RefusedError, fields, number, numbers
from torquec_check.program_error import CoefficientClaim, check_claim, difference, torque_exceeds
from torquec_check.rounding import DOUBLE, unit_errors

_JOINT = "range velocity acceleration jerk torque_error control motor"
_ERRORS = "step_error ramp_error parabolic_error"
_MOTOR = "armature_resistance torque_constant back_emf_constant gear_ratio viscous_friction"


def check_specification(certificate: Certificate) -> None:
    """Raise `RefusedError` unless the bounds of a certificate, which are proven elsewhere, meet its specification."""
    if not certificate.specification:
        return
    try:
        stated = tomllib.loads(certificate.specification)
    except tomllib.TOMLDecodeError as error:
        raise RefusedError(f"the specification cannot be read: {error}") from None
    if stated.get("robot", certificate.robot.name) != certificate.robot.name:
        raise RefusedError("the specification is for another robot")
    if stated.get("precision", "double") != certificate.precision.name:
        raise RefusedError(f"the certificate is about {certificate.precision.name} precision, its specification is not")
    if unknown := set(stated) - {"robot", "search", "precision", "coefficients", "joint"}:
        raise RefusedError(f"the requirement '{min(unknown)}' of the specification is not known")
    if stated.get("search", "minimal_basis") not in ("minimal_basis", "min_basis_gen"):
        raise RefusedError("the search of the specification is not known")
    threshold = "coefficients" in stated
    if threshold:
        fields(stated["coefficients"], "threshold", "coefficients", ignored="digits")
        numbers([*stated["coefficients"].values()], "coefficients")
    if threshold and certificate.coefficient_program is None:
        raise RefusedError("the specification is about coefficients, and none are proven")
    tables = stated.get("joint", [])
    if [table.get("name") for table in tables] != list(certificate.robot.joints):
        raise RefusedError("the specification does not name the robot's joints in order")
    for joint, table in enumerate(tables):
        _check_joint(certificate, joint, table, threshold=threshold)


def _check_joint(certificate: Certificate, joint: int, table: Mapping[str, Any], *, threshold: bool) -> None:
    name, box = certificate.robot.joints[joint], certificate.box
    fields(dict(table), "name", f"specification of joint '{name}'", ignored=_JOINT)
    ends = table.get("range", [box.lower[joint], box.upper[joint]])
    rates = [(table.get("velocity"), box.velocity), (table.get("acceleration"), box.acceleration)]
    if list(ends) != [box.lower[joint], box.upper[joint]] or any(
        stated is not None and (not sides or stated != sides[joint]) for stated, sides in rates
    ):
        raise RefusedError(f"joint '{name}': the certificate is about other motions than its specification")
    if "motor" in table:
        fields(table["motor"], "", name, ignored=f"inertia resonance {_MOTOR}")
        numbers([*table["motor"].values()], name)
    if "torque_error" in table:
        _require(certificate, name, number(table["torque_error"], name))
    if "control" in table:
        _check_control(certificate, joint, table)
    elif "torque_error" not in table and not threshold:
        raise RefusedError(f"joint '{name}': its specification requires nothing")


def _check_control(certificate: Certificate, joint: int, table: Mapping[str, Any]) -> None:
    """(2)."""
    name = certificate.robot.joints[joint]
    (damping,) = fields(control := table["control"], "damping_error", name, ignored=_ERRORS)
    inertia, resonance = numbers(fields(table.get("motor"), "inertia resonance", name, ignored=_MOTOR), name)
    delta, stiffness = number(damping, name), inertia * resonance**2 / 4.0 * (1.0 - 1e-12)
    if certificate.coefficient_program is None:
        raise RefusedError(f"joint '{name}' has a control requirement, and no coefficients are proven")
    box, program = certificate.box, certificate.coefficient_program
    errors = difference(certificate.robot, program, box)
    asked = CoefficientClaim("M", (joint, joint), relative=True, bound=2.0 * delta)
    own = [claim for claim in certificate.coefficients if claim.name == asked.name]
    if any(not claim.relative or claim.bound > asked.bound for claim in own):
        raise RefusedError(f"joint '{name}': its damping requires M to {2.0 * delta:.6g} of itself: not proven")
    if not own:  # relative to its largest value: this may exceed a small value itself
        check_claim(asked, errors, (joint, (~joint,)), unit_errors(program, box, DOUBLE)[joint], lambda _part: None)
    for kind in ("step_error", "ramp_error"):
        if kind in control:
            _require(certificate, name, stiffness * number(control[kind], name))
    if "parabolic_error" in control:
        budget = stiffness * number(control["parabolic_error"], name)
        _require(certificate, name, budget)
        largest = (budget - certificate.bounds[name]) / (2.0 * delta) * (1.0 - 1e-12)
        try:
            check_below({(): errors.robot[joint][(~joint,)]}, errors.grid, torque_exceeds, largest, lambda _part: None)
        except RefusedError as error:
            raise RefusedError(f"joint '{name}': its parabolic error is not met: M is larger: {error.found}") from None


def _require(certificate: Certificate, joint: str, allowed: float) -> None:
    bound = certificate.bounds.get(joint)
    if bound is None or not bound <= allowed:
        raise RefusedError(f"joint '{joint}': its specification allows {allowed:.6g}, proven is {bound}")
