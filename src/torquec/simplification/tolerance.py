"""Coefficient tolerances from a specification (Chang & Lee, section III).

(23a)  eps_G_i   = min(step, ramp, parabolic)          (23c)  eps_V_i  = min(ramp, parabolic)
(23b)  eps_H_ijk = min(ramp, parabolic)                (23d)  eps_J_ij = min over joints i and j of parabolic, j != i
       eps_J_ii  = 2 delta, relative, from the damping (15)

(1)  A budget E_i of torque error is shared by contributions |X|max w_X:
     w = 1 (G, V), v_j v_k (H, both orders), a_j (M).
     Proportional, as (21) and (22) have it:  eps_X = |X|max E_i / tau_i,  tau_i the sum of the contributions.
(2)  Smallest first: contributions that together need no more than half of E_i may be left out altogether; the others
     share the rest in equal parts. Torque errors are shared this way: the same sum, and far fewer terms.
(3)  A torque error includes M_ii with its acceleration, absolute like all others.
(4)  The loops of arms with more than six joints share their budgets by (2), too: by (1) every one of two hundred
     coefficients would have to be known to a tenth of itself. Friction, which is not simplified, takes no share then.

Each joint keeps its budget for any estimate of |X|max, since the shares add up to one. A mimic joint's coefficients
count towards the budget of the joint that it follows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from torquec.closedform import ClosedForm
from torquec.closedform.polynomial import TrigPolynomial
from torquec.dynamics.friction_torque import friction_torque
from torquec.errors import ArgumentError, SpecificationError
from torquec.proof.torque.coefficient_certificate import CoefficientTolerance, ErrorKind, Family
from torquec.proof.torque.error_peaks import largest_magnitude
from torquec.simplification.fitting.fit_entries import EntryTask
from torquec.simplification.loop_tolerance import (
    inertia_tolerance,
    parabolic_budget,
    ramp_budget,
    smallest_parabolic_error,
    step_budget,
)
from torquec.simplification.specification import JointRequirement, Specification
from torquec.simplification.tuning import TUNING
from torquec.trajectory.motion_box import MotionBox


@dataclass(frozen=True)
class _Contribution:
    """A coefficient of a joint's torque: |X|max and the speeds or accelerations that multiply it (1)."""

    family: Family
    index: tuple[int, ...]
    size: float
    weight: float

    @property
    def torque(self) -> float:
        return self.size * self.weight


def coefficient_tolerances(form: ClosedForm, specification: Specification) -> tuple[CoefficientTolerance, ...]:
    """The tolerance of every coefficient that is not zero: M (upper triangle), H (j <= k), g and, for control, V.

    Raises `SpecificationError` naming joint, requirement and smallest achievable error where a budget is negative, and
    `ArgumentError` for a specification that is a plain threshold.
    """
    if specification.coefficients is not None:
        raise ArgumentError(
            "the specification is a threshold for coefficients, which are not fitted",
            where=specification.source,
            remedy="use torquec.simplify, which abbreviates them, or state torque errors or control requirements",
        )
    sizes = _Sizes(form, specification.box.of_bodies(form.robot))
    found: dict[tuple[Family, tuple[int, ...]], CoefficientTolerance] = {}
    for requirement in specification.joints:
        for tolerance in _joint_tolerances(form, specification, requirement, sizes):
            key = (tolerance.family, _stored(tolerance.family, tolerance.index))
            before = found.get(key)
            if before is None or _stricter(tolerance, before):
                found[key] = CoefficientTolerance(
                    tolerance.family, key[1], tolerance.value, tolerance.kind, tolerance.joint
                )
    return tuple(found[key] for key in sorted(found))


def torque_budgets(form: ClosedForm, specification: Specification) -> tuple[float, ...]:
    """The torque error that every joint may have (n,): as stated, or the smallest budget of its control requirement.

    A model whose torque errors keep these budgets at the specification's speeds and accelerations meets the
    requirement for any distribution of the error among its coefficients; its own J_ii is counted on top of (22).
    Raises as `coefficient_tolerances` does.
    """
    if specification.coefficients is not None:
        raise ArgumentError(
            "the specification is a threshold for coefficients: it allows no torque error",
            where=specification.source,
            remedy="state torque errors or control requirements",
        )
    sizes = _Sizes(form, specification.box.of_bodies(form.robot))
    found = []
    for requirement in specification.joints:
        if requirement.torque_error is not None:
            found.append(requirement.torque_error)
        else:
            own = _bodies(form, requirement.name)[0][0]
            # The checker reduces the stiffness by 1e-12 of it: a bound of the full budget would be refused.
            found.append(min(_budgets(requirement, sizes(Family.M, (own, own)))) * (1.0 - 1e-9))
    return tuple(found)


def proof_margin(form: ClosedForm) -> float:
    """The part of a tolerance that fits may use."""
    return TUNING.proof_margin_long_arm if _has_many(form) else TUNING.proof_margin


def _has_many(form: ClosedForm) -> bool:
    """Whether (4) holds."""
    return len(form.robot.bodies) > TUNING.bodies_by_parts


def entry_tasks(
    form: ClosedForm, tolerances: tuple[CoefficientTolerance, ...], *, margin: float = 1.0
) -> list[EntryTask]:
    """Tasks of `fit_entries`: every coefficient of the closed form with its tolerance; friction is not fitted.

    `margin` is the part of each tolerance that the fit may use.
    """
    return [
        EntryTask(t.name, t.joint, coefficient(form, t.family, t.index), margin * t.value, t.kind)
        for t in tolerances
        if t.family is not Family.V
    ]


def coefficient(form: ClosedForm, family: Family, index: tuple[int, ...]) -> TrigPolynomial:
    """A coefficient of the closed form by family and indices."""
    if family is Family.M:
        return form.M[index[0], index[1]]
    if family is Family.H:
        return form.christoffel(*index)
    if family is Family.G:
        return form.g[index[0]]
    raise ArgumentError("friction is not a polynomial of the positions", remedy="use Robot.joints[..].friction")


class _Sizes:
    """|X|max over the box, each computed once."""

    def __init__(self, form: ClosedForm, box: MotionBox) -> None:
        self._form = form
        self._box = box
        self._known: dict[tuple[Family, tuple[int, ...]], float] = {}

    def __call__(self, family: Family, index: tuple[int, ...]) -> float:
        key = (family, _stored(family, index))
        if key not in self._known:
            self._known[key] = largest_magnitude(coefficient(self._form, family, key[1]), self._box)
        return self._known[key]


def _stored(family: Family, index: tuple[int, ...]) -> tuple[int, ...]:
    """The indices under which a symmetric coefficient is kept."""
    if family is Family.M:
        return tuple(sorted(index))
    return (index[0], *sorted(index[1:])) if family is Family.H else index


def _stricter(a: CoefficientTolerance, b: CoefficientTolerance) -> bool:
    # A relative and an absolute tolerance never meet: M_ii is relative where its own joint is controlled.
    return a.kind == b.kind and a.value < b.value


def _joint_tolerances(
    form: ClosedForm, specification: Specification, requirement: JointRequirement, sizes: _Sizes
) -> list[CoefficientTolerance]:
    contributions = _contributions(form, specification, requirement.name, sizes)
    if requirement.torque_error is not None:
        fitted = [c for c in contributions if c.family is not Family.V]
        shares = _smallest_first(fitted, requirement.torque_error, TUNING.largest_share)
        return [_tolerance(c, share, requirement.name) for c, share in zip(fitted, shares, strict=True)]
    return _control_tolerances(form, requirement, contributions, sizes)


def _control_tolerances(
    form: ClosedForm, requirement: JointRequirement, contributions: list[_Contribution], sizes: _Sizes
) -> list[CoefficientTolerance]:
    """(23a) to (23d) for one joint."""
    control, name = requirement.control, requirement.name
    assert control is not None
    own = _bodies(form, name)[0][0]
    step, ramp, parabolic = _budgets(requirement, sizes(Family.M, (own, own)))
    many = _has_many(form)
    if many:  # (4)
        contributions = [c for c in contributions if c.family is not Family.V]
    held = [c for c in contributions if c.family in (Family.G, Family.H, Family.V)]
    coupled = [c for c in contributions if c.family is not Family.M or c.index != (own, own)]
    by_ramp, by_parabola = (
        dict(
            zip(
                shared,
                _smallest_first(shared, budget, TUNING.largest_share_long_arm)
                if many
                else _proportional(shared, budget),
                strict=True,
            )
        )
        for shared, budget in ((held, ramp), (coupled, parabolic))
    )
    found = [
        CoefficientTolerance(Family.M, (own, own), inertia_tolerance(control), ErrorKind.RELATIVE, name)
    ]  # fmt: skip
    for c in coupled:
        value = min(by_ramp.get(c, math.inf), by_parabola[c])
        if c.family is Family.G:
            value = min(value, step)
        found.append(_tolerance(c, value, name, TUNING.largest_share_long_arm if many else TUNING.largest_share))
    return found


def _budgets(requirement: JointRequirement, inertia: float) -> tuple[float, float, float]:
    """Torque errors that the step, ramp and parabolic errors of a controlled joint allow; `inertia` is |J_ii|max."""
    motor, control = requirement.motor, requirement.control
    assert motor is not None
    assert control is not None
    parabolic = parabolic_budget(motor, control, inertia)
    if parabolic <= 0.0:
        least = smallest_parabolic_error(motor, control, inertia)
        raise SpecificationError(
            f"joint '{requirement.name}' cannot keep its parabolic error of {control.parabolic_error:.6g}: the "
            f"tolerance of its inertia alone, {inertia_tolerance(control):.3g} of at most {inertia:.6g}, costs "
            f"{least:.6g}",
            remedy=f"allow a parabolic_error of more than {least:.6g}, a smaller damping_error, or a higher resonance",
        )
    return step_budget(motor, control), ramp_budget(motor, control), parabolic


def _tolerance(
    c: _Contribution, value: float, joint: str, largest: float = TUNING.largest_share
) -> CoefficientTolerance:
    # A tolerance as large as the coefficient lets it be zero; proofs need a small margin above that.
    return CoefficientTolerance(c.family, c.index, min(value, c.size * largest), ErrorKind.ABSOLUTE, joint)


def _contributions(form: ClosedForm, specification: Specification, joint: str, sizes: _Sizes) -> list[_Contribution]:
    """Every coefficient of a joint's torque that is not zero (1)."""
    motions = specification.motions.of_bodies(form.robot)
    speed, push = motions.velocity, motions.acceleration
    found = []
    for row, factor in _bodies(form, joint):
        found.append(_Contribution(Family.G, (row,), sizes(Family.G, (row,)), factor))
        for j in range(form.n):
            found.append(_Contribution(Family.M, (row, j), sizes(Family.M, (row, j)), factor * push[j]))
            for k in range(j, form.n):
                both = 1.0 if j == k else 2.0
                weight = factor * both * speed[j] * speed[k]
                found.append(_Contribution(Family.H, (row, j, k), sizes(Family.H, (row, j, k)), weight))
    found.append(_Contribution(Family.V, (_bodies(form, joint)[0][0],), _friction(form, specification, joint), 1.0))
    return [c for c in found if c.size > 0.0]


def _bodies(form: ClosedForm, joint: str) -> list[tuple[int, float]]:
    """The rows of the closed form that act on an independent joint, its own first: (body, |gear|)."""
    found: list[tuple[int, float]] = []
    for b, body in enumerate(form.robot.bodies):
        mimic = body.joint.mimic
        if mimic is None and body.joint.name == joint:
            found.insert(0, (b, 1.0))
        elif mimic is not None and mimic.joint == joint:
            found.append((b, abs(mimic.multiplier)))
    return found


def _friction(form: ClosedForm, specification: Specification, joint: str) -> float:
    """|V_i|max: friction at the largest speed or just off rest in either direction, all joints moving alike."""
    speeds = [requirement.velocity for requirement in specification.joints]
    index = form.robot.joint_index(joint)
    shares = (1.0, -1.0, TUNING.stribeck_speed_share, -TUNING.stribeck_speed_share)
    return max(abs(float(friction_torque(form.robot, [s * v for v in speeds])[index])) for s in shares)


def _proportional(contributions: list[_Contribution], budget: float) -> list[float]:
    """(1)."""
    total = sum(c.torque for c in contributions)
    return [c.size * budget / total if total else math.inf for c in contributions]


def _smallest_first(contributions: list[_Contribution], budget: float, largest: float) -> list[float]:
    """(2); coefficients that are left out count with their `largest` tolerance, relative to their size."""
    order = sorted(range(len(contributions)), key=lambda k: contributions[k].torque)
    used = 0.0
    out: set[int] = set()
    for k in order:
        if used + largest * contributions[k].torque > TUNING.omitted_budget_share * budget:
            break
        used += largest * contributions[k].torque
        out.add(k)
    share = (budget - used) / max(len(order) - len(out), 1)
    return [math.inf if k in out or not c.weight else share / c.weight for k, c in enumerate(contributions)]
