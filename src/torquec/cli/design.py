"""`torquec design ROBOT`: a controller with chosen poles, its robustness, and its code."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.linearize import complex_list
from torquec.cli.options import (
    DegreesOption,
    GravityOption,
    JsonOption,
    RobotArgument,
    SnapOption,
    StrictOption,
    joint_values,
    read_robot,
)
from torquec.cli.output import number, print_json, progress, table
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.control.controller import Controller
    from torquec.control.poles import JointPoles
    from torquec.linearization.linearize import LinearModel
    from torquec.robot.robot import Robot
    from torquec.trajectory import Trajectory

EXAMPLE = "torquec design puma560 --poles -12+45j --rate 500 --trajectory standard -o puma560_controller"

_State = Annotated[
    str | None, typer.Option(metavar="LIST", help="The point that is looked at, one value per joint.  [default: 0]")
]


class ControllerKind(StrEnum):
    """The controllers that can be designed."""

    POLE_PLACEMENT = "pole-placement"
    COMPUTED_TORQUE = "computed-torque"
    DIAGONAL = "diagonal"
    PD = "pd"
    PID = "pid"
    LQR = "lqr"


def design(
    robot: RobotArgument,
    poles: Annotated[
        str,
        typer.Option(
            metavar="LIST", help="Poles [1/s]: one for all joints, or one each; a conjugate is added; a/b is a pair."
        ),
    ] = "-12+45j",
    controller: Annotated[ControllerKind, typer.Option(help="Which law.")] = ControllerKind.POLE_PLACEMENT,
    rate: Annotated[float, typer.Option(metavar="HZ", help="How often the controller is called.")] = 500.0,
    sampled: Annotated[
        bool, typer.Option("--sampled", help="Place poles for this rate, not for a continuous controller.")
    ] = False,
    abbreviated: Annotated[
        bool, typer.Option("--abbreviated", help="Use the abbreviated model (Clover's rule): fewer operations.")
    ] = False,
    saturate: Annotated[
        bool, typer.Option("--saturate", help="Limit torques to what the robot's file allows.")
    ] = False,
    trajectory: Annotated[
        str | None,
        typer.Option(
            metavar="CSV", help="Look at the worst point of this motion; 'standard' is the PUMA 560's. LQR needs one."
        ),
    ] = None,
    q: _State = None,
    qd: _State = None,
    qdd: _State = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Write the controller as C and JSON.")
    ] = None,
    pictures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw eigenvalues and root loci (extra plot).")
    ] = None,
    deg: DegreesOption = False,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Design a controller: feedforward and feedback in one function.

    Prints what modelling errors it survives: alpha, beta and gamma are factors on the model's stiffness, damping and
    inertia, for which the sampled loop stays stable.
    """
    from torquec.control.poles import joint_poles
    from torquec.linearization.linearize import linearize

    loaded = read_robot(robot, snap=snap, strict=strict, gravity=gravity)
    if not rate > 0.0:
        raise ArgumentError(f"--rate {rate:g}", remedy="give a positive number of calls per second")
    motion = None if trajectory is None else read_motion(loaded, trajectory, 1.0 / rate)
    wanted = joint_poles(loaded.joint_names, parse_poles(poles))
    point = tuple(
        joint_values(loaded, text, f"--{name}", degrees=deg) for name, text in (("q", q), ("qd", qd), ("qdd", qdd))
    )
    options = LawOptions(1.0 / rate, sampled, abbreviated, point[0])
    progress(f"designing {controller} for {loaded.name} ...")
    law = make(loaded, controller, wanted, options, motion)
    if saturate:
        from torquec.control.actuator_limits import with_actuator_limits

        law = with_actuator_limits(law, loaded)
    model = linearize(loaded, *point)
    document = {
        "controller": controller.value,
        "joints": list(loaded.joint_names),
        "poles": [complex_list((pair.first, pair.second)) for pair in wanted.pairs],
        "period": 1.0 / rate,
        "sampled": sampled,
        "operations": dict(vars(law.operations)),
        **_robustness(loaded, model, wanted, options, controller, motion),
        "files": [],
        "pictures": [],
    }
    if output is not None:
        from torquec.control.controller_file import write_controller

        details = {key: document[key] for key in ("controller", "poles", "sampled")}
        document["files"] = [str(path) for path in write_controller(law, output, prefix=loaded.name, details=details)]
    if pictures is not None:
        document["pictures"] = [str(path) for path in _draw(loaded, model, wanted, pictures)]
    if json:
        print_json(document)
    else:
        typer.echo(_text(loaded, law, document))


def parse_poles(text: str) -> Any:
    """Poles as the command line writes them: '-12+45j', '-12+45j,-3/-4,..'.

    >>> parse_poles("-12+45j"), parse_poles("-1,-3/-4")
    ((-12+45j), [(-1+0j), [(-3+0j), (-4+0j)]])
    """

    def one(word: str) -> Any:
        try:
            found = [complex(part.strip().replace(" ", "")) for part in word.split("/")]
        except ValueError:
            raise ArgumentError(
                f"--poles: '{word}' is no pole", remedy="write it as -12+45j, a pair as -3/-4"
            ) from None
        return found[0] if len(found) == 1 else found

    words = text.split(",")
    return one(words[0]) if len(words) == 1 and "/" not in text else [one(word) for word in words]


def read_motion(robot: Robot, argument: str, period: float) -> Trajectory:
    """The trajectory of a CSV file, or the standard one, within the robot's limits."""
    from torquec.trajectory import check_limits, puma560_standard_trajectory, read_trajectory

    if argument == "standard":
        if robot.name != "puma560":
            raise ArgumentError(
                f"the standard trajectory is the PUMA 560's, not for '{robot.name}'", remedy="give a CSV file"
            )
        motion = puma560_standard_trajectory(period=period)
    else:
        motion = read_trajectory(argument, joints=robot.joint_names, period=period)
    check_limits(robot, motion)
    return motion


class LawOptions:
    """What the laws need beside the robot and the poles."""

    def __init__(self, period: float, sampled: bool, abbreviated: bool, q: tuple[float, ...]) -> None:
        from torquec.closedform.layouts import CLOVER

        self.period, self.sampled, self.q = period, sampled, q
        self.rule = CLOVER if abbreviated else None


def make(
    robot: Robot, kind: ControllerKind, poles: JointPoles, options: LawOptions, motion: Trajectory | None
) -> Controller:
    """The controller of a kind."""
    from torquec.control.computed_torque import computed_torque, diagonal_computed_torque
    from torquec.control.independent_joint import Feedforward, gains_from_poles, independent_joint
    from torquec.control.pole_placement import pole_placement

    pairs = [(pair.first, pair.second) for pair in poles.pairs]
    period, sampled = options.period, options.sampled
    if options.rule is not None and kind not in (ControllerKind.POLE_PLACEMENT, ControllerKind.COMPUTED_TORQUE):
        raise ArgumentError(f"{kind} has no abbreviated form", remedy="leave out --abbreviated")
    match kind:
        case ControllerKind.POLE_PLACEMENT:
            return pole_placement(robot, pairs, period=period, sampled=sampled, rule=options.rule)
        case ControllerKind.COMPUTED_TORQUE:
            return computed_torque(robot, pairs, period=period, sampled=sampled, rule=options.rule)
        case ControllerKind.DIAGONAL:
            return diagonal_computed_torque(robot, pairs, period=period, sampled=sampled)
        case ControllerKind.PD | ControllerKind.PID:
            slowest = None if kind is ControllerKind.PD else max(pole.real for pole in poles.values) / 4.0
            gains = gains_from_poles(robot, pairs, options.q, integral_pole=slowest)
            return independent_joint(robot, gains, period=period, feedforward=Feedforward.GRAVITY)
        case ControllerKind.LQR:
            return _lqr(robot, motion)


def _lqr(robot: Robot, motion: Trajectory | None) -> Controller:
    """Weights from what is tolerable: a milliradian, ten times that per second, and the torque limit."""
    from torquec.control.lqr import LqrWeights, lqr

    if motion is None:
        raise ArgumentError("LQR gains belong to a trajectory", remedy="give one: --trajectory motion.csv")
    efforts = [min(joint.limits.effort, 1e3) for joint in robot.joints]
    weights = LqrWeights((1e6,) * robot.n, (1e4,) * robot.n, tuple(1.0 / effort**2 for effort in efforts))
    return lqr(robot, motion, weights)


def _robustness(
    robot: Robot,
    model: LinearModel,
    poles: JointPoles,
    options: LawOptions,
    kind: ControllerKind,
    motion: Trajectory | None,
) -> dict[str, Any]:
    """Eigenvalues and stability intervals; only laws that place poles have them."""
    from torquec.control.robustness import COMPUTED_TORQUE, EXACT_MODEL, Factor, closed_loop_eigenvalues
    from torquec.control.stability_interval import stability_interval
    from torquec.control.worst_case import worst_case

    if kind not in (ControllerKind.POLE_PLACEMENT, ControllerKind.COMPUTED_TORQUE):
        return {"eigenvalues": [], "robustness": {}}
    period, sampled = options.period, options.sampled
    errors = EXACT_MODEL if kind is ControllerKind.POLE_PLACEMENT else COMPUTED_TORQUE
    document: dict[str, Any] = {
        "eigenvalues": complex_list(
            closed_loop_eigenvalues(model, poles, errors=errors, period=period, sampled=sampled)
        )
    }
    if motion is None:
        found = {
            factor: stability_interval(model, poles, factor, errors=errors, period=period, sampled=sampled)
            for factor in Factor
        }
        document["robustness"] = {factor.value: [i.lower, i.upper] for factor, i in found.items()}
        return document
    worst = worst_case(robot, motion, poles, errors=errors, period=period, sampled=sampled)
    document["robustness"] = {factor.value: [i.lower, i.upper] for factor, i in worst.intervals.items()}
    document["robustness_times"] = {factor.value: list(times) for factor, times in worst.times.items()}
    document["slowest"] = {"rate": worst.slowest, "time": worst.slowest_at}
    return document


def _draw(robot: Robot, model: LinearModel, poles: JointPoles, directory: Path) -> list[Path]:
    from torquec.control.robustness import COMPUTED_TORQUE, Factor, closed_loop_eigenvalues
    from torquec.control.root_locus import root_locus
    from torquec.control.stability_interval import stability_interval
    from torquec.report.eigenvalue_plots import locus_values, plot_eigenvalues, plot_root_locus

    groups = {
        "open loop": model.eigenvalues,
        "pole placement": closed_loop_eigenvalues(model, poles),
        "computed torque": closed_loop_eigenvalues(model, poles, errors=COMPUTED_TORQUE),
    }
    files = [plot_eigenvalues(groups, directory / "eigenvalues.png", title=f"{robot.name}: eigenvalues")]
    for factor in Factor:
        interval = stability_interval(model, poles, factor)
        locus = root_locus(model, poles, factor, locus_values(interval))
        title = f"{robot.name}: root locus of {factor}"
        files.append(plot_root_locus(locus, directory / f"root_locus_{factor}.png", title=title, interval=interval))
    return files


def _text(robot: Robot, law: Controller, document: dict[str, Any]) -> str:
    pairs = [f"{complex(*first):g}, {complex(*second):g}" for first, second in document["poles"]]
    lines = [
        f"{document['controller']} for {robot.name}, called every {document['period']:g} s: {law.operations}",
        "",
        table(["joint", "poles [1/s]"], [list(row) for row in zip(document["joints"], pairs, strict=True)], left=2),
    ]
    if document["robustness"]:
        when = document.get("robustness_times")
        rows = []
        for name, (lower, upper) in document["robustness"].items():
            times = [f"{t:.3g} s" for t in when[name]] if when else []
            rows.append([name, number(lower), number(upper), *times])
        header = ["factor", "above", "below", *(("reached at", "and at") if when else ())]
        lines += ["", "Stable while the model's error stays", table(header, rows)]
        lines += ["", "alpha: stiffness, beta: damping, gamma: inertia (believed over true); - is no limit"]
    written = [*document["files"], *document["pictures"]]
    if written:
        lines += ["", "written:", *(f"  {path}" for path in written)]
    return "\n".join(lines)
