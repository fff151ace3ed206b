"""Routes: which algorithm serves a quantity of a robot, the recursion or the closed form; the cheaper one by default.

The closed form is tried where it has a chance and is quickly had: gravity and the mass matrix up to six joints,
whole torques up to three. Both routes compute the same function; only the operations differ.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
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
from torquec.dynamics.carried_links import carried_links
from torquec.dynamics.mechanism import Grouping, mechanism
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


_BOTH = (Grouping.BALANCED, Grouping.REGROUPED)

WAYS: Mapping[str, tuple[Callable[..., Any], tuple[Grouping, ...]]] = MappingProxyType(
    {
        "inverse_dynamics": (dynamics.inverse_dynamics, _BOTH),
        "velocity_torque": (dynamics.velocity_torque, _BOTH),
        "gravity_torque": (dynamics.gravity_torque, _BOTH),
        "total_torque": (dynamics.total_torque, _BOTH),
        "mass_matrix": (dynamics.mass_matrix, ()),
        "coriolis_matrix": (dynamics.coriolis_matrix, ()),
        "forward_dynamics": (dynamics.forward_dynamics, ()),
        "inverse_dynamics_derivatives": (dynamics.inverse_dynamics_derivatives, ()),
        "forward_dynamics_derivatives": (dynamics.forward_dynamics_derivatives, ()),
    }
)
"""Quantities whose recursion can be gone through in several ways, none of them always the cheapest: links in their own
axes, or some of them carried; and the groupings of mass moments that there are to choose from."""

_MOST_REGROUPED = 3  # bodies in their own axes; with more of them balancing always pays, and tracing takes time

_AS_CORIOLIS = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")
"""Long quantities that consist of parts of the Coriolis matrix: traced once, in the way that it takes."""


def recursion(robot: Robot, quantity: str) -> Function:
    """The quantity's recursion, in the way that takes fewest operations and no more of any kind than the usual one."""
    if quantity in _AS_CORIOLIS and len(robot.bodies) > _MOST_REGROUPED:
        algorithm, _ = WAYS[quantity]
        return trace_quantity(
            robot, quantity, algorithm=functools.partial(algorithm, carried=_carrying_pays(robot, "coriolis_matrix"))
        )
    usual = trace_quantity(robot, quantity)
    found, most = [usual], count_operations(usual)
    for way in _other_ways(robot, quantity):
        trial = trace_quantity(robot, quantity, algorithm=way)
        count = count_operations(trial)
        if count.mul <= most.mul and count.add <= most.add and count.sincos <= most.sincos:
            found.append(trial)
    return min(found, key=_cost)


@functools.lru_cache(maxsize=64)
def _carrying_pays(robot: Robot, quantity: str) -> bool:
    """Whether the quantity takes fewer operations with links carried."""
    algorithm, _ = WAYS[quantity]
    usual, carried = (
        count_operations(trace_quantity(robot, quantity, algorithm=functools.partial(algorithm, carried=way)))
        for way in (False, True)
    )
    return carried.mul <= usual.mul and carried.add <= usual.add and carried.cost < usual.cost


def _other_ways(robot: Robot, quantity: str) -> Iterator[Callable[..., Any]]:
    """The algorithms beside the usual one that are worth tracing."""
    if quantity not in WAYS:
        return
    algorithm, groupings = WAYS[quantity]
    if groupings and len(robot.bodies) <= _MOST_REGROUPED:
        yield functools.partial(algorithm, grouping=Grouping.REGROUPED)
    if carried_links(mechanism(robot)):
        for grouping in groupings:
            yield functools.partial(algorithm, grouping=grouping, carried=True)
        if not groupings:
            yield functools.partial(algorithm, carried=True)


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
