"""The methods of `identify` by name: which estimator each stands for, and how it is made for a model and a setting."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from torquec.errors import ArgumentError
from torquec.identification.estimators.estimator import Estimator, Needs
from torquec.identification.estimators.least_squares import (
    DissipativeEstimator,
    HuberLeastSquares,
    InstrumentalVariables,
    OrdinaryLeastSquares,
    TotalLeastSquares,
    WeightedLeastSquares,
)
from torquec.identification.estimators.model_choice import Make, Setting
from torquec.identification.estimators.prior_estimators import (
    AveragedEstimator,
    ConsistentLeastSquares,
    EntropicLeastSquares,
    PriorEstimator,
    RidgeToPrior,
    robot_prior,
)
from torquec.identification.estimators.pseudo_inertia import body_parameters
from torquec.identification.torque.torque_model import TorqueModel
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
    INSTRUMENTAL = "instrumental"

    @property
    def estimator(self) -> type[Estimator]:
        """The class of its estimator."""
        return ESTIMATORS[self]

    @property
    def needs_prior(self) -> bool:
        """Whether it uses the robot's own inertias as a prior."""
        return issubclass(self.estimator, PriorEstimator)

    @property
    def needs(self) -> Needs:
        """What its estimator must be given."""
        return self.estimator.needs


ESTIMATORS: dict[Method, type[Estimator]] = {
    Method.CONSISTENT: ConsistentLeastSquares,
    Method.ENTROPIC: EntropicLeastSquares,
    Method.RIDGE: RidgeToPrior,
    Method.WEIGHTED: WeightedLeastSquares,
    Method.ORDINARY: OrdinaryLeastSquares,
    Method.HUBER: HuberLeastSquares,
    Method.TOTAL: TotalLeastSquares,
    Method.INSTRUMENTAL: InstrumentalVariables,
}


def estimator_maker(method: Method, *, from_factors: bool = False) -> Make:
    """Factory of the estimator of a method; with `from_factors`, of its stand-in that needs only R factors, not rows.

    Estimates of several settings are averaged. With every method, fitted friction is dissipative: coefficients of
    dissipative terms are not negative.
    """
    kind = method.estimator.stand_in() if from_factors else method.estimator
    prior = functools.lru_cache(maxsize=8)(robot_prior)

    def make(model: TorqueModel, settings: Sequence[Setting]) -> Estimator:
        if issubclass(kind, PriorEstimator):
            each = [
                kind(prior(model), strength=one.strength, weighting=one.weighting, correlation=one.correlation)
                for one in settings
            ]
            return each[0] if len(each) == 1 else AveragedEstimator(each)
        not_negative = np.array([part.is_dissipative for part in model.kinds])
        return DissipativeEstimator(functools.partial(kind, correlation=settings[0].correlation), not_negative)

    return make


def check_prior(robot: Robot, method: Method) -> None:
    """Raise `ArgumentError` where the method needs prior inertias that the robot's file does not have."""
    masses = body_parameters(robot)[:, -1]
    lacking = [body.name for body, mass in zip(robot.bodies, masses, strict=True) if not mass > 0.0]
    if method.needs_prior and lacking:
        raise ArgumentError(
            f"the method '{method}' has the robot's own inertias as prior, but '{robot.name}' has no mass for "
            + ", ".join(lacking),
            remedy=f"use --method {Method.WEIGHTED}, which needs none, or give a robot file with all masses",
        )
