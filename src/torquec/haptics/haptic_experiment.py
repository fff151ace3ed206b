"""Haptic experiments on any arm: apparent mass and inertia at the hand, contact with a wall or a second cube.

`haptic_plan.py` lists the experiments and their options. The apparent mass is the hand's force over the acceleration of
the object's mass centre, less its gravity, if any. The apparent inertia is the moment about the mass centre over the
angular acceleration (:mod:`felt_inertia`). Motion at a wall is taken from the simulation: a spline through encoder
positions looks ahead, and shows the speed drop some 10 ms before the impact.

The initial configuration is away from limits and singularities, with the whole path in reach:

(1)  of `random_configurations` random configurations within the limits, seeded, the one with the largest of
     min(pivot over the arm's size or 1, half the distance to the nearest limit in radians or arm's sizes)
(2)  the inverse kinematics follows a path of poses from it; the next configuration is tried where the path misses a
     pose, comes nearer to a limit than `limit_margin`, or needs more than `path_pace` of the speed limit of a joint
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.jacobian import jacobian
from torquec.errors import ArgumentError, RobotError
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.haptics.admittance import Admittance, admittance
from torquec.haptics.admittance_options import NOT_FREE, AdmittanceOptions, ToolLoad
from torquec.haptics.contact_experiment import (
    PushedAgainst,
    WallContactResult,
    contact_result,
    mass_centre,
    pushed_against_cube,
    pushed_against_wall,
)
from torquec.haptics.felt_inertia import (
    FeltInertia,
    IntendedMotion,
    MeasuredMotion,
    felt_inertia,
    measured_motion,
    pose_differences,
    recorded_motion,
)
from torquec.haptics.haptic_choices import HapticExperiment
from torquec.haptics.haptic_loop import HapticLoop, HapticRecording
from torquec.haptics.haptic_plan import ExperimentOptions, ExperimentPlan, checked_options, experiment_plan
from torquec.haptics.rendered_object import RenderedObject
from torquec.haptics.simulated_hand import goal_part, hand_goals, push_goals
from torquec.haptics.tuning import TUNING
from torquec.haptics.virtual_object import rotation_of
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.closed_kinematics import InverseKinematics, KinematicsMethod
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.kinematics.joint_rates import manipulability_and_pivot
from torquec.robot.robot import Robot
from torquec.spatial import Pose, Vector3, scale

_ENDS = ("lower", "upper")
HANDLE = ToolLoad(0.4, (0.0, 0.0, 0.04), ((4e-4, 0.0, 0.0), (0.0, 4e-4, 0.0), (0.0, 0.0, 2e-4)))
"""The handle of the experiments: about a 12 cm grip of aluminium."""

_USUAL = ExperimentOptions()


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """Result of an experiment: the recording, the arm's motion and its statistics.

    `measured` is the held frame's motion: from encoders by the paper's method, in contact experiments from the
    simulation. `wanted` (N, 6) is the acceleration of the held frame that the cycle commands, base axes. `felt` is None
    in contact experiments, `felt_turning` is the inertia in the combined experiment, `wall` the result of a contact
    experiment. `unrendered`: motions that the arm, and so the object, cannot make.
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
    felt_turning: FeltInertia | None
    wall: WallContactResult | None
    unrendered: tuple[str, ...]

    @property
    def plan(self) -> ExperimentPlan:
        """The plan of the experiment."""
        return experiment_plan(self.experiment, self.options)

    @property
    def load(self) -> Array:
        """The hand's force, or moment about the mass centre (N, 3), in base axes."""
        return self.loads[1 if self.plan.turns else 0]

    @property
    def acceleration(self) -> Array:
        """The acceleration by which the load is divided (N, 3)."""
        return self.accelerations[1 if self.plan.turns else 0]

    @property
    def loads(self) -> tuple[Array, Array]:
        """Force and moment about the mass centre (N, 3), in base axes, less the object's own damping."""
        hand, seen, offset = self.recording.hand, self.measured, np.array(self.options.offset)
        moment = hand[:, 3:] - np.cross(offset, hand[:, :3])
        force, turned = (np.einsum("kij,kj->ki", seen.rotation, part) for part in (hand[:, :3], moment))
        w, (along, about) = seen.velocity[:, 3:], self.options.damping
        moved = seen.velocity[:, :3] + np.cross(w, seen.rotation @ offset)
        return force - along * moved, turned - about * w

    @property
    def accelerations(self) -> tuple[Array, Array]:
        """Acceleration of the mass centre less the object's gravity, and angular acceleration (N, 3), base axes."""
        seen = self.measured
        r = seen.rotation @ np.array(self.options.offset)
        w, al = seen.velocity[:, 3:], seen.acceleration[:, 3:]
        moved = seen.acceleration[:, :3] + np.cross(al, r) + np.cross(w, np.cross(w, r))
        return moved - np.array(self.cycle.rendered.gravity), al

    def felt_by(self, intended: Array, *, turning: bool) -> FeltInertia:
        """The apparent mass, or inertia, from the hand's intended accelerations (N, 3)."""
        seen, motion, k = self.measured, self.plan.motion, int(turning)
        assert motion is not None
        centre = seen.position + seen.rotation @ np.array(self.options.offset)
        moved = pose_differences(seen.t, centre, seen.rotation)[:, 3 * k : 3 * k + 3]
        if not turning:
            moved = moved - np.array(self.cycle.rendered.gravity)
        pole = self.options.poles
        lag = motion.speed**2 * self.options.period * abs(pole.real) / abs(pole) ** 2
        free = (self.recording.status.astype(np.int64) & int(NOT_FREE)) == 0
        aim = IntendedMotion(intended, motion.speed, motion.start, lag)
        return felt_inertia(seen.t, self.loads[k], self.accelerations[k], aim, differences=moved, free=free)


def run_experiment(
    robot: Robot, experiment: HapticExperiment | str, options: ExperimentOptions = _USUAL
) -> ExperimentResult:
    """Run an experiment on an arm.

    Raises `ArgumentError` for options that contradict the experiment, and `RobotError`, with the missing motions, for
    an arm that cannot do it.
    """
    name = chosen(HapticExperiment, experiment, "experiment")
    options = checked_options(name, options)
    plan = experiment_plan(name, options)
    gravity = robot.gravity if options.gravity else (0.0, 0.0, 0.0)
    _check_weight(plan, options, gravity)
    kinematics = inverse_kinematics(robot, options.frame, free=options.free)
    origin = Pose(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0))
    path = _goals(plan, options, origin, gravity)[:, [0, 1, 2, 9, 10, 11, 12]]
    if plan.motion is None:
        path[:, 0] = np.linspace(0.0, PushedAgainst(origin, options, None).way + 0.02, len(path))
    long = len(path) * options.period
    if options.posture is None:
        posture = default_posture(kinematics, path, duration=long, needs=plan.needs)
    else:
        posture = np.asarray(options.posture, dtype=np.float64)
        if posture.shape != (robot.n,) or not follows(kinematics, posture, path, duration=long):
            raise RobotError(
                f"from this configuration '{kinematics.frame}' of robot '{robot.name}' cannot do {name.value}",
                remedy="give another configuration, or none to search for one",
            )
    lacking = unrendered(kinematics, posture)
    check_rendered(kinematics, [lacking], plan.needs)
    start = frame_pose(robot, kinematics.frame, [float(x) for x in posture])
    against = None
    if plan.motion is None:
        meet = pushed_against_cube if name is HapticExperiment.TWO_CUBES else pushed_against_wall
        against = meet(mass_centre(start, options.offset), options)
    cycle = _cycle(robot, plan, options, against, gravity)
    loop = HapticLoop(cycle, options.setting)
    goals = _goals(plan, options, start, gravity)
    recording = loop.run(loop.first_row(posture), goals)
    if against is None:
        measured = measured_motion(robot, kinematics.frame, recording.t, recording.seen)
    else:
        measured = recorded_motion(robot, kinematics.frame, recording.t, recording.q, recording.qd)
    wanted = cycle.read(np.vstack([recording.cycle[1:], recording.last[loop.parts["cycle"]]]))["acceleration"]
    wall = None if against is None else contact_result(cycle, recording, against)
    result = ExperimentResult(
        name, robot, cycle, options, posture, recording, measured, wanted, None, None, wall, tuple(lacking)
    )
    if plan.motion is None:
        return result
    intended = [goal_part(goals, word) for word in ("acceleration", "turning_rate")]
    felt = result.felt_by(intended[int(plan.turns)], turning=plan.turns)
    turned = result.felt_by(intended[1], turning=True) if plan.is_combined else None
    return replace(result, felt=felt, felt_turning=turned)


def _check_weight(plan: ExperimentPlan, options: ExperimentOptions, gravity: Vector3) -> None:
    weight, most = plan.mass * sum(g * g for g in gravity) ** 0.5, min(options.setting.sensor.limits[:3])
    if weight >= most:
        raise ArgumentError(
            f"{plan.mass:g} kg weigh {weight:.4g} N, more than the force sensor's range of {most:g} N",
            remedy="give a smaller mass, or leave gravity out",
        )


def _goals(plan: ExperimentPlan, options: ExperimentOptions, pose: Pose, gravity: Vector3) -> Array:
    carried = scale(gravity, -plan.mass)
    if plan.motion is None:
        assert options.impact is not None
        duration = TUNING.push_time + TUNING.flight_time + TUNING.time_after_impact
        return push_goals(
            pose,
            plan.mass,
            speed=options.impact,
            lasting=TUNING.push_time,
            duration=duration,
            period=options.period,
            carried=carried,
        )
    return hand_goals(plan.motion, pose, (plan.mass, plan.inertia), period=options.period, carried=carried)


def _cycle(
    robot: Robot, plan: ExperimentPlan, options: ExperimentOptions, against: PushedAgainst | None, gravity: Vector3
) -> Admittance:
    along, about = options.damping
    rendered = RenderedObject(plan.mass, (plan.inertia,) * 3, damping=(along,) * 3 + (about,) * 3, gravity=gravity)
    chosen_options = AdmittanceOptions(
        period=options.period,
        poles=options.poles,
        tool=HANDLE,
        sensor_range=options.setting.sensor.limits,
        caps=replace(AdmittanceOptions().caps, effort=options.effort),
        free=options.free,
        contact_point=scale(options.offset, -1.0),
    )
    environment = None if against is None else against.environment(plan.mass)
    return admittance(robot, rendered, options.frame, options=chosen_options, environment=environment)


def default_posture(
    kinematics: InverseKinematics, paths: Array, *, duration: float, needs: tuple[str, ...] = ()
) -> Array:
    """Choose an initial configuration q (n,) for a path of the frame.

    `paths` (N, 7), relative to the frame: displacement [m] and quaternion. The path takes `duration` seconds and
    `needs` motions in the words of `unrendered`.

    Raises `RobotError` where none is found.
    """
    robot, ranked = kinematics.robot, _ranked(kinematics)
    check_rendered(kinematics, [unrendered(kinematics, q) for q in ranked[: TUNING.probed_configurations]], needs)
    tried = TUNING.tracked_candidates if kinematics.method is KinematicsMethod.ANALYTIC else TUNING.tracked_by_iteration
    for q in ranked[:tried]:
        if follows(kinematics, q, paths, duration=duration):
            return q
    raise RobotError(
        f"no configuration of robot '{robot.name}' was found from which '{kinematics.frame}' can do this motion",
        remedy="give a configuration or another frame, or a slower pace if its joints are slow",
    )


def check_rendered(kinematics: InverseKinematics, lacking: Sequence[Sequence[str]], needs: tuple[str, ...]) -> None:
    """Raise `RobotError` where a needed motion is impossible at all of some configurations."""
    missing = [word for word in needs if all(word in words for words in lacking)]
    if missing:
        raise RobotError(
            f"'{kinematics.frame}' of robot '{kinematics.robot.name}' cannot render this: it lacks "
            f"{' and '.join(missing)}",
            remedy="choose an experiment that it can do, another frame, or an arm with six joints",
        )


def follows(kinematics: InverseKinematics, q: Array, paths: Array, *, duration: float) -> bool:
    """Whether the arm follows a path relative to the frame's pose at q, without a jump and fast enough (2)."""
    start = frame_pose(kinematics.robot, kinematics.frame, [float(x) for x in q])
    turn: Array = np.array(start.rotation)
    origin: Array = np.array(start.origin)
    picked = paths[np.linspace(0, len(paths) - 1, min(TUNING.tracked_poses, len(paths))).astype(int)]
    turns = np.array([turn @ _rotation(row[3:]) for row in picked])
    tracked = kinematics.track(turns, origin + picked[:, :3] @ turn.T, start=q)
    wrong = tracked.status & BranchStatus.OUT_OF_LIMITS
    if len(kinematics.arm.joints) >= 6:  # with fewer, the arm may lack the rotation
        wrong = wrong | (tracked.status & BranchStatus.OUT_OF_REACH)
    speed = np.abs(np.diff(tracked.q, axis=0)).max(axis=0) * (len(picked) - 1) / duration
    fast = speed > TUNING.path_pace * np.array([joint.limits.velocity for joint in kinematics.robot.joints])
    if wrong.any() or len(tracked.jumps) or (tracked.error[:, 0] > 1e-6).any() or fast.any():
        return False
    lower, upper = (np.array([getattr(joint.limits, end) for joint in kinematics.robot.joints]) for end in _ENDS)
    return bool((_room(kinematics, np.minimum(tracked.q - lower, upper - tracked.q)) >= TUNING.limit_margin).all())


def _room(kinematics: InverseKinematics, room: Array) -> Array:
    """Distances to limits (.., n) of the joints that move the frame, prismatic ones in halves of the arm's size."""
    size = 0.5 * kinematics.arm.reach
    parts = [room[..., joint.index] / (size if joint.slides else 1.0) for joint in kinematics.arm.joints]
    return np.stack(parts, axis=-1)


def unrendered(kinematics: InverseKinematics, q: Array, tolerance: float = 1e-6) -> list[str]:
    """Impossible motions of the frame at q: words for its axes along or about which it cannot move."""
    pose: Pose = frame_pose(kinematics.robot, kinematics.frame, [float(x) for x in q])
    J = np.array(jacobian(kinematics.robot, kinematics.frame, [float(x) for x in q]), dtype=np.float64)
    turn: Array = np.array(pose.rotation)
    own = np.vstack([turn.T @ J[:3] / (0.5 * kinematics.arm.reach), turn.T @ J[3:]])
    u, sizes, _ = np.linalg.svd(own)
    rank = int((sizes > tolerance).sum())
    reachable = u[:, :rank]
    words = [f"moving along {axis}" for axis in "xyz"] + [f"turning about {axis}" for axis in "xyz"]
    lost = 1.0 - (reachable**2).sum(axis=1)
    return [word for word, share in zip(words, lost, strict=True) if share > tolerance]


def _ranked(kinematics: InverseKinematics) -> list[Array]:
    """Random configurations, best first (1)."""
    robot, arm = kinematics.robot, kinematics.arm
    rng = np.random.default_rng(0)
    lower, upper = [], []
    for joint in robot.coordinates:
        far = TUNING.unlimited_angle if joint.turns else TUNING.unlimited_slide
        lower.append(max(joint.limits.lower, -far) if joint.limits.upper > -far else joint.limits.lower)
        upper.append(min(joint.limits.upper, far) if joint.limits.lower < far else joint.limits.upper)
    low, high = np.array(lower), np.array(upper)
    moving = [joint.index for k, joint in enumerate(arm.joints) if k != kinematics.closed.free]
    size = 0.5 * arm.reach
    scored = []
    for q in low + (high - low) * rng.random((TUNING.random_configurations, robot.n)):
        J = jacobian(robot, kinematics.frame, [float(x) for x in q])
        columns = [[J[row][k] / (size if row < 3 else 1.0) for row in range(6)] for k in moving]
        pivot = manipulability_and_pivot(columns)[1]
        room = _room(kinematics, np.minimum(q - low, high - q))
        scored.append((min(float(pivot), 0.5 * float(room.min())), q))
    scored.sort(key=lambda pair: -pair[0])
    return [q for _, q in scored]


def _rotation(e: Array) -> Array:
    w, x, y, z = (float(value) for value in e)
    return np.array(rotation_of((w, x, y, z)))
