"""The robot's side of shared memory: for a simulator or a driver of yours, in a process of its own.

    with SharedRobot("arm", 7) as robot:
        while not robot.is_stopped:
            robot.publish(q, qd)
            tau = robot.take()          # (n,), or None where nothing is new

A loop that was killed can say nothing: torques older than a few cycles are no torques, and `torque_time` tells their
age.
"""

from __future__ import annotations

import ctypes
import os
import time
from types import TracebackType

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.realtime.runtime.drivers import SharedMemoryRobot
from torquec.realtime.runtime.library import runtime_library
from torquec.realtime.runtime.structures import MOST_JOINTS, SampleStruct


class SharedRobot:
    """Opens the shared memory that a loop made, waiting `patience` [s] for it; a context.

    Raises `ArgumentError` where there is none, or where it has another number of joints.
    """

    def __init__(self, name: str, joints: int, *, patience: float = 5.0) -> None:
        self._name, self._joints, self._patience = SharedMemoryRobot(name), joints, patience
        self._library = runtime_library()
        self._address: int | None = None
        self._sample = SampleStruct()
        self._torque = (ctypes.c_double * MOST_JOINTS)()
        self._time = ctypes.c_int64(0)

    def __enter__(self) -> SharedRobot:
        latest = time.monotonic() + self._patience
        while True:
            self._address = self._library.torquec_shared_open(self._name.system_name, ctypes.c_int64(self._joints))
            if self._address:
                return self
            if time.monotonic() > latest:
                raise ArgumentError(
                    f"no shared memory of {self._joints} joints: {os.strerror(ctypes.get_errno())}",
                    where=self._name.name,
                    remedy="start the loop first, with this name and a model of as many joints",
                )
            time.sleep(0.005)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._library.torquec_shared_close(self._memory)
        self._address = None

    @property
    def _memory(self) -> ctypes.c_void_p:
        if self._address is None:
            raise ArgumentError("the shared memory is not open", where=self._name.name, remedy="use it in a `with`")
        return ctypes.c_void_p(self._address)

    @property
    def clock(self) -> int:
        """The time that samples have [ns]."""
        return int(self._library.torquec_shared_clock())

    @property
    def torque_time(self) -> int:
        """When the torques that `take` gave last were written [ns]."""
        return self._time.value

    @property
    def is_stopped(self) -> bool:
        """Whether the loop has ended or the watchdog has stopped the robot: torques off, brakes on."""
        return bool(self._library.torquec_shared_is_stopped(self._memory))

    def publish(self, q: npt.ArrayLike, qd: npt.ArrayLike, *, at: int | None = None) -> None:
        """Say what was measured, (n,) each, now or `at` a time of `clock`. Raises `ArgumentError` for other shapes.

        Numbers that are not finite are passed on: the guards of the loop are there for them.
        """
        for place, values in ((self._sample.q, q), (self._sample.qd, qd)):
            row = np.asarray(values, dtype=np.float64)
            if row.shape != (self._joints,):
                raise ArgumentError(f"a state of shape {row.shape}", remedy=f"give {self._joints} numbers")
            place[: self._joints] = row.tolist()
        self._sample.time = self.clock if at is None else at
        self._library.torquec_shared_publish(self._memory, ctypes.byref(self._sample))

    def take(self) -> Array | None:
        """The newest torques (n,), or None where there are none since the last call."""
        if not self._library.torquec_shared_take(self._memory, self._torque, ctypes.byref(self._time)):
            return None
        return np.array(self._torque[: self._joints])
