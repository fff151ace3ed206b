"""Models that follow a program: in base parameters, abbreviated (Clover), certified by a proof.

A model in base parameters has inverse dynamics for given values beta, which need not belong to physical bodies. A
certified model follows the torque program of its certificate, and the coefficients of a second one where the
certificate proves them. An abbreviated model follows Clover's rule, small terms dropped and the others rounded:

(1)  tau = M qdd + B [qd qd] + D [qd^2] + g in multiple angles, without coefficients below the threshold    Clover II,
     Appendix A; motor inertias are kept whole

Its errors are not proven; `simplify` with a threshold in its specification proves the error of every coefficient.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from torquec.closedform import closed_form
from torquec.closedform.fourier import CLOVER, Rule
from torquec.closedform.layouts import Matrix, entries
from torquec.dynamics import base_inverse_dynamics, base_mass_matrix
from torquec.errors import ArgumentError, RobotError
from torquec.expr import Function
from torquec.model.model import Model
from torquec.model.model_parameters import ModelKind, ModelParameters, ParameterFit
from torquec.model.quantities import base_of, trace_quantity
from torquec.proof.torque.certificate import Certificate
from torquec.proof.torque.certify_coefficients import check_independent
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import check_single_coordinates
from torquec.simplification.coefficient_model import abbreviated_coefficients

_ROUNDING = 1e-12  # relative difference of equal sums taken in another order
_MOST_TERMS = 400  # most terms of M: far more than pay off, but derived in less than an hour


def base_parameter_model(
    robot: Robot,
    values: Sequence[float] | None = None,
    *,
    covariance: npt.ArrayLike | None = None,
    fit: ParameterFit | None = None,
    threads: int = 1,
) -> Model:
    """The model of a robot's geometry with the values beta (b,) of its base parameters, in the order of their names.

    Without `values`, they are the robot's own. `covariance` (b, b) and `fit` are the quality of estimated values.
    Friction and springs are the robot's. Raises `ArgumentError` for the wrong number of values, `RobotError` where the
    robot has no inertias and no values are given.

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


def abbreviated_model(robot: Robot, rule: Rule = CLOVER, *, threads: int = 1) -> Model:
    """The model (1) of a robot. Friction and springs are the robot's own.

    Raises `RobotError` for a robot with mimic joints, and where the equations would be longer than the exact recursion.

    >>> from torquec.robot import classics
    >>> abbreviated_model(classics.planar2r()).kind.value
    'abbreviated'
    """
    check_independent(robot)
    check_single_coordinates(robot)
    form, written = closed_form(robot), dataclasses.replace(rule, multiple_angles=True)
    terms = sum(len(part.value.terms) for entry in entries(form, Matrix.M, written) for part in entry.parts)
    if terms > _MOST_TERMS:
        raise RobotError(
            f"the abbreviated mass matrix of '{robot.name}' still has {terms} terms: the model would be longer than "
            "the exact recursion",
            where=robot.source,
            remedy=f"raise the threshold, which is {rule.threshold:g}, or use the exact model",
        )
    programs = abbreviated_coefficients(form, written).programs()
    return Model(robot, MappingProxyType(programs), threads=threads, kind=ModelKind.ABBREVIATED)


def certified_model(
    robot: Robot, record: Certificate, *, parts: Mapping[str, Function] = MappingProxyType({}), threads: int = 1
) -> Model:
    """The certified model of a certificate.

    `parts` are the mass matrix, gravity, velocity torque and Coriolis matrix of the program whose coefficients are
    proven, where it was made of coefficients. The kind is certified coefficients where the coefficients of the torque
    program itself are proven, else certified torque. Where the certificate proves the coefficients of a second program,
    `model.coefficients` is the model of that program. Raises `ArgumentError` for a certificate of another robot.
    """
    if record.robot_hash != robot.content_hash:
        raise ArgumentError(
            f"the certificate of '{record.robot}' is not about this robot '{robot.name}'",
            remedy="give the robot that was simplified, with the same payload and locked joints",
        )
    inner = record.coefficients
    if inner is None:
        return _made(robot, record, {}, ModelKind.CERTIFIED_TORQUE, threads)
    if inner.program == record.program:
        return _made(robot, record, parts, ModelKind.CERTIFIED_COEFFICIENTS, threads)
    by_coefficients = _made(robot, record.of_second_program(), parts, ModelKind.CERTIFIED_COEFFICIENTS, threads)
    return replace(_made(robot, record, {}, ModelKind.CERTIFIED_TORQUE, threads), coefficients=by_coefficients)


def _made(robot: Robot, record: Certificate, parts: Mapping[str, Function], kind: ModelKind, threads: int) -> Model:
    functions = {**parts, "inverse_dynamics": record.program}
    return Model(robot, MappingProxyType(functions), threads=threads, record=record, kind=kind)
