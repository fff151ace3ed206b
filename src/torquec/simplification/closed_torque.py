"""Inverse dynamics in closed form with few terms: what a torque error allows to be left out of the equations of motion.

(1)  a term a B(q) of a coefficient contributes at most |a| max|B| times the speeds or accelerations that go with it to
     a joint's torque; the smallest contributions that add up to no more than half of the joint's error are left out
(2)  errors hardly ever add up like that: what is left loses further terms, its constants fitted again, as long as the
     largest error that can be found stays below what is allowed (:mod:`torquec.simplification.prune`)

It is the cheaper way where axes are parallel or errors large; the other one is
:mod:`torquec.simplification.fewer_parameters`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.closedform import ClosedForm, closed_form
from torquec.closedform.compiled_terms import compile_terms
from torquec.closedform.polynomial import Monomial, TrigPolynomial
from torquec.closedform.rule import Value
from torquec.expr import Function, count_operations
from torquec.foundation.work import Meter, silent
from torquec.proof.coefficient_tolerance import Family
from torquec.proof.motions import Motions
from torquec.robot.robot import Robot
from torquec.simplification.coefficient_model import CoefficientModel, Index, exact_coefficients
from torquec.simplification.prune import prune_within
from torquec.trajectory.box import Box

_LEFT_OUT = 0.5
"""The part of a joint's error that (1) may use."""

_SAMPLES = 4000

Term = tuple[Family, Index, Monomial]


def closed_torque(
    robot: Robot,
    exact: Function,
    motions: Motions,
    tolerance: Sequence[float],
    most: int,
    *,
    meter: Meter = silent,
) -> Function | None:
    """The closed form with fewest operations whose torque errors stay below the tolerances (as far as found).

    `exact` is the program of the robot's inverse dynamics; the robot has no mimic joints. None where the significant
    terms cost more than `most` (:attr:`torquec.expr.OperationCount.cost`): pruning them would take long, and in vain.
    """
    model = significant_coefficients(closed_form(robot), motions, tolerance)
    program = model.torque()
    meter(0.0, 1.0, f"{model.terms} significant terms, {count_operations(program)}")
    if count_operations(program).cost > most:
        return None
    prismatic = [joint.type.is_prismatic for joint in robot.joints]
    return prune_within(exact, program, prismatic, motions, tolerance, meter=meter)


def significant_coefficients(form: ClosedForm, motions: Motions, tolerance: Sequence[float]) -> CoefficientModel:
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
        needed.update(order[int(np.searchsorted(used, _LEFT_OUT * allowed, side="right")) :])
    kept: dict[tuple[Family, Index], Value] = {}
    for key, value in whole.coefficients.items():
        assert isinstance(value, TrigPolynomial)
        terms = {monomial: number for monomial, number in value.terms.items() if (*key, monomial) in needed}
        if terms:
            kept[key] = TrigPolynomial(terms)
    return CoefficientModel(form.n, kept)


def _sizes(polynomial: TrigPolynomial, motions: Motions) -> dict[Monomial, float]:
    """|a| max |B| of every term, the maximum over samples of the positions."""
    monomials = list(polynomial.terms)
    terms = compile_terms(monomials)
    q = Box(motions.lower, motions.upper).samples(terms.joints, _SAMPLES)
    largest = np.abs(terms.values(q)).max(axis=0)
    return {m: abs(float(polynomial.terms[m])) * float(height) for m, height in zip(monomials, largest, strict=True)}


def _weights(family: Family, index: Index, motions: Motions) -> list[tuple[int, float]]:
    """The joints whose torque a coefficient is part of, with the speeds or accelerations that multiply it."""
    if family is Family.G:
        return [(index[0], 1.0)]
    if family is Family.M:
        i, j = index
        push = motions.acceleration
        return [(i, push[j])] if i == j else [(i, push[j]), (j, push[i])]
    i, j, k = index
    return [(i, (1.0 if j == k else 2.0) * motions.velocity[j] * motions.velocity[k])]
