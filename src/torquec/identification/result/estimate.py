"""`Estimate`: identified parameters, their uncertainty, and the robot and compiled model with these parameters.

(1)  bodies, friction with all its terms and counterbalances are put into a `Robot`, which is the basis of models,
     generated code and files; an estimate of base parameters alone gets consistent bodies with these base parameters
     (`realization`)
(2)  recorded columns, which have no formula, are not part of the robot; friction with presliding displacement has its
     memory in `friction_step` and `total_torque_step` (:mod:`torquec.dynamics.friction_memory`)

`identified_model` compiles the robot of (1), with parameters, covariance and fit attached.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from torquec.dynamics.friction_torque import Shaft
from torquec.foundation.arrays import Array
from torquec.foundation.notebook_display import NotebookDisplay
from torquec.identification.estimators.estimator import Status
from torquec.identification.estimators.prior_estimators import least_values
from torquec.identification.estimators.pseudo_inertia import WIDTH
from torquec.identification.estimators.statistics import CONFIDENCE, correlations
from torquec.identification.result.realization import Realization, realize
from torquec.identification.result.verdict import Parameter, Promise, Verdict
from torquec.identification.torque.friction_law import FrictionLaw
from torquec.identification.torque.torque_columns import GasSpring
from torquec.identification.torque.torque_model import TorqueModel
from torquec.model.model import Model, ModelKind
from torquec.model.model_parameters import ModelParameters, ParameterFit
from torquec.model.residual_bound import ResidualBound
from torquec.robot.friction import Friction
from torquec.robot.robot import Drives, Motor, Robot
from torquec.spatial import Inertia

QUANTITY = "total_torque"


def identified_model(estimate: Estimate) -> Model:
    """The compiled robot of an estimate (1), with its parameters and covariance: for code, control and simulation."""
    return Model(estimate.robot, kind=ModelKind.IDENTIFIED, parameters=estimate_parameters(estimate))


def not_in_code(estimate: Estimate) -> tuple[str, ...]:
    """The parts of an estimate that its model does not contain (2)."""
    return estimate.unbound


def estimate_parameters(estimate: Estimate) -> ModelParameters:
    """The parameters x (k,) of an estimate by name, with covariance (k, k) and fit."""
    spread = 0.5 * (estimate.covariance + estimate.covariance.T)
    prior = "" if estimate.strength is None else f", drawn to the prior with weight {estimate.strength:g}"
    fit = ParameterFit(
        estimator=estimate.estimator,
        intervals=f"deviations of the block jackknife or of the estimator, correlations of the estimator{prior}",
        status=str(estimate.status),
        verdict=str(estimate.verdict),
        relative_error=float(estimate.relative_error),
        validation_error=None if math.isnan(estimate.validation_error) else float(estimate.validation_error),
    )
    return ModelParameters(
        tuple(estimate.names),
        tuple(estimate.x.tolist()),
        tuple(tuple(row) for row in spread.tolist()),
        fit,
        estimate.residual or None,
    )


_ROUNDING = 1e-12  # of a coefficient that the solver holds at zero


@dataclass(frozen=True)
class LogError:
    """How well one log is predicted: root mean square per joint [Nm], |residual|/|tau|, and the residual's extremes.

    `average`, `std`, `largest` and `smallest` of the residual per joint, as in the tables of Izaguirre et al.;
    `variation` is |tau - its mean|/|tau|, zero at rest.
    """

    file: str
    rmse: dict[str, float]
    relative_error: float
    average: dict[str, float]
    std: dict[str, float]
    largest: dict[str, float]
    smallest: dict[str, float]
    variation: float = 1.0


@dataclass(frozen=True, eq=False)
class Estimate(NotebookDisplay):
    """Result of `identify`. `x` (k,) are the model's parameters, `standard` (p + f,) the full set, x = Pi standard.

    `relative_error` is over all logs that were fitted, `validation_error` that of cross-validation; `strength` is the
    weight of the prior, or None without one; `status` is how the fit ended. `promise` is the expected error on
    another motion, `residual` a bound on the torque residual of each joint. 1.96 times `std` (k,) is the half width of
    a 95 % interval. `sampling_std` (k,) are standard deviations without the prior's own error: two fits with one prior
    differ by these, since they share its error.
    """

    model: TorqueModel
    x: Array
    covariance: Array
    standard: Array | None
    parameters: tuple[Parameter, ...]
    training: tuple[LogError, ...]
    validation: tuple[LogError, ...]
    relative_error: float
    validation_error: float
    condition: float
    unit_condition: float
    physically_consistent: bool
    estimator: str
    strength: float | None
    cutoff: float
    verdict: Verdict
    promise: Promise
    status: Status = Status.SOLVED
    notes: tuple[str, ...] = ()
    residual: tuple[ResidualBound, ...] = ()
    sampling_std: Array | None = None

    def __repr__(self) -> str:
        return (
            f"Estimate('{self.model.robot.name}', {len(self.parameters)} parameters, relative error "
            f"{self.relative_error:.2%}, {self.estimator})"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of x."""
        return self.model.names

    @property
    def std(self) -> Array:
        """Standard deviations (k,)."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @property
    def rmse(self) -> dict[str, float]:
        """Root mean square residual by joint [Nm] over the fitted logs."""
        joints = self.model.robot.joint_names
        return {joint: float(np.sqrt(np.mean([error.rmse[joint] ** 2 for error in self.training]))) for joint in joints}

    @property
    def unbound(self) -> tuple[str, ...]:
        """Recorded columns, which have no formula and are not part of the robot (2)."""
        return tuple(column.name for column in self.model.columns if not isinstance(column, GasSpring))

    @property
    def robot(self) -> Robot:
        """The robot with the identified inertias, rotors and friction (1)."""
        return bind_parameters(self.model, self.standard_parameters)

    @cached_property
    def realization(self) -> Realization:
        """Bodies, rotors and friction with parameters x, and whether they are physically consistent."""
        if self.standard is not None:
            return Realization(self.standard, self.physically_consistent)
        return realize(self.model, self.x)

    @property
    def is_buildable(self) -> bool:
        """Whether the parameters are physically consistent: realizable bodies, no negative rotor or friction."""
        found = self.realization
        least = least_values(found.standard, self.model.not_negative, self.model.powers)
        return found.physically_consistent and bool(np.all(found.standard >= least - _ROUNDING))

    @property
    def standard_parameters(self) -> Array:
        """(phi, f): as estimated; for an estimate of base parameters alone, those nearest to the robot's own."""
        return self.realization.standard

    @property
    def confidence(self) -> Array:
        """95 % intervals (k, 2)."""
        reach = CONFIDENCE * self.std
        return np.column_stack([self.x - reach, self.x + reach])

    def strong_correlations(self, least: float = 0.9) -> list[tuple[str, str, float]]:
        """Pairs of parameters with a correlation of `least` or more, the strongest first: one of each is redundant."""
        table = correlations(self.covariance)
        first, second = np.triu_indices(len(table), 1)
        chosen = [k for k in np.argsort(-np.abs(table[first, second])) if abs(table[first[k], second[k]]) >= least]
        return [(self.names[first[k]], self.names[second[k]], float(table[first[k], second[k]])) for k in chosen]


def bind_parameters(model: TorqueModel, standard: Array) -> Robot:
    """The robot of a model with the standard parameters (p + f,) in place of its own: bodies, rotors, friction in all
    its terms, counterbalances.
    """
    robot = model.robot
    count = len(robot.bodies)
    inertias = standard[: WIDTH * count].reshape(-1, WIDTH)
    rotors = standard[WIDTH * count :][: len(robot.drives.motors)]
    values = dict(zip(model.names[len(model.base) :], standard[len(model.standard_names) :].tolist(), strict=True))
    friction = {shaft.name: _friction(shaft, model.friction, values) for shaft in model.shafts}
    bodies = []
    for body, numbers in zip(robot.bodies, inertias, strict=True):
        springs = (column for column in model.columns if isinstance(column, GasSpring))
        joint = dataclasses.replace(
            body.joint,
            friction=friction.get(body.joint.name, Friction()),
            counterbalances=tuple(one.spring(values[one.name]) for one in springs if one.joint == body.joint.name),
        )
        inertia = Inertia(*(float(value) for value in numbers))
        bodies.append(dataclasses.replace(body, joint=joint, inertia=inertia, lacking_inertia=()))
    own = {motor.name: float(value) for motor, value in zip(robot.drives.motors, rotors, strict=True)}
    driven = [shaft for shaft in model.shafts if own or not shaft.is_joint]
    motors = tuple(
        Motor(shaft.name, own.get(shaft.name, 0.0), Friction() if shaft.is_joint else friction[shaft.name])
        for shaft in driven
    )
    return dataclasses.replace(
        robot, bodies=tuple(bodies), drives=Drives(motors, tuple(shaft.row for shaft in driven)), warnings=()
    )


def _friction(shaft: Shaft, law: FrictionLaw, values: dict[str, float]) -> Friction:
    """The friction of a shaft from its columns."""
    fitted = {name: values[f"{name}_{shaft.name}"] for name in law.parameters if f"{name}_{shaft.name}" in values}
    return Friction.of({**fitted, **law.words})
