"""Total drive torque: rigid bodies, reflected rotors, friction and springs.

(1)  tau_total = tau(q, qd, qdd) + friction(qd, tau) + springs(q)
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.closed_loops import closed_state_of
from torquec.dynamics.friction_torque import friction_torque, has_load_friction
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.mechanism import Grouping
from torquec.dynamics.spring_torque import spring_torque
from torquec.errors import RobotError
from torquec.robot.robot import Robot
from torquec.spatial import Scalar


def total_torque(
    robot: Robot,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    *,
    grouping: Grouping = Grouping.BALANCED,
    carried: bool = False,
) -> list[Scalar]:
    """Drive torques (n,) with all terms that the robot file states (1).

    Raises `RobotError` for closed loops with load-dependent friction: forces in the loops would change the loads.
    """
    if robot.dependent:
        if has_load_friction(robot.tree):
            raise RobotError(
                f"robot '{robot.name}' has closed loops and friction that depends on loads",
                where=robot.source,
                remedy="remove the load-dependent friction: forces inside the loops would change it",
            )
        state = closed_state_of(robot, q)
        v = state.rate(qd)
        vd = state.acceleration(v, qdd)
        return state.project(total_torque(robot.tree, state.q, v, vd, grouping=grouping, carried=carried))
    return torque_with_losses(robot, inverse_dynamics(robot, q, qd, qdd, grouping=grouping, carried=carried), q, qd)


def torque_with_losses(
    robot: Robot, rigid: Sequence[Scalar], q: Sequence[Scalar], qd: Sequence[Scalar]
) -> list[Scalar]:
    """Rigid-body torques (n,), of any model, with the robot's friction and springs added (1)."""
    parts = zip(rigid, friction_torque(robot, qd, load=rigid), spring_torque(robot, q), strict=True)
    return [bodies + friction + spring for bodies, friction, spring in parts]
