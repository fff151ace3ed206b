"""Options of identification: method, fixed settings, settings left to cross-validation, reading of logs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.choice import chosen
from torquec.identification.estimators.estimator import Needs, Weighting
from torquec.identification.estimators.method import Method
from torquec.identification.estimators.model_choice import STRENGTHS, Freedom
from torquec.identification.logs.prepare import Derivatives
from torquec.identification.torque.friction_law import FrictionLaw, FrictionModel
from torquec.identification.torque.torque_columns import TorqueColumn
from torquec.identification.torque.torque_model import torque_model
from torquec.robot.robot import Robot


class Reading(StrEnum):
    """How much of a log is in memory: all of it, a piece at a time, or chosen by the expected memory."""

    BY_MEMORY = "by memory"
    WHOLE = "whole"
    PIECES = "pieces"


@dataclass(frozen=True)
class IdentifyOptions:
    """Options of `identify`.

    None leaves a choice to cross-validation (`friction`, `rotors`, `strength`) or to the data (`cutoff` [Hz]).
    `columns` are further torques of the user, `transmission` (motors, n) describes motors that turn with several
    joints. `partial` continues where the logs excite only a part of the parameters. `slowest` [rad/s or m/s] and
    `derivatives` are those of `prepare`; samples at rest are left out of the fit alone, not of validation logs. Rows of
    a joint slower than `standstill` [rad/s or m/s] are left out of the fit: stiction is not a function of the state
    (zero keeps all rows, and so does friction with memory). `reading` is how logs are read, `piece_rows` the number of
    samples of a piece. With `memory`, friction with presliding displacement (Dahl) is tried, too, and chosen where it
    is clearly better on held-out parts; programs then have a state, and MJCF gets a fit without it. `fit_gravity`
    also fits the direction of gravity, not its magnitude.

    Raises `ArgumentError` for invalid numbers and unknown choices.
    """

    method: Method = Method.CONSISTENT
    friction: FrictionLaw | FrictionModel | None = None
    cutoff: float | None = None
    rotors: bool | None = None
    strength: float | None = None
    columns: tuple[TorqueColumn, ...] = ()
    transmission: tuple[tuple[float, ...], ...] | None = None
    partial: bool = False
    slowest: float = 0.0
    standstill: float = 0.02
    derivatives: Derivatives = Derivatives.DIFFERENCES
    reading: Reading = Reading.BY_MEMORY
    piece_rows: int = 16384
    memory: bool = True
    fit_gravity: bool = False

    def __post_init__(self) -> None:
        kinds: tuple[tuple[str, type[StrEnum]], ...] = (
            ("method", Method),
            ("derivatives", Derivatives),
            ("reading", Reading),
        )
        for name, kind in kinds:
            object.__setattr__(self, name, chosen(kind, getattr(self, name), name))
        if isinstance(self.friction, str):
            object.__setattr__(self, "friction", chosen(FrictionModel, self.friction, "friction model"))
        for name, least in (
            ("strength", 0.0),
            ("slowest", 0.0),
            ("standstill", 0.0),
            ("cutoff", np.finfo(float).tiny),
            ("piece_rows", 1),
        ):
            value = getattr(self, name)
            if value is not None and not least <= value < np.inf:
                word = "more than zero" if least else "zero or more"
                raise ArgumentError(f"{name} is {value}", remedy=f"give {word}")

    @property
    def needing_whole_logs(self) -> tuple[str, ...]:
        """The options that need all samples of a log at once."""
        asked = {
            f"the method '{self.method}'": self.method.needs is not Needs.FACTORS,
            "smoothing splines": self.derivatives is not Derivatives.DIFFERENCES,
            "leaving out what is slow": self.slowest > 0.0,
        }
        return tuple(what for what, needed in asked.items() if needed)


def freedom_of(robot: Robot, options: IdentifyOptions) -> Freedom:
    """The search space that the options leave to cross-validation."""
    transmission = None if options.transmission is None else np.array(options.transmission)
    prior = options.method.needs_prior
    rotor_choices = (False, True) if options.rotors is None else (options.rotors,)
    models = tuple(
        torque_model(
            robot,
            friction=FrictionModel.OFFSET if options.friction is None else options.friction,
            rotors=rotors,
            transmission=transmission,
            columns=options.columns,
        )
        for rotors in rotor_choices
    )
    strengths = (0.0,) if not prior else STRENGTHS if options.strength is None else (options.strength,)
    weightings = tuple(Weighting) if prior else (Weighting.JOINT,)
    return Freedom(models, options.friction is None, strengths, weightings, memory=options.memory)
