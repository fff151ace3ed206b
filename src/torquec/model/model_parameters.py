"""Kind of a model and its parameters: the source of its numbers, their covariance, fit quality and guarantee."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from torquec.errors import ArgumentError
from torquec.model.residual_bound import ResidualBound


class ModelKind(StrEnum):
    """The source of a model's numbers, and the guarantee on them."""

    EXACT = "exact"
    """The robot's own parameters."""
    BASE_PARAMETERS = "base parameters"
    """Values of the base parameters, which need not belong to physical bodies."""
    IDENTIFIED = "identified"
    """Parameters estimated from logs, with their covariance."""
    ABBREVIATED = "abbreviated"
    """Equations without small terms (Clover's rule), no error proven."""
    CERTIFIED_TORQUE = "certified torque"
    """A simplified inverse dynamics whose torque error is proven."""
    CERTIFIED_COEFFICIENTS = "certified coefficients"
    """Simplified coefficients M, c and g whose errors are proven."""

    @property
    def follows_program(self) -> bool:
        """True where every quantity follows from one program of inverse dynamics, not from the robot's bodies."""
        return self not in (ModelKind.EXACT, ModelKind.IDENTIFIED)

    @property
    def is_simplified(self) -> bool:
        """True where terms were left out or changed, so that torques are not those of the parameters."""
        return self in (ModelKind.ABBREVIATED, ModelKind.CERTIFIED_TORQUE, ModelKind.CERTIFIED_COEFFICIENTS)


@dataclass(frozen=True)
class ParameterFit:
    """How parameters were estimated: by which estimator, how well logs are predicted, how their covariance was made.

    `intervals` is a text on how the covariance was computed; `validation_error` is None without held-out data;
    `status` is how the fit ended, `verdict` a text on how far to trust it.
    """

    estimator: str
    intervals: str
    status: str
    verdict: str
    relative_error: float
    validation_error: float | None


@dataclass(frozen=True)
class ModelParameters:
    """Parameters by name, in order: values (k,), their covariance (k, k) where known, and the fit they come from.

    `residual` bounds the torque residual of each joint.

    Raises `ArgumentError` where the lengths differ, a number is not finite or the covariance is not symmetric.
    """

    names: tuple[str, ...]
    values: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...] | None = None
    fit: ParameterFit | None = None
    residual: tuple[ResidualBound, ...] | None = None

    def __post_init__(self) -> None:
        k = len(self.names)
        rows = self.covariance if self.covariance is not None else ((0.0,) * k,) * k
        if len(self.values) != k or len(rows) != k or any(len(row) != k for row in rows):
            raise ArgumentError(
                f"{k} parameters have {len(self.values)} values and a covariance of {len(rows)} rows",
                remedy="give one value for each name, and a square covariance of that size",
            )
        if len(set(self.names)) != k:
            raise ArgumentError("two parameters have the same name", remedy="give every parameter its own name")
        if not all(math.isfinite(x) for x in (*self.values, *(x for row in rows for x in row))):
            raise ArgumentError("a value or a covariance of the parameters is not finite")
        if any(rows[i][j] != rows[j][i] for i in range(k) for j in range(i)):
            raise ArgumentError("the covariance of the parameters is not symmetric")
        if any(rows[i][i] < 0.0 for i in range(k)):
            raise ArgumentError("a variance of the parameters is negative")
