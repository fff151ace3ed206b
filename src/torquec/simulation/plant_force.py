"""Interface of external forces on a plant: a push, a contact, a hand, a payload unknown to the controller.

(1)  M(q) qdd = tau + sum of torques of forces - c(q, qd) - g(q) - springs(q) - friction(qd)
(2)  a force F and moment N on a frame, in base axes at its origin, act on the joints as  J' (F, N)
(3)  a carried load has inertia too:  (M + M_carried) qdd
(4)  a force with memory has a state z, integrated with the motion:  zd = rate(q, qd, z, time)

A new force is a frozen dataclass in a file of its own that derives from `PlantForce` and implements `torque`; it
depends on its fields only. It goes into `Plant(forces=...)`.
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
    """State of the plant: q, qd (n,) and the time [s], 0 for forces that do not depend on it.

    `state`: that of the force being evaluated (4); empty for forces without one.
    """

    q: Sequence[Scalar]
    qd: Sequence[Scalar]
    time: Scalar = 0.0
    state: Sequence[Scalar] = ()


class PlantForce(ABC):
    """An external force on the plant."""

    @property
    def depends_on_time(self) -> bool:
        """Whether the force depends on the time; the time is then a state of the plant."""
        return False

    @abstractmethod
    def check(self, robot: Robot) -> None:
        """Raise `ArgumentError` where the force does not fit the robot, such as an unknown frame."""

    @abstractmethod
    def torque(self, robot: Robot, now: PlantInstant) -> list[Scalar]:
        """Its joint torques (n,), over any scalar."""


class CarriedLoad(PlantForce):
    """A payload: the force of a body that moves with the robot and has inertia (3)."""

    @abstractmethod
    def inertia(self, robot: Robot, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """Its joint-space inertia (n, n) at q (n,)."""


class ForceWithState(PlantForce):
    """A force with a state (4): friction with memory, a hand with dynamics of its own."""

    @abstractmethod
    def first_state(self, robot: Robot, q: Sequence[float], qd: Sequence[float]) -> list[float]:
        """The initial state (m,) at q, qd (n,); its length does not depend on them."""

    @abstractmethod
    def state_rate(self, robot: Robot, now: PlantInstant) -> list[Scalar]:
        """The time derivative (m,) of `now.state`, over any scalar."""

    def state_size(self, robot: Robot) -> int:
        """The size of the state."""
        return len(self.first_state(robot, [0.0] * robot.n, [0.0] * robot.n))


class StiffForce(PlantForce):
    """A stiff force: fixed integration steps must resolve its fast rates."""

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
    """Velocity of the frame's origin [m/s], in base axes."""
    rows = jacobian(robot, frame, now.q)[:3]
    x, y, z = (sum((entry * v for entry, v in zip(row, now.qd, strict=True)), 0.0) for row in rows)
    return (x, y, z)
