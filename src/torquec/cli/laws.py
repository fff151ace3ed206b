"""Control laws from the command line: the options that `design` and `simulate` share, and the law that they ask for."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.command import CommandOptions
from torquec.cli.options import numbers
from torquec.errors import ArgumentError
from torquec.foundation.choice import chosen

if TYPE_CHECKING:
    from torquec.closedform.rule import Rule
    from torquec.control.controller import Controller
    from torquec.control.lqr import LqrWeights
    from torquec.control.model_terms import FrictionCompensation
    from torquec.control.poles import JointPoles
    from torquec.model.model import Model
    from torquec.robot.robot import Robot
    from torquec.trajectory import Trajectory

DEFAULT_RATE = 500.0
_TOLERABLE = "0.001,0.01"
"""Of LQR: a milliradian (millimetre), ten times that per second; the torque is the drive's limit."""
_LARGEST_EFFORT = 1e3
"""What stands for the limit of a drive that has none [Nm]."""


class LawKind(StrEnum):
    """The controllers that can be designed."""

    POLE_PLACEMENT = "pole-placement"
    COMPUTED_TORQUE = "computed-torque"
    DIAGONAL = "diagonal"
    PD = "pd"
    PID = "pid"
    LQR = "lqr"
    OPEN_LOOP = "open-loop"
    OPEN_LOOP_GRAVITY = "open-loop-gravity"

    @property
    def has_poles(self) -> bool:
        """Whether its feedback is made from poles."""
        return self not in (LawKind.LQR, LawKind.OPEN_LOOP, LawKind.OPEN_LOOP_GRAVITY)

    @property
    def places_poles(self) -> bool:
        """Whether the linear loop has these poles exactly where the model is right: it has root loci."""
        return self in (LawKind.POLE_PLACEMENT, LawKind.COMPUTED_TORQUE)


@dataclass(frozen=True, kw_only=True)
class LawOptions(CommandOptions):
    """Which law, and how it is made."""

    controller: Annotated[LawKind | None, typer.Option(help="Which law.", show_default=False)] = None
    poles: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Poles [1/s]: one for all joints, or one each; a conjugate is added; a/b is a pair.  "
            "[default: -12+45j]",
        ),
    ] = None
    rate: Annotated[
        float | None, typer.Option(metavar="HZ", help="How often the controller is called.  [default: 500]")
    ] = None
    sampled: Annotated[
        bool, typer.Option("--sampled", help="Place poles for this rate, not for a continuous controller.")
    ] = False
    evaluation: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Where computed torque evaluates the model: reference or measured.  [default: reference]",
        ),
    ] = None
    friction_at: Annotated[
        str | None,
        typer.Option(
            metavar="SPEED",
            help="Friction is compensated at this speed: nothing, reference, measured.  [default: reference; nothing "
            "for pd and pid]",
        ),
    ] = None
    abbreviated: Annotated[
        bool, typer.Option("--abbreviated", help="Use the abbreviated model (Clover's rule): fewer operations.")
    ] = False
    threshold: Annotated[
        float | None,
        typer.Option(metavar="X", help="With --abbreviated: drop coefficients below X (SI units).  [default: 0.01]"),
    ] = None
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="POSITION,SPEED[,TORQUE]",
            help="Of LQR: errors and torques that are tolerable (rad or m, per second, Nm or N).  "
            f"[default: {_TOLERABLE} and the limits of the drives]",
        ),
    ] = None
    saturate: Annotated[bool, typer.Option("--saturate", help="Limit torques to what the robot's file allows.")] = False
    effort: Annotated[
        float,
        typer.Option(metavar="SHARE", help="This share of the torque limits only, as a fuse; below 1 it saturates."),
    ] = 1.0

    @property
    def period(self) -> float:
        """The sampling interval [s]; raises `ArgumentError` for a rate that is not positive."""
        rate = DEFAULT_RATE if self.rate is None else self.rate
        if not 0.0 < rate < math.inf:
            raise ArgumentError(f"--rate {rate:g}", remedy="give a positive number of calls per second")
        return 1.0 / rate

    @property
    def rule(self) -> Rule | None:
        """How the model is abbreviated, if it is."""
        from torquec.closedform.rule import CLOVER

        if not self.abbreviated:
            if self.threshold is not None:
                raise ArgumentError("--threshold without --abbreviated", remedy="add --abbreviated")
            return None
        return CLOVER if self.threshold is None else dataclasses.replace(CLOVER, threshold=self.threshold)

    def pairs(self, robot: Robot) -> JointPoles:
        """The poles of every joint."""
        from torquec.control.poles import joint_poles

        found = parse_poles("-12+45j" if self.poles is None else self.poles)
        return joint_poles(robot.joint_names, found * robot.n if isinstance(found, list) and len(found) == 1 else found)


def make_law(
    model: Model,
    kind: LawKind,
    options: LawOptions,
    *,
    at: Sequence[float],
    motion: Trajectory | None,
) -> Controller:
    """The controller of a kind; independent joints have the inertias of the position `at` (n,).

    Raises `ArgumentError` for options that the kind has no use for.
    """
    _refuse_unused(kind, options)
    law = _made(model, kind, options, at, motion)
    share = options.effort
    if not 0.0 < share < math.inf:
        raise ArgumentError(f"--effort {share:g}", remedy="give a positive share of the limits, as in --effort 0.5")
    if not options.saturate and share >= 1.0:
        return law
    from torquec.control.actuator_limits import with_actuator_limits

    return with_actuator_limits(law, with_efforts(model.robot, share))


def _made(
    model: Model, kind: LawKind, options: LawOptions, at: Sequence[float], motion: Trajectory | None
) -> Controller:
    from torquec.control.computed_torque import computed_torque, diagonal_computed_torque
    from torquec.control.independent_joint import Feedforward, feedforward_torque, gains_from_poles, independent_joint
    from torquec.control.lqr import lqr
    from torquec.control.model_terms import Evaluation
    from torquec.control.pole_placement import pole_placement

    period, sampled, friction = options.period, options.sampled, _friction(kind, options)
    evaluation = chosen(Evaluation, options.evaluation or "reference", "evaluation")
    if kind in (LawKind.OPEN_LOOP, LawKind.OPEN_LOOP_GRAVITY):
        return feedforward_torque(model, online_gravity=kind is LawKind.OPEN_LOOP_GRAVITY, friction=friction)
    if kind is LawKind.LQR:
        if motion is None:
            raise ArgumentError("LQR gains belong to a trajectory", remedy="give one: --trajectory motion.csv")
        return lqr(model, motion, lqr_weights(model.robot, options.weights), friction=friction)
    poles = options.pairs(model.robot)
    pairs = [(pair.first, pair.second) for pair in poles.pairs]
    match kind:
        case LawKind.POLE_PLACEMENT:
            return pole_placement(model, pairs, period=period, sampled=sampled, rule=options.rule, friction=friction)
        case LawKind.COMPUTED_TORQUE:
            return computed_torque(
                model,
                pairs,
                period=period,
                sampled=sampled,
                rule=options.rule,
                evaluation=evaluation,
                friction=friction,
            )
        case LawKind.DIAGONAL:
            return diagonal_computed_torque(
                model, pairs, period=period, sampled=sampled, evaluation=evaluation, friction=friction
            )
        case _:
            slowest = None if kind is LawKind.PD else max(pole.real for pole in poles.values) / 4.0
            gains = gains_from_poles(model, pairs, at, integral_pole=slowest)
            return independent_joint(model, gains, period=period, feedforward=Feedforward.GRAVITY, friction=friction)


def law_gains(model: Model, kind: LawKind, options: LawOptions, at: Sequence[float]) -> dict[str, dict[str, float]]:
    """The constant gains of a law by joint: per unit of acceleration, or torques for independent joints."""
    from torquec.control.independent_joint import gains_from_poles
    from torquec.control.poles import error_feedback

    robot = model.robot
    if not kind.has_poles:
        return {}
    poles = options.pairs(robot)
    if kind in (LawKind.PD, LawKind.PID):
        slowest = None if kind is LawKind.PD else max(pole.real for pole in poles.values) / 4.0
        pairs = [(pair.first, pair.second) for pair in poles.pairs]
        found = gains_from_poles(model, pairs, at, integral_pole=slowest)
        columns = {"position": found.position, "speed": found.speed, "integral": found.integral}
    else:
        feedback = error_feedback(poles, period=options.period, sampled=options.sampled)
        columns = {"stiffness": feedback.stiffness, "damping": feedback.damping}
    return {
        joint: {name: float(values[k]) for name, values in columns.items() if len(values)}
        for k, joint in enumerate(robot.joint_names)
    }


def lqr_weights(robot: Robot, text: str | None) -> LqrWeights:
    """Weights from what is tolerable: one over its square, the same for all joints."""
    from torquec.control.lqr import LqrWeights

    values = numbers(_TOLERABLE if text is None else text, "--weights")
    if len(values) not in (2, 3) or not all(value > 0.0 for value in values):
        raise ArgumentError(f"--weights {text}", remedy="give two or three positive numbers: --weights 0.001,0.01,20")
    efforts = [values[2] if len(values) == 3 else min(joint.limits.effort, _LARGEST_EFFORT) for joint in robot.joints]
    position, speed = (1.0 / value**2 for value in values[:2])
    return LqrWeights((position,) * robot.n, (speed,) * robot.n, tuple(1.0 / effort**2 for effort in efforts))


def with_efforts(robot: Robot, share: float) -> Robot:
    """The robot whose drives give only this share of their torque.

    >>> from torquec.robot import classics
    >>> arm = classics.puma560()
    >>> with_efforts(arm, 0.5).joints[0].limits.effort / arm.joints[0].limits.effort
    0.5
    """
    if share == 1.0:
        return robot
    bodies = []
    for body in robot.bodies:
        limits = dataclasses.replace(body.joint.limits, effort=share * body.joint.limits.effort)
        bodies.append(dataclasses.replace(body, joint=dataclasses.replace(body.joint, limits=limits)))
    return dataclasses.replace(robot, bodies=tuple(bodies))


def parse_poles(text: str) -> Any:
    """Poles as the command line writes them: '-12+45j', '-12+45j,-3/-4,..'; one pair is for all joints.

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


def _friction(kind: LawKind, options: LawOptions) -> FrictionCompensation:
    from torquec.control.model_terms import FrictionAt, FrictionCompensation

    usual = FrictionAt.NOTHING if kind in (LawKind.PD, LawKind.PID) else FrictionAt.REFERENCE
    return FrictionCompensation(chosen(FrictionAt, options.friction_at or usual, "speed for friction"))


def _refuse_unused(kind: LawKind, options: LawOptions) -> None:
    """No option is silently ignored."""
    if options.abbreviated and not kind.places_poles:
        raise ArgumentError(f"{kind} has no abbreviated form", remedy="leave out --abbreviated")
    unused = {
        "--poles": options.poles is not None and not kind.has_poles,
        "--sampled": options.sampled and kind in (LawKind.PD, LawKind.PID, LawKind.LQR),
        "--evaluation": options.evaluation is not None and kind not in (LawKind.COMPUTED_TORQUE, LawKind.DIAGONAL),
        "--weights": options.weights is not None and kind is not LawKind.LQR,
    }
    for option, wrong in unused.items():
        if wrong:
            raise ArgumentError(f"{kind} has no use for {option}", remedy=f"leave out {option}")
