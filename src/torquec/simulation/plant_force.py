"""What acts on a plant besides its drives: a push, a contact, a hand, a load unknown to the controller.

(1)  M(q) qdd = tau + sum of torques of forces - c(q, qd) - g(q) - springs(q) - friction(qd)
(2)  a force F and moment N on a frame, in base axes at its origin, act on the joints as  J' (F, N)
(3)  what is carried has inertia too:  (M + M_carried) qdd
(4)  what remembers has a state z of its own, integrated with the motion:  zd = rate(q, qd, z, time)

A new force is a frozen dataclass in a file of its own that derives from `PlantForce` and says its `torque`; its fields
are all that it depends on. It goes into `Plant(forces=...)`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics import jacobian
from torquec.robot.robot import Robot
from torquec.spatial import Scalar, Vector3


@dataclass(frozen=True)
class PlantInstant:
    """When and how the plant is: q, qd (n,) and the time [s], 0 for forces that do not ask for it.

    `state` is that of the force which is asked (4); empty for forces without one.
    """

    q: Sequence[Scalar]
    qd: Sequence[Scalar]
    time: Scalar = 0.0
    state: Sequence[Scalar] = ()


class PlantForce(ABC):
    """Something that acts on the plant."""

    @property
    def depends_on_time(self) -> bool:
        """Whether it looks at the time, which the loop then keeps."""
        return False

    @abstractmethod
    def check(self, robot: Robot) -> None:
        """Raise `ArgumentError` where the force does not go with the robot, such as on a frame that it lacks."""

    @abstractmethod
    def torque(self, robot: Robot, now: PlantInstant) -> list[Scalar]:
        """What it adds to the drives' torques (n,), over any scalar."""


class CarriedLoad(PlantForce):
    """A force of something that moves along and has inertia (3)."""

    @abstractmethod
    def inertia(self, robot: Robot, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """Its joint-space inertia (n, n) at q (n,)."""


class ForceWithState(PlantForce):
    """A force that remembers (4): friction with memory, a hand with dynamics of its own."""

    @abstractmethod
    def first_state(self, robot: Robot, q: Sequence[float], qd: Sequence[float]) -> list[float]:
        """The state (m,) to start from at q, qd (n,); its length does not depend on them."""

    @abstractmethod
    def state_rate(self, robot: Robot, now: PlantInstant) -> list[Scalar]:
        """The time derivative (m,) of `now.state`, over any scalar."""

    def state_size(self, robot: Robot) -> int:
        """How many numbers the state has."""
        return len(self.first_state(robot, [0.0] * robot.n, [0.0] * robot.n))


class StiffForce(PlantForce):
    """A force that brings fast motions into the plant, which fixed steps must be able to follow."""

    @abstractmethod
    def fastest_rate(self, robot: Robot, q: Sequence[float], mobility: Sequence[Sequence[float]]) -> float:
        """The fastest rate [1/s] at q (n,), where `mobility` is M^-1 (n, n)."""


def wrench_torque(
    robot: Robot, frame: str, q: Sequence[Scalar], force: Vector3, moment: Vector3 = (0.0, 0.0, 0.0)
) -> list[Scalar]:
    """The joint torques (n,) of a force [N] and a moment [N m] on a frame, in base axes at its origin (2)."""
    J = jacobian(robot, frame, q)
    found: list[Scalar] = [0.0] * robot.n
    for row, value in zip(J, (*force, *moment), strict=True):
        if not (isinstance(value, float) and value == 0.0):
            found = [t + entry * value for t, entry in zip(found, row, strict=True)]
    return found


def frame_velocity(robot: Robot, frame: str, now: PlantInstant) -> Vector3:
    """How fast the frame's origin moves [m/s], in base axes."""
    rows = jacobian(robot, frame, now.q)[:3]
    x, y, z = (sum((entry * v for entry, v in zip(row, now.qd, strict=True)), 0.0) for row in rows)
    return (x, y, z)
