"""Collision-detection thresholds of a momentum observer: no false alarm on any robot within an uncertainty.

The residual of the observer (:mod:`torquec.control.observer`) is the external torque plus errors, low-pass filtered
with unit gain. The errors are

(1)  (P - tau_0) - Y delta + (f^ - f) + drive error + quadrature,      at the true motion
     P - tau_0 by the model's certificate, Y delta the parameters, f the friction, f^ its estimate
(2)  quadrature: over an interval h the trapezoidal rule differs from the mean of b by at most  h/4 sup |db/dt|
(3)  measurements: b^ - b, and p^ - p, which enters as a difference of two samples: (1 - exp(-k h))/h times
     [e_now - mean of earlier e], at most twice sup |e|

The level of one interval is the sum of the bounds of (1), (2) and b^ - b. Friction has two levels, chosen by the
measured speed w^ of a shaft. The error of w^ over an interval is at most e:

(4)  moving, |w^| > e: the direction is known;  |f^ - f| <= (1 + part) (change over e) + part |f(w^)|
(5)  standing, |w^| <= e: f^ has no dry friction, f any between -dry and dry:  (1 + part) (dry + change over 2 e)

The threshold is the level through the same low-pass filter, plus (3). It is lower while a joint moves than while it
stands. As long as the robot stays within the motions of the levels, an external torque above twice the threshold is
certainly detected once the filter has settled, and one above four times the threshold within ln 2/k seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.control.model_terms import Evaluation, FrictionAt, FrictionCompensation
from torquec.control.poles import ErrorFeedback
from torquec.control.tracking_guarantee import TrackingGuarantee, proven_torque
from torquec.control.uncertainty import Uncertainty
from torquec.control.uncertainty_sets import payload_cells, plant_uncertainty
from torquec.dynamics.friction import OneWay, terms_of
from torquec.dynamics.friction_torque import FrictionPart, Shaft, has_load_friction, rubbing_shafts, shaft_friction
from torquec.errors import ArgumentError
from torquec.expr import Function, bind, differentiate, trace
from torquec.expr.math import absolute, select
from torquec.expr.replay import replay
from torquec.foundation.arrays import Array
from torquec.model.model import Model
from torquec.proof.enclosure.enclose import enclose
from torquec.proof.tracking.acceleration_bound import MotionBoxes
from torquec.proof.tracking.error_tube import rounded_torque
from torquec.proof.tracking.plant_uncertainty import PlantUncertainty
from torquec.proof.tracking.torque_error_bound import ProvenTorque
from torquec.robot.robot import Robot
from torquec.spatial import Scalar
from torquec.trajectory.motion_box import MotionBox
from torquec.trajectory.motion_enclosure import motion_enclosure
from torquec.trajectory.trajectory import Trajectory

_MASSES = 2  # number of subintervals of the mass of an unknown payload
_PIECES, _BOXES = 256, 256  # time intervals of a motion, and boxes of a subdivided position range

_SLOPE_PIECES = 64  # subintervals of a speed range over which friction slopes are enclosed
_ROUNDED_UP = 1.0 + 1e-9  # allowance for the rounding errors of bounds and observer, relative to the torques

_LEAST = 1e-9  # [Nm], the smallest threshold


@dataclass(frozen=True)
class RubbingShaft:
    """Friction bounds of a shaft, (4) and (5).

    `error`: e, the speed error; `part`: the relative friction error; `slope`: largest slope of the smooth terms;
    `change`: of dry friction over e, both in one direction of motion; `dry`: the largest dry friction near rest;
    `offset`: of the smooth terms near rest.
    """

    shaft: Shaft
    error: float
    part: float
    slope: float
    change: float
    dry: float
    offset: float

    @property
    def standing(self) -> float:
        """The friction level of a standing shaft, (5)."""
        return (1.0 + self.part) * (2.0 * self.slope * self.error + self.dry) + self.part * self.offset

    def estimate(self, qd: Sequence[Scalar]) -> Scalar:
        """The friction estimate f^ at the shaft."""
        state = self.shaft.state(qd)
        dry = shaft_friction(self.shaft.friction, state, FrictionPart.DRY)
        smooth = shaft_friction(self.shaft.friction, state, FrictionPart.SMOOTH)
        return smooth + select(absolute(state.speed) - self.error, dry, 0.0)

    def level(self, qd: Sequence[Scalar]) -> Scalar:
        """The friction level at the shaft, (4) or (5)."""
        state = self.shaft.state(qd)
        size = sum((absolute(term.torque(self.shaft.friction, state)) for term in terms_of(self.shaft.friction)), 0.0)
        moving = self.part * size + (1.0 + self.part) * (self.slope * self.error + self.change)
        return select(absolute(state.speed) - self.error, moving, self.standing)


@dataclass(frozen=True, eq=False)
class DetectionThresholds:
    """Levels of the residual: `base` (n,) without friction, friction of the `shafts`, `momentum_error` (n,) of (3).

    `fastest` (n,): the largest speeds for which they hold.
    """

    joints: tuple[str, ...]
    base: Array
    shafts: tuple[RubbingShaft, ...]
    momentum_error: Array
    fastest: Array

    def friction(self, qd: Sequence[Scalar]) -> list[Scalar]:
        """The friction estimate f^ (n,), over any scalar."""
        return self._spread([shaft.estimate(qd) for shaft in self.shafts], qd, absolute_rows=False)

    def level(self, qd: Sequence[Scalar]) -> list[Scalar]:
        """The level (n,) of an interval at the measured speeds, over any scalar."""
        loose = self._spread([shaft.level(qd) for shaft in self.shafts], qd, absolute_rows=True)
        return [base + f for base, f in zip(self.base.tolist(), loose, strict=True)]

    def _spread(self, torques: Sequence[Scalar], qd: Sequence[Scalar], *, absolute_rows: bool) -> list[Scalar]:
        found: list[Scalar] = [0.0 * speed for speed in qd]
        for shaft, torque in zip(self.shafts, torques, strict=True):
            for k, ratio in enumerate(shaft.shaft.row):
                if ratio:
                    found[k] = found[k] + (abs(ratio) if absolute_rows else ratio) * torque
        return found

    def noise(self, share: float, period: float) -> Array:
        """Part of the threshold (n,) due to measurement errors (3); `share` is the filter coefficient 1 - exp(-k h)."""
        return 2.0 * share / period * self.momentum_error * _ROUNDED_UP + _LEAST

    def standing(self, share: float, period: float) -> Array:
        """The thresholds (n,) of a robot at rest, where they are largest."""
        loose = self._spread([shaft.standing for shaft in self.shafts], [0.0] * len(self.base), absolute_rows=True)
        return np.asarray(self.base + np.array(loose, dtype=np.float64) + self.noise(share, period), dtype=np.float64)

    def moving(self, share: float, period: float) -> Array:
        """The largest thresholds (n,) of a robot all of whose joints move, once the filter has settled."""
        worst = np.zeros(len(self.base))
        for part in np.linspace(0.0, 1.0, _SLOPE_PIECES + 1):
            for sign in (1.0, -1.0):
                speeds = sign * np.maximum(part * self.fastest, [self._slowest(k) for k in range(len(worst))])
                worst = np.maximum(worst, np.array(self.level(speeds.tolist()), dtype=np.float64))
        return worst + self.noise(share, period)

    def _slowest(self, joint: int) -> float:
        """A joint speed above the speed error of every shaft that this joint alone turns."""
        own = [s.error / abs(s.shaft.row[joint]) for s in self.shafts if s.shaft.is_joint and s.shaft.row[joint]]
        return max(own, default=0.0) * _ROUNDED_UP + _LEAST


def detection_thresholds(
    model: Model,
    uncertainty: Uncertainty,
    motions: Trajectory | MotionBox,
    *,
    period: float,
    guarantee: TrackingGuarantee | None = None,
) -> DetectionThresholds:
    """Detection levels (1)-(5), valid for every robot in the sets that moves within `motions`.

    `motions`: a box with speeds and accelerations, or a trajectory with the `guarantee` that bounds the deviation from
    it. The observer's torque input must be the drive torque commanded in the previous interval. Raises `ArgumentError`
    for a model without a certificate, for motions outside of its certified box, for a trajectory without a guarantee,
    and for jitter, load-dependent friction and other sets that are not covered.
    """
    proven = proven_torque(model)
    if isinstance(proven, str):
        raise ArgumentError(proven, remedy="certify the model, or take the robot itself")
    robot = proven.robot
    if uncertainty.timing.jitter:
        raise ArgumentError(
            "thresholds do not cover jitter", remedy="state a whole number of sampling intervals: delay"
        )
    if has_load_friction(robot):
        raise ArgumentError("thresholds do not cover friction that depends on the load", remedy="give thresholds=")
    boxes = _boxes(robot, motions, guarantee)
    efforts = np.array([joint.limits.effort for joint in robot.joints])
    sets = plant_uncertainty(
        model,
        uncertainty,
        robot,
        feedback=ErrorFeedback((0.0,) * robot.n, (0.0,) * robot.n),
        period=period,
        evaluation=Evaluation.MEASURED,
        friction=FrictionCompensation(FrictionAt.NOTHING),
        efforts=efforts,
    )
    if isinstance(sets, str):
        raise ArgumentError(sets, remedy="state sets that are covered")
    speeds, fastest = (_largest(boxes, name) for name in ("qd", "qdd"))
    eps = sets.position_error, sets.speed_errors(fastest)
    seen = _wider(boxes, *eps)
    _check_inside(proven, seen)
    level, cells = np.zeros(robot.n), payload_cells(uncertainty.payload, _MASSES, _MASSES)
    for part in boxes.parts(_BOXES):
        level = np.maximum(level, _level(proven, sets, cells, part))
    bias, momentum = _sampled_errors(model, seen, eps, fastest, period)
    base = (level + sets.drive_error + sets.friction_residual + bias) * _ROUNDED_UP + _LEAST
    known = [_rubbing(shaft, sets, speeds, eps[1] + period * fastest) for shaft in rubbing_shafts(robot)]
    return DetectionThresholds(robot.joint_names, base, tuple(known), momentum, speeds + eps[1])


def momentum_program(model: Model) -> Function:
    """(q, qd) -> p = M qd (n,)."""
    ports = dict.fromkeys(("q", "qd"), (model.robot.n,))

    def algorithm(q: Any, qd: Any) -> dict[str, Any]:
        return {"p": [sum((m * v for m, v in zip(row, qd, strict=True)), 0.0) for row in model.at("mass_matrix", q)]}

    return trace("momentum", algorithm, ports)


def bias_program(model: Model) -> Function:
    """(q, qd) -> b = dM/dt qd - P(q, qd, 0) - springs, (n,): rate of the momentum without drives and friction."""
    n, momentum = model.robot.n, momentum_program(model)
    still = [0.0] * n

    def moved(q: Any, qd: Any, z: Any) -> dict[str, Any]:
        place = [x + z[0] * v for x, v in zip(q, qd, strict=True)]
        return {"p": replay(momentum, {"q": place, "qd": qd})["p"]}

    ports = dict.fromkeys(("q", "qd"), (n,))
    rate = bind(differentiate(trace("moved", moved, {**ports, "z": (1,)}), "p", "z"), {"z": [0.0]})

    def algorithm(q: Any, qd: Any) -> dict[str, Any]:
        changes = [row[0] for row in replay(rate, {"q": q, "qd": qd})["dp_dz"]]
        needed = zip(model.at("inverse_dynamics", q, qd, still), model.at("spring_torque", q), strict=True)
        return {"b": [change - (c + s) for change, (c, s) in zip(changes, needed, strict=True)]}

    return trace("bias", algorithm, ports)


def _boxes(robot: Robot, motions: Trajectory | MotionBox, guarantee: TrackingGuarantee | None) -> MotionBoxes:
    """All motions as boxes (N, n)."""
    if isinstance(motions, MotionBox):
        if len(motions) != robot.n or not (motions.velocity and motions.acceleration):
            raise ArgumentError("the motions have no speeds or accelerations", remedy="give them for every joint")
        ends = _subdivided(motions)
        rates = [np.tile(np.array(x), (len(ends[0]), 1)) for x in (motions.velocity, motions.acceleration)]
        return MotionBoxes(*ends, -rates[0], rates[0], -rates[1], rates[1])
    if guarantee is None or not guarantee.valid:
        why = "there is none" if guarantee is None else guarantee.reason
        raise ArgumentError(
            f"thresholds along a motion need a valid guarantee, which bounds the deviation from it: {why}",
            remedy="give guarantee=tq.tracking_guarantee(...), or motions as a MotionBox with speeds and accelerations",
        )
    held = motion_enclosure(motions.of_joints(robot.joint_names), pieces=_PIECES)
    radii = [np.array([getattr(b, key) for b in guarantee.joints]) for key in ("position", "speed", "acceleration")]
    middles = ((held.q, held.q_spread), (held.qd, held.qd_spread), (held.qdd, held.qdd_spread))
    found = []
    for (centre, spread), radius in zip(middles, radii, strict=True):
        found += [centre - (spread + radius) * _ROUNDED_UP, centre + (spread + radius) * _ROUNDED_UP]
    return MotionBoxes(*found)


def _subdivided(box: MotionBox) -> tuple[Array, Array]:
    """The range of positions as `_BOXES` boxes, halved across the widest joint each time."""
    low, high = np.array([box.lower]), np.array([box.upper])
    while len(low) < _BOXES:
        k = int(np.argmax(high[0] - low[0]))
        middle = 0.5 * (low[:, k] + high[:, k])
        lower, upper = low.copy(), high.copy()
        upper[:, k], lower[:, k] = middle, middle
        low, high = np.concatenate([low, lower]), np.concatenate([upper, high])
    return low, high


def _largest(boxes: MotionBoxes, name: str) -> Array:
    ends = np.abs(getattr(boxes, f"{name}_lower")), np.abs(getattr(boxes, f"{name}_upper"))
    found: Array = np.maximum(*ends).max(axis=0)
    return found


def _wider(boxes: MotionBoxes, position: Array, speed: Array) -> MotionBoxes:
    """Boxes of the measured motions."""
    return MotionBoxes(
        boxes.q_lower - position,
        boxes.q_upper + position,
        boxes.qd_lower - speed,
        boxes.qd_upper + speed,
        boxes.qdd_lower,
        boxes.qdd_upper,
    )


def _check_inside(proven: ProvenTorque, boxes: MotionBoxes) -> None:
    """Raise where a motion leaves the box of the certificate."""
    outside = (boxes.q_lower < proven.lower) | (boxes.q_upper > proven.upper)
    fast = _largest(boxes, "qd") > proven.velocity
    hard = _largest(boxes, "qdd") > proven.acceleration
    for name, wrong in (("position", outside.any(axis=0)), ("speed", fast), ("acceleration", hard)):
        if wrong.any():
            joint = proven.robot.joint_names[int(np.argmax(wrong))]
            raise ArgumentError(
                f"the {name} of joint '{joint}' may leave the box that the model is certified for",
                remedy="certify a larger box, or state smaller motions",
            )


def _level(proven: ProvenTorque, sets: PlantUncertainty, cells: Array, own: MotionBoxes) -> Array:
    """The largest |P - tau_0| + |Y delta| (n,) of (1) over some boxes."""
    speed, wanted = (np.maximum(np.abs(low), np.abs(high)) for low, high in (
        (own.qd_lower, own.qd_upper), (own.qdd_lower, own.qdd_upper)))  # fmt: skip
    errors = proven.errors(own.q_lower, own.q_upper, speed, wanted) + rounded_torque(proven.torques(own))
    found: Array = (errors + sets.torque_deviation(own, cells)).max(axis=0)
    return found


def _sampled_errors(
    model: Model, seen: MotionBoxes, eps: tuple[Array, Array], fastest: Array, period: float
) -> tuple[Array, Array]:
    """Sampling and measurement errors of the level, (2) and b^ - b, and the error of the momentum p^, (n,) each."""
    programs = {"b": bias_program(model), "p": momentum_program(model)}
    rates = _largest(seen, "qd"), fastest
    noise, drift = {name: np.zeros(model.robot.n) for name in programs}, np.zeros(model.robot.n)
    for part in seen.parts(_BOXES):
        lower = {name: part.lower[name] for name in ("q", "qd")}
        upper = {name: part.upper[name] for name in ("q", "qd")}
        for name, program in programs.items():
            errors, changes = np.zeros((2, *part.q_lower.shape))
            for wrt, error, rate in zip(("q", "qd"), eps, rates, strict=True):
                ends = enclose(differentiate(program, name, wrt), lower, upper)[f"d{name}_d{wrt}"]
                size = np.maximum(*map(np.abs, ends))
                errors, changes = errors + size @ error, changes + size @ rate
            noise[name] = np.maximum(noise[name], np.max(errors, axis=0))
            if name == "b":
                drift = np.maximum(drift, np.max(changes, axis=0))
    return noise["b"] + 0.25 * period * drift, noise["p"]


def _rubbing(shaft: Shaft, sets: PlantUncertainty, speeds: Array, errors: Array) -> RubbingShaft:
    """(4) and (5) of a shaft, for joint speeds up to `speeds` (n,), measured within `errors` (n,)."""
    row = np.abs(np.array(shaft.row))
    error, fastest = float(row @ errors) * _ROUNDED_UP, float(row @ (speeds + errors))
    part = float(sets.friction_part[row > 0.0].max())
    sides = [_side(shaft, fastest, error, forwards=forwards) for forwards in (True, False)]
    slope, bend, dry, offset = (max(side[key] for side in sides) for key in ("smooth", "bend", "dry", "offset"))
    return RubbingShaft(shaft, error, part, slope, min(bend * error, dry), dry, offset)


def _side(shaft: Shaft, fastest: float, error: float, *, forwards: bool) -> dict[str, float]:
    """In one direction: slopes of smooth and of dry friction (`bend`) up to the fastest speed, dry friction and smooth
    `offset` near rest.
    """
    law, turns = shaft.friction, bool(shaft.friction.value("turnover_speed"))
    one = Shaft(shaft.name, (1.0,), law)

    def algorithm(w: Any) -> dict[str, Any]:
        own, way = one.state(w), one.state(w, None, OneWay(forwards))
        found = {"smooth": 0.0, "bend": 0.0, "dry": 0.0, "offset": 0.0}
        for term in terms_of(law):
            kind = ("bend", "dry") if term.is_dry else ("smooth", "offset")
            slope = term.slope(law, own if turns else way)
            found[kind[0]] = found[kind[0]] + absolute(slope)
            found[kind[1]] = found[kind[1]] + absolute(term.torque(law, way))
        return {name: [0.0 * w[0] + value] for name, value in found.items()}

    program = trace("side", algorithm, {"w": (1,)})

    def largest(name: str, reach: float) -> float:
        edges = np.linspace(0.0, reach, _SLOPE_PIECES + 1)[:, None] * (1.0 if forwards else -1.0)
        low, high = (edges[:-1], edges[1:]) if forwards else (edges[1:], edges[:-1])
        return float(np.max(enclose(program, {"w": low}, {"w": high})[name][1]))

    reach = {"smooth": fastest, "bend": fastest, "dry": 2.0 * error, "offset": 0.0}
    return {name: max(largest(name, far), 0.0) for name, far in reach.items()}
