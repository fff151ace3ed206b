"""Choice of a control law on the command line or in a project file, and its controller."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torquec.errors import ArgumentError
from torquec.foundation.choice import chosen

if TYPE_CHECKING:
    from torquec.closedform.fourier import Rule
    from torquec.control.controller import Controller
    from torquec.control.law_options import ControllerOptions, LawKind, LqrWeights
    from torquec.control.model_terms import FrictionCompensation
    from torquec.control.poles import JointPoles
    from torquec.model.model import Model
    from torquec.robot.robot import Robot
    from torquec.trajectory import Trajectory

DEFAULT_RATE = 500.0

_TAKEN_AS = {
    "abbreviated": "rule",
    "poles": "poles",
    "sampled": "sampled",
    "evaluation": "evaluation",
    "weights": "weights",
    "friction_at": "friction",
}
"""Names of a law's options by the field of the choice that sets them."""


@dataclass(frozen=True, kw_only=True)
class LawChoice:
    """A control law and its options; None is the law's own default.

    `poles` is a text, as in '-12+45j' or one for each joint with commas; `rate` is calls per second; `weights` is
    POSITION,SPEED[,TORQUE], the tolerable values of LQR; `option` holds further options of the law as NAME=VALUE;
    `effort` is the usable fraction of the torque limits.
    """

    controller: str | None = None
    poles: str | None = None
    rate: float | None = None
    sampled: bool = False
    evaluation: str | None = None
    friction_at: str | None = None
    abbreviated: bool = False
    threshold: float | None = None
    weights: str | None = None
    option: list[str] | None = None
    saturate: bool = False
    effort: float = 1.0

    @property
    def period(self) -> float:
        """The sampling interval [s]; raises `ArgumentError` for a rate that is not positive."""
        rate = DEFAULT_RATE if self.rate is None else self.rate
        if not 0.0 < rate < math.inf:
            raise ArgumentError(f"--rate {rate:g}", remedy="give a positive number of calls per second")
        return 1.0 / rate

    @property
    def rule(self) -> Rule | None:
        """Abbreviation of the model; None for the whole model."""
        from torquec.closedform.fourier import CLOVER

        if not self.abbreviated:
            if self.threshold is not None:
                raise ArgumentError("--threshold without --abbreviated", remedy="add --abbreviated")
            return None
        return CLOVER if self.threshold is None else dataclasses.replace(CLOVER, threshold=self.threshold)

    @property
    def kind(self) -> LawKind:
        """The chosen law, or the default."""
        from torquec.control.law_options import LawKind
        from torquec.control.laws import USUAL_LAW

        return chosen(LawKind, self.controller or USUAL_LAW, "controller")

    def pairs(self, robot: Robot) -> JointPoles:
        """The poles of every joint."""
        from torquec.control.laws import USUAL_POLES
        from torquec.control.poles import joint_poles

        found = USUAL_POLES if self.poles is None else parse_poles(self.poles)
        return joint_poles(robot.joint_names, found * robot.n if isinstance(found, list) and len(found) == 1 else found)


def asked_law(
    model: Model, kind: LawKind, options: LawChoice, *, at: Sequence[float], motion: Trajectory | None
) -> Controller:
    """The controller of a kind; independent joints have the inertias of the position `at` (n,).

    Raises `ArgumentError` for options that the law does not use.
    """
    from torquec.control.law_options import LawKind
    from torquec.control.laws import make_law

    made_with = _law_options(model.robot, kind, options, at)
    if kind is LawKind.LQR and motion is None:
        raise ArgumentError("LQR gains belong to a trajectory", remedy="give one: --trajectory motion.csv")
    return make_law(model, kind, made_with, trajectory=motion)


def check_law(robot: Robot, options: LawChoice) -> None:
    """Raise `ArgumentError` for options that the law does not use, without making it."""
    _law_options(robot, options.kind, options, (0.0,) * robot.n)


def _law_options(robot: Robot, kind: LawKind, options: LawChoice, at: Sequence[float]) -> ControllerOptions:
    from torquec.control import laws
    from torquec.control.law_options import ControllerOptions, LawKind, finite_limits, with_words
    from torquec.control.model_terms import Evaluation

    for name in unused_options(kind, options):  # none is silently ignored
        flag = f"--{name.replace('_', '-')}"
        raise ArgumentError(f"{kind} does not use {flag}", remedy=f"leave out {flag}")
    share = options.effort
    if not 0.0 < share < math.inf:
        raise ArgumentError(f"--effort {share:g}", remedy="give a positive share of the limits, as in --effort 0.5")
    given: dict[str, Any] = {
        "period": options.period,
        "sampled": options.sampled,
        "evaluation": options.evaluation and chosen(Evaluation, options.evaluation, "evaluation"),
        "friction": compensated_friction(options),
        "rule": options.rule,
        "posture": tuple(at),
    }
    if laws.LAWS[kind].has_poles:
        given["poles"] = [(pair.first, pair.second) for pair in options.pairs(robot).pairs]
    if kind is LawKind.LQR:
        given["weights"] = lqr_weights(robot, options.weights)
    known = {name: value for name, value in given.items() if name in laws.LAWS[kind].takes}
    if options.saturate or share < 1.0:
        known["efforts"] = finite_limits([share * joint.limits.effort for joint in robot.joints])
    return with_words(ControllerOptions(**known), options.option or ())


def law_gains(model: Model, kind: LawKind, options: LawChoice, at: Sequence[float]) -> dict[str, dict[str, float]]:
    """The constant gains of a law by joint: per unit of acceleration, or torques for independent joints."""
    from torquec.control.independent_joint import gains_from_poles
    from torquec.control.law_options import ControllerOptions, LawKind, with_words
    from torquec.control.laws import LAWS, usual_integral_pole
    from torquec.control.poles import error_feedback
    from torquec.control.robust_computed_torque import RobustTerm

    robot = model.robot
    if not LAWS[kind].has_poles:
        return {}
    poles = options.pairs(robot)
    if kind in (LawKind.PD, LawKind.PID):
        slowest = None if kind is LawKind.PD else usual_integral_pole(poles)
        pairs = [(pair.first, pair.second) for pair in poles.pairs]
        found = gains_from_poles(model, pairs, at, integral_pole=slowest)
        columns = {"position": found.position, "speed": found.speed, "integral": found.integral}
    elif kind is LawKind.ROBUST:
        words = with_words(ControllerOptions(), options.option or [])
        inside = RobustTerm.usual(poles, words.amplitude, words.layer).feedback(poles)
        columns = {"stiffness": inside.stiffness, "damping": inside.damping, "integral": inside.integral or ()}
    else:
        feedback = error_feedback(poles, period=options.period, sampled=options.sampled)
        columns = {"stiffness": feedback.stiffness, "damping": feedback.damping}
    return {
        joint: {name: float(values[k]) for name, values in columns.items() if len(values)}
        for k, joint in enumerate(robot.joint_names)
    }


def lqr_weights(robot: Robot, text: str | None) -> LqrWeights:
    """LQR weights: one over the square of the tolerable value, the same for all joints."""
    from torquec.control.laws import usual_weights

    if text is None:
        return usual_weights(robot)
    values = _numbers(text, "--weights")
    if len(values) not in (2, 3) or not all(value > 0.0 for value in values):
        raise ArgumentError(f"--weights {text}", remedy="give two or three positive numbers: --weights 0.001,0.01,20")
    return usual_weights(robot, (values[0], values[1]), values[2] if len(values) == 3 else None)


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
                f"--poles: '{word}' is not a pole", remedy="write it as -12+45j, a pair as -3/-4"
            ) from None
        return found[0] if len(found) == 1 else found

    words = text.split(",")
    return one(words[0]) if len(words) == 1 and "/" not in text else [one(word) for word in words]


def compensated_friction(options: LawChoice) -> FrictionCompensation | None:
    """The friction compensation of a law; None for its default."""
    from torquec.control.model_terms import FrictionAt, FrictionCompensation

    if options.friction_at is None:
        return None
    return FrictionCompensation(chosen(FrictionAt, options.friction_at, "speed for friction"))


def unused_options(kind: LawKind, options: LawChoice) -> tuple[str, ...]:
    """The given fields of a choice that the law does not use."""
    from torquec.control.laws import LAWS

    takes = LAWS[kind].takes
    return tuple(name for name, what in _TAKEN_AS.items() if getattr(options, name) and what not in takes)


def _numbers(text: str, option: str) -> tuple[float, ...]:
    """The numbers of a list with commas."""
    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        raise ArgumentError(f"{option} {text}", remedy="write numbers with commas between them") from None
