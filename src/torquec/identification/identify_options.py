"""How to identify: the method, what is given and what cross-validation is to choose."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.errors import ArgumentError
from torquec.identification.estimators.estimator import Estimator, Weighting
from torquec.identification.estimators.least_squares import (
    HuberLeastSquares,
    OrdinaryLeastSquares,
    TotalLeastSquares,
    WeightedLeastSquares,
)
from torquec.identification.estimators.prior import robot_prior
from torquec.identification.estimators.prior_estimators import (
    ConsistentLeastSquares,
    EntropicLeastSquares,
    PriorEstimator,
    RidgeToPrior,
)
from torquec.identification.logs.prepare import Derivatives
from torquec.identification.model_choice import STRENGTHS, Freedom, Make
from torquec.identification.torque.torque_columns import FrictionLaw, FrictionModel, TorqueColumn
from torquec.identification.torque.torque_model import torque_model
from torquec.robot.robot import Robot


class Method(StrEnum):
    """The estimators that `identify` can use."""

    CONSISTENT = "consistent"
    ENTROPIC = "entropic"
    RIDGE = "ridge"
    WEIGHTED = "weighted"
    ORDINARY = "ordinary"
    HUBER = "huber"
    TOTAL = "total"

    @property
    def needs_prior(self) -> bool:
        """Whether it draws to the robot's own inertias."""
        return self in (Method.CONSISTENT, Method.ENTROPIC, Method.RIDGE)


_PLAIN: dict[Method, type[Estimator]] = {
    Method.WEIGHTED: WeightedLeastSquares,
    Method.ORDINARY: OrdinaryLeastSquares,
    Method.HUBER: HuberLeastSquares,
    Method.TOTAL: TotalLeastSquares,
}
_DRAWN: dict[Method, type[PriorEstimator]] = {
    Method.CONSISTENT: ConsistentLeastSquares,
    Method.ENTROPIC: EntropicLeastSquares,
    Method.RIDGE: RidgeToPrior,
}


@dataclass(frozen=True)
class IdentifyOptions:
    """How to identify. None leaves a choice to cross-validation (`friction`, `rotors`, `strength`) or to the data
    (`cutoff`); `partial` goes on where the logs excite only a part of the parameters. `slowest` and `derivatives` are
    those of `prepare`; what rests is left out of the fit alone, not of the logs that are predicted. Raises
    `ArgumentError` for numbers that cannot be.
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
    derivatives: Derivatives = Derivatives.DIFFERENCES

    def __post_init__(self) -> None:
        for name, least in (("strength", 0.0), ("slowest", 0.0), ("cutoff", np.finfo(float).tiny)):
            value = getattr(self, name)
            if value is not None and not least <= value < np.inf:
                word = "more than zero" if least else "zero or more"
                raise ArgumentError(f"{name} is {value}", remedy=f"give {word}")


def freedom_of(robot: Robot, options: IdentifyOptions) -> Freedom:
    """What the options leave open for a robot."""
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
    return Freedom(models, options.friction is None, strengths, tuple(Weighting) if prior else (Weighting.JOINT,))


def maker_of(method: Method) -> Make:
    """How the estimator of a method is made; Huber's weights need rows, so weighted least squares stands in for it."""
    if method.needs_prior:
        drawn, prior = _DRAWN[method], functools.lru_cache(maxsize=8)(robot_prior)
        return lambda model, setting: drawn(prior(model), **dataclasses.asdict(setting))
    plain = WeightedLeastSquares if method is Method.HUBER else _PLAIN[method]
    return lambda _, setting: plain(correlation=setting.correlation)
