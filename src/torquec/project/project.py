"""`Project`: the inputs of a run as frozen records; :mod:`torquec.project.read_project` reads it from a file.

Each part is read by one or two steps of the run, so that a change of a part repeats only these steps. None stands for a
part that the file does not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from torquec.codegen.precision import Precision
from torquec.control.uncertainty import Uncertainty
from torquec.identification.identify_options import IdentifyOptions
from torquec.project.law_choice import LawChoice
from torquec.proof.hold.hold_order import HoldOrder
from torquec.robot.robot import Robot
from torquec.simplification.specification import Specification
from torquec.simulation.plant import DryFriction
from torquec.trajectory import Trajectory


@dataclass(frozen=True)
class PayloadPart:
    """A point mass [kg] on a frame, its centre there [m]."""

    frame: str
    mass: float
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class IdentifyPart:
    """The logs to fit and those that are only predicted, what their columns mean, and how to fit.

    A log is a file or the word `simulated`.
    """

    logs: tuple[Path, ...]
    validate: tuple[Path, ...] = ()
    log_map: Path | None = None
    options: IdentifyOptions = field(default_factory=IdentifyOptions)


@dataclass(frozen=True)
class SimplifyPart:
    """Time limit of the search for a simpler model [s]; None for no limit."""

    seconds: float | None = None


@dataclass(frozen=True)
class MotionPart:
    """A motion: a trajectory file, `standard` (the PUMA 560's), or minimum jerk from one position to another."""

    trajectory: str | None = None
    start: tuple[float, ...] | None = None
    to: tuple[float, ...] | None = None
    duration: float = 2.0


@dataclass(frozen=True)
class ExperimentPart:
    """A simulation: its name, its motion if not the project's, the true plant, and the sensors.

    `payload`: unknown to the controller. With `runs` above one, inertias and friction are scattered by `spread`.
    `resolution` of encoders [rad or m]; `noise` [rad or m] and `delay` [samples] of measured positions. `substeps`:
    integrator steps per sample, None for as many as the robot needs.
    """

    name: str
    motion: MotionPart | None = None
    payload: tuple[PayloadPart, ...] = ()
    friction: DryFriction = DryFriction.STICK
    effort: float = 1.0
    resolution: float = 0.0
    noise: float = 0.0
    delay: int = 0
    substeps: int | None = None
    runs: int = 1
    spread: float = 0.05


@dataclass(frozen=True)
class RealtimePart:
    """The two-rate structure: its background period [s], None for the recommended one, and latency [s].

    `seconds`: time limit of the bounds on the hold error, None for no limit.
    """

    period: float | None = None
    latency: float = 0.0
    order: HoldOrder = HoldOrder.FIRST
    seconds: float | None = None


@dataclass(frozen=True)
class GeneratePart:
    """Targets to write, and the precision of their code; `rt-c` is the two-rate package."""

    targets: tuple[str, ...] = ("c",)
    precision: Precision = Precision.DOUBLE
    update: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Project:
    """A whole project: its file, the robot with its payloads and locked joints, and the parts of the run.

    `files` are all files that were named, by their names in the project file; `motion` belongs to `design` and to the
    experiments without a motion of their own. `uncertainty`: the sets that the guarantee of the design is for.
    """

    source: Path
    text: str
    robot: Robot
    robot_file: Path | None
    seed: int = 0
    identify: IdentifyPart | None = None
    specification: Specification | None = None
    simplify: SimplifyPart = SimplifyPart()
    motion: MotionPart | None = None
    design: LawChoice | None = None
    uncertainty: Uncertainty | None = None
    experiments: tuple[ExperimentPart, ...] = ()
    realtime: RealtimePart | None = None
    generate: GeneratePart = GeneratePart()
    files: Mapping[str, Path] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the project: its file name without the suffix."""
        return self.source.stem


def experiment_folder(name: str) -> str:
    """The name of an experiment's folder."""
    return name.replace(" ", "_")


def project_motion(part: MotionPart, robot: Robot, period: float) -> Trajectory:
    """The motion of a part; raises `ArgumentError` if it does not fit this robot or leaves its limits."""
    from torquec.trajectory import check_limits, minimum_jerk, puma560_standard_trajectory, read_trajectory

    if part.to is not None:
        start = (0.0,) * robot.n if part.start is None else part.start
        motion = minimum_jerk(start, part.to, part.duration, joints=robot.joint_names, period=period)
    elif part.trajectory == STANDARD:
        motion = puma560_standard_trajectory(period=period)
    else:
        motion = read_trajectory(str(part.trajectory), joints=robot.joint_names, period=period)
    check_limits(robot, motion)
    return motion


def design_motion(project: Project) -> Trajectory | None:
    """The motion along which the law is evaluated."""
    if project.motion is None or project.design is None:
        return None
    return project_motion(project.motion, project.robot, project.design.period)


STANDARD = "standard"
"""The word for Clover's trajectory of the PUMA 560."""
STANDARD_ROBOT = "puma560"
