"""Inverse dynamics in closed form with few terms: insignificant terms are left out within the torque tolerance.

(1)  a term a B(q) of a coefficient contributes at most |a| max|B| times its speeds or accelerations to a joint's
     torque. The smallest contributions are left out, as long as they add up to at most half of the joint's error
(2)  this worst case hardly ever occurs: pruning (:mod:`torquec.simplification.prune`) simplifies the result further

This gives shorter programs where axes are parallel or tolerances large; elsewhere
:mod:`torquec.simplification.fewer_parameters` does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.closedform import ClosedForm, closed_form
from torquec.closedform.compiled_terms import compile_terms
from torquec.closedform.fourier import Value
from torquec.closedform.polynomial import Monomial, TrigPolynomial
from torquec.expr import Function, count_operations, operation_cost
from torquec.proof.torque.coefficient_certificate import Family
from torquec.simplification.coefficient_model import CoefficientModel, Index, exact_coefficients
from torquec.simplification.problem import SimplificationProblem
from torquec.simplification.tuning import TUNING
from torquec.trajectory.motion_box import MotionBox

Term = tuple[Family, Index, Monomial]


def closed_form_with_fewer_terms(problem: SimplificationProblem, cheapest: Function) -> list[Function]:
    """The significant terms as one program; none where it costs far more than the cheapest program known.

    Pruning would then take long without success. The closed form is not tried for many joints or with mimic joints.
    """
    many = len(problem.robot.bodies) > TUNING.closed_form_joints
    if many or problem.has_mimic_joints or problem.robot.held:
        return []
    with problem.work.step("leaving terms out of the closed form") as step:
        model = significant_coefficients(closed_form(problem.robot), problem.motions, problem.tolerance)
        program = model.torque()
        step.show(note=f"{model.terms} significant terms, {count_operations(program)}")
    most = int(TUNING.closed_form_reduction * operation_cost(cheapest))
    return [program] if operation_cost(program) <= most else []


def significant_coefficients(form: ClosedForm, motions: MotionBox, tolerance: Sequence[float]) -> CoefficientModel:
    """The coefficients without the terms that (1) leaves out; a term of M stays where either of its joints needs it."""
    whole = exact_coefficients(form)
    contributions: list[dict[Term, float]] = [{} for _ in range(form.n)]
    for (family, index), value in whole.coefficients.items():
        assert isinstance(value, TrigPolynomial)
        for monomial, size in _sizes(value, motions).items():
            for joint, weight in _weights(family, index, motions):
                contributions[joint][family, index, monomial] = size * weight
    needed: set[Term] = set()
    for sizes, allowed in zip(contributions, tolerance, strict=True):
        order = sorted(sizes, key=lambda term: sizes[term])
        used = np.cumsum([sizes[term] for term in order])
        needed.update(order[int(np.searchsorted(used, TUNING.closed_form_omission * allowed, side="right")) :])
    kept: dict[tuple[Family, Index], Value] = {}
    for key, value in whole.coefficients.items():
        assert isinstance(value, TrigPolynomial)
        terms = {monomial: number for monomial, number in value.terms.items() if (*key, monomial) in needed}
        if terms:
            kept[key] = TrigPolynomial(terms)
    return CoefficientModel(form.n, kept)


def _sizes(polynomial: TrigPolynomial, motions: MotionBox) -> dict[Monomial, float]:
    """|a| max |B| of every term, the maximum over samples of the positions."""
    monomials = list(polynomial.terms)
    terms = compile_terms(monomials)
    q = motions.samples(terms.joints, TUNING.closed_form_samples)
    largest = np.abs(terms.values(q)).max(axis=0)
    return {m: abs(float(polynomial.terms[m])) * float(height) for m, height in zip(monomials, largest, strict=True)}


def _weights(family: Family, index: Index, motions: MotionBox) -> list[tuple[int, float]]:
    """The joints whose torque a coefficient is part of, with the speeds or accelerations that multiply it."""
    if family is Family.G:
        return [(index[0], 1.0)]
    if family is Family.M:
        i, j = index
        push = motions.acceleration
        return [(i, push[j])] if i == j else [(i, push[j]), (j, push[i])]
    i, j, k = index
    return [(i, (1.0 if j == k else 2.0) * motions.velocity[j] * motions.velocity[k])]
