"""Haptic devices (pointer, recorded forces, shared memory): their interface, and a run with one.

A device has two methods. `wrench(t)` gives force [N] and moment [N m] on the held frame, in its axes (6,); a device
without data returns NaN, and the arm comes to rest and holds. `show(t, shown)` gets the pose of the object and the
status once a cycle. No call blocks: a device returns its latest value at once.

In a run the device takes the place of hand and force sensor: its wrench enters the cycle unchanged, and acts on the
arm.
"""

from __future__ import annotations

import math
import os
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import shared_memory
from typing import Protocol

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.reading import to_path
from torquec.haptics.haptic_loop import HapticLoop, HapticRecording
from torquec.haptics.simulated_hand import GOAL_SIZE
from torquec.haptics.tuning import TUNING
from torquec.haptics.virtual_object import rotation_of
from torquec.simulation.sensors import quantised
from torquec.trajectory.csv_file import csv_lines, csv_values

_WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")


@dataclass(frozen=True, eq=False)
class ShownMotion:
    """Motion shown to a device: position (3,) and quaternion (4,) of the held frame, velocity (6,), status."""

    position: Array
    orientation: Array
    velocity: Array
    status: int


class HapticDevice(Protocol):
    """Interface of a haptic device."""

    def wrench(self, t: float) -> Array:
        """The current force and moment (6,)."""

    def show(self, t: float, shown: ShownMotion) -> None:
        """Receive the resulting motion."""


@dataclass(eq=False)
class MouseDevice:
    """A pointer that pulls the object by a spring: `pull(x, y)` sets its position [m], `release()` lets go.

    The spring [N/m] acts along two `axes` of the held frame, with at most `most` [N]. The event handler of any GUI
    toolkit can call `pull`.
    """

    stiffness: float = 200.0
    most: float = 30.0
    axes: tuple[int, int] = (0, 1)
    _pulled: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not (0.0 < self.stiffness < math.inf and 0.0 < self.most < math.inf):
            raise ArgumentError(
                f"a pointer with {self.stiffness} N/m and {self.most} N", remedy="give positive, finite numbers"
            )
        if len(set(self.axes)) != 2 or not set(self.axes) <= {0, 1, 2}:
            raise ArgumentError(f"axes {self.axes} of a pointer", remedy="give two of 0, 1, 2")

    def pull(self, x: float, y: float) -> None:
        """Set the offset of the pointer from the object, along the two axes."""
        self._pulled = (float(x), float(y))

    def release(self) -> None:
        """Let go."""
        self._pulled = None

    def wrench(self, t: float) -> Array:  # noqa: ARG002 - a pointer has no clock
        """The spring's force."""
        found = np.zeros(6)
        if self._pulled is not None:
            pull = self.stiffness * np.array(self._pulled)
            size = float(np.hypot(*pull))
            found[list(self.axes)] = pull * min(1.0, self.most / size) if size > 0.0 else pull
        return found

    def show(self, t: float, shown: ShownMotion) -> None:
        """Do nothing: the pointer has its own screen."""


@dataclass(frozen=True, eq=False)
class RecordedForces:
    """Recorded wrenches (N, 6) at increasing times t (N,): each holds until the next, zero after the last."""

    t: Array
    wrenches: Array

    def __post_init__(self) -> None:
        good = self.t.ndim == 1 and len(self.t) > 0 and self.wrenches.shape == (len(self.t), 6)
        if not good or not np.isfinite(self.t).all() or np.any(np.diff(self.t) <= 0.0):
            raise ArgumentError(
                f"forces of shape {self.wrenches.shape} at {self.t.shape} times",
                remedy="give rising times, and six numbers for each",
            )

    def wrench(self, t: float) -> Array:
        """The wrench at a time; zero before the first and from one interval after the last."""
        k = int(np.searchsorted(self.t, t + 1e-12, side="right")) - 1
        last = self.t[-1] + (self.t[-1] - self.t[-2] if len(self.t) > 1 else 0.0)
        if k < 0 or t > last:
            return np.zeros(6)
        row: Array = self.wrenches[k]
        return row

    def show(self, t: float, shown: ShownMotion) -> None:
        """Do nothing: a recording has no display."""


def read_recorded_forces(path: str | os.PathLike[str]) -> RecordedForces:
    """Forces from a CSV file with the header t,fx,fy,fz,mx,my,mz.

    Raises `ArgumentError` with file, line and remedy for anything else.
    """
    source = to_path(path)
    lines = csv_lines(source)
    header = [word.strip() for word in lines[0]] if lines else []
    if header != ["t", *_WRENCH]:
        raise ArgumentError(
            f"recorded forces have the header '{','.join(header)}'",
            where=f"{source}:1",
            remedy=f"write t,{','.join(_WRENCH)}",
        )
    values = csv_values(lines, str(source))
    try:
        return RecordedForces(values[:, 0], np.ascontiguousarray(values[:, 1:]))
    except ArgumentError as error:
        raise ArgumentError(error.found, where=str(source), remedy=error.remedy) from None


_LAYOUT = struct.Struct("<q6dq3d4d6dq")
"""Input: counter and wrench. Output: counter, position, quaternion, velocity and status."""

_OUT = struct.calcsize("<q6d")


@dataclass(eq=False)
class SharedMemoryDevice:
    """A device in another process, through a block of shared memory of `SIZE` bytes.

    Little-endian. Input: int64 counter and six doubles. Output: int64 counter, three doubles of position, four of the
    quaternion, six of velocity, and an int64 status. Sequence lock: a writer makes the counter odd, writes, and makes
    it even again; a reader accepts data if the counter was even and the same before and after. Without a new wrench
    for 0.1 s of the loop's time, the wrench is NaN and the arm holds.
    """

    name: str | None = None
    block: shared_memory.SharedMemory = field(init=False, repr=False)
    _seen: int = 0  # counter of a new block, before the first wrench
    _since: float = -math.inf
    _latest: tuple[float, ...] = (0.0,) * 6

    SIZE = _LAYOUT.size

    def __post_init__(self) -> None:
        try:
            if self.name is None:
                self.block = shared_memory.SharedMemory(create=True, size=_LAYOUT.size)
                self._buffer[: _LAYOUT.size] = bytes(_LAYOUT.size)
                self.name = self.block.name
            else:
                self.block = shared_memory.SharedMemory(name=self.name)
        except (OSError, ValueError) as error:
            raise ArgumentError(
                f"no shared memory '{self.name}': {error}", remedy="start the side that makes it first, or give no name"
            ) from None
        if self.block.size < _LAYOUT.size:
            size = self.block.size
            self.block.close()
            raise ArgumentError(f"shared memory of {size} bytes", remedy=f"a device needs {_LAYOUT.size}")

    @property
    def _buffer(self) -> memoryview:
        if self.block.buf is None:
            raise ArgumentError("this device is closed", remedy="make a new one")
        return self.block.buf

    def push(self, wrench: Sequence[float]) -> None:
        """Write a wrench (6,); called by the other process."""
        buffer = self._buffer
        (count,) = struct.unpack_from("<q", buffer, 0)
        struct.pack_into("<q", buffer, 0, count + 1)
        struct.pack_into("<6d", buffer, 8, *(float(value) for value in wrench))
        struct.pack_into("<q", buffer, 0, count + 2)

    def shown(self) -> ShownMotion:
        """Read the latest motion; called by the other process."""
        numbers = struct.unpack_from("<q3d4d6dq", self._buffer, _OUT)
        return ShownMotion(np.array(numbers[1:4]), np.array(numbers[4:8]), np.array(numbers[8:14]), int(numbers[14]))

    def wrench(self, t: float) -> Array:
        """The latest wrench, NaN after a timeout."""
        buffer = self._buffer
        before, *values = struct.unpack_from("<q6d", buffer, 0)
        (after,) = struct.unpack_from("<q", buffer, 0)
        if before == after and before % 2 == 0 and before != self._seen:
            self._seen, self._since, self._latest = before, t, tuple(values)
        return np.array(self._latest) if t - self._since <= TUNING.device_timeout else np.full(6, math.nan)

    def show(self, t: float, shown: ShownMotion) -> None:  # noqa: ARG002 - the other side has its own clock
        """Write the motion."""
        buffer = self._buffer
        (count,) = struct.unpack_from("<q", buffer, _OUT)
        struct.pack_into("<q", buffer, _OUT, count + 1)
        numbers = (*shown.position, *shown.orientation, *shown.velocity)
        struct.pack_into("<13dq", buffer, _OUT + 8, *(float(x) for x in numbers), shown.status)
        struct.pack_into("<q", buffer, _OUT, count + 2)

    def close(self, *, remove: bool = False) -> None:
        """Close the memory; `remove` it if no other process needs it."""
        self.block.close()
        if remove:
            self.block.unlink()


_FORCE, _MOMENT = slice(19, 22), slice(22, 25)  # of a goal's row


def run_device(
    loop: HapticLoop, device: HapticDevice, q: npt.ArrayLike, duration: float, *, real_time: bool = False
) -> HapticRecording:
    """Run a haptic loop with a device for `duration` seconds from joints q (n,), in real time with `real_time`.

    The loop's cycle must have no tool, since a device has no handle to compensate. Raises `ArgumentError` otherwise,
    and for an invalid duration.
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
