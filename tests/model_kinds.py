"""Models of every kind for tests of what consumes them, each with the robot that it must behave like."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType

from torquec.model.model import Model, ModelKind
from torquec.model.quantities import default_quantities, trace_quantity
from torquec.robot.robot import Robot
from torquec.spatial import Inertia


def heavier(robot: Robot, *, by: float = 0.2) -> Robot:
    """The robot with other inertias, each body's by another share, motors and friction as they are."""
    bodies = []
    for k, body in enumerate(robot.bodies):
        factor = 1.0 + by * (k + 1) / len(robot.bodies)
        inertia = Inertia(*(factor * value for value in body.inertia.parameters))
        bodies.append(dataclasses.replace(body, inertia=inertia))
    return dataclasses.replace(robot, bodies=tuple(bodies))


def program_model(robot: Robot, kind: ModelKind = ModelKind.CERTIFIED_TORQUE) -> Model:
    """A model that follows programs: those of `heavier(robot)`, while its bodies are still the robot's.

    Whoever looks at the bodies instead of the programs gets other numbers.
    """
    twin = heavier(robot)
    names = [name for name in default_quantities() if name not in ("regressor", "friction_torque", "spring_torque")]
    programs = {name: trace_quantity(twin, name) for name in names}
    return Model(robot, MappingProxyType(programs), kind=kind)
