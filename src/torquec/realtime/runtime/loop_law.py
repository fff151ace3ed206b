"""Control law of a real-time loop: the whole step in every cycle, or two rates with a background.

(1)  one rate:   tau = law(reference, q, qd[, gains][, state])
(2)  two rates:  coefficients = background(q, qd, qdd)                       in the background
                 qdd = demanded acceleration,  tau = synchronous(coefficients, q, qd, qdd)      in every cycle

Two rates are for computed torque, whose feedback gives an acceleration (:mod:`torquec.realtime.two_rate`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.codegen.llvm import NativeFunction, load_or_compile
from torquec.control.computed_torque import demanded_acceleration
from torquec.control.controller import Controller, ReferenceSpace
from torquec.control.law_options import LawKind
from torquec.control.model_terms import FrictionAt
from torquec.control.poles import error_feedback, joint_poles
from torquec.errors import ArgumentError
from torquec.expr import Function, inline, trace
from torquec.foundation.arrays import Array
from torquec.model.model import Model
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.background_period import FrictionTask
from torquec.realtime.two_rate import TwoRateFunctions, two_rate
from torquec.trajectory.trajectory import Trajectory


def controller_functions(model: Model, law: Controller) -> list[Function]:
    """The step of a controller and, for computed torque, the commanded acceleration for the synchronous task.

    Raises `ArgumentError` for a controller of other joints.
    """
    if law.joints != model.robot.joint_names:
        raise ArgumentError(
            f"the controller is for the joints {', '.join(law.joints)}",
            remedy=f"design one for this robot, whose joints are {', '.join(model.robot.joint_names)}",
        )
    found = [law.function]
    if law.design is None or law.design.law is not LawKind.COMPUTED_TORQUE:
        return found
    options = law.design.options
    if options.rule is not None or options.poles is None:
        return found
    feedback = error_feedback(
        joint_poles(law.joints, options.poles), period=options.period, sampled=bool(options.sampled)
    )

    def algorithm(**signals: Any) -> dict[str, Any]:
        return {"qdd": demanded_acceleration(feedback, signals)}

    return [*found, trace("demanded_acceleration", algorithm, law.signals)]


_DEMANDED = "demanded_acceleration"
TWO_RATE_LAW, BACKGROUND = "two_rate_law", "background"
"""The function names of (2)."""


@dataclass(frozen=True, eq=False)
class LoopLaw:
    """Machine code of (1) or (2), its inputs in every cycle, and the number of its robot.

    `references` (N, size) and `gains` (N, 2n^2) by cycle, `parts`: sizes of the references, `memory` (m,): initial
    state of the law, `coefficients`: number of coefficients of the background, `joint_positions`: whether the first
    part of a reference is the joint positions.
    """

    law: NativeFunction
    background: NativeFunction | None
    references: Array
    parts: tuple[int, ...]
    gains: Array | None
    memory: Array
    coefficients: int
    robot: int
    joint_positions: bool


def loop_law(model: Model, controller: Controller, motion: Trajectory, *, order: HoldOrder | None = None) -> LoopLaw:
    """The law of a controller along a motion, sampled at the loop's period; with an `order`, (2).

    Raises `ArgumentError` for joints that do not match, and with an order for a controller that does not support (2) or
    was made from another model.
    """
    for what, joints in (("controller", controller.joints), ("motion", motion.joints)):
        if joints != model.robot.joint_names:
            raise ArgumentError(
                f"the joints of the {what} are {', '.join(joints)}",
                remedy=f"the robot's are {', '.join(model.robot.joint_names)}",
            )
    references = np.ascontiguousarray(controller.reference.rows(model, motion))
    parts = tuple(int(np.prod(shape)) for shape in controller.reference.ports(controller.n).values())
    gains = None
    if controller.schedule is not None:
        schedule = controller.schedule
        gains = np.ascontiguousarray([schedule.at(float(t)).reshape(-1) for t in motion.t])
    law, background, coefficients = controller.function, None, 0
    if order is not None:
        background, law = two_rate_law(model, controller, order)
        coefficients = background.outputs[0].size
    return LoopLaw(
        _native(law),
        None if background is None else _native(background),
        references,
        parts,
        gains,
        controller.initial_state,
        coefficients,
        robot_number(model),
        controller.reference.space is ReferenceSpace.JOINT,
    )


def robot_number(model: Model) -> int:
    """The number that identifies the model of coefficients: the first 64 bits of its hash."""
    return int(model.content_hash[:16], 16)


def two_rate_law(model: Model, controller: Controller, order: HoldOrder) -> tuple[Function, Function]:
    """Background and law of (2). Raises `ArgumentError` where the controller has none."""
    made = {function.name: function for function in controller_functions(model, controller)}
    if _DEMANDED not in made:
        raise ArgumentError(
            f"'{controller.name}' commands no acceleration, which two rates need",
            remedy="leave out the background, or use computed torque with poles",
        )
    if controller.origin is not None and not controller.origin.is_of(model):
        raise ArgumentError(
            f"the controller was made from another model, of '{controller.origin.robot}', with other coefficients",
            where=model.robot.name,
            remedy="give the model that it was made from, or design it again",
        )
    design = controller.design
    assert design is not None
    compensates = design.options.friction is None or design.options.friction.at is not FrictionAt.NOTHING
    friction = FrictionTask.BACKGROUND if compensates else FrictionTask.NONE
    two = two_rate(model, friction=friction, order=order)
    return _background(two), _synchronous(two, controller, made[_DEMANDED])


def _background(two: TwoRateFunctions) -> Function:
    """(q, qd, qdd) -> every coefficient in one row."""
    n, functions = two.robot.n, two.functions

    def zeroth(**state: Any) -> dict[str, Any]:
        graph = state["q"][0].graph
        found: dict[str, Any] = {name: list(values) for name, values in state.items()}
        for name in ("background_inertia", "background_velocity", "background_friction", "hold"):
            if name == "background_friction" and "rigid" in _inputs(functions.get(name)):
                found["rigid"] = _rigid(found, n)
            if name in functions:
                found |= inline(functions[name], graph, found)
        return {"coefficients": [*found["M"], *found["held"]]}

    def first(**state: Any) -> dict[str, Any]:
        made = inline(functions["background_first_order"], state["q"][0].graph, state)
        # Adding zero makes an input an output of its own.
        place = [value + 0.0 for name in ("q", "qd") for value in state[name]]
        parts = ("M", "held", "dtau_dq", "dtau_dqd")
        return {"coefficients": [*(value for name in parts for value in made[name]), *place]}

    ports = dict.fromkeys(("q", "qd", "qdd"), (n,))
    return trace(BACKGROUND, first if two.order is HoldOrder.FIRST else zeroth, ports)


def _inputs(function: Function | None) -> tuple[str, ...]:
    return () if function is None else tuple(port.name for port in function.inputs)


def _rigid(found: Mapping[str, Any], n: int) -> list[Any]:
    """Rigid-body torques, for load-dependent friction: M qdd + gravity + velocity."""
    rows = [found["gravity"][i] + found["velocity"][i] for i in range(n)]
    for i in range(n):
        for j in range(n):
            rows[i] = rows[i] + found["M"][i * n + j] * found["qdd"][j]
    return rows


def _synchronous(two: TwoRateFunctions, controller: Controller, demanded: Function) -> Function:
    """(reference, q, qd, coefficients) -> tau, qdd."""
    n = two.robot.n
    names = [("M", n * n), ("held", n)]
    if two.order is HoldOrder.FIRST:
        names += [("dtau_dq", n * n), ("dtau_dqd", n * n), ("q0", n), ("qd0", n)]
    function = two.functions["synchronous_first_order" if two.order is HoldOrder.FIRST else "synchronous"]

    def program(**signals: Any) -> dict[str, Any]:
        graph = signals["q"][0].graph
        row, start = list(signals.pop("coefficients")), 0
        given = {name: list(values) for name, values in signals.items()}
        given |= inline(demanded, graph, given)
        for name, size in names:
            given[name] = row[start : start + size]
            start += size
        return {"tau": inline(function, graph, given)["tau"], "qdd": given["qdd"]}

    ports = {**controller.signals, "coefficients": (sum(size for _, size in names),)}
    return trace(TWO_RATE_LAW, program, ports)


def _native(function: Function) -> NativeFunction:
    return load_or_compile(f"realtime law {function.content_hash}", lambda: function)
