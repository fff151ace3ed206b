"""A simulated hand: a human arm that controls its position, as a mass, a damper and a spring to where it wants to be.

(1)  F = grip (K (x_d - x) + B (v_d - v) - m a) + F_d                            base axes, at the held frame's origin
(2)  G = grip (Kr e + Br (w_d - w) - I al) + G_d,     e the rotation vector from the frame to where it is wanted
(3)  between two samples the goal goes on:  x_d + v_d t + a_d t^2/2,  v_d + a_d t,  and the same for rotation

Humans move objects by controlling positions (Clover IV cites Kazerooni and Her), with endpoint impedances that were
measured: stiffness 50 to 600 N/m, viscosity 5 to 40 N s/m, mass 1 to 2 kg (Mussa-Ivaldi, Hogan and Bizzi 1985; Dolan,
Friedman and Nagurka 1993; Tsuji, Morasso, Goto and Ito 1995); forearm and wrist a few N m/rad, some 0.1 N m s/rad and
0.003 to 0.006 kg m^2 (Formica et al. 2012; de Vlugt et al. 2011). F_d and G_d are what a person who knows an object
applies in advance (Shadmehr and Mussa-Ivaldi 1994): its inertia times the acceleration wanted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.jacobian import jacobian, jacobian_derivative
from torquec.errors import ArgumentError
from torquec.haptics.objects.virtual_object import ObjectWrench, rotation_of
from torquec.kinematics.refinement import pose_error
from torquec.robot.robot import Robot
from torquec.simulation.plant_force import CarriedLoad, PlantInstant
from torquec.spatial import Scalar, Vector3, add, scale, subtract

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
"""What a hand wants at a sample, in order, with how many numbers each has; base axes, quaternion scalar first."""

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
    """A hand at a frame: its goal is a row of numbers or nodes in the order of `GOAL`, `since` [s] its sample's age."""

    frame: str
    impedance: HandImpedance
    goal: Sequence[Any]
    since: Scalar = 0.0

    def check(self, robot: Robot) -> None:
        """The robot needs the frame."""
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
        """(1) and (2): what the hand does to the frame, which accelerates with `rate` (6,)."""
        found, (grip,) = self.muscles(robot, q, twist), self._part("grip")
        own = scale((rate[0], rate[1], rate[2]), self.impedance.mass * grip)
        spin = scale((rate[3], rate[4], rate[5]), self.impedance.inertia * grip)
        return ObjectWrench(subtract(found.force, own), subtract(found.moment, spin))

    def torque(self, robot: Robot, now: PlantInstant) -> list[Scalar]:
        """J' of the wrench, the hand's inertia without J qdd, which `inertia` has."""
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
