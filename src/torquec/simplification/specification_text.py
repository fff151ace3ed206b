"""Specification as TOML text, and the check that a certificate meets its specification.

The text is part of every certificate: it states the requirements, and can be parsed again and compared.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import fields
from typing import Any

from torquec.closedform import closed_form
from torquec.codegen.precision import Precision
from torquec.errors import CheckError, SpecificationError, UnitWarning
from torquec.proof.check_certificate import is_same_torque
from torquec.proof.torque.certificate import Certificate
from torquec.proof.torque.coefficient_certificate import Family
from torquec.robot.drives import quoted_name
from torquec.robot.robot import Robot
from torquec.simplification.coefficient_model import abbreviated_coefficients
from torquec.simplification.fitting.fit_entries import BasisSearch
from torquec.simplification.specification import CoefficientThreshold, Specification, parse_specification
from torquec.simplification.tolerance import coefficient_tolerances, torque_budgets
from torquec_check.claim import rounded_up

_REMEDY = "make the certificate again with torquec simplify"


def specification_text(robot: Robot, specification: Specification) -> str:
    r"""The specification in TOML: `parse_specification` gives the same requirements over the same box.

    >>> from torquec.robot import classics
    >>> arm = classics.planar2r()
    >>> stated = parse_specification("[every_joint]\nvelocity = 1\nacceleration = 2\ntorque_error = 0.5", arm)
    >>> print(specification_text(arm, stated).splitlines()[0])
    robot = "planar2r"
    """
    lines = [f"robot = {_value(robot.name)}"]
    if specification.search is not BasisSearch.MINIMAL_BASIS and any(j.control for j in specification.joints):
        lines.append(f"search = {_value(specification.search.value)}")
    if specification.precision is not Precision.DOUBLE:
        lines.append(f"precision = {_value(specification.precision.value)}")
    if specification.coefficients is not None:
        lines += ["", "[coefficients]", *_lines(specification.coefficients)]
    stated = {requirement.name: requirement for requirement in specification.joints}
    for joint, low, high in zip(robot.coordinates, specification.box.lower, specification.box.upper, strict=True):
        lines += ["", "[[joint]]", f"name = {_value(joint.name)}"]
        if low < high:  # a joint that cannot move has its limits from the robot
            lines.append(f"range = [{low!r}, {high!r}]")
        requirement = stated.get(joint.name)
        if requirement is None:
            continue
        lines += [f"velocity = {requirement.velocity!r}", f"acceleration = {requirement.acceleration!r}"]
        if requirement.jerk is not None:
            lines.append(f"jerk = {requirement.jerk!r}")
        if requirement.torque_error is not None:
            lines.append(f"torque_error = {requirement.torque_error!r}")
        for name in ("tracking_error", "tracking_error_part"):
            if (value := getattr(requirement, name)) is not None:
                lines.append(f"{name} = {value!r}")
        for name in ("control", "motor"):
            if (inner := getattr(requirement, name)) is not None:
                lines += [f"[joint.{name}]", *_lines(inner)]
    return "\n".join(lines) + "\n"


def check_specification_met(robot: Robot, certificate: Certificate) -> None:
    """Raise `CheckError` unless the bounds of a certificate meet its specification, over the same box.

    The bounds themselves are checked by :func:`torquec.check_certificate`.
    """
    if not certificate.specification:
        return
    stated = _parsed(robot, certificate)
    if stated.motions != certificate.motions:
        raise CheckError("the certificate is about other motions than its specification", remedy=_REMEDY)
    if stated.precision is not certificate.precision:
        raise CheckError(
            f"the certificate is about {certificate.precision} precision, its specification about {stated.precision}",
            remedy=_REMEDY,
        )
    if stated.coefficients is not None:
        _check_threshold(robot, certificate, stated.coefficients)
        return
    control = any(joint.control for joint in stated.joints)
    form = closed_form(robot) if control else None
    allowed = [j.torque_error for j in stated.joints] if form is None else torque_budgets(form, stated)
    if not certificate.joints and any(joint.torque_error is not None for joint in stated.joints):
        raise CheckError("the certificate bounds no torque, and its specification asks for it", remedy=_REMEDY)
    for (name, proof), tolerance in zip(certificate.joints.items(), allowed, strict=bool(certificate.joints)):
        if tolerance is None or proof.tolerance != tolerance or not proof.bound <= tolerance:
            raise CheckError(
                f"joint '{name}': its specification allows {tolerance}, the certificate states {proof.tolerance} and "
                f"a bound of {rounded_up(proof.bound, 6)}",
                remedy=_REMEDY,
            )
    if form is None:
        return
    if certificate.coefficients is None:
        asked = next(joint.name for joint in stated.joints if joint.control)
        raise CheckError(
            f"the certificate proves no coefficients, and its specification has a control requirement for joint "
            f"'{asked}': the damping of the loop depends on the error of its inertia",
            remedy=_REMEDY,
        )
    proofs = certificate.coefficients.coefficients
    for wanted in coefficient_tolerances(form, stated):
        found = proofs.get(wanted.name)
        if wanted.family is Family.V or found is None:  # coefficients that are not named are exact
            continue
        if (found.tolerance, found.kind) != (wanted.value, wanted.kind):
            raise CheckError(
                f"{wanted.name}: its specification allows {wanted.value:.6g} {wanted.kind}", remedy=_REMEDY
            )


def stated_specification(robot: Robot, certificate: Certificate) -> str:
    """The specification of a certificate as normalized text, from its parsed values; empty where there is none.

    Comments are left out. Raises `CheckError` where it cannot be read.
    """
    if not certificate.specification:
        return ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnitWarning)  # reported when the specification was read for the first time
        return specification_text(robot, _parsed(robot, certificate))


def _parsed(robot: Robot, certificate: Certificate) -> Specification:
    try:
        return parse_specification(certificate.specification, robot, source="the certificate's specification")
    except SpecificationError as error:
        raise CheckError(f"the certificate's specification cannot be read: {error.found}", remedy=_REMEDY) from None


def _check_threshold(robot: Robot, certificate: Certificate, threshold: CoefficientThreshold) -> None:
    """Check that the certified program equals the abbreviation by the threshold, derived again."""
    if certificate.coefficients is None:
        raise CheckError("the certificate proves no coefficients, and its specification is about them", remedy=_REMEDY)
    again = abbreviated_coefficients(closed_form(robot), threshold).torque()
    if again.content_hash == certificate.program.content_hash:
        return
    if not is_same_torque(robot, certificate.program, again, certificate.motions.positions):
        raise CheckError(
            f"the threshold {threshold.threshold:g} of the certificate's specification gives another program",
            remedy=_REMEDY,
        )


def _lines(record: Any) -> list[str]:
    """The stated fields of a record as lines: None, infinity and zero are left out of a file."""
    found = {field.name: getattr(record, field.name) for field in fields(record)}
    return [f"{name} = {_value(x)}" for name, x in found.items() if x is not None and x != 0.0 and not math.isinf(x)]


def _value(x: str | float) -> str:
    """A text or number of TOML."""
    return quoted_name(x) if isinstance(x, str) else repr(x)
