"""Center of mass of the robot and its Jacobian, in base axes.

With the composite mass moments m_i, h_i of link i and everything it carries (:mod:`torquec.dynamics.composite`), R_i
and o_i the link's axes and origin in the base frame, and M the mass of all bodies:

(1)  c = 1/M sum over the roots of (R_i h_i + m_i o_i),   plus the constant first moment of mass regrouped to the base
(2)  column of a rate about or along axis z of link i:   R_i (z x h_i)/M (rotation),   R_i z m_i/M (translation)

Bodies that are welded to the base have no joint and do not count; rotors are part of the bodies that carry them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.closed_loops import closed_state_of, loop_values, times_rates
from torquec.dynamics.composite import composite_moments
from torquec.dynamics.frame_pose import link_poses
from torquec.dynamics.mass_matrix import unit_acceleration_wrench
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Grouping, Mechanism, PlacedLink, mechanism, place
from torquec.dynamics.regrouping import regroup_with_base
from torquec.errors import RobotError
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Pose, Scalar, Vector3, add, matvec, scale, subtract


@loop_values
def center_of_mass(robot: Robot, q: Sequence[Scalar]) -> Vector3:
    """Center of mass c(q), (3,) [m], in base axes, equation (1)."""
    return composite_bodies(robot, q).center


def center_of_mass_jacobian(robot: Robot, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Jacobian J(q) of the center of mass, (3, n): J qd is its velocity, equation (2)."""
    if robot.dependent:
        state = closed_state_of(robot, q)
        return times_rates(center_of_mass_jacobian(robot.tree, state.q), state.rates)
    bodies = composite_bodies(robot, q)
    total: list[list[Scalar]] = [[0.0] * robot.n for _ in range(3)]
    for i, link in enumerate(bodies.placed):
        coordinate = bodies.constants.coordinates[i]
        for at, column in enumerate(link.columns, start=coordinate.index):
            momentum, _ = unit_acceleration_wrench(bodies.composite[i], column)
            velocity = matvec(bodies.poses[i].rotation, scale(momentum, 1.0 / bodies.mass))
            for row, value in zip(total, velocity, strict=True):
                row[at] = row[at] + coordinate.multiplier * value
    return total


@dataclass(frozen=True)
class CompositeBodies:
    """The robot at q: placed links, their composite mass moments and poses, total mass, center of mass."""

    constants: Mechanism
    placed: tuple[PlacedLink, ...]
    composite: tuple[MassMoments, ...]
    poses: dict[int, Pose]
    mass: float
    center: Vector3

    def carries_all(self, i: int) -> bool:
        """Whether link i is the only root and carries all mass, as a floating base does."""
        roots = [k for k, link in enumerate(self.placed) if link.parent == BASE]
        return roots == [i] and self.placed[i].kind.nv > 1

    def arm(self, i: int) -> Vector3:
        """Vector from the center of mass to the origin of link i, in base axes."""
        if self.carries_all(i):
            return matvec(self.poses[i].rotation, scale(self.composite[i].first, -1.0 / self.mass))
        return subtract(self.poses[i].origin, self.center)


def composite_bodies(robot: Robot, q: Sequence[Scalar]) -> CompositeBodies:
    """All links at q (nq,) with (1); raises `RobotError` for a robot without mass."""
    m = mechanism(robot, Grouping.NONE)
    mass = sum(body.inertia.m for body in robot.bodies)
    if not mass > 0.0:
        raise RobotError(
            f"robot '{robot.name}' has no mass, so it has no center of mass",
            where=robot.source,
            remedy="give its bodies masses",
        )
    moments, grounded = regroup_with_base(m.links, m.moments)
    regrouped = Mechanism(m.links, moments, m.coordinates, m.gravity, m.reflected_inertia, m.n)
    placed = place(regrouped, q)
    composite = tuple(composite_moments(placed))
    poses = link_poses(robot, placed, range(len(placed)))
    center = scale(_first_moment(poses[BASE], grounded), 1.0 / mass)
    for i, link in enumerate(placed):
        if link.parent == BASE:
            center = add(center, _first_moment(poses[i], composite[i], 1.0 / mass))
    return CompositeBodies(regrouped, placed, composite, poses, mass, center)


def _first_moment(pose: Pose, moments: MassMoments, factor: float = 1.0) -> Vector3:
    """First moment about the base's origin, in base axes, times a factor."""
    turned = matvec(pose.rotation, scale(moments.first, factor))
    return add(turned, scale(pose.origin, factor * moments.m))
