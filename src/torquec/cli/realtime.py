"""`torquec realtime plan`: background period and hold error; `table`: cost of a cycle; `run`: a law on a robot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Writes
from torquec.cli.options import force_option, option
from torquec.cli.output import progress, step_report
from torquec.proof.hold.hold_order import HoldOrder
from torquec.report.tables import number, table

if TYPE_CHECKING:
    from torquec.model.model import Model
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from torquec.cli.motions import MotionOptions, asked_motion, asked_start, has_standard_motion, hold_missing
from torquec.cli.options import degrees_option, numbers
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.control.controller import Controller
    from torquec.model.model import Model
    from torquec.realtime.runtime.drivers import RobotDriver
    from torquec.realtime.runtime.guards import Guards
    from torquec.realtime.runtime.run import RunOptions
    from torquec.realtime.runtime.run_result import RunStatus
    from torquec.trajectory import Trajectory


@dataclass(frozen=True, kw_only=True)
class PlanOptions(CommandOptions):
    """Specification and timing of the plan."""

    spec: Path = option(..., "The specification: speeds, accelerations, jerks, errors.", metavar="FILE")
    period: float | None = option(None, "The background period [s].  [default: the recommended one]")
    latency: float = option(0.0, "Run time of the background [s].")
    order: HoldOrder = option(HoldOrder.FIRST, "What is held between backgrounds.")
    plot: Path | None = option(None, "Draw the hold error against the period.", metavar="FILE", writes=Writes.PICTURE)
    force: bool = force_option()


@command(
    "plan",
    PlanOptions,
    example="torquec realtime plan planar2r --spec examples/specifications/planar2r.toml --period 0.02",
    metavar="MODEL",
)
def plan(model: Model, options: PlanOptions) -> Outcome:
    """Bound the error of held coefficients, and recommend a background period.

    The bounds hold for every motion of the specification and exclude friction. See docs/real-time.md.
    """
    from torquec.foundation.work import Work
    from torquec.project.package_steps import by_period, plan_document
    from torquec.realtime.plan import found_at, plan_background
    from torquec.report.figure import write_picture
    from torquec.report.hold_plan import hold_plots, plan_text
    from torquec.report.stored_values import StoredValue
    from torquec.simplification.specification import load_specification

    specification = load_specification(options.spec, model.robot)
    progress(f"bounding the hold error of {model.robot.name} ...")
    found = plan_background(
        model,
        specification,
        period=options.period,
        latency=options.latency,
        order=options.order,
        work=Work(report=step_report()),
    )
    document = plan_document(found)
    files: tuple[Path, ...] = ()
    if options.plot is not None:
        dots = by_period(found.joints, found_at(model, specification, options.latency))
        plots = hold_plots(StoredValue(document | {"found_curve": dots}, "the plan"))
        title = f"{model.robot.name}: hold error (lines: bounds, dots: found)"
        files = (write_picture(plots, options.plot, title=title),)
    return Outcome(document, plan_text(found), files)


@dataclass(frozen=True, kw_only=True)
class TableOptions(CommandOptions):
    """Frame of the hand."""

    frame: str | None = option(None, "The frame of the hand.  [default: the robot's]")


@command("table", TableOptions, example="torquec realtime table puma560", metavar="MODEL")
def cycle(model: Model, options: TableOptions) -> Outcome:
    """Time and count the tasks of one control cycle, beside Clover's Table I.

    Trajectory, inverse kinematics, inverse dynamics, Jacobian, gains and collision of two boxes: microseconds here,
    operations, and instructions of the generated C (gcc and valgrind, where installed).
    """
    from torquec.papers.cycle_table import cycle_table, table_rows

    progress(f"timing and counting the tasks of {model.robot.name} ...")
    found = cycle_table(model, frame=options.frame)
    document = {
        "robot": found.robot,
        "frame": found.frame,
        "rows": list(table_rows(found)),
        "seconds": found.seconds,
        "printed_seconds": found.printed,
        "without": list(found.without),
    }
    return Outcome(document, cycle_text(document))


def cycle_text(document: dict[str, Any]) -> str:
    """The text for a document of `torquec realtime table`."""
    rows = []
    for row in document["rows"]:
        here = "-" if row["seconds"] is None else number(row["seconds"] * 1e6, 3)
        printed = "-" if row["printed_seconds"] is None else f"{row['printed_seconds'] * 1e6:.0f}"
        count = "-" if row["instructions"] is None else str(row["instructions"])
        rows.append([row["task"], here, printed, count, row["operations"] or row["missing"]])
    rows.append(["together", number(document["seconds"] * 1e6, 3), f"{document['printed_seconds'] * 1e6:.0f}", "", ""])
    # The last column is text: padded to the left like the first.
    width = max(len(row[4]) for row in rows)
    shown = table(
        ["task", "here [us]", "Clover [us]", "instructions", "operations".ljust(width)],
        [[*row[:4], row[4].ljust(width)] for row in rows],
    )
    lines = [
        f"{document['robot']}, frame {document['frame']}: one cycle, native code, one call of each task",
        "",
        shown,
    ]
    if document["without"]:
        lines.append(f"\nMISSING, so that instructions are not counted: {', '.join(document['without'])}")
    return "\n".join(lines)


_DEFAULT_RATE = 1000.0  # [Hz] usual rate of torque-controlled arms
_SHARED = "shared:"


@dataclass(frozen=True, kw_only=True)
class GuardedRunOptions(MotionOptions):
    """The law, the loop, the guards, and the files to write."""

    law: Path | None = option(
        None,
        "The law of a controller.json that torquec design wrote.  [default: computed torque, poles {usual poles}]",
        metavar="FILE",
    )
    rate: float | None = option(None, "Cycles per second.  [default: the law's, else 1000]", metavar="HZ")
    deadline_source: str = option("timer", "Trigger of the cycles: timer or driver.", metavar="WHO")
    background: float | None = option(
        None, "Two rates: the background period [s].  [default: the law in every cycle]", metavar="S"
    )
    order: HoldOrder = option(HoldOrder.FIRST, "What is held with --background.")
    seconds: float | None = option(None, "Duration of the run.  [default: the motion's time]", metavar="S")
    torque: str | None = option(None, "Torque limits, one or one per joint.  [default: the robot's]", metavar="LIST")
    torque_rate: str | None = option(
        None, "Limits of torque rates [1/s].  [default: the torque limit in 20 ms]", metavar="LIST"
    )
    power: float | None = option(None, "Power limit of all drives together.  [default: none]", metavar="W")
    speed: str | None = option(None, "Speed limits, one or one per joint.  [default: the robot's]", metavar="LIST")
    resolution: str | None = option(
        None,
        "A position is frozen if it is constant while its integrated speed exceeds this.  [default: 2 mrad, 0.2 mm]",
        metavar="LIST",
    )
    unmoved: str | None = option(
        None,
        "A position is frozen if it is constant while its reference moves by more.  [default: 10 mrad, 2 mm]",
        metavar="LIST",
    )
    damping: str = option("0", "Torque per speed that brakes the joints during a stop.", metavar="LIST")
    hold: float = option(0.02, "A stop first holds the last torque for this time.", metavar="S")
    ramp: float = option(0.2, "A stop then takes the torque to zero in this time.", metavar="S")
    gap: float | None = option(
        None,
        "A longer time between two torques is a fault.  [default: 3.5 cycles; 0.1 s for a simulated robot]",
        metavar="S",
    )
    watchdog: float = option(0.5, "A loop that hangs longer is stopped.", metavar="S")
    priority: int = option(80, "SCHED_FIFO priority, where the system grants it; 0: ordinary scheduling.")
    lock_memory: bool = option(True, "Keep the process in physical memory.", "--lock-memory/--no-lock-memory")
    trace: Path | None = option(
        None,
        "Every cycle for Perfetto: open it at ui.perfetto.dev.",
        metavar="FILE",
        writes=Writes.FILE,
        endings=(".pftrace", ".perfetto-trace"),
    )
    log: Path | None = option(
        None, "Every cycle as CSV.", "--log", "-o", metavar="FILE", writes=Writes.FILE, endings=(".csv",)
    )
    force: bool = force_option()
    deg: bool = degrees_option()


@dataclass(frozen=True, kw_only=True)
class RealtimeRunOptions(GuardedRunOptions):
    """The robot, and the options of every guarded run."""

    driver: str = option(
        "simulated",
        "simulated; shared:NAME, a robot in another process; FILE.so, your own C library.",
        metavar="ROBOT",
    )
    clock: str = option("real", "Clock of a simulated robot: real, or virtual (as fast as possible).", metavar="CLOCK")


@command(
    "run",
    RealtimeRunOptions,
    example="torquec realtime run puma560 --to 0.3,-0.3,0.3,0.2,0.2,0.2 --duration 1 --trace run.pftrace",
    metavar="MODEL",
)
def run(model: Model, options: RealtimeRunOptions) -> Outcome:
    """Run a control law on a robot in real time, between guards that stop it safely.

    Every torque is finite and within its limits of size and rate. A fault holds the last torque and then takes it to
    zero. Shows rates, jitter and faults during the run; Ctrl-C stops the robot. Exit status 1 if a fault ended the run.
    See docs/real-time.md.
    """
    return run_on(model, options, _robot(options), options.driver)


def run_on(model: Model, options: GuardedRunOptions, robot: RobotDriver, driver: str) -> Outcome:
    """The run of a law on a robot; `driver`: name of the robot's driver in the document."""
    from torquec.realtime.runtime.cycle_log import write_cycle_log
    from torquec.realtime.runtime.run import run as run_loop
    from torquec.report.realtime_run import run_text

    law = _law(options)
    if law is not None:
        model = hold_missing(model, law.joints, "the law")
    period = _period(options, law)
    model, motion = _motion(model, options, period)
    if law is None:
        from torquec.control.computed_torque import computed_torque
        from torquec.control.laws import USUAL_POLES

        law = computed_torque(model, USUAL_POLES, period=period)
    loop = _loop_options(options, period)
    progress(f"running {law.name} on {model.robot.name} at {1.0 / period:g} Hz ...")
    view = live_report(loop.duration or motion.duration)
    result = run_loop(
        model,
        law,
        motion,
        robot=robot,
        options=loop,
        guards=_guards(options),
        trace=options.trace,
        force=options.force,
        report=view,
    )
    files = [path for path in (options.trace,) if path is not None]
    if options.log is not None:
        files.append(write_cycle_log(result.log, options.log, force=options.force))
    document = {"robot": model.robot.name, "law": law.name, "driver": driver, **result.to_document()}
    return Outcome(document, run_text(result), tuple(files), result.failed, model.robot)


def _law(options: GuardedRunOptions) -> Controller | None:
    from torquec.control.controller_file import read_controller

    return None if options.law is None else read_controller(options.law)


def _period(options: GuardedRunOptions, law: Controller | None) -> float:
    """The period of the loop [s]."""
    if options.rate is not None:
        if not 1.0 <= options.rate <= 1e6:
            raise ArgumentError(f"--rate {options.rate:g}", remedy="give between 1 and 1e6 cycles per second")
        return 1.0 / options.rate
    return 1.0 / _DEFAULT_RATE if law is None or law.period is None else law.period


def _motion(model: Model, options: GuardedRunOptions, period: float) -> tuple[Model, Trajectory]:
    """The requested motion; without one, the robot stands still at `--from`, else at a position within its limits."""
    from torquec.trajectory import check_limits, minimum_jerk

    if options.to is not None or options.trajectory is not None or has_standard_motion(model):
        return asked_motion(model, options, period, degrees=options.deg)
    place = asked_start(model.robot, options, degrees=options.deg)
    motion = minimum_jerk(place, place, options.duration, joints=model.robot.joint_names, period=period)
    if options.limits:
        check_limits(model.robot, motion)
    return model, motion


def _loop_options(options: GuardedRunOptions, period: float) -> RunOptions:
    from torquec.realtime.runtime.run import RunOptions

    return RunOptions(
        period=period,
        deadline=options.deadline_source,
        background=options.background,
        order=options.order,
        duration=options.seconds,
        watchdog=options.watchdog,
        priority=options.priority,
        lock_memory=options.lock_memory,
    )


def _robot(options: RealtimeRunOptions) -> RobotDriver:
    from torquec.realtime.runtime.drivers import LibraryRobot, SharedMemoryRobot, SimulatedRobot

    if options.driver == "simulated":
        return SimulatedRobot(clock=options.clock)
    if not options.driver.startswith(_SHARED) and not options.driver.endswith(".so"):
        raise ArgumentError(f"--driver {options.driver}", remedy="give simulated, shared:NAME or a library FILE.so")
    if options.clock != "real":
        raise ArgumentError(f"--clock {options.clock} of a robot that is not simulated", remedy="leave it out")
    if options.driver.startswith(_SHARED):
        return SharedMemoryRobot(options.driver.removeprefix(_SHARED))
    return LibraryRobot(options.driver)


def _guards(options: GuardedRunOptions) -> Guards:
    from torquec.realtime.runtime.guards import Guards

    def values(text: str | None, name: str) -> float | tuple[float, ...] | None:
        found = None if text is None else numbers(text, name)
        return found[0] if found is not None and len(found) == 1 else found

    damping = values(options.damping, "--damping")
    return Guards(
        torque=values(options.torque, "--torque"),
        torque_rate=values(options.torque_rate, "--torque-rate"),
        power=options.power,
        speed=values(options.speed, "--speed"),
        resolution=values(options.resolution, "--resolution"),
        unmoved=values(options.unmoved, "--unmoved"),
        damping=0.0 if damping is None else damping,
        hold=options.hold,
        ramp=options.ramp,
        longest_gap=options.gap,
    )


def live_report(duration: float) -> Callable[[RunStatus], None] | None:
    """A view of the running loop that is redrawn on a terminal; None without a terminal."""
    from torquec.report.realtime_run import run_view

    if not sys.stderr.isatty():
        return None
    height = 0

    def report(status: RunStatus) -> None:
        nonlocal height
        lines = run_view(status, duration=duration).split("\n")
        up = f"\x1b[{height}A" if height else ""
        sys.stderr.write(up + "".join(f"\r\x1b[K{line}\n" for line in lines))
        sys.stderr.flush()
        height = len(lines)

    return report
