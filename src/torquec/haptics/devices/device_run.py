"""A device holds the object through a simulated arm: the haptic cycle by cycle, the device asked in between.

The device takes the place of hand and force sensor: its wrench goes to the cycle as it is, and acts on the arm.
"""

from __future__ import annotations

import math
import time

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.haptics.devices.haptic_device import HapticDevice, ShownMotion
from torquec.haptics.experiments.haptic_loop import HapticLoop, HapticRecording
from torquec.haptics.experiments.simulated_hand import GOAL_SIZE
from torquec.haptics.objects.virtual_object import rotation_of
from torquec.simulation.sensors import quantised

_FORCE, _MOMENT = slice(19, 22), slice(22, 25)  # of a goal's row


def run_device(
    loop: HapticLoop, device: HapticDevice, q: npt.ArrayLike, duration: float, *, real_time: bool = False
) -> HapticRecording:
    """Let a device hold the object for so many seconds from joints q (n,); `real_time` keeps to the clock.

    The loop's cycle must have no tool: a device has no handle to be compensated. Raises `ArgumentError` otherwise, and
    for a duration that is none.
    """
    cycle, period = loop.cycle, loop.period
    if cycle.options.tool.mass:
        raise ArgumentError("the cycle compensates a tool, and a device has none", remedy="make it without a tool")
    if not 0.0 < duration < math.inf:
        raise ArgumentError(f"a duration of {duration} s", remedy="give a positive number of seconds")
    row, n = loop.first_row(q), cycle.n
    parts = {name: loop.parts[name] for name in ("motion", "torque", "since", "goal", "cycle")}
    step = loop.native.inner
    rows: list[tuple[Array, ...]] = []
    began = time.monotonic()
    for k in range(round(duration / period)):
        t = k * period
        wrench = np.asarray(device.wrench(t), dtype=np.float64)
        state, motion = row[parts["cycle"]], row[parts["motion"]]
        seen = np.array([quantised(float(x), loop.setting.resolution) for x in motion[:n]])
        after, tau, status, hand = cycle.native.call(state.copy(), wrench, seen, cycle.rendered.settings)
        rows.append((seen, wrench, hand, tau, np.array([float(status)]), motion.copy(), state.copy()))
        goal = np.zeros(GOAL_SIZE)
        turn: Array = np.array(rotation_of(tuple(state[cycle.slot("orientation")])))
        felt = np.where(np.isfinite(wrench), wrench, 0.0)
        goal[_FORCE], goal[_MOMENT], goal[9] = turn @ felt[:3], turn @ felt[3:], 1.0
        limits = np.array(loop.arm.efforts)
        row[parts["torque"]], row[parts["cycle"]] = np.clip(tau, -limits, limits), after
        row[parts["goal"]], row[parts["since"]] = goal, 0.0
        for _ in range(loop.setting.steps):
            row = step.call(row)
        shown = cycle.read(after)
        twist = np.concatenate([shown["velocity"], turn @ shown["angular_velocity"]])
        device.show(t, ShownMotion(shown["position"], shown["orientation"], twist, int(status)))
        if real_time:
            time.sleep(max(0.0, began + (k + 1) * period - time.monotonic()))
    seen, wrench, hand, tau, status, motion, states = (np.array(part) for part in zip(*rows, strict=True))
    times: Array = np.arange(len(rows)) * np.float64(period)
    return HapticRecording(times, seen, wrench, hand, tau, status[:, 0], motion[:, :n], motion[:, n:], states, row)
