"""Claims of `torquec design` on a controller: the computed bound on its tracking error, and robustness statistics."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from torquec.errors import ArgumentError
from torquec.project.law_choice import LawChoice, compensated_friction
from torquec.project.tuning import TUNING

if TYPE_CHECKING:
    from torquec.control.guarantee_design import GuaranteeDesign
    from torquec.control.law_options import LawKind
    from torquec.control.poles import JointPoles
    from torquec.control.robustness import ModelErrors
    from torquec.control.tracked_loop import TrackedLoop
    from torquec.control.tracking_guarantee import TrackingGuarantee
    from torquec.control.uncertainty import Uncertainty
    from torquec.foundation.arrays import Array
    from torquec.foundation.work import Work
    from torquec.model.model import Model
    from torquec.robot.robot import Robot
    from torquec.trajectory import Trajectory

Choice = TypeVar("Choice", bound=LawChoice)


def law_errors(kind: LawKind, options: LawChoice) -> ModelErrors:
    """Model errors of a law's linear loop: computed torque at the measured state has those of pole placement."""
    from torquec.control.law_options import LawKind
    from torquec.control.robustness import COMPUTED_TORQUE, EXACT_MODEL

    at_reference = kind is LawKind.COMPUTED_TORQUE and options.evaluation == "reference"
    return COMPUTED_TORQUE if at_reference else EXACT_MODEL


def promises(
    model: Model,
    kind: LawKind,
    options: LawChoice,
    motion: Trajectory | None,
    point: tuple[tuple[float, ...], ...],
    *,
    uncertainty: Uncertainty | None = None,
    guarantee: Mapping[str, Any] | None = None,
    work: Work | None = None,
) -> dict[str, Any]:
    """The keys `guarantee`, `payload` and `covariance` of the document; empty where nothing is known.

    The guarantee is for every robot within the `uncertainty`, or without one for the nominal robot without friction;
    `guarantee` is one that is already known. The key `witness` has the document that proves it, None if the guarantee
    is only computed.
    """
    import numpy as np

    from torquec.control.largest_set import largest_set
    from torquec.control.laws import LAWS
    from torquec.control.tracking_witness import witnessed
    from torquec.foundation.work import as_work
    from torquec.robot.robot_document import robot_to_dict
    from torquec_check.claim import claimed_robot

    task = as_work(work)
    with task.step("bounding the tracking error"):
        robot = claimed_robot(robot_to_dict(model.robot)).to_document()
        bound = None if guarantee else law_guarantee(model, kind, options, motion, uncertainty)
    if bound is not None and bound.cause:
        loop = tracked_loop(model.robot, options, motion, uncertainty)
        if largest := largest_set(model, loop, bound.cause, work=task):
            bound = replace(bound, reason=f"{bound.reason}; {largest.text}")
    known = bound.to_document() if bound else dict(guarantee or {})
    witness = None
    if known.get("valid") and motion is not None:
        with task.step("searching for a witness of the bound"):
            known, witness = witnessed(model, tracked_loop(model.robot, options, motion, uncertainty), known)
    stated = {**known, "robot": robot}
    document: dict[str, Any] = {"guarantee": stated, "payload": {}, "covariance": {}, "witness": witness}
    if not LAWS[kind].places_poles:
        return document
    if motion is None:
        states = tuple(np.array([part]) for part in point)
    else:
        found = motion.at(np.linspace(motion.t[0], motion.t[-1], TUNING.linear_model_instants))
        states = (found.q, found.qd, found.qdd)
    poles = options.pairs(model.robot)
    with task.step("searching for the heaviest payload"):
        document["payload"] = _payload(model, kind, options, poles, states)
    with task.step("searching for the worst likely parameters"):
        document["covariance"] = _covariance(model, options, poles, states)
    return document


def law_guarantee(
    model: Model, kind: LawKind, options: LawChoice, motion: Trajectory | None, uncertainty: Uncertainty | None
) -> TrackingGuarantee:
    """The tracking guarantee of the chosen law, for the nominal robot or under an uncertainty."""
    from torquec.control.tracking_guarantee import TrackingGuarantee, tracking_guarantee

    if reason := _no_guarantee(kind, options, uncertainty):
        return TrackingGuarantee(False, reason)
    loop = _loop(model.robot, options, uncertainty)
    return tracking_guarantee(model, loop.pop("poles"), motion, **loop)


def best_guarantee(
    model: Model,
    options: Choice,
    motion: Trajectory | None,
    uncertainty: Uncertainty | None,
    *,
    seconds: float,
    work: Work,
) -> tuple[Choice, GuaranteeDesign]:
    """The law and poles with the smallest proven bound, as a choice, and how they were found.

    Raises `ArgumentError` for options that it chooses itself, without a motion or sets, and where nothing is proven.
    """
    import numpy as np

    from torquec.control.guarantee_design import design_for_guarantee
    from torquec.control.law_options import LawKind
    from torquec.control.tracked_loop import TrackedLoop

    if motion is None or uncertainty is None:
        raise ArgumentError("a design for the guarantee needs a motion and sets", remedy="--trajectory, --uncertainty")
    for name in ("poles", "evaluation", "sampled", "option", "abbreviated"):
        if getattr(options, name):
            raise ArgumentError(f"--for-guarantee chooses '{name}' itself", remedy=f"leave out --{name}")
    laws = (LawKind.COMPUTED_TORQUE, LawKind.ROBUST) if options.controller is None else (options.kind,)
    plain = replace(options, controller=None)
    loop = TrackedLoop(trajectory=motion, **_loop(model.robot, plain, uncertainty))
    found = design_for_guarantee(model, loop, laws=laws, seconds=seconds, work=work)
    best = found.best.loop
    words = None
    if best.robust is not None:
        words = [f"{key}={','.join(map(repr, getattr(best.robust, key)))}" for key in ("amplitude", "layer")]
    poles = ",".join(f"{float(pole):g}" for pole in np.real(best.poles))
    law, evaluation = found.best.law.value, str(best.evaluation)
    return replace(options, controller=law, poles=poles, evaluation=evaluation, option=words), found


def tracked_loop(
    robot: Robot, options: LawChoice, motion: Trajectory | None, uncertainty: Uncertainty | None
) -> TrackedLoop:
    """The control loop to which the tracking errors of a specification apply.

    Raises `ArgumentError` without a motion, and for a law whose tracking error cannot be bounded.
    """
    from torquec.control.tracked_loop import TrackedLoop

    if motion is None:
        raise ArgumentError("tracking errors are required, and are along a motion", remedy="give one: --trajectory CSV")
    if reason := _no_guarantee(options.kind, options, uncertainty):
        raise ArgumentError(
            f"tracking errors are required, and there is no guarantee: {reason}", remedy="change the law"
        )
    return TrackedLoop(trajectory=motion, **_loop(robot, options, uncertainty))


def _no_guarantee(kind: LawKind, options: LawChoice, uncertainty: Uncertainty | None) -> str:
    """Why no tracking error of a law can be bounded; "" where one may be."""
    from torquec.control.law_options import LawKind

    if kind is LawKind.ROBUST and uncertainty is not None and options.evaluation != "reference":
        return ""
    if kind is not LawKind.COMPUTED_TORQUE or (options.evaluation == "reference" and uncertainty is None):
        return "only computed torque at the measured state has one: --controller computed-torque --evaluation measured"
    if options.abbreviated:
        return "nothing is proven about an abbreviated model: use a simplified one, which is certified"
    return ""


def _loop(robot: Robot, options: LawChoice, uncertainty: Uncertainty | None) -> dict[str, Any]:
    """The arguments of `TrackedLoop` and `tracking_guarantee`, without the motion."""
    from torquec.control.law_options import ControllerOptions, LawKind, with_words
    from torquec.control.robust_computed_torque import RobustTerm

    robust = None
    if options.kind is LawKind.ROBUST:
        words = with_words(ControllerOptions(), options.option or [])
        robust = RobustTerm.usual(options.pairs(robot), words.amplitude, words.layer)
    return {
        "robust": robust,
        "poles": [(pair.first, pair.second) for pair in options.pairs(robot).pairs],
        "period": options.period,
        "sampled": options.sampled,
        "efforts": tuple(options.effort * joint.limits.effort for joint in robot.joints),
        "uncertainty": uncertainty,
        "evaluation": options.evaluation or "measured",
        "friction": compensated_friction(options) or "reference",
    }


def _payload(
    model: Model, kind: LawKind, options: LawChoice, poles: JointPoles, states: tuple[Array, ...]
) -> dict[str, Any]:
    from torquec.control.payload_interval import payload_interval

    q, qd, qdd = states
    try:
        found = payload_interval(
            model, poles, (q, qd, qdd), errors=law_errors(kind, options), period=options.period, sampled=options.sampled
        )
    except ArgumentError as error:
        return {"reason": error.found}
    limits = {"lower": found.lower, "upper": found.upper}
    return {
        **{key: value if math.isfinite(value) else None for key, value in limits.items()},
        "unit": "kg",
        "frame": found.frame,
    }


def _covariance(model: Model, options: LawChoice, poles: JointPoles, states: tuple[Array, ...]) -> dict[str, Any]:
    import numpy as np

    from torquec.control.structured_errors import covariance_margin
    from torquec.parameters import base_parameters

    parameters = model.parameters
    if parameters is None or parameters.covariance is None:
        return {}
    base = base_parameters(model.robot).names
    place = {name: k for k, name in enumerate(parameters.names)}
    if any(name not in place for name in base):
        return {"reason": "the covariance is not that of the robot's base parameters"}
    rows = [place[name] for name in base]
    S = np.array(parameters.covariance)[np.ix_(rows, rows)]
    q, qd, qdd = (part[:: max(1, len(part) // 3)] for part in states)
    found = covariance_margin(model, S, poles, (q, qd, qdd), period=options.period, sampled=options.sampled)
    return {
        "level": found.level,
        "stable": found.is_stable,
        "scale": found.scale if math.isfinite(found.scale) else None,
    }
