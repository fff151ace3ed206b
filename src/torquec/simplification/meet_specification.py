"""From a specification to programs that provably meet it, for each of the three kinds of requirement.

(1)  torque errors: the cheapest inverse dynamics within them (:mod:`torquec.simplification.simplify_torque`)
(2)  control requirements (Chang & Lee): the same within the torque errors that the loops can bear; and in addition the
     coefficients M, c and g, fitted within the tolerances (23a-d), each with a proven bound
(3)  a threshold for coefficients (Clover): the equations without small terms. The error of each coefficient is proven,
     and that of the torques where the specification limits speeds and accelerations

Under a time limit of the work the best that is proven by then is the result. Coefficients of (2) that are not fitted
and proven in their part of it are left exact, one by one; (3) has nothing to search: its errors have bounds that are
less close.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from torquec.closedform import ClosedForm, closed_form
from torquec.expr import Function
from torquec.foundation.time_limit import TimeLimit
from torquec.foundation.work import Work, as_work
from torquec.proof.certificate import Certificate
from torquec.proof.certify import certify
from torquec.proof.certify_coefficients import certify_coefficients, check_independent, prove_coefficients
from torquec.proof.coefficient_certificate import CoefficientCertificate
from torquec.proof.coefficient_tolerance import CoefficientTolerance, Family
from torquec.robot.robot import Robot
from torquec.simplification.coefficient_model import CoefficientModel, abbreviated_coefficients, fitted_coefficients
from torquec.simplification.fitting.fit_entries import fit_entries
from torquec.simplification.problem import SimplificationProblem
from torquec.simplification.simplify_torque import simplify_torque
from torquec.simplification.specification import CoefficientThreshold, Specification
from torquec.simplification.specification_text import specification_text
from torquec.simplification.tolerance import coefficient_tolerances, entry_tasks, proof_margin, torque_budgets

_FITTING, _FITTED_AND_PROVEN, _OF_COEFFICIENTS = 0.35, 0.5, 0.6
"""Of a time limit: until when the coefficients (2) are fitted, until when they are proven, and until when those of (3)
are proven where torques follow."""


@dataclass(frozen=True)
class Simplified:
    """What meets a specification: the certificate of inverse dynamics, and the coefficients where they are simplified.

    The coefficients are those that `certificate.coefficients` is about.
    """

    certificate: Certificate
    coefficients: CoefficientModel | None = None


def meet_specification(
    robot: Robot,
    exact: Function,
    specification: Specification,
    *,
    work: Work | None = None,
    on_proven: Callable[[Simplified], None] | None = None,
    checked_by: TimeLimit | None = None,
) -> Simplified:
    """The cheapest programs found that meet the specification; `exact` is the program of the robot's inverse dynamics.

    `on_proven` is told of programs for torque errors that are proven before the search is over, each cheaper than the
    one before. `checked_by` says until when a check of the result has to be done: a program for torque errors is then
    one that can be checked by then, where there is one.
    Raises `SpecificationError` with joint, tolerance and smallest achievable error where the specification cannot be
    met, and `RobotError` where the robot has mimic joints and the specification is about coefficients.
    """
    text = specification_text(robot, specification)

    def stated(found: Certificate) -> Certificate:
        return replace(found, specification=text)

    tell = None if on_proven is None else lambda found: on_proven(Simplified(stated(found)))
    found = _met(robot, exact, specification, as_work(work), tell, checked_by or TimeLimit())
    return replace(found, certificate=stated(found.certificate))


def _met(
    robot: Robot,
    exact: Function,
    specification: Specification,
    work: Work,
    tell: Callable[[Certificate], None] | None,
    checked_by: TimeLimit,
) -> Simplified:
    if specification.coefficients is not None:
        return _by_threshold(robot, exact, specification, specification.coefficients, work)
    if any(joint.control is not None for joint in specification.joints):
        return _by_control(robot, exact, specification, work)
    tolerance = tuple(float(joint.torque_error or 0.0) for joint in specification.joints)
    problem = SimplificationProblem(
        robot,
        exact,
        specification.motions,
        tolerance,
        work,
        precision=specification.precision,
        on_proven=tell,
        checked_by=checked_by,
    )
    return Simplified(simplify_torque(problem))


def _by_control(robot: Robot, exact: Function, specification: Specification, work: Work) -> Simplified:
    """(2), of all joints, or of some while others have torque errors."""
    check_independent(robot)
    form = closed_form(robot)
    problem = SimplificationProblem(robot, exact, specification.motions, torque_budgets(form, specification), work)
    fitted, proven = _by_coefficients(robot, exact, form, specification, work)
    return Simplified(replace(simplify_torque(problem), coefficients=proven), fitted)


def _by_coefficients(
    robot: Robot, exact: Function, form: ClosedForm, specification: Specification, work: Work
) -> tuple[CoefficientModel | None, CoefficientCertificate]:
    """The coefficients M, c and g within their tolerances, and the proof.

    Where time allowed not even one fit, the model is None and the proof is about the exact program: a control
    requirement without a proof of coefficients would not be met. Friction is not simplified.
    """
    tolerances = tuple(t for t in coefficient_tolerances(form, specification) if t.family is not Family.V)
    box, whole = specification.box, work.limit
    with work.limited(whole.part(_FITTING)):
        tasks = entry_tasks(form, tolerances, margin=proof_margin(form))
        fits = fit_entries(tasks, box, search=specification.search, work=work)
    if not any(fits):
        return None, _exact_coefficients(robot, exact, specification, tolerances, work)
    fitted = fitted_coefficients(form, tolerances, fits)
    program = fitted.torque()
    with work.limited(whole.part(_FITTED_AND_PROVEN)):
        found = prove_coefficients(robot, exact, program, box, tolerances=tolerances, work=work)
    if not found.unproven:
        return fitted, CoefficientCertificate(robot.name, robot.content_hash, program, box, found.proofs)
    # What is not proven is exact again, and at most snapped angles are left of its error: no search, however late.
    kept = [None if t.name in found.unproven else fit for t, fit in zip(tolerances, fits, strict=True)]
    if not any(kept):
        return None, _exact_coefficients(robot, exact, specification, tolerances, work)
    fitted = fitted_coefficients(form, tolerances, kept)
    with work.unlimited():
        proven = certify_coefficients(
            robot, exact, fitted.torque(), box, tolerances=tolerances, known=found.proofs, work=work
        )
    return fitted, proven


def _exact_coefficients(
    robot: Robot,
    exact: Function,
    specification: Specification,
    tolerances: Sequence[CoefficientTolerance],
    work: Work,
) -> CoefficientCertificate:
    """The proof that the exact program meets the tolerances: at most the error of snapped angles is bounded."""
    with work.unlimited():
        return certify_coefficients(robot, exact, exact, specification.box, tolerances=tolerances, work=work)


def _by_threshold(
    robot: Robot, exact: Function, specification: Specification, threshold: CoefficientThreshold, work: Work
) -> Simplified:
    """(3)."""
    check_independent(robot)
    shorter = abbreviated_coefficients(closed_form(robot), threshold)
    program, motions = shorter.torque(), specification.motions
    with work.limited(work.limit.part(_OF_COEFFICIENTS if motions.velocity else 1.0)):
        proven = certify_coefficients(robot, exact, program, specification.box, work=work)
    if motions.velocity:
        certificate = certify(robot, exact, program, motions, work=work)
    else:
        certificate = Certificate(robot.name, robot.content_hash, program, motions, {})
    return Simplified(replace(certificate, coefficients=proven), shorter)
