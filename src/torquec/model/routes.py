"""Routes: which algorithm serves a quantity of a robot, a recursion or the closed form; the cheapest one by default.

The closed form is tried where it may be cheaper and is cheap to derive: gravity and the mass matrix up to six joints,
whole torques up to three. All routes compute the same function; only the operations differ.
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
from torquec.dynamics.carried_links import carried_links
from torquec.dynamics.mechanism import Grouping, mechanism
from torquec.errors import ArgumentError
from torquec.expr import Function, count_operations, operation_cost
from torquec.model.quantities import trace_quantity
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import check_single_coordinates


class Route(StrEnum):
    """How a quantity is computed."""

    AUTOMATIC = "automatic"
    """The cheapest of the others."""
    RECURSIVE = "recursive"
    """Newton and Euler, every link in its own axes."""
    CARRIED = "carried"
    """Newton and Euler, links with parallel axes in shared axes; RECURSIVE for a robot without such links."""
    CLOSED_FORM = "closed form"


CLOSED: Mapping[str, tuple[Callable[..., Any], int]] = MappingProxyType(
    {
        "gravity_torque": (closed_gravity_torque, 6),
        "mass_matrix": (closed_mass_matrix, 6),
        "velocity_torque": (closed_velocity_torque, 3),
        "inverse_dynamics": (closed_inverse_dynamics, 3),
    }
)
"""Quantities that have a closed form, and up to how many joints it is tried automatically."""


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
"""Quantities whose recursion has several variants, none of them always the cheapest: every link in its own axes, or
links with parallel axes in shared axes ("carried"). By quantity: the algorithm, and the groupings of mass moments to
choose from."""

_MOST_REGROUPED = 3  # most bodies to try regrouping for; with more, balancing always pays, and tracing takes time

_AS_CORIOLIS = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")
"""Long quantities made of parts of the Coriolis matrix: traced only once, in the variant chosen for that matrix."""


def own_recursion(robot: Robot, quantity: str) -> Function:
    """The quantity's recursion with every link in its own axes, without sums of joint angles."""
    usual = trace_quantity(robot, quantity)
    algorithm, groupings = WAYS.get(quantity, (None, ()))
    if algorithm is None or not groupings or len(robot.bodies) > _MOST_REGROUPED:
        return usual
    regrouped = functools.partial(algorithm, grouping=Grouping.REGROUPED)
    return min(usual, trace_quantity(robot, quantity, algorithm=regrouped), key=operation_cost)


def carried_recursion(robot: Robot, quantity: str) -> Function | None:
    """The quantity's recursion with parallel links in shared axes, cheapest grouping; None without parallel axes."""
    if quantity not in WAYS or not carried_links(mechanism(robot.tree)):
        return None
    algorithm, groupings = WAYS[quantity]
    ways = [functools.partial(algorithm, grouping=grouping, carried=True) for grouping in groupings]
    tried = ways or [functools.partial(algorithm, carried=True)]
    return min((trace_quantity(robot, quantity, algorithm=way) for way in tried), key=operation_cost)


@functools.lru_cache(maxsize=64)
def _carrying_pays(robot: Robot, quantity: str) -> bool:
    """Whether shared axes of parallel links save operations, without more operations of any kind."""
    carried = carried_recursion(robot, quantity)
    return carried is not None and _is_less(carried, own_recursion(robot, quantity))


def _is_less(one: Function, other: Function) -> bool:
    a, b = count_operations(one), count_operations(other)
    return a.cost < b.cost and a.mul <= b.mul and a.add <= b.add and a.sincos <= b.sincos


def routes(robot: Robot, quantity: str, *, every: bool = False) -> dict[Route, Function]:
    """The quantity's function by each promising route; with `every`, by all routes."""
    found: dict[Route, Function] = {}
    by_coriolis = quantity in _AS_CORIOLIS and not every
    pays = by_coriolis and _carrying_pays(robot, "coriolis_matrix")
    if not pays:
        found[Route.RECURSIVE] = own_recursion(robot, quantity)
    if pays or not by_coriolis:
        carried = carried_recursion(robot, quantity)
        if carried is not None and (every or pays or _is_less(carried, found[Route.RECURSIVE])):
            found[Route.CARRIED] = carried
    if quantity in CLOSED:
        algorithm, most = CLOSED[quantity]
        single = not robot.dependent and all(joint.kind.nv == 1 for joint in robot.joints)
        if single and (every or len(robot.bodies) <= most):
            found[Route.CLOSED_FORM] = trace_quantity(robot, quantity, algorithm=algorithm)
    return found


def route_function(robot: Robot, quantity: str, route: Route) -> Function:
    """The quantity's function by a route; AUTOMATIC takes the cheapest.

    Raises `ArgumentError` for the closed form of a quantity that has none, `RobotError` where the robot has none.
    """
    if route is Route.RECURSIVE:
        return own_recursion(robot, quantity)
    if route is Route.CARRIED:
        return carried_recursion(robot, quantity) or own_recursion(robot, quantity)
    if route is Route.CLOSED_FORM:
        if quantity not in CLOSED:
            raise ArgumentError(f"'{quantity}' has no closed form", remedy=f"these have: {', '.join(CLOSED)}")
        check_single_coordinates(robot)
        return trace_quantity(robot, quantity, algorithm=CLOSED[quantity][0])
    return min(routes(robot, quantity).values(), key=operation_cost)
