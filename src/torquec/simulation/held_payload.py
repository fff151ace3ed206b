"""A load in the hand that the controller knows nothing of: its weight, its velocity torques and its inertia.

(1)  torques:  -(c_load(q, qd) + g_load(q)),   inertia  M_load(q):  those of the arm if the load were all that it has
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from torquec.dynamics.carried_links import placed_links
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.mass_matrix import joint_inertias
from torquec.dynamics.mechanism import Mechanism, mechanism
from torquec.dynamics.motion import motions
from torquec.robot.payload import attach_payload
from torquec.robot.robot import Drives, Robot
from torquec.simulation.plant_force import CarriedLoad, PlantInstant
from torquec.spatial import Inertia, Scalar

_POINT_MASS = ((0.0,) * 3,) * 3  # the inertia of a payload that states none


@dataclass(frozen=True)
class HeldPayload(CarriedLoad):
    """`mass` [kg] at `center` [m] of a frame, `inertia` (3, 3) [kg m^2] about that point, as in `attach_payload`."""

    frame: str
    mass: float
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia_tensor: tuple[tuple[float, ...], ...] = _POINT_MASS

    def check(self, robot: Robot) -> None:
        """The robot needs the frame, the load must be a solid."""
        _load_alone(robot, self)

    def torque(self, robot: Robot, now: PlantInstant) -> list[Scalar]:
        """(1)."""
        m, still = _load_alone(robot, self), [0.0] * robot.n
        placed = placed_links(m, now.q, carried=False)
        needed = joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, now.qd, still), still)
        return [-value for value in needed]

    def inertia(self, robot: Robot, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """M of the load (1)."""
        m = _load_alone(robot, self)
        return joint_inertias(m, placed_links(m, q, carried=False))


@lru_cache(maxsize=8)
def _load_alone(robot: Robot, load: HeldPayload) -> Mechanism:
    """The arm without anything of its own that has inertia, and with the load.

    Its moments are given as they are: joints that do not carry the load (other fingers, links beyond its frame) move
    nothing here, which is no mistake.
    """
    bodies = tuple(dataclasses.replace(body, inertia=Inertia(), lacking_inertia=()) for body in robot.bodies)
    bare = dataclasses.replace(robot, bodies=bodies, drives=Drives(), base_inertia=Inertia())
    taken = {frame.name for frame in robot.frames}
    name = next(name for k in range(len(taken) + 1) if (name := f"payload{k}") not in taken)
    alone = attach_payload(bare, load.frame, mass=load.mass, center=load.center, inertia=load.inertia_tensor, name=name)
    return mechanism(alone, inertias=[body.inertia for body in alone.bodies])
