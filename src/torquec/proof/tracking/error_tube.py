"""Tracking error tube around a reference: an invariant set whose radii are a fixed point of the error bounds.

W is the level and R the drift of the acceleration error (`acceleration_bound`), over all motions within the radii of
the reference; R includes the reference's jerk. Torques are held for the time T.

(1)  position, speed, feedback:  N_W W + N_R R + effect of initial errors   (`sampled_response`)
(2)  acceleration:               feedback + W + T R
(3)  the tube of radii r is invariant if (1), (2) of that tube are below r: up to the first instant at which the motion
     leaves the tube all bounds hold, so the motion is still strictly inside. Hence there is no such instant. Positions
     and speeds are continuous; accelerations are continuous between samples, and bounded by (2) at samples.
(4)  Assumptions to hold in the tube: positions, speeds and commanded accelerations lie in the box in which the torque
     error is proven, M is nonsingular, and no torque exceeds its drive's limit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from torquec.foundation.arrays import Array
from torquec.proof.tracking.acceleration_bound import AccelerationBound, CloserAccelerationBound, MotionBoxes
from torquec.proof.tracking.error_response import ErrorResponse, OutputGain
from torquec.proof.tracking.torque_error_bound import ProvenTorque
from torquec.robot.robot import Joint, Robot
from torquec.trajectory.motion_enclosure import MotionEnclosure

_ROUNDS = 60  # the radii converge in ten or twenty iterations, or never
_FIRST_STEP, _STEP = 0.05, 1e-3
"""Relative widening of a trial tube over the last bounds: while searching a tube, and while narrowing it."""

_LEAST = 1e-12
"""Smallest radius: the tube of a robot that is exactly on its reference still has an interior."""

_ROUNDING = 1e-10
"""Allowance for rounding in reference and feedback, relative to the accelerations of the tube, with a margin."""

_PROGRAM = 1e-12
"""Allowance for rounding in a torque program of some thousand operations, relative to the largest torque."""

_AT_ONCE = 2048
"""Boxes that are enclosed together: amortizes the interpreter's overhead, and memory stays small."""


@dataclass(frozen=True, eq=False)
class Radii:
    """Radii of a tube: deviation from the reference in position, speed, acceleration, and feedback command, (n,)."""

    position: Array
    speed: Array
    acceleration: Array
    feedback: Array

    def wider(self, part: float) -> Radii:
        """The radii, enlarged by a relative margin."""
        found = [
            value * (1.0 + part) + _LEAST for value in (self.position, self.speed, self.acceleration, self.feedback)
        ]
        return Radii(*found)

    def is_inside(self, other: Radii) -> bool:
        """True where every radius is smaller (3); never with a NaN."""
        return all(
            bool(np.all(mine < others))
            for mine, others in (
                (self.position, other.position),
                (self.speed, other.speed),
                (self.acceleration, other.acceleration),
                (self.feedback, other.feedback),
            )
        )


@dataclass(frozen=True, eq=False)
class ErrorTube:
    """A proven tube: its radii, the level W and drift R behind them, and the largest torques in it, (n,) each.

    A time-varying tube (`varying_tube`) has the contribution of every cause to the position bounds, `edges` (N + 1,) of
    its pieces of time [s], and over the pieces `positions` (N, n), the position radii, and `speeds` (N, n), the least
    speed radii of all payload cells.
    """

    radii: Radii
    level: Array
    drift: Array
    torque: Array
    costs: Mapping[str, Array] = field(default_factory=dict)
    edges: Array | None = None
    positions: Array | None = None
    speeds: Array | None = None


@dataclass(frozen=True, eq=False)
class TubeLoop:
    """The loop of a tube: the responses of all joints, initial errors and torque limits.

    `start_position`, `start_speed` (n,) bound the errors at the start, `efforts` (n,) the torques; `period` is T, zero
    for a controller that is not sampled.
    """

    responses: tuple[ErrorResponse, ...]
    period: float
    start_position: Array
    start_speed: Array
    efforts: Array

    def radii(self, level: Array, drift: Array) -> Radii:
        """(1) and (2)."""

        def reached(gains: Sequence[OutputGain]) -> Array:
            parts = np.array([[gain.level, gain.drift, gain.position, gain.speed] for gain in gains])
            causes = np.stack([level, drift, self.start_position, self.start_speed], axis=1)
            total: Array = (parts * causes).sum(axis=1) * (1.0 + 1e-14)
            return total

        feedback = reached([response.feedback for response in self.responses])
        return Radii(
            reached([response.position for response in self.responses]),
            reached([response.speed for response in self.responses]),
            feedback + level + self.period * drift,
            feedback,
        )

    def saturation(self, robot: Robot, torque: Array) -> str:
        """Which drive may saturate at torques (n,), in words; empty where none does."""
        part = torque / self.efforts
        k = int(np.argmax(part))
        if part[k] <= 1.0:
            return ""
        unit = robot.coordinates[k].effort_unit.replace(" ", "")
        return (
            f"the torque of joint '{robot.joint_names[k]}' may reach {torque[k]:.4g} {unit}, its drive gives "
            f"{self.efforts[k]:.4g}: move more slowly, or use a stronger drive"
        )


@dataclass(frozen=True, eq=False)
class TubeProblem:
    """Problem data of a tube along a reference: proven torque, loop and reference; with `closer`, acceleration
    bounds are tighter and take longer.
    """

    proven: ProvenTorque
    loop: TubeLoop
    reference: MotionEnclosure
    closer: bool = False

    @cached_property
    def bound(self) -> AccelerationBound:
        """Acceleration error bounds of the robot."""
        return (CloserAccelerationBound if self.closer else AccelerationBound)(self.proven.robot)

    def boxes(self, radii: Radii, *, asked: bool) -> MotionBoxes:
        """The tube as boxes: the true motions, or with `asked` those at which torques are commanded."""
        r = self.reference
        ends: list[Array] = []
        for centre, spread, radius in (
            (r.q, r.q_spread, radii.position),
            (r.qd, r.qd_spread, radii.speed),
            (r.qdd, r.qdd_spread, radii.feedback if asked else radii.acceleration),
        ):
            reach = (spread + radius) * (1.0 + 1e-14)
            ends += [np.nextafter(centre - reach, -np.inf), np.nextafter(centre + reach, np.inf)]
        return MotionBoxes(*ends)


def error_tube(problem: TubeProblem) -> ErrorTube | str:
    """A narrow invariant tube, or the reason why none was found (3), (4)."""
    n = problem.proven.n
    radii = problem.loop.radii(np.zeros(n), np.zeros(n))
    step, found = _FIRST_STEP, None
    for _ in range(_ROUNDS):
        # Radii that are too small are lower bounds: if they already leave the box, no tube exists.
        outside = None if found else _outside(problem, radii)
        if outside is not None:
            return outside
        wide = radii.wider(step)
        levels, drifts = _errors(problem, wide)
        bad = ~np.isfinite([levels, drifts]).all(axis=(0, 2))
        if bad.any():
            if found:
                break
            when = float(problem.reference.t[int(np.argmax(bad))])
            return (
                f"the mass matrix could not be proven nonsingular in the tube about t = {when:.4g} s, where errors of "
                f"{radii.position.max():.3g} had to be allowed for: certify a smaller torque error, or sample faster"
            )
        level, drift = levels.max(axis=0), drifts.max(axis=0)
        new = problem.loop.radii(level, drift)
        if new.is_inside(wide) and _outside(problem, wide) is None:
            torque = _torques(problem, wide)
            narrower = found is None or np.any(new.position < (1.0 - _STEP) * found.radii.position)
            found = ErrorTube(new, level, drift, torque)
            if not narrower and step == _STEP:
                break
            step = _STEP
        radii = new
    if found is None:
        return _outside(problem, radii.wider(_STEP)) or (
            "the bounds diverge: the robot moves too far while torques are held; sample faster, or move more slowly"
        )
    return problem.loop.saturation(problem.proven.robot, found.torque) or found


def _errors(problem: TubeProblem, radii: Radii) -> tuple[Array, Array]:
    """Level and drift, (N, n) each over the tube."""
    found = []
    both = (problem.boxes(radii, asked=own).parts(_AT_ONCE) for own in (False, True))
    for boxes, asked in zip(*both, strict=True):
        speed = np.maximum(np.abs(boxes.qd_lower), np.abs(boxes.qd_upper))
        wanted = np.maximum(np.abs(asked.qdd_lower), np.abs(asked.qdd_upper))
        errors = problem.proven.errors(boxes.q_lower, boxes.q_upper, speed, wanted)
        errors = errors + rounded_torque(problem.proven.torques(asked))
        inertia = problem.bound.inertia(boxes.q_lower, boxes.q_upper)
        level = problem.bound.level(inertia, errors) + rounding_error(wanted)
        if problem.loop.period > 0.0:
            drift = problem.bound.drift(inertia, boxes) + problem.reference.jerk
            found.append((level + problem.reference.jump, drift))
        else:
            found.append((level, np.zeros_like(level)))
    levels, drifts = (np.concatenate(each) for each in zip(*found, strict=True))
    return levels, drifts


def _torques(problem: TubeProblem, radii: Radii) -> Array:
    """The largest commanded torques (n,)."""
    parts = problem.boxes(radii, asked=True).parts(_AT_ONCE)
    largest: Array = np.max([problem.proven.torques(part).max(axis=0) for part in parts], axis=0)
    return largest


def _outside(problem: TubeProblem, radii: Radii) -> str | None:
    return leaves_box(problem.proven, problem.boxes(radii, asked=True), problem.reference.t)


def leaves_box(box: ProvenTorque, asked: MotionBoxes, t: Array) -> str | None:
    """In words, where motions leave the box of the proof furthest, over pieces of time with middles `t` (N,) [s].

    None where they stay inside.
    """
    robot = box.robot
    limits = (
        ("position", "range", "", asked.q_lower, asked.q_upper, box.lower, box.upper),
        ("speed", "velocity", "/s", asked.qd_lower, asked.qd_upper, -box.velocity, box.velocity),
        (
            "commanded acceleration",
            "acceleration",
            "/s^2",
            asked.qdd_lower,
            asked.qdd_upper,
            -box.acceleration,
            box.acceleration,
        ),
    )
    worst, words = 0.0, None
    for name, key, per, low, high, lower, upper in limits:
        beyond = np.maximum(lower - low, high - upper)
        part = beyond / np.where(np.isfinite(upper - lower), upper - lower, 1.0).clip(1e-9)
        row, joint = (int(k) for k in np.unravel_index(int(np.argmax(part)), part.shape))
        if not part[row, joint] > worst:
            continue
        worst = float(part[row, joint])
        above = high[row, joint] - upper[joint] >= lower[joint] - low[row, joint]
        reached, limit = (high[row, joint], upper[joint]) if above else (low[row, joint], lower[joint])
        unit = joint_unit(robot.joints[joint]) + per
        wanted = _beyond(abs(float(reached)), up=True) if per else _beyond(float(reached), up=bool(above))
        words = (
            f"the {name} of joint '{robot.joint_names[joint]}' may reach {reached:.4g} {unit} at "
            f"t = {t[row]:.4g} s, {beyond[row, joint]:.3g} beyond the certified {limit:.4g}: certify "
            f"a larger box (`{key}` of {robot.joint_names[joint]} in the specification, to {wanted:g} or more) or "
            "a smaller `torque_error`, move the reference away from the limit, or choose other poles"
        )
    return words


def _beyond(value: float, *, up: bool) -> float:
    """The next number of two digits above a value, or below it.

    >>> _beyond(18.37, up=True), _beyond(-0.1234, up=False), _beyond(0.126, up=False)
    (19.0, -0.13, 0.12)
    """
    if value == 0.0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    return float(f"{(math.ceil if up else math.floor)(value / unit) * unit:.2g}")


def rounded_torque(torques: Array) -> Array:
    """Bound (N, 1) of a program's rounding error, for torques of at most this size (N, n)."""
    return np.asarray(_PROGRAM * torques.max(axis=1, keepdims=True), dtype=np.float64)


def rounding_error(accelerations: Array) -> Array:
    """Bound (N, 1) of a controller's rounding error in the level, for accelerations of at most this size (N, n)."""
    return np.asarray(_ROUNDING * (1.0 + accelerations.max(axis=1, keepdims=True)), dtype=np.float64)


def joint_unit(joint: Joint) -> str:
    """Unit of a joint's position."""
    return joint.kind.coordinate.position_unit
