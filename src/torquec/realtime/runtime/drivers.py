"""Robot drivers of the real-time loop: simulated, in another process (shared memory), or a user's C library.

Each fills the `torquec_driver` of the C sources: read a state, write torques, read the clock, stop. `SharedRobot` is
the other side of shared memory, for a simulator or a driver of yours in a process of its own:

    with SharedRobot("arm", 7) as robot:
        while not robot.is_stopped:
            robot.publish(q, qd)
            tau = robot.take()          # (n,), or None where nothing is new

A killed loop sends no message: ignore torques older than a few cycles; `torque_time` gives their time.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from torquec.codegen.llvm import NativeFunction, load_or_compile
from torquec.errors import ArgumentError
from torquec.expr import Function, trace
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.model.model import Model
from torquec.realtime.runtime.guards import nanoseconds
from torquec.realtime.runtime.library import MOST_JOINTS, DriverStruct, SampleStruct, SimulatedStruct, runtime_library
from torquec.realtime.tuning import TUNING
from torquec.robot.robot import Robot
from torquec.simulation.integrators import RungeKutta4, rk4_step
from torquec.simulation.plant import DryFriction, Dynamics, Plant, as_plant, drive_torque
from torquec.simulation.plant_bodies import check_movable
from torquec.simulation.stick import stick_slip_step
from torquec.simulation.stiffness import check_step, fastest_rate
from torquec.simulation.tuning import TUNING as SIMULATION_TUNING
from torquec.trajectory.trajectory import Trajectory


class RobotClock(StrEnum):
    """The clock of a simulated robot."""

    REAL = "real"
    VIRTUAL = "virtual"
    """Time passes only while the loop waits: a run is as fast as its computations, and reproducible."""


class RobotDriver(Protocol):
    """Interface of a robot driver."""

    @property
    def patience(self) -> float | None:
        """Default of the longest gap between two torques [s]; None for that of the guards."""
        ...

    @property
    def is_virtual(self) -> bool:
        """Whether the driver's clock stands still while the loop computes."""
        ...

    def opened(
        self, library: ctypes.CDLL, model: Model, motion: Trajectory, period: float
    ) -> contextlib.AbstractContextManager[DriverStruct]:
        """The driver, as long as the context lasts. Raises `ArgumentError` where it is not available."""
        ...


@dataclass(frozen=True)
class SimulatedRobot:
    """A simulated plant in real time: that of the run's model unless another is given.

    The plant begins at `start` (n,), by default at the motion's start.
    `substeps`: Runge-Kutta 4 steps in every cycle, by default as many as the plant's friction needs.
    """

    plant: Plant | Robot | Model | None = None
    start: npt.ArrayLike | None = None
    substeps: int | None = None
    clock: RobotClock | str = RobotClock.REAL

    def __post_init__(self) -> None:
        object.__setattr__(self, "clock", chosen(RobotClock, self.clock, "clock"))

    @property
    def is_virtual(self) -> bool:
        """Whether the driver's clock stands still while the loop computes."""
        return self.clock is RobotClock.VIRTUAL

    @property
    def patience(self) -> float | None:
        """As `RobotDriver`."""
        return None if self.is_virtual else TUNING.simulated_timeout

    @contextlib.contextmanager
    def opened(self, library: ctypes.CDLL, model: Model, motion: Trajectory, period: float) -> Iterator[DriverStruct]:
        """As `RobotDriver`."""
        plant = as_plant(model if self.plant is None else self.plant)
        if plant.robot.joint_names != model.robot.joint_names:
            raise ArgumentError(
                f"the joints of the plant are {', '.join(plant.robot.joint_names)}",
                remedy=f"the model's are {', '.join(model.robot.joint_names)}",
            )
        check_movable(plant.model)
        start = np.asarray(motion.q[0] if self.start is None else self.start, dtype=np.float64)
        if start.shape != (plant.n,) or not np.isfinite(start).all():
            raise ArgumentError(f"a start of shape {start.shape}", remedy=f"give {plant.n} finite numbers")
        substeps = self.substeps or math.ceil(
            max(1.0, fastest_rate(plant, start).rate * period / SIMULATION_TUNING.stable_rate)
        )
        check_step(plant, start, RungeKutta4(substeps), period=period)
        states = np.zeros((2, plant.motion_size))
        speed = motion.qd[0] if self.start is None else np.zeros(plant.n)
        states[0] = plant.first_motion(start.tolist(), speed.tolist())
        step = native_plant(plant, period / substeps)
        made = SimulatedStruct()
        made.step = step.packed_address
        made.state[0], made.state[1] = states[0].ctypes.data, states[1].ctypes.data
        made.joints, made.size = plant.n, plant.motion_size
        made.step_time, made.cycle_time = nanoseconds(period / substeps), nanoseconds(period)
        made.most_steps = max(substeps, round(TUNING.simulated_catch_up / period * substeps))
        made.is_virtual = self.is_virtual
        driver = DriverStruct()
        library.torquec_simulated_driver(ctypes.byref(made), ctypes.byref(driver))
        yield driver
        del step, states


def native_plant(plant: Plant, h: float) -> NativeFunction:
    """(motion, torques) -> motion after h [s], compiled."""
    key = f"plant step {plant.identity} {h!r}"
    return load_or_compile(key, lambda: plant_step_function(plant, h))


def plant_step_function(plant: Plant, h: float) -> Function:
    """One step of a plant under torques that its drives saturate."""
    dynamics = Dynamics(plant)

    def program(motion: Any, tau: Any) -> dict[str, Any]:
        y, torque = list(motion), drive_torque(plant, list(tau))
        if plant.friction is DryFriction.STICK:
            return {"next": stick_slip_step(dynamics, y, torque, h)}
        return {"next": rk4_step(lambda at: dynamics.motion_rate(at, torque), y, h)}

    return trace("plant_step", program, {"motion": (plant.motion_size,), "tau": (plant.n,)})


@dataclass(frozen=True)
class SharedMemoryRobot:
    """A robot in another process, by shared memory of this name; it uses `driver_shared.h` or `SharedRobot`."""

    name: str

    is_virtual = False
    patience = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"/?[A-Za-z0-9_.-]{1,200}", self.name):
            raise ArgumentError(
                f"'{self.name}' names no shared memory", remedy="use letters, digits, dots, dashes and underscores"
            )

    @property
    def system_name(self) -> bytes:
        """The POSIX name, with a leading slash."""
        return f"/{self.name.removeprefix('/')}".encode()

    @contextlib.contextmanager
    def opened(self, library: ctypes.CDLL, model: Model, _motion: Trajectory, _period: float) -> Iterator[DriverStruct]:
        """As `RobotDriver`."""
        address = library.torquec_shared_make(self.system_name, ctypes.c_int64(model.robot.n))
        if not address:
            problem = os.strerror(ctypes.get_errno())
            raise ArgumentError(
                f"the shared memory could not be made: {problem}",
                where=self.name,
                remedy="end the loop that has it, use another name, or remove what a loop left behind in /dev/shm",
            )
        try:
            driver = DriverStruct()
            library.torquec_shared_driver(ctypes.c_void_p(address), ctypes.byref(driver))
            yield driver
        finally:
            library.torquec_shared_remove(ctypes.c_void_p(address), self.system_name)


@dataclass(frozen=True)
class LibraryRobot:
    """A robot behind a user's shared library, which must be trusted code.

    The library exports  int torquec_open_driver(torquec_driver *driver, int64_t joints),  which fills the driver and
    returns 0, and void torquec_close_driver(torquec_driver *driver).
    """

    path: str | os.PathLike[str]

    is_virtual = False
    patience = None

    @contextlib.contextmanager
    def opened(
        self, _library: ctypes.CDLL, model: Model, _motion: Trajectory, _period: float
    ) -> Iterator[DriverStruct]:
        """As `RobotDriver`."""
        where = str(self.path)
        try:
            code = ctypes.CDLL(str(Path(self.path).resolve()))
            begin, end = code.torquec_open_driver, code.torquec_close_driver
        except (OSError, AttributeError) as error:
            raise ArgumentError(
                f"no driver: {error}",
                where=where,
                remedy="build a shared library with torquec_open_driver and torquec_close_driver",
            ) from None
        driver = DriverStruct()
        if begin(ctypes.byref(driver), ctypes.c_int64(model.robot.n)) != 0:
            raise ArgumentError(
                "the driver could not be opened", where=where, remedy=f"it must serve {model.robot.n} joints"
            )
        try:
            missing = [name for name in ("read", "write", "clock", "stop") if not getattr(driver, name)]
            if missing:
                raise ArgumentError(f"the driver has no {missing[0]}", where=where, remedy="fill all of torquec_driver")
            yield driver
        finally:
            end(ctypes.byref(driver))


class SharedRobot:
    """The robot's side of the shared memory of a loop; waits up to `patience` [s] for it; a context manager.

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
        """The current time on the clock of the samples [ns]."""
        return int(self._library.torquec_shared_clock())

    @property
    def torque_time(self) -> int:
        """Time stamp of the last torques from `take` [ns]."""
        return self._time.value

    @property
    def is_stopped(self) -> bool:
        """Whether the loop has ended or the watchdog has stopped the robot: torques off, brakes on."""
        return bool(self._library.torquec_shared_is_stopped(self._memory))

    def publish(self, q: npt.ArrayLike, qd: npt.ArrayLike, *, at: int | None = None) -> None:
        """Publish a measured state, (n,) each, now or `at` a time of `clock`. Raises `ArgumentError` for other shapes.

        Numbers that are not finite are passed on: the guards of the loop handle them.
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
