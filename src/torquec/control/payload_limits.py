"""Maximum payload of a robot: by its torque limits, by its tracking guarantee, by linear stability.

(1)  torque: the largest mass that the drives hold (:mod:`torquec.control.payload_torque`)
(2)  guarantee: the largest m for which the tracking error is bounded under an unknown payload of 0 to m kg
(3)  stability: the largest m up to which the linear loop is stable (:mod:`torquec.control.payload_interval`). A stable
     loop may be inaccurate, and its drives may saturate: it is the weakest of the three

The smallest of the limits is the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.control.model_terms import Evaluation, FrictionAt, friction_compensation
from torquec.control.payload_interval import payload_interval
from torquec.control.payload_torque import CarriedMass, LimitStanding, PayloadLimit, mass_along, mass_over_workspace
from torquec.control.poles import PoleArgument, joint_poles
from torquec.control.robustness import COMPUTED_TORQUE, EXACT_MODEL
from torquec.control.tracking_guarantee import TrackingGuarantee, proven_torque, tracking_guarantee
from torquec.control.uncertainty import PayloadUncertainty, Uncertainty
from torquec.errors import ArgumentError
from torquec.foundation.choice import chosen
from torquec.foundation.work import Work, as_work
from torquec.model.model import Model, as_model
from torquec.robot.gripper_joints import hand_frame
from torquec.robot.robot import Robot
from torquec.trajectory.motion_box import joint_box
from torquec.trajectory.trajectory import Trajectory

_STATES = 24
"""Instants or configurations of the linear models."""

_HALVINGS, _GUARANTEES = 10, 4
"""In (2): halvings of the first mass until its error is bounded, then bisections, to a sixteenth of the limit."""


@dataclass(frozen=True)
class PayloadLimits:
    """Payload limits of a mass whose centre is at `centre` (3,) [m] of `frame`.

    `standing`: how the torque limit was found. `by` names the smallest limit, None where nothing limits the mass;
    `kg` is its value.
    """

    frame: str
    centre: tuple[float, float, float]
    standing: LimitStanding
    torque: PayloadLimit
    guarantee: PayloadLimit
    stability: PayloadLimit

    @property
    def by(self) -> str | None:
        """The name of the smallest limit."""
        masses = {name: getattr(self, name).kg for name in ("torque", "guarantee", "stability")}
        known = {name: mass for name, mass in masses.items() if mass is not None}
        return min(known, key=lambda name: known[name]) if known else None

    @property
    def kg(self) -> float | None:
        """The largest mass [kg] that keeps all limits."""
        return None if self.by is None else getattr(self, self.by).kg

    def to_document(self) -> dict[str, Any]:
        """As JSON values: {frame, centre, standing, limits {torque, guarantee, stability}, answer {kg, by}}."""
        return {
            "frame": self.frame,
            "centre": list(self.centre),
            "standing": self.standing.value,
            "limits": {name: getattr(self, name).to_document() for name in ("torque", "guarantee", "stability")},
            "answer": {"kg": self.kg, "by": self.by},
        }


def payload_limits(
    source: Robot | Model,
    motion: Trajectory | None = None,
    *,
    poles: PoleArgument = -20.0,
    period: float = 0.001,
    frame: str | None = None,
    centre: Sequence[float] = (0.0, 0.0, 0.0),
    uncertainty: Uncertainty | None = None,
    evaluation: Evaluation | str = Evaluation.MEASURED,
    friction: FrictionAt | str = FrictionAt.REFERENCE,
    efforts: npt.ArrayLike | None = None,
    largest_error: float | None = None,
    work: Work | None = None,
) -> PayloadLimits:
    """The largest mass at `centre` (3,) [m] of `frame` (the hand's unless given), along a motion or over the workspace.

    The law is computed torque with these `poles` [1/s], every `period` [s], its model evaluated as `evaluation` says.
    `uncertainty`: all other uncertain quantities; the payload is unknown from zero up to the limit. `efforts` (n,) take
    the place of the robot's torque limits. `largest_error` [rad or m]: the largest allowed error in (2). Raises
    `ArgumentError` for a frame that does not exist and for bad numbers, `RobotError` for joints without a range.
    """
    model = as_model(source)
    sets = Uncertainty() if uncertainty is None else uncertainty
    if largest_error is not None and not 0.0 < largest_error < math.inf:
        raise ArgumentError(f"a largest error of {largest_error!r}", remedy="give a positive number of rad or m")
    if sets.payload is not None and frame is None:
        frame = sets.payload.frame
    at = hand_frame(model.robot) if frame is None else model.robot.frame(frame).name
    x, y, z = (float(value) for value in centre)
    where, loss = chosen(Evaluation, evaluation, "evaluation"), friction_compensation(friction)
    task = as_work(work)
    with task.step("searching for the mass that the drives can hold"):
        load = CarriedMass(model, at, (x, y, z), sets, efforts)
        torque, standing = mass_along(load, motion) if motion is not None else mass_over_workspace(load)
    with task.step("searching for the mass at which the loop is stable"):
        stability = _stable(load, motion, poles, period, where)
    others = [limit.kg for limit in (torque, stability) if limit.kg is not None]
    first = min(others, default=model.robot.mass)

    def guaranteed(mass: float) -> TrackingGuarantee:
        known = sets.payload or PayloadUncertainty(at, (0.0, 0.0))
        within = max(known.centre_within, math.hypot(x, y, z))
        load_set = replace(known, frame=at, mass=(0.0, mass), nominal_mass=0.0, centre_within=within)
        carried = None if mass == 0.0 else load_set
        law = {"evaluation": where, "friction": loss, "efforts": load.efforts}
        return tracking_guarantee(
            model,
            poles,
            motion,
            period=period,
            uncertainty=replace(sets, payload=carried),
            **law,  # type: ignore[arg-type]
        )

    guarantee = PayloadLimit(None, None, "a guarantee under an unknown payload needs a motion: give one")
    if model.robot.dependent:
        guarantee = PayloadLimit(None, None, str(proven_torque(model)))
    elif motion is not None:
        with task.step("searching for the mass at which the tracking error is bounded"):
            guarantee = _guaranteed(guaranteed, model.robot, first, largest_error)
    return PayloadLimits(at, (x, y, z), standing, torque, guarantee, stability)


def _stable(
    load: CarriedMass, motion: Trajectory | None, poles: PoleArgument, period: float, evaluation: Evaluation
) -> PayloadLimit:
    """(3)."""
    robot = load.model.robot
    if motion is None:
        q = joint_box(robot).samples(range(robot.n), _STATES)
        states, where = (q, np.zeros_like(q), np.zeros_like(q)), "configurations of the workspace"
    else:
        found = motion.of_joints(robot.joint_names).at(np.linspace(motion.t[0], motion.t[-1], _STATES))
        states, where = (found.q, found.qd, found.qdd), "instants of the motion"
    errors = EXACT_MODEL if evaluation is Evaluation.MEASURED else COMPUTED_TORQUE
    pairs = joint_poles(robot.joint_names, poles)
    try:
        limits = payload_interval(
            load.model, pairs, states, frame=load.frame, center=load.centre, errors=errors, period=period
        )
    except ArgumentError as error:
        return PayloadLimit(0.0, None, error.found)
    seen = f"linear models at {_STATES} {where}"
    if math.isinf(limits.upper):
        return PayloadLimit(None, None, f"{seen} are stable with up to {load.heaviest:.3g} kg")
    return PayloadLimit(
        limits.upper, limits.joint or None, f"{seen} are unstable beyond, joint '{limits.joint}' moves most"
    )


def _guaranteed(
    guaranteed: Callable[[float], TrackingGuarantee], robot: Robot, first: float, largest_error: float | None
) -> PayloadLimit:
    """(2), with the mass that the other limits allow tried first."""

    def refusal(mass: float) -> str:
        found = guaranteed(mass)
        if not found.valid:
            return found.reason
        worst = max(found.joints, key=lambda bound: bound.position)
        if largest_error is not None and worst.position > largest_error:
            return (
                f"the tracking error of joint '{worst.joint}' may reach {worst.position:.3g} {worst.unit}, more than "
                f"{largest_error:g}"
            )
        return ""

    if why := refusal(0.0):
        return PayloadLimit(0.0, _joint_in(robot, why), f"without a payload already, {why}")
    if first <= 0.0:
        return PayloadLimit(0.0, None, "bounded without a payload; another limit allows none")
    if not (why := refusal(first)):
        return PayloadLimit(first, None, f"bounded with {first:.4g} kg, which another limit allows; no more was tried")
    inside, outside = 0.0, first
    for _ in range(_HALVINGS):
        if not (found := refusal(0.5 * outside)):
            inside = 0.5 * outside
            break
        outside, why = 0.5 * outside, found
    for _ in range(_GUARANTEES if inside else 0):
        middle = 0.5 * (inside + outside)
        if found := refusal(middle):
            outside, why = middle, found
        else:
            inside = middle
    return PayloadLimit(inside, _joint_in(robot, why), f"with {outside:.3g} kg {why}")


def _joint_in(robot: Robot, words: str) -> str | None:
    """The first joint that a sentence names in quotes."""
    places = {name: words.find(f"'{name}'") for name in robot.joint_names}
    named = [name for name, place in places.items() if place >= 0]
    return min(named, key=lambda name: places[name]) if named else None
