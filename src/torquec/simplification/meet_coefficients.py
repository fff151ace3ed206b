"""Coefficients M, c and g that provably meet a specification: control requirements, or a threshold.

(1)  control requirements (Chang & Lee): coefficients fitted within the tolerances (23a-d), each with a proven bound.
     A coefficient that is not fitted and proven in its part of the time stays exact
(2)  a threshold (Clover): the equations without small terms. The error of each coefficient is proven, and that of the
     torques where the specification limits speeds and accelerations. There is no search: where time runs out, bounds
     are looser
"""

from __future__ import annotations

from dataclasses import replace

from torquec.closedform import ClosedForm, closed_form
from torquec.expr import Function
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work
from torquec.proof.torque.certificate import Certificate
from torquec.proof.torque.certify import certify
from torquec.proof.torque.certify_coefficients import (
    certify_coefficients,
    check_independent,
    exact_bounds,
    prove_coefficients,
)
from torquec.proof.torque.coefficient_certificate import CoefficientCertificate, Family
from torquec.robot.robot import Robot
from torquec.simplification.coefficient_model import CoefficientModel, abbreviated_coefficients, fitted_coefficients
from torquec.simplification.fitting.fit_entries import BasisSearch, fit_entries
from torquec.simplification.problem import Simplified
from torquec.simplification.specification import CoefficientThreshold, Specification
from torquec.simplification.time_plan import SHARES
from torquec.simplification.tolerance import coefficient_tolerances, entry_tasks, proof_margin

FELL_BACK = "coefficients for which MIN_BASIS_GEN found no basis"
"""Topic of `Work.notes` with the names of coefficients for which the search fell back on `minimal_basis`."""


def coefficients_within(
    robot: Robot, exact: Function, form: ClosedForm, specification: Specification, budget: Budget, work: Work
) -> tuple[CoefficientModel | None, CoefficientCertificate]:
    """The coefficients M, c and g within the tolerances of control requirements (1), and the proof.

    Where there was no time for any fit, the model is None and the proof is about the exact program: a control
    requirement needs a proof of coefficients. Friction is not simplified.
    """
    tolerances = tuple(t for t in coefficient_tolerances(form, specification) if t.family is not Family.V)
    box = specification.box
    with work.within(budget.share(SHARES.coefficient_fit)):
        tasks = entry_tasks(form, tolerances, margin=proof_margin(form))
        fits = fit_entries(tasks, box, search=specification.search, work=work)
    if specification.search is BasisSearch.MIN_BASIS_GEN:
        named = zip(tolerances, fits, strict=True)
        work.notes[FELL_BACK] = tuple(t.name for t, fit in named if fit is not None and not fit.by_layers)
    if not any(fits):
        return None, certify_coefficients(robot, exact, exact, box, tolerances=tolerances, work=work)
    fitted = fitted_coefficients(form, tolerances, fits)
    program = fitted.torque()
    with work.within(budget.share(SHARES.coefficient_proof)):
        found = prove_coefficients(robot, exact, program, box, tolerances=tolerances, work=work)
    if not found.unproven:
        others = exact_bounds(exact, box)
        return fitted, CoefficientCertificate(robot.name, robot.content_hash, program, box, found.proofs, others)
    # Unproven coefficients become exact again. Snapped angles are their only error: no search, even if late.
    kept = [None if t.name in found.unproven else fit for t, fit in zip(tolerances, fits, strict=True)]
    if not any(kept):
        return None, certify_coefficients(robot, exact, exact, box, tolerances=tolerances, work=work)
    fitted = fitted_coefficients(form, tolerances, kept)
    proven = certify_coefficients(
        robot, exact, fitted.torque(), box, tolerances=tolerances, known=found.proofs, work=work
    )
    return fitted, proven


def coefficients_above(
    robot: Robot,
    exact: Function,
    specification: Specification,
    threshold: CoefficientThreshold,
    budget: Budget,
    work: Work,
) -> Simplified:
    """The equations without terms below the threshold (2), and the proof."""
    check_independent(robot)
    shorter = abbreviated_coefficients(closed_form(robot), threshold)
    program, motions = shorter.torque(), specification.motions
    with work.within(budget.share(SHARES.threshold_proof if motions.velocity else 1.0)):
        proven = certify_coefficients(robot, exact, program, specification.box, work=work)
    certificate = Certificate(robot.name, robot.content_hash, program, motions, {}, robot_document=robot)
    if motions.velocity:
        with work.within(budget):
            certificate = certify(robot, exact, program, motions, work=work)
    return Simplified(replace(certificate, coefficients=proven), shorter)
