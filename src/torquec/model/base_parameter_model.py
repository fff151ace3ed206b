"""Models in base parameters: inverse dynamics for values beta of the base, whatever bodies they may belong to."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from torquec.dynamics import base_inverse_dynamics, base_mass_matrix
from torquec.errors import ArgumentError, RobotError
from torquec.model.kinds import ModelKind
from torquec.model.model import Model
from torquec.model.model_parameters import ModelParameters, ParameterFit
from torquec.model.quantities import base_of, trace_quantity
from torquec.robot.robot import Robot

_ROUNDING = 1e-12  # of values that are the robot's own but for the order of sums


def base_parameter_model(
    robot: Robot,
    values: Sequence[float] | None = None,
    *,
    covariance: npt.ArrayLike | None = None,
    fit: ParameterFit | None = None,
    threads: int = 1,
) -> Model:
    """The model of a robot's geometry with the values beta (b,) of its base parameters, in the order of their names.

    Without values the robot's own. `covariance` (b, b) and `fit` say what estimated values are worth. The friction and
    the springs are the robot's. Raises `ArgumentError` for the wrong number of values, `RobotError` where the robot has
    no inertias and no values are given.

    >>> from torquec.robot import classics
    >>> base_parameter_model(classics.planar2r()).kind.value
    'base parameters'
    """
    base = base_of(robot)
    given = base.values if values is None else np.asarray(values, dtype=np.float64)
    if given is None:
        raise RobotError(
            f"robot '{robot.name}' has no inertias", where=robot.source, remedy="give the values of its base parameters"
        )
    if given.shape != (len(base),):
        raise ArgumentError(
            f"values of shape {given.shape} for the {len(base)} base parameters of robot '{robot.name}'",
            remedy=f"give one for each of {', '.join(base.names)}",
        )
    beta = [float(value) for value in given]
    spread = None if covariance is None else tuple(tuple(map(float, row)) for row in np.asarray(covariance))
    expansion = base.body_expansion.tolist()
    functions = {
        "inverse_dynamics": trace_quantity(
            robot,
            "inverse_dynamics",
            algorithm=lambda r, q, qd, qdd: base_inverse_dynamics(r, expansion, q, qd, qdd, beta),
        ),
        "mass_matrix": trace_quantity(
            robot, "mass_matrix", algorithm=lambda r, q: base_mass_matrix(r, expansion, q, beta)
        ),
    }
    return Model(
        robot,
        MappingProxyType(functions),
        threads=threads,
        kind=ModelKind.BASE_PARAMETERS,
        parameters=ModelParameters(base.names, tuple(beta), spread, fit),
    )


def are_own_values(robot: Robot, parameters: ModelParameters) -> bool:
    """Whether the values are those of the robot's own bodies, to rounding."""
    base = base_of(robot)
    if base.values is None or parameters.names != base.names:
        return False
    own = np.asarray(base.values)
    return bool(np.abs(own - parameters.values).max(initial=0.0) <= _ROUNDING * np.abs(own).max(initial=0.0))
