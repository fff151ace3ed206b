"""`torquec.realtime.run`: run a control law on a robot in real time, behind safety guards.

    result = tq.realtime.run(model, law, motion)                                    # a simulated robot
    result = tq.realtime.run(model, law, motion, robot=SharedMemoryRobot("arm"))    # one in another process

The loop is a thread of C (:mod:`torquec.realtime.runtime.library`) without Python in it; this thread only reads the
log and reports the status.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.control.controller import Controller
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Indices
from torquec.foundation.choice import chosen
from torquec.foundation.reading import to_path
from torquec.foundation.writing import check_output
from torquec.model.model import Model, as_model
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.background_period import oldest_coefficients
from torquec.realtime.runtime.cycle_log import CycleLog, LogReader
from torquec.realtime.runtime.drivers import RobotDriver, SimulatedRobot
from torquec.realtime.runtime.guards import RUN_ENDS, GuardLimits, Guards, RunEnd, guard_limits, nanoseconds
from torquec.realtime.runtime.library import ChannelStruct, LoopStruct, runtime_library
from torquec.realtime.runtime.loop_law import LoopLaw, loop_law
from torquec.realtime.runtime.perfetto_trace import PerfettoTrace
from torquec.realtime.runtime.run_result import RealtimeResult, RunStatus, system_notes
from torquec.realtime.tuning import TUNING
from torquec.robot.robot import Robot
from torquec.trajectory.trajectory import Trajectory


class DeadlineSource(StrEnum):
    """What triggers a cycle."""

    TIMER = "timer"
    """The machine's clock, at absolute times."""
    DRIVER = "driver"
    """The robot."""


@dataclass(frozen=True)
class RunOptions:
    """Options of a real-time loop, with their defaults; times in seconds.

    `period`: the controller's, else the motion's. `deadline`: what triggers a cycle. `background`: the background
    period, None for the whole law in every cycle; `order` of the hold; `oldest_coefficients`: largest sample age, four
    background periods, at least 50 ms. `duration`: that of the motion; then the stop begins. `watchdog`: timeout of the
    loop. `start_patience`: timeout of the first state. `priority` of SCHED_FIFO (0: ordinary scheduling) and
    `lock_memory` are requested; the result states whether they were granted. `keep_log`: whether the result has the
    whole log.
    """

    period: float | None = None
    deadline: DeadlineSource | str = DeadlineSource.TIMER
    background: float | None = None
    order: HoldOrder | str = HoldOrder.FIRST
    oldest_coefficients: float | None = None
    duration: float | None = None
    watchdog: float = 0.5
    start_patience: float = 5.0
    priority: int = 80
    lock_memory: bool = True
    keep_log: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "deadline", chosen(DeadlineSource, self.deadline, "source of deadlines"))
        object.__setattr__(self, "order", chosen(HoldOrder, self.order, "order of the hold"))
        for name in ("period", "background", "oldest_coefficients", "duration", "watchdog", "start_patience"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and 0.0 < value <= 1e6):
                raise ArgumentError(f"{name} is {value!r} s", remedy="give a positive number of seconds")
        if isinstance(self.priority, bool) or not isinstance(self.priority, int) or not 0 <= self.priority <= 99:
            raise ArgumentError(f"a priority of {self.priority!r}", remedy="give 1 to 99, or 0 for ordinary scheduling")


_USUAL, _GUARDS, _SIMULATED = RunOptions(), Guards(), SimulatedRobot()


def run(
    source: Robot | Model,
    controller: Controller,
    motion: Trajectory,
    *,
    robot: RobotDriver = _SIMULATED,
    options: RunOptions = _USUAL,
    guards: Guards = _GUARDS,
    trace: str | os.PathLike[str] | None = None,
    force: bool = False,
    report: Callable[[RunStatus], None] | None = None,
) -> RealtimeResult:
    """Run a controller on a robot along a motion, until its end or a fault; every torque passes the guards.

    `trace` names a file for Perfetto, with every cycle; `report` is called several times a second. Ctrl-C begins the
    stop; the result states the request. Raises `ArgumentError` for joints, periods and limits that do not match,
    `CompileError` where there is no compiler for the loop. Faults of the robot are results, not exceptions.
    """
    model = as_model(source)
    period = options.period or controller.period or motion.period
    if controller.period is not None and abs(period - controller.period) > 1e-9 * period:
        raise ArgumentError(
            f"a period of {period:g} s for a controller that was made for {controller.period:g} s",
            remedy="design the controller for the period of the loop",
        )
    limits = guard_limits(model.robot, guards, period=period, patience=robot.patience)
    sampled = motion.sampled(period)
    order = None if options.background is None else HoldOrder(options.order)
    law = loop_law(model, controller, _with_rest(sampled), order=order)
    target = None if trace is None else to_path(trace)
    if target is not None:
        check_output(target, force=force)
    library = runtime_library()
    made = _Loop(library, limits, law, options, duration=options.duration or sampled.duration)
    with robot.opened(library, model, sampled, period) as driver, contextlib.ExitStack() as files:
        made.struct.driver = driver
        made.struct.background_inline = robot.is_virtual
        made.struct.watchdog = 0 if robot.is_virtual else nanoseconds(options.watchdog)
        if options.deadline is DeadlineSource.DRIVER and not getattr(driver, "await"):
            raise ArgumentError("this driver cannot clock a loop", remedy="leave the deadlines to the timer")
        if target is not None:
            ages = options.background is not None
            trace_file = PerfettoTrace(target, limits.joints, period, background=ages, force=force)
            made.trace = files.enter_context(trace_file)
        made.run(report)
        slipped = made.slipped(robot)
    return made.result(sampled, slipped)


def _with_rest(motion: Trajectory) -> Trajectory:
    """The motion, extended by rest at its end: the reference after it is over."""
    still = np.zeros((1, motion.n))
    return Trajectory(
        motion.joints,
        np.append(motion.t, motion.t[-1] + motion.period),
        np.concatenate([motion.q, motion.q[-1:]]),
        np.concatenate([motion.qd, still]),
        np.concatenate([motion.qdd, still]),
    )


class _Loop:
    """The C structure of a run, and everything that it points to."""

    def __init__(
        self, library: ctypes.CDLL, limits: GuardLimits, law: LoopLaw, options: RunOptions, *, duration: float
    ) -> None:
        self.library, self.limits, self.law, self.options = library, limits, law, options
        self.struct = LoopStruct()
        self.trace: PerfettoTrace | None = None
        self._entries: list[Indices] = []
        self._end = RunEnd.NOT_STARTED
        self._memory: list[Array | ChannelStruct] = []
        self.struct.limits = limits.to_struct()
        self._fill_law()
        capacity = 1 << max(10, math.ceil(math.log2(TUNING.log_length / limits.period)))
        self._reader = LogReader(library, self.struct.log, len(limits.joints), capacity)
        self.struct.duration = nanoseconds(duration)
        self.struct.start_patience = nanoseconds(options.start_patience)
        self.struct.clocked_by_driver = options.deadline is DeadlineSource.DRIVER
        self.struct.priority, self.struct.lock_memory = options.priority, options.lock_memory

    def _array(self, values: Array) -> int:
        """The address of a copy that lives as long as the loop."""
        kept = np.array(values, dtype=np.float64, order="C")
        self._memory.append(kept)
        return int(kept.ctypes.data)

    def _fill_law(self) -> None:
        law, made = self.law, self.struct.law
        made.law = law.law.packed_address
        made.robot = law.robot
        made.reference_period = nanoseconds(self.limits.period)
        made.rows = len(law.references)
        made.reference = self._array(law.references)
        made.parts = len(law.parts)
        made.part_sizes[: len(law.parts)] = law.parts
        made.joint_positions = law.joint_positions
        if law.gains is not None:
            made.gains, made.gains_size = self._array(law.gains), law.gains.shape[1]
        made.memory_size = len(law.memory)
        made.memory[0], made.memory[1] = self._array(law.memory), self._array(law.memory)
        if law.background is None:
            return
        period = self.options.background
        assert period is not None
        channel = ChannelStruct()
        self._memory.append(channel)
        made.background = law.background.packed_address
        made.coefficients, made.coefficients_size = self._array(np.zeros(law.coefficients)), law.coefficients
        for record in channel.coefficients:
            record.numbers = self._array(np.zeros(law.coefficients))
        made.channel = ctypes.addressof(channel)
        oldest = self.options.oldest_coefficients or oldest_coefficients(period)
        made.oldest_coefficients = nanoseconds(oldest)
        self.struct.background_period = nanoseconds(period)

    def run(self, report: Callable[[RunStatus], None] | None) -> None:
        """Run the loop in a thread; read its log and report meanwhile."""
        ends: list[int] = []
        thread = threading.Thread(
            target=lambda: ends.append(self.library.torquec_loop_run(ctypes.byref(self.struct))), name="torquec loop"
        )
        thread.start()
        next_report = time.monotonic()
        try:
            while thread.is_alive():
                try:
                    thread.join(TUNING.log_read_interval)
                    self._take()
                    if report is not None and time.monotonic() >= next_report:
                        report(self.status())
                        next_report = time.monotonic() + 0.1
                except KeyboardInterrupt:
                    self.library.torquec_loop_stop(ctypes.byref(self.struct))
        finally:
            # After any error here, stop the robot before freeing anything that the loop uses.
            self.library.torquec_loop_stop(ctypes.byref(self.struct))
            while thread.is_alive():
                with contextlib.suppress(KeyboardInterrupt):
                    thread.join()
        self._take()
        self._end = RUN_ENDS[ends[0]]
        if report is not None:
            report(self.status())

    def _take(self) -> None:
        entries = self._reader.take()
        if self.trace is not None:
            self.trace.add(CycleLog(self.limits.joints, entries))
        if self.options.keep_log:
            self._entries.append(entries)

    def status(self) -> RunStatus:
        """The current status."""
        return RunStatus.of(self.struct, self.limits)

    def slipped(self, robot: RobotDriver) -> int:
        """Steps for which the clock of a simulated robot stood still."""
        from torquec.realtime.runtime.library import SimulatedStruct

        if not isinstance(robot, SimulatedRobot):
            return 0
        return int(ctypes.cast(self.struct.driver.self, ctypes.POINTER(SimulatedStruct)).contents.slipped)

    def result(self, motion: Trajectory, slipped: int) -> RealtimeResult:
        """The result of the run."""
        words = self._reader.memory.shape[1]
        entries = np.concatenate(self._entries) if self._entries else np.zeros((0, words), dtype=np.int64)
        return RealtimeResult(
            end=self._end,
            status=self.status(),
            limits=self.limits,
            log=CycleLog(self.limits.joints, entries),
            motion=motion,
            dropped=int(self.struct.log.dropped),
            slipped=slipped,
            notes=system_notes(self.struct),
        )
