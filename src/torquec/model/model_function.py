"""Sampled functions made from a model: control laws, observers, estimators; each records the model it came from."""

from __future__ import annotations

from dataclasses import dataclass

from torquec.dynamics.sampled_function import SampledFunction
from torquec.model.model import Model, ModelKind


@dataclass(frozen=True)
class ModelOrigin:
    """The model that a function was made from: its robot, its kind, and hashes of what they hold.

    `robot_hash` is `Robot.content_hash`, `model_hash` is `Model.content_hash`, `certificate_hash` the SHA-256 in the
    certificate's file, None for a model without one.
    """

    robot: str
    kind: ModelKind
    robot_hash: str
    model_hash: str
    certificate_hash: str | None = None

    @staticmethod
    def of(model: Model) -> ModelOrigin:
        """The origin record of a model."""
        certificate = None if model.record is None else model.record.content_hash
        robot = model.robot
        return ModelOrigin(robot.name, model.kind, robot.content_hash, model.content_hash, certificate)

    def is_of(self, model: Model) -> bool:
        """Whether a model has the numbers that the function was made from."""
        return self.model_hash == model.content_hash


@dataclass(frozen=True, repr=False)
class ModelFunction(SampledFunction):
    """A sampled function made from a model; `origin` identifies the model."""

    origin: ModelOrigin | None = None
