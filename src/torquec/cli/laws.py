"""Control laws from the command line: the options that `design` and `simulate` share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torquec.cli.command import CommandOptions
from torquec.cli.options import option as command_option
from torquec.project.law_choice import LawChoice

if TYPE_CHECKING:
    from torquec.control.law_options import LawKind
    from torquec.control.observer import Observer
    from torquec.control.recursive_estimator import RecursiveEstimator
    from torquec.control.uncertainty import Uncertainty
    from torquec.model.model import Model
    from torquec.trajectory import Trajectory


@dataclass(frozen=True, kw_only=True)
class LawOptions(CommandOptions, LawChoice):
    """Which law, and how it is made."""

    controller: str | None = command_option(
        None, "Which law: {laws}.  [default: {usual law}]", metavar="LAW", show_default=False
    )
    poles: str | None = command_option(
        None,
        "Poles [1/s]: one for all joints, or one each; a conjugate is added; a/b is a pair.  [default: {usual poles}]",
        metavar="LIST",
    )
    rate: float | None = command_option(None, "How often the controller is called.  [default: 500]", metavar="HZ")
    sampled: bool = command_option(False, "Place poles for this rate, not for a continuous controller.", "--sampled")
    evaluation: str | None = command_option(
        None, "Where computed torque evaluates the model: measured or reference.  [default: measured]", metavar="WHERE"
    )
    friction_at: str | None = command_option(
        None,
        "Friction is compensated at this speed: nothing, reference, measured.  [default: reference; nothing for pd "
        "and pid]",
        metavar="SPEED",
    )
    abbreviated: bool = command_option(
        False, "Use the abbreviated model (Clover's rule): fewer operations.", "--abbreviated"
    )
    threshold: float | None = command_option(
        None, "With --abbreviated: drop coefficients below X (SI units).  [default: 0.01]", metavar="X"
    )
    weights: str | None = command_option(
        None,
        "Of LQR: errors and torques that are tolerable (rad or m, per second, Nm or N).  [default: {tolerable errors} "
        "and the limits of the drives]",
        metavar="POSITION,SPEED[,TORQUE]",
    )
    option: list[str] | None = command_option(
        None, "Another option of the law: {law options}; repeat for more.", metavar="NAME=VALUE"
    )
    saturate: bool = command_option(False, "Limit torques to what the robot's file allows.", "--saturate")
    effort: float = command_option(
        1.0, "Use only this share of the torque limits; below 1, torques saturate there.", metavar="SHARE"
    )


def asked_estimator(model: Model, frame: str, period: float) -> RecursiveEstimator:
    """A recursive estimator of what a frame carries, of the model that a law has."""
    from torquec.control.recursive_estimator import recursive_estimator

    return recursive_estimator(model, frame, period=period, window=max(0.1, 10.0 * period))


def asked_observer(
    model: Model,
    kind: LawKind,
    options: LawChoice,
    motion: Trajectory | None,
    sets: Uncertainty | None,
    *,
    bandwidth: float,
    period: float,
) -> Observer:
    """A momentum observer of the model that a law has, with thresholds where sets are given, along the motion."""
    from torquec.control.observer import momentum_observer
    from torquec.project.promises import law_guarantee

    if sets is None:
        return momentum_observer(model, bandwidth=bandwidth, period=period)
    guarantee = None if motion is None else law_guarantee(model, kind, options, motion, sets)
    return momentum_observer(
        model, bandwidth=bandwidth, period=period, uncertainty=sets, motions=motion, guarantee=guarantee
    )
