"""Kinetic and potential energy.

(1)  T = 1/2 qd' M(q) qd,  with M qd from one pass of inverse dynamics without gravity or products of speeds
(2)  U = -sum m g . x  over the bodies (zero at the origin of the file's base frame), plus 1/2 stiffness (q - rest)^2
     of springs and the coil energy of counterbalances
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.closed_loops import loop_values
from torquec.dynamics.frame_pose import body_poses
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.mechanism import Grouping, coordinates, mechanism, place
from torquec.dynamics.motion import motions
from torquec.dynamics.spring_torque import counterbalance_energy
from torquec.robot.robot import Robot
from torquec.spatial import Scalar, dot, matvec


@loop_values
def kinetic_energy(robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Scalar:
    """Kinetic energy T [J], reflected rotors included (1)."""
    m = mechanism(robot, Grouping.BALANCED)
    placed = place(m, q)
    still = [0.0] * m.n
    momentum = joint_torques(m, placed, motions(placed, m.coordinates, (0.0, 0.0, 0.0), still, qd), qd)
    total: Scalar = 0.0
    for speed, value in zip(qd, momentum, strict=True):
        total = total + speed * value
    return 0.5 * total


@loop_values
def potential_energy(robot: Robot, q: Sequence[Scalar]) -> Scalar:
    """Potential energy U [J] of gravity and springs (2)."""
    robot.check_inertias()
    total: Scalar = 0.0
    for body, pose in zip(robot.bodies, body_poses(robot, q), strict=True):
        moment = matvec(pose.rotation, body.inertia.first_moment)
        total = total - (dot(robot.gravity, moment) + body.inertia.m * dot(robot.gravity, pose.origin))
    for body, coordinate in zip(robot.bodies, coordinates(robot), strict=True):
        if body.joint.spring is not None:
            stretch = coordinate.position(q) - body.joint.spring.rest
            total = total + (0.5 * body.joint.spring.stiffness) * (stretch * stretch)
        for counterbalance in body.joint.counterbalances:
            total = total + counterbalance_energy(counterbalance, coordinate.position(q))
    return total
