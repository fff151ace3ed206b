"""Routes: which algorithm serves a quantity of a robot, the recursion or the closed form; the cheaper one by default.

The closed form is tried where it has a chance and is quickly had: gravity and the mass matrix up to six joints,
whole torques up to three. Both routes compute the same function; only the operations differ.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from torquec import dynamics
from torquec.closedform.closed_dynamics import (
    closed_gravity_torque,
    closed_inverse_dynamics,
    closed_mass_matrix,
    closed_velocity_torque,
)
from torquec.dynamics.mechanism import Grouping
from torquec.errors import ArgumentError
from torquec.expr import Function, count_operations
from torquec.model.quantities import trace_quantity
from torquec.robot.robot import Robot


class Route(StrEnum):
    """How a quantity is computed."""

    AUTOMATIC = "automatic"
    """Whichever of the others costs less."""
    RECURSIVE = "recursive"
    CLOSED_FORM = "closed form"


CLOSED: Mapping[str, tuple[Callable[..., Any], int]] = MappingProxyType(
    {
        "gravity_torque": (closed_gravity_torque, 6),
        "mass_matrix": (closed_mass_matrix, 6),
        "velocity_torque": (closed_velocity_torque, 3),
        "inverse_dynamics": (closed_inverse_dynamics, 3),
    }
)
"""Quantities that have a closed form, and up to how many joints it is tried without being asked for."""


GROUPED: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "inverse_dynamics": dynamics.inverse_dynamics,
        "velocity_torque": dynamics.velocity_torque,
    }
)
"""Quantities whose recursion may be cheaper with moments regrouped only than with moments balanced as well."""

_MOST_GROUPED = 3  # bodies; with more of them balancing always pays, and tracing twice takes time


def recursion(robot: Robot, quantity: str) -> Function:
    """The quantity's recursion, with the grouping of mass moments that takes fewer operations."""
    first = trace_quantity(robot, quantity)
    if quantity not in GROUPED or len(robot.bodies) > _MOST_GROUPED:
        return first
    regrouped = functools.partial(GROUPED[quantity], grouping=Grouping.REGROUPED)
    return min(first, trace_quantity(robot, quantity, algorithm=regrouped), key=_cost)


def _cost(function: Function) -> int:
    return count_operations(function).cost


def routes(robot: Robot, quantity: str, *, every: bool = False) -> dict[Route, Function]:
    """The quantity's function by each route that is worth trying; with `every`, by each that there is."""
    found = {Route.RECURSIVE: recursion(robot, quantity)}
    if quantity in CLOSED:
        algorithm, most = CLOSED[quantity]
        if every or len(robot.bodies) <= most:
            found[Route.CLOSED_FORM] = trace_quantity(robot, quantity, algorithm=algorithm)
    return found


def route_function(robot: Robot, quantity: str, route: Route) -> Function:
    """The quantity's function by a route; AUTOMATIC takes the cheapest.

    Raises `ArgumentError` where the closed form is asked for and the quantity has none.
    """
    if route is Route.RECURSIVE:
        return recursion(robot, quantity)
    if route is Route.CLOSED_FORM:
        if quantity not in CLOSED:
            raise ArgumentError(f"'{quantity}' has no closed form", remedy=f"these have: {', '.join(CLOSED)}")
        return trace_quantity(robot, quantity, algorithm=CLOSED[quantity][0])
    return min(routes(robot, quantity).values(), key=_cost)
