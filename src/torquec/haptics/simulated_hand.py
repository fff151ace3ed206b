"""Simulated human hand: impedance control of its position, and its goals in an experiment.

(1)  F = grip (K (x_d - x) + B (v_d - v) - m a) + F_d                            base axes, at the held frame's origin
(2)  G = grip (Kr e + Br (w_d - w) - I al) + G_d,     e the rotation vector from the frame to its goal
(3)  between two samples the goal is extrapolated:  x_d + v_d t + a_d t^2/2,  v_d + a_d t,  and the same for rotation

Humans move objects by controlling positions (Clover IV cites Kazerooni and Her), with endpoint impedances that were
measured: stiffness 50 to 600 N/m, viscosity 5 to 40 N s/m, mass 1 to 2 kg (Mussa-Ivaldi, Hogan and Bizzi 1985; Dolan,
Friedman and Nagurka 1993; Tsuji, Morasso, Goto and Ito 1995); forearm and wrist a few N m/rad, some 0.1 N m s/rad and
0.003 to 0.006 kg m^2 (Formica et al. 2012; de Vlugt et al. 2011). F_d and G_d are the feedforward of a person who knows
the object (Shadmehr and Mussa-Ivaldi 1994): its inertia times the intended acceleration.

Goals of an experiment, a row of `GOAL` per sample:

(4)  circle:    p + r ((cos f - 1) x + sin f y),   f' rising smoothly to the angular speed within `start` seconds
(5)  rotation:  the angle a sin f about z, likewise
(6)  push:      the force m v (pi/2T) sin(pi t/T) along x for T seconds, which brings a mass m to the speed v; no grip

x, y and z are the axes of the held frame where it starts. (4) and (5) include the feedforward:
mass times acceleration, inertia times angular acceleration.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.jacobian import jacobian, jacobian_derivative
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.haptics.virtual_object import ObjectWrench, quaternion_of, rotation_of
from torquec.kinematics.refinement import pose_error
from torquec.robot.robot import Robot
from torquec.simulation.plant_force import CarriedLoad, PlantInstant
from torquec.spatial import Pose, Scalar, Vector3, add, axis_angle_rotation, matmul, scale, subtract

GOAL: Mapping[str, int] = {
    "position": 3,
    "velocity": 3,
    "acceleration": 3,
    "orientation": 4,
    "turning": 3,
    "turning_rate": 3,
    "force": 3,
    "moment": 3,
    "grip": 1,
}
"""Goal of a hand at a sample: quantities in order, with their sizes; base axes, quaternion scalar first."""

GOAL_SIZE = sum(GOAL.values())


@dataclass(frozen=True)
class HandImpedance:
    """The endpoint impedance of a human arm: along [N/m, N s/m, kg] and about [N m/rad, N m s/rad, kg m^2] every axis.

    The defaults lie within the published ranges; see the module.
    """

    stiffness: float = 400.0
    damping: float = 30.0
    mass: float = 1.5
    turning_stiffness: float = 5.0
    turning_damping: float = 0.3
    inertia: float = 0.004

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0.0 <= value < math.inf:
                raise ArgumentError(f"a hand with a {name} of {value}", remedy="give finite numbers, zero or more")


@dataclass(frozen=True, eq=False)
class GraspingHand(CarriedLoad):
    """A hand at a frame: `goal` is a row of numbers or nodes in the order of `GOAL`, `since` [s] the goal's age."""

    frame: str
    impedance: HandImpedance
    goal: Sequence[Any]
    since: Scalar = 0.0

    def check(self, robot: Robot) -> None:
        """Raise unless the robot has the frame."""
        robot.frame(self.frame)

    def _part(self, name: str) -> tuple[Any, ...]:
        start = 0
        for key, size in GOAL.items():
            if key == name:
                return tuple(self.goal[start : start + size])
            start += size
        raise AssertionError(name)

    def muscles(self, robot: Robot, q: Sequence[Scalar], twist: Sequence[Scalar]) -> ObjectWrench:
        """(1) and (2) without the hand's own mass; `twist` (6,) is the frame's velocity."""
        t, (grip,), own = self.since, self._part("grip"), self.impedance
        pose = frame_pose(robot, self.frame, q)
        x, v, a = (self._vector(name) for name in ("position", "velocity", "acceleration"))
        w, al = self._vector("turning"), self._vector("turning_rate")
        goal = add(x, add(scale(v, t), scale(a, 0.5 * t * t)))
        off, turn = pose_error(pose, rotation_of(self._part("orientation")), goal)
        turn = add(turn, add(scale(w, t), scale(al, 0.5 * t * t)))
        slower = subtract(add(v, scale(a, t)), (twist[0], twist[1], twist[2]))
        lag = subtract(add(w, scale(al, t)), (twist[3], twist[4], twist[5]))
        force = add(scale(off, own.stiffness * grip), scale(slower, own.damping * grip))
        moment = add(scale(turn, own.turning_stiffness * grip), scale(lag, own.turning_damping * grip))
        return ObjectWrench(add(force, self._vector("force")), add(moment, self._vector("moment")))

    def on_tool(
        self, robot: Robot, q: Sequence[Scalar], twist: Sequence[Scalar], rate: Sequence[Scalar]
    ) -> ObjectWrench:
        """The hand's wrench (1), (2) on the frame, which accelerates with `rate` (6,)."""
        found, (grip,) = self.muscles(robot, q, twist), self._part("grip")
        own = scale((rate[0], rate[1], rate[2]), self.impedance.mass * grip)
        spin = scale((rate[3], rate[4], rate[5]), self.impedance.inertia * grip)
        return ObjectWrench(subtract(found.force, own), subtract(found.moment, spin))

    def torque(self, robot: Robot, now: PlantInstant) -> list[Scalar]:
        """J' times the wrench; of the inertia forces it lacks the part of J qdd, which `inertia` has."""
        J = jacobian(robot, self.frame, now.q)
        rate = jacobian_derivative(robot, self.frame, now.q, now.qd)
        twist, bias = (_times(matrix, now.qd) for matrix in (J, rate))
        wrench = self.on_tool(robot, now.q, twist, bias)
        return _transposed(J, (*wrench.force, *wrench.moment))

    def inertia(self, robot: Robot, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """J' diag(m, I) J of the hand."""
        J = jacobian(robot, self.frame, q)
        (grip,) = self._part("grip")
        weights = [self.impedance.mass * grip] * 3 + [self.impedance.inertia * grip] * 3
        columns = list(zip(*J, strict=True))
        weighted = [[w * x for w, x in zip(weights, column, strict=True)] for column in columns]
        return [[sum((a * b for a, b in zip(u, v, strict=True)), start=0.0) for v in columns] for u in weighted]

    def _vector(self, name: str) -> Vector3:
        x, y, z = self._part(name)
        return (x, y, z)


def _times(matrix: Sequence[Sequence[Scalar]], v: Sequence[Scalar]) -> list[Scalar]:
    return [sum((a * b for a, b in zip(row, v, strict=True)), start=0.0) for row in matrix]


def _transposed(matrix: Sequence[Sequence[Scalar]], v: Sequence[Scalar]) -> list[Scalar]:
    return [sum((row[k] * b for row, b in zip(matrix, v, strict=True)), start=0.0) for k in range(len(matrix[0]))]


@dataclass(frozen=True)
class HandMotion:
    """Motion of a hand: `radius` [m] or `swing` [rad], `speed` [rad/s] of the phase, `start` and `duration` [s]."""

    speed: float
    duration: float
    radius: float = 0.0
    swing: float = 0.0
    start: float = 1.0

    def times(self, period: float) -> Array:
        """Samples from 0 on."""
        return np.arange(round(self.duration / period)) * np.float64(period)


def hand_goals(
    motion: HandMotion, pose: Pose, known: tuple[float, float], *, period: float, carried: Vector3 = (0.0, 0.0, 0.0)
) -> Array:
    """(4) and (5) from a pose of the frame, for a mass [kg] and an inertia [kg m^2] that the hand knows.

    `carried` [N] is the constant force that holds the object against gravity.
    """
    x, y, z = (np.array([row[k] for row in pose.rotation]) for k in range(3))
    phase = _phase(motion, motion.times(period))
    f, fd, fdd = (value[:, None] for value in phase)
    r, c, s = motion.radius, np.cos(f), np.sin(f)
    rows = _still(pose, len(f))
    _set(rows, "position", np.array(pose.origin) + r * ((c - 1.0) * x + s * y))
    _set(rows, "velocity", r * fd * (c * y - s * x))
    acceleration = r * (fdd * (c * y - s * x) - fd**2 * (c * x + s * y))
    _set(rows, "acceleration", acceleration)
    _set(rows, "force", known[0] * acceleration + np.array(carried))
    rate, turning = motion.swing * c * fd, motion.swing * (c * fdd - s * fd**2)
    if motion.swing > 0.0:
        turned = [
            quaternion_of(matmul(pose.rotation, axis_angle_rotation((0.0, 0.0, 1.0), math.cos(a), math.sin(a))))
            for a in motion.swing * np.sin(phase[0])
        ]
        _set(rows, "orientation", np.array(turned))
    _set(rows, "turning", rate * z)
    _set(rows, "turning_rate", turning * z)
    _set(rows, "moment", known[1] * turning * z)
    return rows


def push_goals(
    pose: Pose,
    mass: float,
    *,
    speed: float,
    lasting: float,
    duration: float,
    period: float,
    carried: Vector3 = (0.0, 0.0, 0.0),
) -> Array:
    """(6): a push of `lasting` seconds from a pose of the frame, then only the `carried` force [N]."""
    t = np.arange(round(duration / period)) * period
    x = np.array([row[0] for row in pose.rotation])
    # The mean over each cycle: the impulse is then exact for any period.
    ends = np.clip(np.stack([t, t + period]), 0.0, lasting)
    gained = 0.5 * mass * speed * -np.diff(np.cos(math.pi * ends / lasting), axis=0)[0]
    rows = _still(pose, len(t))
    _set(rows, "grip", np.zeros((len(t), 1)))
    _set(rows, "force", gained[:, None] / period * x + np.array(carried))
    return rows


def _phase(motion: HandMotion, t: Array) -> tuple[Array, ...]:
    """f and its two derivatives: its speed rises as 3 u^2 - 2 u^3, u = t/start."""
    w, T = motion.speed, motion.start
    u = np.clip(t / T, 0.0, 1.0)
    f = w * T * (u**3 - 0.5 * u**4) + w * np.clip(t - T, 0.0, None)
    return f, w * (3.0 * u**2 - 2.0 * u**3), w / T * (6.0 * u - 6.0 * u**2)


def _still(pose: Pose, count: int) -> Array:
    rows = np.zeros((count, GOAL_SIZE))
    _set(rows, "position", np.array(pose.origin))
    _set(rows, "orientation", np.array(quaternion_of(pose.rotation)))
    _set(rows, "grip", np.ones(1))
    return rows


def goal_part(rows: Array, name: str) -> Array:
    """The columns of a quantity of `GOAL` in rows (K, `GOAL_SIZE`), as a view."""
    start = 0
    for key, size in GOAL.items():
        if key == name:
            break
        start += size
    part: Array = rows[:, start : start + GOAL[name]]
    return part


def _set(rows: Array, name: str, values: Array) -> None:
    goal_part(rows, name)[...] = values
