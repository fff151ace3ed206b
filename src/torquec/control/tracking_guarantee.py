"""Proven bound on the tracking error of computed torque, from the certified torque error of a model.

The robot obeys tau = tau(q, qd, qdd), its exact rigid bodies, rotors and springs. Computed torque at the measured state
(CT2) uses a model P of these torques: every T seconds it measures the state, and until the next sample it holds

(1)  tau_k = P(q, qd, v) at t_k,     v = qdd_ref + p e + s ed,     e = q_ref - q,   ed = qd_ref - qd
(2)  At t_k the certificate bounds |P - tau(q, qd, v)| <= b, so that qdd = v + w_k,  |w_k| <= W = |M^-1| b.
(3)  Until the next sample tau_k is constant and only the robot moves: qdd changes at a rate a' given by its dynamics,
     and qdd_ref at the jerk j. With |a'| + |j| <= R, and z the time since t_k,

       edd = -(p e_k + s ed_k) - d(t),    |d| <= W + z R

(4)  This is a linear system with a bounded input: |e| <= N_W W + N_R R. The norms N are those of the sampled loop,
     between samples too (`sampled_response`), or for a continuous controller the L1 norms of the loop's impulse
     responses (:mod:`torquec.proof.tracking.error_response`).
(5)  W and R are bounded over the tube of all motions within (4) of the reference. The bound (4) follows from W and R:
     the tube is self-consistent, that is invariant (`error_tube`). M and its rates are bounded by intervals or, where
     these fail, in mean-value form (`acceleration_bound`). Under an uncertainty the radii of the tube vary with time
     (`varying_tube`). Without a reference, W and R are bounded over the certified box, and the guarantee is for every
     reference that stays far enough inside (`box_tube`).

Without an `Uncertainty` the guarantee is for exactly the robot of the certificate, without friction (or with friction
that the controller cancels exactly), sensor errors or delays. With one, the plant may be any robot in its sets
(:mod:`torquec.proof.tracking.plant_uncertainty`), the model may be evaluated at the reference, too, and `budget` is
the cost of each set. Where no tube is proven there is no guarantee, and the reason is stated.

:mod:`torquec.control.tracking_claim` states the guarantee with all of its conditions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.control.model_terms import Evaluation, FrictionAt, FrictionCompensation, friction_compensation
from torquec.control.poles import ErrorFeedback, JointPoles, PoleArgument, error_feedback, joint_poles
from torquec.control.robust_computed_torque import RobustTerm
from torquec.control.tracking_claim import CONDITIONS
from torquec.control.uncertainty import SpeedSource, Uncertainty
from torquec.control.uncertainty_sets import payload_cells, plant_uncertainty
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, by_joint
from torquec.foundation.choice import chosen
from torquec.foundation.notebook_display import NotebookDisplay
from torquec.foundation.one_thread import one_thread
from torquec.model.model import Model, as_model
from torquec.model.model_parameters import ModelKind
from torquec.proof.tracking.box_tube import BoxTube, box_tube
from torquec.proof.tracking.coupled_loop import CoupledErrorLoop
from torquec.proof.tracking.divergence_reason import Divergence
from torquec.proof.tracking.error_response import ErrorResponse, error_response, sampled_response
from torquec.proof.tracking.error_tube import ErrorTube, Radii, TubeLoop, TubeProblem, error_tube, joint_unit
from torquec.proof.tracking.plant_uncertainty import PlantUncertainty
from torquec.proof.tracking.time_pieces import with_rest
from torquec.proof.tracking.torque_error_bound import ProvenTorque, certified_torque_error, exact_torque_error
from torquec.proof.tracking.varying_tube import VaryingTube, varying_tube
from torquec.proof.tracking.viscous_damping import ViscousDamping
from torquec.robot.robot import Robot
from torquec.robot.robot_document import robot_to_dict
from torquec.trajectory.motion_enclosure import MotionEnclosure, motion_enclosure
from torquec.trajectory.trajectory import Trajectory
from torquec_check.claim import ClaimedRobot, claimed_robot


def proven_torque(model: Model) -> ProvenTorque | str:
    """The certified torque error of the model's inverse dynamics, or the reason why there is none."""
    if model.robot.dependent:
        return "no bound covers the closure of loops: torques of dependent joints are projected"
    program = model.function("inverse_dynamics")
    if model.record is not None:
        return certified_torque_error(program, model.robot, model.record)
    if model.kind is not ModelKind.EXACT:
        return f"nothing is proven about the torques of a model of the kind '{model.kind}': it has no certificate"
    return exact_torque_error(program, model.robot)


_PIECE = 0.002  # [s], a usual sampling interval: enclosures grow little over one
_LONGER_PIECE = 0.005  # the same [s] for tubes that vary with time
_FEWEST, _MOST = 256, 32768
"""Smallest and largest number of time pieces of a motion: short motions need narrow pieces, long ones fit memory."""

_COARSE, _FINE = (2, 2), (3, 3)  # cells of a payload: mass ranges, cubes per axis of its centre; fine if these fail

_POSITIONS = 16  # of a motion, at which the inertia is compared with the friction
_STILL = 1e-12  # speeds and accelerations of the reference below it are rounding error, which its enclosure covers
_NOTHING = 1e-14  # parts of a bound [rad or m] below it are rounding error, and not listed in a budget
_RISE = 0.1  # default time in which references reach their largest acceleration from rest [s]


@dataclass(frozen=True)
class JointBound:
    """Proven bounds of a joint's tracking error at every instant.

    `position` [rad or m], `speed` and `acceleration`; `feedback`: the largest commanded acceleration beyond that of
    the reference; `torque`: the largest commanded torque, with friction where the controller cancels it;
    `effort`: the limit of the drive; `sliding` [rad/s or m/s]: the variable s of a robust term, zero without one.
    """

    joint: str
    unit: str
    position: float
    speed: float
    acceleration: float
    feedback: float
    torque: float
    effort: float
    sliding: float = 0.0

    @property
    def torque_margin(self) -> float:
        """Torque reserve of the drive [N m or N]; infinite where it has no limit."""
        return self.effort - self.torque


@dataclass(frozen=True)
class ReferenceLimits:
    """Limits on a reference for which the guarantee holds: positions, speed, acceleration and jerk."""

    joint: str
    lower: float
    upper: float
    velocity: float
    acceleration: float
    jerk: float


@dataclass(frozen=True)
class StartError:
    """Largest initial tracking error, (n,) or one number for all joints [rad or m; speeds per second]."""

    position: float | tuple[float, ...] = 0.0
    speed: float | tuple[float, ...] = 0.0


_ON_THE_REFERENCE = StartError()


@dataclass(frozen=True)
class TrackingGuarantee(NotebookDisplay):
    """Guaranteed bounds of the tracking error by joint, or the reason why there are none (then bounds are empty).

    `start` and `end` [s]: time span; the end is infinite where the reference comes to rest. `references`: limits on
    references by joint, if no reference was given; empty for a guarantee along one. `start_error`: the largest initial
    error. `period` [s]: sampling interval, None for a continuous controller; `robot`: its name, hash, payload, locked
    joints and gravity. `conditions`: the uncertainty sets in words. `budget`: by joint, the part of the position bound
    due to each cause [rad or m]; `tube`: its radii; `cause`: the set that contributes most where bounds diverge.
    """

    valid: bool
    reason: str
    joints: tuple[JointBound, ...] = ()
    start: float = 0.0
    end: float = 0.0
    references: tuple[ReferenceLimits, ...] = ()
    start_error: StartError = _ON_THE_REFERENCE
    period: float | None = None
    robot: ClaimedRobot | None = None
    conditions: str = CONDITIONS
    budget: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    tube: ErrorTube | None = field(default=None, compare=False, repr=False)
    cause: str = ""

    def to_document(self) -> dict[str, Any]:
        """As JSON values: {valid, reason, bounds {joint: {value, unit, ..}}, ..}; None for no limit."""
        return {
            "valid": self.valid,
            "reason": self.reason,
            "bounds": {
                bound.joint: {
                    "value": bound.position,
                    "unit": bound.unit,
                    "speed": bound.speed,
                    "acceleration": bound.acceleration,
                    "feedback": bound.feedback,
                    "torque": bound.torque,
                    "torque_margin": bound.torque_margin if math.isfinite(bound.torque_margin) else None,
                    **({"sliding": bound.sliding} if bound.sliding else {}),
                }
                for bound in self.joints
            },
            "start": self.start,
            "end": self.end if math.isfinite(self.end) else None,
            "references": {
                limits.joint: {
                    key: value if math.isfinite(value) else None
                    for key, value in vars(limits).items()
                    if key != "joint"
                }
                for limits in self.references
            },
            "start_error": {
                name: {bound.joint: value for bound, value in zip(self.joints, values, strict=True)}
                for name in ("position", "speed")
                for values in [by_joint(name, getattr(self.start_error, name), len(self.joints)).tolist()]
            },
            "period": self.period,
            "robot": None if self.robot is None else self.robot.to_document(),
            "conditions": self.conditions,
            "budget": {joint: dict(parts) for joint, parts in self.budget.items()},
        }


def tracking_guarantee(
    source: Robot | Model,
    poles: PoleArgument,
    trajectory: Trajectory | None = None,
    *,
    period: float | None = None,
    sampled: bool = False,
    start: StartError = _ON_THE_REFERENCE,
    efforts: npt.ArrayLike | None = None,
    jerk: npt.ArrayLike | None = None,
    uncertainty: Uncertainty | None = None,
    evaluation: Evaluation | str = Evaluation.MEASURED,
    friction: FrictionCompensation | FrictionAt | str = FrictionAt.REFERENCE,
    robust: RobustTerm | None = None,
) -> TrackingGuarantee:
    """The guarantee for computed torque along a trajectory, or why there is none.

    `source`: a model with a certificate, or an exact one. `poles`, `period` [s], `sampled`: as in `computed_torque`;
    without a period the controller is continuous. `efforts` (n,) take the place of the robot's limits. Without a
    trajectory the guarantee is for every reference inside the certified box with a jerk of at most `jerk` (n,); the
    default takes a joint to its largest acceleration in 0.1 s.

    `uncertainty`: the sets that contain the robot; None is the nominal robot, without friction. With sets, and a
    trajectory, the law may evaluate its model at the reference (`evaluation`). `friction`: its friction compensation;
    `robust`: the term of `robust_computed_torque`, which is proven to stay within its layer.
    Raises `ArgumentError` for poles that are unstable or too fast, for joints that are not the robot's, for invalid
    numbers and for a law at the reference without an uncertainty.
    """
    model = as_model(source)
    uncertainty = None if uncertainty is None else uncertainty.with_identified(model)
    robot = model.robot
    pairs = joint_poles(robot.joint_names, poles)
    feedback = error_feedback(pairs, period=period, sampled=sampled) if robust is None else robust.feedback(pairs)
    evaluated = chosen(Evaluation, evaluation, "evaluation")
    law = _Law(evaluated, friction_compensation(friction), period, uncertainty, pairs, robust)
    if uncertainty is None and (law.evaluation is not Evaluation.MEASURED or robust is not None):
        raise ArgumentError(
            "a guarantee without uncertainty is for computed torque with a model evaluated at the measured state",
            remedy='evaluation="measured" and no robust term, or give an uncertainty: tq.Uncertainty()',
        )
    found = _guarantee(model, law, feedback, trajectory, start=start, efforts=efforts, jerk=jerk)
    conditions = CONDITIONS if uncertainty is None else uncertainty.conditions(robot)
    return replace(found, period=period, robot=claimed_robot(robot_to_dict(robot)), conditions=conditions)


@dataclass(frozen=True)
class _Law:
    """How the law evaluates its model, which friction it compensates, when it runs, and on which robots."""

    evaluation: Evaluation
    friction: FrictionCompensation
    period: float | None
    uncertainty: Uncertainty | None
    poles: JointPoles
    robust: RobustTerm | None = None

    def responses(self, feedback: ErrorFeedback) -> tuple[ErrorResponse, ...]:
        """The error norms (4) of every joint's loop."""
        pairs = zip(feedback.stiffness, feedback.damping, strict=True)
        if self.period is None:
            return tuple(error_response(p, s) for p, s in pairs)
        return tuple(sampled_response(p, s, self.period) for p, s in pairs)

    def coupled(self, robot: Robot, feedback: ErrorFeedback, viscous: ViscousDamping) -> CoupledErrorLoop:
        """The sampled loop, with the torque delay and the differentiated positions of the uncertainty."""
        assert self.uncertainty is not None
        if self.period is None:
            raise ArgumentError("a guarantee under uncertainty without a sampling interval", remedy="give period=...")
        shares = [j.speed_filter if j.speed is SpeedSource.DIFFERENCE else 0.0 for j in self.uncertainty.of(robot)]
        gains = np.array(feedback.stiffness), np.array(feedback.damping)
        integral = None if feedback.integral is None else np.array(feedback.integral)
        return CoupledErrorLoop(*gains, self.period, self.uncertainty.timing.delay, np.array(shares), integral, viscous)

    def sliding(self, sets: PlantUncertainty, radii: Radii, reference: MotionEnclosure) -> Array:
        """Bound (n,) of the sliding variable of the robust term, zero without one."""
        if self.robust is None:
            return np.zeros_like(radii.position)
        fastest = (np.abs(reference.qdd) + reference.qdd_spread).max(axis=0) + radii.acceleration
        seen = radii.position + sets.position_error, radii.speed + sets.speed_errors(fastest)
        return self.robust.sliding(self.poles, *seen, radii.feedback)

    def cells(self, masses: int, cubes: int) -> Array:
        """Boxes of the payload's parameters: its mass in `masses` ranges, its centre in `cubes` along each axis."""
        return payload_cells(None if self.uncertainty is None else self.uncertainty.payload, masses, cubes)

    def sets(
        self, model: Model, nominal: Robot, feedback: ErrorFeedback, efforts: Array, motion: Trajectory | None
    ) -> PlantUncertainty | str | None:
        """The sets of the uncertainty as arrays; None without one."""
        if self.uncertainty is None:
            return None
        return plant_uncertainty(
            model,
            self.uncertainty,
            nominal,
            feedback=feedback,
            period=self.period,
            evaluation=self.evaluation,
            friction=self.friction,
            efforts=efforts,
            motion=None if motion is None else motion.q[:: max(len(motion) // _POSITIONS, 1)],
        )


def _guarantee(
    model: Model,
    law: _Law,
    feedback: ErrorFeedback,
    trajectory: Trajectory | None,
    *,
    start: StartError,
    efforts: npt.ArrayLike | None,
    jerk: npt.ArrayLike | None,
) -> TrackingGuarantee:
    """The guarantee, its robot, period and conditions not yet filled in."""
    robot = model.robot
    if trajectory is not None and trajectory.joints != robot.joint_names:
        raise ArgumentError(
            f"the trajectory moves {', '.join(trajectory.joints)}",
            remedy=f"the joints are {', '.join(robot.joint_names)}",
        )
    begin = [by_joint(f"start.{name}", getattr(start, name), robot.n) for name in ("position", "speed")]
    limits = [joint.limits.effort for joint in robot.joints] if efforts is None else efforts
    drives = by_joint("efforts", limits, robot.n)
    proven = proven_torque(model)
    sets = proven if isinstance(proven, str) else law.sets(model, proven.robot, feedback, drives, trajectory)
    if isinstance(proven, str) or isinstance(sets, str):
        return TrackingGuarantee(False, str(sets))
    responses = law.responses(feedback) if sets is None else ()
    loop = TubeLoop(responses, law.period or 0.0, begin[0], begin[1], drives)
    if trajectory is None:
        if sets is not None:
            return TrackingGuarantee(False, "a guarantee under uncertainty needs a motion: give a trajectory")
        fastest = proven.acceleration / _RISE if jerk is None else by_joint("jerk", jerk, robot.n)
        found = box_tube(proven, loop, jerk=fastest)
        return TrackingGuarantee(False, found) if isinstance(found, str) else _in_box(proven, found, drives, start)
    length = _PIECE if sets is None else _LONGER_PIECE
    pieces = int(np.clip(math.ceil(trajectory.duration / length), _FEWEST if sets is None else 1, _MOST))
    reference = motion_enclosure(trajectory, pieces=pieces, window=loop.period)
    end = math.inf if _rests(trajectory, reference.end) else reference.end
    if sets is None:
        tube = error_tube(TubeProblem(proven, loop, reference))
        if isinstance(tube, str):
            tube = error_tube(TubeProblem(proven, loop, reference, closer=True))
    else:
        coupled = law.coupled(robot, feedback, sets.viscous)
        memory = loop.period * coupled.nominal_memory
        longer, edges = with_rest(reference, memory, rests=math.isinf(end))
        tube = _uncertain(law, VaryingTube(proven, sets, loop, coupled, longer, edges, law.cells(*_COARSE)))
    if isinstance(tube, str):
        return TrackingGuarantee(False, str(tube), cause=tube.cause if isinstance(tube, Divergence) else "")
    sliding = np.zeros(robot.n) if sets is None else law.sliding(sets, tube.radii, reference)
    if law.robust is not None and (reason := law.robust.leaves_layer(robot.joint_names, sliding)):
        return TrackingGuarantee(False, reason)
    bounds = _bounds(proven, tube, drives, sliding)
    budget = {
        name: {cause: float(cost[k]) for cause, cost in tube.costs.items() if cost[k] > _NOTHING}
        for k, name in enumerate(robot.joint_names)
    }
    return TrackingGuarantee(True, "", bounds, float(trajectory.t[0]), end, start_error=start, budget=budget, tube=tube)


def _uncertain(law: _Law, problem: VaryingTube) -> ErrorTube | str:
    """The tube of a plant in the sets: with few payload cells, or with more where these fail."""
    with one_thread():
        tube = varying_tube(problem)
        if isinstance(tube, str) and problem.cells.shape[2]:
            tube = varying_tube(replace(problem, cells=law.cells(*_FINE)))
    return tube


def _bounds(proven: ProvenTorque, tube: ErrorTube, efforts: Array, sliding: Array) -> tuple[JointBound, ...]:
    r = tube.radii
    parts = (r.position, r.speed, r.acceleration, r.feedback, tube.torque, efforts, sliding)
    rows = np.stack(parts, axis=1).tolist()
    return tuple(
        JointBound(joint.name, joint_unit(joint), *row) for joint, row in zip(proven.robot.joints, rows, strict=True)
    )


def _in_box(proven: ProvenTorque, found: BoxTube, efforts: Array, start: StartError) -> TrackingGuarantee:
    rows = np.stack([found.lower, found.upper, found.velocity, found.acceleration, found.jerk], axis=1).tolist()
    limits = tuple(ReferenceLimits(name, *row) for name, row in zip(proven.robot.joint_names, rows, strict=True))
    return TrackingGuarantee(
        True, "", _bounds(proven, found.tube, efforts, np.zeros_like(efforts)), 0.0, math.inf, limits, start
    )


def _rests(trajectory: Trajectory, end: float) -> bool:
    """True where the reference is at rest at its end, so that the last piece of the tube continues."""
    state = trajectory.at(end)
    return bool(np.all(np.abs(state.qd) < _STILL) and np.all(np.abs(state.qdd) < _STILL))
