"""Default numbers of a new project: speeds, torque errors, an example motion and a payload for the robot.

(1)  With a torque error e the model's inertia at a joint is at least M_kk - e/qdd_k, which must be positive for a
     controller: e is at most a fraction of M_kk qdd_k.
(2)  An unknown payload m in the hand displaces joint k by about m w_k/(p M_kk), with the torque w_k of its weight per
     kg and the square p of the poles; where w_k m > p M_kk the loop is unstable.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.control.laws import USUAL_POLES
from torquec.dynamics.friction_torque import friction_torque
from torquec.dynamics.inverse_dynamics import gravity_torque
from torquec.foundation.arrays import Array
from torquec.model.model import as_model
from torquec.robot.payload import attach_payload
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import StateCoordinate
from torquec.trajectory.polynomial_motion import minimum_jerk

PART = 0.01
"""Allowed torque error of the model, as a fraction of a joint's torque limit."""
TRACKING_PART = 0.25
"""Allowed increase of the tracking error by the model, as a fraction of the bound without it."""
ENCODER = 1e-5
"""Encoder resolution [rad, m]: 19 bits per turn."""
_ACCELERATION = {True: 10.0, False: 2.0}
"""rad/s^2 of a joint that turns, m/s^2 of one that translates: what light arms reach."""
_SPEED = {True: 2.5, False: 0.5}  # [rad/s, m/s] largest speed, also for joints whose files state a higher limit or none
_WAY = {True: 0.5, False: 0.1}  # [rad, m] distance of the example motion
_LARGEST_ERROR_SHARE = 0.125  # largest e of (1), as a fraction of the torque that accelerates the joint's own inertia
_SAMPLES = 200  # number of random states for torques and inertias
_PAYLOAD_CONFIGURATIONS = 40  # number of random configurations for the weight of a payload
_PEAK_SPEED, _PEAK_ACCELERATION = 1.875, 5.78
"""Peak speed and acceleration of a minimum-jerk motion, in units of way/duration and way/duration^2."""
_MOTION_SHARE = 0.4  # fraction of speeds and accelerations that the example motion uses: the rest is for feedback
_LOAD_MASS_SHARE, _LOAD_TORQUE_SHARE, _LOAD_DISPLACEMENT = 0.05, 0.1, 1e-3
"""Limits of the example's load: fraction of the moving mass, of the torque limits, and displacement (2) [rad, m].
The load stays small compared with friction, so that the tracking error is bounded for every mass up to it."""
_TORQUE_SHARE, _LARGEST_SLOWDOWN = 0.6, 4.0
"""Fraction of the torque limits that the example motion may use with increased friction; its largest slow-down."""
FRICTION_PART = 0.3
"""Relative error of every friction term: typical variation of identified friction with temperature and load."""
_LEAST_LOAD = 1e-3  # smallest payload [kg]


@dataclass(frozen=True)
class TorqueErrors:
    """Torque errors of the joints. `why` explains errors that do not follow from the torque limits; else empty.

    `limited`: whether the file limits all torques; `smaller`: joints whose error is less than the usual fraction of
    their limit.
    """

    values: tuple[float, ...]
    why: str = ""
    limited: bool = True
    smaller: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExampleLoad:
    """A payload [kg], and the rule that determined it."""

    mass: float
    rule: str


def usual_speed(joint: StateCoordinate) -> float:
    """The largest speed of the specification."""
    return min(joint.limits.velocity, _SPEED[joint.turns])


def usual_acceleration(joint: StateCoordinate) -> float:
    """The largest acceleration of the specification: robot files do not limit it."""
    return _ACCELERATION[joint.turns]


def torque_errors(robot: Robot) -> TorqueErrors:
    """Allowed torque errors: a fraction of the torque limits, or less where (1) requires it."""
    rng, model = np.random.default_rng(0), as_model(robot)
    speeds, accelerations = (
        np.array([most(joint) for joint in robot.coordinates]) for most in (usual_speed, usual_acceleration)
    )
    q = _random_configurations(robot, rng, _SAMPLES)
    qd, qdd = (rng.uniform(-1.0, 1.0, (_SAMPLES, robot.n)) * most for most in (speeds, accelerations))
    largest = np.abs(model.inverse_dynamics(q, qd, qdd)).max(axis=0)
    largest_error = np.maximum(_LARGEST_ERROR_SHARE * _least_inertia(robot, q) * accelerations, 0.1 * PART * largest)
    efforts = np.array([joint.limits.effort for joint in robot.joints])
    limited = bool(np.all((efforts > 0.0) & np.isfinite(efforts)))
    if limited and np.all(PART * efforts <= largest_error):
        return TorqueErrors(tuple(PART * efforts))
    wanted = np.minimum(PART * (efforts if limited else largest), largest_error)
    values = tuple(float(f"{max(value, 1e-6):.2g}") for value in wanted)
    if not limited:
        why = "The robot's file limits no torques: errors are 1 % of the largest torques that such motions take."
        return TorqueErrors(values, why, limited=False)
    smaller = tuple(
        joint.name for joint, most, found in zip(robot.joints, efforts, wanted, strict=True) if found < PART * most
    )
    why = (
        "Allowed errors are 1 % of the torque limits in the file, or less where so much would move the little inertia "
        f"of a joint too far: at {', '.join(smaller)}."
    )
    return TorqueErrors(values, why, smaller=smaller)


def example_load(robot: Robot, frame: str) -> ExampleLoad:
    """A point mass at a frame, unknown to the controller, that a typical loop tolerates; see (2)."""
    rng = np.random.default_rng(0)
    q = _random_configurations(robot, rng, _PAYLOAD_CONFIGURATIONS)
    weight = _weight(robot, frame, q)
    efforts = np.array([joint.limits.effort if joint.limits.effort > 0.0 else np.inf for joint in robot.joints])
    with np.errstate(divide="ignore", invalid="ignore"):
        held = np.where(weight > 0.0, _LOAD_TORQUE_SHARE * efforts / weight, np.inf)
        leaning = np.where(
            weight > 0.0, _LOAD_DISPLACEMENT * USUAL_POLES**2 * _least_inertia(robot, q) / weight, np.inf
        )
    strained, moved = robot.coordinates[int(held.argmin())], robot.coordinates[int(leaning.argmin())]
    way = f"{1e3 * _LOAD_DISPLACEMENT:g} {'mrad' if moved.turns else 'mm'}"
    choices = [
        (_LOAD_MASS_SHARE * robot.moving_mass, f"{100 * _LOAD_MASS_SHARE:g} % of the moving mass"),
        (float(held.min()), f"{strained.name} holds it with {100 * _LOAD_TORQUE_SHARE:g} % of its torque limit"),
        (
            float(leaning.min()),
            f"against poles at {USUAL_POLES:g} its weight moves {moved.name} by {way} at most: more needs faster poles",
        ),
    ]
    mass, rule = min(choices)
    return ExampleLoad(float(f"{max(mass, _LEAST_LOAD):.2g}"), rule)


def example_motion(robot: Robot) -> tuple[list[float], list[float], float]:
    """A short motion from near mid-range, within the speeds and accelerations of the specification."""
    start, to, duration = [], [], 1.0
    for joint, low, high in zip(robot.coordinates, *_range(robot), strict=True):
        middle = min(max(0.0, low + 0.25 * (high - low)), high - 0.25 * (high - low))
        way = min(_WAY[joint.turns], 0.2 * (high - low))
        start.append(round(middle, 4))
        to.append(round(middle + way, 4))
        speed, acceleration = _MOTION_SHARE * usual_speed(joint), _MOTION_SHARE * usual_acceleration(joint)
        duration = max(duration, _PEAK_SPEED * way / speed, math.sqrt(_PEAK_ACCELERATION * way / acceleration))
    fastest = math.ceil(10.0 * duration) / 10.0
    slower = (fastest * (1.0 + 0.1 * k) for k in range(round(10.0 * (_LARGEST_SLOWDOWN - 1.0))))
    return start, to, next((d for d in slower if _torque_share(robot, start, to, d) <= _TORQUE_SHARE), fastest)


def has_friction(robot: Robot) -> bool:
    """Whether the robot's file states friction."""
    laws = [joint.friction for joint in robot.joints] + [motor.friction for motor in robot.drives.motors]
    return any(any(dataclasses.astuple(law)) for law in laws)


def _torque_share(robot: Robot, start: Sequence[float], to: Sequence[float], duration: float) -> float:
    """The largest fraction of a torque limit that a minimum-jerk motion takes, with full friction."""
    motion = minimum_jerk(start, to, duration, joints=robot.joint_names, period=duration / _SAMPLES)
    rigid = np.abs(as_model(robot).inverse_dynamics(motion.q, motion.qd, motion.qdd))
    loss = np.abs([friction_torque(robot, row) for row in motion.qd.tolist()])
    efforts = np.array([joint.limits.effort if joint.limits.effort > 0.0 else np.inf for joint in robot.joints])
    return float(np.divide(rigid + (1.0 + FRICTION_PART) * loss, efforts).max())


def _random_configurations(robot: Robot, rng: np.random.Generator, count: int) -> Array:
    lower, upper = _range(robot)
    return rng.uniform(lower, upper, (count, robot.n))


def _least_inertia(robot: Robot, q: Array) -> Array:
    """The smallest diagonal entries of the mass matrix, (n,)."""
    found: Array = np.diagonal(as_model(robot).mass_matrix(q), axis1=1, axis2=2).min(axis=0)
    return found


def _weight(robot: Robot, frame: str, q: Array) -> Array:
    """The largest torques (n,) that hold 1 kg in the frame."""
    loaded = attach_payload(robot, frame, mass=1.0, name="torquec example load")
    rows = [
        np.array(gravity_torque(loaded, row), dtype=np.float64) - np.array(gravity_torque(robot, row), dtype=np.float64)
        for row in q.tolist()
    ]
    found: Array = np.abs(rows).max(axis=0)
    return np.where(found > 1e-9, found, 0.0)  # only rounding error for a frame on the joint axis


def _range(robot: Robot) -> tuple[Sequence[float], Sequence[float]]:
    """Positions that the joints can have; where there are no limits, half a turn or a metre."""
    lower, upper = [], []
    for joint in robot.coordinates:
        way = math.pi if joint.turns else 1.0
        has = math.isfinite(joint.limits.upper - joint.limits.lower)
        lower.append(joint.limits.lower if has else -way)
        upper.append(joint.limits.upper if has else way)
    return lower, upper
