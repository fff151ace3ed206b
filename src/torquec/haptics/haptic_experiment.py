"""The experiments of Clover IV, section V, on any arm: what a hand feels of masses and inertias, and a stiff wall.

| experiment   | object                   | hand                                                      | Table II       |
|---|---|---|---|
| mass-5       | 5 kg                     | circle of 20 cm, 0.75 turns a second                      | 5.099 +- .615  |
| mass-150     | 150 kg                   | circle of 20 cm, 2.4 rad/s (133 N allow 0.89 m/s^2)       | 146.9 +- 15.89 |
| inertia-0.83 | 0.83 kg m^2, 5 kg        | +-0.4 rad, 3.8 rad/s                                      | .851 +- .085   |
| inertia-12.5 | 12.5 kg m^2, 5 kg        | +-0.5 rad, 1.2 rad/s (11.3 N m allow 0.90 rad/s^2)        | 12.65 +- 4.541 |
| wall         | 10 kg, a cube of 12.5 cm | pushed against a wall of 25 Hz, critically damped, let go | Figures 20, 21 |

What the paper does not print is chosen here: speeds of the hand, a handle of 0.4 kg beyond the sensor, the sensor's
filter and noise (:mod:`force_sensor`), encoders of 1e-4 rad, the hand (:mod:`simulated_hand`), the posture
(:mod:`haptic_posture`), inertias of the mass experiments (the cube's, at least 0.05 kg m^2). The four front corners of
the cube share the wall's stiffness and damping.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from torquec.dynamics.frame_pose import frame_pose
from torquec.errors import ArgumentError, RobotError
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.haptics.admittance import Admittance, admittance
from torquec.haptics.admittance_options import NOT_FREE, AdmittanceOptions, ToolLoad
from torquec.haptics.contact import SpringDamper, TouchPoint, Wall, contact_field
from torquec.haptics.felt_inertia import FeltInertia, MeasuredMotion, felt_inertia, frame_motion, measured_motion
from torquec.haptics.haptic_choices import HapticExperiment
from torquec.haptics.haptic_loop import USUAL_SETTING, HapticLoop, HapticRecording, HapticSetting
from torquec.haptics.haptic_posture import check_rendered, default_posture, follows, unrendered
from torquec.haptics.rendered_object import RenderedObject
from torquec.haptics.simulated_hand import HandMotion, circle_goals, goal_part, push_goals, rotation_goals
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.robot.robot import Robot
from torquec.spatial import Pose

EDGE = 0.125
"""Of the cube [m]."""

WALL_FREQUENCY = 25.0
"""[Hz]"""

HANDLE = ToolLoad(0.4, (0.0, 0.0, 0.04), ((4e-4, 0.0, 0.0), (0.0, 4e-4, 0.0), (0.0, 0.0, 2e-4)))
"""The handle of the experiments: about a 12 cm grip of aluminium."""

REST_WINDOW = 0.06
"""After an impact [s]: from here on speeds are compared with the impact's."""

_PUSH = 0.2  # seconds that the push lasts
_FLIGHT = 0.1  # and that the object then flies, by its speed, until it meets the wall
_AFTER = 0.5  # seconds that are recorded after the impact
_LEAST_INERTIA = 0.05  # [kg m^2] of an object in the mass experiments: a small cube would be all hand and handle


@dataclass(frozen=True)
class ExperimentPlan:
    """An experiment: what is rendered, how the hand moves, which motions of the frame it needs, what the paper has."""

    mass: float
    inertia: float
    needs: tuple[str, ...]
    motion: HandMotion | None = None
    nominal: float = 0.0
    printed: tuple[float, float] | None = None

    @property
    def turns(self) -> bool:
        """Whether moments are measured, not forces."""
        return self.motion is not None and self.motion.swing > 0.0


def _cube(mass: float) -> float:
    return max(mass * EDGE**2 / 6.0, _LEAST_INERTIA)


_CIRCLE = ("moving along x", "moving along y")
_SWING = ("turning about z",)

EXPERIMENTS: Mapping[HapticExperiment, ExperimentPlan] = MappingProxyType(
    {
        HapticExperiment.MASS_5: ExperimentPlan(
            5.0, _cube(5.0), _CIRCLE, HandMotion(1.5 * math.pi, 6.0, radius=0.1), 5.0, (5.099, 0.615)
        ),
        HapticExperiment.MASS_150: ExperimentPlan(
            150.0, _cube(150.0), _CIRCLE, HandMotion(2.4, 10.0, radius=0.1, start=2.0), 150.0, (146.9, 15.89)
        ),
        HapticExperiment.INERTIA_083: ExperimentPlan(
            5.0, 0.83, _SWING, HandMotion(3.8, 8.0, swing=0.4), 0.83, (0.851, 0.085)
        ),
        HapticExperiment.INERTIA_125: ExperimentPlan(
            5.0, 12.5, _SWING, HandMotion(1.2, 16.0, swing=0.5, start=2.0), 12.5, (12.65, 4.541)
        ),
        HapticExperiment.WALL: ExperimentPlan(10.0, _cube(10.0), ("moving along x",)),
    }
)


@dataclass(frozen=True)
class ExperimentOptions:
    """How an experiment is run: `frame` (the hand's unless given), start `posture` (n,), `poles` [1/s] of the law,
    `effort`: the share of the drives' limits (0.5 is the paper's fuse), the `impact` speed [m/s] and whether the wall
    is `two_sided`; `setting`: sensor, encoders, hand, friction and seed; `period` of a cycle [s]; `free` joint; `pace`:
    how fast the hand moves, 1 as in the table, less for an arm with slow joints.
    """

    frame: str | None = None
    posture: tuple[float, ...] | None = None
    poles: complex = -45 + 45j
    effort: float = 1.0
    impact: float | None = None
    two_sided: bool | None = None
    setting: HapticSetting = USUAL_SETTING
    period: float = 0.002
    free: str | None = None
    pace: float = 1.0


_USUAL = ExperimentOptions()


@dataclass(frozen=True, eq=False)
class WallContactResult:
    """After the impact: its time [s] and speed [m/s]; the largest speeds along the wall's normal later than 60 ms, over
    the impact's: of the object, and of the arm's tip; and how deep the object went [m].
    """

    time: float
    speed: float
    object_speed: float
    tip_speed: float
    depth: float
    normal: Array


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """What an experiment gave: the recording, the motion by the paper's method, and its statistics.

    `wanted` (N, 6) is the object's acceleration of the held frame by the cycle, base axes; `felt` is None for the wall,
    `wall` for the others. `unrendered`: motions that the arm has not, which the object then has not either.
    """

    experiment: HapticExperiment
    robot: Robot
    cycle: Admittance
    options: ExperimentOptions
    posture: Array
    recording: HapticRecording
    measured: MeasuredMotion
    wanted: Array
    felt: FeltInertia | None
    wall: WallContactResult | None
    unrendered: tuple[str, ...]

    @property
    def plan(self) -> ExperimentPlan:
        """What was asked."""
        return _paced(EXPERIMENTS[self.experiment], self.options.pace)

    @property
    def load(self) -> Array:
        """The hand's force, or moment (N, 3), in base axes."""
        part = self.recording.hand[:, 3:] if self.plan.turns else self.recording.hand[:, :3]
        turned: Array = np.einsum("kij,kj->ki", self.measured.rotation, part)
        return turned

    @property
    def acceleration(self) -> Array:
        """What it is divided by (N, 3)."""
        return self.measured.acceleration[:, 3:] if self.plan.turns else self.measured.acceleration[:, :3]


def run_experiment(
    robot: Robot, experiment: HapticExperiment | str, options: ExperimentOptions = _USUAL
) -> ExperimentResult:
    """Run an experiment on an arm.

    Raises `ArgumentError` for options that contradict the experiment, and `RobotError` for an arm that cannot do it,
    with what it lacks.
    """
    name = chosen(HapticExperiment, experiment, "experiment")
    options = _checked(name, options)
    plan = _paced(EXPERIMENTS[name], options.pace)
    kinematics = inverse_kinematics(robot, options.frame, free=options.free)
    origin = Pose(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0))
    path = _goals(plan, options, origin)[:, [0, 1, 2, 9, 10, 11, 12]]
    if plan.motion is None:
        path[:, 0] = np.linspace(0.0, _way(options) + 0.02, len(path))
    long = len(path) * options.period
    if options.posture is None:
        posture = default_posture(kinematics, path, duration=long, needs=plan.needs)
    else:
        posture = np.asarray(options.posture, dtype=np.float64)
        if posture.shape != (robot.n,) or not follows(kinematics, posture, path, duration=long):
            raise RobotError(
                f"from this posture '{kinematics.frame}' of robot '{robot.name}' cannot do {name.value}",
                remedy="give another posture, or none: one is looked for",
            )
    lacking = unrendered(kinematics, posture)
    check_rendered(kinematics, [lacking], plan.needs)
    start = frame_pose(robot, kinematics.frame, [float(x) for x in posture])
    cycle = _cycle(robot, plan, options, start)
    loop = HapticLoop(cycle, options.setting)
    goals = _goals(plan, options, start)
    recording = loop.run(loop.first_row(posture), goals)
    measured = measured_motion(robot, kinematics.frame, recording.t, recording.seen)
    wanted = cycle.read(np.vstack([recording.cycle[1:], recording.last[loop.parts["cycle"]]]))["acceleration"]
    wall = _wall_result(cycle, recording, start, options) if plan.motion is None else None
    result = ExperimentResult(
        name, robot, cycle, options, posture, recording, measured, wanted, None, wall, tuple(lacking)
    )
    if plan.motion is None:
        return result
    intended = goal_part(goals, "turning_rate" if plan.turns else "acceleration")
    free = (recording.status.astype(np.int64) & int(NOT_FREE)) == 0
    felt = felt_inertia(recording.t, result.load, result.acceleration, intended, start=plan.motion.start, free=free)
    return replace(result, felt=felt)


def _checked(name: HapticExperiment, options: ExperimentOptions) -> ExperimentOptions:
    """The options with what they leave open filled in."""
    if name is not HapticExperiment.WALL and (options.impact is not None or options.two_sided is not None):
        raise ArgumentError(
            f"{name.value} has no wall: an impact speed or a side was given",
            remedy="give them with the experiment wall",
        )
    impact = 0.3 if options.impact is None else options.impact
    if not 0.0 < impact <= 0.5:
        raise ArgumentError(f"an impact at {impact} m/s", remedy="give a speed above 0, up to 0.5 m/s")
    if not 0.0 < options.pace <= 1.0:
        raise ArgumentError(f"a pace of {options.pace}", remedy="give a share above 0, up to 1")
    if not 0.0 < options.effort <= 1.0:
        raise ArgumentError(f"{options.effort} of the effort limits", remedy="give a share above 0, up to 1")
    return replace(options, impact=impact, two_sided=True if options.two_sided is None else options.two_sided)


def _paced(plan: ExperimentPlan, pace: float) -> ExperimentPlan:
    """The plan with a slower hand: the same path in a longer time."""
    motion = plan.motion
    if motion is None or pace == 1.0:
        return plan
    slower = replace(motion, speed=pace * motion.speed, start=motion.start / pace, duration=motion.duration / pace)
    return replace(plan, motion=slower)


def _way(options: ExperimentOptions) -> float:
    """From the start to the wall [m]: half the push's time and the flight at the impact speed."""
    assert options.impact is not None
    return options.impact * (0.5 * _PUSH + _FLIGHT)


def _goals(plan: ExperimentPlan, options: ExperimentOptions, pose: Pose) -> Array:
    if plan.motion is None:
        assert options.impact is not None
        duration = _PUSH + _FLIGHT + _AFTER
        return push_goals(
            pose, plan.mass, speed=options.impact, lasting=_PUSH, duration=duration, period=options.period
        )
    make, known = (rotation_goals, plan.inertia) if plan.turns else (circle_goals, plan.mass)
    return make(plan.motion, pose, known, period=options.period)


def _cycle(robot: Robot, plan: ExperimentPlan, options: ExperimentOptions, start: Pose) -> Admittance:
    rendered = RenderedObject(plan.mass, (plan.inertia,) * 3)
    usual = AdmittanceOptions()
    chosen_options = AdmittanceOptions(
        period=options.period,
        poles=options.poles,
        tool=HANDLE,
        sensor_range=options.setting.sensor.limits,
        caps=replace(usual.caps, effort=options.effort),
        free=options.free,
    )
    if plan.motion is not None:
        return admittance(robot, rendered, options.frame, options=chosen_options)
    x = tuple(-row[0] for row in start.rotation)
    offset = sum(a * b for a, b in zip(x, start.origin, strict=True)) - (_way(options) + EDGE / 2.0)
    whole = SpringDamper.tuned(plan.mass, WALL_FREQUENCY)
    shared = SpringDamper(whole.stiffness / 4.0, whole.damping / 4.0, bool(options.two_sided))
    half = EDGE / 2.0
    corners = [TouchPoint((half, a * half, b * half)) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    walls = contact_field(corners, [Wall((x[0], x[1], x[2]), offset)], shared)
    return admittance(robot, rendered, options.frame, options=chosen_options, environment=walls)


def _wall_result(
    cycle: Admittance, recording: HapticRecording, start: Pose, options: ExperimentOptions
) -> WallContactResult:
    x = np.array([row[0] for row in start.rotation])
    found = cycle.read(recording.cycle)
    way = (found["position"] - np.array(start.origin)) @ x - _way(options)
    inside = np.flatnonzero(way > 0.0)
    if not len(inside):
        raise RobotError("the object never reached the wall", remedy="push it faster, or give larger effort limits")
    first = int(inside[0])
    speed = found["velocity"] @ x
    tip = frame_motion(cycle.robot, cycle.frame)(recording.q, recording.qd, np.zeros_like(recording.q))[2][:, :3] @ x
    time = float(recording.t[first])
    later = recording.t >= time + REST_WINDOW
    impact = float(speed[first - 1])
    return WallContactResult(
        time,
        impact,
        float(np.abs(speed[later]).max() / impact),
        float(np.abs(tip[later]).max() / impact),
        float(way.max()),
        x,
    )
