"""The quantities of a robot: the one table from which models, generated code, saved files and commands are made.

A row names a quantity, its inputs and outputs, and the algorithm of :mod:`torquec.dynamics` that computes it. A quantity
of a frame is asked for with the frame's name, as in "frame_pose:tool".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from torquec.dynamics import inverse_dynamics
from torquec.errors import ArgumentError, ExpressionError
from torquec.expr import Function, trace
from torquec.robot.robot import Robot

Algorithm = Callable[..., Any]


@dataclass(frozen=True)
class Quantity:
    """What a quantity is, its inputs (each (n,)) and outputs in order, and its algorithm f(robot, *inputs).

    An algorithm with one output returns it; one with more returns a tuple. `of_frame`: it takes a frame's name after
    the robot. `dynamic`: it needs inertias.
    """

    summary: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    algorithm: Algorithm
    of_frame: bool = False
    dynamic: bool = True


QUANTITIES: Mapping[str, Quantity] = MappingProxyType(
    {
        "inverse_dynamics": Quantity(
            "Torques (n,) that give accelerations qdd at (q, qd).", ("q", "qd", "qdd"), ("tau",), inverse_dynamics
        ),
    }
)


def quantity_of(name: str) -> tuple[Quantity, str]:
    """The row of "quantity" or "quantity:frame", and the frame ("" when it has none).

    >>> quantity_of("inverse_dynamics")[0].outputs
    ('tau',)
    """
    base, colon, frame = name.partition(":")
    quantity = QUANTITIES.get(base)
    if quantity is None or quantity.of_frame != bool(colon):
        offered = (f"{key}:FRAME" if row.of_frame else key for key, row in QUANTITIES.items())
        raise ArgumentError(f"there is no quantity '{name}'", remedy=f"the quantities are {', '.join(offered)}")
    return quantity, frame


def default_quantities(robot: Robot) -> tuple[str, ...]:
    """Everything that a program about the robot's dynamics may want: all but the quantities of frames.

    Raises `RobotError` when links lack inertias.
    """
    robot.check_inertias()
    return tuple(name for name, quantity in QUANTITIES.items() if not quantity.of_frame)


def trace_quantity(robot: Robot, name: str) -> Function:
    """The straight-line program of a quantity of a robot.

    Raises `ArgumentError` for an unknown quantity or frame, `RobotError` when links lack the inertias it needs.
    """
    quantity, frame = quantity_of(name)
    if quantity.dynamic:
        robot.check_inertias()
    if quantity.of_frame:
        robot.frame(frame)
    given = (robot, frame) if quantity.of_frame else (robot,)

    def algorithm(**inputs: Any) -> dict[str, Any]:
        result = quantity.algorithm(*given, *(inputs[key] for key in quantity.inputs))
        results = result if len(quantity.outputs) > 1 else (result,)
        return dict(zip(quantity.outputs, results, strict=True))

    function_name = f"{name.partition(':')[0]}_{frame}" if frame else name
    return trace(function_name, algorithm, {key: (robot.n,) for key in quantity.inputs})


def check_ports(robot: Robot, name: str, function: Function) -> None:
    """Raise `ExpressionError` unless the function takes and gives what the quantity does."""
    quantity, _ = quantity_of(name)
    expected = [(key, (robot.n,)) for key in quantity.inputs]
    if [(port.name, port.shape) for port in function.inputs] != expected:
        raise ExpressionError(f"its inputs are not {expected}")
    if tuple(port.name for port in function.outputs) != quantity.outputs:
        raise ExpressionError(f"its outputs are not {quantity.outputs}")
