"""Time of one whole haptic cycle of the PUMA 560: object, kinematics, dynamics, J'F, gains and guards.

    python -m benchmarks.haptic_cycle

The native loop runs cycle after cycle without Python in between. The shortest time of several rounds is printed for
the loop and for single calls and, as a measure of the machine, for the inverse dynamics of the same arm. The exit
status is 1 if a cycle takes longer than 5 microseconds, 0.25 % of a core at 500 Hz.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import torquec as tq
from torquec.codegen.llvm import compile_function
from torquec.codegen.llvm.repeat import NativeLoop
from torquec.expr import inline, trace
from torquec.haptics.admittance import Admittance

BOUND = 5e-6
ROUNDS, CYCLES = 25, 2000
POSTURE = np.array([0.3, -0.9, 3.0, 0.4, -0.9, 0.2])


def cycles() -> dict[str, Admittance]:
    """The loop with a handle, free and with a cube at a wall of 25 Hz."""
    robot = tq.classics.puma560()
    options = tq.AdmittanceOptions(tool=tq.ToolLoad(0.4, (0.0, 0.0, 0.04)))
    cube = tq.RenderedObject(10.0, (0.05,) * 3)
    law = tq.SpringDamper.tuned(10.0, 25.0)
    walls = tq.contact_field(tq.block_corners((0.0625,) * 3), [tq.Wall((0.0, 0.6, 0.8), 0.0)], law)
    return {
        "free object": tq.admittance(robot, cube, options=options),
        "cube with eight corners at a wall": tq.admittance(robot, cube, options=options, environment=walls),
    }


def stepped(cycle: Admittance) -> Callable[[], float]:
    """Seconds a cycle in the native loop, joints measured where they shall be."""
    place, size = cycle.slot("q_ref"), len(cycle.initial_state)

    def sample(state: Any, wrench: Any, settings: Any) -> dict[str, Any]:
        given = {"state": list(state), "wrench": list(wrench), "q": list(state[place]), "settings": list(settings)}
        found = inline(cycle.function, state[0].graph, given)
        return {"next": found["next_state"], "log": [*found["tau"], *found["status"]]}

    outer = trace("sample", sample, {"state": (size,), "wrench": (6,), "settings": (32,)})
    inner = trace("rest", lambda state: {"next": [*state]}, {"state": (size,)})
    loop = NativeLoop(compile_function(outer), compile_function(inner))
    states, log = np.empty((CYCLES + 1, 1, size)), np.empty((CYCLES, 1, cycle.n + 1))
    states[0, 0] = cycle.start(POSTURE)
    rng = np.random.default_rng(0)
    wrench = np.ascontiguousarray(rng.normal(size=(CYCLES, 1, 6)) * [3.0, 3.0, 3.0, 0.1, 0.1, 0.1])
    settings = np.ascontiguousarray(np.broadcast_to(cycle.rendered.settings, (CYCLES, 1, 32)))

    def once() -> float:
        began = time.thread_time()
        loop.run(states, [wrench, settings], log)
        return (time.thread_time() - began) / CYCLES

    return once


def called(call: Callable[..., Any], *arguments: Any) -> Callable[[], float]:
    """Seconds a call from Python."""

    def once() -> float:
        began = time.perf_counter()
        for _ in range(CYCLES):
            call(*arguments)
        return (time.perf_counter() - began) / CYCLES

    return once


def main() -> int:
    """Time everything in turns and print the least of each."""
    contestants: dict[str, Callable[[], float]] = {}
    for name, cycle in cycles().items():
        print(f"{name}: {cycle.operations}")
        given = (cycle.start(POSTURE), np.ones(6), POSTURE, cycle.rendered.settings)
        contestants[f"{name}, native loop"] = stepped(cycle)
        contestants[f"{name}, from Python"] = called(cycle.native.call, *given)
    arm, zeros = tq.compile(tq.classics.puma560()), np.zeros(6)
    contestants["inverse dynamics alone, from Python"] = called(arm.inverse_dynamics, POSTURE, zeros, zeros)
    least = dict.fromkeys(contestants, float("inf"))
    for _ in range(ROUNDS):
        for name, once in contestants.items():
            least[name] = min(least[name], once())
    for name, seconds in least.items():
        print(f"{name:48} {1e6 * seconds:7.3f} us   {100 * seconds * 500:.3f} % of a core at 500 Hz")
    return int(any(seconds > BOUND for name, seconds in least.items() if "native" in name))


if __name__ == "__main__":
    sys.exit(main())
