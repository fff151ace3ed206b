"""Witness of a tracking guarantee: a document from which :mod:`torquec_check` proves the bound again.

The witness states robot, law, sets, reference and the radii of a tube over cells of time. The search of the radii
iterates the checker's own map from a tube to the bounds that follow from it, until the bounds are inside the tube:

(1)  r <- (1 + margin) F(r) from zero, F of `torquec_check.tracking.next_radii`;  accepted where F(r) < r

A guarantee that has a witness is *proven*, with the radii of its tube as bounds; any other is *computed*.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.control.controller import JOINT_REFERENCE, SIGNALS, Controller
from torquec.control.model_terms import Evaluation, FrictionAt, FrictionCompensation, friction_compensation
from torquec.control.poles import error_feedback, joint_poles
from torquec.control.tracked_loop import TrackedLoop
from torquec.control.tracking_guarantee import proven_torque
from torquec.control.uncertainty import SpeedSource, Uncertainty
from torquec.dynamics.sampled_function import SampledFunction
from torquec.errors import ArgumentError, CheckError
from torquec.expr import function_to_dict
from torquec.foundation.arrays import Array
from torquec.model.model import Model, as_model
from torquec.proof.tracking.acceleration_bound import MotionBoxes
from torquec.proof.tracking.error_tube import rounded_torque
from torquec.robot.robot import Robot
from torquec.robot.robot_document import robot_from_dict, robot_to_dict
from torquec.trajectory.polynomial_motion import PolynomialMotion, polynomial_motion
from torquec.trajectory.trajectory import Trajectory
from torquec_check import reference_motion, tracking_sets
from torquec_check.claim import Claim
from torquec_check.document import RefusedError, canonical_hash
from torquec_check.tracking import FORMAT, check_tracking, near_radii, next_radii, problem_of, tracking_claim
from torquec_check.tracking_disturbance import Problem, disturbance

FILE_NAME = "tracking_witness.json"

_CELL = 0.005
"""Length of a cell of time along the motion [s]: enclosures grow little over it."""
_MOST_CELLS = 4000
_ROUNDS = 60
_FIRST_MARGIN = 0.02
_WIDER = 2.0
"""Ranges over which the model's errors are stated, as multiples of the guarantee's radii."""
_STATES, _LEAST_ERROR, _ROUNDING, _AGAIN = 100, 0.01, 1e-9, "design the controller again"
"""States at which a law is compared with that of its witness, errors of positions and speeds that are tried in tubes of
smaller ones, too, and the tolerance for rounding."""
_OF_FILES = (reference_motion.REMEDY, tracking_sets.REMEDY)
"""Remedies of the checker for files, which say nothing to someone who designs the law."""
_BODIES = ("mass_part", "first_moment_part", "inertia_part")
_SETS = ("friction_part", "friction_residual", "position", "position_bias", "speed_noise")


@dataclass(frozen=True, eq=False)
class TrackingWitness:
    """A witness document with the claim that it proves, or the reason why there is none (then both are None).

    `bounds`: by joint position, speed, acceleration, feedback and torque, as in the document of a guarantee.
    """

    document: dict[str, Any] | None
    claim: Claim | None
    bounds: Mapping[str, Mapping[str, float]]
    reason: str = ""

    def applied_to(self, guarantee: Mapping[str, Any]) -> dict[str, Any]:
        """The document of a guarantee with the bounds that are proven, and its key `witness`."""
        if self.document is None or self.claim is None:
            return {**guarantee, "witness": {"reason": self.reason}}
        rows = {}
        for joint, row in guarantee["bounds"].items():
            found = self.bounds[joint]
            effort = None if row["torque_margin"] is None else row["torque"] + row["torque_margin"] - found["torque"]
            rows[joint] = {**row, **found, "torque_margin": effort}
        stated = {"sha256": self.document["sha256"], "conditions": list(self.claim.conditions)}
        return {**guarantee, "bounds": rows, "witness": stated}


def tracking_witness(
    source: Robot | Model, loop: TrackedLoop, *, guarantee: Mapping[str, Any] | None = None, margin: float = 1e-4
) -> TrackingWitness:
    """The witness of a loop's guarantee, or the reason why there is none.

    `guarantee`: its document, where it is known already. `margin`: the relative margin in (1).
    """
    model = as_model(source)
    known = loop.guarantee(model).to_document() if guarantee is None else guarantee
    if not known["valid"]:
        return TrackingWitness(None, None, {}, known["reason"])
    reason = _uncovered(model, loop)
    if reason:
        return TrackingWitness(None, None, {}, reason)
    try:
        stated = _document(model, loop, known)
        problem = problem_of(stated)
        radii, torque = _invariant(problem, margin, known)
        over = torque / problem.efforts
        if over.max() > 1.0:
            k = int(over.argmax())
            raise _NoTubeError(
                f"the checker bounds the torque of '{model.robot.joint_names[k]}' by {torque[k]:.4g}, "
                f"above its limit {problem.efforts[k]:.4g}: move more slowly, or state smaller sets"
            )
        _check_ranges(model, problem, radii)
        names = ("position", "speed", "acceleration", "feedback")
        stated["radii"] = {name: rows.tolist() for name, rows in zip(names, radii, strict=True)}
        stated["claim"] = tracking_claim(stated, problem, radii).sentence
        stated["sha256"] = canonical_hash(stated)
        claim = check_tracking(stated)
    except (RefusedError, _NoTubeError) as error:
        remedy = error.remedy if isinstance(error, RefusedError) and error.remedy not in _OF_FILES else ""
        found = error.found if isinstance(error, RefusedError) else str(error)
        return TrackingWitness(None, None, {}, f"{found}: {remedy}" if remedy else found)
    largest = np.concatenate([radii.max(axis=1), torque[None]])
    keys = ("value", "speed", "acceleration", "feedback", "torque")
    bounds = {
        joint: dict(zip(keys, column.tolist(), strict=True))
        for joint, column in zip(problem.robot.joints, largest.T, strict=True)
    }
    return TrackingWitness(stated, claim, bounds)


class _NoTubeError(Exception):
    """No tube that the checker accepts."""


def _uncovered(model: Model, loop: TrackedLoop) -> str:
    """Reason why the checker does not cover a loop, in words; empty where the loop may have a witness."""
    stated = loop.uncertainty
    motion = loop.trajectory.motion
    if loop.period is None:
        return "a continuous controller has no witness: give a sampling interval"
    if loop.robust is not None:
        return "a robust term has no witness: the law computed-torque has one"
    if loop.evaluation is not Evaluation.MEASURED:
        return "a model that is evaluated at the reference has no witness: evaluate it at the measured state"
    if motion is not None and not isinstance(motion, PolynomialMotion):
        return f"a reference that is a {type(motion).__name__} has no witness: give its samples as a CSV file"
    if stated is not None and stated.timing.jitter:
        return "jitter has no witness: the bound without timing.jitter may have one"
    if stated is not None and any(value for name, value in vars(stated.bodies).items() if name not in _BODIES):
        return "a covariance of bodies has no witness: state mass_part, first_moment_part and inertia_part instead"
    if (
        stated is not None
        and friction_compensation(loop.friction).at is not FrictionAt.REFERENCE
        and _has_friction(model.robot)
    ):
        return "friction that is not compensated at the reference has no witness: compensate it there (friction_at)"
    return ""


def _has_friction(robot: Robot) -> bool:
    drives = [motor.friction for motor in robot.drives.motors]
    return any(each != type(each)() for each in [*drives, *(body.joint.friction for body in robot.bodies)])


def _document(model: Model, loop: TrackedLoop, known: Mapping[str, Any]) -> dict[str, Any]:
    """Everything but radii and claim."""
    robot, period = model.robot, loop.period
    assert period is not None
    feedback = error_feedback(joint_poles(robot.joint_names, loop.poles), period=period, sampled=loop.sampled)
    limits = loop.efforts or tuple(joint.limits.effort for joint in robot.joints)
    sets, delay, filters = _sets(robot, loop, limits)
    law = {
        "stiffness": [float(x) for x in feedback.stiffness],
        "damping": [float(x) for x in feedback.damping],
        "period": period,
        "delay": delay,
        "speed_filter": filters,
    }
    reference = _reference(loop.trajectory)
    stated: dict[str, Any] = {
        "format": FORMAT,
        "robot_document": robot_to_dict(robot),
        "model_errors": _model_errors(model, loop.trajectory, known).tolist(),
        "certificate": None if model.record is None else model.record.content_hash,
        "loop": law,
        "sets": sets,
        "reference": reference,
        "cells": [1],
        "efforts": [float(x) if math.isfinite(x) else None for x in limits],
        "start": {
            name: list(known["start_error"][name].values()) if known.get("start_error") else [0.0] * robot.n
            for name in ("position", "speed")
        },
    }
    samples = math.ceil((reference["breaks"][-1] - reference["breaks"][0]) / period)
    probe = problem_of({**stated, "cells": [samples, 1]})
    stated["cells"] = list(_lengths(samples, len(probe.gains.level), max(round(_CELL / period), 1)))
    return stated


def _lengths(samples: int, memory: int, least: int) -> Iterator[int]:
    """Lengths of cells in samples: equal ones along the motion, longer ones at rest, and the last one without end."""
    size = max(least, -(-samples // _MOST_CELLS))
    yield from [size] * -(-samples // size)
    rest, length = memory, size
    while rest > 0:
        yield length
        rest, length = rest - length, min(2 * length, max(memory // 8, size))
    yield 1


def _sets(robot: Robot, loop: TrackedLoop, limits: tuple[float, ...]) -> tuple[dict[str, Any], int, list[float]]:
    """The sets, the delay in samples, and the filters of differenced speeds; zeros for measured ones."""
    n = robot.n
    bodies = dict.fromkeys(_BODIES, 0.0)
    zeros = {name: [0.0] * n for name in (*_SETS, "drive_error")}
    stated = loop.uncertainty
    if stated is None:
        return {**zeros, "bodies": bodies, "payload": None, "friction": None}, 0, [0.0] * n
    joints = Uncertainty.of(stated, robot)
    drive = [j.torque_part * limit if j.torque_part else 0.0 for j, limit in zip(joints, limits, strict=True)]
    load = stated.payload
    sets = {
        **{name: [float(getattr(joint, name)) for joint in joints] for name in _SETS},
        "drive_error": drive,
        "bodies": {name: float(getattr(stated.bodies, name)) for name in bodies},
        "payload": None if load is None else {**vars(load), "mass": list(load.mass)},
        "friction": {"compensated": "reference", "smoothing": friction_compensation(loop.friction).smoothing},
    }
    return sets, stated.timing.delay, [j.speed_filter if j.speed is SpeedSource.DIFFERENCE else 0.0 for j in joints]


def _reference(trajectory: Trajectory) -> dict[str, Any]:
    """The polynomials of a trajectory, or those between its samples."""
    motion = trajectory.motion
    if not isinstance(motion, PolynomialMotion):
        motion = polynomial_motion(trajectory.t, trajectory.q, trajectory.qd, trajectory.qdd)
    breaks, coefficients = np.asarray(motion.breaks), np.asarray(motion.coefficients)
    if abs(breaks[0] - trajectory.t[0]) > 1e-9 or abs(breaks[-1] - trajectory.t[-1]) > 1e-9:
        raise _NoTubeError("the samples of the reference begin or end elsewhere than its formula")
    return {"breaks": breaks.tolist(), "coefficients": coefficients.tolist()}


def _ranges(trajectory: Trajectory, radii: Array) -> MotionBoxes:
    """One box of the motion with these radii (3, n) of position, speed and command."""
    ends = []
    for values, radius in zip((trajectory.q, trajectory.qd, trajectory.qdd), radii, strict=True):
        between = np.abs(np.diff(values, axis=0)).max(axis=0, initial=0.0) + radius
        ends += [(values.min(axis=0) - between)[None], (values.max(axis=0) + between)[None]]
    return MotionBoxes(*ends)


def _bounds_of(known: Mapping[str, Any]) -> Array:
    """Position, speed and command (3, n) of a guarantee's document."""
    return np.array([[row[key] for key in ("value", "speed", "feedback")] for row in known["bounds"].values()]).T


def _model_errors(model: Model, trajectory: Trajectory, known: Mapping[str, Any]) -> Array:
    """Torque errors of the model (n,) over the motion with `_WIDER` radii: proven, or bounded for an exact model."""
    proven = proven_torque(model)
    if isinstance(proven, str):
        raise _NoTubeError(proven)
    asked = _ranges(trajectory, _WIDER * _bounds_of(known))
    sizes = [
        np.maximum(np.abs(low), np.abs(high))
        for low, high in ((asked.qd_lower, asked.qd_upper), (asked.qdd_lower, asked.qdd_upper))
    ]
    errors = proven.errors(asked.q_lower, asked.q_upper, *sizes) + rounded_torque(proven.torques(asked))
    if not np.isfinite(errors).all():
        raise _NoTubeError("the torque errors of the model are not bounded")
    return np.asarray(errors[0])


def _check_ranges(model: Model, problem: Problem, radii: Array) -> None:
    """Raise unless the stated errors of the model are proven in the tube that was found."""
    proven = proven_torque(model)
    assert not isinstance(proven, str)
    (q_low, q_high), *rates = disturbance(problem, near_radii(problem, radii)).asked
    speed, wanted = (np.abs(each).max(axis=0) for each in rates)
    inside = [q_low >= proven.lower, q_high <= proven.upper, speed <= proven.velocity, wanted <= proven.acceleration]
    if not all(np.all(each) for each in inside):
        raise _NoTubeError(
            "the tube that the checker accepts leaves the certified box: certify a larger one, by larger velocity and "
            "acceleration in the specification"
        )
    if np.any(proven.errors(q_low, q_high, speed, wanted).max(axis=0) > problem.model_errors):
        raise _NoTubeError(
            "the tube that the checker accepts is too wide for the errors of the model: state smaller sets, or faster "
            "poles"
        )


def _invariant(problem: Problem, margin: float, known: Mapping[str, Any]) -> tuple[Array, Array]:
    """(1): radii that the checker's map makes smaller, and the largest torques; `known`: the guarantee's document."""
    radii = np.full((4, len(problem.cells), problem.robot.n), 1e-12)
    step, before = max(_FIRST_MARGIN, margin), None
    accepted = None
    for _ in range(_ROUNDS):
        found, torque = next_radii(problem, radii)
        if np.all(found < radii):
            accepted = radii, torque
            if step <= margin:
                return accepted
            if before is not None and np.abs(found / before - 1.0).max() < step:
                step = max(0.1 * step, margin)
        if not found.max() < 1e6:
            break
        before, radii = found, found * (1.0 + step)
    if accepted is None:
        raise _NoTubeError(_divergence(problem, found[0].max(axis=0), known))
    return accepted


def _divergence(problem: Problem, position: Array, known: Mapping[str, Any]) -> str:
    """Why no tube was found: the joint whose radius (n,) exceeds its guarantee most, and the cause of that."""
    joint = max(
        zip(problem.robot.joints, position.tolist(), strict=True),
        key=lambda at: at[1] / max(known["bounds"][at[0]]["value"], 1e-300),
    )[0]
    parts: Mapping[str, float] = known.get("budget", {}).get(joint, {})
    most = max(parts, key=lambda name: parts[name], default="")
    cause = f", where most of the guarantee's bound is due to '{most}'" if most else ""
    return (
        f"the checker's looser bounds find no tube: they diverge at joint '{joint}'{cause}; state smaller sets, choose "
        "faster poles, or move more slowly"
    )


def check_witnessed_law(law: SampledFunction, document: Mapping[str, Any]) -> None:
    """Compare a controller with the law of a proven witness at random states of its tube; raises `CheckError`."""
    problem = problem_of(document)
    loop, count = problem.loop, _STATES
    plain = isinstance(law, Controller) and not law.slots and law.schedule is None and law.reference == JOINT_REFERENCE
    if not plain or law.joints != problem.robot.joints or law.period != loop.period:
        raise CheckError("the controller is of another kind, rate or joints than its witness", remedy=_AGAIN)
    assert isinstance(law, Controller)
    radii = np.array([document["radii"][name] for name in ("position", "speed", "acceleration", "feedback")])
    seed = int(canonical_hash([document, function_to_dict(law.function)]), 16)  # no law knows the states it is asked at
    near, rng = near_radii(problem, radii), np.random.default_rng(seed)
    ends, cells = disturbance(problem, near).asked, rng.integers(0, near.shape[1], count)
    low, high = np.moveaxis(ends[:, :, cells], 1, 0)
    q, qd, v = low + rng.random(low.shape) * (high - low)
    largest = np.maximum(near[:2, cells], _LEAST_ERROR)
    e, ed = largest * rng.uniform(-1.0, 1.0, largest.shape) ** rng.choice([1, 5], largest.shape)  # large and small ones
    reference = q + e, qd + ed, v - np.array(loop.stiffness) * e - np.array(loop.damping) * ed
    friction = FrictionCompensation(FrictionAt.REFERENCE, problem.sets.smoothing)
    if not problem.sets.has_friction:  # any compensation cancels it exactly
        options = None if law.design is None else law.design.options
        friction = (None if options is None else options.friction) or FrictionCompensation(FrictionAt.NOTHING)
    model, signals = as_model(robot_from_dict(document["robot_document"])), (*reference, q, qd)
    rubbing = [
        friction.torque(model, dict(zip(SIGNALS, row, strict=True))) for row in zip(*map(list, signals), strict=True)
    ]
    wanted = model.inverse_dynamics(q, qd, v) + np.array(rubbing, dtype=np.float64)
    found = np.array([law.torque(*row) for row in zip(*signals, strict=True)])
    if not np.all(np.abs(found - wanted) <= problem.model_errors + _ROUNDING * (1.0 + np.abs(wanted).max())):
        raise CheckError("the controller's torques are not those of the law that its witness is about", remedy=_AGAIN)


def witnessed(
    source: Robot | Model, loop: TrackedLoop, guarantee: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The document of a guarantee with its proven bounds, and the witness, None where there is none."""
    try:
        found = tracking_witness(source, loop, guarantee=guarantee)
    except ArgumentError as error:
        found = TrackingWitness(None, None, {}, error.found)
    return found.applied_to(guarantee), found.document
