"""Error budget: from a required tracking error to the smallest model, within the slack that the uncertainty leaves.

(1)  e0: the guarantee of the loop with the exact model, under the stated uncertainty. The required error e leaves the
     slack s = e - e0. Where s <= 0 at some joint no model suffices, and `TrackingShortfall` lists the costs by cause
(2)  A torque error b causes an acceleration error |M^-1| b, and at joint k a position error of g_k times that, g_k the
     peak gain of its loop (`error_response`):   A b <= s,    A_kj = g_k max over the motion |M^-1|_kj
(3)  Of these b, the one with the largest product: doubling any allowed error saves about as many operations
(4)  A wider tube increases the contributions of all other causes, too: a guarantee with an assumed error b gives the
     true rows of A. The box of the specification grows to the speeds and accelerations that the loop needs
(5)  Simplify within b, then compute the guarantee of the simplified model; where it exceeds e, repeat with smaller b

`tracking_error_part` requires e = (1 + part) e0: the model may add part e0. b is at most a fraction of the torque that
accelerates the joint's own inertia: the model's inertia stays nonsingular. Other torque errors of the specification are
ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from torquec.control.tracked_loop import TrackedLoop
from torquec.control.tracking_guarantee import TrackingGuarantee
from torquec.control.tracking_shortfall import TrackingShortfall, tracking_shortfall
from torquec.errors import SpecificationError
from torquec.foundation.arrays import Array
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work, as_work
from torquec.model.model import Model, as_model
from torquec.model.simplified import simplified_and_checked
from torquec.proof.torque.certificate import Certificate, JointProof
from torquec.robot.robot import Robot
from torquec.simplification.specification import Specification
from torquec.trajectory.trajectory import Trajectory

_BEARABLE = 0.125
"""Largest torque error, as a fraction of the torque that accelerates the joint's own inertia."""

_USED = 0.95
"""Fraction of the slack s that torque errors are planned to use: (2) and (4) are estimates."""

_AMPLIFIED = 1.6
"""Assumed ratio of the rows of A in (4) to those in (2), before (4) is known."""

_FARTHER = 1.5
"""Largest ratio of torque errors to those assumed in (4): the rows of A grow with the errors."""

_LESS, _ATTEMPTS = 0.7, 3
"""Factor on torque errors where the model's guarantee exceeds the requirement, and number of attempts."""

_ROOM, _MOST_GROWN = 1.5, 2.0
"""Margin on the loop's speeds and accelerations, and largest growth of its errors over those with the exact model. The
witness needs the margin: the checker counts viscous friction as a disturbance (PUMA 560: 1.34 times the tube)."""

_POINTS, _ROUNDS = 50, 400
"""Instants of a motion at which inertias are inverted, and iterations of (3)."""


@dataclass(frozen=True)
class TrackingBudget:
    """Error budget: a `specification` with torque errors that meet the required tracking errors, None where none do.

    `wanted` (n,) [rad, m]; `exact`: the guarantee with the exact model. `shortfall`: why there is no specification.
    """

    wanted: tuple[float, ...]
    exact: TrackingGuarantee
    specification: Specification | None = None
    shortfall: TrackingShortfall | None = None

    def to_document(self) -> dict[str, Any]:
        """As JSON values: {wanted, exact, torque_errors, shortfall}, by joint."""
        joints = () if self.specification is None else self.specification.joints
        names = [bound.joint for bound in self.exact.joints] or list(self.exact.budget)
        return {
            "wanted": {name: value for name, value in zip(names, self.wanted, strict=False) if np.isfinite(value)},
            "exact": {bound.joint: bound.position for bound in self.exact.joints},
            "torque_errors": {joint.name: joint.torque_error for joint in joints},
            "shortfall": None if self.shortfall is None else self.shortfall.to_document(),
        }

    def met_by(self, guarantee: TrackingGuarantee) -> bool:
        """Whether a guarantee meets the required errors."""
        pairs = zip(guarantee.joints, self.wanted, strict=True)
        return guarantee.valid and all(bound.position <= most for bound, most in pairs)


@dataclass(frozen=True)
class TrackedModel:
    """A model that meets the required tracking errors, its guarantee, and its error budget.

    `checked`: whether independent code checked its proof; an exact model needs none.
    """

    model: Model
    guarantee: TrackingGuarantee
    budget: TrackingBudget
    checked: bool = False


def simplify_for_tracking(
    source: Robot | Model,
    specification: Specification,
    loop: TrackedLoop,
    *,
    seconds: float | None = None,
    check: bool = True,
    work: Work | None = None,
) -> TrackedModel:
    """Simplify a model for a required tracking error: the smallest one found that provably meets a specification.

    `seconds` limits search, proof and check of the model; guarantees take extra time. The exact model is the result
    where nothing simpler is proven in time. Raises `SpecificationError`, with the costs by cause and single changes
    that would suffice, where the exact model does not meet it either.
    """
    model, task = as_model(source), as_work(work)
    budget = tracking_budget(model, specification, loop, work=task)
    if budget.specification is None:
        assert budget.shortfall is not None
        raise SpecificationError(budget.shortfall.text, where=specification.source, remedy=budget.shortfall.remedy)
    return simplify_within(model, budget, loop, Budget.after(seconds), work=task, check=check)


def simplify_within(
    model: Model, budget: TrackingBudget, loop: TrackedLoop, time: Budget, *, work: Work, check: bool = True
) -> TrackedModel:
    """(5): the smallest model found with the torque errors of a budget that has a specification, within a time."""
    stated = budget.specification
    assert stated is not None
    for _ in range(_ATTEMPTS):
        found = simplified_and_checked(model, stated, time, work=work, check=check, only_simpler=True)
        if found is None:
            break
        simpler, checked = found
        with work.step("bounding the tracking error of the simplified model"):
            guarantee = loop.guarantee(simpler)
        if budget.met_by(guarantee):
            return TrackedModel(simpler, guarantee, replace(budget, specification=stated), checked)
        stated = _with_errors(stated, [_LESS * (joint.torque_error or 0.0) for joint in stated.joints])
    return TrackedModel(model, budget.exact, budget, checked=True)


def tracking_budget(
    source: Robot | Model, specification: Specification, loop: TrackedLoop, *, work: Work | None = None
) -> TrackingBudget:
    """(1) to (4): the torque errors that a model may have to meet the tracking errors of a specification.

    Raises `SpecificationError` for a specification that requires no tracking error.
    """
    model, task = as_model(source), as_work(work)
    if not specification.tracks:
        raise SpecificationError(
            "no tracking error is required", where=specification.source, remedy="state tracking_error"
        )
    with task.step("bounding the tracking error of the exact model"):
        exact = _exact_guarantee(model, loop)
    reached = np.array([bound.position for bound in exact.joints]) if exact.valid else np.full(model.robot.n, np.inf)
    wanted = _wanted(specification, reached)
    left = _USED * (wanted - reached)
    given = TrackingBudget(tuple(wanted.tolist()), exact)
    if not exact.valid or np.any(left <= 0.0):
        with task.step("searching for a sufficient change"):
            return replace(given, shortfall=tracking_shortfall(model, loop, exact, given.wanted))
    specification = _with_room(specification, exact, wanted, loop.trajectory)
    most = _largest_errors(model, specification, loop.trajectory)
    rows = _AMPLIFIED * loop.position_gains(model.robot)[:, None] * _inverse_inertia(model, loop.trajectory)
    errors = largest_product(rows, left, most)
    with task.step("bounding the tracking error with errors of the model"):
        tried = loop.guarantee(_assumed(model, specification, errors))
    if tried.valid:
        grown = np.array([bound.position for bound in tried.joints]) - reached
        rows = rows * (np.maximum(grown, 1e-3 * left) / (rows @ errors))[:, None]
        errors = np.minimum(largest_product(rows, left, most), _FARTHER * errors)
    else:
        errors = errors * _LESS**2
    return replace(given, specification=_with_errors(specification, errors))


def _exact_guarantee(model: Model, loop: TrackedLoop) -> TrackingGuarantee:
    """(1); an unknown payload takes ten times as long, and is tried only if there is a guarantee without it."""
    sets = loop.uncertainty
    if sets is not None and sets.payload is not None:
        bare = replace(loop, uncertainty=replace(sets, payload=None)).guarantee(model)
        if not bare.valid:
            return bare
    return loop.guarantee(model)


def largest_product(rows: Array, left: Array, most: Array) -> Array:
    """The b (n,) with the largest product of those with rows b <= left and b <= most; all numbers positive.

    Iterates the multipliers l of the rows; the optimality condition is b = 1/(l rows).

    >>> largest_product(np.array([[1.0, 1.0]]), np.array([2.0]), np.array([9.0, 9.0])).round(6).tolist()
    [1.0, 1.0]
    """
    weights = np.where(np.isfinite(left), 1.0 / np.where(np.isfinite(left), left, 1.0), 0.0)
    scaled = rows * weights[:, None]
    multipliers = np.ones(len(rows))
    found = most
    for _ in range(_ROUNDS):
        found = np.minimum(1.0 / np.maximum(multipliers @ scaled, 1e-300), most)
        multipliers = np.maximum(multipliers * np.sqrt(np.maximum(scaled @ found, 1e-12)), 1e-12)
    return np.asarray(found / max(1.0, float((scaled @ found).max())))


def without_tracking(specification: Specification) -> Specification:
    """The specification with its torque errors alone."""
    joints = (replace(joint, tracking_error=None, tracking_error_part=None) for joint in specification.joints)
    return replace(specification, joints=tuple(joints))


def _wanted(specification: Specification, reached: Array) -> Array:
    """The required tracking errors (n,); infinite where a joint has none."""
    found = []
    for joint, bound in zip(specification.joints, reached, strict=True):
        part = joint.tracking_error_part
        relative = np.inf if part is None else (1.0 + part) * float(bound)
        found.append(relative if joint.tracking_error is None else joint.tracking_error)
    return np.array(found)


def _with_room(
    specification: Specification, exact: TrackingGuarantee, wanted: Array, trajectory: Trajectory
) -> Specification:
    """The specification with the speeds and accelerations that the loop needs, where those are larger."""
    joints = []
    for k, (joint, bound) in enumerate(zip(specification.joints, exact.joints, strict=True)):
        grown = _ROOM * min(float(wanted[k]) / bound.position, _MOST_GROWN)
        speed = float(np.abs(trajectory.qd[:, k]).max()) + grown * bound.speed
        push = float(np.abs(trajectory.qdd[:, k]).max()) + grown * bound.feedback
        velocity, acceleration = max(joint.velocity, _rounded_up(speed)), max(joint.acceleration, _rounded_up(push))
        joints.append(replace(joint, velocity=velocity, acceleration=acceleration))
    return replace(specification, joints=tuple(joints))


def _largest_errors(model: Model, specification: Specification, trajectory: Trajectory) -> Array:
    """The largest allowed torque errors (n,)."""
    inertia = np.diagonal(_inertias(model, trajectory), axis1=1, axis2=2).min(axis=0)
    return np.asarray(_BEARABLE * inertia * np.array([joint.acceleration for joint in specification.joints]))


def _inertias(model: Model, trajectory: Trajectory) -> Array:
    at = trajectory.at(np.linspace(trajectory.t[0], trajectory.t[-1], _POINTS))
    return np.asarray(model.exact.mass_matrix(at.q))


def _inverse_inertia(model: Model, trajectory: Trajectory) -> Array:
    """The largest magnitudes (n, n) of the inverse of the mass matrix along a motion."""
    found: Array = np.abs(np.linalg.inv(_inertias(model, trajectory))).max(axis=0)
    return found


def _assumed(model: Model, specification: Specification, errors: Array) -> Model:
    """The model with a record of torque errors over the box of the specification, assumed, not proven: for (4)."""
    proofs = {
        joint.name: JointProof(float(error), 0.0) for joint, error in zip(specification.joints, errors, strict=True)
    }
    robot = model.robot
    program = model.function("inverse_dynamics")
    return replace(model, record=Certificate(robot.name, robot.content_hash, program, specification.motions, proofs))


def _with_errors(specification: Specification, errors: Array | Sequence[float]) -> Specification:
    """The specification with torque errors in place of its tracking errors, rounded down to four digits."""
    pairs = zip(specification.joints, errors, strict=True)
    joints = tuple(replace(joint, torque_error=_rounded_down(float(error))) for joint, error in pairs)
    return without_tracking(replace(specification, joints=joints))


def _rounded_up(value: float) -> float:
    return float(f"{value * 1.005:.3g}")


def _rounded_down(value: float) -> float:
    return float(f"{value * (1.0 - 5e-4):.4g}")
