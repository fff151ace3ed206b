"""Control laws from the command line: the options that `design` and `simulate` share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from torquec.cli.command import CommandOptions
from torquec.project.law_choice import LawChoice


@dataclass(frozen=True, kw_only=True)
class LawOptions(CommandOptions, LawChoice):
    """Which law, and how it is made."""

    controller: Annotated[str | None, typer.Option(metavar="LAW", help="Which law: {laws}.", show_default=False)] = None
    poles: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Poles [1/s]: one for all joints, or one each; a conjugate is added; a/b is a pair.  "
            "[default: {usual poles}]",
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
            "[default: {tolerable errors} and the limits of the drives]",
        ),
    ] = None
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Another option of the law: {law options}; repeat for more."),
    ] = None
    saturate: Annotated[bool, typer.Option("--saturate", help="Limit torques to what the robot's file allows.")] = False
    effort: Annotated[
        float,
        typer.Option(
            metavar="SHARE", help="Use only this share of the torque limits; below 1, torques saturate there."
        ),
    ] = 1.0
