"""The traced programs of a closed loop (one sample, one integration step) and the row of its state.

(1)  at a sample:  measure, call the controller, saturate, update errors   (state, reference[, gains][, noise])
(2)  in between:   one integration step of the plant with the torque held  (state)

`torquec.codegen.llvm.repeat` runs them in a native loop.

State of a loop from sample to sample, one row of numbers per run:

| part         | size            | what                                                                        |
|---|---|---|
| left, step   | 1, 1            | time left in the interval and the step to try (adaptive integration only)   |
| motion       | 2n or more      | q, qd, currents of motors, states of forces, the time where a force uses it |
| torque       | n               | commanded drive torques, held until the next sample                         |
| memory       | m               | the controller's state                                                      |
| sensors      | -               | delayed positions, the last position and speed                              |
| squares      | n               | sum of squared tracking errors so far                                       |
| largest      | n               | largest tracking error so far                                               |
| saturated    | n               | number of samples with a saturated drive                                    |
| factors      | -               | inertias, then friction factors per joint (`Plant.varies`)                  |
| before       | n               | torques of the sample before, for jitter (`LoopState.disturbed`)            |

A `disturbed` loop has one more input by run and sample: friction factors, torques beside those of the drives, errors of
measured positions and speeds, (n,) each, and 1 where the torques of the sample before still act.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from torquec.control.controller import GAINS, TORQUE, Controller, ReferenceSpace
from torquec.control.model_terms import added
from torquec.dynamics.sampled_function import NEXT_STATE, STATE
from torquec.expr import Function, inline, trace
from torquec.expr.math import absolute, maximum, select
from torquec.simulation.integrators import DormandPrince, Integrator, RungeKutta4, dormand_prince_attempt, rk4_step
from torquec.simulation.plant import DryFriction, Dynamics, Plant, drive_torque
from torquec.simulation.sensors import Sensors, measure
from torquec.simulation.stick import stick_slip_step


@dataclass(frozen=True)
class LoopState:
    """Layout of the state row: the slice of each part."""

    plant: Plant
    controller: Controller
    sensors: Sensors
    integrator: Integrator
    disturbed: bool = False

    @cached_property
    def parts(self) -> Mapping[str, slice]:
        """Every part by name."""
        n = self.plant.n
        clock = 1 if isinstance(self.integrator, DormandPrince) else 0
        sizes = {
            "left": clock,
            "step": clock,
            "motion": self.plant.motion_size,
            "torque": n,
            "memory": len(self.controller.initial_state),
            "sensors": self.sensors.memory_size(n),
            "squares": n,
            "largest": n,
            "saturated": n,
            "factors": self.plant.variation_size,
            "before": n if self.disturbed else 0,
        }
        parts, start = {}, 0
        for name, size in sizes.items():
            parts[name] = slice(start, start + size)
            start += size
        return parts

    @property
    def size(self) -> int:
        """The length of a row."""
        return int(self.parts["before"].stop)

    @property
    def position(self) -> slice:
        """The slice of q."""
        start = self.parts["motion"].start
        return slice(start, start + self.plant.n)

    @property
    def speed(self) -> slice:
        """The slice of qd."""
        return slice(self.position.stop, self.position.stop + self.plant.n)

    def split(self, row: Sequence[Any]) -> dict[str, list[Any]]:
        """A row by part."""
        return {name: list(row[part]) for name, part in self.parts.items()}

    def join(self, parts: Mapping[str, Sequence[Any]]) -> list[Any]:
        """The row made of its parts."""
        return [value for name in self.parts for value in parts[name]]


NOISE, LOG, NEXT, DISTURBANCE = "noise", "log", "next", "disturbance"


def sample_function(loop: LoopState, *, period: float) -> Function:
    """The program of a sample (1). Its log row: commanded torques, measured positions and speeds, (n,) each."""
    n = loop.plant.n
    asked = loop.controller.reference
    further = 0 if asked.space is ReferenceSpace.JOINT else asked.size(n)
    ports: dict[str, tuple[int, ...]] = {STATE: (loop.size,), "reference": (3 * n + further,)}
    if loop.controller.schedule is not None:
        ports[GAINS] = (n * 2 * n,)
    if loop.disturbed:
        ports[DISTURBANCE] = (4 * n + 1,)
    if loop.sensors.is_noisy:
        ports[NOISE] = (2 * n,)

    def program(**inputs: Any) -> dict[str, Any]:
        parts = loop.split(inputs[STATE])
        q, qd = parts["motion"][:n], parts["motion"][n : 2 * n]
        disturbing = list(inputs.get(DISTURBANCE, ()))
        friction, torque, *wrong = (disturbing[k * n : (k + 1) * n] for k in range(4))
        at, moving = (added(q, wrong[0]), added(qd, wrong[1])) if loop.disturbed else (q, qd)
        seen = measure(loop.sensors, at, moving, parts["sensors"], noise=inputs.get(NOISE), period=period)
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
        if loop.disturbed:
            late = zip(parts["torque"], parts["before"], strict=True)
            parts["before"] = parts["torque"]
            parts["torque"] = added([new + disturbing[-1] * (old - new) for new, old in late], torque)
            parts["factors"] = [*parts["factors"][:-n], *friction]
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
    """The program of an integration step (2): a fixed fraction of the period, or one attempt at an adaptive step."""

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
    """Number of saturated samples of every joint, including this one."""
    return [
        old if math.isinf(limit) else old + select(absolute(value) - limit, 1.0, 0.0)
        for old, value, limit in zip(before, wanted, loop.plant.efforts, strict=True)
    ]
