"""Table of the quantities of a robot: the one source of models, generated code, saved files and commands.

A row names a quantity, its inputs and outputs, and the algorithm of :mod:`torquec.dynamics` that computes it. A
quantity of a frame is named with the frame, as in "frame_pose:tool".
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from torquec import dynamics
from torquec.dynamics.base_regressor import base_inverse_dynamics, base_regressor
from torquec.dynamics.friction_memory import friction_start, friction_step, has_memory, memory_size, total_torque_step
from torquec.errors import ArgumentError, ExpressionError
from torquec.expr import Function, trace
from torquec.robot.loops.closure import loop_closure
from torquec.robot.robot import Robot
from torquec.spatial import Scalar

if TYPE_CHECKING:
    from torquec.parameters.base_parameters import BaseParameters

_STATE = ("q", "qd", "qdd")


@dataclass(frozen=True)
class Quantity:
    """A quantity: description, inputs and outputs in order, and its algorithm f(robot, *inputs).

    An algorithm with one output returns it; one with more returns a dataclass with fields of these names. With
    `of_frame` it takes a frame's name after the robot. Generated code has it only on demand unless `by_default`.
    """

    summary: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    algorithm: Callable[..., Any]
    of_frame: bool = False
    by_default: bool = True


def _pushed_inverse_dynamics(
    robot: Robot, frame: str, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], wrench: Sequence[Scalar]
) -> list[Scalar]:
    pushed = dynamics.ExternalWrench(frame, tuple(wrench[:3]), tuple(wrench[3:]))
    return dynamics.inverse_dynamics(robot, q, qd, qdd, wrenches=(pushed,))


@functools.lru_cache(maxsize=64)
def base_of(robot: Robot) -> BaseParameters:
    """The base parameters of the rows below: rigid bodies and rotors, no friction."""
    from torquec.parameters.base_parameters import base_parameters

    return base_parameters(robot)


def _base_regressor(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[list[Scalar]]:
    return base_regressor(robot, base_of(robot).body_expansion.tolist(), q, qd, qdd)


def _base_inverse_dynamics(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], beta: Sequence[Scalar]
) -> list[Scalar]:
    return base_inverse_dynamics(robot, base_of(robot).body_expansion.tolist(), q, qd, qdd, beta)


@dataclass(frozen=True)
class InfluenceArrays:
    """First- and second-order influence coefficients of a frame's origin and of its link, in base axes."""

    point_first: Any
    point_second: Any
    link_first: Any
    link_second: Any


def _influence_coefficients(robot: Robot, frame: str, q: Sequence[Scalar]) -> InfluenceArrays:
    found = dynamics.influence_coefficients(robot, frame, q)
    point, link = found.translation, found.rotation
    return InfluenceArrays(point.first, point.second, link.first, link.second)


_SIZES: Mapping[str, Callable[[Robot], int]] = {
    "q": lambda robot: robot.nq,
    "wrench": lambda _: 6,
    "beta": lambda robot: len(base_of(robot)),
    "state": memory_size,
}
"""Sizes of inputs that do not have one element per joint rate."""

WITH_FRICTION = frozenset({"friction_torque", "total_torque", "friction_step", "total_torque_step"})
"""Quantities that include friction."""

QUANTITIES: Mapping[str, Quantity] = MappingProxyType(
    {
        "inverse_dynamics": Quantity(
            "Torques (n,) that give accelerations qdd at (q, qd); rigid bodies and rotors, no friction.",
            _STATE,
            ("tau",),
            dynamics.inverse_dynamics,
        ),
        "mass_matrix": Quantity("Mass matrix (n, n), reflected rotors included.", ("q",), ("M",), dynamics.mass_matrix),
        "gravity_torque": Quantity(
            "Torques (n,) that hold the robot at rest.", ("q",), ("tau",), dynamics.gravity_torque
        ),
        "velocity_torque": Quantity(
            "Centrifugal and Coriolis torques (n,).", ("q", "qd"), ("tau",), dynamics.velocity_torque
        ),
        "coriolis_matrix": Quantity(
            "C (n, n): C qd is the velocity torque and dM/dt - 2C is skew.",
            ("q", "qd"),
            ("C",),
            dynamics.coriolis_matrix,
        ),
        "forward_dynamics": Quantity(
            "Accelerations (n,) under torques tau; rigid bodies and rotors, no friction.",
            ("q", "qd", "tau"),
            ("qdd",),
            dynamics.forward_dynamics,
        ),
        "inverse_dynamics_derivatives": Quantity(
            "Derivatives of inverse dynamics, (n, n) each; dtau/dqdd is the mass matrix.",
            _STATE,
            ("dtau_dq", "dtau_dqd"),
            dynamics.inverse_dynamics_derivatives,
        ),
        "forward_dynamics_derivatives": Quantity(
            "Derivatives of forward dynamics, (n, n) each; dqdd/dtau is the inverse mass matrix.",
            ("q", "qd", "tau"),
            ("dqdd_dq", "dqdd_dqd", "dqdd_dtau"),
            dynamics.forward_dynamics_derivatives,
        ),
        "regressor": Quantity(
            "Y (n, p): Y times the standard inertial parameters is the torque.", _STATE, ("Y",), dynamics.regressor
        ),
        "friction_torque": Quantity(
            "Friction torques (n,) at speeds qd; total_torque has the load-dependent friction, too.",
            ("qd",),
            ("tau",),
            dynamics.friction_torque,
        ),
        "spring_torque": Quantity(
            "Torques (n,) that hold the joints against their springs.", ("q",), ("tau",), dynamics.spring_torque
        ),
        "total_torque": Quantity(
            "Torques (n,) with everything: inverse dynamics, friction and springs.",
            _STATE,
            ("tau",),
            dynamics.total_torque,
        ),
        "kinetic_energy": Quantity("Kinetic energy [J].", ("q", "qd"), ("energy",), dynamics.kinetic_energy),
        "potential_energy": Quantity(
            "Energy of gravity and springs [J].", ("q",), ("energy",), dynamics.potential_energy
        ),
        "center_of_mass": Quantity(
            "Center of mass (3,) of all bodies [m], in base axes.",
            ("q",),
            ("center",),
            dynamics.center_of_mass,
            by_default=False,
        ),
        "center_of_mass_jacobian": Quantity(
            "J (3, n): J qd is the velocity of the center of mass, in base axes.",
            ("q",),
            ("J",),
            dynamics.center_of_mass_jacobian,
            by_default=False,
        ),
        "centroidal_momentum_matrix": Quantity(
            "A (6, n): A qd is linear momentum, then angular momentum about the center of mass, in base axes.",
            ("q",),
            ("A",),
            dynamics.centroidal_momentum_matrix,
            by_default=False,
        ),
        "centroidal_momentum_matrix_derivative": Quantity(
            "dA/dt (6, n) of the centroidal momentum matrix.",
            ("q", "qd"),
            ("Ad",),
            dynamics.centroidal_momentum_matrix_derivative,
            by_default=False,
        ),
        "frame_pose": Quantity(
            "Rotation (3, 3) and origin (3,) of the frame, seen from the base.",
            ("q",),
            ("rotation", "origin"),
            dynamics.frame_pose,
            of_frame=True,
        ),
        "jacobian": Quantity(
            "J (6, n) of the frame: velocity of its origin, then angular velocity, in base axes.",
            ("q",),
            ("J",),
            dynamics.jacobian,
            of_frame=True,
        ),
        "jacobian_derivative": Quantity(
            "dJ/dt (6, n) of the frame's Jacobian.", ("q", "qd"), ("Jd",), dynamics.jacobian_derivative, of_frame=True
        ),
        "influence_coefficients": Quantity(
            "Influence coefficients of the frame's origin, then of its link: G (3, n), H (n, n, 3) each, base axes.",
            ("q",),
            ("point_first", "point_second", "link_first", "link_second"),
            _influence_coefficients,
            of_frame=True,
        ),
        "pushed_inverse_dynamics": Quantity(
            "Inverse dynamics with a wrench (force, moment) on the frame, at its origin and in its axes.",
            (*_STATE, "wrench"),
            ("tau",),
            _pushed_inverse_dynamics,
            of_frame=True,
        ),
        "friction_start": Quantity(
            "State of friction with memory at q before any motion: positions, directions and energies of shafts.",
            ("q",),
            ("state",),
            friction_start,
            by_default=False,
        ),
        "friction_step": Quantity(
            "Friction (n,) with memory at the next sample, from its state (friction_start); passive; no load terms.",
            ("q", "qd", "state"),
            ("tau", "next_state"),
            friction_step,
            by_default=False,
        ),
        "total_torque_step": Quantity(
            "Torques (n,) with everything at the next sample, friction with memory from its state (friction_start).",
            (*_STATE, "state"),
            ("tau", "next_state"),
            total_torque_step,
            by_default=False,
        ),
        "loop_closure": Quantity(
            "Positions of all joints, with dependent ones of closed loops, and the largest remaining gap [m, rad].",
            ("q",),
            ("positions", "gap"),
            loop_closure,
            by_default=False,
        ),
        "base_regressor": Quantity(
            "Y (n, b): Y times the base parameters is the torque of inverse_dynamics; full column rank.",
            _STATE,
            ("Y",),
            _base_regressor,
            by_default=False,
        ),
        "base_inverse_dynamics": Quantity(
            "Torques (n,) of inverse_dynamics for any values beta (b,) of the base parameters.",
            (*_STATE, "beta"),
            ("tau",),
            _base_inverse_dynamics,
            by_default=False,
        ),
    }
)


def quantity_of(name: str) -> tuple[Quantity, str]:
    """The row of "quantity" or "quantity:frame", and the frame ("" when it has none).

    >>> quantity_of("frame_pose:tool")[1]
    'tool'
    """
    base, colon, frame = name.partition(":")
    quantity = QUANTITIES.get(base)
    if quantity is None or quantity.of_frame != bool(colon):
        offered = (f"{key}:FRAME" if row.of_frame else key for key, row in QUANTITIES.items())
        raise ArgumentError(f"there is no quantity '{name}'", remedy=f"the quantities are {', '.join(offered)}")
    return quantity, frame


def default_quantities() -> tuple[str, ...]:
    """Standard dynamics quantities: all but those of frames or of base parameters."""
    return tuple(name for name, quantity in QUANTITIES.items() if quantity.by_default and not quantity.of_frame)


MEMORY_QUANTITIES = ("friction_start", "friction_step", "total_torque_step")
"""Functions with state, contained in packages of robots whose friction has memory."""

LARGE_ROBOT = 30
"""Coordinates above which packages hold the quantities of `LONG_QUANTITIES` only on demand."""

LONG_QUANTITIES = MappingProxyType(
    {
        "forward_dynamics_derivatives": f"long for more than {LARGE_ROBOT} coordinates: a C compiler takes minutes; "
        "ask for it by name"
    }
)
"""Quantities that a package of a large robot contains only on demand, each with the reason."""


def long_quantities(robot: Robot) -> Mapping[str, str]:
    """`LONG_QUANTITIES` of a large robot; none of others."""
    return LONG_QUANTITIES if robot.n > LARGE_ROBOT else {}


def served_quantities(robot: Robot) -> tuple[str, ...]:
    """The quantities of a package of the robot: also those of closed loops and of memory, not the long ones."""
    more = ("loop_closure",) if robot.dependent else MEMORY_QUANTITIES if has_memory(robot) else ()
    return tuple(name for name in (*default_quantities(), *more) if name not in long_quantities(robot))


def trace_quantity(robot: Robot, name: str, *, algorithm: Callable[..., Any] | None = None) -> Function:
    """The straight-line program of a quantity of a robot; `algorithm` computes the same by another route.

    Raises `ArgumentError` for an unknown quantity or frame, `RobotError` when the robot lacks the inertias it needs.
    """
    quantity, frame = quantity_of(name)
    given = (robot, frame) if quantity.of_frame else (robot,)
    compute = algorithm or quantity.algorithm

    def program(**inputs: Any) -> dict[str, Any]:
        result = compute(*given, *(inputs[key] for key in quantity.inputs))
        if len(quantity.outputs) == 1:
            return {quantity.outputs[0]: result}
        return {output: getattr(result, output) for output in quantity.outputs}

    function_name = f"{name.partition(':')[0]}_{frame}" if quantity.of_frame else name
    return trace(function_name, program, input_shapes(robot, quantity))


def check_ports(robot: Robot, name: str, function: Function) -> None:
    """Raise `ExpressionError` unless the inputs and outputs of the function are those of the quantity."""
    quantity, _ = quantity_of(name)
    expected = input_shapes(robot, quantity)
    if [(port.name, port.shape) for port in function.inputs] != list(expected.items()):  # in this order, as arguments
        raise ExpressionError(f"its inputs are not {expected}, in this order")
    if function.name != name.replace(":", "_", 1):
        raise ExpressionError(f"the program of '{name}' is called '{function.name}'")
    if tuple(port.name for port in function.outputs) != quantity.outputs:
        raise ExpressionError(f"its outputs are not {quantity.outputs}")


def input_shapes(robot: Robot, quantity: Quantity) -> dict[str, tuple[int, ...]]:
    """The inputs of a quantity in order, each with its shape."""
    return {key: (_SIZES[key](robot) if key in _SIZES else robot.n,) for key in quantity.inputs}
