"""The two programs of a closed loop, traced whole: what happens at a sample, and how the robot moves until the next.

(1)  at a sample:  measure, ask the controller, saturate, keep the tally   (state, reference[, gains][, noise])
(2)  in between:   one integration step of the plant with the torque held  (state)

They are what `torquec.codegen.llvm.repeat` steps.
"""

from __future__ import annotations

import math
from typing import Any

from torquec.control.controller import GAINS, TORQUE
from torquec.control.reference_ports import ReferenceSpace
from torquec.dynamics.sampled_function import NEXT_STATE, STATE
from torquec.expr import Function, inline, trace
from torquec.expr.math import absolute, maximum, select
from torquec.simulation.integrators import DormandPrince, RungeKutta4, dormand_prince_attempt, rk4_step
from torquec.simulation.loop_state import LoopState
from torquec.simulation.plant import DryFriction, Dynamics, drive_torque
from torquec.simulation.sensors import measure
from torquec.simulation.stick import stick_slip_step

NOISE, LOG, NEXT = "noise", "log", "next"


def sample_function(loop: LoopState, *, period: float) -> Function:
    """(1). Its log is a row of torques wanted (n,), positions (n,) and speeds (n,) measured."""
    n = loop.plant.n
    asked = loop.controller.reference
    further = 0 if asked.space is ReferenceSpace.JOINT else asked.size(n)
    ports: dict[str, tuple[int, ...]] = {STATE: (loop.size,), "reference": (3 * n + further,)}
    if loop.controller.schedule is not None:
        ports[GAINS] = (n * 2 * n,)
    if loop.sensors.is_noisy:
        ports[NOISE] = (2 * n,)

    def program(**inputs: Any) -> dict[str, Any]:
        parts = loop.split(inputs[STATE])
        q, qd = parts["motion"][:n], parts["motion"][n : 2 * n]
        seen = measure(loop.sensors, q, qd, parts["sensors"], noise=inputs.get(NOISE), period=period)
        motion = list(inputs["reference"])
        signals = _split(motion[3 * n :] if further else motion, asked.ports(n))
        signals |= {"q": seen.q, "qd": seen.qd}
        if GAINS in inputs:
            signals[GAINS] = list(inputs[GAINS])
        if parts["memory"]:
            signals[STATE] = parts["memory"]
        found = inline(loop.controller.function, inputs[STATE][0].graph, signals)
        wanted = found[TORQUE]
        error = [reference - true for reference, true in zip(motion[:n], q, strict=True)]
        parts |= {
            "torque": drive_torque(loop.plant, wanted),
            "memory": found.get(NEXT_STATE, []),
            "sensors": seen.memory,
            "squares": [old + e * e for old, e in zip(parts["squares"], error, strict=True)],
            "largest": [maximum(old, absolute(e)) for old, e in zip(parts["largest"], error, strict=True)],
            "saturated": _counted(loop, parts["saturated"], wanted),
        }
        if parts["left"]:
            parts["left"] = [period]
        return {NEXT: loop.join(parts), LOG: [*wanted, *seen.q, *seen.qd]}

    return trace("sample", program, ports)


def _split(row: list[Any], ports: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    """A row of references by port, each flat."""
    found, start = {}, 0
    for name, shape in ports.items():
        size = math.prod(shape)
        found[name] = row[start : start + size]
        start += size
    return found


def motion_function(loop: LoopState, *, period: float) -> Function:
    """(2): a fixed share of the period, or one attempt at an adaptive step."""

    def program(state: Any) -> dict[str, Any]:
        parts = loop.split(state)
        dynamics = Dynamics(loop.plant, tuple(parts["factors"]))
        y, tau = parts["motion"], parts["torque"]

        def rate(at: Any) -> list[Any]:
            return dynamics.motion_rate(at, tau)

        match loop.integrator:
            case RungeKutta4(substeps=substeps):
                h = period / substeps
                sticks = loop.plant.friction is DryFriction.STICK
                parts["motion"] = stick_slip_step(dynamics, y, tau, h) if sticks else rk4_step(rate, y, h)
            case DormandPrince() as options:
                attempt = dormand_prince_attempt(rate, y, parts["left"][0], parts["step"][0], options=options)
                parts |= {"motion": attempt.y, "left": [attempt.left], "step": [attempt.h]}
        return {NEXT: loop.join(parts)}

    return trace("motion", program, {STATE: (loop.size,)})


def _counted(loop: LoopState, before: list[Any], wanted: list[Any]) -> list[Any]:
    """Saturated samples of every joint, this one counted."""
    return [
        old if math.isinf(limit) else old + select(absolute(value) - limit, 1.0, 0.0)
        for old, value, limit in zip(before, wanted, loop.plant.efforts, strict=True)
    ]
