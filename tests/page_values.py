"""Where the figures of pages come from: documents that commands leave, operation counts, models and simulations."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.peer import SHARED
from benchmarks.simulation import FAST, FIRST_ERROR, SLOW_POLE, tracked
from tests.identification import real_logs
from tests.page_blocks import ROOT
from tests.page_output import NUMBER
from tests.papers.comparison_rows import rows_of

import torquec as tq
from torquec.control.model_terms import FrictionCompensation
from torquec.expr import OperationCount, count_operations
from torquec.identification.logs.check_hypotheses import check_hypotheses
from torquec.robot.lock_joints import lock_joints
from torquec.simulation.integrators import RungeKutta4
from torquec.simulation.simulation_result import tip_error
from torquec.trajectory import puma560_standard_trajectory
from torquec.trajectory.log import Log

Values = Callable[[Path], Sequence[float]]


def keys(file: str, *paths: str) -> Values:
    """Numbers of a JSON document that the page's commands leave, each by its keys with dots between."""

    def values(folder: Path) -> list[float]:
        document = json.loads((folder / file).read_text(encoding="utf-8"))
        found = []
        for path in paths:
            here = document
            for key in path.split("."):
                here = here[key]
            found.append(here)
        return found

    return values


def operations(source: tq.Robot | tq.Model, *quantities: str) -> list[float]:
    """Multiplications and additions of quantities of a robot or model."""
    model = source if isinstance(source, tq.Model) else tq.compile(source)
    return counts(*(model.operation_count(quantity) for quantity in quantities))


def counts(*found: OperationCount) -> list[float]:
    """Multiplications and additions of each."""
    return [number for count in found for number in (count.mul, count.add)]


def benchmarked(name: str) -> tq.Robot:
    """A robot of the benchmarks, or a skip where it is not there."""
    path = SHARED / "models" / f"{name}.urdf"
    if not path.exists():
        pytest.skip(f"needs {path.name}")
    return tq.load(path)


@functools.cache
def two_rate_counts(part: str, *update: str) -> list[float]:
    """Those of a background of the PUMA 260."""
    functions = tq.two_rate(tq.classics.puma260(), update=list(update)).functions
    return counts(count_operations(functions[f"background_{part}"]))


def compared(name: str, *quantities: str, sides: tuple[str, ...] = ("printed", "ours")) -> Values:
    """Numbers of a comparison with a paper: the printed ones of all quantities, then ours; rounding error is 0."""
    return lambda _: [round(getattr(rows_of(name)[quantity], side), 12) for side in sides for quantity in quantities]


def compared_counts(name: str, title: str, *, sides: tuple[str, ...] = ("printed", "ours")) -> Values:
    """The same for multiplications and additions."""
    return compared(name, f"{title}: multiplications", f"{title}: additions", sides=sides)


@functools.cache
def small_puma() -> tq.Model:
    """The PUMA 560 to 1 % of its torque limits, without a time limit."""
    return tq.simplify(tq.classics.puma560(), ROOT / "examples" / "specifications" / "puma560_torque.toml")


@functools.cache
def guaranteed_puma() -> tq.Model:
    """The PUMA 560 of docs/guarantee.md, for faster motions than `small_puma`."""
    wanted = "[every_joint]\nvelocity = 2.5\nacceleration = 10.0\ntorque_error_part = 0.01\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "puma560.toml"
        path.write_text(wanted, encoding="utf-8")
        return tq.simplify(tq.classics.puma560(), path)


def guaranteed(poles: complex, rate: float) -> list[float]:
    """Bounds of its tracking error on the standard trajectory [mrad]."""
    motion = puma560_standard_trajectory(period=1.0 / rate)
    given = tq.tracking_guarantee(guaranteed_puma(), poles, motion, period=1.0 / rate)
    return [1e3 * bound.position for bound in given.joints]


def guaranteed_everywhere() -> list[float]:
    """Bounds of the tracking error of `small_puma` for any reference [mrad], and how fast that may be [rad/s^2]."""
    given = tq.tracking_guarantee(small_puma(), -20, period=0.001)
    return [*(1e3 * bound.position for bound in given.joints), min(one.acceleration for one in given.references)]


def simulated(poles: complex, rate: float) -> list[float]:
    """Tracking errors of the same loops without friction [mrad]."""
    motion = puma560_standard_trajectory(period=1.0 / rate)
    nothing = FrictionCompensation("nothing")
    law = tq.computed_torque(guaranteed_puma(), poles, period=1.0 / rate, evaluation="measured", friction=nothing)
    plant, options = tq.Plant(tq.classics.puma560(), friction="none"), tq.LoopOptions(integrator=RungeKutta4(4))
    return [1e3 * error for error in tq.simulate(plant, law, motion, options=options).max_error.values()]


@functools.cache
def small_scara() -> tq.Model:
    """The Scara of `examples/certified_simplification.py`."""
    return tq.simplify(tq.classics.scara(), ROOT / "examples" / "specifications" / "scara.toml")


@functools.cache
def tip_errors(duration: float) -> dict[str, list[float]]:
    """Largest and rms distance of the wrist from its reference [mm], of Clover's three controllers."""
    robot = tq.classics.puma560()
    slow = {"pole": SLOW_POLE, "first_error": FIRST_ERROR, "saturates": False} if duration == FAST else {}
    errors = {name: 1e3 * tip_error(robot, "link6", run) for name, run in tracked(robot, duration, **slow).items()}
    return {name: [found.max(), np.sqrt((found**2).mean())] for name, found in errors.items()}


@functools.cache
def _printed(script: str) -> str:
    """What an example prints."""
    command = [sys.executable, ROOT / "examples" / f"{script}.py"]
    return subprocess.run(command, capture_output=True, text=True, timeout=900, check=True).stdout


def of_script(script: str, *lines: str) -> Values:
    """The numbers behind the colon, or behind the words, of the one line of an example that has these words."""

    def values(_: Path) -> list[float]:
        found = []
        for words in lines:
            (line,) = (line for line in _printed(script).splitlines() if words in " ".join(line.split()))
            behind = " ".join(line.split()).partition(words)[2]
            found += [float(number) for number in re.findall(NUMBER, behind)]
        return found

    return values


def reading(fault: Callable[[Log], Log]) -> Values:
    """The numbers of what `check-log` says of the Panda's recorded log with a fault; a skip where it is not there."""

    def values(_: Path) -> list[float]:
        robot, logs = real_logs.panda()
        moving = lock_joints(robot, {name: 0.0 for name in robot.joint_names if name not in logs[0].joints})
        (found,) = check_hypotheses(moving, fault(logs[0]))
        return [float(number) for number in re.findall(NUMBER, found.text.partition("to add")[2] or found.text)]

    return values


def exchanged(log: Log) -> Log:
    """Positions and speeds of joints 5 and 6 in each other's columns."""
    order = [0, 1, 2, 3, 5, 4, 6]
    return replace(log, q=log.q[:, order], qd=None if log.qd is None else log.qd[:, order])


def moved(log: Log) -> Log:
    """Joint 3 by 10 degrees."""
    return replace(log, q=log.q + np.radians(10.0) * np.eye(log.n)[2])


def total(values: Sequence[float]) -> float:
    """All operations."""
    return float(sum(values))


def cycle_operations(row: int, *kinds: str) -> Values:
    """Operations of a task of the PUMA 560's cycle."""
    return lambda _: [getattr(_cycle()[row].operations, kind) for kind in kinds]


@functools.cache
def _cycle():
    return tq.cycle_table(tq.classics.puma560(), rounds=1).rows


def holding_torques(folder: Path) -> list[float]:
    """Torques that hold the tutorial's arm at 30 degrees of its shoulder and -45 of its elbow: of these two."""
    arm = tq.compile(tq.load(folder / "sorter.urdf"))
    return arm.gravity_torque(np.radians([0.0, 30.0, -45.0, 0.0]))[1:3].tolist()


def largest_acceleration(folder: Path) -> list[float]:
    """Of the tutorial's motion [rad/s^2]."""
    motion = tq.read_project(folder / "sorter.project.toml").motion
    way = tq.minimum_jerk(motion.start, motion.to, motion.duration, joints=("a", "b", "c", "d"), period=0.001)
    return [float(np.abs(way.qdd).max())]


def bounds_hold(folder: Path) -> bool:
    """Whether no joint of the tutorial's simulations leaves its reference by more than is bounded."""
    bounds = json.loads((folder / "sorter_run/design/design.json").read_text("utf-8"))["guarantee"]["bounds"]
    files = [folder / f"sorter_run/simulate/{name}/simulation.json" for name in ("as_designed", "unknown_load")]
    errors = [json.loads(file.read_text("utf-8"))["max_error"] for file in files]
    return all(found[joint] <= bound["value"] for found in errors for joint, bound in bounds.items())


def verdict_is_under_uncertainty(folder: Path) -> bool:
    """Whether the tutorial's verdict has a bound for every joint, for stated friction, payload, encoders and delay."""
    verdict = json.loads((folder / "sorter_run/verdict/verdict.json").read_text("utf-8"))
    words = ("friction known to 30 %", "unknown payload of 0 to 0.05 kg", "encoders of 1e-05", "1 sampling interval(s)")
    said = verdict["statements"][0]
    return verdict["claim"] is not None and all(each in said for each in (*words, "turret", "elbow", "wrist"))


def is_true(file: str, path: str) -> Callable[[Path], bool]:
    return lambda folder: keys(file, path)(folder) == [True]
