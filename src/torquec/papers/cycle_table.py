"""Computation time of one control cycle by task, measured and counted, beside Clover's Table I (paper IV).

(1)  every task is one `Function`; its operations are counted
(2)  its native code is called in a loop of machine code, on one state after the other, and the fastest round counts
(3)  its C, compiled by gcc -O2, is run under valgrind's callgrind, where both are installed: instructions of one call

Tasks: a point of a minimum-jerk motion of all joints; the joint positions of a pose, nearest to given ones (closed
form); inverse dynamics; the Jacobian of the hand; the gains of pole placement; the gap of two boxes. Clover's other
tasks (input and output, the rest of a program) are no part of a model and are not measured.
"""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from torquec.codegen.llvm import NativeFunction, compile_function
from torquec.codegen.llvm.cpu import host_cpu
from torquec.codegen.llvm.load import LoadedObject
from torquec.codegen.llvm.module import object_code
from torquec.codegen.target import generate_package
from torquec.codegen.verify.c_package import read_c_package
from torquec.codegen.verify.verification import InstructionCount, driver_text, instruction_counts
from torquec.control.pole_placement import pole_placement_gains
from torquec.errors import TorquecError
from torquec.expr import Function, OperationCount, count_operations, trace
from torquec.foundation.arrays import Array
from torquec.foundation.stopwatch import race
from torquec.haptics.contact_experiment import box_gap_function
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.model.model import Model, as_model
from torquec.robot.gripper_joints import hand_frame
from torquec.robot.robot import Robot

_STATES = 64  # tried one after the other: branches are not always the same
_COUNTED = 12  # of them under callgrind, which is slow
_SEED = 1994  # of the states: the year of the table

_REPEAT = """
define void @repeat(ptr %kernel, ptr %inputs, ptr %outputs, i64 %states, i64 %words) {
entry:
  br label %state
state:
  %k = phi i64 [ 0, %entry ], [ %next, %state ]
  %first = mul i64 %k, %words
  %place = getelementptr ptr, ptr %inputs, i64 %first
  call void %kernel(ptr %place, ptr %outputs)
  %next = add i64 %k, 1
  %done = icmp eq i64 %next, %states
  br i1 %done, label %end, label %state
end:
  ret void
}
"""


@dataclass(frozen=True)
class CycleTask:
    """A task: its name, its time in Clover's Table I [s], and its function, or why there is none."""

    name: str
    printed: float | None
    function: Function | None
    missing: str = ""


@dataclass(frozen=True)
class CycleRow:
    """A task with its operations, the seconds of one call here, and the instructions of one call."""

    task: str
    printed: float | None
    operations: OperationCount | None = None
    seconds: float | None = None
    instructions: InstructionCount | None = None
    missing: str = ""


@dataclass(frozen=True)
class CycleTable:
    """The rows, and the total time of all measured tasks; `without` are missing tools."""

    robot: str
    frame: str
    rows: tuple[CycleRow, ...]
    without: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """One call of every task here [s]."""
        return sum(row.seconds for row in self.rows if row.seconds is not None)

    @property
    def printed(self) -> float:
        """Times in Clover's table for the same tasks [s]."""
        return sum(row.printed for row in self.rows if row.printed is not None and row.seconds is not None)


def cycle_table(source: Robot | Model, *, frame: str | None = None, rounds: int = 15) -> CycleTable:
    """The table of a robot or model, (1)-(3), for the frame of its hand unless one is named.

    Raises `ArgumentError` for an unknown frame. A task that the robot does not support is a row with the reason.
    """
    model = as_model(source)
    hand = hand_frame(model.robot) if frame is None else model.robot.frame(frame).name
    tasks = cycle_tasks(model, hand)
    functions = [task.function for task in tasks if task.function is not None]
    states = {function.name: _states(model, hand, function) for function in functions}
    seconds = _times(functions, states, rounds)
    counts, without = _instructions(functions, states)
    rows = [
        CycleRow(task.name, task.printed, missing=task.missing)
        if task.function is None
        else CycleRow(
            task.name,
            task.printed,
            count_operations(task.function),
            seconds[task.function.name],
            counts.get(task.function.name),
        )
        for task in tasks
    ]
    return CycleTable(model.robot.name, hand, tuple(rows), without)


def cycle_tasks(model: Model, frame: str) -> list[CycleTask]:
    """The tasks in the order of Clover's Table I, with the printed times."""
    n = model.robot.n

    def made(name: str, printed: float | None, make: Callable[[], Function]) -> CycleTask:
        try:
            return CycleTask(name, printed, make())
        except TorquecError as error:
            return CycleTask(name, printed, None, error.args[0] if error.args else str(error))

    return [
        made("trajectory", 0.188e-3, lambda: minimum_jerk_function(n)),
        made("inverse kinematics", 0.154e-3, lambda: inverse_kinematics(model.robot, frame).nearest_function),
        made("inverse dynamics", 0.244e-3, lambda: model.function("inverse_dynamics")),
        made("Jacobian", 0.088e-3, lambda: model.function(f"jacobian:{frame}")),
        made("gains", 0.166e-3, lambda: pole_placement_gains(model)),
        made("two-cube collision", 0.418e-3, box_gap_function),
        CycleTask("input and output", 0.120e-3, None, "hardware, not a model"),
        CycleTask("other", 0.076e-3, None, "the rest of a program"),
    ]


def minimum_jerk_function(n: int) -> Function:
    """A point of the motion from `start` to `end` within `duration`, at time `t`: q, qd, qdd (n,) each.

    With s = t/T in [0, 1]: q = start + (end - start)(10 s^3 - 15 s^4 + 6 s^5), and its derivatives.
    """

    def algorithm(t: Any, duration: Any, start: Any, end: Any) -> dict[str, Any]:
        rate = 1.0 / duration
        s = t * rate
        ss = s * s
        rest = 1.0 - s
        shape = ss * s * (10.0 + s * (6.0 * s - 15.0))
        slope = 30.0 * ss * rest * rest * rate
        bend = 60.0 * s * rest * (1.0 - 2.0 * s) * rate * rate
        way = [b - a for a, b in zip(start, end, strict=True)]
        return {
            "q": [a + w * shape for a, w in zip(start, way, strict=True)],
            "qd": [w * slope for w in way],
            "qdd": [w * bend for w in way],
        }

    return trace("trajectory_point", algorithm, {"t": (), "duration": (), "start": (n,), "end": (n,)})


def _states(model: Model, frame: str, function: Function) -> dict[str, Array]:
    """Inputs (N, *shape) by port: positions, speeds and accelerations of a robot, poses that it reaches."""
    rng = np.random.default_rng(_SEED)
    found = {port.name: rng.uniform(-1.0, 1.0, (_STATES, *port.shape)) for port in function.inputs}
    q = rng.uniform(-1.0, 1.0, (_STATES, model.robot.n))
    if {"rotation", "position", "near"} <= found.keys():
        rotation, position = model.frame_pose(frame)(q)
        found |= {"rotation": rotation, "position": position, "near": q}
    for port in ("duration", "t", "half1", "half2", "stiffness", "damping"):
        if port in found:
            found[port] = np.abs(found[port]) + (1.0 if port == "duration" else 0.0)
    for port in ("rotation1", "rotation2"):
        if port in found:
            found[port] = np.linalg.qr(found[port])[0]
    return found


def _times(functions: Sequence[Function], states: Mapping[str, Mapping[str, Array]], rounds: int) -> dict[str, float]:
    """Seconds of one call of each function (2)."""
    natives = {function.name: compile_function(function) for function in functions}
    calls = {name: _loop(native, states[name]) for name, native in natives.items()}
    found = race(calls, rounds=rounds)
    return {name: timing.minimum * 1e-9 / _STATES for name, timing in found.items()}


def _loop(native: NativeFunction, states: Mapping[str, Array]) -> Callable[[], None]:
    """One call that runs the kernel on all states."""
    arrays = [np.ascontiguousarray(states[port.name].reshape(_STATES, -1)) for port in native.inputs]
    words = max(1, len(arrays))
    pointers = (ctypes.c_void_p * (words * _STATES))(
        *(array.ctypes.data + array.strides[0] * k for k in range(_STATES) for array in arrays)
    )
    results = [np.zeros(max(1, port.size)) for port in native.outputs]
    outputs = (ctypes.c_void_p * max(1, len(results)))(*(result.ctypes.data for result in results))
    repeat, kernel = _repeat(), native.packed_address
    kept = (native, arrays, results)

    def call() -> None:
        assert kept
        repeat(kernel, pointers, outputs, _STATES, words)

    return call


@cache
def _repeat() -> Any:
    """The loop in machine code, so that Python's own calls are not timed."""
    loaded = LoadedObject(object_code(_REPEAT, host_cpu()), host_cpu(), {})
    kinds = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    function = ctypes.CFUNCTYPE(None, *kinds)(loaded.address("repeat"))
    function.loaded = loaded  # type: ignore[attr-defined]  # the code lives as long as the function
    return function


def _instructions(
    functions: Sequence[Function], states: Mapping[str, Mapping[str, Array]]
) -> tuple[dict[str, InstructionCount], tuple[str, ...]]:
    """(instructions of each function, tools that are missing) (3)."""
    with tempfile.TemporaryDirectory(prefix="torquec-table-") as scratch:
        folder = Path(scratch)
        generate_package(functions, folder / "c", prefix="cycle")
        package = read_c_package(folder / "c")
        given = {
            own.name: {
                array.name: states[function.name][port.name].reshape(_STATES, -1)[:_COUNTED]
                for array, port in zip(own.inputs, function.inputs, strict=True)
            }
            for own, function in zip(package.functions, functions, strict=True)
        }
        driver = folder / "driver.c"
        driver.write_text(driver_text(package, given, _COUNTED))
        found = instruction_counts(package, driver, folder)
    if found is None:
        return {}, ("gcc or valgrind",)
    names = dict(zip((own.name for own in package.functions), (f.name for f in functions), strict=True))
    return {names[name]: count for name, count in found.items()}, ()


def table_rows(table: CycleTable) -> Iterator[dict[str, Any]]:
    """The rows as plain values."""
    for row in table.rows:
        count = row.operations
        yield {
            "task": row.task,
            "printed_seconds": row.printed,
            "seconds": row.seconds,
            "operations": None if count is None else str(count),
            "instructions": None if row.instructions is None else row.instructions.most,
            "fewest_instructions": None if row.instructions is None else row.instructions.fewest,
            "missing": row.missing,
        }
