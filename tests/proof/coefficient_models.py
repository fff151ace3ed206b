"""Small arms whose coefficients are changed in known ways, and certificates of them."""

from __future__ import annotations

from torquec.closedform import closed_form
from torquec.closedform.polynomial import TrigPolynomial
from torquec.expr import Function
from torquec.proof.check_certificate import check_certificate
from torquec.proof.torque.certificate import Certificate
from torquec.robot.robot import Robot
from torquec.simplification.coefficient_model import CoefficientModel, exact_coefficients
from torquec.trajectory.motion_box import MotionBox


def shortened(robot: Robot, least: float) -> CoefficientModel:
    """The coefficients without terms below `least`; what stands on M's diagonal stays."""
    whole = exact_coefficients(closed_form(robot))
    kept = {
        key: TrigPolynomial({m: c for m, c in value.terms.items() if abs(c) >= least or not m})
        for key, value in whole.coefficients.items()
    }
    return CoefficientModel(whole.n, {key: value for key, value in kept.items() if value})


def exact_program(robot: Robot) -> Function:
    """Inverse dynamics from the whole closed form."""
    return exact_coefficients(closed_form(robot)).torque()


def narrow_box(robot: Robot) -> MotionBox:
    """Less than a turn of every joint."""
    lower = tuple(0.1 if joint.type.is_prismatic else -1.5 for joint in robot.joints)
    upper = tuple(0.6 if joint.type.is_prismatic else 2.0 for joint in robot.joints)
    return MotionBox(lower, upper)


def check_coefficients(robot, certificate):
    """The check of a certificate of coefficients alone: in one of torques that bounds none."""
    outer = Certificate(
        certificate.robot, certificate.robot_hash, certificate.program, certificate.box, {}, certificate
    )
    return check_certificate(robot, outer)
